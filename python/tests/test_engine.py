"""The search: limits, lines, stopping, threads."""

import copy
import logging
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from counting import counting

import millbrain
from millbrain import BLACK, Board, Engine, Limit, Line, Score, Tables

WIN = "OO1/3/3/O1X3/1XX/3/3 w 0 0"

# A shell that starts the tests in the background has them ignore Ctrl-C, and with them the programs they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def test_lines_of_an_analysis() -> None:
    with Engine(hash=8) as engine:
        board = Board()
        lines = engine.analyse(board, Limit(depth=6), multipv=3)
        assert [line.multipv for line in lines] == [1, 2, 3]
        assert len({line.pv[0] for line in lines}) == 3
        assert lines[0].score >= lines[1].score >= lines[2].score
        for line in lines:
            assert line.depth == 6 and line.bound == "exact" and sum(line.wdl) == 1000 and line.nodes > 0
            assert line.time > 0 and line.nps > 0 and 0 <= line.hashfull <= 1000 and line.turn is board.turn
            replay = board.copy()
            for move in line.pv:
                replay.push(move)
        assert board == Board(), "the board is left as it is"
        only = engine.analyse(board, Limit(depth=2), root_moves=["a4"])
        assert only[0].pv[0] == "a4"


def test_a_search_is_repeated_exactly() -> None:
    with Engine(hash=4) as engine:
        first = engine.analyse(Board(), Limit(nodes=20_000))[0]
        engine.new_game()
        again = engine.analyse(Board(), Limit(nodes=20_000))[0]
        # Rules change: nothing of the other game is left in the hash table.
        engine.analyse(Board("smess"), Limit(nodes=20_000))
        third = engine.analyse(Board(), Limit(nodes=20_000))[0]
    assert 20_000 <= first.nodes < 25_000
    for other in (again, third):
        assert (other.score, other.pv, other.nodes) == (first.score, first.pv, first.nodes)


def test_limits_end_a_search() -> None:
    with Engine(hash=4) as engine:
        began = time.monotonic()
        engine.analyse(Board(), Limit(time=0.2))
        assert 0.1 < time.monotonic() - began < 5
        engine.play(Board(), Limit(white_clock=0.5, black_clock=0.5, white_inc=0.01))
        mate = engine.analyse(Board(fen=WIN), Limit(mate=1))[0]
        assert mate.score == Score(mate=1) and mate.pov(BLACK) == Score(mate=-1)
        with pytest.raises(millbrain.OptionError, match='invalid value "0" for MultiPV'):
            engine.analyse(Board(), Limit(depth=1), multipv=0)
        with pytest.raises(millbrain.IllegalMoveError, match="g7 closes a mill"):
            engine.analyse(Board(fen="OO1/3/3/6/3/3/XX1 w 7 7"), Limit(depth=1), root_moves=["g7"])
        lost = engine.play(Board(), Limit(white_clock=-3, black_clock=-0.5))
        assert lost.move in Board().legal_moves, "an overdrawn clock"
        for limit in (Limit(depth=np.int64(2)), Limit(nodes=np.uint64(9)), Limit(time=np.float32(0.01))):  # type: ignore
            assert engine.play(Board(), limit).move is not None
        assert engine.play(Board(), Limit(depth=1, time=1_000_000_000, nodes=2**64 - 1, mate=120)).move is not None


BAD_LIMITS: list[tuple[str, Any, str]] = [
    *(("time", bad, "seconds in 0..1000000000") for bad in (-1, -1e-9, float("nan"), float("inf"), 1e9 + 1, "1", True)),
    *(("white_inc", bad, "seconds in 0..1000000000") for bad in (-1, 10**400, b"1", [1])),
    *(("black_inc", bad, "seconds in 0..1000000000") for bad in (-0.1, 1j)),
    *(("white_clock", bad, "seconds in -1000000000..1000000000") for bad in (float("-inf"), float("nan"), 1e10)),
    *(("black_clock", bad, "seconds in -1000000000..1000000000") for bad in (-1e10, False)),
    *(("depth", bad, "an integer in 1..240") for bad in (0, -1, 241, 10**9, 10**5_000, 3.0, True, float("nan"), "3")),
    *(("nodes", bad, "an integer in 1..18446744073709551615") for bad in (0, -1, 2**64, 1e3, np.bool_(True), "many")),
    *(("mate", bad, "an integer in 1..120") for bad in (0, -1, 121, 2.5, np.float64(1))),
    *(("remaining_moves", bad, "an integer in 0..4294967295") for bad in (-1, 2**32, 0.5, None.__class__)),
]


@pytest.mark.parametrize(("name", "bad", "expected"), BAD_LIMITS, ids=lambda value: str(type(value).__name__))
def test_a_limit_is_checked_when_it_is_made(name: str, bad: Any, expected: str) -> None:
    with pytest.raises(ValueError) as raised:
        Limit(**{name: bad})
    assert isinstance(raised.value, millbrain.OptionError)
    text = str(raised.value)
    assert text.startswith(f"{name} is ") and text.endswith(f", expected {expected}") and len(text) < 120


def test_limits_at_the_edges_are_accepted() -> None:
    assert Limit(time=0, depth=1, nodes=1, mate=1, white_clock=-1_000_000_000, white_inc=0, remaining_moves=0)
    assert Limit(
        time=1e9, depth=240, nodes=2**64 - 1, mate=120, black_clock=1e9, black_inc=1e9, remaining_moves=2**32 - 1
    )
    third: Any = Fraction(1, 3)
    assert Limit(time=third).time == third
    assert pickle.loads(pickle.dumps(Limit(depth=4))) == Limit(depth=4)


def test_arguments_of_a_search_are_checked() -> None:
    bad: list[tuple[dict[str, Any], str]] = [
        ({"board": "3/3/3/6/3/3/3 w 9 9"}, "^board is '3/3/3/6/3/3/3 w 9 9', expected a Board$"),
        ({"board": None}, "^board is None, expected a Board$"),
        ({"limit": None}, "^limit is None, expected a Limit$"),
        ({"limit": 5}, "^limit is 5, expected a Limit$"),
        ({"limit": {"depth": 5}}, "expected a Limit$"),
        ({"root_moves": "d6"}, "^root_moves is 'd6', expected several moves, such as a list$"),
    ]
    with Engine(hash=1) as engine:
        for change, message in bad:
            with pytest.raises(TypeError, match=message):
                engine.play(**{"board": Board(), "limit": Limit(depth=1), **change})


def test_play() -> None:
    with Engine(hash=1) as engine:
        result = engine.play(Board(fen=WIN), Limit(depth=3))
        assert result.move in Board(fen=WIN).legal_moves and result.info is not None
        assert result.info.score == Score(mate=1) and result.info.pv[0] == result.move
        over = Board(fen="OO1/3/3/6/3/3/XXX w 0 0")
        nothing = engine.play(over, Limit(depth=3))
        assert nothing.move is None and nothing.info is not None and nothing.info.score == Score(mate=0)
        assert engine.analyse(over, Limit())[0].pv == []


def test_levels() -> None:
    with Engine(hash=1, skill_level=0, random_seed=5) as engine:
        moves = {engine.play(Board(), Limit(depth=30)).move for _ in range(3)}
        assert len(moves) == 1, "the seed decides"
        engine.configure({"Random Seed": 0})
        assert len({engine.play(Board(), Limit()).move for _ in range(60)}) > 5
        engine.configure({"Skill Level": 20, "UCI_LimitStrength": True, "uci_elo": 1500})
        assert engine.options["UCI_Elo"] == 1500 and engine.options["Skill Level"] == 20


def test_options_are_checked() -> None:
    with pytest.raises(millbrain.OptionError, match='unknown option "speed": expected threads, hash'):
        Engine(speed=9)
    with pytest.raises(millbrain.OptionError, match='invalid value "0" for Hash: expected a number from 1 to 65536'):
        Engine(hash=0)
    with pytest.raises(millbrain.OptionError, match='unknown option "Stones"'):
        Engine(hash=1).configure({"Stones": 5})
    engine = Engine(hash=1)
    with pytest.raises(millbrain.OptionError):
        engine.configure({"Skill Level": 3, "Hash": "many"})
    assert engine.options["Skill Level"] == 20, "all or nothing"
    bad: Any
    for bad in ("Hash", None, 5, [("Hash", 1)]):
        with pytest.raises(TypeError, match="^options is .*, expected names and values, such as a dict$"):
            engine.configure(bad)
    for bad, message in (
        (10**5_000, "without a text"),
        ([[1], [2]], "[[1], [2]]"),
        ("a\nb", "a b"),
        (np.zeros((2, 2), np.int8), "[[0 0] [0 0]]"),
    ):
        with pytest.raises(millbrain.OptionError) as raised:
            engine.configure({"Skill Level": bad})
        assert str(raised.value) == f'invalid value "{message}" for Skill Level: expected a number from 0 to 20'


def best_move(engine: Engine, board: Board) -> tuple[dict[str, bool | int | str], str | None]:
    with engine:
        return engine.options, engine.play(board, Limit(nodes=3_000)).move


def test_engines_travel_between_processes() -> None:
    """As pools of processes send them: with their settings, without what they have searched."""
    board = Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0")
    engine = Engine(threads=2, hash=3, tablebases=Tables(embedded=False), move_overhead=7, skill_level=4, random_seed=5)
    engine.__dict__["note"] = "mine"
    engine.analyse(board, Limit(depth=4))
    options = engine.options
    assert (options["Threads"], options["Hash"], options["Skill Level"], options["Move Overhead"]) == (2, 3, 4, 7)
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        there, move = pool.submit(best_move, engine, board).result(timeout=60)
    assert there == options and move in board.legal_moves
    for twin in (copy.copy(engine), copy.deepcopy(engine), pickle.loads(pickle.dumps(engine))):
        assert twin.options == options and twin.__dict__["note"] == "mine"
        assert repr(twin) == "Engine(tablebases=Tables([], embedded=False))" == repr(engine)
        # One of its own, with an empty hash table.
        twin.close()
        assert engine.options == options
    assert copy.copy(engine).tables is engine.tables and copy.deepcopy(engine).tables is not engine.tables

    def busy(line: Line) -> None:
        pickle.dumps(engine)

    with pytest.raises(millbrain.EngineError, match="the engine is searching, expected one at rest"):
        engine.analyse(board, Limit(), on_info=busy)
    engine.close()
    with pytest.raises(millbrain.EngineError, match="the engine is closed, expected an open one"):
        pickle.dumps(engine)


def test_reports_come_while_it_searches(caplog: pytest.LogCaptureFixture) -> None:
    depths: list[int] = []
    with Engine(hash=4) as engine, caplog.at_level(logging.INFO, logger="millbrain"):
        engine.analyse(Board(), Limit(depth=7), on_info=lambda line: depths.append(line.depth))
        assert depths == sorted(depths) and {1, 7} <= set(depths)

        def refuse(line: Line) -> None:
            raise RuntimeError("enough")

        with pytest.raises(RuntimeError, match="enough"):
            engine.analyse(Board(), Limit(), on_info=refuse)

        def busy(line: Line) -> None:
            engine.analyse(Board(), Limit(depth=1))

        with pytest.raises(millbrain.EngineError, match="the engine is searching, expected one at rest"):
            engine.analyse(Board(), Limit(), on_info=busy)
        assert engine.analyse(Board(), Limit(depth=2))[0].depth == 2, "it is still usable"
        engine.analyse(Board(), Limit(), on_info=lambda line: engine.stop() if line.depth >= 3 else None)
        with pytest.raises(millbrain.EngineError, match="the engine is closed"):
            engine.analyse(Board(), Limit(), on_info=lambda line: engine.close())
            engine.analyse(Board(), Limit(depth=1))


def test_stop_from_another_thread() -> None:
    with Engine(threads=2, hash=4) as engine:
        engine.stop()
        timer = threading.Timer(0.3, engine.stop)
        timer.start()
        lines = engine.analyse(Board(), Limit())
        assert lines[0].pv and lines[0].time >= 0.2
        timer.join()


def test_engines_search_side_by_side() -> None:
    boards = [Board(), Board("smess")]
    alone = []
    for board in boards:
        with Engine(hash=4) as engine:
            alone.append(engine.analyse(board, Limit(nodes=150_000))[0])
    together: dict[int, Line] = {}
    started = threading.Barrier(2)

    def search(number: int) -> None:
        with Engine(hash=4) as engine:
            started.wait()
            together[number] = engine.analyse(boards[number], Limit(nodes=150_000))[0]

    threads = [threading.Thread(target=search, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, line in enumerate(alone):
        assert (together[number].pv, together[number].nodes) == (line.pv, line.nodes)


def test_python_goes_on_during_a_search() -> None:
    """Another thread counts while the search has no GIL."""
    with counting(pause=0.001) as counted, Engine(hash=4) as engine:
        engine.analyse(Board(), Limit(time=0.5))
        assert counted() > 20


INTERRUPTED = """
import signal, sys, threading, time
from millbrain import Board, Engine, Limit
engine = Engine(hash=4, threads=int(sys.argv[2]))
timer = threading.Timer(0.2, lambda: fire())
def look(line):
    if line.depth >= 8 and not timer.ident:
        timer.start()
def fire():
    global fired
    fired = time.monotonic()
    signal.raise_signal(signal.SIGINT)
try:
    if sys.argv[1] == "search":
        engine.analyse(Board(), Limit(), on_info=look)
    else:
        threading.Timer(0.5, fire).start()
        Board().perft(30)
except KeyboardInterrupt:
    delay = time.monotonic() - fired
    print(f"{delay:.3f}", engine.analyse(Board(), Limit(depth=3))[0].depth)
"""


@pytest.mark.parametrize("what", ["search", "perft"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_ends_a_search(what: str, threads: str) -> None:
    # Other work may keep the processors from us: the best of three counts.
    delays = []
    for _ in range(3):
        message = subprocess.run(
            [sys.executable, "-c", INTERRUPTED, what, threads], capture_output=True, text=True, timeout=60, check=True
        )
        delay, depth = message.stdout.split()
        assert depth == "3", "the engine is still usable"
        delays.append(float(delay))
        if delays[-1] < 0.1:
            return
    raise AssertionError(delays)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_signal_from_outside_ends_a_search() -> None:
    program = (
        "from millbrain import *\nimport sys\n"
        "try:\n    Engine(hash=1).analyse(Board(), Limit(), on_info=lambda line: print(line.depth, flush=True))\n"
        "except KeyboardInterrupt:\n    sys.exit(7)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "1\n"
    process.send_signal(signal.SIGINT)
    process.stdout.read()
    assert process.wait(timeout=30) == 7


def test_scores_are_ordered() -> None:
    scores = [Score(mate=0), Score(mate=-1), Score(mate=-9), Score(cp=-1), Score(cp=2), Score(mate=9), Score(mate=1)]
    assert sorted(scores, key=lambda score: score) == scores
    assert [-score for score in (Score(mate=0), Score(mate=4), Score(cp=7))] == [
        Score(mate=1),
        Score(mate=-4),
        Score(cp=-7),
    ]


def test_numbers_of_a_line() -> None:
    wdl = millbrain.Wdl(700, 200, 100)
    assert wdl.expectation() == 0.8 and millbrain.Wdl(1000, 0, 0).expectation() == 1
    line = Line(1, Score(cp=-35), wdl, 3, 4, 1_000, 0.25, 0, 0, "exact", [], BLACK)
    assert line.nps == 4_000 and line.pov(BLACK) == Score(cp=-35) and line.white() == Score(cp=35)
    assert Line(1, Score(cp=0), wdl, 3, 4, 1_000, 0.0, 0, 0, "exact", [], BLACK).nps == 0
    texts = [(Score(cp=123), "+1.23"), (Score(cp=0), "+0.00"), (Score(mate=-4), "#-4"), (Score(mate=0), "#+0")]
    assert [str(score) for score, _ in texts] == [text for _, text in texts]
    assert not Score(cp=0).is_mate() and Score(mate=0).is_mate() and Score() == Score() and -Score() == Score(cp=0)
    with pytest.raises(TypeError):
        assert Score(cp=1) < 2  # type: ignore[operator]


def test_tables_are_used() -> None:
    lost = Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0 0 1")
    with Engine(hash=1) as engine:
        line = engine.analyse(lost, Limit(depth=1))[0]
        assert line.score == Score(mate=-13) and line.depth == 26 and line.pv
    with Engine(hash=1, tablebases=Tables(embedded=False)) as engine:
        assert not engine.analyse(lost, Limit(depth=1))[0].score.is_mate()


@pytest.mark.parametrize("variant", millbrain.VARIANTS)
def test_the_program_visits_the_same_nodes(variant: str) -> None:
    commands = f"setoption name Hash value 8\nsetoption name UCI_Variant value {variant}\ngo depth 8\n"
    program = [sys.executable, "-m", "millbrain"]
    message = subprocess.run(program, input=commands, capture_output=True, text=True, check=True)
    expected = message.stdout.splitlines()[-2].split()
    reports: list[Line] = []
    with Engine(hash=8) as engine:
        engine.analyse(Board(variant), Limit(depth=8), on_info=reports.append)
    assert str(reports[-1].nodes) == expected[expected.index("nodes") + 1]
    assert reports[-1].pv == expected[expected.index("pv") + 1 :]
