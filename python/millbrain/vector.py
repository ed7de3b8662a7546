"""Many games at a time for learning: actions, observations and rewards of :mod:`millbrain.env`, in arrays.

All games are played on all cores and without the GIL. What they lead to is written into arrays that stay the same, so
a loop of millions of steps takes no more memory than its first:

>>> games = VectorEnvironment(1_000, seed=1)
>>> games.observations.shape, games.legal.shape, games.legal.sum(axis=1)[:3]
((1000, 8, 7, 7), (1000, 15000), array([24, 24, 24]))
>>> for _ in range(100):
...     step = games.step(games.sample())
>>> step.rewards.shape, bool((step.players < 2).all())
((1000, 2), True)

**Ends.** With ``auto_reset`` (the default) a game that ends is followed by a new one at once: its ``rewards`` and
``terminals`` are those of the end, and ``observations``, ``legal`` and ``players`` show the new game. Without it the
game stays as it ended, with no legal action, until :meth:`VectorEnvironment.reset`; its action is not looked at.

**Targets.** :meth:`VectorEnvironment.positions` has the positions as rows of :mod:`millbrain.batch`, which
:meth:`millbrain.Tables.probe_many` gives the values of.
"""

from __future__ import annotations

from typing import Any, NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from . import _native
from .batch import Positions, Rule, layout, prepared
from .checks import integer_in

__all__ = ["Symmetries", "VectorEnvironment", "VectorStep", "symmetries"]


# What VectorGames are made of.
_Settings = tuple[int, str, str | None, dict[str, Rule], int, int, bool, int]


class VectorStep(NamedTuple):
    """The arrays of an environment: always the same ones."""

    observations: npt.NDArray[np.float32]
    """Planes for the side to move, of shape ``(games, planes, rows, columns)``; no planes without ``observe``."""
    legal: npt.NDArray[np.bool_]
    """Whether each action is legal, of shape ``(games, num_actions)``."""
    rewards: npt.NDArray[np.float32]
    """Rewards of White and Black for the last step, of shape ``(games, 2)``."""
    terminals: npt.NDArray[np.bool_]
    """Whether the last step has ended the game."""
    players: npt.NDArray[np.int8]
    """0 where White is to move, 1 where Black is, -4 where the game is over."""


class VectorEnvironment:
    """Games of one rule set, played at the same time.

    ``count`` games begin with ``fen``, or with the start position, and after up to ``random_plies`` random moves,
    another number for each new game. ``seed`` decides these and :meth:`sample`: games are the same for any number of
    ``threads`` (all cores without it). Without ``observe`` there are no planes, and steps are faster.
    The arrays are for reading: what is written into them stays there, or not. A copy, or what comes out of a pickle,
    has arrays of its own and continues as this one would.
    """

    def __init__(
        self,
        count: SupportsIndex,
        variant: str = "morris",
        fen: str | None = None,
        *,
        seed: SupportsIndex = 0,
        random_plies: SupportsIndex = 0,
        auto_reset: bool = True,
        observe: bool = True,
        threads: SupportsIndex | None = None,
        **rules: Rule,
    ) -> None:
        count = integer_in("count", count, 1, 1 << 24)
        workers = _native.cores() if threads is None else integer_in("threads", threads, 1, 512)
        seed = integer_in("seed", seed, 0, (1 << 64) - 1)
        plies = integer_in("random_plies", random_plies, 0, 1_000)
        self._make((count, variant, fen, rules, seed, plies, auto_reset, workers), observe)
        self.reset()

    def _make(self, settings: _Settings, observe: bool) -> None:
        count, variant, _, rules, *_ = settings
        self._settings, self._observe = settings, observe
        self.num_actions, _, self.observation_shape = _native.learning_sizes(variant, rules)
        self._games = _native.VectorGames(*settings)
        planes = self.observation_shape if observe else (0, *self.observation_shape[1:])
        self._step = VectorStep(
            np.zeros((count, *planes), dtype=np.float32),
            np.zeros((count, self.num_actions), dtype=np.bool_),
            np.zeros((count, 2), dtype=np.float32),
            np.zeros(count, dtype=np.bool_),
            np.zeros(count, dtype=np.int8),
        )
        self._arrays = (self._step.observations if observe else None, *self._step[1:])

    @property
    def observations(self) -> npt.NDArray[np.float32]:
        """As in :class:`VectorStep`."""
        return self._step.observations

    @property
    def legal(self) -> npt.NDArray[np.bool_]:
        """As in :class:`VectorStep`."""
        return self._step.legal

    @property
    def rewards(self) -> npt.NDArray[np.float32]:
        """As in :class:`VectorStep`."""
        return self._step.rewards

    @property
    def terminals(self) -> npt.NDArray[np.bool_]:
        """As in :class:`VectorStep`."""
        return self._step.terminals

    @property
    def players(self) -> npt.NDArray[np.int8]:
        """As in :class:`VectorStep`."""
        return self._step.players

    def __len__(self) -> int:
        """Returns the number of games."""
        return len(self.players)

    def step(self, actions: npt.ArrayLike) -> VectorStep:
        """Plays an action in each game.

        ``actions`` are integers of shape ``(games,)``. An action that is not legal is an ``IllegalMoveError``, and no
        game has been touched.
        """
        array = np.asarray(actions)
        if array.shape != (len(self),) or array.dtype.kind not in "iu":
            raise TypeError(f"actions are an array of {array.dtype} {array.shape}, expected integers ({len(self)},)")
        self._games.step(np.ascontiguousarray(array, dtype=np.int64), self._arrays)
        return self._step

    def reset(self, games: npt.ArrayLike | None = None, positions: Positions | None = None) -> VectorStep:
        """Resets games: all, or those of a mask or of some numbers.

        ``positions`` are rows of :mod:`millbrain.batch`, one for each of these games; they begin there, without random
        moves and without history. A game that is over where it begins is terminal at once, and has no rewards.
        """
        which = np.ones(len(self), dtype=np.bool_)
        if games is not None:
            chosen = np.asarray(games)
            if chosen.dtype.kind == "b" and chosen.shape == which.shape:
                which = np.ascontiguousarray(chosen)
            elif chosen.dtype.kind in "iu" and chosen.ndim == 1 and (chosen.size == 0 or 0 <= chosen.min()):
                if chosen.size and chosen.max() >= len(self):
                    raise IndexError(f"game {chosen.max()}, expected one in 0..{len(self) - 1}")
                if positions is not None and (np.diff(chosen) <= 0).any():
                    raise ValueError("games are not in ascending order, expected that with positions")
                which = np.zeros(len(self), dtype=np.bool_)
                which[chosen] = True
            else:
                raise TypeError(
                    f"games are an array of {chosen.dtype} {chosen.shape}, expected a mask ({len(self)},) or numbers"
                )
        self._games.reset(which, None if positions is None else prepared(positions), self._arrays)
        return self._step

    def sample(self) -> npt.NDArray[np.int64]:
        """Returns a random legal action for each game, each as likely as the others; -1 for a game that is over."""
        return self._games.sample()

    def positions(self) -> Positions:
        """Returns the positions as rows of :mod:`millbrain.batch`."""
        return self._games.positions()

    def fen(self, game: SupportsIndex) -> str:
        """Returns the position of a game as a FEN."""
        return self._games.fen(integer_in("game", game, 0, len(self) - 1))

    def __getstate__(self) -> dict[str, Any]:
        last = {"rewards": self.rewards, "terminals": self.terminals}
        return {"settings": self._settings, "observe": self._observe, "games": self._games.save(), "last": last}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._make(state["settings"], state["observe"])
        self._games.restore(state["games"], self._arrays)
        for name, array in state["last"].items():
            getattr(self, name)[:] = array


class Symmetries(NamedTuple):
    """Images under the symmetries of the board; the first is the identity."""

    cells: npt.NDArray[np.int64]
    """Where each point or square goes, of shape ``(symmetries, cells)``."""
    actions: npt.NDArray[np.int64]
    """What each action becomes, of shape ``(symmetries, num_actions)``."""
    grid: npt.NDArray[np.int64]
    """Where each cell of the grid of a plane goes, of shape ``(symmetries, rows * columns)``."""

    def planes(self, observations: npt.NDArray[Any], symmetry: SupportsIndex) -> npt.NDArray[Any]:
        """Returns the images of observations, whose last two axes are the grid."""
        images = np.empty_like(observations)
        flat = (*observations.shape[:-2], -1)
        images.reshape(flat)[..., self.grid[symmetry]] = observations.reshape(flat)
        return images

    def positions(self, positions: Positions, symmetry: SupportsIndex) -> Positions:
        """Returns the images of positions, as :func:`millbrain.encode` has them."""
        rows, images = self._rows(positions), prepared(positions).copy()
        images[:, self.cells[symmetry]] = rows
        return images

    def canonical(self, positions: Positions) -> tuple[Positions, npt.NDArray[np.int64]]:
        """Of the images of each position the one that all symmetric positions share, and the symmetry that leads there.

        >>> from millbrain import encode, fens
        >>> corners = encode(["O2/3/3/6/3/3/3 b 8 9", "2O/3/3/6/3/3/3 b 8 9", "3/3/3/6/3/3/2O b 8 9"])
        >>> len(set(fens(symmetries().canonical(corners)[0])))
        1
        """
        rows, images = self._rows(positions).astype(np.int64), prepared(positions).copy()
        if len(self.cells) == 1:
            return images, np.zeros(len(rows), dtype=np.int64)
        # The points of an image as the digits of a number to the base 3.
        weights = 3 ** np.arange(rows.shape[1], dtype=np.int64)
        symmetry = np.argmin(rows @ weights[self.cells].T, axis=1)
        np.put_along_axis(images, self.cells[symmetry], prepared(positions)[:, : rows.shape[1]], axis=1)
        return images, symmetry

    def _rows(self, positions: Positions) -> Positions:
        """Returns the points of positions."""
        rows, cells = prepared(positions), self.cells.shape[1]
        if rows.shape[1] not in (cells + 2, cells + 4):
            # Once-per-line mills: the lines have no images.
            raise ValueError(f"positions have {rows.shape[1]} columns, expected {cells} points and no lines")
        return rows[:, :cells]


def symmetries(variant: str = "morris", **rules: Rule) -> Symmetries:
    """Returns the symmetries by these rules: 16 of the morris family, in Smess the identity alone.

    >>> found = symmetries()
    >>> found.cells.shape, found.actions.shape, found.grid.shape
    ((16, 24), (16, 15000), (16, 49))
    """
    cells = _native.symmetries(variant, rules)
    names = layout(variant, **rules).names
    num_actions, quiet, (_, rows, columns) = _native.learning_sizes(variant, rules)
    count, points = cells.shape
    at = np.array([(rows - int(name[1])) * columns + ord(name[0]) - ord("a") for name in names])
    grid = np.tile(np.arange(rows * columns), (count, 1))
    grid[:, at] = at[cells]
    removal, step = np.divmod(np.arange(num_actions), quiet)
    # Nothing is the image of nothing: a placement comes from nowhere, and a quiet move takes nothing.
    images = np.concatenate([np.zeros((count, 1), dtype=np.int64), cells + 1], axis=1)
    origins = images if quiet > points * points else cells
    return Symmetries(
        cells, images[:, removal] * quiet + origins[:, step // points] * points + cells[:, step % points], grid
    )
