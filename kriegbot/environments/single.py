"""A Gymnasium environment of Kriegspiel: one side, against any player of kriegbot.

    environment = SingleEnv("kriegbot:samples=50", rules="wild16")
    observation, info = environment.reset(seed=1)
    observation, reward, terminated, truncated, info = environment.step(info["action_mask"].argmax())

An observation is the array of `spaces.observe`; `info["action_mask"]` marks the open actions. After a refused try it is
still our turn; after a move the opponent plays.
"""

from collections import deque
from typing import Any, SupportsIndex

import chess
import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from kriegbot.environments.spaces import ACTIONS, MAX_BYTE, PLANES, answer, mask_of, observe, reward_of
from kriegbot.game.match import play_turn, seat_of
from referee import BERKELEY, PAPER_LIMITS, Limits, Referee, RuleSet, rule_set

Observation = npt.NDArray[np.uint8]


class Refereed:
    """The game of an environment, and its picture."""

    _referee: Referee | None = None
    render_mode: str | None

    @property
    def referee(self) -> Referee:
        """The referee of the game. Raises ResetNeeded before the first one."""
        if self._referee is None:
            raise gymnasium.error.ResetNeeded("There is no game yet: call reset() first.")
        return self._referee

    def render(self) -> str | None:
        """Return the true board, for people only."""
        return str(self.referee.board()) if self.render_mode == "ansi" else None


class SingleEnv(Refereed, gymnasium.Env[Observation, np.int64]):
    """One game against an opponent.

    Args:
      opponent: its spec, such as "kriegbot:samples=50".
      color: our side; None for a random one in every game.
      rules: the rule set, or its name.
      render_mode: "ansi" if `render` shall return the true board as text, for people.

    Raises ValueError unless there are such an opponent (BadSpec), rule set (UnknownRuleSet) and color.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  # theirs

    def __init__(
        self,
        opponent: str = "rand",
        color: chess.Color | None = chess.WHITE,
        rules: RuleSet | str = BERKELEY,
        limits: Limits = PAPER_LIMITS,
        render_mode: str | None = None,
    ) -> None:
        self.rules, self.limits, self.render_mode = rule_set(rules), limits, render_mode
        self.observation_space = spaces.Box(0, MAX_BYTE, (PLANES, 8, 8), np.uint8)
        self.action_space = spaces.Discrete(ACTIONS)
        if color not in (*chess.COLORS, None):
            raise ValueError(f"illegal color {color!r}: it takes chess.WHITE, chess.BLACK or None")
        self.color = bool(color)
        self._is_random, self._seat = color is None, seat_of(opponent, self.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game. The seed is that of the opponent's choices, and decides our side if it is random."""
        super().reset(seed=seed, options=options)
        if self._is_random:
            self.color = bool(self.np_random.integers(2))
        self._referee = Referee(self.rules, self.limits)
        self._seat.begin(int(self.np_random.integers(2**63)))
        self._play_opponent()
        return self._observation()

    def step(self, action: SupportsIndex) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play an action and, after a move, the opponent's turn. Raise GameIsOver, ValueError, PlayerFailed."""
        answer(self.referee, action)
        self._play_opponent()
        observation, info = self._observation()
        return observation, reward_of(self.referee, self.color), self.referee.end is not None, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the open actions, under the name that learners with masks expect."""
        return mask_of(self.referee.view(self.color))

    def close(self) -> None:
        """End the opponent's process, if it has one."""
        self._seat.close()

    def _play_opponent(self) -> None:
        if self.referee.end is None and self.referee.turn != self.color:
            deque(play_turn(self.referee, self._seat), maxlen=0)
        if self.referee.end is not None:
            self._seat.end(self.referee.view(not self.color))

    def _observation(self) -> tuple[Observation, dict[str, Any]]:
        view = self.referee.view(self.color)
        return observe(view), {"action_mask": mask_of(view).astype(np.int8)}
