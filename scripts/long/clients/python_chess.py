"""python-chess as a client of the engine: handshake, options, analysis, pondering, whole games by the clock.

Usage: python_chess.py ENGINE. Needs the package chess.
"""

import logging
import os
import re
import subprocess
import sys
import time
import traceback

import chess
import chess.engine

VARIANTS = {"morris", "muehle", "mylos", "mlyn", "lasker", "morabaraba", "smess"}


class Move:
    """A move of any game: its text is all that the library needs."""

    def __init__(self, text):
        self.text = text

    def uci(self):
        return self.text

    def __bool__(self):
        return True


class Board:
    """As much of a board as the library asks for. The rules are the engine's business."""

    uci_variant = "morris"
    chess960 = False

    def __init__(self, fen):
        self.start = fen
        self.move_stack = []

    @property
    def turn(self):
        white_first = self.start.split()[1] == "w"
        return white_first == (len(self.move_stack) % 2 == 0)

    def root(self):
        return type(self)(self.start)

    def fen(self, **_):
        return self.start

    def copy(self, stack=True):
        board = type(self)(self.start)
        board.move_stack = list(self.move_stack)
        return board

    def parse_uci(self, text):
        return Move(text)

    def push_uci(self, text):
        move = Move(text)
        self.move_stack.append(move)
        return move

    def push(self, move):
        self.move_stack.append(move)

    def pop(self):
        return self.move_stack.pop()

    def __eq__(self, other):
        return [move.text for move in self.move_stack] == [move.text for move in other.move_stack]


STARTS = {
    "lasker": "3/3/3/6/3/3/3 w 10 10 0 1",
    "morabaraba": "3/3/3/6/3/3/3 w 12 12 0 1",
    "smess": "1ssbss1/nnnnnnn/7/7/7/7/NNNNNNN/1SSBSS1 w 0 1",
}


def board_of(variant):
    kind = type(variant, (Board,), {"uci_variant": variant})
    return kind(STARTS.get(variant, "3/3/3/6/3/3/3 w 9 9 0 1"))


class Complaints(logging.Handler):
    """Whatever the library finds wrong with a line."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())


def play_game(engine, variant):
    board = board_of(variant)
    clocks = [1.0, 1.0]
    for ply in range(400):
        begun = time.perf_counter()
        limit = chess.engine.Limit(white_clock=clocks[0], black_clock=clocks[1], white_inc=0.05, black_inc=0.05)
        played = engine.play(board, limit, game=variant, ponder=ply % 7 == 3, info=chess.engine.INFO_ALL)
        clocks[ply % 2] += 0.05 - (time.perf_counter() - begun)
        assert clocks[ply % 2] > 0, "time loss"
        if played.move is None:
            return ply
        assert "score" in played.info and played.info["depth"] >= 0, played.info
        board.push(played.move)
        if "the game is over" in played.info.get("string", ""):
            return ply
    return 400


def main():
    complaints = Complaints()
    logging.getLogger("chess.engine").addHandler(complaints)
    engine = chess.engine.SimpleEngine.popen_uci(sys.argv[1], timeout=20)
    engine.ping()
    kinds = {}
    for option in engine.options.values():
        kinds[option.type] = kinds.get(option.type, 0) + 1
        if option.type == "spin":
            assert option.min <= option.default <= option.max, option
        if option.type == "combo":
            assert option.default in option.var, option
    reported = subprocess.run(sys.argv[1], input="uci\nquit\n", capture_output=True, text=True, check=True).stdout
    assert list(engine.options) == re.findall(r"^option name (.*?) type ", reported, re.M)
    assert set(engine.options["UCI_Variant"].var) == VARIANTS
    print(f"{engine.id['name']}: {len(engine.options)} options read: {kinds}")
    for option in engine.options.values():
        if not option.is_managed() and option.type not in ("button", "reset", "save") and option.name != "Log File":
            value = option.default
            engine.configure({option.name: value})
    engine.configure({"Hash": 8, "Threads": 2, "UCI_ShowWDL": True})
    engine.configure({"Clear Hash": None})
    try:
        engine.configure({"Hash": 0})
        raise AssertionError("an option out of range was sent")
    except chess.engine.EngineError:
        pass

    for variant in sorted(VARIANTS):
        board = board_of(variant)
        infos = engine.analyse(board, chess.engine.Limit(depth=8), multipv=3, info=chess.engine.INFO_ALL)
        assert len(infos) == 3 and [info["multipv"] for info in infos] == [1, 2, 3]
        for info in infos:
            fields = {"depth", "seldepth", "nodes", "nps", "hashfull", "tbhits", "time", "score", "wdl", "pv"}
            assert fields <= set(info), fields - set(info)
            # The library reads variations only as far as the moves look like moves of chess.
            assert variant != "smess" or len(info["pv"]) >= 4, info
        with engine.analysis(board) as analysis:
            for number, _ in enumerate(analysis):
                if number > 20:
                    break
        best = engine.play(board, chess.engine.Limit(time=0.02))
        assert best.move is not None
        print(f"{variant}: analysed to depth 8 in three variations, stopped, played {best.move.uci()}")
    engine.configure({"Threads": 1})
    for variant in sorted(VARIANTS):
        print(f"{variant}: a game of {play_game(engine, variant)} plies by the clock, some moves pondered")

    engine.ping()
    engine.quit()
    # The library takes the move being searched for one of chess; a placement such as d6 is none.
    known = [line for line in complaints.lines if line.startswith("Exception parsing currmove")]
    others = [line for line in complaints.lines if line not in known]
    for line in others:
        print(f"complaint: {line}")
    print(f"python-chess {chess.__version__}: {len(known)} current moves not read, {len(others)} other complaints")
    sys.exit(1 if others else 0)


try:
    main()
except Exception:  # whatever it is
    # The library's own thread would keep the process alive.
    traceback.print_exc()
    os._exit(1)
