"""Many games at a time are the games of boards."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import millbrain
from millbrain import VARIANTS, Board
from millbrain.env import Environment
from millbrain.vector import VectorEnvironment, symmetries

HOUSE: list[tuple[str, dict[str, bool | int | str]]] = [
    *((variant, {}) for variant in VARIANTS),
    ("morris", {"stones": 4, "no_mill_draw": 0}),
    ("muehle", {"stones": 3, "repetition_draw": False}),
    ("lasker", {"board": "diagonals", "removal": "never", "once_per_line_mills": True}),
]


def same(games: VectorEnvironment, game: int, env: Environment) -> None:
    """Whether a game shows what an environment of its own does."""
    assert (np.flatnonzero(games.legal[game]) == env.legal_actions()).all()
    assert (games.observations[game] == env.observation()).all()
    assert games.players[game] == env.current_player


@pytest.mark.parametrize(("variant", "rules"), HOUSE)
def test_games_agree_with_the_board(variant: str, rules: dict[str, bool | int | str]) -> None:
    settings: dict[str, Any] = {"seed": 3, "threads": 3, **rules}
    games = VectorEnvironment(70, variant, None, **settings)
    envs = [Environment(variant, None, **rules) for _ in range(len(games))]
    ends = set()
    for _ in range(220):
        actions = games.sample()
        # The boards of a few games; all games are looked at in the end.
        steps = [env.step(action) for env, action in zip(envs, actions, strict=True)]
        arrays = games.step(actions)
        for game in range(0, len(games), 23):
            if not steps[game].terminal:
                same(games, game, envs[game])
        assert (arrays.terminals == [step.terminal for step in steps]).all()
        assert (arrays.rewards == [step.rewards for step in steps]).all()
        for env in (env for env in envs if env.is_terminal):
            ends.add(env.board.outcome().result())  # type: ignore[union-attr]
            env.reset()
    for game, env in enumerate(envs):
        same(games, game, env)
        assert games.fen(game) == env.board.fen()
    assert (games.positions() == millbrain.encode([env.board for env in envs])).all()
    assert ends or variant == "smess" or rules == {}, "games have ended"


def test_ended_games_stay_without_reset() -> None:
    games = VectorEnvironment(40, "morris", seed=5, auto_reset=False, stones=3)
    for _ in range(1_000):
        over = games.terminals.copy()
        fens = [games.fen(game) for game in np.flatnonzero(over)]
        games.step(games.sample())
        assert fens == [games.fen(game) for game in np.flatnonzero(over)]
        assert (games.rewards[over] == 0).all(), "reported once"
        if games.terminals.all():
            break
    assert games.terminals.all() and not games.legal.any() and (games.players == -4).all()
    assert (games.sample() == -1).all()
    games.step(np.full(40, 7))
    games.reset([3, 8])
    assert np.flatnonzero(~games.terminals).tolist() == [3, 8] and games.legal[[3, 8]].sum() == 48
    games.reset(~games.terminals | (np.arange(40) == 1))
    assert np.flatnonzero(~games.terminals).tolist() == [1, 3, 8]
    games.reset()
    assert not games.terminals.any()


def test_games_begin_where_they_are_reported_to() -> None:
    start = "O2/1O1/2O/O2X2/3/XX1/2X w 0 0 3 7"
    games = VectorEnvironment(3, fen=start)
    assert [games.fen(game) for game in range(3)] == [start] * 3
    boards = [Board(fen="OOO/3/3/6/3/3/XX1 b 0 0"), Board(fen="3/1O1/3/6/3/3/3 b 8 9")]
    games.reset([0, 2], millbrain.encode(boards))
    assert games.terminals.tolist() == [True, False, False] and (games.rewards == 0).all()
    assert games.fen(1) == start and games.fen(2) == boards[1].fen()
    games.reset(np.array([False, True, False]), millbrain.encode(boards[1:]))
    assert games.fen(1) == boards[1].fen()
    refused: list[tuple[list[Any], type[Exception], str]] = [
        ([0], ValueError, "2 positions for 1 games"),
        ([2, 0], ValueError, "ascending order"),
        ([0, 3], IndexError, "game 3, expected one in 0..2"),
        ([0.5], TypeError, "expected a mask"),
        ([-1, 0], TypeError, "expected a mask"),
    ]
    for bad, kind, words in refused:
        with pytest.raises(kind, match=words):
            games.reset(bad, millbrain.encode(boards))
    rows = millbrain.encode(boards)
    rows[1, 0] = 7
    with pytest.raises(millbrain.InvalidPositionError, match="position 1: column 0 is 7"):
        games.reset([0, 1], rows)
    with pytest.raises(millbrain.InvalidFenError):
        VectorEnvironment(2, fen="nonsense")


def test_a_wrong_action_moves_nothing() -> None:
    games = VectorEnvironment(3)
    before = games.positions()
    for actions in ([0, 1, 600], [0, 1, 24], [0, -1, 2], [0, 1, 15_000]):
        with pytest.raises(millbrain.IllegalMoveError, match=r"^game \d: action -?\d+ is not legal, expected"):
            games.step(actions)
        assert (games.positions() == before).all()
    bad: list[Any] = [[0, 1], [0.0, 1.0, 2.0], [[0, 1, 2]], ["a", "b", "c"], None]
    for actions in bad:
        with pytest.raises(TypeError, match=r"expected integers \(3,\)"):
            games.step(actions)
    for dtype in (np.uint8, np.int32, np.int64):
        games.reset()
        games.step(np.array([9, 5, 0, 1, 2, 3], dtype=dtype)[::2])
        board = Board()
        board.push(millbrain.layout().names[2])
        assert games.fen(2) == board.fen()
    for count in (0, -1, 1 << 25):
        with pytest.raises(ValueError, match="count is"):
            VectorEnvironment(count)
    with pytest.raises(millbrain.RulesError, match="expected removals one"):
        VectorEnvironment(2, removals="each mill")


@pytest.mark.parametrize("variant", ["morris", "smess"])
def test_games_depend_on_the_seed_alone(variant: str) -> None:
    def played(seed: int, threads: int) -> list[str]:
        games = VectorEnvironment(200, variant, seed=seed, random_plies=8, threads=threads)
        for _ in range(60):
            games.step(games.sample())
        return [games.fen(game) for game in range(len(games))]

    first = played(1, 1)
    assert first == played(1, 2) == played(1, 5) != played(2, 2)


def test_random_plies_come_first() -> None:
    games = VectorEnvironment(300, "lasker", random_plies=6)
    turns = [sum(int(hand) for hand in games.fen(game).split()[2:4]) for game in range(len(games))]
    assert min(turns) <= 15 and max(turns) == 20 and not games.terminals.any()
    assert (VectorEnvironment(5).players == 0).all()


def resident() -> int:
    """Memory of this process in KiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_memory_does_not_grow() -> None:
    games = VectorEnvironment(256, "mlyn", seed=4, stones=5)
    arrays = [array.ctypes.data for array in (games.observations, games.legal, games.rewards)]
    for _ in range(300):
        games.step(games.sample())
    before = resident()
    for _ in range(3_000):
        games.step(games.sample())
    grown = resident() - before
    assert grown < 2_048, f"{grown} KiB in 768,000 steps"
    assert arrays == [array.ctypes.data for array in (games.observations, games.legal, games.rewards)]


def test_steps_leave_the_interpreter_free() -> None:
    games, done = VectorEnvironment(4_000, observe=False), threading.Event()
    assert games.observations.size == 0
    counted = 0

    def work() -> None:
        for _ in range(40):
            games.step(games.sample())
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counted += 1
    thread.join()
    assert counted > 1_000


@pytest.mark.parametrize("variant", VARIANTS)
def test_symmetries_keep_the_game(variant: str) -> None:
    found = symmetries(variant)
    count = len(found.cells)
    assert len(found.actions) == count == {"morris": 16, "smess": 1}.get(variant, count)
    assert (found.actions[0] == np.arange(found.actions.shape[1])).all()
    assert all((np.sort(images) == np.arange(len(images))).all() for images in found.actions)
    games = VectorEnvironment(16, variant, seed=2)
    for _ in range(60):
        games.step(games.sample())
    images = VectorEnvironment(16, variant, seed=2)
    cells = found.cells.shape[1]
    for symmetry in range(count):
        rows = games.positions()
        turned = found.positions(rows, symmetry)
        assert (turned[:, found.cells[symmetry]] == rows[:, :cells]).all()
        assert (turned[:, cells:] == rows[:, cells:]).all()
        canonical, which = found.canonical(turned)
        assert (canonical == found.canonical(rows)[0]).all(), "symmetric positions share it"
        for row, image, chosen in zip(turned, canonical, which, strict=True):
            assert (found.positions(row[None], chosen)[0] == image).all()
        images.reset(range(16), turned)
        expected = np.zeros_like(games.legal)
        expected[:, found.actions[symmetry]] = games.legal
        assert (images.legal == expected).all()
        planes = found.planes(games.observations, symmetry)
        # Repetitions are of the history, which a position alone has not.
        planes[:, -2] = 0
        assert (images.observations == planes).all()


def test_lines_have_no_images() -> None:
    rows = millbrain.random_positions(3, once_per_line_mills=True)
    for call in (lambda: symmetries().positions(rows, 1), lambda: symmetries().canonical(rows)):
        with pytest.raises(ValueError, match="positions have 32 columns, expected 24 points and no lines"):
            call()
