"""Players that follow a script: they rate the open tries and make them in that order.

All scripts recapture at once with the cheapest piece, answer checks on their line or with the king, move the queen away
from a square near which the opponent has just captured, and mate a lone king. With a lone king they go away from where
the opponent attacks. The rest is a script's own taste.

The hunt for a lone king rates each try by the referee's possible replies instead of a search, after Bolognesi and
Ciancarini, "Searching over metapositions in Kriegspiel" (2004), and Ciancarini and Favini, "Solving Kriegspiel endings
with brute force" (2009). Few squares for the king, near the edge and near our king, are good; a piece that it may
capture is bad. The set of squares is a guess if the hunt began while the opponent had other pieces.
"""

import random
from abc import ABC, abstractmethod
from dataclasses import replace

import chess

from kriegbot.endgames.king_squares import BareKing
from kriegbot.players.base import Choice
from referee import Announcement, Answer, Check, OpponentMoved, OpponentRefused, OwnTry, View
from referee.announcement import check_direction
from referee.pieces import (
    PIECE_VALUES,
    Men,
    attacked,
    attacks,
    is_pawn_capture,
    king_of,
    moved,
    relative_rank,
    squares_of,
)

ANSWER_CHECK, RECAPTURE, RESCUE_QUEEN = 3_000.0, 2_000.0, 1_000.0  # ratings of tries above all taste
MATE, STALEMATE = 200.0, -400.0
ENOUGH_HEAVY = 2  # queens and rooks to mate with; more of them only make stalemates likelier
LATELY, FAR = 12, 3
"""Events in which a lone king remembers refusals, and the distance at which it is far enough from them."""
MOST_HUNTED = 4  # most pieces, king included, of an opponent whose king is hunted


class ScriptTurn:
    """A turn of a script: the player's view, and the announcement of the opponent's last move."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.announced = view.last_announcement or Announcement()
        self.threatened = 0  # squares that the piece that has just captured may attack
        if self.announced.capture is not None:
            square = self.announced.capture
            lines = attacks(view.color, chess.QUEEN, square, squares_of(view.men))
            self.threatened = lines | chess.BB_KNIGHT_ATTACKS[square] | chess.BB_KING_ATTACKS[square]

    def piece(self, move: chess.Move) -> chess.PieceType:
        """Return the type of the piece that moves."""
        return self.view.men[move.from_square]

    def height(self, square: chess.Square) -> int:
        """Return the rank of a square from our side, 0 to 7."""
        return relative_rank(self.view.color, square)

    def is_pawn_capture(self, move: chess.Move) -> bool:
        """Return True if a try can only be a capture by a pawn."""
        return is_pawn_capture(move, self.view.men)

    def is_protected(self, move: chess.Move) -> bool:
        """Return True if the piece is protected on its target square."""
        men = moved(self.view.men, move)
        del men[move.to_square]
        return bool(attacked(self.view.color, men) & chess.BB_SQUARES[move.to_square])

    def unprotected(self, move: chess.Move) -> float:
        """Return the value of our unprotected pieces after a try."""
        men = moved(self.view.men, move)
        protected = attacked(self.view.color, men)
        loose = (kind for square, kind in men.items() if not protected & chess.BB_SQUARES[square])
        return sum(PIECE_VALUES[kind] for kind in loose if kind != chess.KING)

    def answers_check(self, move: chess.Move) -> float:
        """Rate a try as an answer to check: on its line with the cheapest piece, with the king best off it; else 0."""
        king = king_of(self.view.men)
        if self.piece(move) == chess.KING:
            return 1.0 if self._on_line(king, move.to_square) else 10.0
        if move.to_square == self.announced.capture:
            return 40.0 - PIECE_VALUES[self.piece(move)]
        if self._on_line(king, move.to_square):
            return (30.0 if self.is_pawn_capture(move) else 20.0) - PIECE_VALUES[self.piece(move)]
        return 0.0

    def _on_line(self, king: chess.Square, square: chess.Square) -> bool:
        """Return True if a piece on this square may give the check or block it."""
        direction, near = check_direction(king, square), chess.BB_KNIGHT_ATTACKS[king] & chess.BB_SQUARES[square]
        return bool(direction & self.announced.checks) and (direction is not Check.KNIGHT or bool(near))


class LoneKing:
    """The possible squares of the opponent's king, once it has lost all or nearly all other pieces."""

    def __init__(self, view: View) -> None:
        self._events = len(view.events)
        self._stalemate_wins, self._is_alone = view.rules.stalemate_loses, view.opponent_men == 1
        self.king = BareKing.anywhere(view.color, dict(view.men), view.rules)
        for move in view.refused if self._is_alone else ():
            self._keep(self.king.squares & self.king.refusing(move))

    def update(self, view: View) -> None:
        """Take in the events of a view that are new since the last one."""
        self._is_alone = view.opponent_men == 1
        for event in view.events[self._events :]:
            if isinstance(event, OwnTry) and event.announcement is not None:
                was_pawn_capture = is_pawn_capture(event.move, self.king.men)
                self.king = self.king.after_own_move(event.move, event.announcement)
                self._keep(chess.BB_EMPTY if was_pawn_capture else self.king.squares)
            elif isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL and self._is_alone:
                self._keep(self.king.squares & self.king.refusing(event.move))
            elif isinstance(event, OpponentRefused) and self._is_alone:
                self.king = self.king.after(event)
                self._keep(self.king.squares)
            elif isinstance(event, OpponentMoved):
                self._after_opponent(event.announcement)
        self._events, self.king = len(view.events), replace(self.king, men=dict(view.men))

    def rate(self, move: chess.Move) -> float:
        """Rate a try, on average over the squares of the king."""
        king = self.king
        men = moved(king.men, move)
        covered, own = attacked(king.color, men), squares_of(men)
        refusing = king.squares & king.refusing(move)
        total = 0.0
        groups = {False: [0, 0], True: [0, 0]}  # by check: number of squares, and squares to go to from these
        for square in chess.scan_forward(king.squares & ~refusing):
            is_check = bool(covered & chess.BB_SQUARES[square])
            flights = chess.BB_KING_ATTACKS[square] & ~covered
            if not flights:
                total += MATE if is_check or self._stalemate_wins else STALEMATE
                continue
            total -= 8 * max((PIECE_VALUES[men[hanging]] for hanging in chess.scan_forward(flights & own)), default=0.0)
            groups[is_check][0] += 1
            groups[is_check][1] |= flights
        for count, flights in groups.values():
            total += count * _confined(men, flights)
        total += chess.popcount(refusing) * _confined(king.men, refusing)
        return total / chess.popcount(king.squares) + _strength(king.color, men)

    def _keep(self, squares: chess.Bitboard) -> None:
        """Set the squares. If none is left, the guess was wrong: the king may be anywhere."""
        anywhere = BareKing.anywhere(self.king.color, self.king.men).squares
        self.king = replace(self.king, squares=squares or anywhere or chess.BB_A1)

    def _after_opponent(self, announcement: Announcement) -> None:
        king = self.king
        covered, reached = attacked(king.color, king.men), chess.BB_EMPTY
        for square in chess.scan_forward(king.squares):
            reached |= chess.BB_KING_ATTACKS[square] & ~covered
        reached &= ~squares_of(king.men) if announcement.capture is None else chess.BB_SQUARES[announcement.capture]
        if not self._is_alone:  # another piece may have moved
            reached |= king.squares & ~covered
        self.king = king.without(announcement.captured_square)
        self._keep(reached)


def _confined(men: Men, squares: chess.Bitboard) -> float:
    if not squares:
        return 0.0
    king = king_of(men)
    count, edge, distance = chess.popcount(squares), 0, 0
    for square in chess.scan_forward(squares):
        file, rank = chess.square_file(square), chess.square_rank(square)
        edge += min(file, 7 - file) + min(rank, 7 - rank)
        distance += chess.square_distance(king, square)
    return -float(count) - (edge + distance) / count


def _strength(color: chess.Color, men: Men) -> float:
    """Rate the queens and rooks, as many as mate needs, and, while there are fewer, advanced pawns."""
    heavy = sorted((PIECE_VALUES[kind] for kind in men.values() if kind in (chess.ROOK, chess.QUEEN)), reverse=True)
    strength = 2 * sum(heavy[:ENOUGH_HEAVY])
    if len(heavy) < ENOUGH_HEAVY:
        strength += sum(relative_rank(color, square) ** 2 / 6 for square, kind in men.items() if kind == chess.PAWN)
    return strength


class Hunter:
    """Decides when to hunt the opponent's king, and keeps track of it."""

    def __init__(self) -> None:
        self._king: LoneKing | None = None

    def hunts(self, view: View) -> LoneKing | None:
        """Return the king to hunt; None if it has many pieces, we too few to mate it, or something else is urgent."""
        heavy = sum(kind in (chess.ROOK, chess.QUEEN) for kind in view.men.values())
        is_alone = view.opponent_men == 1
        is_enough = heavy >= ENOUGH_HEAVY or (is_alone and (heavy > 0 or chess.PAWN in view.men.values()))
        if view.opponent_men > MOST_HUNTED or not is_enough:
            return None
        if self._king is None:
            self._king = LoneKing(view)
        else:
            self._king.update(view)
        last = view.last_announcement
        is_urgent = last is not None and not is_alone and (last.capture is not None or bool(last.checks))
        return None if is_urgent else self._king


class ScriptedPlayer(ABC):
    """Player of one game by a script; the seed is that of its random choices."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)
        self._hunter = Hunter()

    def choose(self, view: View) -> Choice:
        """Answer a view with the open try of the highest rating."""
        king, turn, tries = self._hunter.hunts(view), ScriptTurn(view), view.tries()
        ratings = [king.rate(move) if king is not None else self._rate(turn, move) for move in tries]
        best = max(ratings)
        first = [move for move, rating in zip(tries, ratings, strict=True) if rating == best]
        return Choice(first[int(self._rng.random() * len(first))])

    @abstractmethod
    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Rate a try when nothing is urgent, from -500 to 500."""

    def _rate(self, turn: ScriptTurn, move: chess.Move) -> float:
        piece, target = turn.piece(move), chess.BB_SQUARES[move.to_square]
        rating = self.taste(turn, move) if len(turn.view.men) > 1 else flight(turn, move)
        if move.promotion not in (None, chess.QUEEN):
            rating -= 10 * RECAPTURE
        if turn.announced.checks:
            answer = turn.answers_check(move)
            return rating + ANSWER_CHECK + 100 * answer if answer else rating
        if move.to_square == turn.announced.capture:
            return RECAPTURE - PIECE_VALUES[piece]
        if piece == chess.QUEEN and turn.threatened:
            is_away = not target & turn.threatened
            if chess.BB_SQUARES[move.from_square] & turn.threatened and is_away:
                return rating + RESCUE_QUEEN
            rating -= 0 if is_away else RESCUE_QUEEN
        return rating


def flight(turn: ScriptTurn, move: chess.Move) -> float:
    """Rate a step of a lone king: away from squares that refused it lately, to where it can go on, to the centre."""
    square, attacked_lately = move.to_square, chess.BB_EMPTY
    for event in turn.view.events[-LATELY:]:
        if isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL:
            attacked_lately |= chess.BB_SQUARES[event.move.to_square]
    near = min((chess.square_distance(square, one) for one in chess.scan_forward(attacked_lately)), default=FAR)
    going_on = chess.popcount(chess.BB_KING_ATTACKS[square] & ~attacked_lately)
    file, rank = chess.square_file(square), chess.square_rank(square)
    return 2.0 * min(near, FAR) + going_on + 0.5 * (min(file, 7 - file) + min(rank, 7 - rank))


def prowl(turn: ScriptTurn, move: chess.Move) -> float:
    """Rate a move into the opponent's half: far up, protected, with a cheap piece."""
    value = PIECE_VALUES[turn.piece(move)]
    height = turn.height(move.to_square)
    risk = 0.0 if turn.is_protected(move) else value * max(0, height - 2)
    gain = height - turn.height(move.from_square)
    return 4.0 * gain + (6.0 if height >= 4 else 0.0) - value - risk
