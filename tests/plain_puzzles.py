"""A checker of puzzles by python-chess alone: every position that is consistent with a game, by plain enumeration.

It shares nothing with what made the puzzles: neither the referee nor kernels nor beliefs. A side learns of a move what
`observed` returns, under Berkeley and Wild 16 rules.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence

import chess

Weighted = list[tuple[chess.Board, float]]
Observation = tuple[object, ...]


def moved_on(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    return after


def directions(board: chess.Board) -> frozenset[str]:
    """Return the checks to the side to move; the longer diagonal through the king is the long one."""
    king, found = board.king(board.turn) or 0, set()
    file, rank = chess.square_file(king), chess.square_rank(king)
    for square in board.checkers():
        right, up = chess.square_file(square) - file, chess.square_rank(square) - rank
        rising, falling = 8 - abs(file - rank), 8 - abs(file + rank - 7)
        if right == 0 or up == 0:
            found.add("rank" if up == 0 else "file")
        elif abs(right) != abs(up):
            found.add("knight")
        else:
            found.add("long" if (rising > falling) == (right * up > 0) else "short")
    return frozenset(found)


def pawn_captures(board: chess.Board) -> int:
    pairs = {(m.from_square, m.to_square) for m in board.legal_moves if board.is_capture(m)}
    return sum(board.piece_type_at(start) == chess.PAWN for start, _ in pairs)


def observed(board: chess.Board, move: chess.Move, rules: str) -> Observation:
    """Return what both sides learn of a legal move."""
    after, is_wild = moved_on(board, move), rules == "wild16"
    square, kind = (move.to_square, board.piece_type_at(move.to_square)) if board.is_capture(move) else (None, None)
    if board.is_en_passant(move):
        square, kind = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square)), chess.PAWN
    is_over = not any(after.legal_moves)
    few = all(chess.popcount(side) <= 2 for side in after.occupied_co) and not after.pawns | after.rooks | after.queens
    is_dead = after.is_insufficient_material() or (few and not is_wild)
    tries = pawn_captures(after) if is_wild and not is_over and not is_dead else None
    return square, kind == chess.PAWN if is_wild else None, directions(after), tries, is_over, is_dead


def seen_tries(board: chess.Board, color: chess.Color) -> list[chess.Move]:
    """Return the moves that a side might make for all that its own pieces show."""
    own = board.copy(stack=False)
    own.turn, own.ep_square = color, None
    for square in chess.SquareSet(board.occupied_co[not color]):
        own.remove_piece_at(square)
    moves = [move for move in own.pseudo_legal_moves if own.piece_at(move.from_square)]
    for square in own.pieces(chess.PAWN, color):
        for target in chess.SquareSet(chess.BB_PAWN_ATTACKS[color][square] & ~own.occupied):
            promotions = [2, 3, 4, 5] if chess.square_rank(target) in (0, 7) else [None]
            moves += [chess.Move(square, target, promotion) for promotion in promotions]
    return moves


def merged(positions: Iterable[tuple[chess.Board, float]]) -> Weighted:
    boards, masses = {}, Counter[object]()
    for board, mass in positions:
        key = board._transposition_key()
        boards[key] = board
        masses[key] += mass  # type: ignore[assignment] # typeshed: int
    total = sum(masses.values())
    return [(board, masses[key] / total) for key, board in boards.items()]


class TooMany(Exception):
    """More positions than the caller allows."""


def enumerate_all(
    rules: str, start: str, played: str, color: chess.Color, used: Container[int] | None = None, most: float = math.inf
) -> Weighted:
    """Return all positions consistent with what a side learns of a game, for an opponent that moves at random.

    With `used` it ignores announcements on all other events, from 0: own tries, and what it learns of the opponent's.
    Its own moves stay legal, and nothing ends the game. Raise TooMany for more than `most` positions.
    """
    true, refused, number = chess.Board(start), 0, -1
    positions: Weighted = [(true, 1.0)]
    for code in played.split():
        move = chess.Move.from_uci(code)
        is_ours, is_legal = true.turn == color, true.is_legal(move)
        number += is_ours or is_legal or rules != "wild16"
        is_used = used is None or number in used
        if not is_legal:
            refused += is_used and not is_ours
            if is_ours and is_used:
                has = ((b, mass) for b, mass in positions if b.color_at(move.from_square) == color)
                positions = merged((b, mass) for b, mass in has if not b.is_legal(move))
            continue
        said = observed(true, move, rules)
        after = []
        for board, mass in positions:
            moves = [move] * board.is_legal(move) if is_ours else list(board.legal_moves)
            if not is_ours and refused and rules != "wild16":
                illegal = [one for one in seen_tries(board, not color) if not board.is_legal(one)]
                moves = moves if len(illegal) >= refused else []
            if is_used:
                moves_seen = [m for m in moves if board.is_capture(m) == (said[0] is not None)]
                alike = [m for m in moves_seen if observed(board, m, rules) == said]
            else:
                alike = [m for m in moves if not any(observed(board, m, rules)[-2:])]
            after += [(moved_on(board, m), mass / len(moves)) for m in alike]
        positions, true, refused = merged(after), moved_on(true, move), 0
        if len(positions) > most:
            raise TooMany
    return positions


def entropy(positions: Weighted, move: chess.Move, rules: str) -> float:
    """Return the entropy in bits of the referee's answer to a try."""
    masses = Counter[object]()
    for board, mass in positions:
        masses[observed(board, move, rules) if board.is_legal(move) else "no"] += mass  # type: ignore[assignment]
    return -sum(mass * math.log2(mass) for mass in masses.values())


def wins(boards: Sequence[chess.Board], move: chess.Move, moves: int, rules: str) -> bool:
    """Return True if a try mates in so many moves, whatever the referee answers and the opponent replies."""
    refusing = [board for board in boards if not board.is_legal(move)]
    if len(refusing) == len(boards):
        return False
    groups = defaultdict[object, list[chess.Board]](list)
    for board in boards:
        if board.is_legal(move) and not (after := moved_on(board, move)).is_checkmate():
            if moves == 1 or not any(after.legal_moves):
                return False
            for reply in after.legal_moves:
                said = observed(board, move, rules), observed(after, reply, rules)
                groups[said].append(moved_on(after, reply))
    lefts = [*((group, moves - 1) for group in groups.values()), *[(refusing, moves)] * bool(refusing)]
    return all(
        any(wins(group, move, left, rules) for move in {move for board in group for move in board.legal_moves})
        for group, left in lefts
    )
