"""Opening books, as ``millbrain book build`` makes them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from . import _native
from .checks import integer, wrong_type
from .tables import Path


class BookMove(NamedTuple):
    """A move of a book."""

    move: str
    """The move."""
    weight: int
    """Its weight, from 1, and that of the moves that are the same by symmetry together."""
    share: float
    """The chance that it is chosen, from 0 to 1."""


class BookPosition(NamedTuple):
    """A position of a book. It stands for all that are symmetric, also with the sides exchanged."""

    fen: str
    """The position."""
    moves: list[tuple[str, int]]
    """Moves with their weights; of those that are the same by symmetry, one."""


class Book:
    """An opening book, read from a file; raises a :class:`BookError` for one that is no whole book.

    Its length is the number of positions, and it iterates over them. What it has for a board is found up to symmetry,
    and does not depend on counters. A copy, or what comes out of a pickle, reads the file again.

    >>> import os, subprocess, sys, tempfile
    >>> from millbrain import Board
    >>> path = os.path.join(tempfile.mkdtemp(), "small.book")
    >>> build = ["book", "build", "--games", "4", "--plies", "2", "--nodes", "200", "--out", path]
    >>> _ = subprocess.run([sys.executable, "-m", "millbrain", *build], capture_output=True, check=True)
    >>> book = Book(path)
    >>> book.variant, next(iter(book)).fen, round(sum(move.share for move in book.moves(Board())), 6)
    ('morris', '3/3/3/6/3/3/3 w 9 9 0 1', 1.0)
    """

    def __init__(self, path: Path) -> None:
        self.path = os.path.abspath(os.fspath(path))
        """The file."""
        self._native = _native.Book(self.path)
        self.variant, self.house_rules, self.made = self._native.about
        """The variant, the options that change its rules (``Stones=7,Flying=false``), and how the book was made."""

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, number: int) -> BookPosition:
        at = integer("number", number)
        entry = self._native.entry(at + len(self) if at < 0 else at) if -len(self) <= at < len(self) else None
        if entry is None:
            raise IndexError(f"position {at}, expected one of {len(self)}")
        return BookPosition(*entry)

    def __iter__(self) -> Iterator[BookPosition]:
        return (self[number] for number in range(len(self)))

    def __contains__(self, board: object) -> bool:
        """Returns whether the book has the position of a board."""
        return isinstance(board, _native.Board) and bool(self.moves(board))

    def moves(self, board: _native.Board) -> list[BookMove]:
        """Returns the moves for the position of a board, by falling weight; none if it is not in the book.

        Their shares are 1 together: moves that are the same by symmetry divide one between them. Raises a
        :class:`RulesError` for a board by other rules.
        """
        if not isinstance(board, _native.Board):
            raise wrong_type("board", board, "a Board")
        return [BookMove(*move) for move in self._native.moves(board)]

    def choose(self, board: _native.Board, random: Random | None = None) -> str | None:
        """Returns a move for the position of a board, by the shares; ``None`` if it is not in the book.

        ``random`` chooses; without it each call may choose another move.
        """
        moves = self.moves(board)
        if not moves:
            return None
        chosen: list[BookMove] = (random or Random()).choices(moves, [move.share for move in moves])
        return chosen[0].move

    def __reduce__(self) -> tuple[type[Book], tuple[str]]:
        return type(self), (self.path,)

    def __repr__(self) -> str:
        return f"Book({self.path!r})"


__all__ = ["Book", "BookMove", "BookPosition"]
