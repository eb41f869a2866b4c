"""The turning points of a side: the turns that lost most of its chance of winning, with the reasons in words.

A turn is judged by what its side could know: by boards consistent with the announcements. Try values are those of
hints. A turn loses by its move, if a better one was known, or by a surprise: the next turn looks worse than the move
made had promised. Chess sites, too, choose turns by lost winning chances; the themes are our own.

Noise is no error: nothing is judged by fewer than `FEW` samples, an error's interval, but of a mate, must lie above the
threshold, and turns from which the search sees a limit of the game, beyond which all is drawn, are left out.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import TypedDict

import chess

from kriegbot.belief.timeline import FEW, BeliefSnapshot, BeliefTimeline
from kriegbot.endgames import probe
from kriegbot.kernels import to_board
from kriegbot.narration.diary import score_name
from kriegbot.narration.helping import HINT_SAMPLES, MASTER, PARTICLES, SEED, TryValued, value_tries
from kriegbot.narration.reasons import PlayedMove, Reasons
from kriegbot.players.human import try_name
from referee import OwnTry, View
from referee.text import counted

MAX_POINTS, MIN_LOSS = 3, 0.1  # turning points of a side, and the winning chance that each has lost at least
CERTAIN = "mate certain"  # the theme of the first turn with a proof
MIN_SURPRISE = 0.2  # the winning chance that a surprise has lost at least
LOST, WON = 0.1, 0.9  # winning chances beyond which a game is decided: moves that stay there lose nothing
CLIFF, CLIFF_TURNS = 0.4, 4  # winning chance lost within so many turns that needs its turning point
PARTS, STUDENT_95 = 5, 2.776
"""Parts of the drawn boards, searched apart for an error's interval; Student's t for four degrees of freedom."""


class TurningPoint(TypedDict):
    """A turn that lost much, or from which mate was certain."""

    side: str
    events: int  # number that the side knew before the turn
    place: str  # number of the move
    made: str
    before: int  # winning chances in percent before the loss: with the better try, or the move made before a surprise
    after: int  # winning chances after it
    theme: str  # one of `results.THEMES`, "lucky", "surprise", "position" or CERTAIN
    text: str  # the reason, in sentences


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn with the winning chances at its beginning, with the move made, and at the next turn; None if unknown."""

    played: PlayedMove
    belief: BeliefSnapshot
    made: TryValued | None
    better: TryValued | None  # the best move; None if too little is known
    best: float | None
    next: float | None

    @property
    def name(self) -> str:
        """The move as on a score sheet."""
        return score_name(try_name(self.played.move, self.belief.view), self.played.announcement)

    @property
    def error(self) -> float:
        """The winning chance that the move lost, by what its side knew."""
        if self.made is None or self.better is None:
            return 0.0
        return winning_chance(self.better["value"]) - winning_chance(self.made["value"])

    @property
    def surprise(self) -> float:
        """The winning chance lost from the move made to the next turn."""
        if self.next is None or self.played.reply is None:
            return 0.0
        return 0.0 if self.made is None else winning_chance(self.made["value"]) - self.next

    @property
    def fall(self) -> float:
        """The winning chance lost from this turn to the next."""
        return 0.0 if self.best is None or self.next is None else self.best - self.next

    @property
    def loss(self) -> float:
        """The greater of error and surprise; 0 if both are small, or the game was lost before.

        An error counts unless the game is still won, a surprise if the reply mates or takes material.
        """
        is_won = self.made is not None and winning_chance(self.made["value"]) >= WON
        is_bad = self.surprise >= MIN_SURPRISE and (self.played.is_mated or self.played.pawns_won < 0)
        loss = max(0.0 if is_won or self.error < MIN_LOSS else self.error, self.surprise if is_bad else 0.0)
        return 0.0 if self.best is None or self.best <= LOST else loss


def winning_chance(centipawns: float) -> float:
    """Return the expected score of a value, from 0 to 1; four pawns make the odds ten to one."""
    return float(1 / (1 + 10 ** (-centipawns / 400)))


def played_moves(view: View, other: View) -> Iterator[PlayedMove]:
    """Yield the moves of a side, from the final views of both."""
    moves_left = {
        each.color: [(at, one) for at, one in enumerate(each.events) if isinstance(one, OwnTry) and one.announcement]
        for each in (view, other)
    }
    board = chess.Board(view.start)
    while moves_left[board.turn]:
        events, made = moves_left[board.turn].pop(0)
        if board.turn == view.color and made.announcement is not None:
            reply = next((one for _, one in moves_left[other.color]), None)
            later = moves_left[view.color][0][0] if moves_left[view.color] else len(view.events)
            refused = [one for one in view.events[events + 1 : later] if isinstance(one, OwnTry)]
            moves = made.move, reply.move if reply else None
            announced = made.announcement, reply.announcement if reply else None
            yield PlayedMove(events, board.copy(stack=False), *moves, *announced, len(refused))
        board.push(made.move)


class Hindsight:
    """One side of a finished game: its beliefs, the values of its tries, its turning points. Results are cached."""

    def __init__(self) -> None:
        self._timeline = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES)
        self._values: dict[int, list[TryValued]] = {}
        self._points: dict[int, tuple[object, TurningPoint] | None] = {}

    def at(self, view: View, events: int | None = None, seconds: float = math.inf) -> BeliefSnapshot | None:
        """Return the side's belief after so many events; see `BeliefTimeline.at`."""
        return self._timeline.at(view, events, seconds)

    def values(self, belief: BeliefSnapshot) -> list[TryValued]:
        """Return the values of the tries in a belief, best first."""
        events = len(belief.view.events)
        if events not in self._values:
            self._values[events] = value_tries(belief)
        return self._values[events]

    def turning_points(
        self, view: View, other: View, you: chess.Color | None = None, seconds: float = math.inf
    ) -> list[TurningPoint] | None:
        """Return at most `MAX_POINTS` turning points, the gravest first; then the first turn at which mate was certain.

        `view` and `other` are the final views. The turn with the steepest fall within a cliff is one if anything
        explains it. The texts call the side `you` "you". Return None if `seconds` did not suffice; call again to go on.
        """
        deadline = time.perf_counter() + seconds
        for played in played_moves(view, other):
            belief = self.at(view, played.events, deadline - time.perf_counter())
            if belief is None:
                return None
            is_new = played.events not in self._values
            self.values(belief)
            if is_new and time.perf_counter() > deadline:
                return None
        turns = self._judged(view, other)
        cliff = steepest(turns)
        points: dict[object, TurningPoint] = {}  # only the gravest of each fault, such as one piece left hanging twice
        for turn in sorted(turns, key=lambda one: (one is not cliff, -one.loss)):
            if not turn.loss and turn is not cliff:
                break
            events = turn.played.events
            if events not in self._points:
                self._points[events] = turning_point(turn, you)
                if time.perf_counter() > deadline:
                    return None
            if (found := self._points[events]) is not None:
                points.setdefault(*found)
            if len(points) == MAX_POINTS:
                break
        certain = [one for turn in turns if (one := certain_point(turn)) is not None]
        return [*sorted(points.values(), key=lambda one: one["after"] - one["before"]), *certain[:1]]

    def _judged(self, view: View, other: View) -> list[JudgedTurn]:
        turns: list[JudgedTurn] = []
        for played in reversed(list(played_moves(view, other))):
            belief = self.at(view, played.events)
            assert belief is not None
            tries = self.values(belief) if belief.is_reliable and not sees_limit(belief) else []
            made = next((one for one in tries if one["uci"] == played.move.uci()), None)
            better = next((one for one in tries if not one["question"]), None)
            best = winning_chance(better["value"]) if better else None
            later = turns[-1].best if turns else 0.0 if played.is_mated else None
            made, better = (one if one and is_counted(belief, one) else None for one in (made, better))
            turns.append(JudgedTurn(played, belief, made, better, best, later))
        return turns[::-1]


def sees_limit(belief: BeliefSnapshot) -> bool:
    """Return True if the search of hints reaches a limit at which the game is drawn."""
    limits, depth = belief.view.limits, MASTER.depth
    quiet = max((to_board(row).halfmove_clock for row in belief.rows), default=0)
    is_last = limits.plies is not None and belief.view.ply + depth >= limits.plies
    return is_last or (limits.quiet_plies is not None and quiet + depth >= limits.quiet_plies)


def is_counted(belief: BeliefSnapshot, one: TryValued) -> bool:
    """Return True if a try is legal on enough boards to judge it."""
    return belief.has_all_rows or one["legal"] * len(belief.rows) >= FEW


def is_error(turn: JudgedTurn) -> bool:
    """Return True if the move lost at least `MIN_LOSS`, and not by chance: each part of the drawn boards is asked."""
    belief, losses = turn.belief, list[float]()
    if turn.made is None or turn.better is None or turn.error < MIN_LOSS or belief.has_all_rows:
        return turn.error >= MIN_LOSS
    for part in range(PARTS):
        rows = replace(belief, rows=belief.rows[part::PARTS].copy(), counts=belief.counts[part::PARTS].copy())
        values = {one["uci"]: winning_chance(one["value"]) for one in value_tries(rows)}
        if {turn.made["uci"], turn.better["uci"]} <= values.keys():
            losses.append(values[turn.better["uci"]] - values[turn.made["uci"]])
    return len(losses) == PARTS and fmean(losses) - STUDENT_95 * stdev(losses) / math.sqrt(PARTS) >= MIN_LOSS


def steepest(turns: Sequence[JudgedTurn]) -> JudgedTurn | None:
    """Return the turn with the greatest fall within the steepest cliff; None without a cliff or an explanation."""

    def depth(window: Sequence[JudgedTurn]) -> float:
        best, last = window[0].best, window[-1].next
        return 0.0 if best is None or last is None else best - last

    cliff = max((turns[at : at + CLIFF_TURNS] for at in range(len(turns))), key=depth, default=turns)
    # a turn that cannot be judged may fall for no reason that could be named
    explained = [one for one in cliff if depth(cliff) >= CLIFF and max(one.error, one.surprise) >= MIN_LOSS]
    return max(explained, key=lambda one: one.fall, default=None)


def turning_point(turn: JudgedTurn, you: chess.Color | None) -> tuple[object, TurningPoint] | None:
    """Return a key of the fault, equal for repetitions of it, and the turning point; None if nothing explains it."""
    played, made, better, found = turn.played, turn.made, turn.better, None
    reasons = Reasons(played, turn.belief, better, you)
    is_lucky = played.after.is_checkmate() and turn.error >= MIN_LOSS
    if made is not None and better is not None and (is_lucky or is_error(turn)):
        before, after = winning_chance(better["value"]), winning_chance(made["value"])
        found = reasons.find((better["value"] - made["value"]) / 100)
    elif turn.next is not None and turn.surprise >= MIN_SURPRISE:
        before, after = turn.surprise + turn.next, turn.next
        found = reasons.surprise()
    if found is None:
        return None
    theme, why, detail = found
    return (theme, detail), _point(turn, before, after, theme, f"{reasons.move_text()} {why}")


def certain_point(turn: JudgedTurn) -> TurningPoint | None:
    """Return the turning point of a turn at which mate was certain; None for others."""
    proof = probe(turn.belief.view)
    if proof is None:
        return None
    text = f"From here mate was certain in at most {counted(proof.moves, 'move')}, whatever the king did."
    return _point(turn, turn.best or 0.0, 1.0, CERTAIN, text)


def _point(turn: JudgedTurn, before: float, after: float, theme: str, text: str) -> TurningPoint:
    side = turn.belief.view.color
    return {
        "side": chess.COLOR_NAMES[side],
        "events": turn.played.events,
        "place": f"{turn.played.board.fullmove_number}{'.' if side else '...'}",
        "made": turn.name,
        "before": round(100 * before),
        "after": round(100 * after),
        "theme": theme,
        "text": text,
    }
