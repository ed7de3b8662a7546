"""One side against an opponent, as a Gymnasium environment.

>>> env = MillbrainEnv("mlyn", color="white")
>>> observation, info = env.reset(seed=1)
>>> observation.shape, int(info["action_mask"].sum())
((8, 7, 7), 24)
>>> observation, reward, terminated, truncated, info = env.step(3)
>>> reward, terminated, int(info["action_mask"].sum())
(0.0, False, 22)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from ..engine import Engine, Limit
from ..env import Environment
from .picture import MODES, render

Opponent = Callable[[Environment, np.random.Generator], int]
"""Chooses a legal action in an environment in which it is to move."""
Observation = npt.NDArray[np.float32]

__all__ = ["MillbrainEnv", "Opponent", "engine_opponent", "random_opponent"]


def random_opponent(env: Environment, rng: np.random.Generator) -> int:
    """Any legal action, each as likely as the others."""
    return int(rng.choice(env.legal_actions()))


def engine_opponent(engine: Engine, limit: Limit) -> Opponent:
    """Returns what an engine plays within a limit; its options may make it weaker."""

    def choose(env: Environment, _: np.random.Generator) -> int:
        move = engine.play(env.board, limit).move
        if move is None:
            raise ValueError(f"no move in {env.board.fen()}, expected a game that goes on")
        return env.move_to_action(move)

    return choose


class MillbrainEnv(gymnasium.Env[Observation, np.int64]):
    """The player of one colour against an opponent, who moves within :meth:`step`, as White within :meth:`reset` too.

    ``color`` is ``"white"``, ``"black"`` or ``"random"``, drawn for each game. ``info["action_mask"]`` has a 1 for each
    legal action, as ``action_space.sample(mask)`` takes it. An action that is not legal loses the game, and
    ``info["illegal"]`` says so. A game ends by the rules at some time, so it is never truncated.
    """

    metadata = {"render_modes": MODES, "render_fps": 1}

    def __init__(
        self,
        variant: str = "morris",
        *,
        color: str = "random",
        opponent: Opponent = random_opponent,
        fen: str | None = None,
        render_mode: str | None = None,
        **rules: bool | int | str,
    ) -> None:
        if color not in ("white", "black", "random"):
            raise ValueError(f"color is {color!r}, expected white, black or random")
        if render_mode not in (None, *MODES):
            raise ValueError(f"render_mode is {render_mode!r}, expected None, {' or '.join(MODES)}")
        self.render_mode = render_mode
        self._env = Environment(variant, fen, **rules)
        self._color, self._opponent, self._own = color, opponent, 0
        # Until a game has begun.
        self._over = True
        self.observation_space = gymnasium.spaces.Box(0.0, 1.0, self._env.observation_shape, np.float32)
        self.action_space = gymnasium.spaces.Discrete(self._env.num_actions)

    @property
    def environment(self) -> Environment:
        """A copy of the game."""
        return self._env.clone()

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._env.legal_mask().astype(np.int8), "color": ("white", "black")[self._own]}

    def _answer(self) -> None:
        while not self._env.is_terminal and self._env.current_player != self._own:
            self._env.step(self._opponent(self._env.clone(), self.np_random))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a game; ``options={"fen": ...}`` begins it there, unless it is over there."""
        self._env.begin((options or {}).get("fen"))
        super().reset(seed=seed)
        self._own = int(self.np_random.integers(2)) if self._color == "random" else int(self._color == "black")
        self._over = False
        self._answer()
        return self._env.observation(), self._info()

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, and the opponent's answer."""
        if self._over or self._env.is_terminal:
            raise gymnasium.error.ResetNeeded("no game goes on, expected reset()")
        if action not in self._env.legal_actions():
            self._over = True
            return self._env.observation(), -1.0, True, False, {**self._info(), "illegal": True}
        self._env.step(action)
        self._answer()
        reward = self._env.rewards()[self._own]
        return self._env.observation(), reward, self._env.is_terminal, False, self._info()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Returns the board as text, or as an array of pixels."""
        return render(self._env, self.render_mode)
