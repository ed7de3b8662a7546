"""Engines that are programs of their own, by the protocol."""

from __future__ import annotations

import logging
import os
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from queue import Empty, SimpleQueue
from typing import IO, Any, NamedTuple

from . import _native
from .checks import shown, wrong_type
from .engine import Found, Limit, Line, Score, Searching, Wdl
from .errors import EngineError, OptionError

_log = logging.getLogger("millbrain")

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
        """The option of a line ``option name NAME type TYPE ...``."""
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
        least, most = (int(text[key]) if text.get(key, "").lstrip("-").isdigit() else None for key in ("min", "max"))
        name, kind = text.get("name", ""), text.get("type", "")
        return cls(name, kind, text.get("default"), least, most, tuple(" ".join(words) for words in variants))

    def text(self, value: bool | int | str) -> str:
        """A value as the protocol has it; raises :class:`OptionError` for one that the option cannot have."""
        words = str(value).lower() if isinstance(value, bool) else " ".join(str(value).split())
        expected = None
        if self.type == "check" and words.lower() not in ("true", "false"):
            expected = "true or false"
        elif self.type == "spin":
            least, most = self.min, self.max
            is_number = words.lstrip("-").isdigit()
            if not is_number or (least is not None and int(words) < least) or (most is not None and int(words) > most):
                expected = f"a number from {least} to {most}"
        elif self.type == "combo" and words.lower() not in map(str.lower, self.var):
            expected = f"one of {', '.join(self.var)}"
        if expected is not None:
            raise OptionError(f"invalid value {shown(value)} for {self.name}: expected {expected}")
        return words


def _keyword(name: str) -> str:
    return "_".join(name.lower().split())


def _words(limit: Limit) -> list[str]:
    """The arguments of a ``go``."""
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


def _line(text: str, board: _native.Board, turn: bool) -> Line | None:
    """The variation of an ``info`` line about a board; ``None`` if it has no score."""
    words = iter(text.split()[1:])
    numbers = {"depth": 0, "seldepth": 0, "multipv": 1, "nodes": 0, "hashfull": 0, "tbhits": 0, "time": 0}
    score, wdl, bound, pv = None, None, "exact", list[str]()
    try:
        for word in words:
            if word in numbers:
                numbers[word] = int(next(words))
            elif word == "score":
                kind, number = next(words), int(next(words))
                score = Score(mate=number) if kind == "mate" else Score(cp=number)
            elif word in ("lowerbound", "upperbound"):
                bound = word.removesuffix("bound")
            elif word == "wdl":
                wdl = Wdl(*(int(next(words)) for _ in range(3)))
            elif word == "pv":
                pv = list(words)
            elif word == "string":
                break
    except (StopIteration, RuntimeError, ValueError):
        _log.warning("an info line cannot be read: %s", shown(text))
        return None
    if score is None:
        return None
    multipv, milliseconds = numbers.pop("multipv"), numbers.pop("time")
    chances = wdl or Wdl(*_native.chances(board, score.cp, score.mate))
    return Line(multipv, score, chances, time=milliseconds / 1000, bound=bound, pv=pv, turn=turn, **numbers)


class ExternalEngine(Searching):
    """An engine that is a program of its own and speaks the protocol (protocol.md): this one, or any other.

    ``command`` is the program and its arguments, a list or a line as for a shell. Options by keyword are the engine's
    own (``skill_level=3``, ``hash=64``). The rules are those of the board that is searched. ``timeout`` is in seconds:
    an engine that does not answer a question other than a search within it has failed, and so has one that does not end
    a search that was stopped; ``None`` waits for ever. What it says in ``info string`` lines is logged.

    Raises :class:`EngineError` if the program cannot be started, ends, or breaks the protocol, :class:`OptionError` for
    an option that it does not have or a value that it refuses. In analyses an engine with an opening book is asked to
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
        self.timeout = timeout
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
        self._searching = self._closed = False
        try:
            # A group of its own: the signal of Ctrl-C is for this program, which stops the search.
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineError(f"{self.command[0]} cannot be started ({error.strerror or error})") from None
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        assert self._process.stdout is not None
        reading = (self._process.stdout, self._lines)
        threading.Thread(target=_read, args=reading, name="millbrain engine", daemon=True).start()
        try:
            for line in self._ask("uci", "uciok"):
                if line.startswith("id name "):
                    self.name = line.removeprefix("id name ").strip()
                elif line.startswith("option "):
                    option = Option.read(line)
                    self.advertised[_keyword(option.name)] = option
            self.configure(options)
        except BaseException:
            self.close()
            raise

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._gone() from None

    def _gone(self) -> EngineError:
        if self._closed:
            return EngineError("the engine is closed, expected an open one")
        try:
            status: object = self._process.wait(1)
        except subprocess.TimeoutExpired:
            status = "unknown"
        return EngineError(f"{self.name} has ended with status {status}, expected it to go on")

    def _hear(self, deadline: float | None, asked: str) -> str:
        """The next line."""
        try:
            line = self._lines.get(timeout=None if deadline is None else max(0.0, deadline - time.monotonic()))
        except Empty:
            raise EngineError(f"{self.name} has not answered {asked!r} within {self.timeout} s") from None
        if line is None:
            self._lines.put(None)
            raise self._gone()
        return line

    def _deadline(self) -> float | None:
        return None if self.timeout is None else time.monotonic() + self.timeout

    def _ask(self, question: str, last: str) -> list[str]:
        """Sends a line, and returns what is said up to the last line of the answer."""
        self._say(question)
        deadline, lines = self._deadline(), list[str]()
        while True:
            line = self._hear(deadline, question)
            if line == last or line.startswith(last + " "):
                return lines
            lines.append(line)

    def _put(self, settings: Iterable[tuple[Option, str]]) -> None:
        """Sets options, unless they are set so already; an ``OptionError`` if the engine says so."""
        told = []
        for option, text in settings:
            if option.type == "button" or self._sent.get(option.name) != text:
                self._say(f"setoption name {option.name}" + ("" if option.type == "button" else f" value {text}"))
                self._sent[option.name] = text
                told.append(option.name)
        if not told:
            return
        for line in self._ask("isready", "readyok"):
            note = line.removeprefix("info string ")
            if "refused" in note:
                # What is in force is not known: it is all set again.
                self._sent.clear()
                raise OptionError(note)
            _log.info("%s", note)

    def _resting(self) -> None:
        if self._closed:
            raise self._gone()
        if not self._lock.acquire(blocking=False):
            raise EngineError("the engine is searching, expected one at rest")

    def configure(self, options: Mapping[str, bool | int | str]) -> None:
        """Sets options by name (``{"Skill Level": 3}``) or keyword; capitals do not matter."""
        if not isinstance(options, Mapping):
            raise wrong_type("options", options, "names and values, such as a dict")
        settings = []
        for name, value in options.items():
            option = self.advertised.get(_keyword(name))
            if option is None or _keyword(name) in _OWN or _keyword(name) in _native.Board("morris").rules:
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
        # A variant brings its rules: they are said even if they have been said before.
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
        turn, root_moves = board.turn, [board.parse_move(move) for move in root_moves]
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
            self._say(" ".join(["position fen", board.root().fen(), "moves", *board.move_stack]).removesuffix(" moves"))
            words = [*_words(limit), *(["searchmoves", *root_moves] if root_moves else [])]
            return self._go(board, turn, words, on_info)
        finally:
            self._lock.release()

    def _go(
        self, board: _native.Board, turn: bool, words: list[str], on_info: Callable[[Line], object] | None
    ) -> Found:
        found: dict[int, Line] = {}
        question = " ".join(["go", *words])
        self._searching = True
        try:
            self._say(question)
            while not (text := self._hear(None, question)).startswith("bestmove"):
                if not text.startswith("info "):
                    continue
                if text.startswith("info string "):
                    _log.info("%s", text.removeprefix("info string "))
                    continue
                line = _line(text, board, turn)
                if line is not None:
                    if line.bound == "exact" or line.multipv not in found:
                        found[line.multipv] = line
                    if on_info is not None:
                        on_info(line)
        except EngineError:
            raise
        except BaseException:
            # Ctrl-C, or an exception of whoever listens.
            self._abandon(question)
            raise
        finally:
            self._searching = False
        answer = text.split()[1:]
        if not answer:
            raise EngineError(f"{self.name} has said {shown(text)}, expected 'bestmove MOVE'")
        best = None if answer[0] == "(none)" else answer[0]
        if best is not None and not board.is_legal(best):
            raise EngineError(f"{self.name} has played {shown(best)}, expected a legal move")
        ponder = answer[2] if answer[1:2] == ["ponder"] and len(answer) > 2 else None
        return best, ponder, [line for _, line in sorted(found.items())]

    def _abandon(self, question: str) -> None:
        """Stops a search whose answer nobody wants; an engine that does not stop is ended."""
        try:
            self._say("stop")
            deadline = self._deadline()
            while not self._hear(deadline, question).startswith("bestmove"):
                pass
        except EngineError:
            self._process.kill()

    def stop(self) -> None:
        """Ends the search that runs in another thread, which returns what it has found; does nothing without one."""
        if self._searching and not self._closed:
            self._say("stop")

    def new_game(self) -> None:
        """Tells the engine that the next position is of another game: ours forgets what has been searched."""
        self._resting()
        try:
            self._say("ucinewgame")
            self._ask("isready", "readyok")
        finally:
            self._lock.release()

    def close(self) -> None:
        """Ends the program: it is asked to, and after :attr:`timeout` it is killed."""
        if self._closed:
            return
        try:
            if self._searching:
                self._say("stop")
            self._say("quit")
        except EngineError:
            pass
        self._closed = True
        try:
            self._process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError:
            pass

    def __getstate__(self) -> dict[str, Any]:
        if self._closed:
            raise EngineError("the engine is closed, expected an open one")
        return {"command": self.command, "timeout": self.timeout, "options": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.command, self.timeout = state["command"], state["timeout"]
        self._start(state["options"])

    def __repr__(self) -> str:
        return f"ExternalEngine({'closed' if self._closed else shlex.join(self.command)!r})"


def _read(output: IO[str], lines: SimpleQueue[str | None]) -> None:
    """Hands the lines of an engine on, and ``None`` at their end."""
    with output:
        try:
            for line in output:
                lines.put(line.rstrip("\r\n"))
        except (OSError, ValueError):
            pass
    lines.put(None)


__all__ = ["ExternalEngine", "Option"]
