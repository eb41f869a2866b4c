"""Thousands of games side by side on kernels, for programs that learn by playing.

    batch = Batch(4096, "wild16", seed=1)
    while True:
        actions = policy(batch.observations, batch.masks)      # one per game, for its side to move
        batch.step(actions)
        learn(batch.rewards, batch.ended)

A game that ends begins again at once. The next step overwrites every array, so copy what you keep. Answers and
announcements equal those of `Referee`, and observations those of `kriegbot.environments.spaces`;
tests/test_environments.py compares them.
"""

import chess
import numpy as np
import numpy.typing as npt

from kriegbot.environments import batch_kernel as at
from kriegbot.environments.spaces import ACTIONS, PLANES
from kriegbot.kernels import TABLES, from_board, kernel_rules, subseed
from referee import BERKELEY, PAPER_LIMITS, Asking, Audience, Limits, Referee, RuleSet, rule_set

INT64 = np.dtype(np.int64)
ASKING = {Asking.NONSENSE: 0, Asking.OBLIGES: 1, Asking.OBLIGES_ONCE: 2}


class Batch:
    """Games side by side, each waiting for an action of its side to move.

    Every game has the same rules, draw limits and first position (`start`, a FEN). `seed` is that of `random_actions`.

    Attributes:
      observations: [games, 34, 8, 8] bytes, for the side to move: see `spaces`.
      masks: [games, 4169] booleans, its open actions: see `spaces`.
      turns: [games] booleans, the side to move: `chess.WHITE` (True) or `chess.BLACK`.
      answers: [games] answers to the last step: 0 illegal, 1 accepted, 2 no, 3 yes (to "Any?").
      announcements: [games] codes of the last move's announcement: see `kernels.announcements`.
      ended: [games] 0 if the game goes on after the last step, otherwise the code of its end: see
        `kernels.announcements`.
      rewards: [games, 2] of White and Black in the last step: 1 for a win, -1 for a loss, otherwise 0.
      last_observations: [games, 2, 34, 8, 8] bytes, for White and Black, at the end of the last game.
      boards: [games, 8] words, the true positions, for critics only; `kernels.to_board` reads one.

    Raises:
      ValueError: `games` is below 1, the start is impossible (BadStart), or no rule set has that name (UnknownRuleSet).
    """

    def __init__(
        self,
        games: int,
        rules: RuleSet | str = BERKELEY,
        limits: Limits = PAPER_LIMITS,
        *,
        start: str = chess.STARTING_FEN,
        seed: int = 0,
    ) -> None:
        if games < 1:
            raise ValueError(f"illegal number of games {games}: it takes a whole number from 1")
        rules = rule_set(rules)
        rule_numbers = *kernel_rules(rules, limits), int(rules.illegal_to is Audience.BOTH), ASKING[rules.asking]
        rows, planes = at.ROW * (games + 1), 64 * PLANES * games
        self._memory = np.zeros(rows + -(-(3 * planes + ACTIONS * games) // 8), np.uint64)  # see `batch_kernel`
        table, octets = self._memory[:rows].reshape(games + 1, at.ROW), self._memory[rows:].view(np.uint8)
        notes = table[:, at.NOTES : at.NOTES + at.NOTE_COUNT].view(np.int64)
        table[0, :8] = from_board(Referee(rules, limits, start).board())
        notes[0, : len(rule_numbers)] = rule_numbers
        self._states, self.boards = table[1:, at.STATE], table[1:, :8]
        self.observations = octets[:planes].reshape(games, PLANES, 8, 8)
        self.last_observations = octets[planes : 3 * planes].reshape(games, 2, PLANES, 8, 8)
        self.masks = octets[3 * planes :][: ACTIONS * games].view(np.bool_).reshape(games, ACTIONS)
        self.turns = notes.view(np.bool_)[1:, notes.itemsize * at.TURN]  # its lowest byte
        self.answers = notes[1:, at.REPLY]
        self.announcements, self.ended = notes[1:, at.STEP_ANNOUNCEMENT], notes[1:, at.ENDED]
        self.rewards = notes[1:, at.REWARD : at.REWARD + 2]
        self._shape = (games,)
        self.reset(seed=seed)

    def reset(self, games: npt.ArrayLike | None = None, *, seed: int | None = None) -> None:
        """Begin games anew.

        Args:
          games: their numbers, or [games] booleans; None for all.
          seed: new seed of their `random_actions`; None to continue with the old one.
        """
        which = np.arange(*self._shape)[slice(None) if games is None else np.atleast_1d(games)]
        if seed is not None:
            self._states[which] = [subseed(seed, game) for game in which.tolist()]
        for array in (self.answers, self.announcements, self.ended, self.rewards):
            array[which] = 0
        at.begin_some(TABLES, self._memory, *self._shape, which)

    def step(self, actions: npt.ArrayLike) -> None:
        """Play one action in every game, and update all arrays.

        Raise ValueError, and change nothing, if an action is not open or there is not one for each game.
        """
        numbers = np.asarray(actions)
        if numbers.shape != self._shape or numbers.dtype.kind not in "iu":
            takes = f"it takes a whole number for each game, {self._shape}"
            raise ValueError(f"illegal actions of shape {numbers.shape} and type {numbers.dtype}: {takes}")
        numbers = np.ascontiguousarray(numbers, INT64)
        wrong = at.step_all(TABLES, self._memory, numbers)
        if wrong >= 0:
            raise ValueError(f"illegal action {numbers[wrong]} in game {wrong}: it takes one of masks[{wrong}]")

    def random_actions(self) -> npt.NDArray[np.int64]:
        """Return an open action for every game, uniformly at random."""
        actions = np.empty(self._shape, INT64)
        at.draw_all(self._memory, actions)
        return actions
