"""The evaluators `ks` and `material` written plainly on python-chess, to hold the fast ones against.

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
