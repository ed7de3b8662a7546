"""How a game ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

Color = bool
"""A side: :data:`WHITE` or :data:`BLACK`."""

WHITE: Color = True
BLACK: Color = False


class Termination(Enum):
    """Why a game is over; the values are the ids of endings."""

    FEW_STONES = "few-stones"
    NO_MOVES = "no-moves"
    FULL_BOARD = "full-board"
    BRAIN_CAPTURED = "brain-captured"
    ONLY_BRAINS = "only-brains"
    THREEFOLD_REPETITION = "repetition"
    MOVE_COUNTER = "no-progress"

    @classmethod
    def _missing_(cls, value: object) -> Termination | None:
        # A rule that has no name here: it is called by its id.
        if not isinstance(value, str):
            return None
        member = object.__new__(cls)
        member._name_ = value.upper().replace("-", "_").replace(" ", "_")
        member._value_ = value
        return cls._value2member_map_.setdefault(value, member)  # type: ignore[return-value]


@dataclass(frozen=True)
class Outcome:
    """The end of a game.

    >>> from millbrain import Board
    >>> outcome = Board(fen="OO1/3/3/6/3/3/XXX w 0 0").outcome()
    >>> outcome.result(), outcome.winner is BLACK, outcome.termination.value
    ('0-1', True, 'few-stones')
    """

    termination: Termination
    """Why the game is over."""
    winner: Color | None
    """Who has won; ``None`` for a draw."""

    def __post_init__(self) -> None:
        # The native part knows the ids alone.
        object.__setattr__(self, "termination", Termination(self.termination))

    def result(self) -> str:
        """``1-0``, ``0-1`` or ``1/2-1/2``."""
        return "1/2-1/2" if self.winner is None else "1-0" if self.winner is WHITE else "0-1"
