"""The environment agrees with the board."""

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest

import millbrain
from millbrain import VARIANTS, Board
from millbrain.env import TERMINAL, Environment

HOUSE: list[tuple[str, dict[str, bool | int | str]]] = [
    *((variant, {}) for variant in VARIANTS),
    ("morris", {"stones": 4, "no_mill_draw": 0}),
    ("lasker", {"board": "diagonals", "removal": "never", "once_per_line_mills": True}),
]


@pytest.mark.parametrize("variant", VARIANTS)
def test_actions_and_moves_correspond(variant: str) -> None:
    env = Environment(variant)
    assert env.num_actions == {"morris": 15_000, "smess": 3_136}.get(variant, env.num_actions)
    moves = [env.action_to_move(action) for action in range(env.num_actions)]
    assert len(set(moves)) == env.num_actions
    assert [env.move_to_action(move) for move in moves] == list(range(env.num_actions))
    if variant == "morris":
        points = millbrain.layout().names
        for action in random.Random(1).sample(range(env.num_actions), 300):
            removal, step = divmod(action, 600)
            start, to = divmod(step - 24, 24) if step >= 24 else (None, step)
            text = (
                (points[start] if start is not None else "")
                + points[to]
                + (f"x{points[removal - 1]}" if removal else "")
            )
            assert env.action_to_move(action) == text
    for bad in (-1, env.num_actions):
        with pytest.raises(millbrain.IllegalMoveError, match=rf"action {bad}, expected one in 0\.\."):
            env.action_to_move(bad)
    with pytest.raises(millbrain.IllegalMoveError, match="'z9' is no action"):
        env.move_to_action("z9")


def test_an_action_is_an_integer() -> None:
    env = Environment()
    bad: list[Any] = [1.9, 1.0, "1", None, np.float32(1), np.array(1.5), np.array([1]), b"1", float("nan"), True]
    for action in bad:
        for call in (env.step, env.action_to_move):
            with pytest.raises(TypeError, match=r"^action is .*, expected an integer$"):
                call(action)
    for action in (-1, 10**5_000, np.int64(15_000)):
        with pytest.raises(millbrain.IllegalMoveError, match=r"^action .*, expected one in 0\.\.14999$"):
            env.step(action)
    assert env.board == Board(), "nothing was played"
    for action in (np.uint8(4), np.int64(5), np.array(6), 7):
        env.step(action)
    names = millbrain.layout().names
    assert env.board.move_stack == list(names[4:8])


@pytest.mark.parametrize(("variant", "rules"), HOUSE)
def test_random_games_agree_with_the_board(variant: str, rules: dict[str, bool | int | str]) -> None:
    rng = np.random.default_rng(7)
    env, ends = Environment(variant, None, **rules), set()
    for _ in range(12):
        board = Board(variant, None, **rules)
        observation = env.reset()
        assert env.returns() == (0, 0)
        for _ply in range(400):
            actions = env.legal_actions()
            assert env.is_terminal == board.is_game_over() == (len(actions) == 0)
            if env.is_terminal:
                break
            assert env.current_player == (0 if board.turn else 1)
            assert sorted(env.action_to_move(action) for action in actions) == sorted(board.legal_moves)
            assert (np.flatnonzero(env.legal_mask()) == actions).all()
            assert observation.shape == env.observation_shape and observation.dtype == np.float32
            assert 0 <= observation.min() and observation.max() <= 1
            action = int(rng.choice(actions))
            board.push(env.action_to_move(action))
            observation, rewards, terminal = env.step(action)
            assert terminal == board.is_game_over() and env.board == board
        outcome = board.outcome()
        if outcome is not None:
            ends.add(outcome.result())
            assert env.current_player == TERMINAL == -4, "as in OpenSpiel"
            points = {None: (0, 0), True: (1, -1), False: (-1, 1)}[outcome.winner]
            assert rewards == points == env.returns() == env.rewards()
            with pytest.raises(millbrain.IllegalMoveError, match="after the end of the game"):
                env.step(0)
    assert ends


def test_planes_of_a_morris() -> None:
    env = Environment(fen="OO1/3/3/X5/3/3/XX1 b 6 5 10 9")
    planes = env.observation()
    at = {name: (7 - int(name[1]), "abcdefg".index(name[0])) for name in millbrain.layout().names}
    assert [planes[0][at[point]] for point in ("a4", "a1", "d1", "a7")] == [1, 1, 1, 0]
    assert [planes[1][at[point]] for point in ("a7", "d7", "a4")] == [1, 1, 0]
    assert planes[0].sum() == 3 and planes[1].sum() == 2 and planes[2].sum() == 24 - 5
    assert np.allclose(planes[3], 5 / 9) and np.allclose(planes[4], 6 / 9)
    assert np.allclose(planes[5], 0.1) and (planes[6] == 0).all() and (planes[7] == 1).all()


def test_planes_of_smess_and_repetitions() -> None:
    env = Environment("smess", fen="7/7/7/2Bnb2/7/7/S6/7 w 50 9")
    planes = env.observation()
    assert planes[0][3, 2] == planes[1][6, 0] == planes[3][3, 4] == planes[5][3, 3] == 1 and planes[:6].sum() == 4
    assert (planes[6] == 0.5).all() and (planes[8] == 0).all()
    env = Environment(fen="O2/1O1/2O/O2X2/3/XX1/2X w 0 0")
    for round_number in (0, 0.5, 1):
        assert (env.observation()[6] == round_number).all()
        if not env.is_terminal:
            for move in ("a7d7", "g1g4", "d7a7", "g4g1"):
                env.step(env.move_to_action(move))
    assert env.is_terminal and env.rewards() == (0, 0)


def test_clones_are_their_own() -> None:
    env = Environment("lasker")
    env.step(env.move_to_action("d6"))
    twin = env.clone()
    assert twin.board == env.board and twin.board.move_stack == ["d6"]
    twin.step(twin.legal_actions()[0])
    assert twin.board != env.board and len(env.legal_actions()) == Board("lasker").perft_divide(2)["d6"]
    assert len(pickle.dumps(env)) < 1_000, "the table of actions stays at home"
    for other in (copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.board == env.board and (other.observation() == env.observation()).all()
        other.step(other.legal_actions()[0])
        assert other.board != env.board
    first = env.reset()
    assert (first == Environment("lasker").observation()).all()
    env.reset("O2/3/3/6/3/3/3 b 9 10")
    assert env.current_player == 1
    with pytest.raises(millbrain.InvalidFenError):
        env.reset("nonsense")
    with pytest.raises(millbrain.IllegalMoveError, match="is illegal"):
        env.step(env.move_to_action("a7"))


def test_moves_of_several_removals_have_no_actions() -> None:
    with pytest.raises(millbrain.RulesError, match="expected removals one"):
        Environment("morris", removals="each mill")
