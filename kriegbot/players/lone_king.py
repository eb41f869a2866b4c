"""Hunting a lone king: how well a try confines it to few squares.

After Bolognesi and Ciancarini, "Searching over metapositions in Kriegspiel" (2004), and Ciancarini and Favini, "Solving
Kriegspiel endings with brute force" (2009). The set of squares is exact while the opponent has no other piece. Instead
of a search, each try is rated by the referee's possible replies to it. Few squares for the king, near the edge and near
our king, are good. A piece that the king may capture is bad. A side with enough heavy pieces hunts a king with few
pieces left in the same way; the set of squares is then a guess.
"""

from __future__ import annotations

from dataclasses import replace

import chess

from kriegbot.endgames.king_squares import BareKing
from referee import Announcement, Answer, OpponentMoved, OwnTry, View
from referee.pieces import PIECE_VALUES, Men, attacked, is_pawn_capture, king_of, moved, relative_rank, squares_of

MATE, STALEMATE = 200.0, -400.0
ENOUGH = 2
"""Queens and rooks that are enough to mate with. More of them only make stalemates likelier."""
FEW = 4
"""Most pieces, king included, of an opponent whose king is hunted."""


class LoneKing:
    """The possible squares of the opponent's king, once it has lost all or nearly all other pieces."""

    def __init__(self, view: View) -> None:
        self._events = len(view.events)
        self._stalemate_wins, self._is_alone = view.rules.stalemate_loses, view.opponent_men == 1
        self._king = BareKing.anywhere(view.color, dict(view.men), announces_checks=view.rules.checks_announced)
        for move in view.refused if self._is_alone else ():
            self._keep(self._king.squares & self._king.refusing(move))

    @property
    def squares(self) -> list[chess.Square]:
        """The king's possible squares."""
        return list(chess.scan_forward(self._king.squares))

    def update(self, view: View) -> None:
        """Take in the events of a view that are new since the last one."""
        self._is_alone = view.opponent_men == 1
        for event in view.events[self._events :]:
            if isinstance(event, OwnTry) and event.announcement is not None:
                was_pawn_capture = is_pawn_capture(event.move, self._king.men)
                self._king = self._king.after_own_move(event.move, event.announcement)
                self._keep(chess.BB_EMPTY if was_pawn_capture else self._king.squares)
            elif isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL and self._is_alone:
                self._keep(self._king.squares & self._king.refusing(event.move))
            elif isinstance(event, OpponentMoved):
                self._after_opponent(event.announcement)
        self._events, self._king = len(view.events), replace(self._king, men=dict(view.men))

    def rate(self, move: chess.Move) -> float:
        """Rate a try, on average over the squares of the king."""
        king = self._king
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
        anywhere = BareKing.anywhere(self._king.color, self._king.men).squares
        self._king = replace(self._king, squares=squares or anywhere or chess.BB_A1)

    def _after_opponent(self, announcement: Announcement) -> None:
        king = self._king
        covered, reached = attacked(king.color, king.men), chess.BB_EMPTY
        for square in chess.scan_forward(king.squares):
            reached |= chess.BB_KING_ATTACKS[square] & ~covered
        reached &= ~squares_of(king.men) if announcement.capture is None else chess.BB_SQUARES[announcement.capture]
        if not self._is_alone:  # another piece may have moved
            reached |= king.squares & ~covered
        self._king = king.without(announcement.captured_square)
        self._keep(reached)


def _confined(men: Men, squares: chess.Bitboard) -> float:
    """Rate how well our pieces confine a king that is on one of these squares."""
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
    heavy = sorted((PIECE_VALUES[man] for man in men.values() if man in (chess.ROOK, chess.QUEEN)), reverse=True)
    strength = 2 * sum(heavy[:ENOUGH])
    if len(heavy) < ENOUGH:
        strength += sum(relative_rank(color, square) ** 2 / 6 for square, man in men.items() if man == chess.PAWN)
    return strength


class Hunter:
    """Decides when to hunt the opponent's king, and keeps track of it."""

    def __init__(self) -> None:
        self._king: LoneKing | None = None

    def hunts(self, view: View) -> LoneKing | None:
        """Return the king to hunt.

        None if it has too many pieces, we have too few to mate it, or something else is more urgent.
        """
        heavy = sum(man in (chess.ROOK, chess.QUEEN) for man in view.men.values())
        is_alone = view.opponent_men == 1
        is_enough = heavy >= ENOUGH or (is_alone and (heavy > 0 or chess.PAWN in view.men.values()))
        if view.opponent_men > FEW or not is_enough:
            return None
        if self._king is None:
            self._king = LoneKing(view)
        else:
            self._king.update(view)
        last = view.last_reply
        is_urgent = last is not None and not is_alone and (last.capture is not None or bool(last.checks))
        return None if is_urgent else self._king
