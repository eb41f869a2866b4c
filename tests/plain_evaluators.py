"""The evaluators `ks`, `material` and `sound` written plainly on python-chess, to hold the fast ones against.

KS is named in Parker, Nau and Subrahmanian, "Overconfidence or Paranoia? Search in Imperfect-Information
Games" (AAAI 2006), which describes its terms and gives no weights; the weights here are this project's. A man
protects or attacks a square by the moves of its kind over the men that stand in its way; pins do not matter.
"""

from __future__ import annotations

import chess

from evaluators.ks import Weights
from tests.remembered import by_board

VALUE = {
    chess.PAWN: 100,
    chess.KNIGHT: 300,
    chess.BISHOP: 350,
    chess.ROOK: 500,
    chess.QUEEN: 900,
    chess.KING: 0,
}
ADVANCED = {4: 2, 5: 5, 6: 12, 7: 30}  # by rank as the pawn's side counts


def material(board: chess.Board, side: chess.Color) -> float:
    """Own men less the opponent's, in centipawns."""
    total = 0
    for piece in board.piece_map().values():
        total += VALUE[piece.piece_type] if piece.color == side else -VALUE[piece.piece_type]
    return float(total)


@by_board
def ks(board: chess.Board, side: chess.Color, weights: Weights = Weights()) -> float:  # noqa: B008 - it is immutable
    """Material, own men protected, own pawns advanced, opponent's men attacked, less a little for a check."""
    total = material(board, side)
    for square, piece in board.piece_map().items():
        in_reach = board.is_attacked_by(side, square)  # of a man of `side`
        if piece.color != side:
            if in_reach:
                total += VALUE[piece.piece_type] * weights.threat // 100
                total -= weights.check if piece.piece_type == chess.KING else 0
            continue
        counts = not weights.attacked_only or board.is_attacked_by(not side, square)
        if piece.piece_type != chess.KING and in_reach and counts:
            total += weights.protected + VALUE[piece.piece_type] * weights.shield // 100
        if piece.piece_type == chess.PAWN:
            rank = chess.square_rank(square) + 1 if side == chess.WHITE else 8 - chess.square_rank(square)
            total += ADVANCED.get(rank, 0) * weights.advance // 100
    total = total * 10_000 // weights.mate
    return total if weights.mate == 10_000 else min(max(total, -10_000), 10_000)


def sound(board: chess.Board, side: chess.Color) -> int:
    """KS, hanging pieces, passed pawns, the king and pieces at home, and the hunt for a king."""
    ours, theirs = _officers(board, side), _officers(board, not side)
    score = int(ks(board, side)) - 20 * _hanging(board, side) // 100 + 6 * _hanging(board, not side) // 100
    score += _passed(board, side) - _passed(board, not side)
    if theirs > 1000:
        score += _home(board, side)
    elif ours > theirs and material(board, side) > 0:
        king, prey = _king(board, side), _king(board, not side)
        file, rank = chess.square_file(prey), chess.square_rank(prey)
        score += 12 * (max(3 - file, file - 4) + max(3 - rank, rank - 4)) + 6 * (7 - chess.square_distance(king, prey))
    if ours > theirs:
        score += 60 * _net(board, side) * min(ours, 3000) // 3000 * min(ours - theirs, 800) // 800
    return score - _home(board, not side) if ours > 1000 else score


def _king(board: chess.Board, side: chess.Color) -> chess.Square:
    king = board.king(side)
    assert king is not None
    return king


def _officers(board: chess.Board, side: chess.Color) -> int:
    """Return the value of a side's pieces other than pawns."""
    return sum(
        VALUE[piece.piece_type]
        for piece in board.piece_map().values()
        if piece.color == side and piece.piece_type != chess.PAWN
    )


def _hanging(board: chess.Board, side: chess.Color) -> int:
    """Return the value of pieces that can be taken for nothing, or by a pawn that is worth less."""
    total = 0
    for square, piece in board.piece_map().items():
        if piece.color == side and piece.piece_type != chess.KING and board.is_attacked_by(not side, square):
            by_pawn = bool(board.attackers(not side, square) & board.pawns)
            is_protected = board.is_attacked_by(side, square)
            if not is_protected or (by_pawn and piece.piece_type != chess.PAWN):
                total += VALUE[piece.piece_type]
    return total


def _passed(board: chess.Board, side: chess.Color) -> int:
    """Return the bonus for pawns that no pawn of the other side can stop or capture on their way."""
    total = 0
    enemies = board.pieces(chess.PAWN, not side)
    for square in board.pieces(chess.PAWN, side):
        rank = chess.square_rank(square)
        ahead = range(rank + 1, 8) if side == chess.WHITE else range(rank)
        near = {chess.square_file(square) + step for step in (-1, 0, 1)}
        if not any(chess.square_file(enemy) in near and chess.square_rank(enemy) in ahead for enemy in enemies):
            total += {1: 5, 2: 10, 3: 20, 4: 40, 5: 70, 6: 120}[rank if side == chess.WHITE else 7 - rank]
    return total


def _home(board: chess.Board, side: chess.Color) -> int:
    """Return the score of development, of pawns in the centre, and of the king's place."""
    first = chess.BB_RANK_1 if side == chess.WHITE else chess.BB_RANK_8
    knights, bishops = board.pieces(chess.KNIGHT, side), board.pieces(chess.BISHOP, side)
    score = -10 * len(knights & (chess.BB_FILE_A | chess.BB_FILE_H)) - 10 * len((knights | bishops) & first)
    score += 8 * len(board.pieces(chess.PAWN, side) & chess.SquareSet([chess.D4, chess.E4, chess.D5, chess.E5]))
    rank, file = chess.square_rank(_king(board, side)), chess.square_file(_king(board, side))
    away = rank if side == chess.WHITE else 7 - rank
    if away > 0:
        return score - 18 * min(away, 3) - (18 if 2 <= file <= 5 else 0)
    if board.has_castling_rights(side):
        return score + 12
    return score + (0 if 3 <= file <= 5 else 25)


def _net(board: chess.Board, side: chess.Color) -> int:
    """Return the squares around the other king that we attack, less those free to it."""
    net = 0
    for square in board.attacks(_king(board, not side)):
        if board.is_attacked_by(side, square):
            net += 1
        elif board.color_at(square) is not (not side):
            net -= 1
    return net
