"""Integers for kernels from the referee's announcements, rule sets and limits."""

from math import comb

import chess
import numpy as np

from kriegbot.kernels import announcements
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

ENDS = (Reason.CHECKMATE, Reason.STALEMATE, Reason.DEAD_POSITION, Reason.PLY_LIMIT, Reason.QUIET_LIMIT)
"""Reasons in the order of their numbers in `kernels.announcements`, from 1."""
TRIES_ANNOUNCED = {
    PawnTries.NOTHING: 0,
    PawnTries.COUNT: announcements.ANY_NUMBER,
    PawnTries.COUNT_EACH: announcements.EACH_PROMOTION,
    PawnTries.YES_NO: 1,
    PawnTries.SQUARES: announcements.SQUARES,
}
"""Values of `KernelRules.tries_announced`."""


def encode_announcement(announcement: Announcement) -> int:
    """Return an announcement in the bits of `kernels.announcements`."""
    code = 0 if announcement.capture is None else announcement.capture + 1
    if announcement.captured is CapturedKind.PAWN:
        code |= announcements.CAPTURED_PAWN_BIT
    code |= int(announcement.checks) << announcements.CHECK_SHIFT
    code |= announcements.EN_PASSANT_BIT * announcement.en_passant
    code |= announcements.PROMOTION_BIT * announcement.promotion
    match announcement.pawn_tries:
        case None:
            pass
        case PawnTrySquares(squares):
            code |= len(squares) + 1 << announcements.TRIES_SHIFT
            code |= number_of_set(squares) << announcements.SQUARES_SHIFT
        case info:
            code |= min(info.at_least, announcements.EACH_PROMOTION) + 1 << announcements.TRIES_SHIFT
    if announcement.end is not None:
        is_lost = announcement.end.reason is Reason.STALEMATE and announcement.end.winner is not None
        end = announcements.LOST_STALEMATE if is_lost else ENDS.index(announcement.end.reason) + 1
        code |= end << announcements.END_SHIFT
    return code


def number_of_set(squares: tuple[chess.Square, ...]) -> int:
    """Return `set_number` of ascending squares."""
    return sum(comb(square - 8, place) for place, square in enumerate(squares, 1))


def last_announced(view: View, before: int) -> tuple[int, announcements.KernelRules]:
    """Return the announcement of the position before an event of a view, less its move, and the rules of it.

    The first position has none. An answer to "Any?" counts as an announcement of a rule set with YES_NO.
    """
    rules, answer_bits = kernel_rules(view.rules, view.limits), 0
    for event in reversed(view.events[:before]):
        match event:
            case OwnQuestion(Answer.YES | Answer.NO as answer) | OpponentAsked(answer):
                rules = rules._replace(tries_announced=1)
                answer_bits = (answer is Answer.YES) + 1 << announcements.TRIES_SHIFT
            case OwnTry(announcement=Announcement() as last) | OpponentMoved(last):
                return encode_announcement(last) & ~announcements.MOVE_BITS | answer_bits, rules
    return answer_bits, rules


def turn_history(view: View, before: int) -> announcements.TurnHistory:
    """Return the announcements of the opponent's turn just before an event of a view.

    A rule set without `nonsense` announces nonsense like illegal tries, so its refusals do not count. One exception:
    after a yes to "Any?" the first refusal is of a pawn capture.
    """
    refused, answer, since = 0, announcements.NOT_ASKED, 0
    for event in reversed(view.events[:before]):
        match event:
            case OpponentRefused():
                refused += 1
            case OpponentAsked(yes_or_no):
                answer = announcements.YES if yes_or_no is Answer.YES else announcements.NO
                since, refused = refused, 0
            case _:
                break
    if answer == announcements.YES and since > 0 and view.rules.asking is Asking.OBLIGES_ONCE:
        answer = announcements.TRIED
    if not view.rules.nonsense:
        refused, since = 0, int(answer == announcements.TRIED)
    return announcements.TurnHistory(refused, answer, since)


def announced_moves(view: View, before: int) -> tuple[int, int]:
    """Return the announcements of our last move and of the opponent's, before an event of a view; 0 for no move."""
    events = view.events[before - 1 :: -1] if before else ()
    ours = (event.announcement for event in events if isinstance(event, OwnTry) and event.announcement)
    theirs = (event.announcement for event in events if isinstance(event, OpponentMoved))
    return next(map(encode_announcement, ours), 0), next(map(encode_announcement, theirs), 0)


def kernel_rules(rules: RuleSet, limits: Limits) -> announcements.KernelRules:
    """Return a rule set and limits for kernels."""
    return announcements.KernelRules(
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
