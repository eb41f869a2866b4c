"""The belief of one side: boards consistent with every announcement so far, updated event by event.

A sampled belief may run empty although some board is consistent. Then it tries these rescues in order and counts them:

1. "replay": filter an earlier set of boards through the events since, with more particles. The result is consistent.
2. "perturbed": move or change enemy pieces on the boards before the opponent's last move, keep those that fit what was
   announced of that position, and filter them through the events since. Records of 0.2.0 call it "last observation".
3. "blind": put the opponent's pieces anywhere that the last announcement allows or, if no board drawn fits it, at least
   this turn's refusals and answers. If none fits these either, the belief stays empty for now.
   Blind boards have opponent type 0.

After 2 or 3 the belief is not the information set, and `particles.is_consistent` is False until a replay succeeds.
"""

import math
import time
from collections import Counter, deque
from dataclasses import dataclass, replace

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.belief.filter import add_pieces
from kriegbot.belief.last_observation import blind_particles
from kriegbot.belief.particles import Filter, Particles
from kriegbot.belief.perturbation import Perturbation, perturb
from kriegbot.models.built_in import uniform
from kriegbot.models.protocol import Opponent
from referee import OpponentMoved, View

CHECKPOINTS, SPACING = 8, 3  # kept for replays; moves of the opponent between two of them
REPLAY_FACTOR, MAX_REPLAYED = 4, 800_000
"""Particles of a replay, relative to those of the belief, and the most where the belief itself has no more."""
MAX_RESCUE_BOARDS, MAX_RECOVERY_BOARDS = 400_000, 160_000
"""Boards, summed over the opponent's moves, for the replays of a rescue and of a later recovery without a deadline."""
MIN_PERTURBED, MAX_PERTURBED = 5_000, 50_000
"""Boards to perturb for rescue 2: enough, since few match the announcement; not more, since no deadline ends it."""
PERTURBATIONS = (1, 1, 2, 3, 4)  # random changes to each board, attempt by attempt; each has its own seed
FEWEST, FILTERING_SHARE = 2_000, 2 / 3
"""Boards that a limit of time always allows, and the share of its seconds that the next filtering of all may take."""
TIMED_BOARDS = 1_000  # boards enough for a reliable time per board
SECONDS_PER_BOARD, MEASURED = 2e-6, 3  # time per board before it is measured; the slowest of so many times counts
WRITTEN = 0.25  # cost of a board that follows, relative to that of the board before the move


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The particles before an event of the view: the first one, or a move of the opponent."""

    event: int
    particles: Particles


@dataclass(slots=True)
class ReplayBudget:
    """Limit of the replays that share it: a deadline by `time.perf_counter`, or without one a number of boards."""

    deadline: float = math.inf
    boards: float = math.inf


class Belief:
    """Boards consistent with one side's view of a game, but for rescues 2 and 3, with their probabilities.

    Args:
      max_particles: most boards kept after a move of the opponent; fewer if `seconds` do not suffice to filter them at
        the next one. A replay may keep more for a while.
      model: opponent model that weighs the opponent's moves.
      recovery_attempts: N, if an inconsistent belief attempts a replay after each of the opponent's next N moves.
      seconds: as for `update`, while it takes in `view`.
      threads: number of threads; the boards are the same for any.

    Attributes:
      rescues: number of rescues of each kind.
      last_rescue: the gravest rescue of the last update, "" for none.
      before_opponent_moved: the checkpoint before the opponent's last move.

    In Wild 16 the referee announces the number of pawn captures: one after 1. e4 d5, so Black has played d5 or f5:

    >>> import chess
    >>> from kriegbot import Belief
    >>> from referee import WILD16, Referee
    >>> referee = Referee(WILD16)
    >>> belief = Belief(referee.view(chess.WHITE))
    >>> for move in (chess.Move.from_uci("e2e4"), chess.Move.from_uci("d7d5")):
    ...     _ = referee.try_move(move)
    >>> belief.update(referee.view(chess.WHITE))
    >>> len(belief.particles), belief.particles.is_exact
    (2, True)
    >>> pawns = belief.occupancy(chess.BLACK)[chess.PAWN - 1]
    >>> float(pawns[chess.D5]), float(pawns[chess.E5])
    (0.5, 0.0)
    """

    def __init__(
        self,
        view: View,
        max_particles: int = 50_000,
        seed: int = 0,
        model: Opponent = uniform,
        *,
        recovery_attempts: int = 0,
        seconds: float | None = None,
        threads: int = 1,
    ) -> None:
        self.filter = Filter(kb.kernel_rules(view.rules, view.limits), max_particles, seed, model, threads=threads)
        self._limited = self.filter  # with as many particles as the limit of the last update allows
        self.recovery_attempts, self._attempts_left = recovery_attempts, 0
        self.rescues: Counter[str] = Counter()
        self.last_rescue = ""
        self.particles = self.filter.start(view)
        self._view, self._events = view, 0  # the number of events that the particles reflect
        self._opponent_moves = 0
        self._times = deque([SECONDS_PER_BOARD], maxlen=MEASURED)  # seconds per board
        self._checkpoints: deque[Checkpoint] = deque(maxlen=CHECKPOINTS)
        self.before_opponent_moved = Checkpoint(0, self.particles)
        self.update(view, seconds)

    def update(self, view: View, seconds: float | None = None) -> None:
        """Update the boards for all new events of a view; `seconds` limits the replays and the number of boards.

        Raises ValueError if the view does not continue the last one, and EmptyBelief if an exact belief runs empty.
        """
        self._check(view)
        self._view, self.last_rescue, seen = view, "", self._events
        deadline = math.inf if seconds is None else time.perf_counter() + seconds
        self._limited = self.filter
        if seconds is not None:
            most = max(FEWEST, int(FILTERING_SHARE * seconds / max(self._times)))
            self._limited = replace(self.filter, max_particles=min(most, self.filter.max_particles))
        while self._events < len(view.events):
            event = self._events
            if isinstance(view.events[event], OpponentMoved):
                self.before_opponent_moved = Checkpoint(event, self.particles)
                if self._opponent_moves % SPACING == 0 and self.particles.is_consistent:
                    self._checkpoints.append(self.before_opponent_moved)
                self._opponent_moves += 1
            particles = self._after_event(self._limited, self.particles, event)
            self._events += 1
            self.particles = particles if len(particles) else self._rescued(event, deadline)
        if self.before_opponent_moved.event >= seen:
            self._try_to_recover(deadline)

    def _check(self, view: View) -> None:
        last, earlier = self._view, replace(view, events=view.events[: len(self._view.events)])
        for name in ("color", "rules", "limits", "start", "events"):
            if getattr(earlier, name) != getattr(last, name):
                raise ValueError(f"illegal view: other {name} than the belief's; it takes later views of that game")

    def shuffled(self, seed: int) -> tuple[kb.Rows, kb.RealArray]:
        """Return every board once, in random order, with its weight: for a search that may stop at any moment."""
        order = np.argsort(kb.random_numbers(seed, len(self.particles)), kind="stable")
        return self.particles.rows[order], self.particles.weights[order]

    def occupancy(self, color: chess.Color) -> kb.RealArray:
        """Return the probability [6, 64] of a piece of each type (pawn to king) of a side on each square (a1 to h8)."""
        chances = np.zeros(6 * 64)
        add_pieces(self.particles.rows, self.particles.weights, kb.side_of(color), chances)
        return chances.reshape(6, 64)

    def _after_event(self, filter_: Filter, particles: Particles, event: int) -> Particles:
        start = time.perf_counter()
        after = filter_.after_event(particles, self._view, event)
        if isinstance(self._view.events[event], OpponentMoved) and len(particles) >= TIMED_BOARDS:
            boards = (len(particles) + WRITTEN * len(after)) / (1.0 + WRITTEN)
            self._times.append((time.perf_counter() - start) / boards)
        return after

    def _replayed(self, filter_: Filter, start: Checkpoint, end: int, budget: ReplayBudget) -> Particles:
        """Filter a checkpoint through the events up to and including `end`; return no boards if the budget runs out."""
        particles = start.particles
        for event in range(start.event, end + 1):
            if len(particles) == 0:
                break
            if isinstance(self._view.events[event], OpponentMoved):  # only these steps take long
                budget.boards -= len(particles)
                is_late = time.perf_counter() + max(self._times) * len(particles) > budget.deadline
                if is_late or (budget.boards < 0 and budget.deadline == math.inf):
                    return Particles(particles.rows[:0], particles.weights[:0], is_exact=False)
            particles = self._after_event(filter_, particles, event)
        return particles

    def _replayed_from_checkpoints(self, end: int, seed: int, budget: ReplayBudget) -> Particles:
        """Replay with more particles from before the opponent's last move, else from the latest possible checkpoint."""
        most = self._limited.max_particles
        wider = replace(self._limited, max_particles=max(most, min(REPLAY_FACTOR * most, MAX_REPLAYED)), seed=seed)
        current, particles = self.before_opponent_moved, Particles(self.particles.rows[:0], np.empty(0), is_exact=False)
        for checkpoint in (current, *(one for one in reversed(self._checkpoints) if one is not current)):
            if checkpoint.particles.is_consistent and len(particles) == 0:
                particles = self._replayed(wider, checkpoint, end, budget)
        return particles

    def _rescued(self, event: int, deadline: float) -> Particles:
        """Return other particles after an event that left none; see the module's docstring."""
        view, last = self._view, self.before_opponent_moved
        if self.particles.is_exact:
            self.particles = Particles(self.particles.rows[:0], np.empty(0), is_exact=True)
            raise EmptyBelief(f"no board is consistent with event {event} of the view, {view.events[event]}")
        seed = kb.subseed(self.filter.seed, event)
        particles = self._replayed_from_checkpoints(event, seed, ReplayBudget(deadline, MAX_RESCUE_BOARDS))
        if len(particles):
            return self._counted("replay", particles)
        code, rules = kb.position_announcement(view, last.event)
        for changes in PERTURBATIONS if len(last.particles) else ():
            seed = kb.subseed(seed, changes)
            change = Perturbation(kb.side_of(not view.color), changes, code, rules)
            count = min(max(self._limited.max_particles, MIN_PERTURBED), MAX_PERTURBED)
            start = perturb(last.particles, change, count, seed)
            reseeded = replace(self._limited, seed=seed)
            particles = self._replayed(reseeded, Checkpoint(last.event, start), event, ReplayBudget())
            if len(particles):
                return self._counted("perturbed", particles)
        self._events = len(view.events)  # blind boards match the end of the view: skip the events before
        return self._counted("blind", blind_particles(view, seed))

    def _try_to_recover(self, deadline: float) -> None:
        """Replay after a move of the opponent, if an earlier rescue left the belief inconsistent."""
        if self._attempts_left and not self.last_rescue:
            self._attempts_left -= 1
            seed, budget = kb.subseed(self.filter.seed, self._events), ReplayBudget(deadline, MAX_RECOVERY_BOARDS)
            particles = self._replayed_from_checkpoints(self._events - 1, seed, budget)
            if len(particles):
                self.particles = self._counted("replay", particles)

    def _counted(self, rescue: str, particles: Particles) -> Particles:
        self.rescues[rescue] += 1
        self._attempts_left = 0 if rescue == "replay" else self.recovery_attempts
        self.last_rescue = max(self.last_rescue, rescue, key=("", "replay", "perturbed", "blind").index)
        return particles


class EmptyBelief(ValueError):
    """An exact belief ran empty: the view contradicts its start or its rule set."""
