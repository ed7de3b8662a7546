"""Engines that are programs of their own, by the protocol."""

from __future__ import annotations

import logging
import math
import os
import re
import shlex
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from . import _native
from .checks import seconds_in, shown, wrong_type
from .engine import Found, Limit, Line, Score, Searching, Wdl
from .errors import EngineError, IllegalMoveError, InvalidMoveError, OptionError
from .outcome import WHITE, Color

_log = logging.getLogger("millbrain")

# The most characters that an engine may answer to a question other than a search.
_MOST = 1 << 20
# The most seconds that a program may take to end.
_ENDING = 10.0
_CLOSED = "the engine is closed, expected an open one"

# Limits of ``go`` by the fields of a Limit; those in seconds are milliseconds there.
_COUNTED = {"depth": "depth", "nodes": "nodes", "mate": "mate", "remaining_moves": "movestogo"}
_TIMED = {
    "time": "movetime",
    "white_clock": "wtime",
    "black_clock": "btime",
    "white_inc": "winc",
    "black_inc": "binc",
}
# Options that are set for each search.
_OWN = ("uci_variant", "multipv", "ponder")
# Options that belong to the rules of a board.
_RULES = frozenset(rule for variant in _native.variants() for rule in _native.Board(variant).rules)


class Option(NamedTuple):
    """An option that an engine has."""

    name: str
    """Its name."""
    type: str
    """``check``, ``spin``, ``combo``, ``button`` or ``string``."""
    default: str | None = None
    """Its value at the start."""
    min: int | None = None
    """The least number of a ``spin``."""
    max: int | None = None
    """The greatest number of a ``spin``."""
    var: tuple[str, ...] = ()
    """The words of a ``combo``."""

    @classmethod
    def read(cls, line: str) -> Option:
        """Returns the option of a line ``option name NAME type TYPE ...``."""
        fields: dict[str, list[str]] = {}
        words: list[str] = []
        keys = ("name", "type", "default", "min", "max", "var")
        variants = []
        for word in line.split()[1:]:
            if word in keys:
                words = []
                fields[word] = words
                if word == "var":
                    variants.append(words)
            else:
                words.append(word)
        text = {key: " ".join(value) for key, value in fields.items()}
        least, most = (_number(text.get(key, "")) for key in ("min", "max"))
        name, kind = text.get("name", ""), text.get("type", "")
        return cls(name, kind, text.get("default"), least, most, tuple(" ".join(words) for words in variants))

    def text(self, value: bool | int | str) -> str:
        """Returns a value as the protocol has it; raises :class:`OptionError` for one that the option cannot have."""
        words = str(value).lower() if isinstance(value, bool) else str(value)
        if self.type != "string":
            words = " ".join(words.split())
        expected = None
        if not set("\0\n\r").isdisjoint(words):
            expected = "one line"
        elif self.type == "check" and words.lower() not in ("true", "false"):
            expected = "true or false"
        elif self.type == "spin":
            number, least, most = _number(words), self.min, self.max
            if number is None or (least is not None and number < least) or (most is not None and number > most):
                expected = f"a number from {least} to {most}"
        elif self.type == "combo" and words.lower() not in map(str.lower, self.var):
            expected = f"one of {', '.join(self.var)}"
        if expected is not None:
            raise OptionError(f"invalid value {shown(value)} for {self.name}: expected {expected}")
        return words


def _number(word: str) -> int | None:
    """Returns the number of a word; ``None`` if it is none, or one that no engine can mean."""
    return int(word) if re.fullmatch(r"-?[0-9]{1,18}", word) else None


def _keyword(name: str) -> str:
    return "_".join(name.lower().split())


def _words(limit: Limit) -> list[str]:
    """Returns the arguments of a ``go``."""
    words = []
    for field, word in _COUNTED.items():
        value = getattr(limit, field)
        if value is not None:
            words += [word, str(value)]
    for field, word in _TIMED.items():
        seconds = getattr(limit, field)
        if seconds is not None:
            words += [word, str(round(seconds * 1000))]
    return words or ["infinite"]


def _own_time(limit: Limit, turn: Color) -> float:
    """Returns the most seconds that a search may take by its limits."""
    clock = limit.white_clock if turn == WHITE else limit.black_clock
    return min((max(0.0, time) for time in (limit.time, clock) if time is not None), default=math.inf)


def _legal(board: _native.Board, moves: list[str]) -> list[str]:
    """Returns the moves of a variation, up to the first that cannot be played."""
    board, played = board.copy(), list[str]()
    try:
        for move in moves:
            played.append(board.push(move))
    except (IllegalMoveError, InvalidMoveError):
        _log.warning("a variation cannot be played: %s", shown(" ".join(moves)))
    return played


def _line(text: str, board: _native.Board, most: int) -> Line | None:
    """Returns the variation of an ``info`` line of a board; ``None`` without a score, or with a rank above ``most``."""

    def next_number() -> int:
        number = _number(next(words))
        if number is None:
            raise ValueError
        return number

    words = iter(text.split()[1:])
    numbers = {"depth": 0, "seldepth": 0, "multipv": 1, "nodes": 0, "hashfull": 0, "tbhits": 0, "time": 0}
    score, wdl, bound, pv = None, None, "exact", list[str]()
    try:
        for word in words:
            if word in numbers:
                numbers[word] = next_number()
            elif word == "score":
                kind, number = next(words), next_number()
                score = Score(mate=number) if kind == "mate" else Score(cp=number)
            elif word in ("lowerbound", "upperbound"):
                bound = word.removesuffix("bound")
            elif word == "wdl":
                wdl = Wdl(next_number(), next_number(), next_number())
            elif word == "pv":
                pv = _legal(board, list(words))
            elif word == "string":
                break
    except (StopIteration, ValueError):
        _log.warning("an info line cannot be read: %s", shown(text))
        return None
    if score is None or not 1 <= numbers["multipv"] <= most:
        return None
    multipv, milliseconds = numbers.pop("multipv"), numbers.pop("time")
    chances = wdl or Wdl(*_native.chances(board, score.cp, score.mate))
    return Line(multipv, score, chances, time=milliseconds / 1000, bound=bound, pv=pv, turn=board.turn, **numbers)


class ExternalEngine(Searching):
    """An engine that is a program of its own and speaks the protocol (protocol.md): this one, or any other.

    ``command`` is the program and its arguments, a list or a line as for a shell. Options by keyword are the engine's
    own (``skill_level=3``, ``hash=64``). The rules are those of the board that is searched. What it prints in ``info
    string`` lines is logged.

    ``timeout`` is in seconds; ``None`` waits for ever. An engine that does not answer a question within it has failed,
    and is ended. While it searches it gets ``isready``; a search that lasts for longer than its limit of time, or
    its clock, and the timeout is stopped. Nothing that an engine prints fills the memory.

    Raises :class:`EngineError` if the program cannot be started, ends, or breaks the protocol, :class:`OptionError` for
    an option that it does not have or a value that it refuses. In analyses an engine with an opening book is set to
    leave it closed. A copy, or what comes out of a pickle, is a new process with the same command and options.

    >>> import sys
    >>> from millbrain import Board, Limit
    >>> with ExternalEngine([sys.executable, "-m", "millbrain"], hash=1) as engine:
    ...     result = engine.play(Board(fen="OO1/3/3/O1X3/1XX/3/3 w 0 0"), Limit(depth=4))
    >>> result.info.score, engine.name.split()[0]
    (Score(cp=None, mate=1), 'millbrain')
    """

    def __init__(
        self,
        command: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        timeout: float | None = 10.0,
        **options: bool | int | str,
    ) -> None:
        if isinstance(command, str):
            self.command = tuple(shlex.split(command))
        elif isinstance(command, os.PathLike):
            self.command = (os.fspath(command),)
        else:
            self.command = tuple(os.fspath(word) for word in command)
        """The program and its arguments."""
        if not self.command:
            raise wrong_type("command", command, "a program and its arguments")
        self.timeout = None if timeout is None else seconds_in("timeout", timeout, 0)
        """Seconds to wait for an answer, or ``None``."""
        self._start(options)

    def _start(self, options: Mapping[str, bool | int | str]) -> None:
        self.name = self.command[0]
        """What the engine calls itself."""
        self.advertised: dict[str, Option] = {}
        """The options that the engine has, by keyword."""
        self._set: dict[str, str] = {}
        self._rules: tuple[str, tuple[tuple[str, Any], ...]] | None = None
        self._sent: dict[str, str] = {}
        self._lock = threading.Lock()
        self._searching = False
        self._stopped: float | None = None
        # Why it cannot be used any more.
        self._end: str | None = None
        try:
            self._process = _native.Process(self.command)
        except OSError as error:
            raise EngineError(f"{self.command[0]} cannot be started ({error})") from None
        try:
            for line in self._ask("uci", "uciok"):
                if line.startswith("id name "):
                    self.name = " ".join(line.split()[2:])[:200]
                elif line.startswith("option "):
                    option = Option.read(line)
                    self.advertised[_keyword(option.name)] = option
            self.configure(options)
        except BaseException:
            self.close()
            raise

    def _failed(self, words: str) -> EngineError:
        """Ends an engine that has failed: what it prints later would be taken for another answer."""
        if self._end is None:
            self._end = f"{self.name} {words}"
            self._process.end(0)
        return EngineError(self._end)

    def _hear(self, deadline: float) -> str | None:
        """Returns the next line; ``None`` if there is none in time."""
        try:
            return self._process.hear(deadline - time.monotonic())
        except EOFError:
            raise self._failed(f"has ended{self._process.status()}, expected it to go on") from None

    @property
    def _patience(self) -> float:
        return math.inf if self.timeout is None else self.timeout

    def _late(self, asked: str) -> EngineError:
        return self._failed(f"has not answered {asked!r} within {self.timeout} s")

    def _ask(self, question: str, last: str) -> Iterator[str]:
        """Sends a line, and yields the lines of the answer before the last."""
        self._process.send(question)
        deadline, heard = time.monotonic() + self._patience, 0
        while (line := self._hear(deadline)) is not None:
            if line == last or line.startswith(last + " "):
                return
            yield line
            heard += len(line) + 1
            if time.monotonic() > deadline:
                break
            if heard > _MOST:
                raise self._failed(f"has answered {question!r} with more than {_MOST} characters, expected {last!r}")
        raise self._late(question)

    def _notes(self) -> list[str]:
        """Waits until the engine has read all that was sent, and returns what it has printed; logs that."""
        notes = [line.removeprefix("info string ") for line in self._ask("isready", "readyok")]
        for note in notes:
            _log.info("%s", note)
        return notes

    def _put(self, settings: Iterable[tuple[Option, str]]) -> None:
        """Sets options, unless they are set so already; an ``OptionError`` if the engine refuses one."""
        names = []
        for option, text in settings:
            value = "" if option.type == "button" else f" value {text}"
            if not value or self._sent.get(option.name) != text:
                self._process.send(f"setoption name {option.name}{value}")
                self._sent[option.name] = text
                names.append(option.name)
        if not names:
            return
        refused = [note for note in self._notes() if "refused" in note]
        if refused:
            # What is in force is not known: it is all set again.
            self._sent.clear()
            raise OptionError(refused[0])

    def _resting(self) -> None:
        if self._end is not None:
            raise EngineError(self._end)
        if not self._lock.acquire(blocking=False):
            raise EngineError("the engine is searching, expected one at rest")

    def configure(self, options: Mapping[str, bool | int | str]) -> None:
        """Sets options by name (``{"Skill Level": 3}``) or keyword; capitals do not matter."""
        if not isinstance(options, Mapping):
            raise wrong_type("options", options, "names and values, such as a dict")
        settings = []
        for name, value in options.items():
            option = self.advertised.get(_keyword(name))
            if option is None or _keyword(name) in _OWN or _keyword(name) in _RULES:
                known = ", ".join(key for key in self.advertised if key not in _OWN)
                raise OptionError(f"unknown option {shown(name)}: expected one of {known or 'none'}")
            settings.append((option, option.text(value)))
        self._resting()
        try:
            self._put(settings)
        finally:
            self._lock.release()
        self._set.update({_keyword(option.name): text for option, text in settings if option.type != "button"})

    @property
    def options(self) -> dict[str, str]:
        """The options that have been set, by keyword."""
        return dict(self._set)

    def _by_rules(self, board: _native.Board) -> None:
        """Sets the rules of a board."""
        rules = (board.variant, tuple(board.house_rules.items()))
        if rules == self._rules:
            return
        self._rules = None
        variant = self.advertised.get("uci_variant")
        if variant is None or board.variant not in variant.var:
            raise EngineError(f"{self.name} does not play {board.variant}")
        settings = [(variant, board.variant)]
        for name, value in board.house_rules.items():
            option = self.advertised.get(name)
            if option is None:
                raise EngineError(f"{self.name} has no option for the rule {name}")
            settings.append((option, option.text(value)))
        # A variant brings its rules: they are sent even if they were sent before.
        for option, _ in settings:
            self._sent.pop(option.name, None)
        self._put(settings)
        self._rules = rules

    def _search(
        self,
        board: _native.Board,
        limit: Limit,
        multipv: int,
        root_moves: list[str],
        on_info: Callable[[Line], object] | None,
        is_play: bool,
    ) -> Found:
        root_moves = [board.parse_move(move) for move in root_moves]
        self._resting()
        try:
            self._by_rules(board)
            lines = self.advertised.get("multipv")
            if lines is not None:
                self._put([(lines, lines.text(multipv))])
            elif multipv != 1:
                raise OptionError(f"multipv is {shown(multipv)}, expected 1: {self.name} has no such option")
            book = self.advertised.get("ownbook")
            if book is not None:
                self._put([(book, self._set.get("ownbook", book.default or "false") if is_play else "false")])
            game = ["position fen", board.root().fen(), "moves", *board.move_stack]
            self._process.send(" ".join(game).removesuffix(" moves"))
            # The end of another search may still be on its way.
            self._notes()
            words = [*_words(limit), *(["searchmoves", *root_moves] if root_moves else [])]
            return self._go(board, " ".join(["go", *words]), _own_time(limit, board.turn), multipv, on_info)
        finally:
            self._lock.release()

    def _go(
        self,
        board: _native.Board,
        question: str,
        seconds: float,
        multipv: int,
        on_info: Callable[[Line], object] | None,
    ) -> Found:
        found: dict[int, Line] = {}
        self._stopped = None
        self._process.send(question)
        self._searching = True
        try:
            for text in self._reports(question, seconds):
                if text.startswith("info string "):
                    _log.info("%s", text.removeprefix("info string "))
                elif text.startswith("info ") and (line := _line(text, board, multipv)) is not None:
                    if line.bound == "exact" or line.multipv not in found:
                        found[line.multipv] = line
                    if on_info is not None:
                        on_info(line)
        except BaseException:
            # Ctrl-C, or an exception of the listener.
            if self._end is None:
                self._abandon()
            raise
        finally:
            self._searching = False
        answer = text.split()[1:]
        if not answer:
            raise EngineError(f"{self.name} has printed {shown(text)}, expected 'bestmove MOVE'")
        best = None if answer[0] == "(none)" else answer[0]
        if best is not None and not board.is_legal(best):
            raise EngineError(f"{self.name} has played {shown(best)}, expected a legal move")
        expected = answer[2:3] if answer[1:2] == ["ponder"] else []
        ponder = _legal(board, [*answer[:1], *expected])[1:] if best else []
        return best, ponder[0] if ponder else None, [line for _, line in sorted(found.items())]

    def _reports(self, question: str, seconds: float) -> Iterator[str]:
        """Yields the lines of a search, up to the ``bestmove``; an engine that hangs in it has failed."""
        asked, text = None, ""
        due = time.monotonic() + self._patience
        end = due + seconds
        while not (text + " ").startswith("bestmove "):
            now = time.monotonic()
            if now >= due:
                if self._stopped is not None and now - self._stopped >= self._patience:
                    asked = "stop"
                if asked is not None:
                    raise self._late(asked)
                if now >= end:
                    self.stop()
                asked, due = "isready", now + self._patience
                self._process.send(asked)
            text = self._hear(due) or ""
            if text == "readyok":
                asked = None
            before = time.monotonic()
            yield text
            # The listener's time does not count.
            paused = time.monotonic() - before
            due, end = due + paused, end + paused

    def _abandon(self) -> None:
        """Stops a search whose answer is not needed; an engine that does not stop is ended."""
        try:
            for _ in self._ask("stop", "bestmove"):
                pass
        except EngineError:
            pass

    def stop(self) -> None:
        """Ends the search that runs in another thread, which returns what it has found; does nothing without one."""
        if self._searching and self._stopped is None:
            self._stopped = time.monotonic()
            self._process.send("stop")

    def new_game(self) -> None:
        """Tells the engine that the next position is of another game: ours forgets what has been searched."""
        self._resting()
        try:
            self._process.send("ucinewgame")
            self._notes()
        finally:
            self._lock.release()

    def close(self) -> None:
        """Ends the program: sends ``quit``, and kills it after :attr:`timeout`, or ten seconds if that is longer."""
        if self._end is None:
            self._end = _CLOSED
            self.stop()
            self._process.end(min(self._patience, _ENDING))

    def __getstate__(self) -> dict[str, Any]:
        if self._end is not None:
            raise EngineError(self._end)
        return {"command": self.command, "timeout": self.timeout, "options": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.command, self.timeout = state["command"], state["timeout"]
        self._start(state["options"])

    def __repr__(self) -> str:
        return f"ExternalEngine({'closed' if self._end is not None else shlex.join(self.command)!r})"


__all__ = ["ExternalEngine", "Option"]
