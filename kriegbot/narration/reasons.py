"""The reasons for turning points, in sentences.

Reasons are counted for the move made and the better try alike, one ply deep, on a hundred positions sampled from the
belief, all different, or on all there are if they are fewer. A difference of counts is a reason if its interval lies
above the threshold. Only what happened or was possible in the game comes from the true board.
"""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Self

import chess

from kriegbot.belief.timeline import FEW, BeliefSnapshot
from kriegbot.kernels import to_board
from kriegbot.narration.helping import TryValued, is_mate
from referee import Announcement, pieces
from referee.announcement import board_after
from referee.text import listed

MIN_SHARE, MIN_PAWNS = 0.15, 0.3
"""Share of the positions, and pawns, by which two tries must differ for that to be the reason."""
NORMAL_95 = 1.96  # half width of a 95% interval in standard deviations
COUNTED = 100  # positions
PAWNS = {kind: round(value) for kind, value in pieces.PIECE_VALUES.items()}  # bishop for knight costs nothing
MAX_NAMED = 4  # types of pieces that a sentence names
LUCKY = "lucky"
SURPRISE = "surprise"
REAL = {True: "including the real one", False: "though not in the real one"}


@dataclass(frozen=True, slots=True)
class PlayedMove:
    """A side's move on the true board, and the reply if there was one."""

    events: int  # number that the side knew before
    board: chess.Board
    move: chess.Move
    reply: chess.Move | None
    announcement: Announcement
    reply_announcement: Announcement | None
    refused: int  # number of the side's tries that were refused between the reply and its next move

    @property
    def after(self) -> chess.Board:
        """The true board after the move."""
        return board_after(self.board, self.move)

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
    """The different positions on which reasons are counted."""

    def __init__(self, belief: BeliefSnapshot) -> None:
        self.are_all = belief.has_all_rows and belief.boards <= COUNTED
        different = [*{board.epd(en_passant="fen"): board for board in map(to_board, belief.rows)}.values()]
        self.total = min(len(different), COUNTED)  # rows may differ in their clocks alone
        self.boards = [different[at * len(different) // self.total] for at in range(self.total)]  # neighbours are akin
        noun = "possible position" if self.are_all else "sampled position" if self.total == COUNTED else "sample"
        self.one, self.many = noun, f"{noun}s"

    def error(self, variance: float) -> float:
        """Return half the width of a difference's 95% interval; 0 if nothing was sampled."""
        return 0.0 if self.are_all else NORMAL_95 * math.sqrt(variance)

    def text(self, count: int, legal: int, move: str = "it") -> str:
        """Return "in 29 of 100 sampled positions", or "in 8 of the 17 samples that allow it"."""
        if legal == 1:
            return f"in {'the only' if count else 'no'} {self.one}" + f" that allows {move}" * (self.total > 1)
        if count == legal == self.total and self.are_all:
            return "in every possible position"
        is_part = legal < self.total
        return f"in {count or 'none'} of {'the ' * is_part}{legal} {self.many}" + f" that allow {move}" * is_part


class Sum:
    """A number for each of `total` positions, which is 0 unless added: its mean, and the variance of that mean."""

    def __init__(self) -> None:
        self.sum = self.squares = 0

    def add(self, number: int) -> None:
        """Add the number of one position."""
        self.sum += number
        self.squares += number * number

    def mean(self, total: int) -> float:
        """Return the mean."""
        return self.sum / max(1, total)

    def variance(self, total: int) -> float:
        """Return the variance of the mean, as if one more position had another number: few that agree prove little."""
        return (self.squares / max(1, total) - self.mean(total) ** 2 + 1 / (total + 1)) / max(1, total)


@dataclass(slots=True)
class Outlook:
    """Consequences of a try within one ply: counts of positions."""

    positions: Positions
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
    cost: defaultdict[chess.Square, Sum] = field(default_factory=lambda: defaultdict(Sum))  # pawns lost that way
    gain: Sum = field(default_factory=Sum)  # pawns captured

    @property
    def total(self) -> int:
        """The number of positions."""
        return self.positions.total

    @classmethod
    def of(cls, positions: Positions, move: chess.Move) -> Self:
        """Return the outlook of a try."""
        outlook = cls(positions)
        for board in positions.boards:
            if board.is_legal(move):
                outlook._add(board.copy(stack=False), move)
        return outlook

    def _add(self, board: chess.Board, move: chess.Move) -> None:
        taken = captured_type(board, move)
        self.legal += 1
        if taken:
            self.takes[taken] += 1
            self.gain.add(PAWNS[taken])
        board.push(move)
        replies = list(board.legal_moves)
        if not replies:
            self.mates += board.is_check()
            self.stalemates += not board.is_check()
        self.mated += any(is_mate(board, reply) for reply in replies)
        self.promoted += any(reply.promotion for reply in replies)
        costs: dict[tuple[chess.Square, chess.PieceType], int] = {}
        captures = [reply for reply in replies if captured_type(board, reply)]
        for reply in captures:
            square, by = captured_square(board, reply), type_at(board, reply.from_square)
            cost = cost_of(board, reply) - PAWNS.get(taken, 0) * (square == move.to_square)
            if cost > 0:
                costs[square, by] = max(cost, costs.get((square, by), 0))
        for square in {captured_square(board, reply) for reply in captures}:
            self.taken[square] += 1
        for square in {square for square, _ in costs}:
            self.hanging[square] += 1
            self.cost[square].add(max(cost for (at, _), cost in costs.items() if at == square))
        for square, by in costs:
            self.by[square][by] += 1

    def exceeds(self, count: int, other: Self, count_of_other: int, *, of_all: bool = False) -> bool:
        """Return True if a count has a share at least `MIN_SHARE` above another outlook's, and not by chance."""
        shares, variance = [], 0.0
        for number, outlook in ((count, self), (count_of_other, other)):
            total = outlook.total if of_all else outlook.legal
            shares.append(number / max(1, total))
            variance += (number + 1) * (total - number + 1) / (total + 2) ** 3
        return shares[0] - shares[1] - self.positions.error(variance) >= MIN_SHARE


def cost_of(board: chess.Board, capture: chess.Move) -> int:
    """Return the pawns that a capture wins: the captured piece, less the capturing one if it can be recaptured."""
    won, by = PAWNS[captured_type(board, capture)], type_at(board, capture.from_square)
    after = board_after(board, capture)
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
        self._last = belief.view.last_announcement
        if better is not None:
            self._better, self._best_move = better["name"], chess.Move.from_uci(better["uci"])
            self._best = Outlook.of(self._positions, self._best_move)
            self._illegal = [f"in the game {self._better} was illegal."] * (not played.board.is_legal(self._best_move))

    def find(self, gained: float) -> tuple[str, str, object] | None:
        """Return the theme, the reason, and a detail that tells it from others of this theme.

        The better try is `gained` pawns better, two plies ahead. Return None if too few positions allow both tries.
        """
        made, best, better, enemy = self._made, self._best, self._better, self._enemy
        played, board = self._played, self._played.board
        if played.after.is_checkmate():
            return LUCKY, f"That was mate, and lucky: it was mate {self._on(made.mates)}.", played.events
        if min(made.legal, best.legal) < FEW and not self._positions.are_all:
            return None
        square, is_dear = self._hanging_square()
        more = best.gain.mean(best.total) - made.gain.mean(made.total)
        variance = best.gain.variance(best.total) + made.gain.variance(made.total)
        has_gain = more - self._positions.error(variance) >= MIN_PAWNS
        if made.exceeds(made.stalemates, best, best.stalemates):
            why = f"that was stalemate {self._on(made.stalemates)}, {REAL[played.after.is_stalemate()]}."
            then = self._after_better("it would be stalemate", best.stalemates)
            return "stalemate", _sentences(why, then, *self._illegal), None
        if best.exceeds(best.mates, made, made.mates, of_all=True):
            is_real = board.is_legal(self._best_move) and is_mate(board, self._best_move)
            where = self._positions.text(best.mates, best.total)
            return "mate missed", f"{better} would have mated {where}, {REAL[is_real]}.", None
        looked_safer = made.mated * best.legal > best.mated * made.legal  # a smaller share of positions allowed a mate
        if made.exceeds(made.mated, best, best.mated) or (played.is_mated and looked_safer):
            came = "did" if played.is_mated else "did not"
            why = f"{enemy} could mate at once {self._on(made.mated)}, and {came}."
            then = self._after_better(f"{enemy} could mate", best.mated)
            return "mate allowed", _sentences(why, then, *self._illegal), None
        is_chance = 2 * made.takes.total() <= made.legal or 2 * made.hanging[self._move.to_square] >= made.legal
        if played.pawns_won > 0 and is_chance:  # it seldom wins that material, or mostly loses it again
            risk = [self._could_take(self._move.to_square)] if made.hanging[self._move.to_square] else []
            looked_better = f"by what {self._me} knew, {better} was better."
            return LUCKY, _sentences("that was lucky.", *risk, looked_better, *self._illegal), played.events
        if square is not None and is_dear and self._extra_cost(square) >= more:
            is_capture = square == self._move.to_square and captured_type(board, self._move) > 0
            cost, other = (_pawns(self._cost(outlook, square)) for outlook in (made, best))
            then = f"on average that costs {self._me} {cost}; with {better} it would be {other}."
            theme = "unsafe capture" if is_capture else "piece left hanging"
            return theme, _sentences(self._could_take(square), then, *self._illegal), square
        if has_gain:
            return self._capture_missed()
        if self._best_move.promotion and not self._move.promotion:
            real = "and in the game, too" if board.is_legal(self._best_move) else "though not in the game"
            where = self._positions.text(best.legal, best.total)
            return "promotion missed", f"{better} was legal {where}, {real}.", None
        if made.exceeds(made.promoted, best, best.promoted):
            came = "did" if played.reply is not None and played.reply.promotion else "did not"
            why = f"{enemy} could promote a pawn at once {self._on(made.promoted)}, and {came}."
            then = self._after_better(f"{enemy} could promote", best.promoted)
            return "promotion allowed", _sentences(why, then, *self._illegal), None
        by = _pawns(gained) if gained < PAWNS[chess.QUEEN] else "more than a queen"
        why = f"looking one move of each side ahead, {better} comes out better, by {by}."
        return "position", _sentences(why, *self._illegal), better

    def surprise(self) -> tuple[str, str, object] | None:
        """Return the theme, a sentence on what made the position look worse, and a detail; or None."""
        played, reply, after = self._played, self._played.reply, self._played.after
        announced = list[str]()
        if reply is None or (self._made.legal < FEW and not self._positions.are_all):
            return None
        piece = f"{self._enemys} {chess.piece_name(type_at(after, reply.from_square))}"
        if played.is_mated:
            why = f"{piece} then mated on {chess.square_name(reply.to_square)}; {self._enemy} could mate"
            return SURPRISE, _sentences(f"{why} {self._on(self._made.mated)}."), played.events
        if taken := captured_type(after, reply):
            square = captured_square(after, reply)
            why = f"{piece} then took the {chess.piece_name(taken)} on {chess.square_name(square)}; {self._enemy} could"
            return SURPRISE, _sentences(f"{why} take it {self._on(self._made.taken[square])}."), played.events
        if played.reply_announcement is not None:
            announced += ["gave check"] * bool(played.reply_announcement.checks)
            announced += ["promoted a pawn"] * played.reply_announcement.promotion
        texts = [f"{self._enemy} then {listed(announced)}."] * bool(announced)
        if played.refused:
            texts.append(f"then the referee refused {played.refused} of {self._my} tries.")
        return (SURPRISE, _sentences(*texts), played.events) if texts else None

    def move_text(self) -> str:
        """Return a sentence on the move made."""
        board, move = self._played.board, self._move
        if board.is_castling(move):
            return _sentences(f"{self._me} castled.")
        piece = f"{self._my} {chess.piece_name(type_at(board, move.from_square))}"
        target, taken = chess.square_name(captured_square(board, move)), captured_type(board, move)
        if not taken:
            return _sentences(f"{piece} went to {target}.")
        made, count = self._made, self._made.takes.total()
        is_rare = 2 * count <= made.legal and (made.legal >= FEW or self._positions.are_all)
        chance = f"; there was something to capture {self._on(count)}" if is_rare else ""
        return _sentences(f"{piece} captured {_a(taken)} on {target}{chance}.")

    def _capture_missed(self) -> tuple[str, str, object]:
        best, better, target = self._best, self._better, self._best_move.to_square
        what = f"{_alternatives(best.takes)} {self._positions.text(best.takes.total(), best.total)}"
        wins, other = (_pawns(one.gain.mean(one.total)) for one in (best, self._made))
        mean = f"on average it wins {wins}, and the move made {other}."
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

    def _hanging_square(self) -> tuple[chess.Square | None, bool]:
        """Return the square where the move made costs most more than the better try; True if that is no chance."""
        if not self._made.cost:
            return None, False
        square = max(self._made.cost, key=self._extra_cost)
        variance = self._made.cost[square].variance(self._made.legal)
        variance += self._best.cost[self._square_after_best(square)].variance(self._best.legal)
        return square, self._extra_cost(square) - self._positions.error(variance) >= MIN_PAWNS

    def _extra_cost(self, square: chess.Square) -> float:
        return self._cost(self._made, square) - self._cost(self._best, square)

    def _cost(self, outlook: Outlook, square: chess.Square) -> float:
        """Return the pawns that the piece on a square after the move made costs, on average over positions."""
        at = square if outlook is self._made else self._square_after_best(square)
        return outlook.cost[at].mean(outlook.legal)

    def _square_after_best(self, square: chess.Square) -> chess.Square:
        """Return where the piece on a square after the move made would be after the better try."""
        board, made, best = self._played.board, self._move, self._best_move
        before = {after: origin for origin, after in squares_moved(board, made).items()}
        origin = before.get(square, square)
        return squares_moved(board, best).get(origin, origin)

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


def squares_moved(board: chess.Board, move: chess.Move) -> dict[chess.Square, chess.Square]:
    """Return where a move begins and ends, and if it is castling, where the rook begins and ends."""
    squares = (move.from_square, move.to_square), pieces.rook_in_castling(move)
    return dict(squares if board.is_castling(move) else squares[:1])


def type_at(board: chess.Board, square: chess.Square) -> chess.PieceType:
    """Return the type of the piece on a square; 0 for none."""
    return board.piece_type_at(square) or 0
