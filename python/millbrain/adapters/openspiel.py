"""The game ``python_millbrain`` of OpenSpiel; importing this module registers it.

Parameters: ``variant`` (``morris``), ``rules`` (house rules by the protocol's options, ``Stones=7,Flying=false``) and
``fen``. Within the text of a game rules are ``Stones:7;Flying:false``: OpenSpiel keeps commas and equals signs for
itself.

>>> game = pyspiel.load_game("python_millbrain(variant=muehle,rules=Stones:5)")
>>> state = game.new_initial_state()
>>> state.apply_action(state.legal_actions()[4])
>>> state.current_player(), state.action_to_string(1, state.legal_actions()[0]), state.is_terminal()
(1, 'a7', False)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from ..env import Environment

__all__ = ["MillbrainGame", "MillbrainState"]

_NAME = "python_millbrain"
# Longer than any game by the draw rules of the variants: a game of plies without end would be no OpenSpiel game.
_LONGEST = 10_000
_TYPE = pyspiel.GameType(
    short_name=_NAME,
    long_name="Nine Men's Morris and Smess",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"variant": "morris", "rules": "", "fen": ""},
)


def _value(text: str) -> bool | int | str:
    """Returns a rule's value as a keyword takes it."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdigit() else text


def _rules(text: str) -> dict[str, bool | int | str]:
    """House rules by keyword: ``No Mill Draw:30`` is ``no_mill_draw=30``."""
    rules: dict[str, bool | int | str] = {}
    for rule in filter(None, text.split(";")):
        name, found, value = rule.partition(":")
        if not found:
            raise ValueError(f"rule {rule!r}, expected one such as Stones:7")
        rules[name.strip().lower().replace(" ", "_").replace("-", "_")] = _value(value.strip())
    return rules


class MillbrainGame(pyspiel.Game):  # type: ignore[misc]
    """The rules of a variant."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = dict(params or {})
        # The text of the game, by which it is loaded again, has neither commas nor equals signs.
        params["rules"] = (params.get("rules") or "").replace(",", ";").replace("=", ":")
        variant, fen = params.get("variant") or "morris", params.get("fen") or None
        self._first = Environment(variant, fen, **_rules(params["rules"]))
        info = pyspiel.GameInfo(
            num_distinct_actions=self._first.num_actions,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=_LONGEST,
        )
        super().__init__(_TYPE, info, params)

    def new_initial_state(self, state: Any = None) -> MillbrainState:
        """Returns a new game."""
        if state is not None:
            raise ValueError("a state is given, expected None: games begin with the parameter fen")
        return MillbrainState(self, self._first.clone())

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        """Returns what shows a state as planes and as a FEN."""
        return _Observer(self._first.observation_shape, params)


class MillbrainState(pyspiel.State):  # type: ignore[misc]
    """A game in progress."""

    def __init__(self, game: MillbrainGame, env: Environment) -> None:
        super().__init__(game)
        self.env = env

    def current_player(self) -> int:
        """0 for White, 1 for Black, or OpenSpiel's number for a game that is over."""
        return self.env.current_player

    def _legal_actions(self, player: int) -> list[int]:
        return [int(action) for action in self.env.legal_actions()]

    def _apply_action(self, action: int) -> None:
        self.env.step(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.env.action_to_move(action)

    def is_terminal(self) -> bool:
        """Returns whether the game is over."""
        return self.env.is_terminal

    def returns(self) -> list[float]:
        """Rewards of White and Black."""
        return list(self.env.returns())

    def __str__(self) -> str:
        return self.env.board.fen()


class _Observer:
    """A state as OpenSpiel's algorithms see it."""

    def __init__(self, shape: tuple[int, int, int], params: Any) -> None:
        if params:
            raise ValueError(f"parameters {params} of an observation, expected none")
        self.tensor: npt.NDArray[np.float32] = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: MillbrainState, player: int) -> None:
        """Shows a state, to either player as the side to move sees it."""
        self.dict["observation"][:] = state.env.observation()

    def string_from(self, state: MillbrainState, player: int) -> str:
        """Returns the position as a FEN."""
        return str(state)


pyspiel.register_game(_TYPE, MillbrainGame)
