"""Moves taken apart."""

from __future__ import annotations

from typing import NamedTuple


class Move(NamedTuple):
    """A move taken apart; ``Board.move`` makes one of a text.

    >>> from millbrain import Board
    >>> Board().move("A4-A7xg1")
    Move(text='a4a7xg1', origin='a4', target='a7', taken=('g1',))
    """

    text: str
    """The move as the engine writes it."""
    origin: str | None
    """Where the piece comes from; ``None`` if it is placed from the hand."""
    target: str
    """Where it goes."""
    taken: tuple[str, ...]
    """The points of the pieces that the move names as taken."""

    def __str__(self) -> str:
        return self.text
