"""Exact targets for training: positions that tables know, with their planes, values and best actions.

>>> from millbrain import Tables
>>> batches = training_batches(Tables(), 512, sector="4-3")
>>> batch = next(batches)
>>> batch.planes.shape, batch.results.shape, batch.actions.shape
((512, 8, 7, 7), (512,), (512, 32))
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, SupportsIndex

import numpy as np
import numpy.typing as npt

from . import _native
from .batch import Rule, planes
from .checks import integer_in
from .tables import UNKNOWN, Tables
from .vector import VectorEnvironment

__all__ = ["TrainingBatch", "training_batches"]


class TrainingBatch(NamedTuple):
    """Positions, each as a row of every array."""

    planes: npt.NDArray[np.float32]
    """As :mod:`millbrain.env` describes them, seen by the side to move."""
    results: npt.NDArray[np.int8]
    """1, 0 or -1 for the side to move."""
    plies: npt.NDArray[np.int32]
    """The distance to the end, or -1."""
    actions: npt.NDArray[np.int16]
    """The actions that keep the value, padded with -1."""


def training_batches(
    tables: Tables,
    size: SupportsIndex,
    variant: str = "morris",
    *,
    sector: str | None = None,
    actions: SupportsIndex = 32,
    seed: SupportsIndex = 0,
    **rules: Rule,
) -> Iterator[TrainingBatch]:
    """Yields endless batches of ``size`` positions that the tables know, with up to ``actions`` best actions each.

    With ``sector`` (such as ``"7-6"``) they are random positions of that ending. Without it they are positions of
    random games: with tables of all positions from the whole game, otherwise the endings that the games come to; a
    batch is filled by as many games as it takes.
    """
    size, seed = integer_in("size", size, 1, 1 << 24), integer_in("seed", seed, 0, (1 << 63) - 1)
    if sector is not None:
        while True:
            rows = _native.random_endings(size, sector, seed, variant, rules)
            targets = tables.targets_many(rows, variant, actions=actions, **rules)
            if (targets.results == UNKNOWN).any():
                raise ValueError(f"no tables of {sector}, expected a sector that they have")
            yield TrainingBatch(planes(rows, variant, **rules), *targets)
            seed += 1
    settings: dict[str, Rule] = {"seed": seed, "random_plies": 40, **rules}
    games = VectorEnvironment(size, variant, None, **settings)  # type: ignore[arg-type]
    parts: list[TrainingBatch] = []
    while True:
        games.step(games.sample())
        targets = tables.targets_many(games.positions(), variant, actions=actions, **rules)
        known = targets.results != UNKNOWN
        if known.all() and not parts:
            yield TrainingBatch(games.observations.copy(), *targets)
            continue
        parts.append(TrainingBatch(games.observations[known], *(array[known] for array in targets)))
        if sum(len(part.results) for part in parts) >= size:
            whole = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
            yield TrainingBatch(*(array[:size] for array in whole))
            parts = [TrainingBatch(*(array[size:] for array in whole))]
