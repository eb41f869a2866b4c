"""From the referee's typed announcements, rule sets and limits to the integers that kernels work with."""

from math import comb

import chess
import numpy as np

from kriegbot.kernels import announcements
from referee import (
    Announcement,
    Answer,
    Asking,
    Limits,
    Man,
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
"""Ordered by their numbers in `kernels.announcements`, from 1."""
TRIES_TOLD = {
    PawnTries.NOTHING: 0,
    PawnTries.COUNT: announcements.ANY_NUMBER,
    PawnTries.COUNT_EACH: announcements.EACH_PROMOTION,
    PawnTries.YES_NO: 1,
    PawnTries.SQUARES: announcements.SQUARES,
}
"""Value of `KernelRules.tries_told` for each kind of pawn-try announcement."""


def encode_announcement(announcement: Announcement) -> int:
    """Announcement as `kernels.announcements` writes it."""
    code = 0 if announcement.capture is None else announcement.capture + 1
    if announcement.captured is Man.PAWN:
        code |= announcements.CAPTURED_PAWN_BIT
    code |= int(announcement.checks) << announcements.CHECK_SHIFT
    code |= (
        announcements.EN_PASSANT_BIT * announcement.en_passant | announcements.PROMOTION_BIT * announcement.promotion
    )
    match announcement.pawn_tries:
        case None:
            pass
        case PawnTrySquares(squares):
            code |= (
                len(squares) + 1 << announcements.TRIES_SHIFT | number_of_set(squares) << announcements.SQUARES_SHIFT
            )
        case info:
            code |= min(info.at_least, announcements.EACH_PROMOTION) + 1 << announcements.TRIES_SHIFT
    if announcement.end is not None:
        is_lost = announcement.end.reason is Reason.STALEMATE and announcement.end.winner is not None
        code |= (
            announcements.LOST_STALEMATE if is_lost else ENDS.index(announcement.end.reason) + 1
        ) << announcements.END_SHIFT
    return code


def number_of_set(squares: tuple[chess.Square, ...]) -> int:
    """Number of a set of squares, ascending, as in `kernels.announcements`."""
    return sum(comb(square - 8, place) for place, square in enumerate(squares, 1))


def last_announced(view: View, before: int) -> tuple[int, announcements.KernelRules]:
    """What was announced of the position before an event of a view: checks, pawn tries, end; nothing of the first one.

    An answer to "Any?" is treated as if it had been announced; the terms returned are those of such a rule set.
    """
    terms, answered = kernel_rules(view.rules, view.limits), 0
    for event in reversed(view.events[:before]):
        match event:
            case OwnQuestion(Answer.YES | Answer.NO as answer) | OpponentAsked(answer):
                terms, answered = terms._replace(tries_told=1), (answer is Answer.YES) + 1 << announcements.TRIES_SHIFT
            case OwnTry(announcement=Announcement() as last) | OpponentMoved(last):
                return encode_announcement(last) & ~announcements.OF_THE_MOVE | answered, terms
    return answered, terms


def turn_history(view: View, before: int) -> announcements.TurnHistory:
    """What was heard of the opponent's turn just before an event of a view.

    Where nonsense sounds like an illegal try, refusals tell nothing, save one: after a yes to "Any?" the first of them
    is of a pawn capture.
    """
    refused, answer, since = 0, announcements.NOT_ASKED, 0
    while before > 0:
        before -= 1
        match view.events[before]:
            case OpponentRefused():
                refused += 1
            case OpponentAsked(given):
                answer, since, refused = announcements.YES if given is Answer.YES else announcements.NO, refused, 0
            case _:
                break
    if answer == announcements.YES and since > 0 and view.rules.asking is Asking.OBLIGES_ONCE:
        answer = announcements.TRIED
    if not view.rules.nonsense:
        refused, since = 0, int(answer == announcements.TRIED)
    return announcements.TurnHistory(refused, answer, since)


def announced_moves(view: View, before: int) -> tuple[int, int]:
    """What was announced of our last move, and of the opponent's last, before an event of a view; 0 for no move."""
    last = {OwnTry: 0, OpponentMoved: 0}
    waited = set(last)
    for index in range(before - 1, -1, -1):
        event = view.events[index]
        if isinstance(event, OwnTry | OpponentMoved) and event.announcement is not None and type(event) in waited:
            last[type(event)] = encode_announcement(event.announcement)
            waited.remove(type(event))
            if not waited:
                break
    return last[OwnTry], last[OpponentMoved]


def kernel_rules(rules: RuleSet, limits: Limits) -> announcements.KernelRules:
    """Rule set and limits as kernels take them."""
    return announcements.KernelRules(
        int(rules.captured_kind),
        TRIES_TOLD[rules.pawn_tries],
        int(rules.one_minor_each_draws),
        int(rules.en_passant_told),
        int(rules.promotion_told),
        int(rules.stalemate_loses),
        int(rules.checks_told),
        limits.plies or 0,
        limits.quiet_plies or 0,
    )


def side_of(color: chess.Color) -> int:
    """0 for White, 1 for Black; raises ValueError for what is neither chess.WHITE nor chess.BLACK, two booleans."""
    if not isinstance(color, bool | np.bool_):
        raise ValueError(f"illegal colour {color!r}; it takes chess.WHITE or chess.BLACK")
    return 0 if color == chess.WHITE else 1
