"""A PettingZoo environment of Kriegspiel: two agents, "white_0" and "black_0", who take turns.

    environment = env(rules="wild16")
    environment.reset(seed=1)

Wraps the `Referee` itself, so it is not fast: `Batch` is. An observation is a dictionary of `observation`, the array of
`spaces.observe`, and `action_mask`, of `spaces.mask_of`. An action that is not open is answered as the
referee answers any such try; a refused try leaves the turn where it is. Nothing else is ever in `infos`.
"""

from typing import Any

import chess
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from kriegbot.environments.spaces import ACTIONS, MOST, PLANES, answer, mask_of, observe, reward_of
from referee import BERKELEY, PAPER_LIMITS, Limits, Referee, RuleSet, rule_set

AGENTS = ("white_0", "black_0")
COLORS = dict(zip(AGENTS, chess.COLORS, strict=True))


def env(**options: Any) -> AECEnv[str, Any, Any]:
    """The environment in PettingZoo's usual wrappers, which check the order of calls; see `KriegspielEnv`."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(KriegspielEnv(**options)))


class KriegspielEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]  # pettingzoo is not typed throughout
    """One game.

    Args:
      rules: the rule set, or its name.
      limits: when the game is drawn.
      max_cycles: after how many tries, refused ones included, the game is cut short (truncated); None for never.
      render_mode: "ansi" to have `render` return the true board as text, for people; None.

    Raises:
      ValueError: no rule set has that name (UnknownRuleSet).
    """

    metadata = {"name": "kriegspiel_v0", "render_modes": ["ansi"], "is_parallelizable": False}  # noqa: RUF012  # theirs

    def __init__(
        self,
        rules: RuleSet | str = BERKELEY,
        limits: Limits = PAPER_LIMITS,
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.rules, self.limits, self.max_cycles, self.render_mode = rule_set(rules), limits, max_cycles, render_mode
        self.possible_agents = list(AGENTS)
        planes = spaces.Box(0, MOST, (PLANES, 8, 8), np.uint8)
        mask = spaces.Box(0, 1, (ACTIONS,), np.int8)
        self.observation_spaces = {agent: spaces.Dict({"observation": planes, "action_mask": mask}) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """What `observe` returns."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The numbers of `spaces`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002  # no chance
        """Begins a game; there is nothing random in it."""
        self.referee = Referee(self.rules, self.limits)
        self.cycles = 0
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[0]
        self.rewards: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent knows, and what is open to it."""
        view = self.referee.view(COLORS[agent])
        return {"observation": observe(view), "action_mask": mask_of(view).astype(np.int8)}

    def step(self, action: int | None) -> None:
        """Answers an action of the agent to move."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"illegal action None of {agent}: it takes a number from 0 to {ACTIONS - 1}")
        answer(self.referee, int(action))
        self.cycles += 1
        self._cumulative_rewards[agent] = 0.0
        end = self.referee.end
        self.rewards = {one: reward_of(self.referee, COLORS[one]) for one in AGENTS}
        self.terminations = dict.fromkeys(AGENTS, end is not None)
        self.truncations = dict.fromkeys(AGENTS, end is None and self.cycles == self.max_cycles)
        self.agent_selection = AGENTS[self.referee.turn == chess.BLACK]
        self._accumulate_rewards()

    def render(self) -> str | None:
        """The true board, for people to look at: not for agents."""
        return str(self.referee.board()) if self.render_mode == "ansi" else None
