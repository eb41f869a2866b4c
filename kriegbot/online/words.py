"""The words of kriegspiel.org's log."""

from __future__ import annotations

import re
from typing import Any

import chess

from referee import Answer
from referee.announcement import NO_CHECK, Check, Man, Told
from referee.rules import PawnTries

NONE = "No pawn captures"
CHECKS = {
    "Check on rank": Check.RANK,
    "Check on file": Check.FILE,
    "Check on long diagonal": Check.LONG_DIAGONAL,
    "Check on short diagonal": Check.SHORT_DIAGONAL,
    "Check by knight": Check.KNIGHT,
}
_OF_CODE = {f"CHECK_{check.name}": check for check in Check}
ANSWERS = {"Has pawn captures": Answer.YES, NONE: Answer.NO}
CAPTURE = re.compile(r"(Capture done|Pawn captured|Piece captured|En passant capture) at ([A-H][1-8])")
MEN = {"Pawn captured": Man.PAWN, "Piece captured": Man.PIECE}
_COUNT = re.compile(r"([1-9][0-9]?) pawn tr(?:y|ies)")
_SQUARES = re.compile(r"Pawn tr(?:y|ies) from ([A-H][1-8](?:, [A-H][1-8])*)")


def checks_of(answer: dict[str, Any]) -> Check:
    """The directions of a double check that the site's answer to a move of ours names."""
    codes = answer.get("checks")
    return Check(sum({_OF_CODE.get(str(code), NO_CHECK) for code in codes} if isinstance(codes, list) else ()))


def told_of(message: str, kind: PawnTries) -> Told:
    """What a line tells of pawn tries, as in `Announcement`; None if nothing that this kind tells."""
    count, squares = _COUNT.fullmatch(message), _SQUARES.fullmatch(message)
    if kind is PawnTries.COUNT:
        return 0 if message == NONE else int(count[1]) if count else None
    if kind is PawnTries.YES_NO:
        return {NONE: False, "Has pawn capture": True, "Has pawn captures": True}.get(message)
    if kind is PawnTries.SQUARES and squares is not None:
        return tuple(sorted(map(chess.parse_square, squares[1].lower().split(", "))))
    return () if kind is PawnTries.SQUARES and message == NONE else None
