"""An environment for learning, in the style of OpenSpiel: two players, perfect information, a fixed set of actions.

**Actions.** One action is one whole move, its removal included, so that every move of a player is one step, and
actions and moves correspond one to one. Points and squares are numbered in the order of the FEN (a7, d7, g7, b6, ... g1
are 0 to 23; in Smess a8, b8, ... g1 are 0 to 55).

With ``n`` points or squares an action is ``steps * removal + step``:

- ``step`` is ``n * from + to``. Where pieces come from a hand, ``to`` is a placement, and ``n + n * from + to`` any
  other move.
- ``removal`` is 0 for none, else 1 + the point of the piece that the move names as taken.

So the morris family has 15,000 actions of 600 steps: a network may have two heads, of 600 and of 25 numbers. Smess,
whose moves name no captures, has 3,136.

**Observations** are ``float32`` planes over the board as it is printed, the highest rank first, file a first; numbers
are in 0..1. Pieces are seen by the side to move; the board is not turned. The planes are, in this order:

- own pieces, and those of the opponent, a plane for each kind (Brain, Numskull, Ninny),
- with a hand: free points, and the own and the opponent's hand, divided by the most pieces that a side has there,
- plies without progress [1], repetitions [2], and 1 if Black is to move.

The shape is (8, 7, 7) in the morris family, and (9, 8, 7) in Smess.

[1] Divided by the number at which the game is drawn; 0 if that rule is off. [2] 0 when the position is on the board for
the first time, 0.5 for the second, 1 for the third. Once-per-line mills have no plane.

**Rewards** come at the end: 1 for the winner, -1 for the loser, 0 for a draw and before.

:class:`Environment` is one game with its history, to look at each step. Thousands at a time, with the same
actions, observations and rewards, are played by :class:`millbrain.vector.VectorEnvironment`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from . import _native
from ._native import Board
from .batch import layout
from .checks import integer, shown
from .errors import IllegalMoveError

TERMINAL = -4
"""The current player of a game that is over."""


class Step(NamedTuple):
    """What a step leads to."""

    observation: npt.NDArray[np.float32]
    """The observation of the player to move."""
    rewards: tuple[float, float]
    """Rewards of White and Black for this step."""
    terminal: bool
    """Whether the game is over."""


class _Actions:
    """The actions of a family: numbers and texts of moves."""

    def __init__(self, names: tuple[str, ...], count: int, quiet: int) -> None:
        steps = [start + to for start in names for to in names]
        if quiet > len(steps):
            # Pieces are placed, too.
            steps = [*names, *steps]
        removals = ["", *(f"x{name}" for name in names)] if count > quiet else [""]
        self.texts = [step + removal for removal in removals for step in steps]
        self.numbers = {text: number for number, text in enumerate(self.texts)}


@cache
def _actions(names: tuple[str, ...], count: int, quiet: int) -> _Actions:
    return _Actions(names, count, quiet)


class Environment:
    """A game as steps of two players.

    >>> env = Environment("morris")
    >>> env.reset().shape, env.num_actions, len(env.legal_actions())
    ((8, 7, 7), 15000, 24)
    >>> step = env.step(env.move_to_action("d6"))
    >>> step.terminal, env.current_player
    (False, 1)
    """

    def __init__(self, variant: str = "morris", fen: str | None = None, **rules: bool | int | str) -> None:
        self._board = Board(variant, fen, **rules)
        self._num_actions, quiet, self._shape = _native.learning_sizes(variant, rules)
        self._first = self._board.fen()
        self._moves = layout(variant, **rules).names, self._num_actions, quiet
        self._table = _actions(*self._moves)

    @property
    def num_actions(self) -> int:
        """The number of actions, legal or not."""
        return self._num_actions

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """The shape of an observation."""
        return self._shape

    @property
    def board(self) -> Board:
        """The game so far, as a board of its own."""
        return self._board.copy()

    def action_to_move(self, action: SupportsIndex) -> str:
        """Returns the move of an action, in the engine's notation.

        Raises an :class:`IllegalMoveError` for a number that is no action, and ``TypeError`` for what is no integer.
        """
        number = integer("action", action)
        if not 0 <= number < self.num_actions:
            raise IllegalMoveError(f"action {shown(action)}, expected one in 0..{self.num_actions - 1}")
        return self._table.texts[number]

    def move_to_action(self, move: str) -> int:
        """Returns the action of a move in the engine's notation."""
        try:
            return self._table.numbers[move]
        except (KeyError, TypeError):
            raise IllegalMoveError(
                f"{shown(move)} is no action, expected a move such as {self._table.texts[0]}"
            ) from None

    def reset(self, fen: str | None = None) -> npt.NDArray[np.float32]:
        """Begins a new game, from a position if one is given; returns the first observation."""
        self._board.set_fen(self._first if fen is None else fen)
        return self.observation()

    def begin(self, fen: str | None = None) -> None:
        """Resets the game like :meth:`reset`, but a position in which the game is over is a ``ValueError``."""
        twin = self.clone()
        twin.reset(fen)
        if twin.is_terminal:
            raise ValueError(f"the game is over in {twin._board.fen()}, expected a position in which it goes on")
        self._board = twin._board

    def legal_actions(self) -> npt.NDArray[np.int64]:
        """Returns the legal actions in ascending order; none if the game is over."""
        return np.empty(0, dtype=np.int64) if self.is_terminal else _native.board_actions(self._board)

    def legal_mask(self) -> npt.NDArray[np.bool_]:
        """Returns whether each action is legal, of shape ``(num_actions,)``."""
        mask = np.zeros(self.num_actions, dtype=np.bool_)
        mask[self.legal_actions()] = True
        return mask

    def step(self, action: SupportsIndex) -> Step:
        """Plays an action of the current player; raises an :class:`IllegalMoveError` for one that is not legal."""
        move = self.action_to_move(action)
        if self.is_terminal:
            raise IllegalMoveError(f"{move} comes after the end of the game, expected reset()")
        self._board.push(move)
        return Step(self.observation(), self.rewards(), self.is_terminal)

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._board.is_game_over()

    @property
    def current_player(self) -> int:
        """0 for White, 1 for Black, :data:`TERMINAL` if the game is over."""
        return TERMINAL if self.is_terminal else 0 if self._board.turn else 1

    def rewards(self) -> tuple[float, float]:
        """Rewards of White and Black for the last step: (0, 0) until the game is over."""
        outcome = self._board.outcome()
        if outcome is None or outcome.winner is None:
            return (0.0, 0.0)
        return (1.0, -1.0) if outcome.winner else (-1.0, 1.0)

    def returns(self) -> tuple[float, float]:
        """Sums of the rewards of White and Black so far."""
        return self.rewards()

    def observation(self) -> npt.NDArray[np.float32]:
        """Returns the position as planes, seen by the side to move."""
        return _native.board_planes(self._board)

    def clone(self) -> Environment:
        """Another environment in the same state, history included."""
        twin = Environment.__new__(Environment)
        twin.__dict__.update(self.__dict__, _board=self._board.copy())
        return twin

    __copy__ = clone

    def __getstate__(self) -> dict[str, Any]:
        # The table of actions is the same in all processes, and large.
        return {name: value for name, value in self.__dict__.items() if name != "_table"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _table=_actions(*state["_moves"]))
