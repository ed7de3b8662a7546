"""Arrays of positions."""

import os
import subprocess
import sys
from collections.abc import Callable
from multiprocessing import get_all_start_methods, get_context
from typing import Any

import numpy as np
import pytest
from counting import counting

import millbrain
from millbrain import (
    VARIANTS,
    Board,
    IllegalMoveError,
    InvalidPositionError,
    Positions,
    decode,
    encode,
    evaluate,
    features,
    fens,
    layout,
    legal_actions,
    play_actions,
    random_positions,
    sector_positions,
    sector_slots,
)
from millbrain.env import Environment

HOUSE: list[tuple[str, dict[str, Any]]] = [
    *((variant, {}) for variant in VARIANTS),
    ("morris", {"stones": 5, "moves_while_placing": True}),
    ("morris", {"once_per_line_mills": True}),
]


@pytest.mark.parametrize(("variant", "rules"), HOUSE)
def test_positions_there_and_back(variant: str, rules: dict[str, Any]) -> None:
    positions = random_positions(2_000, variant, plies=(0, 80), seed=4, **rules)
    sizes = layout(variant, **rules)
    assert positions.shape == (2_000, sizes.columns) and positions.dtype == np.int16
    texts = fens(positions, variant, **rules)
    boards = decode(positions, variant, **rules)
    assert [board.fen() for board in boards] == texts
    assert not any(board.is_game_over() for board in boards)
    assert (encode(texts, variant, **rules) == positions).all()
    assert (encode(boards) == positions).all()
    assert len(set(texts)) > 1_000
    if "once_per_line_mills" in rules:
        assert (positions[:, 28:] != 0).any(), "some lines have been formed"
    values = evaluate(positions, variant, **rules)
    assert values.tolist() == [board.evaluate() for board in boards]
    # An array agrees with its board.
    for row, board in zip(positions[:50], boards, strict=False):
        assert row[sizes.cells] == (1 if board.turn else -1)
        letters = {"O": 1, "X": -1, **{letter: n for n, letter in enumerate("BSN", 1)}}
        letters |= {letter.lower(): -n for letter, n in letters.items() if letter in "BSN"}
        pieces = {sizes.names[i]: int(row[i]) for i in range(sizes.cells) if row[i]}
        assert pieces == {name: letters[piece] for name, piece in board.piece_map().items()}


def test_features() -> None:
    for variant in ("morris", "morabaraba", "smess"):
        sizes = layout(variant)
        positions = random_positions(500, variant, plies=(0, 60), seed=2)
        indices = features(positions, variant)
        dense = features(positions, variant, dense=True)
        assert indices.shape == (500, sizes.active) and dense.shape == (500, sizes.features)
        assert indices.dtype == np.int32 and dense.dtype == np.uint8 and indices.max() < sizes.features
        counts = np.zeros_like(dense)
        for number, row in enumerate(indices):
            np.add.at(counts[number], row[row >= 0], 1)
        assert (counts == dense).all()
        pieces = np.count_nonzero(positions[:, : sizes.cells], axis=1)
        assert ((indices >= 0).sum(axis=1) == (pieces if variant == "smess" else 15)).all()
    # The network sees a position as its mover does.
    twins = encode([Board(fen="3/1O1/3/4X1/3/3/3 w 8 8"), Board(fen="3/1X1/3/4O1/3/3/3 b 8 8")])
    assert (features(twins)[0] == features(twins)[1]).all()


def test_random_positions() -> None:
    first = random_positions(3_000, seed=1)
    assert (first == random_positions(3_000, seed=1)).all()
    assert (first[:100] == random_positions(100, seed=1)).all(), "a position depends on seed and number alone"
    assert not (first == random_positions(3_000, seed=2)).all()
    assert not (random_positions(50) == random_positions(50)).all()
    assert {fen.split()[2] for fen in fens(random_positions(50, plies=6, seed=1))} == {"6"}
    assert random_positions(0).shape == (0, 28)
    with pytest.raises(ValueError, match="the smaller number first"):
        random_positions(1, plies=(5, 4))
    assert (random_positions(5, plies=np.int64(6), seed=np.uint8(1)) == random_positions(5, plies=(6, 6), seed=1)).all()
    assert (random_positions(5, plies=[2, 6], seed=2) == random_positions(5, plies=(2, 6), seed=2)).all()  # type: ignore
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"count": -1}, ValueError, f"count is -1, expected an integer in 0..{2**63 - 1}"),
        ({"count": 2.0}, TypeError, "count is 2.0, expected an integer"),
        ({"seed": -1}, ValueError, "seed is -1, expected an integer in 0..18446744073709551615"),
        ({"seed": 2**64}, ValueError, f"seed is {2**64}, expected an integer in 0..18446744073709551615"),
        ({"seed": 1.5}, TypeError, "seed is 1.5, expected an integer"),
        ({"seed": "1", "sector": "3-3"}, TypeError, "seed is '1', expected an integer"),
        ({"plies": -1}, ValueError, "plies is -1, expected an integer in 0..4294967295"),
        ({"plies": (0, 2**32)}, ValueError, "plies is 4294967296, expected an integer in 0..4294967295"),
        ({"plies": True}, TypeError, "plies is True, expected an integer"),
        ({"plies": (1, 2.5)}, TypeError, "plies is 2.5, expected an integer"),
        ({"plies": 4.0}, TypeError, "plies is 4.0, expected a number, or the smallest and the greatest"),
        ({"plies": (1, 2, 3)}, TypeError, "plies is (1, 2, 3), expected a number, or the smallest and the greatest"),
        ({"plies": None}, TypeError, "plies is None, expected a number, or the smallest and the greatest"),
    ]
    for words, kind, message in refused:
        with pytest.raises(kind) as raised:
            random_positions(**{"count": 1, **words})
        assert str(raised.value) == message
    with pytest.raises(millbrain.InvalidPositionError, match="position 0: no random game goes on after 3000 plies"):
        random_positions(1, plies=3_000, stones=3)
    with pytest.raises(millbrain.TablesError, match='no sector "9-13" by these rules, expected one such as 3-3'):
        random_positions(1, sector="9-13")
    with pytest.raises(millbrain.TablesError, match="no once-per-line mills"):
        random_positions(1, sector="3-3", once_per_line_mills=True)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif("fork" not in get_all_start_methods(), reason="no fork on this system")
def test_a_forked_process_can_use_arrays() -> None:
    """As loaders of training data do it."""
    positions = random_positions(2_000, seed=3)
    with get_context("fork").Pool(2) as pool:
        values = pool.map_async(evaluate, [positions[:1_000], positions[1_000:]]).get(timeout=60)
    assert (np.concatenate(values) == evaluate(positions)).all()


SIGNALLED = """
import signal, sys, time
import numpy as np
import millbrain
positions = np.repeat(millbrain.encode([millbrain.Board()]), 150_000, axis=0)
seen = []
signal.signal(signal.SIGALRM, lambda number, frame: seen.append(time.thread_time()))
work = getattr(millbrain, sys.argv[1])
seen.append(time.thread_time())
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
made = work(positions)
signal.setitimer(signal.ITIMER_REAL, 0)
seen.append(time.thread_time())
print(max(after - before for before, after in zip(seen, seen[1:])) / (seen[-1] - seen[0]))
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("function", ["decode", "fens"])
def test_signals_are_answered_all_along(function: str) -> None:
    """The longest stretch without an answer is a small part of the work, by the clock of the thread."""
    program = [sys.executable, "-c", SIGNALLED, function]
    message = subprocess.run(program, capture_output=True, text=True, timeout=100, check=True).stdout
    assert float(message) < 1 / 3


@pytest.mark.parametrize("function", [decode, fens])
def test_python_goes_on_during_work_on_arrays(function: Callable[[Positions], list[Any]]) -> None:
    """Another thread counts during the call."""
    positions = np.repeat(encode([Board()]), 100_000, axis=0)
    with counting(pause=0) as counted:
        before = counted()
        made = function(positions)
        during = counted() - before
    assert len(made) == 100_000 and during > 5


def test_sectors_in_parts() -> None:
    slots = sector_slots("4-3")
    parts = [sector_positions("4-3", start=i, stop=min(i + 200_000, slots)) for i in range(0, slots, 200_000)]
    whole, images = sector_positions("4-3")
    assert (np.concatenate([part[0] for part in parts]) == whole).all()
    assert len(whole) == 760_398 and int(images.sum()) == 12_113_640
    with pytest.raises(ValueError, match=r"slots are 5 to 4, expected some in 0\.\."):
        sector_positions("3-3", start=5, stop=4)
    outside: list[tuple[dict[str, Any], str]] = [({"start": -1}, "start is -1"), ({"stop": 10**7}, "stop is 10000000")]
    for words, message in outside:
        with pytest.raises(ValueError, match=rf"^{message}, expected an integer in 0\.\.{slots}$"):
            sector_positions("4-3", **words)
    bad: Any = 1.5
    with pytest.raises(TypeError, match="^stop is 1.5, expected an integer$"):
        sector_positions("3-3", stop=bad)


def test_bad_arrays_are_refused() -> None:
    start = encode([Board()])
    for column, number, message in [
        (3, 2, "position 1: column 3 is 2, expected 1, -1 or 0"),
        (24, 0, "position 1: column 24 is 0, expected 1 for White or -1 for Black to move"),
        (25, -1, "position 1: column 25 is -1, expected a number from 0"),
        (25, 10, "position 1: white has 10 stones on board and in hand, expected at most 9"),
    ]:
        bad = np.repeat(start, 3, axis=0)
        bad[1:, column] = number
        for call in (decode, fens, evaluate, features, millbrain.Tables().probe_many):
            with pytest.raises(millbrain.InvalidPositionError) as raised:
                call(bad)
            assert str(raised.value) == message
    with pytest.raises(millbrain.InvalidPositionError, match="28 columns, expected 58 by these rules"):
        fens(start, "smess")
    with pytest.raises(TypeError, match="expected int16"):
        fens(start.astype(np.int64))
    with pytest.raises(TypeError, match="expected int16"):
        fens(start[0])
    with pytest.raises(millbrain.InvalidFenError, match="position 1: .*rows, expected 7"):
        encode(["3/3/3/6/3/3/3 w 9 9", "3/3"])
    with pytest.raises(millbrain.RulesError, match="position 1: a board by other rules"):
        encode([Board(), Board("mlyn")])
    with pytest.raises(millbrain.RulesError):
        fens(start, "chess")
    masked = np.ma.MaskedArray(np.repeat(start, 2, axis=0), mask=False)
    for call in (decode, fens, evaluate, features, millbrain.Tables().probe_many):
        with pytest.raises(TypeError, match="positions are a masked array, expected one without a mask"):
            call(masked)
    with pytest.raises(TypeError, match="position 1 is of type int, expected a Board or a FEN"):
        encode([Board(), 5])  # type: ignore[list-item]
    alone: Any
    for alone in (Board().fen(), Board()):
        with pytest.raises(TypeError, match="^positions is .*, expected several boards or FENs, such as a list$"):
            encode(alone)
    sliced = np.repeat(start, 6, axis=0)[::2]
    assert fens(sliced) == [Board().fen()] * 3
    assert encode([]).shape == (0, 28)


@pytest.mark.parametrize(("variant", "rules"), HOUSE)
def test_actions_are_the_moves_of_boards(variant: str, rules: dict[str, Any]) -> None:
    positions = random_positions(300, variant, plies=(0, 60), seed=5, **rules)
    found = legal_actions(positions, variant, **rules)
    assert found.starts[0] == 0 and found.starts[-1] == len(found.actions) == found.counts().sum()
    env = Environment(variant, None, **rules)
    chosen = []
    for number, text in enumerate(fens(positions, variant, **rules)):
        env.reset(text)
        actions = found.of(number)
        assert actions.tolist() == env.legal_actions().tolist()
        chosen.append(int(actions[(7 * number) % len(actions)]))
    after = fens(play_actions(positions, chosen, variant, **rules), variant, **rules)
    for board, action, text in zip(decode(positions, variant, **rules), chosen, after, strict=True):
        env.reset(board.fen())
        board.push(env.action_to_move(action))
        # A row has no move number.
        assert encode([board])[0].tolist() == encode([text], variant, **rules)[0].tolist()


def test_actions_that_cannot_be_played() -> None:
    start = encode(["3/3/3/6/3/3/3 w 9 9 0 1", "O2/3/3/6/3/3/3 b 8 9 0 1"])
    with pytest.raises(IllegalMoveError, match="position 1: action 0 is not legal, expected a legal one"):
        play_actions(start, [0, 0])
    with pytest.raises(ValueError, match="actions are 1, expected one for each of 2 positions"):
        play_actions(start, [0])
    with pytest.raises(TypeError, match="actions are an array of float64"):
        play_actions(start, [0.0, 1.0])
    bad = start.copy()
    bad[1, 0] = 7
    for call in (lambda: legal_actions(bad), lambda: play_actions(bad, [0, 1])):
        with pytest.raises(InvalidPositionError, match="position 1: column 0 is 7"):
            call()
    with pytest.raises(ValueError, match="position is 2, expected an integer in 0..1"):
        legal_actions(start).of(2)
    over = encode(["OO1/3/3/6/3/3/XXX w 0 0"])
    assert legal_actions(over).counts().tolist() == [0]
    with pytest.raises(IllegalMoveError, match="position 0"):
        play_actions(over, [0])
    assert len(legal_actions(start[:0]).actions) == len(play_actions(start[:0], np.zeros(0, dtype=int))) == 0
