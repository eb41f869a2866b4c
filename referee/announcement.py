"""What is heard after a move, as data, in words and as a code: capture, checks, pawn tries, the end of the game.

`referee.announcing` says what is heard of which move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, IntFlag
from typing import TypeAlias

import chess

from referee.errors import BadAnnouncement
from referee.text import quoted

Told: TypeAlias = int | bool | tuple[chess.Square, ...] | None
"""What a side is told of its legal pawn captures; see `Announcement.pawn_tries`."""


class Man(Enum):
    """What was captured, if the rule set tells; a promoted pawn is a piece."""

    PAWN = "pawn"
    PIECE = "piece"


class Check(IntFlag):
    """Directions of check, as seen from the checked king; a double check has two of them."""

    RANK = 1
    FILE = 2
    LONG_DIAGONAL = 4
    SHORT_DIAGONAL = 8
    KNIGHT = 16


NO_CHECK = Check(0)


class Reason(Enum):
    """Why a game ended."""

    CHECKMATE = "checkmate"
    STALEMATE = "stalemate"
    DEAD_POSITION = "dead position"
    PLY_LIMIT = "ply limit"
    QUIET_LIMIT = "quiet limit"
    RESIGNATION = "resignation"
    FORFEIT = "forfeit"
    AGREEMENT = "agreement"
    ABANDONED = "abandoned"


DECISIVE = frozenset({Reason.CHECKMATE, Reason.RESIGNATION, Reason.FORFEIT})
"""Ends that always have a winner; a stalemate has one under some rule sets, and the others never do."""
BY_A_MOVE = (
    Reason.CHECKMATE,
    Reason.STALEMATE,
    Reason.DEAD_POSITION,
    Reason.PLY_LIMIT,
    Reason.QUIET_LIMIT,
)


@dataclass(frozen=True, slots=True)
class End:
    """How a game ended.

    Attributes:
      reason: why.
      winner: the side that won; None for a draw, and for an abandoned game, which has no result.
      detail: one more line for people, such as what a forfeiting player did; often empty.
    """

    reason: Reason
    winner: chess.Color | None = None
    detail: str = ""

    def __post_init__(self) -> None:
        if self.reason is not Reason.STALEMATE and (self.winner is not None) != (self.reason in DECISIVE):
            takes = "a winner" if self.reason in DECISIVE else "no winner"
            raise ValueError(f"illegal end: {self.reason.value} with winner {quoted(self.winner)}; it takes {takes}")

    @property
    def result(self) -> str:
        """The result as PGN writes it: 1-0, 0-1, 1/2-1/2, or * for an abandoned game."""
        if self.reason is Reason.ABANDONED:
            return "*"
        if self.winner is None:
            return "1/2-1/2"
        return "1-0" if self.winner == chess.WHITE else "0-1"

    def text(self) -> str:
        """One clause for people: "checkmate, White wins"."""
        if self.reason is Reason.ABANDONED:
            outcome = "no result"
        elif self.winner is None:
            outcome = "draw"
        else:
            outcome = f"{chess.COLOR_NAMES[self.winner].capitalize()} wins"
        return f"{self.reason.value}, {outcome}" + (f" ({self.detail})" if self.detail else "")


_CHECK_WORDS = {
    Check.RANK: "on the rank",
    Check.FILE: "on the file",
    Check.LONG_DIAGONAL: "on the long diagonal",
    Check.SHORT_DIAGONAL: "on the short diagonal",
    Check.KNIGHT: "by a knight",
}
CHECK_LETTERS = dict(zip("RFLSN", Check, strict=True))
_MAN_LETTERS = {"p": Man.PAWN, "o": Man.PIECE}  # o: "officer"; n would read as a knight
_LETTER_OF_MAN = {man: letter for letter, man in _MAN_LETTERS.items()}
_CODE_OF_END = {
    Reason.CHECKMATE: "mate",
    Reason.STALEMATE: "stalemate",
    Reason.DEAD_POSITION: "dead",
    Reason.PLY_LIMIT: "plies",
    Reason.QUIET_LIMIT: "quiet",
}
_END_OF_CODE = {code: reason for reason, code in _CODE_OF_END.items()}
_YES_OR_NO = ("no", "yes")
_NOWHERE = "none"
_TOLD = r"0|[1-9][0-9]?|yes|no|none|(?:[a-h][2-7])+"
_CODE = re.compile(
    r"(?:x(?P<square>[a-h][1-8])(?P<man>[po])?(?P<passing>ep)?)?"
    r"(?P<promotion>=)?"
    r"(?:\+(?=[RFLSN])(?P<checks>R?F?L?S?N?))?"
    rf"(?:\?(?P<told>{_TOLD}))?"
    r"(?:#(?P<end>[a-z]+)(?::(?P<winner>[wb]))?)?"
)


@dataclass(frozen=True, slots=True)
class Announcement:
    """What both sides hear after a move.

    Attributes:
      capture: square of the captured man, also en passant, unless that is told; None for no capture.
      captured: whether it was a pawn or a piece, if the rule set tells.
      checks: every direction of check, at checkmate also; `Check(0)` for none.
      pawn_tries: what is told of the legal pawn captures of the side now to move: their number, whether there are any
        (True or False), the squares from which there are, ascending, or None for nothing.
      end: the end of the game, if this move brought it.
      en_passant: whether a capture en passant is told; then `capture` is where the capturing pawn lands.
      promotion: whether a promotion is told.
    """

    capture: chess.Square | None = None
    captured: Man | None = None
    checks: Check = NO_CHECK
    pawn_tries: Told = None
    end: End | None = None
    en_passant: bool = False
    promotion: bool = False

    def __post_init__(self) -> None:
        if self.end is not None and (self.end.reason not in BY_A_MOVE or self.end.detail):
            raise ValueError(f"illegal announcement: no move brings about {self.end.text()!r}")

    @property
    def fell(self) -> chess.Square | None:
        """Where the captured man stood; None for no capture."""
        if self.capture is None or not self.en_passant:
            return self.capture
        rank = chess.square_rank(self.capture)
        return chess.square(chess.square_file(self.capture), rank - 1 if rank > 3 else rank + 1)

    def text(self) -> str:
        """One sentence for people."""
        parts = []
        if self.capture is not None:
            what = f"{self.captured.value} captured" if self.captured else "capture"
            parts.append(f"{what} on {chess.square_name(self.capture)}" + (" en passant" if self.en_passant else ""))
        if self.promotion:
            parts.append("a promotion")
        if self.checks:
            parts.append("check " + " and ".join(words for check, words in _CHECK_WORDS.items() if check & self.checks))
        if self.pawn_tries is not None:
            parts.append(pawn_tries_text(self.pawn_tries))
        if self.end is not None:
            parts.append(self.end.text())
        sentence = "; ".join(parts) or "a move was made"
        return sentence[0].upper() + sentence[1:] + "."

    def code(self) -> str:
        """The same as a token without spaces, for records: "xd5p+FN?2", "xd6ep", "=+R#mate:w", "-" for nothing."""
        code = ""
        if self.capture is not None:
            code += "x" + chess.square_name(self.capture) + (_LETTER_OF_MAN[self.captured] if self.captured else "")
            code += "ep" if self.en_passant else ""
        if self.promotion:
            code += "="
        if self.checks:
            code += "+" + "".join(letter for letter, check in CHECK_LETTERS.items() if check & self.checks)
        if self.pawn_tries is not None:
            code += "?" + told_code(self.pawn_tries)
        if self.end is not None:
            code += "#" + _CODE_OF_END[self.end.reason]
            if self.end.winner is not None:
                code += ":w" if self.end.winner == chess.WHITE else ":b"
        return code or "-"

    @classmethod
    def parse(cls, code: str) -> Announcement:
        """The inverse of `code`.

        Raises:
          BadAnnouncement: the text is not such a code.
        """
        if code == "-":
            return cls()
        match = _CODE.fullmatch(code) if code else None
        if match is None:
            raise BadAnnouncement(f"illegal announcement: {quoted(code)}; it takes a code such as 'xd5p+F?2' or '-'")
        end = None
        if match["end"] is not None:
            try:
                winner = None if match["winner"] is None else match["winner"] == "w"
                end = End(_END_OF_CODE[match["end"]], winner)
            except (KeyError, ValueError):
                known = "#mate:w, #mate:b, #stalemate, #stalemate:w, #stalemate:b, #dead, #plies, #quiet"
                raise BadAnnouncement(f"illegal end in announcement: {quoted(code)}; it takes one of {known}") from None
        return cls(
            capture=None if match["square"] is None else chess.parse_square(match["square"]),
            captured=_MAN_LETTERS.get(match["man"]),
            checks=Check(sum(CHECK_LETTERS[letter] for letter in match["checks"] or "")),
            pawn_tries=None if match["told"] is None else parse_told(match["told"]),
            end=end,
            en_passant=match["passing"] is not None,
            promotion=match["promotion"] is not None,
        )


def told_code(told: int | tuple[chess.Square, ...]) -> str:
    """What was told of pawn tries as one word: "2", "yes" or "no", "e4g5" for squares, "none" for no square."""
    if isinstance(told, tuple):
        return "".join(map(chess.square_name, told)) or _NOWHERE
    return _YES_OR_NO[told] if isinstance(told, bool) else str(told)


def parse_told(code: str) -> int | tuple[chess.Square, ...]:
    """The inverse of `told_code`.

    Raises:
      BadAnnouncement: the text is not such a word.
    """
    if not re.fullmatch(_TOLD, code):
        raise BadAnnouncement(f"illegal pawn tries: {quoted(code)}; it takes a word such as '2', 'yes' or 'e4g5'")
    if code in _YES_OR_NO:
        return code == "yes"
    if code.isdecimal():
        return int(code)
    names = "" if code == _NOWHERE else code
    return tuple(chess.parse_square(names[i : i + 2]) for i in range(0, len(names), 2))


def pawn_tries_text(told: int | tuple[chess.Square, ...]) -> str:
    """What was told of pawn tries, in words: "no pawn tries", "1 pawn try", "pawn tries from e4 and g5"."""
    if told is True:
        return "at least one pawn try"
    if isinstance(told, tuple) and told:
        *others, last = map(chess.square_name, told)
        return f"pawn tries from {', '.join(others)} and {last}" if others else f"a pawn try from {last}"
    return f"{told or 'no'} pawn {'try' if told == 1 else 'tries'}"
