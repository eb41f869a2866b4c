"""What the referee says after a move: the capture, the checks, the pawn tries and the end of the game.

`announce` is a pure function of a position and a legal move, so that an exact enumeration of histories can
ask it what would be heard in each of them. Two conventions of Kriegspiel that surprise chess players: a
capture is announced at the square of the captured man, also en passant (unless the rule set tells of that); and
of the two diagonals through the checked king's square the longer one is "long", whichever way it runs.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess

from referee.announcement import NO_CHECK, Announcement, Check, End, Man, Reason, Told
from referee.rules import NO_LIMITS, Limits, PawnTries, RuleSet


def capture_square(board: chess.Board, move: chess.Move) -> chess.Square | None:
    """Square of the man that a legal move would capture, or None."""
    if board.is_en_passant(move):
        return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return move.to_square if board.color_at(move.to_square) == (not board.turn) else None


def check_direction(king: chess.Square, checker: chess.Square) -> Check:
    """Direction from which a man that gives check does so, seen from the king."""
    files = chess.square_file(checker) - chess.square_file(king)
    ranks = chess.square_rank(checker) - chess.square_rank(king)
    if ranks == 0:
        return Check.RANK
    if files == 0:
        return Check.FILE
    if abs(files) != abs(ranks):
        return Check.KNIGHT
    # Squares on the diagonal parallel to a1-h8 and on the one parallel to a8-h1: never equally many.
    rising = 8 - abs(chess.square_file(king) - chess.square_rank(king))
    falling = 8 - abs(chess.square_file(king) + chess.square_rank(king) - 7)
    on_longer = (files == ranks) == (rising > falling)
    return Check.LONG_DIAGONAL if on_longer else Check.SHORT_DIAGONAL


def pawn_tries_of(board: chess.Board) -> set[tuple[chess.Square, chess.Square]]:
    """Legal pawn captures of the side to move, from and to: en passant counts, promotions are one."""
    return {(move.from_square, move.to_square) for move in _legal_pawn_captures(board)}


def _legal_pawn_captures(board: chess.Board) -> Iterator[chess.Move]:
    return board.generate_legal_captures(from_mask=board.pawns & board.occupied_co[board.turn])


def count_pawn_tries(board: chess.Board) -> int:
    """How many legal pawn captures the side to move has."""
    return len(pawn_tries_of(board))


def pawn_tries_told(board: chess.Board, kind: PawnTries) -> Told:
    """What an announcement tells of the pawn captures of the side to move; see `Announcement.pawn_tries`."""
    match kind:
        case PawnTries.NOTHING:
            return None
        case PawnTries.COUNT:
            return count_pawn_tries(board)
        case PawnTries.COUNT_EACH:
            return sum(1 for _ in _legal_pawn_captures(board))
        case PawnTries.YES_NO:
            return count_pawn_tries(board) > 0
        case PawnTries.SQUARES:
            return tuple(sorted({origin for origin, _ in pawn_tries_of(board)}))


def end_of(board: chess.Board, rules: RuleSet, limits: Limits = NO_LIMITS, *, ply: int = 0) -> End | None:
    """How the game has ended in this position after `ply` moves, or None if it has not."""
    if not any(board.generate_legal_moves()):
        if board.is_check():
            return End(Reason.CHECKMATE, not board.turn)
        return End(Reason.STALEMATE, (not board.turn) if rules.stalemate_loses else None)
    if board.is_insufficient_material() or (rules.one_minor_each_draws and _one_minor_each(board)):
        return End(Reason.DEAD_POSITION)
    if limits.plies is not None and ply >= limits.plies:
        return End(Reason.PLY_LIMIT)
    if limits.quiet_plies is not None and board.halfmove_clock >= limits.quiet_plies:
        return End(Reason.QUIET_LIMIT)
    return None


def announce(
    board: chess.Board,
    move: chess.Move,
    rules: RuleSet,
    limits: Limits = NO_LIMITS,
    *,
    ply: int | None = None,
) -> Announcement:
    """What the referee says when a legal move is made.

    Args:
      board: the true position before the move; unchanged.
      move: a legal move in it.
      rules: what is told.
      limits: when the game is drawn.
      ply: moves made before this one, needed only under a limit of plies.
    """
    if ply is None:
        if limits.plies is not None:
            raise ValueError(f"announce needs ply=, the moves made so far, under a limit of {limits.plies} plies")
        ply = 0
    capture = capture_square(board, move)
    captured = None
    if capture is not None and rules.captured_kind:
        captured = Man.PAWN if board.piece_type_at(capture) == chess.PAWN else Man.PIECE
    en_passant = rules.en_passant_told and board.is_en_passant(move)
    if en_passant:
        capture = move.to_square
    promotion = rules.promotion_told and move.promotion is not None
    after = board.copy(stack=False)
    after.push(move)
    end = end_of(after, rules, limits, ply=ply + 1)
    told = None if end is not None else pawn_tries_told(after, rules.pawn_tries)
    checks = _checks(after) if rules.checks_told else NO_CHECK
    return Announcement(capture, captured, checks, told, end, en_passant, promotion)


def _checks(board: chess.Board) -> Check:
    checks = NO_CHECK
    king = board.king(board.turn)
    if king is not None:
        for checker in chess.scan_forward(board.checkers_mask()):
            checks |= check_direction(king, checker)
    return checks


def _one_minor_each(board: chess.Board) -> bool:
    if board.pawns | board.rooks | board.queens:
        return False
    return all(chess.popcount(men) <= 2 for men in board.occupied_co)
