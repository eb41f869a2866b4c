"""Thousands of games of Kriegspiel side by side on the kernels, for programs that learn by playing.

    batch = Batch(4096, "wild16", seed=1)
    while True:
        actions = policy(batch.observations, batch.masks)      # one for each game, of the side to move there
        batch.step(actions)
        learn(batch.rewards, batch.ended)

A game that ends begins again at once. Every array is written over by the next step: copy what is to be kept. The games
are equal to those of `Referee` in every answer and announcement, and what is shown of them to what
`kriegbot.environments.spaces` computes from a `View`; tests/test_environments.py compares them.
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

    Args:
      games: how many.
      rules: the rule set of all, or its name.
      limits: when a game is drawn.
      start: FEN of the first position.
      seed: of `random_actions`.

    Attributes:
      observations: [games, 34, 8, 8] bytes, what the side to move knows: see `observations`.
      masks: [games, 4169] booleans, the actions open to it: see `spaces`.
      turns: [games] booleans, the side to move: `chess.WHITE` (True) or `chess.BLACK`.
      answers: [games] of the last step: 0 illegal, 1 accepted, 2 no, 3 yes (to "Any?").
      said: [games] what was announced of the last move, as `kernels.announcements` writes it.
      ended: [games] 0 if the last step did not end the game, otherwise how it ended, by its number in
        `kernels.announcements`.
      rewards: [games, 2] of the last step, first White's and then Black's: 1 for a win, -1 for a loss, otherwise 0.
      last_observations: [games, 2, 34, 8, 8] bytes, what White and Black see at the end of a game: that of the last
        step, where that ended one.
      boards: [games, 8] words, the true positions, which `kernels.to_board` reads one by one: for critics alone.

    Raises:
      ValueError: there are no games, or they cannot begin there (BadStart), or no rule set has that name
        (UnknownRuleSet).
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
        manners = at.Manners(int(rules.illegal_to is Audience.BOTH), ASKING[rules.asking])
        rules_noted = *kernel_rules(rules, limits), *manners
        rows, planes = at.ROW * (games + 1), 64 * PLANES * games
        self._memory = np.zeros(rows + -(-(3 * planes + ACTIONS * games) // 8), np.uint64)  # see `batch_kernel`
        table, octets = self._memory[:rows].reshape(games + 1, at.ROW), self._memory[rows:].view(np.uint8)
        notes = table[:, at.NOTED : at.NOTED + at.NOTES].view(np.int64)
        table[0, :8] = from_board(Referee(rules, limits, start).board())
        notes[0, : len(rules_noted)] = rules_noted
        self._states, self.boards = table[1:, at.STATE], table[1:, :8]
        self.observations = octets[:planes].reshape(games, PLANES, 8, 8)
        self.last_observations = octets[planes : 3 * planes].reshape(games, 2, PLANES, 8, 8)
        self.masks = octets[3 * planes :][: ACTIONS * games].view(np.bool_).reshape(games, ACTIONS)
        self.turns = notes.view(np.bool_)[1:, notes.itemsize * at.TURN]  # its lowest byte
        self.answers = notes[1:, at.REPLY]
        self.said, self.ended = notes[1:, at.ANNOUNCED], notes[1:, at.ENDED]
        self.rewards = notes[1:, at.REWARD : at.REWARD + 2]
        self._shape = (games,)
        self.reset(seed=seed)

    def reset(self, games: npt.ArrayLike | None = None, *, seed: int | None = None) -> None:
        """Begins games anew; nothing has been answered, said or won in them.

        Args:
          games: their numbers, or [games] booleans that are true for them; None for all.
          seed: of `random_actions` in them; None to draw on.

        Raises:
          IndexError: there is no such game.
        """
        which = np.arange(*self._shape)[slice(None) if games is None else np.atleast_1d(games)]
        if seed is not None:
            self._states[which] = [subseed(seed, game) for game in which.tolist()]
        for array in (self.answers, self.said, self.ended, self.rewards):
            array[which] = 0
        at.begin_some(TABLES, self._memory, *self._shape, which)

    def step(self, actions: npt.ArrayLike) -> None:
        """Answers one action in every game; all the arrays then hold what follows.

        Raises:
          ValueError: an action is not open, or there is not one for each game; then nothing has changed.
        """
        given = np.asarray(actions)
        if given.shape != self._shape or given.dtype.kind not in "iu":
            takes = f"it takes a whole number for each game, {self._shape}"
            raise ValueError(f"illegal actions of shape {given.shape} and type {given.dtype}: {takes}")
        given = np.ascontiguousarray(given, INT64)
        wrong = at.step_all(TABLES, self._memory, given)
        if wrong >= 0:
            raise ValueError(f"illegal action {given[wrong]} in game {wrong}: it takes one of masks[{wrong}]")

    def random_actions(self) -> npt.NDArray[np.int64]:
        """An open action for every game, uniformly at random."""
        actions = np.empty(self._shape, INT64)
        at.draw_all(self._memory, actions)
        return actions
