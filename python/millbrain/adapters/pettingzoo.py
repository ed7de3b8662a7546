"""Two agents in turn, as a PettingZoo AEC environment.

>>> env = millbrain_v0("smess")
>>> env.reset(seed=1)
>>> for agent in env.agent_iter(max_iter=10):
...     observation, reward, termination, truncation, info = env.last()
...     mask = observation["action_mask"]
...     env.step(None if termination else int(env.action_space(agent).sample(mask)))
>>> env.agents
['player_0', 'player_1']
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import pettingzoo

from ..env import TERMINAL, Environment
from .picture import MODES, render

__all__ = ["MillbrainAEC", "millbrain_v0"]

# White and Black, named as PettingZoo asks for.
_AGENTS = ["player_0", "player_1"]
# What there is once a game has begun.
_OF_A_GAME = "agents agent_selection rewards terminations truncations infos _cumulative_rewards".split()


class _NotBegun(gymnasium.error.ResetNeeded, AttributeError):
    """No game has begun."""


class MillbrainAEC(pettingzoo.AECEnv):  # type: ignore[misc]
    """A game of the agents ``player_0`` (White) and ``player_1`` (Black).

    An observation is a dictionary: ``observation`` the planes seen by the side to move, ``action_mask`` a 1 for each
    legal action of that agent, and 0 for the other. An action that is not legal is an ``IllegalMoveError``. Before the
    first :meth:`reset` there is no game: whatever needs one raises ``gymnasium.error.ResetNeeded``.
    """

    agents: list[str]
    metadata = {"name": "millbrain_v0", "render_modes": MODES, "is_parallelizable": False}

    def __init__(
        self,
        variant: str = "morris",
        fen: str | None = None,
        render_mode: str | None = None,
        **rules: bool | int | str,
    ) -> None:
        super().__init__()
        if render_mode not in (None, *MODES):
            raise ValueError(f"render_mode is {render_mode!r}, expected None, {' or '.join(MODES)}")
        self.render_mode = render_mode
        self._env = Environment(variant, fen, **rules)
        self.possible_agents = list(_AGENTS)
        shape, count = self._env.observation_shape, self._env.num_actions
        spaces = gymnasium.spaces
        observed: dict[str, gymnasium.Space[Any]] = {
            "observation": spaces.Box(0.0, 1.0, shape, np.float32),
            "action_mask": spaces.Box(0, 1, (count,), np.int8),
        }
        self.observation_spaces = {agent: spaces.Dict(observed) for agent in _AGENTS}
        self.action_spaces = {agent: spaces.Discrete(count) for agent in _AGENTS}

    def __getattr__(self, name: str) -> Any:
        if name in _OF_A_GAME:
            raise _NotBegun(f"no {name} before a game has begun, expected reset()")
        raise AttributeError(f"{type(self).__name__} has no {name}")

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        """Returns the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        """Returns the same object each time."""
        return self.action_spaces[agent]

    def _select(self) -> None:
        player = self._env.current_player
        if player != TERMINAL:
            self.agent_selection = _AGENTS[player]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game; nothing in it is random. ``options={"fen": ...}`` begins it there, unless it is over there."""
        self._env.begin((options or {}).get("fen"))
        self.agents = list(_AGENTS)
        self.rewards = dict.fromkeys(_AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(_AGENTS, 0.0)
        self.terminations = dict.fromkeys(_AGENTS, False)
        self.truncations = dict.fromkeys(_AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in _AGENTS}
        self.agent_selection = _AGENTS[0]
        self._select()

    def observe(self, agent: str) -> dict[str, Any]:
        """Returns what an agent sees."""
        mine = self._env.current_player != TERMINAL and agent == self.agent_selection
        mask = self._env.legal_mask() if mine else np.zeros(self._env.num_actions)
        return {"observation": self._env.observation(), "action_mask": mask.astype(np.int8)}

    def step(self, action: int | None) -> None:
        """Plays an action of the agent whose turn it is."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        mover = self.agent_selection
        if action is None:
            raise TypeError("action is None, expected an integer while the game goes on")
        self._cumulative_rewards[mover] = 0.0
        step = self._env.step(action)
        self.rewards = dict(zip(_AGENTS, step.rewards, strict=True))
        if step.terminal:
            self.terminations = dict.fromkeys(_AGENTS, True)
            self.agent_selection = _AGENTS[1 - _AGENTS.index(mover)]
        else:
            self._select()
        self._accumulate_rewards()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Returns the board as text, or as an array of pixels."""
        return render(self._env, self.render_mode)

    def close(self) -> None:
        """Nothing is left open."""


def millbrain_v0(variant: str = "morris", **settings: Any) -> MillbrainAEC:
    """Returns the environment by its name and version, as PettingZoo's own are made."""
    return MillbrainAEC(variant, **settings)
