"""Targets are the values of a position and its moves in tables."""

from itertools import islice
from typing import Any

import numpy as np
import pytest

import millbrain
from millbrain import Board, Tables
from millbrain.env import Environment
from millbrain.training import training_batches

SOURCES: list[tuple[str, str, dict[str, Any]]] = [
    ("morris", "4-4", {}),
    ("mlyn", "3-4", {}),
    ("morabaraba", "5-3", {}),
    ("lasker", "3-3", {"stones": 5}),
    ("smess", "BN-B", {}),
]


@pytest.mark.parametrize(("variant", "sector", "rules"), SOURCES)
def test_targets_are_those_of_the_moves(variant: str, sector: str, rules: dict[str, Any]) -> None:
    tables = Tables()
    rows = millbrain.random_positions(60, variant, sector=sector, seed=4, **rules)
    targets = tables.targets_many(rows, variant, actions=700, **rules)
    results, plies = tables.probe_many(rows, variant, **rules)
    assert (targets.results == results).all() and (targets.plies == plies).all()
    drawn = millbrain.planes(rows, variant, **rules)
    for number, board in enumerate(millbrain.decode(rows, variant, **rules)):
        env = Environment(variant, board.fen(), **rules)
        assert (drawn[number] == env.observation()).all()
        values = tables.moves(board)
        best = {env.move_to_action(move) for move, value in values if value == values[0].value}
        chosen = targets.actions[number]
        assert set(chosen[chosen >= 0].tolist()) == best
        few = tables.targets_many(rows[number : number + 1], variant, actions=1, **rules)
        assert few.actions[0, 0] == min(best)


def test_what_no_table_has_has_no_targets() -> None:
    boards = [Board(), Board(fen="OOO/3/3/6/3/3/XX1 b 0 0"), Board(fen="1O1/3/3/X4O/3/3/XOX w 0 0")]
    targets = Tables().targets_many(millbrain.encode(boards), actions=3)
    assert targets.results.tolist() == [millbrain.UNKNOWN, -1, -1] and targets.plies.tolist() == [-1, 0, 26]
    assert (targets.actions[:2] == -1).all() and targets.actions[2, 0] >= 0
    with pytest.raises(ValueError, match="actions is 0"):
        Tables().targets_many(millbrain.encode(boards), actions=0)
    with pytest.raises(millbrain.RulesError, match="expected removals one"):
        Tables().targets_many(millbrain.encode(boards), removals="each mill")


@pytest.mark.parametrize("sector", [None, "4-3"])
def test_batches_are_full_and_depend_on_the_seed(sector: str | None) -> None:
    # Three stones a side: every position without stones in hand is in the tables.
    rules: dict[str, Any] = {} if sector else {"stones": 3}

    def batches(seed: int) -> list[Any]:
        return list(islice(training_batches(Tables(), 300, "morris", sector=sector, seed=seed, **rules), 3))

    first, again, other = batches(1), batches(1), batches(2)
    for one, two, three in zip(first, again, other, strict=True):
        assert one.planes.shape == (300, 8, 7, 7) and one.actions.shape == (300, 32)
        assert all((a == b).all() for a, b in zip(one, two, strict=True))
        assert not np.array_equal(one.planes, three.planes)
        assert set(one.results.tolist()) <= {-1, 0, 1} and len(set(one.results.tolist())) > 1
    assert not np.array_equal(first[0].planes, first[1].planes)


def test_a_sector_without_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="no tables of 7-6, expected a sector that they have"):
        next(training_batches(Tables(), 10, sector="7-6"))
