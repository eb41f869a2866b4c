"""A PettingZoo environment of Kriegspiel: two agents, "white_0" and "black_0", who take turns.

    environment = env(rules="wild16")
    environment.reset(seed=1)

It wraps a `Referee`; `Batch` is faster. An observation is a dictionary of `observation` (`spaces.observe`) and
`action_mask` (`spaces.mask_of`). The referee refuses an action that is not open. `infos` are empty.
"""

from typing import Any

import chess
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from kriegbot.environments.single import Refereed
from kriegbot.environments.spaces import ACTIONS, MAX_BYTE, PLANES, answer, mask_of, observe, reward_of
from referee import BERKELEY, PAPER_LIMITS, Limits, Referee, RuleSet, rule_set

AGENTS = ("white_0", "black_0")
COLORS = dict(zip(AGENTS, chess.COLORS, strict=True))


def env(**options: Any) -> AECEnv[str, Any, Any]:
    """Return a `KriegspielEnv` in PettingZoo's wrappers that check the actions and the order of calls."""
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(KriegspielEnv(**options)))


class KriegspielEnv(Refereed, AECEnv[str, Any, Any]):  # type: ignore[misc]  # pettingzoo is not typed throughout
    """One game for two agents.

    Args:
      rules: the rule set, or its name. Raises UnknownRuleSet, a ValueError.
      max_cycles: number of actions, refused tries included, after which the game is truncated; None for no limit.
      render_mode: "ansi" if `render` shall return the true board as text, for people.
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
        planes = spaces.Box(0, MAX_BYTE, (PLANES, 8, 8), np.uint8)
        mask = spaces.Box(0, 1, (ACTIONS,), np.int8)
        self.observation_spaces = {agent: spaces.Dict({"observation": planes, "action_mask": mask}) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(ACTIONS) for agent in AGENTS}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002  # no chance
        """Begin a game. Nothing in it is random."""
        self._referee = Referee(self.rules, self.limits)
        self.cycles = 0
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[0]
        self.rewards: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's observation and mask."""
        view = self.referee.view(COLORS[agent])
        return {"observation": observe(view), "action_mask": mask_of(view).astype(np.int8)}

    def step(self, action: int | None) -> None:
        """Play an action of the agent to move; raise ValueError if none has this number."""
        referee, agent = self.referee, self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"illegal action None of {agent}: it takes a number from 0 to {ACTIONS - 1}")
        answer(referee, action)
        self.cycles += 1
        self._cumulative_rewards[agent] = 0.0
        end = referee.end
        self.rewards = {one: reward_of(referee, COLORS[one]) for one in AGENTS}
        self.terminations = dict.fromkeys(AGENTS, end is not None)
        self.truncations = dict.fromkeys(AGENTS, end is None and self.cycles == self.max_cycles)
        self.agent_selection = AGENTS[referee.turn == chess.BLACK]
        self._accumulate_rewards()
