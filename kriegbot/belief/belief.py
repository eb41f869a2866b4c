"""The belief of one side: sampled boards that fit everything it has heard, updated from event to event.

`Belief.update(view)` takes in what is new in the view. When no board fits any more (the sample was too small), rescues
are tried in this order and counted. "replay": an earlier set of boards is taken through the same events again with more
particles; the result fits everything heard. "last observation": boards are altered to fit what was heard last. "blind":
enemy men are put anywhere. After either of the last two the belief is no longer the information set, and
`particles.fits_all` is false until a replay succeeds. If even "blind" finds no board, the belief is empty until more is
heard. A belief with `retries` also tries a replay after each of so many further moves of the opponent; a later one
would have to begin too far back.
"""

import math
import time
from collections import Counter, deque
from dataclasses import dataclass

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.filter import Event
from kriegbot.belief.particles import Particles
from kriegbot.belief.rescue import from_last_observation, perturb
from kriegbot.models.protocol import Opponent, prior_of
from kriegbot.models.uniform import uniform
from referee import Answer, OpponentMoved, OwnQuestion, OwnTry, View

CHECKPOINTS = 8
SPACING = 3
"""Turns of the opponent between two checkpoints that a replay may start from; the last eight are kept."""
REPLAY_FACTOR = 4
"""How many times more particles a replay uses."""
MOST_REPLAYED, MOST_RETRIED = 400_000, 160_000
"""How many boards, counted again at each turn of the opponent, the replays of a rescue may take through such turns, and
those of an attempt to come back from one. A rescue mostly takes less than 2 s then, and rarely up to 4."""
MIN_ALTERED = 5_000
"""The least number of boards to alter when no replay helps."""
TIMED_BOARDS = 1_000
"""How many boards it takes to measure the time of one."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The boards before an event of the view; always at an opponent's turn."""

    event: int
    particles: Particles


@dataclass(slots=True)
class ReplayBudget:
    """What is left to replays: a time by `time.perf_counter`, and boards as MOST_REPLAYED counts them."""

    deadline: float = math.inf
    boards: float = math.inf


class Belief:
    """Boards that fit a view, at most `max_particles` of them (more for a while after a replay)."""

    def __init__(
        self,
        view: View,
        max_particles: int = 50_000,
        seed: int = 0,
        opponent: Opponent = uniform,
        *,
        retries: int = 0,
    ) -> None:
        self.max_particles, self.seed, self.opponent = max_particles, seed, opponent
        self.retries, self._retries_left = retries, 0
        self.rescues: Counter[str] = Counter()
        """How often each rescue was needed."""
        self.last_rescue = ""
        """The gravest rescue that the last update needed, "" for none."""
        self.particles = at_start(view, opponent)
        self.terms = kb.kernel_rules(view.rules, view.limits)
        self._view, self._heard = view, 0
        """The last view, and how many of its events are taken in."""
        self._opponent_turns = 0
        self._pace = 0.0
        """Seconds that a board last took through a move of the opponent."""
        self._checkpoints: deque[Checkpoint] = deque(maxlen=CHECKPOINTS)
        self.before_opponent_moved = Checkpoint(0, self.particles)
        """The boards before the last move of the opponent, and the number of that event."""
        self.update(view)

    def update(self, view: View, seconds: float | None = None) -> None:
        """Take in the events of a view that are new since the last update.

        Args:
          view: what its side knows now.
          seconds: after which replays end, if the belief runs dry or is astray; None for all that they may take.

        Raises:
          ValueError: the view is not of the same side and game, or does not go on from the last one.
          EmptyBelief: nothing fits what was heard; the view is inconsistent with its rule set.
        """
        self._check(view)
        self._view = view
        self.last_rescue = ""
        deadline, begun = math.inf if seconds is None else time.perf_counter() + seconds, self._heard
        while self._heard < len(view.events):
            event = self._heard
            if isinstance(view.events[event], OpponentMoved):
                self.before_opponent_moved = Checkpoint(event, self.particles)
                if self._opponent_turns % SPACING == 0 and self.particles.is_consistent:
                    self._checkpoints.append(self.before_opponent_moved)
                self._opponent_turns += 1
            after = self._after(self.particles, view, event, self.max_particles, self.seed)
            self._heard += 1
            self.particles = after if len(after) else self._rescued(view, event, deadline)
        if self._retries_left and not self.last_rescue and self.before_opponent_moved.event >= begun:
            self._retries_left -= 1
            seed, allowance = kb.subseed(self.seed, self._heard), ReplayBudget(deadline, MOST_RETRIED)
            found = self._replayed_from_earlier(view, self._heard - 1, seed, allowance)
            if found is not None:
                self.particles = self._counted("replay", found)

    def _check(self, view: View) -> None:
        last = self._view
        same = {name: getattr(view, name) == getattr(last, name) for name in ("color", "rules", "limits", "start")}
        same["events"] = tuple(view.events[: len(last.events)]) == tuple(last.events)
        for name, is_same in same.items():
            if not is_same:
                raise ValueError(f"illegal view: other {name} than the belief's; it takes later views of that game")

    def draw(self, samples: int, seed: int) -> tuple[kb.Rows, kb.RealArray]:
        """Draw histories: boards [n, 8], n <= samples, and how often each was drawn [n], which sums to `samples`."""
        return self.particles.draw(samples, seed)

    def shuffled(self, seed: int) -> tuple[kb.Rows, kb.RealArray]:
        """Every board once, in random order, with its weight: for a search that may be stopped at any moment.

        Unlike drawing histories one by one, a search that gets through all boards has the belief's exact average. One
        that is stopped early has seen fewer effective histories than boards, if weights differ.
        """
        order = np.argsort(kb.uniforms(seed, len(self.particles)), kind="stable")
        return self.particles.rows[order], self.particles.weights[order]

    def occupancy(self, color: chess.Color) -> kb.RealArray:
        """Probability [6, 64] that a man of each kind (pawn to king) of a side stands on each square (a1 to h8).

        Raises:
          ValueError: the side is neither chess.WHITE nor chess.BLACK.
        """
        rows, weights = self.particles.rows, self.particles.weights
        men = rows[:, 5 + kb.side_of(color)]
        pawns, knights, diagonals, orthogonals, kings = (rows[:, i] & men for i in range(5))
        bishops, rooks, queens = diagonals & ~orthogonals, orthogonals & ~diagonals, diagonals & orthogonals
        kinds = np.stack([pawns, knights, bishops, rooks, queens, kings])
        bits = np.unpackbits(kinds.astype("<u8").view(np.uint8), axis=1, bitorder="little")
        return np.einsum("n,kns->ks", weights, bits.reshape(6, len(rows), 64))

    def _after(self, particles: Particles, view: View, index: int, max_particles: int, seed: int) -> Particles:
        begun = time.perf_counter()
        after = after_event(particles, view, index, self.terms, max_particles, seed, self.opponent)
        if isinstance(view.events[index], OpponentMoved) and len(particles) >= TIMED_BOARDS:
            self._pace = (time.perf_counter() - begun) / len(particles)
        return after

    def _replayed(
        self, start: Checkpoint, view: View, end: int, max_particles: int, seed: int, allowance: ReplayBudget
    ) -> Particles:
        """Boards of a checkpoint taken through all events up to and including number `end`; may be empty."""
        particles = start.particles
        for index in range(start.event, end + 1):
            if len(particles) == 0:
                break
            if isinstance(view.events[index], OpponentMoved):  # only these steps take long
                allowance.boards -= len(particles)
                if allowance.boards < 0 or time.perf_counter() + self._pace * len(particles) > allowance.deadline:
                    return Particles(particles.rows[:0], particles.weights[:0], is_exact=False)
            particles = self._after(particles, view, index, max_particles, seed)
        return particles

    def _replayed_from_earlier(self, view: View, end: int, seed: int, allowance: ReplayBudget) -> Particles | None:
        """The boards of a replay with more particles from this turn, or from the latest checkpoint that leaves any."""
        earlier = [
            checkpoint for checkpoint in reversed(self._checkpoints) if checkpoint is not self.before_opponent_moved
        ]
        for checkpoint in (self.before_opponent_moved, *earlier):
            if checkpoint.particles.is_consistent:
                most = REPLAY_FACTOR * self.max_particles
                particles = self._replayed(checkpoint, view, end, most, seed, allowance)
                if len(particles):
                    return particles
        return None

    def _rescued(self, view: View, event: int, deadline: float) -> Particles:
        """A non-empty set after an event that left none; see the head of this file."""
        if self.particles.is_exact:
            raise EmptyBelief(f"nothing fits event {event} of the view, {view.events[event]}, nor ever did")
        seed = kb.subseed(self.seed, event)
        found = self._replayed_from_earlier(view, event, seed, ReplayBudget(deadline, MOST_REPLAYED))
        if found is not None:
            return self._counted("replay", found)
        opponent = kb.side_of(not view.color)
        heard, terms = kb.last_announced(view, self.before_opponent_moved.event)
        for changes in (1, 1, 2, 3, 4) if len(self.before_opponent_moved.particles) else ():
            seed = kb.subseed(seed, changes)
            most = max(self.max_particles, MIN_ALTERED)
            start = perturb(self.before_opponent_moved.particles, opponent, changes, heard, terms, most, seed)
            fitting = Checkpoint(self.before_opponent_moved.event, start)
            particles = self._replayed(fitting, view, event, self.max_particles, seed, ReplayBudget())
            if len(particles):
                return self._counted("last observation", particles)
        self._heard = len(view.events)
        return self._counted("blind", from_last_observation(view, seed))

    def _counted(self, rescue: str, particles: Particles) -> Particles:
        self.rescues[rescue] += 1
        self._retries_left = 0 if rescue == "replay" else self.retries
        self.last_rescue = max(self.last_rescue, rescue, key=("", "replay", "last observation", "blind").index)
        return particles


def at_start(view: View, opponent: Opponent = uniform) -> Particles:
    """The position that the game began with, which both sides know, once for each kind of opponent."""
    prior = prior_of(opponent)
    return Particles(
        kb.with_type_ids(kb.from_board(chess.Board(view.start)), len(prior)), np.array(prior), is_exact=True
    )


def after_event(
    particles: Particles,
    view: View,
    index: int,
    terms: kb.KernelRules,
    max_particles: int,
    seed: int,
    opponent: Opponent = uniform,
    *,
    has_single: bool = False,
) -> Particles:
    """What one event of a view makes of boards, of which `max_particles` at most are kept after an opponent's move.

    With `has_single`, at most one board follows then from each.
    """
    match view.events[index]:
        case OwnTry(move, Answer.ACCEPTED, announcement) if announcement is not None:
            return particles.after_own_move(kb.encode_move(move), kb.encode_announcement(announcement), terms)
        case OwnTry(_, Answer.ILLEGAL) | OwnQuestion(Answer.YES | Answer.NO) as answer:
            return particles.after_answer(answer)
        case OpponentMoved(announcement):
            event = Event(
                kb.encode_announcement(announcement), kb.turn_history(view, index), *kb.announced_moves(view, index)
            )
            seed = kb.subseed(seed, index)
            return particles.after_opponent(event, opponent, terms, max_particles, seed, has_single=has_single)
    return particles


class EmptyBelief(ValueError):
    """Nothing fits what was heard: the view contradicts its start or its rule set."""
