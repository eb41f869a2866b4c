"""The turning points of a side: the turns that lost most of its chance of winning, with the reasons in words.

A turn is judged by what its side could know: by boards consistent with the announcements. Try values are those of
hints. The reasons are counted on a hundred of these boards, one ply deep, for the move made and the better try alike;
only what happened next comes from the true board. Choosing turns by lost winning chances is what chess sites do; the
themes are our own.
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypedDict

import chess
import numpy as np

from kriegbot.belief.belief import BeliefSnapshot, BeliefTimeline
from kriegbot.kernels import to_board
from kriegbot.narration.helping import HINT_SAMPLES, PARTICLES, SEED, TryValued, value_tries
from referee import Answer, OwnTry, View, pieces

MAX_POINTS, MIN_LOSS = 3, 0.1  # turning points of a side, and the winning chance that each has lost at least
LOST, WON = 0.1, 0.9  # winning chances beyond which a game is decided; later turns are no turning points
MIN_LEGAL, MIN_BOARDS = 0.2, 30
"""Least chance that a better try is legal, and the fewest boards to judge by unless they are all possible ones."""
MIN_SHARE, MIN_PAWNS = 15, 0.3
"""Percent of the boards, and pawns, by which two tries must differ for that to be the reason."""
BOARD_STEP = HINT_SAMPLES // 100  # every so-manieth sampled board counts, which leaves a hundred
PAWNS = {kind: round(value) for kind, value in pieces.PIECE_VALUES.items()}  # bishop for knight costs nothing


class TurningPoint(TypedDict):
    """A turn that lost much."""

    side: str
    events: int  # number that the side knew before the turn
    place: str  # number of the move
    made: str
    better: str  # the try with the highest value
    before: float  # winning chance with the better try
    after: float  # winning chance with the move made
    theme: str  # one of `results.THEMES`, or "position"
    text: str  # the reason, in sentences


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A side's move on the true board, and the reply if there was one."""

    events: int  # number that the side knew before
    board: chess.Board
    move: chess.Move
    reply: chess.Move | None

    @property
    def after(self) -> chess.Board:
        """The true board after the move."""
        board = self.board.copy(stack=False)
        board.push(self.move)
        return board


def winning_chance(centipawns: float) -> float:
    """Return the expected score of a value, from 0 to 1; four pawns make the odds ten to one."""
    return float(1 / (1 + 10 ** (-centipawns / 400)))


def played_moves(view: View, other: View) -> Iterator[PlayedMove]:
    """Yield the moves of a side, from the final views of both."""
    own, others = (
        [
            (number, event.move)
            for number, event in enumerate(each.events)
            if isinstance(event, OwnTry) and event.answer is Answer.ACCEPTED
        ]
        for each in (view, other)
    )
    board, replies = chess.Board(view.start), [move for _, move in others]
    if board.turn != view.color and replies:
        board.push(replies.pop(0))
    for number, (events, move) in enumerate(own):
        played = PlayedMove(events, board, move, replies[number] if number < len(replies) else None)
        yield played
        board = played.after
        if played.reply is not None:
            board.push(played.reply)


class Hindsight:
    """One side of a finished game: its beliefs, the values of its tries, its turning points. Results are cached."""

    def __init__(self) -> None:
        self._timeline = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES)
        self._values: dict[int, list[TryValued]] = {}
        self._points: dict[int, tuple[object, TurningPoint]] = {}

    def at(self, view: View, events: int | None = None, seconds: float = math.inf) -> BeliefSnapshot | None:
        """Return the side's belief after so many events; see `BeliefTimeline.at`."""
        return self._timeline.at(view, events, seconds)

    def values(self, belief: BeliefSnapshot) -> list[TryValued]:
        """Return the values of the tries in a belief, best first."""
        events = len(belief.view.events)
        if events not in self._values:
            self._values[events] = value_tries(belief)
        return self._values[events]

    def value_turns(self, view: View, other: View) -> Iterator[tuple[int, int]]:
        """Compute the values of all turns. Yield the number of turns done, and of all."""
        moves = list(played_moves(view, other))
        for done, played in enumerate(moves, 1):
            if belief := self.at(view, played.events):
                self._made_and_better(belief, played.move)
            yield done, len(moves)

    def turning_points(
        self, view: View, other: View, you: chess.Color | None = None, seconds: float = math.inf
    ) -> list[TurningPoint] | None:
        """Return at most `MAX_POINTS` turning points, the gravest first, from the final views.

        The texts call the side `you` "you". Return None if `seconds` did not suffice; the next call continues.
        """
        deadline = time.perf_counter() + seconds
        losses: list[tuple[float, PlayedMove, BeliefSnapshot, TryValued, TryValued]] = []
        for played in played_moves(view, other):
            belief = self.at(view, played.events, deadline - time.perf_counter())
            if belief is None:
                return None
            is_new = played.events not in self._values
            made, better = self._made_and_better(belief, played.move)
            if is_new and time.perf_counter() > deadline:
                return None
            if made is None or better is None:
                continue
            before, after = winning_chance(better["value"]), winning_chance(made["value"])
            if before - after >= MIN_LOSS and before > LOST and after < WON:
                losses.append((before - after, played, belief, made, better))
        points: dict[object, TurningPoint] = {}  # only the gravest of each fault, such as one piece left hanging twice
        for _, played, belief, made, better in sorted(losses, key=lambda loss: -loss[0]):
            if played.events not in self._points:
                self._points[played.events] = turning_point(played, belief, made, better, you)
                if time.perf_counter() > deadline:
                    return None
            fault, point = self._points[played.events]
            points.setdefault(fault, point)
            if len(points) == MAX_POINTS:
                break
        return list(points.values())

    def _made_and_better(self, belief: BeliefSnapshot, move: chess.Move) -> tuple[TryValued | None, TryValued | None]:
        """Return the values of the move made and of the best try; None where too little is known."""
        tries = self.values(belief)
        if not belief.is_consistent or (belief.boards < MIN_BOARDS and not belief.is_exact):
            return None, None
        made = next((one for one in tries if one["uci"] == move.uci()), None)
        return made, next((one for one in tries if one["legal"] >= MIN_LEGAL), None)


def turning_point(
    played: PlayedMove, belief: BeliefSnapshot, made: TryValued, better: TryValued, you: chess.Color | None
) -> tuple[object, TurningPoint]:
    """Return a key of the fault, equal for repetitions of it, and the turning point."""
    reasons = Reasons(played, belief, better, you)
    theme, why, detail = reasons.find()
    return (theme, detail), {
        "side": chess.COLOR_NAMES[belief.view.color],
        "events": played.events,
        "place": f"{played.board.fullmove_number}{'.' if belief.view.color else '...'}",
        "made": made["name"],
        "better": better["name"],
        "before": round(winning_chance(better["value"]), 3),
        "after": round(winning_chance(made["value"]), 3),
        "theme": theme,
        "text": f"{reasons.move_text()} {why}",
    }


@dataclass(slots=True)
class Outlook:
    """Consequences of a try within one ply: counts of boards, among a hundred sampled ones of a belief."""

    legal: int = 0  # the try is legal; all other counts are among these boards
    mates: int = 0
    stalemates: int = 0
    mated: int = 0  # the enemy can mate at once
    promoted: int = 0  # the enemy can promote at once
    takes: Counter[chess.PieceType] = field(default_factory=Counter)  # by the type of the captured piece
    hanging: Counter[chess.Square] = field(default_factory=Counter)  # the enemy can win material by capturing there
    by: defaultdict[chess.Square, Counter[chess.PieceType]] = field(default_factory=lambda: defaultdict(Counter))
    """Boards of `hanging` by square and type of the capturing piece."""
    cost: Counter[chess.Square] = field(default_factory=Counter)  # pawns lost that way, summed over boards

    @property
    def gain(self) -> float:
        """Pawns captured, on average over all boards."""
        return sum(PAWNS[kind] * count for kind, count in self.takes.items()) / 100

    def share(self, count: int) -> int:
        """Return a count in percent of the boards on which the try is legal."""
        return round(100 * count / max(self.legal, 1))

    @classmethod
    def of(cls, belief: BeliefSnapshot, move: chess.Move) -> Outlook:
        """Return the outlook of a try."""
        outlook = cls()
        rows = np.repeat(belief.rows, belief.counts.astype(np.int64), axis=0)[::BOARD_STEP]
        for row, count in zip(*np.unique(rows, axis=0, return_counts=True), strict=True):
            outlook._add(to_board(row), move, int(count))
        return outlook

    def _add(self, board: chess.Board, move: chess.Move, count: int) -> None:
        if not board.is_legal(move):
            return
        self.legal += count
        taken, own = captured_type(board, move), board.turn
        if taken:
            self.takes[taken] += count
        board.push(move)
        replies = list(board.legal_moves)
        if not replies:
            self.mates += count * board.is_check()
            self.stalemates += count * (not board.is_check())
        self.mated += count * any(board.gives_check(reply) and is_mate(board, reply) for reply in replies)
        self.promoted += count * any(reply.promotion for reply in replies)
        costs: dict[tuple[chess.Square, chess.PieceType], int] = {}
        for reply in replies:
            square, by = reply.to_square, type_at(board, reply.from_square)
            value = PAWNS.get(captured_type(board, reply), 0)
            cost = value - PAWNS[by] * board.is_attacked_by(own, square)
            if square == move.to_square:
                cost -= PAWNS.get(taken, 0)  # an exchange: the try captured there first
            if value and cost > 0:
                costs[square, by] = cost
        for square in {square for square, _ in costs}:
            self.hanging[square] += count
            self.cost[square] += count * max(cost for (at, _), cost in costs.items() if at == square)
        for square, by in costs:
            self.by[square][by] += count


class Reasons:
    """Why a move lost so much: the facts, and sentences about them."""

    def __init__(self, played: PlayedMove, belief: BeliefSnapshot, better: TryValued, you: chess.Color | None) -> None:
        self._played, self._belief, self._you = played, belief, you
        self._move, self._best_move = played.move, chess.Move.from_uci(better["uci"])
        self._made, self._best = Outlook.of(belief, self._move), Outlook.of(belief, self._best_move)
        mover = belief.view.color
        self._me, self._my, self._enemy, self._enemys = self._names(mover) + self._names(not mover)
        self._better = better["name"]

    def find(self) -> tuple[str, str, object]:
        """Return the theme, the reason, and a detail that tells it from others of this theme."""
        made, best, better, enemy = self._made, self._best, self._better, self._enemy
        square, cost = self._hanging_square()
        gain, last = best.gain - made.gain, self._belief.view.last_reply
        reply, after, board = self._played.reply, self._played.after, self._played.board
        if made.share(made.stalemates) - best.share(best.stalemates) >= MIN_SHARE:
            why = f"That was stalemate {self._on_boards(made.share(made.stalemates), made)}."
            return "stalemate", f"{why} {self._after_better('it would', 'have been stalemate', best.stalemates)}", None
        if best.mates - made.mates >= MIN_SHARE:
            is_real = board.is_legal(self._best_move) and is_mate(board, self._best_move)
            real = "including the real one" if is_real else "though not in the real one"
            return "mate missed", f"{better} would have mated {self._on_boards(best.mates)}, {real}.", None
        is_mated = reply is not None and is_mate(after, reply)
        if made.share(made.mated) - best.share(best.mated) >= (1 if is_mated else MIN_SHARE):
            came = "did" if is_mated else "did not"
            why = f"{enemy} could mate at once {self._on_boards(made.share(made.mated), made)}, and {came}."
            return "mate allowed", _sentences(why, self._after_better(f"{enemy} could", "have mated", best.mated)), None
        if square is not None and cost >= max(gain, MIN_PAWNS):
            is_back = square == self._move.to_square and captured_type(board, self._move) > 0
            return "unsafe capture" if is_back else "piece left hanging", self._why_hanging(square, is_back), square
        if gain >= MIN_PAWNS:
            kinds, where = _alternatives(best.takes), self._on_boards(best.takes.total())
            if last is not None and last.capture == self._best_move.to_square:
                why = f"{enemy} had just captured on {chess.square_name(self._best_move.to_square)}."
                return "recapture missed", _sentences(why, f"{better} would have recaptured {kinds} {where}."), None
            real_kind = type_at(board, self._best_move.to_square)
            one = "one" if kinds == _a(real_kind) else _a(real_kind)
            real = f"and there really was {one}" if real_kind else "though in fact the square was empty"
            share = best.share(best.hanging[self._best_move.to_square])
            risk = f"in {share} of 100 {self._me} would have lost something in return."
            if not share:
                risk = f"{self._me} would have lost nothing in return."
            return "capture missed", _sentences(f"{better} would have won {kinds} {where}, {real}.", risk), None
        if self._best_move.promotion and not self._move.promotion:
            return "promotion missed", f"{better} was legal {self._on_boards(best.legal)}.", None
        if made.share(made.promoted) - best.share(best.promoted) >= MIN_SHARE:
            came = "did" if reply is not None and reply.promotion else "did not"
            why = (
                f"{enemy} could promote a pawn at once {self._on_boards(made.share(made.promoted), made)}, and {came}."
            )
            then = self._after_better(f"{enemy} could", "have promoted", best.promoted)
            return "promotion allowed", _sentences(why, then), None
        return "position", f"No capture explains it; looking two plies ahead, {better} comes out better.", better

    def move_text(self) -> str:
        """Return a sentence on the move made."""
        board, move = self._played.board, self._move
        if board.is_castling(move):
            return _sentences(f"{self._me} castled.")
        piece = f"{self._my} {chess.piece_name(type_at(board, move.from_square))}"
        target, taken = chess.square_name(move.to_square), captured_type(board, move)
        if not taken:
            return _sentences(f"{piece} went to {target}.")
        share = self._made.share(self._made.takes.total())
        chance = "" if share > 50 else f", where there was a piece in {share} of 100 possible positions"
        return _sentences(f"{piece} captured {_a(taken)} on {target}{chance}.")

    def _hanging_square(self) -> tuple[chess.Square | None, float]:
        """Return the square where the move made costs most more than the better try, and by how many pawns."""
        worst: tuple[chess.Square | None, float] = None, 0.0
        for square, cost in self._made.cost.items():
            more = cost / self._made.legal - self._best.cost[self._square_after_best(square)] / self._best.legal
            worst = max(worst, (square, more), key=lambda one: one[1])
        return worst

    def _square_after_best(self, square: chess.Square) -> chess.Square:
        """Return where the piece on a square after the move made would be after the better try."""
        origin = self._move.from_square if square == self._move.to_square else square
        return self._best_move.to_square if origin == self._best_move.from_square else origin

    def _why_hanging(self, square: chess.Square, is_back: bool) -> str:
        """Return sentences: the piece could be captured, whether it was, and the chance after the better try."""
        made, after, reply = self._made, self._played.after, self._played.reply
        piece = chess.piece_name(type_at(after, square))
        act = "recapture" if is_back else f"take the {piece} on {chess.square_name(square)}"
        came = f"{self._enemy} did not"
        if reply is not None and reply.to_square == square:
            came = f"{self._enemys} {chess.piece_name(type_at(after, reply.from_square))} did"
        where = self._on_boards(made.share(made.hanging[square]), made)
        return _sentences(
            f"{where}, {_alternatives(made.by[square])} could {act}; {came}.",
            self._after_better(f"the {piece} could", "be taken", self._best.hanging[self._square_after_best(square)]),
        )

    def _on_boards(self, share: int, made: Outlook | None = None) -> str:
        """Return "in 29 of 100 possible positions"; with the outlook of the move made, of those where it was legal."""
        legal = "" if made is None or made.legal == 100 else " in which that try was legal"
        if self._belief.boards == 1:
            return f"in the only possible position{legal}"
        return f"in every possible position{legal}" if share == 100 else f"in {share} of 100 possible positions{legal}"

    def _after_better(self, subject: str, act: str, count: int) -> str:
        """Return a sentence on the better try: "After Rh8 Black could have mated in 3 of 100."."""
        share = self._best.share(count)
        could = subject if share else f"{subject} not"
        return f"After {self._better} {could} {act} {f'in {share} of 100' if share else 'in any of them'}."

    def _names(self, color: chess.Color) -> tuple[str, str]:
        """Return a side's name and its possessive."""
        if color == self._you:
            return "you", "your"
        return ("White", "White's") if color else ("Black", "Black's")


def _sentences(*texts: str) -> str:
    return " ".join(f"{text[0].upper()}{text[1:]}" for text in texts)


def _a(kind: chess.PieceType) -> str:
    return "the king" if kind == chess.KING else f"a {chess.piece_name(kind)}" if kind else ""


def _alternatives(kinds: Counter[chess.PieceType]) -> str:
    """Return the likely types of pieces as alternatives: "a pawn, a knight or a queen"."""
    likely = kinds.most_common()
    names = [_a(kind) for kind, count in likely if 4 * count >= likely[0][1]]
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def captured_type(board: chess.Board, move: chess.Move) -> chess.PieceType:
    """Return the type of the piece that a move captures; 0 for none."""
    return chess.PAWN if board.is_en_passant(move) else board.piece_type_at(move.to_square) or 0


def type_at(board: chess.Board, square: chess.Square) -> chess.PieceType:
    """Return the type of the piece on a square; 0 for none."""
    return board.piece_type_at(square) or 0


def is_mate(board: chess.Board, move: chess.Move) -> bool:
    """Return True if a legal move mates."""
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()
