"""The turning points of a side: the turns of a game that lost most of its chance of winning, in words.

A turn is judged by what its side could know: by boards that fit what it had heard. What the sentences say is counted
on a hundred of them, for the try made and the better one alike; only what then came is told by the game itself. The
values are those of hints; choosing turns by lost chances is what reviews of chess sites do, and the themes are our own.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypedDict

import chess

from kriegbot.belief.timeline import BeliefSnapshot, BeliefTimeline
from kriegbot.narration.helping import HINT_SAMPLES, PARTICLES, SEED, TryValued, tries_valued
from kriegbot.narration.outlook import Outlook, is_mate, kind_at, taken_by
from referee import Answer, OwnTry, View

MOST, LEAST = 3, 0.1  # turning points of a side, and the chance that each has lost at least
LOST, WON = 0.1, 0.9  # chances beyond which a game is decided; what is lost or kept there is no turning point
LIKELY, FEW = 0.2, 30
"""How likely a better try is to be legal; and how many boards have to be known, or all: fewer tell little."""
NOTABLE, TELLING = 15, 0.3
"""Boards in a hundred, and pawns, by which two tries have to differ for that to be the reason."""


class TurningPoint(TypedDict):
    """A turn that lost much.

    side: whose. heard: how many events it had heard before. place: the number of the move. made, better: the try made,
    and the one worth most. before, after: the chances of winning with the better one, and with the one made. theme: one
    of `results.TRAINED_BY`, or "position" if it is none of them. text: why, in sentences.
    """

    side: str
    heard: int
    place: str
    made: str
    better: str
    before: float
    after: float
    theme: str
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """A side's move: how many events it had heard before, the true board, the move, and the reply if there was one."""

    heard: int
    board: chess.Board
    move: chess.Move
    reply: chess.Move | None

    @property
    def after(self) -> chess.Board:
        """The true board after the move."""
        board = self.board.copy(stack=False)
        board.push(self.move)
        return board


def chance(centipawns: float) -> float:
    """The score that a value promises, from 0 for a loss to 1 for a win; ten times the odds are four pawns."""
    return float(1 / (1 + 10 ** (-centipawns / 400)))


def turns(view: View, other: View) -> Iterator[Turn]:
    """The moves of a side, from what both sides know at the end."""
    own, others = (
        [
            (heard, event.move)
            for heard, event in enumerate(each.events)
            if isinstance(event, OwnTry) and event.answer is Answer.ACCEPTED
        ]
        for each in (view, other)
    )
    board, replies = chess.Board(view.start), [move for _, move in others]
    if board.turn != view.color and replies:
        board.push(replies.pop(0))
    for number, (heard, move) in enumerate(own):
        turn = Turn(heard, board, move, replies[number] if number < len(replies) else None)
        yield turn
        board = turn.after
        if turn.reply is not None:
            board.push(turn.reply)


class Hindsight:
    """One side of a game looked back at: its belief, the values of its tries, its turning points."""

    def __init__(self) -> None:
        self._followed = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES)
        self._valued: dict[int, list[TryValued]] = {}
        self._told: dict[int, tuple[object, TurningPoint]] = {}

    def at(self, view: View, heard: int | None = None, seconds: float = math.inf) -> BeliefSnapshot | None:
        """What was held; as `Followed.at`."""
        return self._followed.at(view, heard, seconds)

    def valued(self, held: BeliefSnapshot) -> list[TryValued]:
        """What the tries were worth then, best first."""
        heard = len(held.view.events)
        if heard not in self._valued:
            self._valued[heard] = tries_valued(held)
        return self._valued[heard]

    def gone_through(self, view: View, other: View) -> Iterator[tuple[int, int]]:
        """Values all turns beforehand; yields how many are done, and how many there are."""
        every = list(turns(view, other))
        for done, turn in enumerate(every, 1):
            if held := self.at(view, turn.heard):
                self._made_and_better(held, turn.move)
            yield done, len(every)

    def turning_points(
        self, view: View, other: View, you: chess.Color | None = None, seconds: float = math.inf
    ) -> list[TurningPoint] | None:
        """The turning points, the gravest first; fewer than `MOST` if no more turns lost so much.

        Both views are those of the end; `you` is the side that is called so. None if `seconds` were not enough: asking
        again continues from there.
        """
        deadline = time.perf_counter() + seconds
        losses: list[tuple[float, Turn, BeliefSnapshot, TryValued, TryValued]] = []
        for turn in turns(view, other):
            held = self.at(view, turn.heard, deadline - time.perf_counter())
            if held is None:
                return None
            is_new = turn.heard not in self._valued
            made, better = self._made_and_better(held, turn.move)
            if is_new and time.perf_counter() > deadline:
                return None
            if made is None or better is None:
                continue
            before, after = chance(better["value"]), chance(made["value"])
            if before - after >= LEAST and before > LOST and after < WON:
                losses.append((before - after, turn, held, made, better))
        points: dict[object, TurningPoint] = {}  # of turns with the same fault, such as a man left twice, the gravest
        for _, turn, held, made, better in sorted(losses, key=lambda loss: -loss[0]):
            if turn.heard not in self._told:
                self._told[turn.heard] = told(turn, held, made, better, you)
                if time.perf_counter() > deadline:
                    return None
            fault, point = self._told[turn.heard]
            points.setdefault(fault, point)
            if len(points) == MOST:
                break
        return list(points.values())

    def _made_and_better(self, held: BeliefSnapshot, move: chess.Move) -> tuple[TryValued | None, TryValued | None]:
        """The try made and the best one; None where not enough is known."""
        tries = self.valued(held)
        if not held.is_consistent or (held.boards < FEW and not held.is_exact):
            return None, None
        made = next((one for one in tries if one["uci"] == move.uci()), None)
        return made, next((one for one in tries if one["legal"] >= LIKELY), None)


def told(
    turn: Turn, held: BeliefSnapshot, made: TryValued, better: TryValued, you: chess.Color | None
) -> tuple[object, TurningPoint]:
    """A turning point, and what fault it is, for telling it from others."""
    reasons = Reasons(turn, held, better, you)
    theme, why, fault = reasons.told()
    return (theme, fault), {
        "side": chess.COLOR_NAMES[held.view.color],
        "heard": turn.heard,
        "place": f"{turn.board.fullmove_number}{'.' if held.view.color else '...'}",
        "made": made["name"],
        "better": better["name"],
        "before": round(chance(better["value"]), 3),
        "after": round(chance(made["value"]), 3),
        "theme": theme,
        "text": f"{reasons.done()} {why}",
    }


class Reasons:
    """Why a turn lost so much: the facts, and the words for them."""

    def __init__(self, turn: Turn, held: BeliefSnapshot, better: TryValued, you: chess.Color | None) -> None:
        self._turn, self._held, self._you = turn, held, you
        self._move, self._best_move = turn.move, chess.Move.from_uci(better["uci"])
        self._made, self._best = Outlook.of(held, self._move), Outlook.of(held, self._best_move)
        me = held.view.color
        self._me, self._whose, self._enemy, self._enemys = self._name(me) + self._name(not me)
        self._better = better["name"]

    def told(self) -> tuple[str, str, object]:
        """The theme, why, and what tells it from others of this theme."""
        made, best, better, enemy = self._made, self._best, self._better, self._enemy
        square, cost = self._left()
        gain, heard = best.gain - made.gain, self._held.view.last_reply
        reply, after, board = self._turn.reply, self._turn.after, self._turn.board
        if made.share(made.stalemates) - best.share(best.stalemates) >= NOTABLE:
            why = f"That was stalemate {self._among(made.share(made.stalemates), made)}."
            return "stalemate", f"{why} {better} was so {self._in(best, best.stalemates)}.", None
        if best.mates - made.mates >= NOTABLE:
            is_so = board.is_legal(self._best_move) and is_mate(board, self._best_move)
            so = "and would have been here" if is_so else "though not on the true one"
            return "mate missed", f"{better} was mate {self._among(best.mates)}, {so}.", None
        is_mated = reply is not None and is_mate(after, reply)
        if made.share(made.mated) - best.share(best.mated) >= (1 if is_mated else NOTABLE):
            came = "did" if is_mated else "did not"
            why = f"{enemy} could mate at once {self._among(made.share(made.mated), made)}, and {came}."
            return "mate allowed", f"{why} {better} was better: then {enemy} could {self._in(best, best.mated)}.", None
        if square is not None and cost >= max(gain, TELLING):
            is_back = square == self._move.to_square and taken_by(board, self._move) > 0
            return "unsafe capture" if is_back else "man left to be taken", self._why_left(square, is_back), square
        if gain >= TELLING:
            kinds, took = _either(best.takes), self._among(best.takes.total())
            if heard is not None and heard.capture == self._best_move.to_square:
                return "retake missed", f"{enemy} had just taken there, and {better} took {kinds} back {took}.", None
            there = kind_at(board, self._best_move.to_square)
            so = f"and {_a(there)} stood there" if there else "though nobody stood there"
            risk = f"A retake would have won something {self._in(best, best.open[self._best_move.to_square])}."
            return "capture missed", f"{better} took {kinds} {took}, {so}. {risk}", None
        if self._best_move.promotion and not self._move.promotion:
            return "promotion missed", f"{better} was possible {self._among(best.legal)}.", None
        if made.share(made.promoted) - best.share(best.promoted) >= NOTABLE:
            came = "did" if reply is not None and reply.promotion else "did not"
            why = f"{enemy} could promote a pawn at once {self._among(made.share(made.promoted), made)}, and {came}."
            left = self._in(best, best.promoted)
            return "promotion allowed", f"{why} {better} was better: then {enemy} could {left}.", None
        return "position", f"What falls at once does not show why; two plies ahead, {better} came out better.", better

    def done(self) -> str:
        """What was done."""
        board, move = self._turn.board, self._move
        if board.is_castling(move):
            return f"{self._me} castled."
        man = f"{self._whose} {chess.piece_name(kind_at(board, move.from_square))}"
        target, taken = chess.square_name(move.to_square), taken_by(board, move)
        if not taken:
            return f"{man} went to {target}."
        share = self._made.share(self._made.takes.total())
        expected = "" if share > 50 else f", where a man stood in {share} of 100 boards"
        return f"{man} took {_a(taken)} on {target}{expected}."

    def _left(self) -> tuple[chess.Square | None, float]:
        """Where a man costs more after the move made than after the better one, and how many pawns more."""
        found: tuple[chess.Square | None, float] = None, 0.0
        for square, cost in self._made.cost.items():
            more = cost / self._made.legal - self._best.cost[self._instead(square)] / self._best.legal
            found = max(found, (square, more), key=lambda one: one[1])
        return found

    def _instead(self, square: chess.Square) -> chess.Square:
        """Where the man who is on a square after the move made would be after the better one."""
        origin = self._move.from_square if square == self._move.to_square else square
        return self._best_move.to_square if origin == self._best_move.from_square else origin

    def _why_left(self, square: chess.Square, is_back: bool) -> str:
        """That a man could be taken, whether he was, and how it would have been with the better try."""
        made, best, after, reply = self._made, self._best, self._turn.after, self._turn.reply
        man, there = chess.piece_name(kind_at(after, square)), square == self._move.to_square
        what = (
            "take back" if is_back else "take it there" if there else f"take the {man} on {chess.square_name(square)}"
        )
        came = f"{self._enemy} did not"
        if reply is not None and reply.to_square == square:
            came = f"{self._enemys} {chess.piece_name(kind_at(after, reply.from_square))} did"
        among = self._among(made.share(made.open[square]), made)
        left = self._in(best, best.open[self._instead(square)])
        return (
            f"{among[0].upper()}{among[1:]}, {_either(made.by[square])} could {what}; {came}. "
            f"{self._better} was better: then the {man} could be taken {left}."
        )

    def _among(self, share: int, made: Outlook | None = None) -> str:
        """On how many boards something is so; of those that allow the try made, if its outlook is given."""
        allowed = "" if made is None or made.legal == 100 else " and allowed it"
        fit = f"what {self._me.replace('You', 'you')} had heard{allowed}"
        if self._held.boards == 1:
            return f"on the only board that fitted {fit}"
        return f"on every board that fitted {fit}" if share == 100 else f"in {share} of 100 boards that fitted {fit}"

    @staticmethod
    def _in(outlook: Outlook, count: int) -> str:
        """On how many boards something is so, in short."""
        share = outlook.share(count)
        return f"in {share} of 100" if share else "in none"

    def _name(self, color: chess.Color) -> tuple[str, str]:
        """A side: who, and whose."""
        if color == self._you:
            return "You", "Your"
        return ("White", "White's") if color else ("Black", "Black's")


def _a(kind: chess.PieceType) -> str:
    return f"a {chess.piece_name(kind)}"


def _either(kinds: Counter[chess.PieceType]) -> str:
    """The likely kinds of men as a choice: "a pawn, a knight or a queen"."""
    likely = kinds.most_common()
    names = [_a(kind) for kind, count in likely if 4 * count >= likely[0][1]]
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
