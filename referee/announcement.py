"""The referee's announcement of a move: capture, checks, pawn tries and end, as data, in words and as a code.

Two conventions surprise chess players. A capture is announced at the square of the captured piece, also en passant,
unless the rule set announces en passant. And of the two diagonals through the checked king's square the longer one is
"long", whichever way it runs.
"""

import re
from dataclasses import dataclass
from enum import Enum, IntFlag

import chess

from referee.rules import NO_LIMITS, KriegspielError, Limits, PawnTries, RuleSet
from referee.text import quoted


class BadAnnouncement(KriegspielError, ValueError):
    """A text is not the code of an announcement."""


class CapturedKind(Enum):
    """The captured piece as some rule sets announce it. A promoted pawn is a piece."""

    PAWN = "pawn"
    PIECE = "piece"


class Check(IntFlag):
    """Directions of check, seen from the checked king. A double check has two of them."""

    RANK = 1
    FILE = 2
    LONG_DIAGONAL = 4
    SHORT_DIAGONAL = 8
    KNIGHT = 16


NO_CHECK = Check(0)


class Reason(Enum):
    """The reason for which a game ended."""

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
"""Ends that always have a winner. A stalemate has one under some rule sets, other ends never have one."""


@dataclass(frozen=True, slots=True)
class End:
    """The end of a game. `detail` is one more line for people, such as the fault of a forfeiting player."""

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
        """Return a clause for people: "checkmate, White wins"."""
        outcome = "draw" if self.winner is None else f"{chess.COLOR_NAMES[self.winner].capitalize()} wins"
        if self.reason is Reason.ABANDONED:
            outcome = "no result"
        return f"{self.reason.value}, {outcome}" + (f" ({self.detail})" if self.detail else "")


_CHECK_WORDS = {
    Check.RANK: "on the rank",
    Check.FILE: "on the file",
    Check.LONG_DIAGONAL: "on the long diagonal",
    Check.SHORT_DIAGONAL: "on the short diagonal",
    Check.KNIGHT: "by a knight",
}
CHECK_LETTERS = dict(zip("RFLSN", Check, strict=True))
_KIND_LETTERS = {CapturedKind.PAWN: "p", CapturedKind.PIECE: "o"}  # o: "officer"; n would be a knight
_END_OF_CODE = {
    "mate:w": End(Reason.CHECKMATE, chess.WHITE),
    "mate:b": End(Reason.CHECKMATE, chess.BLACK),
    "stalemate": End(Reason.STALEMATE),
    "stalemate:w": End(Reason.STALEMATE, chess.WHITE),
    "stalemate:b": End(Reason.STALEMATE, chess.BLACK),
    "dead": End(Reason.DEAD_POSITION),
    "plies": End(Reason.PLY_LIMIT),
    "quiet": End(Reason.QUIET_LIMIT),
}
_CODE_OF_END = {end: code for code, end in _END_OF_CODE.items()}
_CODE = re.compile(
    r"(?:x(?P<square>[a-h][1-8])(?P<kind>[po])?(?P<passing>ep)?)?"
    r"(?P<promotion>=)?"
    r"(?:\+(?=[RFLSN])(?P<checks>R?F?L?S?N?))?"
    r"(?:\?(?P<tries>0|[1-9][0-9]?|yes|no|none|(?:[a-h][2-7])+))?"
    rf"(?:#(?P<end>{'|'.join(_END_OF_CODE)}))?"
)


class PawnTryInfo:
    """Information on the legal pawn captures of the side to move. Its class depends on the rule set."""

    __slots__ = ()

    @property
    def at_least(self) -> int:
        """Smallest possible number of legal pawn captures."""
        match self:
            case PawnTryCount(number):
                return number
            case PawnTrySquares(squares):
                return len(squares)
        return int(self == PawnTryExists(True))

    def code(self) -> str:
        """Return a word for records and the line protocol: "2", "yes", "no", "e4g5" or "none"."""
        match self:
            case PawnTryCount(number):
                return str(number)
            case PawnTrySquares(squares):
                return "".join(map(chess.square_name, squares)) or "none"
        return "yes" if self.at_least else "no"

    @staticmethod
    def parse(code: str) -> "PawnTryInfo":
        """Return the information of a `code`."""
        if code in ("yes", "no"):
            return PawnTryExists(code == "yes")
        if code.isdecimal():
            return PawnTryCount(int(code))
        return PawnTrySquares(tuple(sorted({chess.parse_square(name) for name in re.findall("[a-h][1-8]", code)})))

    def text(self) -> str:
        """Return a phrase for people: "no pawn tries", "2 pawn tries", "pawn tries from e4 and g5"."""
        match self:
            case PawnTryCount(1):
                return "1 pawn try"
            case PawnTryCount(number) if number:
                return f"{number} pawn tries"
            case PawnTrySquares((square,)):
                return f"a pawn try from {chess.square_name(square)}"
            case PawnTrySquares((*squares, last)):
                return f"pawn tries from {', '.join(map(chess.square_name, squares))} and {chess.square_name(last)}"
        return "at least one pawn try" if self.at_least else "no pawn tries"


@dataclass(frozen=True, slots=True)
class PawnTryCount(PawnTryInfo):
    """Number of legal pawn captures."""

    number: int


@dataclass(frozen=True, slots=True)
class PawnTryExists(PawnTryInfo):
    """True if at least one pawn capture is legal."""

    exists: bool


@dataclass(frozen=True, slots=True)
class PawnTrySquares(PawnTryInfo):
    """Squares, ascending, of the pawns that have a legal capture."""

    squares: tuple[chess.Square, ...]


@dataclass(frozen=True, slots=True)
class Announcement:
    """The announcement of a move to both sides.

    >>> announcement = Announcement.parse("xd5p+F?2")
    >>> announcement.text()
    'Pawn captured on d5; check on the file; 2 pawn tries.'
    >>> announcement.capture == chess.D5, announcement.captured, announcement.pawn_tries
    (True, <CapturedKind.PAWN: 'pawn'>, PawnTryCount(number=2))

    Attributes:
      capture: square of the captured piece. See `en_passant`.
      captured: pawn or piece, if the rule set announces it.
      checks: every direction of check, at checkmate also; `Check(0)` for none, or if the rule set announces no checks.
      pawn_tries: the legal pawn captures of the side now to move; None if not announced, or at the end.
      end: the end of the game, if this move brought it.
      en_passant: True if the capture is announced as en passant. Then `capture` is where the capturing pawn lands.
      promotion: True if a promotion is announced.
    """

    capture: chess.Square | None = None
    captured: CapturedKind | None = None
    checks: Check = NO_CHECK
    pawn_tries: PawnTryInfo | None = None
    end: End | None = None
    en_passant: bool = False
    promotion: bool = False

    def __post_init__(self) -> None:
        if self.end is not None and self.end not in _CODE_OF_END:
            raise ValueError(f"illegal announcement: no move brings about {self.end.text()!r}")

    @property
    def captured_square(self) -> chess.Square | None:
        """Square on which the captured piece stood; None for no capture."""
        if self.capture is None or not self.en_passant:
            return self.capture
        rank = chess.square_rank(self.capture)
        return chess.square(chess.square_file(self.capture), rank - 1 if rank > 3 else rank + 1)

    def text(self) -> str:
        """Return a sentence for people."""
        parts = []
        if self.capture is not None:
            capture = f"{self.captured.value} captured" if self.captured else "capture"
            parts.append(f"{capture} on {chess.square_name(self.capture)}" + (" en passant" if self.en_passant else ""))
        if self.promotion:
            parts.append("a promotion")
        if self.checks:
            parts.append("check " + " and ".join(words for check, words in _CHECK_WORDS.items() if check & self.checks))
        if self.pawn_tries is not None:
            parts.append(self.pawn_tries.text())
        if self.end is not None:
            parts.append(self.end.text())
        sentence = "; ".join(parts) or "a move was made"
        return sentence[0].upper() + sentence[1:] + "."

    def code(self) -> str:
        """Return a token for records: "xd5p+FN?2", "xd6ep", "=+R#mate:w", "-" for nothing."""
        code = "" if self.capture is None else f"x{chess.square_name(self.capture)}"
        code += _KIND_LETTERS[self.captured] if self.captured else ""
        code += "ep" * self.en_passant + "=" * self.promotion + "+" * bool(self.checks)
        code += "".join(letter for letter, check in CHECK_LETTERS.items() if check & self.checks)
        code += "" if self.pawn_tries is None else f"?{self.pawn_tries.code()}"
        code += "" if self.end is None else f"#{_CODE_OF_END[self.end]}"
        return code or "-"

    @classmethod
    def parse(cls, code: str) -> "Announcement":
        """Return the announcement of a `code`. Raises BadAnnouncement if the text is none."""
        if match := _CODE.fullmatch("" if code == "-" else code):
            announcement = cls(
                capture=None if match["square"] is None else chess.parse_square(match["square"]),
                captured=next((kind for kind, letter in _KIND_LETTERS.items() if letter == match["kind"]), None),
                checks=Check(sum(CHECK_LETTERS[letter] for letter in match["checks"] or "")),
                pawn_tries=None if match["tries"] is None else PawnTryInfo.parse(match["tries"]),
                end=_END_OF_CODE.get(match["end"]),
                en_passant=match["passing"] is not None,
                promotion=match["promotion"] is not None,
            )
            if announcement.code() == code:
                return announcement
        takes = "a code such as 'xd5p+F?2#mate:w', with squares in ascending order, or '-'"
        raise BadAnnouncement(f"illegal announcement: {quoted(code)}; it takes {takes}")


def capture_square(board: chess.Board, move: chess.Move) -> chess.Square | None:
    """Return the square of the piece that a legal move captures, or None."""
    if board.is_en_passant(move):
        return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
    return move.to_square if board.color_at(move.to_square) == (not board.turn) else None


def board_after(board: chess.Board, move: chess.Move) -> chess.Board:
    """Return a copy of a board, without its history, on which a move is made."""
    after = board.copy(stack=False)
    after.push(move)
    return after


def check_direction(king: chess.Square, checker: chess.Square) -> Check:
    """Return the direction from which a piece gives check, seen from the king."""
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


def check_directions(board: chess.Board) -> list[Check]:
    """Return the direction of each check that the side to move is in, by the square of the piece that gives it."""
    king = board.king(board.turn)
    return [] if king is None else [check_direction(king, checker) for checker in board.checkers()]


def _pawn_captures(board: chess.Board) -> list[chess.Move]:
    return list(board.generate_legal_captures(from_mask=board.pawns & board.occupied_co[board.turn]))


def count_pawn_tries(board: chess.Board) -> int:
    """Return the number of legal pawn captures. En passant counts, promotions on a square count once."""
    return len({(move.from_square, move.to_square) for move in _pawn_captures(board)})


def pawn_try_info(board: chess.Board, kind: PawnTries) -> PawnTryInfo | None:
    """Return the announced pawn captures of the side to move."""
    match kind:
        case PawnTries.NOTHING:
            return None
        case PawnTries.COUNT:
            return PawnTryCount(count_pawn_tries(board))
        case PawnTries.COUNT_EACH:
            return PawnTryCount(len(_pawn_captures(board)))
        case PawnTries.YES_NO:
            return PawnTryExists(count_pawn_tries(board) > 0)
        case PawnTries.SQUARES:
            return PawnTrySquares(tuple(sorted({move.from_square for move in _pawn_captures(board)})))


def end_of(board: chess.Board, rules: RuleSet, limits: Limits = NO_LIMITS, *, ply: int = 0) -> End | None:
    """Return the end of the game in this position after `ply` moves; None if it goes on."""
    if not any(board.generate_legal_moves()):
        if board.is_check():
            return End(Reason.CHECKMATE, not board.turn)
        return End(Reason.STALEMATE, (not board.turn) if rules.stalemate_loses else None)
    has_minors_only = not board.pawns | board.rooks | board.queens
    has_one_each = has_minors_only and max(map(chess.popcount, board.occupied_co)) <= 2
    if board.is_insufficient_material() or (has_one_each and rules.one_minor_each_draws):
        return End(Reason.DEAD_POSITION)
    if limits.plies is not None and ply >= limits.plies:
        return End(Reason.PLY_LIMIT)
    if limits.quiet_plies is not None and board.halfmove_clock >= limits.quiet_plies:
        return End(Reason.QUIET_LIMIT)
    return None


def announce(
    board: chess.Board, move: chess.Move, rules: RuleSet, limits: Limits = NO_LIMITS, *, ply: int | None = None
) -> Announcement:
    """Return the referee's announcement of a legal move on the true board, which stays as it is.

    `ply` is the number of moves made before this one. Raises ValueError if it is missing under a limit of plies.
    """
    if ply is None and limits.plies is not None:
        raise ValueError(f"announce needs ply=, the moves made so far, under a limit of {limits.plies} plies")
    capture = capture_square(board, move)
    captured = None
    if capture is not None and rules.captured_kind:
        captured = CapturedKind.PAWN if board.piece_type_at(capture) == chess.PAWN else CapturedKind.PIECE
    en_passant = rules.en_passant_announced and board.is_en_passant(move)
    capture = move.to_square if en_passant else capture
    promotion = rules.promotion_announced and move.promotion is not None
    after = board_after(board, move)
    end = end_of(after, rules, limits, ply=(ply or 0) + 1)
    pawn_tries = None if end is not None else pawn_try_info(after, rules.pawn_tries)
    checks = Check(sum(set(check_directions(after)))) if rules.checks_announced else NO_CHECK
    return Announcement(capture, captured, checks, pawn_tries, end, en_passant, promotion)
