"""Announcements of the referee, rule sets and limits as integers, made from the referee's or computed by kernels.

0-6    square of the captured piece + 1, 0 for no capture; the capturing pawn's target, if en passant is announced
7      the captured piece was a pawn (*)
8-12   check: rank, file, long diagonal, short diagonal, knight (*)
13-17  number of pawn tries of the side to move + 1, or of their squares + 1, up to the most that the rule set
       announces; 0 after the end
18-20  end of the game: 1 checkmate, 2 stalemate, 3 dead position, 4 ply limit, 5 quiet limit, 6 lost by stalemate
21     en passant (*)
22     promotion (*)
23-51  number of the set of squares from which pawns can capture, as in `set_number` (*)

(*) 0 unless the rule set announces it.
"""

from math import comb
from typing import NamedTuple

import chess
import numpy as np

from kriegbot.kernels import tables as at
from kriegbot.kernels.attacks import check_info, line, pawn_attacks, shifted
from kriegbot.kernels.jit import kernel, words
from kriegbot.kernels.moves import EVERYWHERE, ep_is_safe, has_legal_move, pawn_captures
from kriegbot.kernels.position import (
    NONE,
    ONE,
    WHITE,
    Position,
    bit,
    ep_square,
    forward,
    halfmove_clock,
    pieces_of,
    plies_played,
    side_to_move,
)
from kriegbot.kernels.types import Moves, Word, Words, lsb, number, popcount
from referee import (
    Announcement,
    Answer,
    Asking,
    CapturedKind,
    Limits,
    OpponentAsked,
    OpponentMoved,
    OpponentRefused,
    OwnQuestion,
    OwnTry,
    PawnTries,
    PawnTrySquares,
    Reason,
    RuleSet,
    View,
)

RANK, FILE, LONG_DIAGONAL, SHORT_DIAGONAL, BY_KNIGHT = 1, 2, 4, 8, 16
CHECKMATE, STALEMATE, DEAD_POSITION, PLY_LIMIT, QUIET_LIMIT, LOST_STALEMATE = 1, 2, 3, 4, 5, 6
CAPTURED_PAWN_BIT, EN_PASSANT_BIT, PROMOTION_BIT = 1 << 7, 1 << 21, 1 << 22
CHECK_SHIFT, TRIES_SHIFT, END_SHIFT, SQUARES_SHIFT = 8, 13, 18, 23
CAPTURE_MASK = 0xFF
MOVE_BITS = CAPTURE_MASK | EN_PASSANT_BIT | PROMOTION_BIT
"""Bits that announce the move; the others announce the position after it."""
EACH_PROMOTION, ANY_NUMBER, SQUARES = 29, 30, 31
SEVENTH_RANK, SECOND_RANK = words(0x00FF000000000000, 0xFF00)
NOT_ASKED, NO, YES, TRIED = 0, 1, 2, 3
(DARK_SQUARES,) = words(0xAA55AA55AA55AA55)
ENDS = (Reason.CHECKMATE, Reason.STALEMATE, Reason.DEAD_POSITION, Reason.PLY_LIMIT, Reason.QUIET_LIMIT)
"""Reasons in the order of their numbers, from 1."""
TRIES_ANNOUNCED = {
    PawnTries.NOTHING: 0,
    PawnTries.COUNT: ANY_NUMBER,
    PawnTries.COUNT_EACH: EACH_PROMOTION,
    PawnTries.YES_NO: 1,
    PawnTries.SQUARES: SQUARES,
}


class KernelRules(NamedTuple):
    """Rule set and limits of a game for kernels: int64, 0 or 1 for no or yes, 0 for no limit.

    The referee announces whether a capture was of a pawn or of a piece (`announces_kind`) and pawn tries up to
    `tries_announced`: 0 not at all, 1 "none" or "some", ANY_NUMBER, EACH_PROMOTION if a promotion counts four times,
    SQUARES if it names squares. `minor_each_draws`: kings with at most one minor piece each are a dead position.
    """

    announces_kind: int
    tries_announced: int
    minor_each_draws: int
    announces_en_passant: int
    announces_promotion: int
    stalemate_loses: int
    announces_checks: int
    ply_limit: int
    quiet_limit: int


class TurnHistory(NamedTuple):
    """Announcements of a turn before its move.

    `refused` illegal tries came before the question "Any?", if there was one, and `since` after it. Its `answer` is
    NOT_ASKED, NO, YES (a pawn must capture) or TRIED (a pawn has tried to, and need not any more).
    """

    refused: int
    answer: int
    since: int


@kernel
def check_directions(position: Position, checkers: Word) -> int:
    """Return the directions, from its king, of the checks that the side to move is in."""
    own, _ = pieces_of(position, side_to_move(position))
    king = lsb(position.kings & own)
    rank, file = king >> 3, king & 7
    directions = 0
    while checkers:
        checker = lsb(checkers)
        if bit(checker) & position.knights:
            directions |= BY_KNIGHT
        elif checker >> 3 == rank:
            directions |= RANK
        elif checker & 7 == file:
            directions |= FILE
        else:  # of the king's two diagonals, the one nearer to a main diagonal is the longer
            rising = (checker & 7) - file == (checker >> 3) - rank
            rising_is_longer = abs(file - rank) < abs(7 - file - rank)
            directions |= LONG_DIAGONAL if rising == rising_is_longer else SHORT_DIAGONAL
        checkers &= checkers - ONE
    return directions


@kernel
def unpinned(tables: Words, targets: Word, step: int, pinned: Word, king: int) -> Word:
    """Return the origins of pawn moves to `targets`, each `step` squares behind, less those that a pin forbids."""
    origins = shifted(targets, -step)
    pinned_origins = origins & pinned
    while pinned_origins:
        origin = lsb(pinned_origins)
        if not line(tables, king, origin) & bit(origin + step):
            origins &= ~bit(origin)
        pinned_origins &= pinned_origins - ONE
    return origins


@kernel
def pawn_tries(tables: Words, position: Position, checkers: Word, pinned: Word) -> tuple[int, Word, int]:
    """Return the number of legal pawn captures of the side to move, their origins, and how many of them promote."""
    side = side_to_move(position)
    own, other = pieces_of(position, side)
    king = lsb(position.kings & own)
    takeable = other
    if checkers:
        if checkers & (checkers - ONE):
            return 0, NONE, 0
        takeable = checkers
    pawns = position.pawns & own
    left, right = pawn_captures(pawns, side, takeable)
    from_right = unpinned(tables, left, forward(side) - 1, pinned, king)
    from_left = unpinned(tables, right, forward(side) + 1, pinned, king)
    count, capturing = popcount(from_right) + popcount(from_left), from_right | from_left
    last = SEVENTH_RANK if side == WHITE else SECOND_RANK
    promoting = popcount(from_right & last) + popcount(from_left & last)
    ep = ep_square(position)
    if ep:
        origins = pawn_attacks(tables, 1 - side, ep) & pawns
        while origins:
            if ep_is_safe(tables, position, lsb(origins), king):
                count += 1
                capturing |= origins & (NONE - origins)
            origins &= origins - ONE
    return count, capturing, promoting


@kernel
def set_number(tables: Words, squares: Word) -> int:
    """Return the number of a set of at most eight squares on ranks 2 to 7: the combinatorial number system.

    The n-th square of the set, counted from a2, adds the number of ways to choose n of the squares before it.
    """
    index, chosen = NONE, 0
    while squares:
        index += tables[at.CHOOSE + 8 * (lsb(squares) - 8) + chosen]
        chosen += 1
        squares &= squares - ONE
    return number(index)


@kernel
def pawns_to_try(tables: Words, position: Position, rules: KernelRules) -> Word:
    """Return the squares from which the side to move may try pawn captures after the announcement of a position."""
    if rules.tries_announced == 0:
        return EVERYWHERE
    checkers, pinned = check_info(tables, position)
    count, capturing, _ = pawn_tries(tables, position, checkers, pinned)
    if count == 0 or rules.tries_announced == SQUARES:
        return capturing
    return EVERYWHERE


@kernel
def is_dead(position: Position, rules: KernelRules) -> bool:
    """Return True if nobody can win: is_insufficient_material of python-chess, or the rule set's own draw."""
    if position.pawns | position.orthogonals:
        return False
    minors = position.knights | position.diagonals  # there is no queen, so diagonals are bishops
    if popcount(minors) <= 1:
        return True
    if position.knights == NONE and (
        position.diagonals & DARK_SQUARES == NONE or position.diagonals & ~DARK_SQUARES == NONE
    ):
        return True
    one_each = popcount(minors & position.white) <= 1 and popcount(minors & position.black) <= 1
    return rules.minor_each_draws != 0 and one_each


@kernel
def game_end(
    tables: Words, position: Position, checkers: Word, pinned: Word, rules: KernelRules, scratch: Moves
) -> int:
    """Return the end of the game in this position, 0 if it goes on; `scratch` has MAX_MOVES places."""
    if not has_legal_move(tables, position, checkers, pinned, scratch):
        if checkers:
            return CHECKMATE
        return LOST_STALEMATE if rules.stalemate_loses != 0 else STALEMATE
    if is_dead(position, rules):
        return DEAD_POSITION
    if rules.ply_limit != 0 and plies_played(position) >= rules.ply_limit:
        return PLY_LIMIT
    if rules.quiet_limit != 0 and halfmove_clock(position) >= rules.quiet_limit:
        return QUIET_LIMIT
    return 0


@kernel
def situation(tables: Words, position: Position, rules: KernelRules, scratch: Moves) -> int:
    """Return the announcement of a position, whatever the move before: checks, pawn tries, end of the game."""
    checkers, pinned = check_info(tables, position)
    code = 0
    if checkers and rules.announces_checks != 0:
        code = check_directions(position, checkers) << CHECK_SHIFT
    end = game_end(tables, position, checkers, pinned, rules, scratch)
    if end != 0:
        return code | end << END_SHIFT
    if rules.tries_announced != 0:
        count, capturing, promoting = pawn_tries(tables, position, checkers, pinned)
        if rules.tries_announced == EACH_PROMOTION:
            count += 3 * promoting
        if rules.tries_announced == SQUARES:
            count = popcount(capturing)
            code |= set_number(tables, capturing) << SQUARES_SHIFT
        code |= (min(count, rules.tries_announced) + 1) << TRIES_SHIFT
    return code


@kernel
def announcement(
    tables: Words, before: Position, after: Position, captured: int, rules: KernelRules, scratch: Moves
) -> int:
    """Return the announcement of the move from `before` to `after`; `captured` is the captured square, or -1."""
    code = captured + 1
    if rules.announces_kind != 0 and captured >= 0 and bit(captured) & before.pawns:
        code |= CAPTURED_PAWN_BIT
    if rules.announces_en_passant != 0 and captured >= 0 and not bit(captured) & (after.white | after.black):
        code = code + forward(side_to_move(before)) | EN_PASSANT_BIT
    if rules.announces_promotion != 0:
        own, _ = pieces_of(before, side_to_move(before))
        left, _ = pieces_of(after, side_to_move(before))
        if popcount(before.pawns & own) != popcount(after.pawns & left):
            code |= PROMOTION_BIT
    return code | situation(tables, after, rules, scratch)


@kernel
def captured_on(code: int) -> int:
    """Return the announced square of a capture, -1 for no capture."""
    return (code & (CAPTURED_PAWN_BIT - 1)) - 1


@kernel
def announced_end(code: int) -> int:
    """Return the announced end of the game, 0 if it goes on."""
    return code >> END_SHIFT & 7


@kernel
def is_won(end: int) -> bool:
    """Return True if this end is a win of the side that has just moved."""
    return end in (CHECKMATE, LOST_STALEMATE)


def encode_announcement(announcement: Announcement) -> int:
    """Return an announcement in the bits above."""
    code = 0 if announcement.capture is None else announcement.capture + 1
    code |= CAPTURED_PAWN_BIT * (announcement.captured is CapturedKind.PAWN)
    code |= int(announcement.checks) << CHECK_SHIFT
    code |= EN_PASSANT_BIT * announcement.en_passant | PROMOTION_BIT * announcement.promotion
    tries, end = announcement.pawn_tries, announcement.end
    if tries is not None:
        code |= min(tries.at_least, EACH_PROMOTION) + 1 << TRIES_SHIFT
    if isinstance(tries, PawnTrySquares):
        code |= number_of_set(tries.squares) << SQUARES_SHIFT
    if end is not None:
        is_lost = end.reason is Reason.STALEMATE and end.winner is not None
        code |= (LOST_STALEMATE if is_lost else ENDS.index(end.reason) + 1) << END_SHIFT
    return code


def number_of_set(squares: tuple[chess.Square, ...]) -> int:
    """Return `set_number` of ascending squares."""
    return sum(comb(square - 8, place) for place, square in enumerate(squares, 1))


def last_announced(view: View, before: int) -> tuple[int, KernelRules]:
    """Return the announcement of the position before an event of a view, less its move, and the rules of it.

    The first position has none. An answer to "Any?" counts as an announcement of a rule set with YES_NO.
    """
    rules, answer_bits = kernel_rules(view.rules, view.limits), 0
    for event in reversed(view.events[:before]):
        match event:
            case OwnQuestion(Answer.YES | Answer.NO as answer) | OpponentAsked(answer):
                rules = rules._replace(tries_announced=1)
                answer_bits = (answer is Answer.YES) + 1 << TRIES_SHIFT
            case OwnTry(announcement=Announcement() as last) | OpponentMoved(last):
                return encode_announcement(last) & ~MOVE_BITS | answer_bits, rules
    return answer_bits, rules


def turn_history(view: View, before: int) -> TurnHistory:
    """Return the announcements of the opponent's turn just before an event of a view.

    A rule set without `nonsense` announces nonsense like illegal tries, so its refusals do not count. One exception:
    after a yes to "Any?" the first refusal is of a pawn capture.
    """
    refused, answer, since = 0, NOT_ASKED, 0
    for event in reversed(view.events[:before]):
        match event:
            case OpponentRefused():
                refused += 1
            case OpponentAsked(yes_or_no):
                answer = YES if yes_or_no is Answer.YES else NO
                since, refused = refused, 0
            case _:
                break
    if answer == YES and since > 0 and view.rules.asking is Asking.OBLIGES_ONCE:
        answer = TRIED
    if not view.rules.nonsense:
        refused, since = 0, int(answer == TRIED)
    return TurnHistory(refused, answer, since)


def announced_moves(view: View, before: int) -> tuple[int, int]:
    """Return the announcements of our last move and of the opponent's, before an event of a view; 0 for no move."""
    events = view.events[before - 1 :: -1] if before else ()
    ours = (event.announcement for event in events if isinstance(event, OwnTry) and event.announcement)
    theirs = (event.announcement for event in events if isinstance(event, OpponentMoved))
    return next(map(encode_announcement, ours), 0), next(map(encode_announcement, theirs), 0)


def kernel_rules(rules: RuleSet, limits: Limits) -> KernelRules:
    """Return a rule set and limits for kernels."""
    return KernelRules(
        int(rules.captured_kind),
        TRIES_ANNOUNCED[rules.pawn_tries],
        int(rules.one_minor_each_draws),
        int(rules.en_passant_announced),
        int(rules.promotion_announced),
        int(rules.stalemate_loses),
        int(rules.checks_announced),
        limits.plies or 0,
        limits.quiet_plies or 0,
    )


def side_of(color: chess.Color) -> int:
    """Return 0 for White, 1 for Black; raise ValueError for anything else than these booleans."""
    if not isinstance(color, bool | np.bool_):
        raise ValueError(f"illegal colour {color!r}: use chess.WHITE or chess.BLACK")
    return 0 if color == chess.WHITE else 1
