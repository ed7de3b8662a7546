"""The environment passes the tests of the packages whose interfaces it has."""

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import millbrain

gymnasium = pytest.importorskip("gymnasium")
pettingzoo = pytest.importorskip("pettingzoo")

from millbrain.adapters.gymnasium import MillbrainEnv, engine_opponent  # noqa: E402
from millbrain.adapters.pettingzoo import millbrain_v0  # noqa: E402


@pytest.mark.parametrize("variant", ["morris", "smess"])
@pytest.mark.parametrize("color", ["white", "black", "random"])
def test_gymnasium_checks_the_environment(variant: str, color: str) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # It is made without a registry, which would know how to make it again.
        warnings.filterwarnings("ignore", message=".*spec.*")
        check_env(MillbrainEnv(variant, color=color, render_mode="ansi"))


def test_one_side_plays_an_opponent() -> None:
    ends = set()
    env = MillbrainEnv("morris", stones=3, color="random")
    for seed in range(12):
        observation, info = env.reset(seed=seed)
        total, terminated = 0.0, False
        while not terminated:
            assert env.observation_space.contains(observation)
            assert env.environment.current_player == ("white", "black").index(info["color"])
            assert (np.flatnonzero(info["action_mask"]) == env.environment.legal_actions()).all()
            action = env.action_space.sample(info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            total += reward
            assert not truncated and "illegal" not in info
        assert total == env.environment.returns()[("white", "black").index(info["color"])]
        ends.add((info["color"], total))
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(0)
    assert {color for color, _ in ends} == {"white", "black"} and {1.0, -1.0} <= {total for _, total in ends}
    env.reset(seed=3)
    _, reward, terminated, _, info = env.step(700)
    assert (reward, terminated, info["illegal"]) == (-1.0, True, True)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    with pytest.raises(ValueError, match="color is 'green', expected white, black or random"):
        MillbrainEnv(color="green")


def test_the_engine_is_an_opponent() -> None:
    with millbrain.Engine() as engine:
        env = MillbrainEnv("mlyn", color="black", opponent=engine_opponent(engine, millbrain.Limit(nodes=200)))
        _, info = env.reset(seed=1, options={"fen": "3/3/3/6/3/3/3 w 9 9 0 1"})
        assert info["action_mask"].sum() == 23 and env.environment.board.ply() == 1
        lost = 0.0
        while lost == 0.0:
            _, lost, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
            assert terminated == (lost != 0)
        assert lost == -1.0, "against a player of random moves"


@pytest.mark.parametrize(("variant", "rules"), [("morris", {}), ("smess", {}), ("lasker", {"stones": 4})])
def test_pettingzoo_tests_the_environment(variant: str, rules: dict[str, Any]) -> None:
    from pettingzoo.test import api_test, seed_test

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Observation space for each agent probably should be.*")
        warnings.filterwarnings("ignore", message=".*Observation is not a NumPy array.*")
        api_test(millbrain_v0(variant, **rules), num_cycles=300)
    seed_test(lambda: millbrain_v0(variant, **rules), num_cycles=50)


def test_agents_get_their_rewards() -> None:
    env = millbrain_v0("morris", stones=3, render_mode="ansi")
    for seed in range(5):
        env.reset(options={"fen": "3/3/3/6/3/3/3 w 3 3 0 1"})
        for number, agent in enumerate(env.agents):
            env.action_space(agent).seed(seed + 100 * number)
        totals = dict.fromkeys(env.agents, 0.0)
        for agent in env.agent_iter():
            observation, reward, termination, _, _ = env.last()
            totals[agent] += reward
            env.step(None if termination else env.action_space(agent).sample(observation["action_mask"]))
        assert sum(totals.values()) == 0 and not env.agents
        assert env.render() is not None


FINISHED = "OO1/3/3/6/3/3/XXX w 0 0"


@pytest.mark.parametrize("make", [millbrain_v0, MillbrainEnv])
def test_a_game_begins_where_it_goes_on(make: Callable[..., Any]) -> None:
    env = make(stones=3)
    calls: dict[str, Callable[[], object]] = {
        "step": lambda: env.step(0),
        "last": lambda: env.last(),
        "observe": lambda: env.observe("player_0"),
        "agent_iter": lambda: list(env.agent_iter()),
    }
    for name, call in calls.items():
        if hasattr(type(env), name):
            with pytest.raises(gymnasium.error.ResetNeeded, match=r"expected reset\(\)"):
                call()
    env.reset(seed=1)
    before = env.render_mode, str(env.observe("player_0")) if hasattr(env, "observe") else str(env.environment.board)
    with pytest.raises(ValueError, match="the game is over in OO1/3/3/6/3/3/XXX w 0 0 0 1, expected a position"):
        env.reset(options={"fen": FINISHED})
    after = env.render_mode, str(env.observe("player_0")) if hasattr(env, "observe") else str(env.environment.board)
    assert before == after, "all is as it was"
    with pytest.raises(ValueError, match="the game is over"):
        make(fen=FINISHED).reset()


@pytest.mark.parametrize("make", [millbrain_v0, MillbrainEnv])
def test_boards_are_rendered_as_pixels(make: Callable[..., Any]) -> None:
    assert make.__module__.startswith("millbrain.adapters.")
    for variant, shape in (("morris", (336, 336, 3)), ("morabaraba", (336, 336, 3)), ("smess", (384, 336, 3))):
        env = make(variant, render_mode="rgb_array")
        env.reset(seed=1, options={"fen": "7/7/7/3b3/4B2/7/6S/7 w 3 9"} if variant == "smess" else None)
        first = env.render()
        assert first.shape == shape and first.dtype == np.uint8 and first.std() > 10
        mask = env.observe(env.agent_selection)["action_mask"] if hasattr(env, "observe") else None
        env.step(int(np.flatnonzero(env.environment.legal_mask() if mask is None else mask)[0]))
        assert not np.array_equal(first, env.render()), "a move is seen"
    with pytest.raises(ValueError, match="render_mode is 'human', expected None, ansi or rgb_array"):
        make(render_mode="human")


def test_openspiel_plays_the_game() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    importlib.import_module("millbrain.adapters.openspiel")
    for text in (
        "python_millbrain",
        "python_millbrain(variant=smess)",
        "python_millbrain(rules=Stones:4;Flying:false)",
    ):
        game = pyspiel.load_game(text)
        pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)
        state = game.new_initial_state()
        assert game.num_distinct_actions() == state.env.num_actions
        for _ in range(30):
            if state.is_terminal():
                break
            twin = state.clone()
            state.apply_action(state.legal_actions()[len(str(state)) % len(state.legal_actions())])
            assert twin.env.board != state.env.board
        assert (np.array(state.observation_tensor(0)) == state.env.observation().ravel()).all()
        assert state.observation_string(0) == str(state) == state.env.board.fen()
        again = pyspiel.load_game(str(game)).new_initial_state()
        for action in state.history():
            again.apply_action(action)
        assert str(again) == str(state)
    # As rules are listed everywhere else.
    listed = pyspiel.load_game("python_millbrain", {"rules": "Stones=4,Flying=false"})
    assert str(listed) == str(game) and str(pyspiel.load_game(str(listed))) == str(game)
    for bad in ("python_millbrain(rules=Stones)", "python_millbrain(rules=Legs:4)"):
        with pytest.raises(Exception, match="expected"):
            pyspiel.load_game(bad)


def test_openspiel_writes_a_playthrough() -> None:
    pytest.importorskip("pyspiel")
    importlib.import_module("millbrain.adapters.openspiel")
    from open_spiel.python.algorithms import generate_playthrough

    text = generate_playthrough.playthrough("python_millbrain(rules=Stones:3)", action_sequence=[0, 1, 2, 3])
    assert 'GameType.short_name = "python_millbrain"' in text
    assert "NumDistinctActions() = 15000" in text and "Apply action" in text
