"""A Gymnasium environment of Kriegspiel: one side, against any player of kriegbot.

    environment = SingleEnv("kriegbot:samples=50", rules="wild16")
    observation, info = environment.reset(seed=1)
    observation, reward, terminated, truncated, info = environment.step(info["action_mask"].argmax())

An observation is the array of `spaces.observe`, and `info["action_mask"]` tells what is open. A refused try
changes the observation and leaves the turn; after a move the opponent plays.
"""

from collections import deque
from typing import Any, SupportsInt

import chess
import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from kriegbot.environments.spaces import ACTIONS, MOST, PLANES, answer, mask_of, observe, reward_of
from kriegbot.game.trial import seat_of
from kriegbot.game.turn import turn
from referee import BERKELEY, PAPER_LIMITS, Limits, Referee, RuleSet, rule_set

Observation = npt.NDArray[np.uint8]


class SingleEnv(gymnasium.Env[Observation, np.int64]):
    """One game against an opponent.

    Args:
      opponent: its spec, such as "kriegbot:samples=50".
      color: our side; None to draw it anew for every game.
      rules: the rule set, or its name.
      limits: when the game is drawn.
      render_mode: "ansi" to have `render` return the true board as text, for people; None.

    Raises:
      ValueError: there is no such opponent (BadSpec), rule set (UnknownRuleSet) or color.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  # as Gymnasium has it

    def __init__(
        self,
        opponent: str = "rand",
        color: chess.Color | None = chess.WHITE,
        rules: RuleSet | str = BERKELEY,
        limits: Limits = PAPER_LIMITS,
        render_mode: str | None = None,
    ) -> None:
        self.rules, self.limits, self.render_mode = rule_set(rules), limits, render_mode
        self.observation_space = spaces.Box(0, MOST, (PLANES, 8, 8), np.uint8)
        self.action_space = spaces.Discrete(ACTIONS)
        if color not in (*chess.COLORS, None):
            raise ValueError(f"illegal color {color!r}: it takes chess.WHITE, chess.BLACK or None")
        self.color = bool(color)
        self._is_drawn, self._seat = color is None, seat_of(opponent, self.rules)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a game; the seed is that of our side, if it is drawn, and of the opponent's choices."""
        super().reset(seed=seed, options=options)
        if self._is_drawn:
            self.color = bool(self.np_random.integers(2))
        self.referee = Referee(self.rules, self.limits)
        self._seat.begin(int(self.np_random.integers(2**63)))
        self._go_on()
        return self._shown()

    def step(self, action: SupportsInt) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Answers an action, and lets the opponent play if it was a move.

        Raises:
          GameIsOver: the game has ended.
          PlayerFailed: the opponent raised, hung, or tried for ever.
        """
        answer(self.referee, int(action))
        self._go_on()
        observation, info = self._shown()
        return observation, reward_of(self.referee, self.color), self.referee.end is not None, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """What is open now, under the name that learners with masks look for."""
        return mask_of(self.referee.view(self.color))

    def render(self) -> str | None:
        """The true board, for people to look at: not for learners."""
        return str(self.referee.board()) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Lets the opponent go."""
        self._seat.close()

    def _go_on(self) -> None:
        if self.referee.end is None and self.referee.turn != self.color:
            deque(turn(self.referee, self._seat), maxlen=0)
        if self.referee.end is not None:
            self._seat.end(self.referee.view(not self.color))

    def _shown(self) -> tuple[Observation, dict[str, Any]]:
        view = self.referee.view(self.color)
        return observe(view), {"action_mask": mask_of(view).astype(np.int8)}
