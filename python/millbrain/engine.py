"""The search, in this process."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import total_ordering
from numbers import Integral
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

from . import _native
from .analysis import Analysis, in_thread
from .checks import seconds_in, shown, wrong_type
from .errors import OptionError
from .outcome import WHITE, Color
from .tables import Path, Tables

_log = logging.getLogger("millbrain")
R = TypeVar("R")
S = TypeVar("S", bound="Searching")


# The least and the greatest number of each limit that is counted.
_COUNTS = {"depth": (1, 240), "nodes": (1, 2**64 - 1), "mate": (1, 120), "remaining_moves": (0, 2**32 - 1)}
# The least number of seconds of each limit in time; a clock may be overdrawn.
_TIMES = {"time": 0, "white_clock": -1_000_000_000, "black_clock": -1_000_000_000, "white_inc": 0, "black_inc": 0}


@dataclass(frozen=True)
class Limit:
    """When a search ends; whichever comes first. Without a limit it runs until it is stopped, or knows the position.

    Raises :class:`OptionError`, a ``ValueError``, for a value that a limit cannot have. Times are at most
    1,000,000,000 seconds.

    >>> Limit(time=-1)
    Traceback (most recent call last):
        ...
    millbrain.errors.OptionError: time is -1, expected seconds in 0..1000000000
    """

    time: float | None = None
    """Seconds for this move."""
    depth: int | None = None
    """Nominal depth in plies, 1 to 240."""
    nodes: int | None = None
    """Nodes over all threads, 1 to 2**64 - 1."""
    mate: int | None = None
    """Looks for a win in at most this number of own moves, 1 to 120."""
    white_clock: float | None = None
    """Seconds left on White's clock; none if negative."""
    black_clock: float | None = None
    """Seconds left on Black's clock; none if negative."""
    white_inc: float | None = None
    """Seconds that White gets for each move."""
    black_inc: float | None = None
    """Seconds that Black gets for each move."""
    remaining_moves: int | None = None
    """Moves to the next time control, less than 2**32; 0 if there is none."""

    def __post_init__(self) -> None:
        for name, (least, most) in _COUNTS.items():
            value = getattr(self, name)
            typed = isinstance(value, Integral) and not isinstance(value, bool)
            if value is not None and not (typed and least <= value <= most):
                raise OptionError(f"{name} is {shown(value)}, expected an integer in {least}..{most}")
        for name, least in _TIMES.items():
            if getattr(self, name) is not None:
                seconds_in(name, getattr(self, name), least)


@total_ordering
@dataclass(frozen=True)
class Score:
    """A score from the point of view of a side: one of ``cp`` and ``mate`` is ``None``.

    Scores are ordered: better ones are greater.

    >>> Score(mate=-3) < Score(cp=-500) < Score(cp=35) < Score(mate=7) < Score(mate=2)
    True
    >>> str(-Score(cp=35)), str(Score(mate=2))
    ('-0.35', '#+2')
    """

    cp: int | None = None
    """Hundredths of a stone (of a Ninny in Smess). Beyond ±29000 a win or loss is certain, at no known distance."""
    mate: int | None = None
    """Own moves to the win; negative: to the loss. 0: the game is lost."""

    def __neg__(self) -> Score:
        if self.mate is None:
            return Score(cp=-(self.cp or 0))
        # A game that is lost is won, in one move, for the other side.
        return Score(mate=-self.mate if self.mate else 1)

    def _rank(self) -> tuple[int, int]:
        if self.mate is None:
            return (0, self.cp or 0)
        return (1, -self.mate) if self.mate > 0 else (-1, -self.mate)

    def __lt__(self, other: Score) -> bool:
        return self._rank() < other._rank() if isinstance(other, Score) else NotImplemented

    def score(self, *, mate_score: int | None = None) -> int | None:
        """Returns the score as a number: a win in ``n`` own moves is ``mate_score - n``, or ``None`` without one.

        >>> Score(cp=35).score(), Score(mate=3).score(mate_score=32_000), Score(mate=-3).score(mate_score=32_000)
        (35, 31997, -31997)
        """
        if self.mate is None or mate_score is None:
            return self.cp
        return mate_score - self.mate if self.mate > 0 else -mate_score - self.mate

    def is_mate(self) -> bool:
        """Returns whether the distance to the end is known."""
        return self.mate is not None

    def __str__(self) -> str:
        return f"{(self.cp or 0) / 100:+.2f}" if self.mate is None else f"#{self.mate:+d}"


class Wdl(NamedTuple):
    """Chances of a win, a draw and a loss in permille, by a logistic model of the score."""

    wins: int
    draws: int
    losses: int

    def expectation(self) -> float:
        """Expected points, 0 to 1."""
        return (self.wins + self.draws / 2) / 1000


@dataclass(frozen=True)
class Line:
    """A variation that a search has found."""

    multipv: int
    """Rank of the variation, from 1."""
    score: Score
    """Score from the side to move."""
    wdl: Wdl
    """Chances of the side to move."""
    depth: int
    """Nominal depth in plies."""
    seldepth: int
    """Deepest ply reached."""
    nodes: int
    """Nodes over all threads so far; of the whole search in a result."""
    time: float
    """Seconds since the search began; of the whole search in a result."""
    hashfull: int
    """Share of the hash table filled by this search, in permille."""
    tbhits: int
    """Positions found in tablebases."""
    bound: str
    """``exact``, or ``lower`` or ``upper`` where the score is only a bound so far."""
    pv: list[str]
    """The moves, all legal; empty if the game is over."""
    turn: Color
    """The side to move, whose score this is."""

    @property
    def nps(self) -> int:
        """Nodes per second."""
        return int(self.nodes / self.time) if self.time > 0 else 0

    def pov(self, color: Color) -> Score:
        """Returns the score from the point of view of a side."""
        return self.score if color == self.turn else -self.score

    def white(self) -> Score:
        """Returns the score from White's point of view."""
        return self.pov(WHITE)


def _line(plain: tuple[Any, ...], turn: Color) -> Line:
    multipv, cp, mate, wdl, depth, seldepth, nodes, time, hashfull, tbhits, bound, pv = plain
    score = Score(cp, mate)
    return Line(multipv, score, Wdl(*wdl), depth, seldepth, nodes, time, hashfull, tbhits, bound, pv, turn)


@dataclass(frozen=True)
class PlayResult:
    """What the engine plays."""

    move: str | None
    """The move; ``None`` if there is no legal one."""
    ponder: str | None
    """The reply it expects, if any."""
    info: Line | None = field(repr=False)
    """The variation behind the move; ``None`` if there was no search for it."""


Found = tuple[str | None, str | None, list[Line]]
"""The move, the reply it expects, and the variations, best first."""


class Searching(ABC):
    """What every engine does, wherever it runs."""

    def analyse(
        self,
        board: _native.Board,
        limit: Limit,
        *,
        multipv: int = 1,
        root_moves: Iterable[str] = (),
        on_info: Callable[[Line], object] | None = None,
    ) -> list[Line]:
        """Searches a position and returns the best variations, best first: ``multipv`` of them if there are so many
        legal moves.

        ``root_moves`` are the only moves to consider; without any, all are. ``on_info`` is called with each variation
        as soon as it is found. The search releases the GIL; Ctrl-C, an exception in ``on_info`` and :meth:`stop` end
        the search at once, and the engine stays usable. A position in which the game is over has one line without
        moves.
        """
        return self._checked(board, limit, multipv, root_moves, on_info, False)[2]

    def play(
        self,
        board: _native.Board,
        limit: Limit,
        *,
        root_moves: Iterable[str] = (),
        on_info: Callable[[Line], object] | None = None,
    ) -> PlayResult:
        """Searches a position and returns the move to play; the board is left as it is.

        ``root_moves`` and ``on_info`` are those of :meth:`analyse`. Below full strength (``skill_level``) the move may
        be a random one.
        """
        move, ponder, lines = self._checked(board, limit, 1, root_moves, on_info, True)
        return PlayResult(move, ponder, lines[0] if lines else None)

    def analysis(
        self, board: _native.Board, limit: Limit, *, multipv: int = 1, root_moves: Iterable[str] = ()
    ) -> Analysis[Line]:
        """Begins a search beside the program: ``with engine.analysis(board, Limit()) as analysis``.

        Arguments are those of :meth:`analyse`. The engine does one search at a time; this one goes on with the position
        as it is now, whatever becomes of the board.
        """
        if not isinstance(board, _native.Board):
            raise wrong_type("board", board, "a Board")
        position, moves = board.copy(), list(root_moves)

        def search(on_line: Callable[[Line], object]) -> list[Line]:
            return self.analyse(position, limit, multipv=multipv, root_moves=moves, on_info=on_line)

        return Analysis(search, self.stop)

    async def analyse_async(self, board: _native.Board, limit: Limit, **settings: Any) -> list[Line]:
        """As :meth:`analyse`, in a coroutine; cancelling it ends the search."""
        return await self._in_thread(lambda: self.analyse(board.copy(), limit, **settings))

    async def play_async(self, board: _native.Board, limit: Limit, **settings: Any) -> PlayResult:
        """As :meth:`play`, in a coroutine; cancelling it ends the search."""
        return await self._in_thread(lambda: self.play(board.copy(), limit, **settings))

    async def _in_thread(self, work: Callable[[], R]) -> R:
        import asyncio

        task = in_thread(work)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            while not task.done():
                self.stop()
                await asyncio.wait([task], timeout=0.05)
            raise

    def _checked(
        self,
        board: _native.Board,
        limit: Limit,
        multipv: int,
        root_moves: Iterable[str],
        on_info: Callable[[Line], object] | None,
        is_play: bool,
    ) -> Found:
        if not isinstance(board, _native.Board):
            raise wrong_type("board", board, "a Board")
        if not isinstance(limit, Limit):
            raise wrong_type("limit", limit, "a Limit")
        if isinstance(root_moves, str):
            raise wrong_type("root_moves", root_moves, "several moves, such as a list")
        return self._search(board, limit, multipv, list(root_moves), on_info, is_play)

    @abstractmethod
    def _search(
        self,
        board: _native.Board,
        limit: Limit,
        multipv: int,
        root_moves: list[str],
        on_info: Callable[[Line], object] | None,
        is_play: bool,
    ) -> Found:
        """Searches for a move to play, or to analyse."""

    @abstractmethod
    def stop(self) -> None:
        """Ends the search that runs in another thread, which returns what it has found; does nothing without one."""

    @abstractmethod
    def close(self) -> None:
        """Stops; the engine cannot be used any more."""

    def quit(self) -> None:
        """Returns the same as :meth:`close`."""
        self.close()

    def __enter__(self: S) -> S:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class Engine(Searching):
    """The engine in this process: a hash table, search threads, and tablebases.

    ``threads`` are search threads, ``hash`` is the size of the hash table in MiB. ``tablebases`` is a folder made by
    ``millbrain tablebase build``, the address of a server, several of these, or a :class:`Tables`; the small tables
    that are built in are used too.
    Further options by keyword are those of the protocol: ``skill_level=3``, ``uci_limitstrength=True, uci_elo=1500``,
    ``random_seed=7``, ``move_overhead=0`` (milliseconds).

    An engine does one search at a time; several engines search side by side, each in a thread of its own. With one
    thread and a limit of nodes or depth a new engine, or one after :meth:`new_game`, always visits the same nodes.

    A copy, or what comes out of a pickle, is a new engine with the same options and tablebases, and an empty hash
    table. An engine that searches or is closed has neither.

    >>> from millbrain import Board
    >>> with Engine(hash=1) as engine:
    ...     engine.play(Board(fen="OO1/3/3/O1X3/1XX/3/3 w 0 0"), Limit(depth=4)).info.score
    Score(cp=None, mate=1)
    """

    def __init__(
        self,
        threads: int = 1,
        hash: int = 64,
        tablebases: Tables | Path | Iterable[Path] = (),
        **options: bool | int | str,
    ) -> None:
        self.tables = tablebases if isinstance(tablebases, Tables) else Tables(tablebases)
        """The tablebases."""
        self._native = _native.Engine(self.tables._native, {"threads": threads, "hash": hash, **options})

    def configure(self, options: Mapping[str, bool | int | str]) -> None:
        """Sets options by name (``{"Skill Level": 3}``) or keyword; capitals do not matter."""
        if not isinstance(options, Mapping):
            raise wrong_type("options", options, "names and values, such as a dict")
        self._native.configure(dict(options))

    @property
    def options(self) -> dict[str, bool | int | str]:
        """The options by name, and their values."""
        return self._native.options

    def _search(
        self,
        board: _native.Board,
        limit: Limit,
        multipv: int,
        root_moves: list[str],
        on_info: Callable[[Line], object] | None,
        is_play: bool,
    ) -> Found:
        turn = board.turn

        def on_report(report: tuple[Any, ...] | str) -> None:
            if isinstance(report, str):
                _log.info("%s", report)
            elif on_info is not None:
                on_info(_line(report, turn))

        listener = on_report if on_info is not None or _log.isEnabledFor(logging.INFO) else None
        best, ponder, lines = self._native.search(board, asdict(limit), multipv, root_moves, listener)
        return best, ponder, [_line(line, turn) for line in lines]

    def stop(self) -> None:
        """Ends the search that runs in another thread, which returns what it has found; does nothing without one."""
        self._native.stop()

    def new_game(self) -> None:
        """Forgets what has been searched, so that the next search is as that of a new engine."""
        self._native.new_game()

    def close(self) -> None:
        """Stops, and gives memory and threads back; the engine cannot be used any more."""
        self._native.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": self.options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._native = _native.Engine(self.tables._native, state["_native"])

    def __repr__(self) -> str:
        return f"Engine({'closed' if self._native.closed else f'tablebases={self.tables!r}'})"


__all__ = ["Engine", "Limit", "Line", "PlayResult", "Score", "Wdl"]
