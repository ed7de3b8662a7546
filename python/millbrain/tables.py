"""Tablebases: exact values of endings."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple, SupportsIndex, TypeVar

import numpy as np
import numpy.typing as npt

from . import _native
from ._native import UNKNOWN as UNKNOWN
from .batch import Positions, prepared
from .checks import integer_in
from .errors import IllegalMoveError, MissingTableError

T = TypeVar("T")
Path = str | os.PathLike[str]


class _Value(NamedTuple):
    wdl: int
    """1 for a win, 0 for a draw, -1 for a loss."""
    plies: int | None
    """Distance to the end in plies (a move and its removal are one); ``None`` for a draw, or where it is not known."""


class Value(_Value):
    """The result of perfect play for a side, without repetitions, and without draw counters but by tables with one.

    >>> str(Value(1, 57)), str(Value(0, None)), str(Value(1, 57, "maybe-win"))
    ('win in 57', 'draw', 'win in 57 (maybe-win)')
    """

    category: str | None = None
    """The result with the draw counter of the position: ``"win"``, ``"draw"`` or ``"loss"``; ``"cursed-win"`` or
    ``"blessed-loss"`` where the counter makes it a draw; ``"maybe-win"`` or ``"maybe-loss"`` where that is not known.
    It is not part of the tuple, nor of a comparison; ``None`` for values that no table gave."""

    def __new__(cls, wdl: int, plies: int | None, category: str | None = None) -> Value:
        """Creates a value."""
        value = super().__new__(cls, wdl, plies)
        value.category = category
        return value

    def __str__(self) -> str:
        word = ("draw", "win", "loss")[self.wdl]
        text = word if self.plies is None else f"{word} in {self.plies}"
        return text if self.category in (None, "win", "draw", "loss") else f"{text} ({self.category})"


class ValuedMove(NamedTuple):
    """A move, and its value for the side that moves."""

    move: str
    value: Value | None
    """``None`` if the move leads to a position that no table has."""


class Targets(NamedTuple):
    """What perfect play makes of ``n`` positions."""

    results: npt.NDArray[np.int8]
    """1, 0 or -1 for the side to move, or :data:`UNKNOWN`; of shape ``(n,)``."""
    plies: npt.NDArray[np.int32]
    """The distance in plies, at most 32,767, or -1 where there is none; of shape ``(n,)``."""
    actions: npt.NDArray[np.int16]
    """The actions that keep the value, padded with -1, of shape ``(n, actions)``; none where a move is not known."""


class Tables:
    """Tablebases: those that are built in (small endings of every variant), and those of folders and servers.

    ``path`` is a folder made by ``millbrain tablebase build``, a compact file (``morris.mbt``), a pack, the address of
    a compact file on a static host (``https://HOST/morris.mbt``) or of a server that has such folders
    (``http://HOST:PORT``), or several of these. Of a file on a host only the parts that are needed are read. A server
    gets the positions that no folder has, many in a request, and its answers are cached. A busy server is asked again
    after its ``Retry-After``, for a minute at most. A host or server that fails, or takes ten seconds, is a
    :class:`TablesError`. Tables of other rules than a board's are not used for it; one object may serve boards of all
    rules, and threads. A copy, or what comes out of a pickle, opens the same places again, in whatever process it is.

    >>> from millbrain import Board
    >>> board = Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0 0 1")
    >>> str(Tables().probe(board))
    'loss in 26'
    """

    def __init__(self, path: Path | Iterable[Path] = (), *, embedded: bool = True) -> None:
        places = [path] if isinstance(path, (str, os.PathLike)) else list(path)
        self._native = _native.Tables([_lasting(os.fspath(place)) for place in places], embedded)

    def probe(self, board: _native.Board) -> Value:
        """Returns the value of a position for the side to move.

        Raises :class:`MissingTableError` if no table has it.
        """
        return Value(*self._native.probe(board))

    def get(self, board: _native.Board, default: T | None = None) -> Value | T | None:
        """Returns the value of a position, or ``default`` if no table has it."""
        try:
            return self.probe(board)
        except MissingTableError:
            return default

    def moves(self, board: _native.Board) -> list[ValuedMove]:
        """Returns the legal moves with their values, best by the draw rules first, unknown ones last."""
        moves = self._native.moves(board)
        return [ValuedMove(move, None if value is None else Value(*value)) for move, value in moves]

    def best(self, board: _native.Board) -> ValuedMove:
        """Returns a move that keeps the value of the position: the shortest win, a draw, or the longest loss.

        Raises :class:`MissingTableError` if the tables do not know one, and :class:`IllegalMoveError` if there is no
        legal move.
        """
        moves = self.moves(board)
        if not moves:
            raise IllegalMoveError(f"no legal move in {board.fen()}, expected a position with one")
        known = moves[0].value
        # A move to a position that no table has could be better, unless the value of this one is known.
        if known is None or (moves[-1].value is None and known != self.get(board)):
            raise MissingTableError(f"no table has all moves of {board.fen()}, expected tables of the position")
        return moves[0]

    def probe_many(
        self, positions: Positions, variant: str = "morris", **rules: bool | int | str
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
        """Values of ``n`` positions, rows as :func:`millbrain.encode` makes them.

        Returns two arrays of shape ``(n,)``: the result for the side to move (1, 0, -1, or :data:`UNKNOWN` where no
        table has the position), and the distance in plies (-1 where there is none).
        """
        return _native.probe_many(self._native, prepared(positions), variant, rules)

    def targets_many(
        self, positions: Positions, variant: str = "morris", *, actions: SupportsIndex = 32, **rules: bool | int | str
    ) -> Targets:
        """Returns what perfect play makes of ``n`` positions, for training: result, distance, and the best actions.

        Actions are numbered as in :mod:`millbrain.env`; of more best ones than ``actions`` the first are returned.

        >>> from millbrain import encode
        >>> targets = Tables().targets_many(encode(["1O1/3/3/X4O/3/3/XOX w 0 0"]))
        >>> int(targets.results[0]), int(targets.plies[0]), targets.actions[0, :3].tolist()
        (-1, 26, [360, -1, -1])
        """
        width = integer_in("actions", actions, 1, 1_024)
        return Targets(*_native.targets_many(self._native, prepared(positions), width, variant, rules))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_native": (self._native.places, self._native.embedded)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._native = _native.Tables(*state["_native"])

    def __repr__(self) -> str:
        return f"Tables({self._native.places}, embedded={self._native.embedded})"


def _lasting(place: str) -> str:
    """Returns a place as it is, if it is an address of a server; a folder whole.

    Tables are opened at the first use, and in other processes: the working directory may be another one then.
    """
    return place if "://" in place else os.path.abspath(place)
