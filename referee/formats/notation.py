"""Tries and announcements in a few letters, as PGN comments of several programs have them.

A try is named as in chess, but by what its own side sees, since that is all there is to name it by: "Nbd2" if
another knight of that side might also go to d2, "exd5" for a pawn that tries the diagonal. So only tries that the
side's own men leave open have a name.
"""

from __future__ import annotations

import re

import chess

from referee.announcement import Announcement, Check
from referee.errors import RecordError
from referee.men import Men, is_castling, is_pawn_capture, men_of, open_tries
from referee.record import place
from referee.text import quoted

CHECK_LETTERS = {
    Check.RANK: "R",
    Check.FILE: "F",
    Check.LONG_DIAGONAL: "L",
    Check.SHORT_DIAGONAL: "S",
    Check.KNIGHT: "N",
}
_TRY = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)([x:-]?)([a-h][1-8])(?:=?([QRBNqrbn]))?(?:[+]{0,2}|#)")
_CASTLES = re.compile(r"([0O]-[0O])(-[0O])?[+#]?")


def own_tries(board: chess.Board) -> list[chess.Move]:
    """Every try that the men of the side to move leave open, whatever it has heard."""
    color = board.turn
    kingside, queenside = board.has_kingside_castling_rights(color), board.has_queenside_castling_rights(color)
    return open_tries(color, men_of(board, color), kingside, queenside)


def try_name(board: chess.Board, move: chess.Move, *, is_capture: bool = False) -> str | None:
    """The name of a try of the side to move, or None if its own men rule it out.

    Args:
      board: the true board; of the other side's men nothing is used.
      move: the try.
      is_capture: whether it was accepted, and took something.
    """
    tries = own_tries(board)
    if move not in tries:
        return None
    man = board.piece_type_at(move.from_square)
    target = chess.square_name(move.to_square)
    files = chess.square_file(move.to_square) - chess.square_file(move.from_square)
    if man is None or (man == chess.KING and abs(files) == 2):
        return "O-O" if files > 0 else "O-O-O"
    if man == chess.PAWN:
        start = f"{chess.FILE_NAMES[chess.square_file(move.from_square)]}x" if files else ""
        return start + target + (f"={chess.piece_symbol(move.promotion).upper()}" if move.promotion else "")
    rivals = [
        other.from_square
        for other in tries
        if other.to_square == move.to_square
        and other.from_square != move.from_square
        and board.piece_type_at(other.from_square) == man
    ]
    return chess.piece_symbol(man).upper() + _start(move.from_square, rivals) + ("x" if is_capture else "") + target


def named_try(board: chess.Board, name: str, ply: int) -> chess.Move:
    """The inverse of `try_name`; a promotion without a piece is one to a queen, and a capture may say so or not.

    Raises:
      RecordError: it names no try of the side to move, or several.
    """
    tries, men = own_tries(board), men_of(board, board.turn)
    castles, match = _CASTLES.fullmatch(name), _TRY.fullmatch(name)
    if castles is not None:
        step = -2 if castles[2] else 2
        found = [move for move in tries if is_castling(move, men) and move.to_square - move.from_square == step]
    elif match is not None:
        found = [move for move in tries if _is_meant(move, match, men)]
    else:
        raise RecordError(f"illegal try: {quoted(name)}, {place(ply)}; it takes one such as 'Nf3', 'exd5' or 'O-O'")
    if len(found) != 1:
        why = "more than one man" if found else "no man"
        raise RecordError(f"illegal try: {quoted(name)}, {place(ply)}; {why} of the side to move might try that")
    return found[0]


def announced(announcement: Announcement) -> list[str]:
    """What was announced, one token each: Xd5 (capture), CF (check), P2 (pawn tries of the other side, if any).

    The end of the game has none, since the result says it; nor have pawn tries that are not told by their number, and
    that a move was a promotion or en passant. A referee that knows the rule set tells all of it again.
    """
    tokens = []
    if announcement.capture is not None:
        tokens.append("X" + chess.square_name(announcement.capture))
    tokens += [f"C{letter}" for check, letter in CHECK_LETTERS.items() if check & announcement.checks]
    if announcement.pawn_tries and not isinstance(announcement.pawn_tries, bool | tuple):
        tokens.append(f"P{announcement.pawn_tries}")
    return tokens


def _start(square: chess.Square, rivals: list[chess.Square]) -> str:
    """As much of a square as tells it from its rivals."""
    if not rivals:
        return ""
    name = chess.square_name(square)
    if all(chess.square_file(rival) != chess.square_file(square) for rival in rivals):
        return name[0]
    if all(chess.square_rank(rival) != chess.square_rank(square) for rival in rivals):
        return name[1]
    return name


def _is_meant(move: chess.Move, match: re.Match[str], men: Men) -> bool:
    man, file, rank, sign, target, promotion = match.groups()
    start = chess.square_name(move.from_square)
    promoted = chess.PIECE_SYMBOLS.index((promotion or "Q").lower())
    if (
        chess.square_name(move.to_square) != target
        or men[move.from_square] != chess.PIECE_SYMBOLS.index(man.lower() or "p")
        or (file and start[0] != file)
        or (rank and start[1] != rank)
        or (promoted != move.promotion if move.promotion else bool(promotion))
        or is_castling(move, men)
    ):
        return False
    is_aside = is_pawn_capture(move, men)
    return bool(man) or bool(file) or is_aside == (sign == "x")
