"""The reasons for turning points, in sentences.

Reasons are counted for the move made and the better try alike, one ply deep, on a hundred positions sampled from the
belief, or on all possible ones if there are no more. Only what happened in the game comes from the true board.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

import chess
import numpy as np

from kriegbot.belief.timeline import BeliefSnapshot
from kriegbot.kernels import to_board
from kriegbot.narration.helping import HINT_SAMPLES, TryValued
from referee import Announcement, pieces
from referee.text import listed

MIN_SHARE, MIN_PAWNS = 15, 0.3
"""Percent of the positions, and pawns, by which two tries must differ for that to be the reason."""
COUNTED = 100  # positions
PAWNS = {kind: round(value) for kind, value in pieces.PIECE_VALUES.items()}  # bishop for knight costs nothing
MAX_NAMED = 4  # types of pieces that a sentence names
ROOKS_CASTLED = ((7, 5), (0, 3))  # files of a rook before and after castling
LUCKY = "lucky"
SURPRISE = "surprise"
REAL = {True: "including the real one", False: "though not in the real one"}


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A side's move on the true board, and the reply if there was one."""

    events: int  # number that the side knew before
    board: chess.Board
    move: chess.Move
    announcement: Announcement
    reply: chess.Move | None

    @property
    def after(self) -> chess.Board:
        """The true board after the move."""
        board = self.board.copy(stack=False)
        board.push(self.move)
        return board

    @property
    def pawns_won(self) -> int:
        """The pawns that the move captured, less those that the reply captured."""
        lost = 0 if self.reply is None else captured_type(self.after, self.reply)
        return PAWNS.get(captured_type(self.board, self.move), 0) - PAWNS.get(lost, 0)

    @property
    def is_mated(self) -> bool:
        """True if the reply mates."""
        return self.reply is not None and is_mate(self.after, self.reply)


class Positions:
    """The positions on which reasons are counted, each with the number of its draws."""

    def __init__(self, belief: BeliefSnapshot) -> None:
        self.are_all = belief.is_exact and len(belief.rows) == belief.boards <= COUNTED
        rows = belief.rows
        if not self.are_all:
            rows = np.repeat(rows, belief.counts.astype(np.int64), axis=0)[:: HINT_SAMPLES // COUNTED]
        distinct, counts = np.unique(rows, axis=0, return_counts=True)
        self.boards = [(to_board(row), int(count)) for row, count in zip(distinct, counts, strict=True)]
        self.total = int(counts.sum())

    def text(self, count: int, legal: int, move: str = "it") -> str:
        """Return "in 29 of 100 sampled positions", or "in 8 of the 17 sampled positions that allow it"."""
        kind = "possible" if self.are_all else "sampled"
        if legal == 1:
            return f"in {'the only' if count else 'no'} {kind} position" + f" that allows {move}" * (self.total > 1)
        if count == legal == self.total and self.are_all:
            return "in every possible position"
        is_part = legal < self.total
        return f"in {count or 'none'} of {'the ' * is_part}{legal} {kind} positions" + f" that allow {move}" * is_part


@dataclass(slots=True)
class Outlook:
    """Consequences of a try within one ply: counts of positions."""

    total: int  # positions
    legal: int = 0  # the try is legal; all other counts are among these positions
    mates: int = 0
    stalemates: int = 0
    mated: int = 0  # the enemy can mate at once
    promoted: int = 0  # the enemy can promote at once
    takes: Counter[chess.PieceType] = field(default_factory=Counter)  # by the type of the captured piece
    taken: Counter[chess.Square] = field(default_factory=Counter)  # the enemy can capture the piece there
    hanging: Counter[chess.Square] = field(default_factory=Counter)  # the enemy can win material by capturing it
    by: defaultdict[chess.Square, Counter[chess.PieceType]] = field(default_factory=lambda: defaultdict(Counter))
    """Positions of `hanging` by square and type of the capturing piece."""
    cost: Counter[chess.Square] = field(default_factory=Counter)  # pawns lost that way, summed over positions

    @property
    def gain(self) -> float:
        """Pawns captured, on average over all positions."""
        return sum(PAWNS[kind] * count for kind, count in self.takes.items()) / self.total

    def share(self, count: int) -> float:
        """Return a count in percent of the positions in which the try is legal."""
        return 100 * count / max(self.legal, 1)

    def mean_cost(self, square: chess.Square) -> float:
        """Return the pawns lost by a capture on a square, on average over the positions in which the try is legal."""
        return self.cost[square] / max(self.legal, 1)

    @classmethod
    def of(cls, positions: Positions, move: chess.Move) -> Outlook:
        """Return the outlook of a try."""
        outlook = cls(positions.total)
        for board, count in positions.boards:
            if board.is_legal(move):
                outlook._add(board.copy(stack=False), move, count)
        return outlook

    def _add(self, board: chess.Board, move: chess.Move, count: int) -> None:
        taken = captured_type(board, move)
        self.legal += count
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
        captures = [reply for reply in replies if captured_type(board, reply)]
        for reply in captures:
            square, by = captured_square(board, reply), type_at(board, reply.from_square)
            cost = cost_of(board, reply) - PAWNS.get(taken, 0) * (square == move.to_square)
            if cost > 0:
                costs[square, by] = max(cost, costs.get((square, by), 0))
        for square in {captured_square(board, reply) for reply in captures}:
            self.taken[square] += count
        for square in {square for square, _ in costs}:
            self.hanging[square] += count
            self.cost[square] += count * max(cost for (at, _), cost in costs.items() if at == square)
        for square, by in costs:
            self.by[square][by] += count


def cost_of(board: chess.Board, capture: chess.Move) -> int:
    """Return the pawns that a capture wins: the captured piece, less the capturing one if it can be recaptured."""
    won, by = PAWNS[captured_type(board, capture)], type_at(board, capture.from_square)
    after = board.copy(stack=False)
    after.push(capture)
    return won - PAWNS[by] * any(after.generate_legal_captures(to_mask=chess.BB_SQUARES[capture.to_square]))


class Reasons:
    """Why a move lost so much: the facts, and sentences about them."""

    def __init__(
        self, played: PlayedMove, belief: BeliefSnapshot, better: TryValued | None, you: chess.Color | None
    ) -> None:
        self._played, self._you = played, you
        self._positions = Positions(belief)
        self._move = played.move
        self._made = Outlook.of(self._positions, self._move)
        mover = belief.view.color
        self._me, self._my, self._enemy, self._enemys = self._names(mover) + self._names(not mover)
        self._last, self._is_consistent = belief.view.last_announcement, belief.is_consistent
        if better is not None:
            self._better, self._best_move = better["name"], chess.Move.from_uci(better["uci"])
            self._best = Outlook.of(self._positions, self._best_move)
            self._illegal = [f"in the game {self._better} was illegal."] * (not played.board.is_legal(self._best_move))

    def find(self, gained: float) -> tuple[str, str, object]:
        """Return the theme, the reason, and a detail that tells it from others of this theme.

        The better try is `gained` pawns better, two plies ahead.
        """
        made, best, better, enemy = self._made, self._best, self._better, self._enemy
        square, cost = self._hanging_square()
        gain = best.gain - made.gain
        played, board = self._played, self._played.board
        looked_better = _sentences(f"by what {self._me} knew, {better} was better.", *self._illegal)
        if played.after.is_checkmate():
            why = f"That was mate, and lucky: it was mate {self._on(made.mates)}. {looked_better}"
            return LUCKY, why, played.events
        if made.share(made.stalemates) - best.share(best.stalemates) >= MIN_SHARE:
            why = f"that was stalemate {self._on(made.stalemates)}, {REAL[played.after.is_stalemate()]}."
            then = self._after_better("it would be stalemate", best.stalemates)
            return "stalemate", _sentences(why, then, *self._illegal), None
        if best.mates - made.mates >= MIN_SHARE * best.total / 100:
            is_real = board.is_legal(self._best_move) and is_mate(board, self._best_move)
            where = self._positions.text(best.mates, best.total)
            return "mate missed", f"{better} would have mated {where}, {REAL[is_real]}.", None
        if made.share(made.mated) - best.share(best.mated) >= (0.5 if played.is_mated else MIN_SHARE):
            came = "did" if played.is_mated else "did not"
            why = f"{enemy} could mate at once {self._on(made.mated)}, and {came}."
            then = self._after_better(f"{enemy} could mate", best.mated)
            return "mate allowed", _sentences(why, then, *self._illegal), None
        if self._is_lucky():
            risk = [self._could_take(self._move.to_square)] if made.hanging[self._move.to_square] else []
            return LUCKY, _sentences("that was lucky.", *risk, looked_better), played.events
        if square is not None and cost >= max(gain, MIN_PAWNS):
            is_capture = square == self._move.to_square and captured_type(board, self._move) > 0
            then = f"on average that costs {self._me} {_pawns(made.mean_cost(square))}"
            other = f"after {better}, {_pawns(best.mean_cost(self._square_after_best(square)))}."
            theme = "unsafe capture" if is_capture else "piece left hanging"
            return theme, _sentences(self._could_take(square), f"{then}; {other}", *self._illegal), square
        if gain >= MIN_PAWNS:
            return self._capture_missed()
        if self._best_move.promotion and not self._move.promotion:
            real = "and in the game, too" if board.is_legal(self._best_move) else "though not in the game"
            where = self._positions.text(best.legal, best.total)
            return "promotion missed", f"{better} was legal {where}, {real}.", None
        if made.share(made.promoted) - best.share(best.promoted) >= MIN_SHARE:
            came = "did" if played.reply is not None and played.reply.promotion else "did not"
            why = f"{enemy} could promote a pawn at once {self._on(made.promoted)}, and {came}."
            then = self._after_better(f"{enemy} could promote", best.promoted)
            return "promotion allowed", _sentences(why, then, *self._illegal), None
        why = f"looking two plies ahead, {better} comes out better, by {_pawns(gained)}."
        return "position", _sentences(why, *self._illegal), better

    def surprise(self) -> tuple[str, str, object]:
        """Return the theme, a sentence on the reply after which the position looked worse, and a detail."""
        played, reply, after = self._played, self._played.reply, self._played.after
        assert reply is not None
        could = f"; {self._enemy} could" if self._made.legal and self._is_consistent else ""
        piece = f"{self._enemys} {chess.piece_name(type_at(after, reply.from_square))}"
        if played.is_mated:
            target = chess.square_name(reply.to_square)
            why = f"{piece} then mated on {target}" + (could and f"{could} mate {self._on(self._made.mated)}")
        elif taken := captured_type(after, reply):
            square = captured_square(after, reply)
            what = f"the {chess.piece_name(taken)} on {chess.square_name(square)}"
            why = f"{piece} then took {what}" + (could and f"{could} take it {self._on(self._made.taken[square])}")
        else:
            why = f"{self._enemy} then took nothing; what the referee announced until {self._my} next move looked bad"
        return SURPRISE, _sentences(f"{why}."), played.events

    def move_text(self) -> str:
        """Return a sentence on the move made."""
        board, move = self._played.board, self._move
        if board.is_castling(move):
            return _sentences(f"{self._me} castled.")
        piece = f"{self._my} {chess.piece_name(type_at(board, move.from_square))}"
        target, taken = chess.square_name(captured_square(board, move)), captured_type(board, move)
        if not taken:
            return _sentences(f"{piece} went to {target}.")
        count = self._made.takes.total()
        is_rare = self._made.legal and self._is_consistent and self._made.share(count) <= 50
        chance = "" if not is_rare else f"; there was something to capture {self._on(count)}"
        return _sentences(f"{piece} captured {_a(taken)} on {target}{chance}.")

    def _is_lucky(self) -> bool:
        """Return True if the move won material that it seldom wins."""
        made = self._made
        is_chance = made.share(made.takes.total()) <= 50 or made.share(made.hanging[self._move.to_square]) >= 50
        return self._played.pawns_won > 0 and is_chance

    def _capture_missed(self) -> tuple[str, str, object]:
        best, better, target = self._best, self._better, self._best_move.to_square
        what = f"{_alternatives(best.takes)} {self._positions.text(best.takes.total(), best.total)}"
        mean = f"on average it wins {_pawns(best.gain)}, and the move made {_pawns(self._made.gain)}."
        if self._last is not None and self._last.capture == target:
            why = f"{self._enemy} had just captured on {chess.square_name(target)}."
            would = f"{better} would have recaptured {what}, {self._in_the_game()}."
            return "recapture missed", _sentences(why, would, mean), None
        whys = [f"{better} would have won {what}, {self._in_the_game()}.", mean]
        piece = self._best_move.promotion or type_at(self._played.board, self._best_move.from_square)
        if piece != chess.KING:
            where = self._positions.text(best.hanging[target], best.legal, better)
            whys.append(f"then {self._enemy} could take the {chess.piece_name(piece)} and come out ahead {where}.")
        return "capture missed", _sentences(*whys), None

    def _in_the_game(self) -> str:
        board = self._played.board
        if not board.is_legal(self._best_move):
            return "though in the game it was illegal"
        taken = captured_type(board, self._best_move)
        return f"and in the game {_a(taken)}" if taken else "though in the game nothing"

    def _hanging_square(self) -> tuple[chess.Square | None, float]:
        """Return the square where the move made costs most more than the better try, and by how many pawns."""
        worst: tuple[chess.Square | None, float] = None, 0.0
        for square in self._made.cost:
            more = self._made.mean_cost(square) - self._best.mean_cost(self._square_after_best(square))
            worst = max(worst, (square, more), key=lambda one: one[1])
        return worst

    def _square_after_best(self, square: chess.Square) -> chess.Square:
        """Return where the piece on a square after the move made would be after the better try."""
        best, origin = self._best_move, self._move.from_square if square == self._move.to_square else square
        rank = chess.square_rank(best.to_square)
        for corner, after in ROOKS_CASTLED if self._played.board.is_castling(best) else ():
            if origin == chess.square(corner, rank) and abs(best.to_square - origin) <= 2:
                return chess.square(after, rank)
        return best.to_square if origin == best.from_square else origin

    def _could_take(self, square: chess.Square) -> str:
        """Return a sentence: which enemy pieces could take the piece on a square, and whether one did."""
        made, after, reply = self._made, self._played.after, self._played.reply
        piece = f"the {chess.piece_name(type_at(after, square))} on {chess.square_name(square)}"
        came = f"{self._enemy} did not"
        if reply is not None and captured_type(after, reply) and captured_square(after, reply) == square:
            came = f"{self._enemys} {chess.piece_name(type_at(after, reply.from_square))} took it"
        takers = _alternatives(made.by[square])
        return f"{self._on(made.hanging[square])}, {takers} could take {piece} and come out ahead; {came}."

    def _on(self, count: int) -> str:
        return self._positions.text(count, self._made.legal)

    def _after_better(self, could: str, count: int) -> str:
        """Return a sentence on the better try: "After Rh8 Black could mate in 3 of 100 sampled positions."."""
        return f"After {self._better} {could} {self._positions.text(count, self._best.legal, self._better)}."

    def _names(self, color: chess.Color) -> tuple[str, str]:
        if color == self._you:
            return "you", "your"
        return ("White", "White's") if color else ("Black", "Black's")


def _sentences(*texts: str) -> str:
    """Join sentences that may begin with a small letter. A pawn's try keeps it: "exd3", not "Exd3"."""
    return " ".join(text if text[1] in "x12345678" else f"{text[0].upper()}{text[1:]}" for text in texts)


def _pawns(value: float) -> str:
    return f"{value:.1f} {'pawn' if f'{value:.1f}' == '1.0' else 'pawns'}"


def _a(kind: chess.PieceType) -> str:
    return "the king" if kind == chess.KING else f"a {chess.piece_name(kind)}" if kind else ""


def _alternatives(kinds: Counter[chess.PieceType]) -> str:
    """Return the types of pieces as alternatives, the likeliest first: "a pawn, a knight or a queen"."""
    names = [_a(kind) for kind, _ in kinds.most_common()]
    if len(names) > MAX_NAMED:
        names[MAX_NAMED - 1 :] = ["something else"]
    return listed(names, "or")


def captured_square(board: chess.Board, move: chess.Move) -> chess.Square:
    """Return the square of the captured piece, or where a move goes that captures none."""
    rank = chess.square_rank(move.from_square if board.is_en_passant(move) else move.to_square)
    return chess.square(chess.square_file(move.to_square), rank)


def captured_type(board: chess.Board, move: chess.Move) -> chess.PieceType:
    """Return the type of the piece that a move captures; 0 for none."""
    return chess.PAWN if board.is_en_passant(move) else 0 if board.is_castling(move) else type_at(board, move.to_square)


def type_at(board: chess.Board, square: chess.Square) -> chess.PieceType:
    """Return the type of the piece on a square; 0 for none."""
    return board.piece_type_at(square) or 0


def is_mate(board: chess.Board, move: chess.Move) -> bool:
    """Return True if a legal move mates."""
    after = board.copy(stack=False)
    after.push(move)
    return after.is_checkmate()
