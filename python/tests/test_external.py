"""Engines that are programs of their own."""

import asyncio
import copy
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from misbehaving import ENDLESS

from millbrain import Board, Engine, EngineError, ExternalEngine, Limit, Line, OptionError
from millbrain.external import Option

COMMAND = [sys.executable, "-m", "millbrain"]
MATE = "OO1/3/3/O1X3/1XX/3/3 w 0 0"


def scripted(path: Path, body: str) -> ExternalEngine:
    """An engine that answers by a script: it gets a ``line`` and prints an answer."""
    script = path / "engine.py"
    script.write_text(
        "import sys\n"
        "for line in map(str.strip, sys.stdin):\n"
        "    say = lambda *lines: print(*lines, sep='\\n', flush=True)\n"
        "    if line == 'uci': say('id name mock 1', 'option name UCI_Variant type combo var morris', 'uciok')\n"
        "    elif line == 'isready': say('readyok')\n"
        "    elif line == 'quit': break\n" + "".join(f"    {row}\n" for row in body.splitlines())
    )
    return ExternalEngine([sys.executable, str(script)], timeout=5)


def test_it_finds_what_the_engine_in_this_process_finds() -> None:
    with ExternalEngine(COMMAND, hash=16, timeout=60) as other, Engine(hash=16) as engine:
        for board in (Board(), Board("smess"), Board("lasker", stones=7), Board(fen=MATE)):
            for each in (other, engine):
                each.new_game()
            expected = engine.analyse(board, Limit(nodes=3_000), multipv=2)
            found = other.analyse(board, Limit(nodes=3_000), multipv=2)
            assert [(line.score, line.pv, line.wdl) for line in found] == [
                (line.score, line.pv, line.wdl) for line in expected
            ]
            assert [line.multipv for line in found] == [1, 2] and found[0].turn == board.turn
        played = Board()
        played.push("d6")
        result = other.play(played, Limit(depth=3), root_moves=["F4", "a1"])
        assert result.move in ("f4", "a1") and result.info is not None and result.info.white() == -result.info.score
        assert other.play(Board(fen="OO1/3/3/6/3/3/XXX w 0 0"), Limit(depth=3)).move is None
        assert other.name.startswith("millbrain ")


def test_options_are_checked_before_they_are_sent() -> None:
    with ExternalEngine(" ".join(COMMAND), skill_level=3, timeout=60) as engine:
        assert engine.options == {"skill_level": "3"}
        engine.configure({"Random Seed": 7, "uci_limitstrength": True})
        assert engine.options == {"skill_level": "3", "random_seed": "7", "uci_limitstrength": "true"}
        refused: list[tuple[dict[str, Any], str]] = [
            ({"speed": 9}, "unknown option 'speed': expected one of threads, "),
            ({"stones": 9}, "unknown option 'stones'"),
            ({"multipv": 9}, "unknown option 'multipv'"),
            ({"hash": 0}, "invalid value 0 for Hash: expected a number from 1 to 65536"),
            ({"uci_limitstrength": "yes"}, "invalid value 'yes' for UCI_LimitStrength: expected true or false"),
            ({"bookfile": "/no/such/book"}, "setoption refused: book /no/such/book: "),
        ]
        for options, words in refused:
            with pytest.raises(OptionError, match=words):
                engine.configure(options)
        assert "bookfile" not in engine.options
        with pytest.raises(OptionError, match="invalid value 501 for MultiPV"):
            engine.analyse(Board(), Limit(depth=1), multipv=501)
        assert engine.play(Board(), Limit(nodes=50)).move
    combo = Option.read("option name Two Words type combo default b c var a var b c")
    assert combo == Option("Two Words", "combo", "b c", None, None, ("a", "b c")) and combo.text(" B  c") == "B c"
    path = Option("Path", "string")
    assert path.text("t b/two  sp\t") == "t b/two  sp\t"
    with pytest.raises(OptionError, match="expected one line"):
        path.text("a\nquit")
    assert Option.read("option name N type spin default 0 min -5 max 5") == Option("N", "spin", "0", -5, 5)


def test_a_search_can_be_stopped_and_the_engine_stays() -> None:
    with ExternalEngine(COMMAND, timeout=60) as engine:
        with engine.analysis(Board(), Limit()) as analysis:
            depths = []
            for line in analysis:
                depths.append(line.depth)
                if line.depth >= 3:
                    break
            with pytest.raises(EngineError, match="the engine is searching, expected one at rest"):
                engine.new_game()
        assert depths[0] == 1 and analysis.wait()[0].pv
        with pytest.raises(ZeroDivisionError):
            engine.analyse(Board(), Limit(), on_info=lambda line: 1 // 0)
        timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            engine.analyse(Board(), Limit())
        timer.join()
        lines = asyncio.run(engine.analyse_async(Board(), Limit(depth=2)))
        assert lines[0].depth == 2
    with pytest.raises(EngineError, match="the engine is closed, expected an open one"):
        engine.play(Board(), Limit(depth=1))
    engine.close()


def test_a_copy_is_another_process() -> None:
    with ExternalEngine(COMMAND, timeout=60, skill_level=2) as engine:
        for other in (copy.copy(engine), pickle.loads(pickle.dumps(engine))):
            with other:
                assert other.options == engine.options and other._process.pid != engine._process.pid
                assert other.play(Board(), Limit(depth=1)).move
    with pytest.raises(EngineError, match="closed"):
        pickle.dumps(engine)


def test_programs_that_are_no_engines(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="/no/such/program cannot be started \\(No such file or directory"):
        ExternalEngine("/no/such/program")
    with pytest.raises(EngineError, match="has ended \\(exit status: 3\\), expected it to go on"):
        ExternalEngine([sys.executable, "-c", "import sys; sys.exit(3)"])
    for timeout in (-1, float("nan"), "1", True, 1e10):
        arguments: dict[str, Any] = {"timeout": timeout}
        with pytest.raises(OptionError, match="^timeout is .*, expected seconds in 0..1000000000$"):
            ExternalEngine(COMMAND, **arguments)
    with pytest.raises(TypeError, match="command is '', expected a program"):
        ExternalEngine("")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("if line.startswith('go'): say('bestmove z9')", "mock 1 has played 'z9', expected a legal move"),
        ("if line.startswith('go'): say('bestmove')", "mock 1 has printed 'bestmove', expected 'bestmove MOVE'"),
        ("if line.startswith('go'): sys.exit(4)", "mock 1 has ended \\(exit status: 4\\), expected it to go on"),
    ],
)
def test_engines_that_break_the_protocol(tmp_path: Path, answer: str, words: str) -> None:
    with scripted(tmp_path, answer) as engine, pytest.raises(EngineError, match=words):
        engine.play(Board(), Limit(depth=1))


# A call of each public method, and the commands by which it asks an engine.
SEARCH = ["setoption", "isready", "position", "go"]
CALLS: dict[str, tuple[Callable[[ExternalEngine], object], list[str]]] = {
    "analyse": (lambda engine: engine.analyse(Board(), Limit(depth=1)), SEARCH),
    "analyse_async": (lambda engine: asyncio.run(engine.analyse_async(Board(), Limit(time=0))), SEARCH),
    "analysis": (lambda engine: engine.analysis(Board(), Limit(nodes=1)).wait(), SEARCH),
    "close": (ExternalEngine.close, ["quit"]),
    "configure": (lambda engine: engine.configure({"hash": 1}), ["setoption", "isready"]),
    "new_game": (ExternalEngine.new_game, ["ucinewgame", "isready"]),
    "play": (lambda engine: engine.play(Board(), Limit(white_clock=0)), SEARCH),
    "play_async": (lambda engine: asyncio.run(engine.play_async(Board(), Limit(depth=1))), SEARCH),
    "quit": (ExternalEngine.quit, ["quit"]),
    "stop": (lambda engine: stopped(engine), ["stop"]),
}
# After these nothing more can come.
ENDED = ("end", "be killed", "fall silent")


def stopped(engine: ExternalEngine) -> object:
    """The result of a search that is stopped as soon as it has begun."""
    analysis = engine.analysis(Board(), Limit())
    while not engine._searching:
        time.sleep(0.001)
    engine.stop()
    return analysis.wait()


def test_no_engine_keeps_a_call_waiting() -> None:
    public = {name for name in dir(ExternalEngine) if name[0] != "_" and callable(getattr(ExternalEngine, name))}
    assert set(CALLS) == public, "each method is called"
    command = [sys.executable, "-SE", str(Path(__file__).with_name("misbehaving.py"))]

    def failure(name: str, stage: str, how: str) -> str:
        """Returns the error of a call, and checks that later calls raise the same."""
        # Only what nothing else shows is waited for, and not before it happens: a busy machine is slow to start. An end
        # after "quit" shows nothing either.
        shown = stage == "never" or (how in ENDED and stage != "quit")
        patience = 60 if shown else 0.4
        try:
            engine = ExternalEngine([*command, stage, how], timeout=patience if stage == "uci" else 60)
            engine.timeout = patience
            CALLS[name][0](engine)
        except EngineError as error:
            if stage != "uci":
                with pytest.raises(EngineError) as again:
                    engine.play(Board(), Limit(depth=1))
                assert str(again.value) == str(error)
            return str(error)
        engine.close()
        return "" if stage != "quit" or engine._process.status() else "still there"

    plan = [(name, stage, how) for name, (_, stages) in CALLS.items() for stage in stages for how in ENDLESS]
    plan += [("play", "uci", how) for how in ENDLESS] + [(name, "never", "") for name in CALLS]
    with ThreadPoolExecutor(8) as pool:
        message = dict(zip(plan, pool.map(lambda each: failure(*each), plan), strict=True))
    for (_, stage, how), words in message.items():
        if stage in ("quit", "never"):
            assert words == "", (stage, how)
        elif how in ENDED:
            assert words.endswith(", expected it to go on"), (stage, how, words)
        else:
            late = words.endswith(" within 0.4 s") and " has not answered " in words
            assert late or " with more than 1048576 characters, expected " in words, (stage, how, words)


def test_an_answer_belongs_to_its_question(tmp_path: Path) -> None:
    answer = "if line.startswith('go'): say('bestmove ' + ('d6', 'f4')['depth' in line], 'info string', 'bestmove a1')"
    with scripted(tmp_path, answer) as engine:
        for _ in range(20):
            assert engine.play(Board(), Limit(nodes=1)).move == "d6"
            assert engine.play(Board(), Limit(depth=1)).move == "f4"


HUGE = ["1" + "0" * power for power in (9, 17, 20, 400, 5_000)]
REPORTS = [
    *(f"depth 1 score {kind} {sign}{number}" for kind in ("cp", "mate") for number in HUGE for sign in ("", "-")),
    *(
        f"{field} {number} score cp 1 pv d6"
        for field in ("depth", "seldepth", "multipv", "nodes", "hashfull", "tbhits", "time", "nps")
        for number in [*HUGE, "-1", "0", "x", "1_0", "²", "", "1.5"]
    ),
    *(f"score cp 1 wdl {numbers}" for numbers in (f"{HUGE[3]} 0 0", "1 2", "1 2 x", "-1 -1 -1")),
    "score",
    "score cp",
    "score mate x",
    "score 5",
    "score cp 1 lowerbound upperbound pv",
    "score cp 1 pv d6 d6 d6",
    "score cp 1 pv " + "x " * 20_000,
    "pv d6",
    "\x00\x07 score cp 3",
]


def test_reports_of_any_kind_are_read_or_left_out(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("\n".join(f"info {report}" for report in REPORTS))
    answer = f"if line.startswith('go'): say(open({str(tmp_path / 'reports')!r}).read(), 'bestmove d6 ponder d6')"
    lines: list[Line] = []
    with scripted(tmp_path, answer) as engine:
        result = engine.play(Board(), Limit(depth=1), on_info=lines.append)
        assert (result.move, result.ponder) == ("d6", None)
        assert lines, "some can be read"
        for line in lines:
            assert (line.multipv, line.pv) in ((1, ["d6"]), (1, [])) and line.nps >= 0 and sum(line.wdl) in (1000, -3)
        assert engine.play(Board(), Limit(depth=1)).move == "d6", "the engine stays"


def test_plain_engines_will_do(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    answer = (
        "if line.startswith('go'): say('hello', 'info string hi', 'info depth x', "
        "'info depth 4 score cp 50 upperbound pv d6', 'info depth 3 score mate -2', 'bestmove d6 ponder f4')"
    )
    with scripted(tmp_path, answer) as engine:
        result = engine.play(Board(), Limit(depth=1))
        assert (result.move, result.ponder) == ("d6", "f4")
        assert result.info is not None and result.info.score.mate == -2 and result.info.wdl == (0, 0, 1000)
        assert "an info line cannot be read" in caplog.text
        for board, options, words in [
            (Board("smess"), {}, "mock 1 does not play smess"),
            (Board(stones=7), {}, "mock 1 has no option for the rule stones"),
            (Board(), {"multipv": 2}, "multipv is 2, expected 1: mock 1 has no such option"),
        ]:
            arguments: dict[str, Any] = options
            with pytest.raises((EngineError, OptionError), match=words):
                engine.analyse(board, Limit(depth=1), **arguments)
