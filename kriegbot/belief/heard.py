"""From the referee's typed announcements, rule sets and limits to the integers that kernels work with."""

import chess

from kriegbot.kernels.hearing import (
    CAPTURE_MASK,
    CAPTURED_PAWN_BIT,
    CHECK_SHIFT,
    END_SHIFT,
    TRIES_SHIFT,
    Terms,
)
from referee import Announcement, Limits, Man, OpponentMoved, OwnTry, PawnTries, Reason, RuleSet, View

ENDS = (Reason.CHECKMATE, Reason.STALEMATE, Reason.DEAD_POSITION, Reason.PLY_LIMIT, Reason.QUIET_LIMIT)
"""In the order of their numbers in `kernels.hearing`, from 1."""


def said(announcement: Announcement) -> int:
    """Announcement as `kernels.hearing` writes it."""
    code = 0 if announcement.capture is None else announcement.capture + 1
    if announcement.captured is Man.PAWN:
        code |= CAPTURED_PAWN_BIT
    code |= int(announcement.checks) << CHECK_SHIFT
    if announcement.pawn_tries is not None:
        code |= announcement.pawn_tries + 1 << TRIES_SHIFT
    if announcement.end is not None:
        code |= ENDS.index(announcement.end.reason) + 1 << END_SHIFT
    return code


def last_heard(view: View, before: int) -> int:
    """Checks, pawn tries and end in the last announcement before an event of a view; of the first position, none."""
    for event in reversed(view.events[:before]):
        if isinstance(event, OwnTry | OpponentMoved) and event.announcement is not None:
            return said(event.announcement) & ~CAPTURE_MASK
    return 0


def terms_of(rules: RuleSet, limits: Limits) -> Terms:
    """Rule set and limits as kernels take them."""
    return Terms(
        int(rules.captured_kind),
        int(rules.pawn_tries is PawnTries.COUNT),
        int(rules.one_minor_each_draws),
        limits.plies or 0,
        limits.quiet_plies or 0,
    )


def side_of(color: chess.Color) -> int:
    """0 for White, 1 for Black."""
    return 0 if color == chess.WHITE else 1
