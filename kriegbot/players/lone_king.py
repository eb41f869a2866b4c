"""Hunting a lone king that is not seen: every square on which he may be, and how well a try confines him.

After Bolognesi and Ciancarini, "Searching over metapositions in Kriegspiel" (2004), and Ciancarini and Favini, "Solving
Kriegspiel endings with brute force" (2009): the set of squares is exact, since nothing else of the opponent's is left.
Instead of solving the ending or searching on, each try is rated by what the referee may answer to it: few squares for
the king, near the edge and near one's own king, are good, and a man that he may take is bad. A king with few men left
is hunted alike by a side that has enough; his squares are then a guess.
"""

from __future__ import annotations

import chess

from referee import Announcement, Answer, Check, OpponentMoved, OwnTry, View
from referee.announcement import check_direction
from referee.men import (
    PIECE_VALUES,
    Men,
    attacked,
    attacks,
    is_pawn_capture,
    king_of,
    moved,
    must_be_empty,
    relative_rank,
    squares_of,
)

MATE, STALEMATE = 200.0, -400.0
ENOUGH = 2
"""So many queens and rooks are enough to mate with; more of them only make stalemates likelier."""
FEW = 4
"""A king with no more men than this, himself included, is hunted by one who has enough."""


class LoneKing:
    """Where the opponent's king may be, once he has lost everything else, or nearly so.

    Attributes:
      squares: his possible squares.
    """

    def __init__(self, view: View) -> None:
        self._color, self._men, self._heard = view.color, dict(view.men), len(view.events)
        self._stalemate_wins, self._hears = view.rules.stalemate_loses, view.rules.checks_told
        self._is_alone = view.opponent_men == 1
        self.squares = self._free()
        for move in view.refused if self._is_alone else ():
            self._keep([square for square in self.squares if self._refuses(square, move)])

    def update(self, view: View) -> None:
        """Hears what has happened since the last view."""
        self._is_alone = view.opponent_men == 1
        for event in view.events[self._heard :]:
            if isinstance(event, OwnTry) and event.announcement is not None:
                self._own(event.move, event.announcement)
            elif isinstance(event, OwnTry) and event.answer is Answer.ILLEGAL and self._is_alone:
                self._keep([square for square in self.squares if self._refuses(square, event.move)])
            elif isinstance(event, OpponentMoved):
                self._his(event.announcement)
        self._heard, self._men = len(view.events), dict(view.men)

    def rate(self, move: chess.Move) -> float:
        """How good a try is, averaged over the squares of the king."""
        men = moved(self._men, move)
        seen, own = attacked(self._color, men), squares_of(men)
        total, refusing = 0.0, 0
        groups = {False: [0, 0], True: [0, 0]}  # by check: how many squares, and those he may go to
        for square in self.squares:
            if self._refuses(square, move):
                refusing |= chess.BB_SQUARES[square]
                continue
            is_check = bool(seen & chess.BB_SQUARES[square])
            flights = chess.BB_KING_ATTACKS[square] & ~seen
            if not flights:
                total += MATE if is_check or self._stalemate_wins else STALEMATE
                continue
            lost = max((PIECE_VALUES[men[taken]] for taken in chess.scan_forward(flights & own)), default=0.0)
            total -= 8 * lost
            groups[is_check][0] += 1
            groups[is_check][1] |= flights
        for count, flights in groups.values():
            total += count * self._confined(men, flights)
        total += chess.popcount(refusing) * self._confined(self._men, refusing)
        return total / len(self.squares) + self._strength(men)

    def _confined(self, men: Men, squares: chess.Bitboard) -> float:
        """How well a king on one of these squares is confined."""
        if not squares:
            return 0.0
        king = king_of(men)
        count, edge, distance = chess.popcount(squares), 0, 0
        for square in chess.scan_forward(squares):
            file, rank = chess.square_file(square), chess.square_rank(square)
            edge += min(file, 7 - file) + min(rank, 7 - rank)
            distance += chess.square_distance(king, square)
        return -float(count) - (edge + distance) / count

    def _strength(self, men: Men) -> float:
        """Queens and rooks, as many as it takes; until then also pawns on their way."""
        heavy = sorted((PIECE_VALUES[man] for man in men.values() if man in (chess.ROOK, chess.QUEEN)), reverse=True)
        strength = 2 * sum(heavy[:ENOUGH])
        if len(heavy) < ENOUGH:
            strength += sum(
                relative_rank(self._color, square) ** 2 / 6 for square, man in men.items() if man == chess.PAWN
            )
        return strength

    def _free(self) -> list[chess.Square]:
        """Where he may be when it is not his turn and nothing else is known."""
        return list(chess.scan_forward(~(attacked(self._color, self._men) | squares_of(self._men)) & chess.BB_ALL))

    def _keep(self, squares: list[chess.Square]) -> None:
        self.squares = squares or self._free() or [chess.A1]

    def _refuses(self, square: chess.Square, move: chess.Move) -> bool:
        """Whether a try is illegal if he is on this square."""
        if is_pawn_capture(move, self._men):
            return True
        if self._men[move.from_square] == chess.KING and chess.square_distance(square, move.to_square) <= 1:
            return True
        return bool(must_be_empty(move, self._men) & chess.BB_SQUARES[square])

    def _own(self, move: chess.Move, heard: Announcement) -> None:
        squares = [square for square in self.squares if not self._refuses(square, move)]
        self._men = moved(self._men, move)
        self._keep([square for square in squares if not self._hears or self._checks(square) == heard.checks])

    def _checks(self, square: chess.Square) -> Check:
        own, checks = squares_of(self._men), Check(0)
        for origin, man in self._men.items():
            if attacks(self._color, man, origin, own) & chess.BB_SQUARES[square]:
                checks |= check_direction(square, origin)
        return checks

    def _his(self, heard: Announcement) -> None:
        seen, own = attacked(self._color, self._men), squares_of(self._men)
        reached = 0
        for square in self.squares:
            reached |= chess.BB_KING_ATTACKS[square] & ~seen
        reached &= ~own if heard.capture is None else chess.BB_SQUARES[heard.capture]
        if not self._is_alone:  # another man may have moved
            reached |= sum(chess.BB_SQUARES[square] for square in self.squares) & ~seen
        if heard.captured_square is not None:
            self._men.pop(heard.captured_square, None)
        self._keep(list(chess.scan_forward(reached)))


class Hunter:
    """Says when to hunt the opponent's king, and keeps track of him."""

    def __init__(self) -> None:
        self._king: LoneKing | None = None

    def hunts(self, view: View) -> LoneKing | None:
        """The hunted king; None if he has too many men, too little is left to mate him, or something is more urgent."""
        heavy = sum(man in (chess.ROOK, chess.QUEEN) for man in view.men.values())
        is_alone = view.opponent_men == 1
        is_enough = heavy >= ENOUGH or (is_alone and (heavy > 0 or chess.PAWN in view.men.values()))
        if view.opponent_men > FEW or not is_enough:
            return None
        if self._king is None:
            self._king = LoneKing(view)
        else:
            self._king.update(view)
        heard = view.last_reply
        is_urgent = heard is not None and not is_alone and (heard.capture is not None or bool(heard.checks))
        return None if is_urgent else self._king
