"""Announcements, turns and rule sets of the referee as integers for kernels."""

from math import comb

import chess
import numpy as np

import referee
from kriegbot.kernels import announcements as codes

ENDS = (
    referee.Reason.CHECKMATE,
    referee.Reason.STALEMATE,
    referee.Reason.DEAD_POSITION,
    referee.Reason.PLY_LIMIT,
    referee.Reason.QUIET_LIMIT,
)
"""Reasons in the order of their numbers, from 1."""
TRIES_ANNOUNCED = {
    referee.PawnTries.NOTHING: 0,
    referee.PawnTries.COUNT: codes.ANY_NUMBER,
    referee.PawnTries.COUNT_EACH: codes.EACH_PROMOTION,
    referee.PawnTries.YES_NO: 1,
    referee.PawnTries.SQUARES: codes.SQUARES,
}


def encode_announcement(announcement: referee.Announcement) -> int:
    """Return an announcement in the bits of `announcements`."""
    code = 0 if announcement.capture is None else announcement.capture + 1
    code |= codes.CAPTURED_PAWN_BIT * (announcement.captured is referee.CapturedKind.PAWN)
    code |= int(announcement.checks) << codes.CHECK_SHIFT
    code |= codes.EN_PASSANT_BIT * announcement.en_passant | codes.PROMOTION_BIT * announcement.promotion
    tries, end = announcement.pawn_tries, announcement.end
    if tries is not None:
        code |= min(tries.at_least, codes.EACH_PROMOTION) + 1 << codes.TRIES_SHIFT
    if isinstance(tries, referee.PawnTrySquares):
        code |= number_of_set(tries.squares) << codes.SQUARES_SHIFT
    if end is not None:
        is_lost = end.reason is referee.Reason.STALEMATE and end.winner is not None
        code |= (codes.LOST_STALEMATE if is_lost else ENDS.index(end.reason) + 1) << codes.END_SHIFT
    return code


def number_of_set(squares: tuple[chess.Square, ...]) -> int:
    """Return `set_number` of ascending squares."""
    return sum(comb(square - 8, place) for place, square in enumerate(squares, 1))


def position_announcement(view: referee.View, before: int) -> tuple[int, codes.KernelRules]:
    """Return what was announced of the position before an event of a view, and the rules under which it was.

    What belongs to the move, such as a capture, is left out. The starting position has no announcement. An answer to
    "Any?" counts as an announcement of a rule set with YES_NO.
    """
    rules, answer_bits = kernel_rules(view.rules, view.limits), 0
    for event in reversed(view.events[:before]):
        match event:
            case referee.OwnQuestion(referee.Answer.YES | referee.Answer.NO as answer) | referee.OpponentAsked(answer):
                rules = rules._replace(tries_announced=1)
                answer_bits = (answer is referee.Answer.YES) + 1 << codes.TRIES_SHIFT
            case referee.OwnTry(announcement=referee.Announcement() as last) | referee.OpponentMoved(last):
                return encode_announcement(last) & ~codes.MOVE_BITS | answer_bits, rules
    return answer_bits, rules


def turn_history(view: referee.View, before: int) -> codes.TurnHistory:
    """Return the announcements of the opponent's turn just before an event of a view.

    A rule set without `nonsense` announces nonsense like illegal tries, so its refusals do not count. One exception:
    after a yes to "Any?" the first refusal is of a pawn capture.
    """
    refused, answer, after_any = 0, codes.NOT_ASKED, 0
    for event in reversed(view.events[:before]):
        match event:
            case referee.OpponentRefused():
                refused += 1
            case referee.OpponentAsked(yes_or_no):
                answer = codes.YES if yes_or_no is referee.Answer.YES else codes.NO
                after_any, refused = refused, 0
            case _:
                break
    if answer == codes.YES and after_any > 0 and view.rules.asking is referee.Asking.OBLIGES_ONCE:
        answer = codes.TRIED
    if not view.rules.nonsense:
        refused, after_any = 0, int(answer == codes.TRIED)
    return codes.TurnHistory(refused, answer, after_any)


def last_announcements(view: referee.View, before: int) -> tuple[int, int]:
    """Return the announcements of our last move and of the opponent's, before an event of a view; 0 for no move."""
    events = view.events[before - 1 :: -1] if before else ()
    ours = (event.announcement for event in events if isinstance(event, referee.OwnTry) and event.announcement)
    theirs = (event.announcement for event in events if isinstance(event, referee.OpponentMoved))
    return next(map(encode_announcement, ours), 0), next(map(encode_announcement, theirs), 0)


def kernel_rules(rules: referee.RuleSet, limits: referee.Limits) -> codes.KernelRules:
    """Return a rule set and limits for kernels."""
    return codes.KernelRules(
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
