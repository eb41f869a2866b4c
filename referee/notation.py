"""Tries in short, as chess names moves, but by what their own side sees: there is nothing else to name them by.

"Nbd2" if another knight of that side might also go to d2; "exd5" for a pawn that tries the diagonal; "O-O". Whether
any other man will capture is for the referee to say.
"""

from __future__ import annotations

import re

import chess

from referee.men import Men, is_castling, is_open, is_pawn_capture


def try_name(move: chess.Move, color: chess.Color, men: Men, kingside: bool, queenside: bool) -> str:
    """The name of a try of a side's men; UCI where none of them stands where it begins."""
    man = men.get(move.from_square)
    if man is None or not move:
        return move.uci()
    start, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    if man == chess.PAWN:
        promotion = "=" + chess.piece_symbol(move.promotion).upper() if move.promotion else ""
        return (f"{start[0]}x" if is_pawn_capture(move, men) else "") + target + promotion
    if is_castling(move, men):
        return "O-O" if chess.square_file(move.to_square) == 6 else "O-O-O"
    others = [square for square, other in men.items() if other == man and square != move.from_square]
    rivals = [
        chess.square_name(square)
        for square in others
        if is_open(chess.Move(square, move.to_square), color, men, kingside, queenside)
    ]
    return chess.piece_symbol(man).upper() + _distinguished(start, rivals) + target


def _distinguished(name: str, rivals: list[str]) -> str:
    """As much of a square's name as tells it from its rivals: nothing, the file, the rank or both."""
    if not rivals:
        return ""
    if all(rival[0] != name[0] for rival in rivals):
        return name[0]
    return name[1] if all(rival[1] != name[1] for rival in rivals) else name


def is_meant(move: chess.Move, men: Men, match: re.Match[str]) -> bool:
    """Whether a name such as "Nbd2" or "bxa8=Q" may mean a try; castling has other names.

    The match has the letter of the man, file and rank of its start, sign of a capture, target, letter of a promotion.
    """
    letter, file, rank, sign, target, promotion = match.groups()
    start = chess.square_name(move.from_square)
    man = men.get(move.from_square)
    if (
        chess.square_name(move.to_square) != target
        or man != chess.PIECE_SYMBOLS.index(letter.lower() or "p")
        or (file and start[0] != file)
        or (rank and start[1] != rank)
        or not promotes_to(move, promotion)
        or is_castling(move, men)
    ):
        return False
    return man != chess.PAWN or bool(file) or is_pawn_capture(move, men) == (sign == "x")


def promotes_to(move: chess.Move, letter: str | None) -> bool:
    """Whether a move promotes to the man of a letter, by default to a queen, if at all."""
    if letter:
        return move.promotion == chess.PIECE_SYMBOLS.index(letter.lower())
    return move.promotion in (None, chess.QUEEN)
