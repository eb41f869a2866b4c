"""Facts that a view shows at a glance: its board as text, squares to mark, a check to answer, captures, losses."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import chess

import referee
from referee.announcement import check_direction
from referee.pieces import attacks, is_castling, is_pawn_capture, king_of, moved, squares_of
from referee.text import counted
from referee.view import may_be_en_passant

Men: TypeAlias = Mapping[chess.Square, chess.Piece]


def marks(view: referee.View) -> frozenset[chess.Square]:
    """Return the square of a capture by the opponent's last move, and the king that it checks; none out of turn."""
    last = view.last_announcement
    if last is None or view.turn != view.color:
        return frozenset()
    kings = [king_of(view.men)] if last.checks else []
    return frozenset([*kings, *([] if last.capture is None else [last.capture])])


@dataclass(frozen=True, slots=True)
class CheckToAnswer:
    """A check of the side to move."""

    text: str  # the announced directions: "Check on the file."
    line: chess.SquareSet  # squares from which the check may come by this announcement, and between these and the king
    sources: chess.SquareSet  # those from which it may come
    idle: list[chess.Move]  # open tries that cannot answer it, wherever the enemy's pieces are

    def idle_pieces(self, view: referee.View) -> frozenset[chess.Square]:
        """Return the squares of pieces none of whose tries can answer the check."""
        answering = {move.from_square for move in view.tries() if move not in self.idle}
        return frozenset(move.from_square for move in self.idle) - answering


def check_to_answer(view: referee.View) -> CheckToAnswer | None:
    """Return the announced check that a side has to answer; None if there is none."""
    last = view.last_announcement
    if last is None or not last.checks or view.turn != view.color or view.end is not None:
        return None
    king, own = king_of(view.men), squares_of(view.men)
    reach = chess.SquareSet(attacks(view.color, chess.QUEEN, king, own) & ~own)
    line = chess.SquareSet(square for square in reach if check_direction(king, square) & last.checks)
    if referee.Check.KNIGHT in last.checks:
        line |= chess.BB_KNIGHT_ATTACKS[king] & ~own
    sources, is_double, taken = line, last.checks.bit_count() > 1, last.capture
    if taken is not None and taken in line and not is_double and not may_be_en_passant(view, last):
        sources = chess.SquareSet([taken])  # it stands in the way of all others
        line = sources | (line & chess.between(king, taken))

    def is_idle(move: chess.Move) -> bool:
        if move.from_square == king:
            return is_castling(move, view.men)
        is_capture = is_pawn_capture(move, view.men)
        passed = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
        if is_double or not (move.to_square in line or (is_capture and passed in line)):
            return True  # it neither captures a piece that may give check nor comes in between
        return last.checks == referee.Check.KNIGHT and view.men[move.from_square] == chess.PAWN and not is_capture

    text = referee.Announcement(checks=last.checks).text()
    return CheckToAnswer(text, line, sources, [move for move in view.tries() if is_idle(move)])


def captures_text(view: referee.View) -> str:
    """Return a side's captures as far as it knows them: "1 pawn and 2 pieces", "3 pieces or pawns", "" for none."""
    own = [event.announcement for event in view.events if isinstance(event, referee.OwnTry)]
    captures = [announcement.captured for announcement in own if announcement and announcement.capture is not None]
    kinds = [
        ("piece or pawn", "pieces or pawns", None),
        ("pawn", "pawns", referee.CapturedKind.PAWN),
        ("piece", "pieces", referee.CapturedKind.PIECE),
    ]
    return " and ".join(counted(captures.count(kind), one, many) for one, many, kind in kinds if kind in captures)


def lost_pieces(view: referee.View) -> list[chess.PieceType]:
    """Return the types of a side's captured pieces, queens first."""
    start, lost = chess.Board(view.start), []
    men = {square: piece.piece_type for square, piece in start.piece_map().items() if piece.color == view.color}
    for event in view.events:
        if isinstance(event, referee.OwnTry) and event.announcement is not None:
            men = moved(men, event.move)
        elif isinstance(event, referee.OpponentMoved) and event.announcement.captured_square is not None:
            lost.append(men.pop(event.announcement.captured_square))
    return sorted(lost, reverse=True)


def own_men(view: referee.View) -> dict[chess.Square, chess.Piece]:
    """Return the pieces of a view."""
    return {square: chess.Piece(kind, view.color) for square, kind in view.men.items()}


def rows(bottom: chess.Color) -> list[list[chess.Square]]:
    """Return the squares row by row from the top, from left to right, with a side at the bottom."""
    down = [[chess.square(file, rank) for file in range(8)] for rank in range(7, -1, -1)]
    return down if bottom == chess.WHITE else [row[::-1] for row in down[::-1]]


def file_names(bottom: chess.Color) -> str:
    """Return the letters of the files from left to right."""
    return "abcdefgh" if bottom == chess.WHITE else "hgfedcba"


def plain_board(men: Men, bottom: chess.Color = chess.WHITE) -> list[str]:
    """Return a board as nine lines of letters and dots, as python-chess prints it, with coordinates."""
    signs = {square: piece.symbol() for square, piece in men.items()}
    lines = [f"{chess.square_rank(row[0]) + 1} {' '.join(signs.get(one, '.') for one in row)}" for row in rows(bottom)]
    return [*lines, "  " + " ".join(file_names(bottom))]
