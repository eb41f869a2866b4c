"""One side's view of a game, in the notation of `icc`: its own moves and tries, and "??" for the other side's moves.

After the colon of the other side's comments stands how many illegal tries were heard, where the rule set lets them be
heard. What the other side did cannot be told from this, so it is written and never read. Only the names of the game
and of its players are among the headers, since a seed or a setting may give the other side's moves away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import chess

from referee.announcement import Announcement, End, Reason
from referee.errors import RecordError
from referee.formats.comments import tries_text
from referee.formats.form import HEADERS, LEFT, TIMES, Format, Lost
from referee.formats.movetext import HIDDEN, pgn_games
from referee.formats.notation import announced, try_name
from referee.formats.retelling import variant_of
from referee.pgn import headers_of, pgn_text
from referee.record import ROSTER, GameRecord, Turn
from referee.rules import IllegalHeard, RuleSet
from referee.view import Answer

OTHERS = "the other side's moves and tries"
SAID = "pawn tries told without their number, promotions, en passant"

_KEPT = (*ROSTER, "Result", "RuleSet", "PlyLimit", "QuietLimit", "SetUp", "FEN", "Termination")
_ONE_SIDE = re.compile(r"\[\s*Filtered\s+\"(?!no\"|\")[^\"]*\"|(?:[0-9]\.+|\})\s*\?\?(?=[\s{]|$)", re.IGNORECASE)


def fits(text: str) -> bool:
    """Whether a header says so, or moves are hidden."""
    return _ONE_SIDE.search(text) is not None


def read(text: str, rules: RuleSet | None) -> tuple[GameRecord, Lost]:
    """Refused, whatever the text."""
    del text, rules
    raise RecordError(
        "one side's view is no full record: the other side's moves are not in it, and without them no referee can "
        "tell the game again; it takes the game as the referee saw it"
    )


def write(record: GameRecord, side: chess.Color | None) -> tuple[str, Lost]:
    """The game as one side saw it."""
    if side is None:
        raise RecordError("one side's view takes a side, white or black")
    lost = {OTHERS: True, SAID: any(_says_more(turn.announcement) for turn in record.turns)}
    movetext = list(_movetext(record, side, lost))
    whole = headers_of(record)
    headers = {name: whole[name] for name in _KEPT if name in whole}
    headers |= {"Variant": variant_of(record.rules), "Filtered": chess.COLOR_NAMES[side]}
    lost[TIMES] = any(turn.seconds is not None for turn in record.turns)
    lost[LEFT] = bool(record.left)
    lost[HEADERS] = not ROSTER.keys() >= record.headers.keys()
    return pgn_text(headers, movetext), tuple(name for name, is_lost in lost.items() if is_lost)


def _movetext(record: GameRecord, side: chess.Color, lost: dict[str, bool]) -> Iterator[str]:
    board = chess.Board(record.start)
    for turn in record.turns:
        number = f"{board.fullmove_number}{'.' if board.turn == chess.WHITE else '...'}"
        heard = ",".join(announced(turn.announcement))
        if board.turn == side:
            names, missing = tries_text(board, turn.tries)
            lost.update(dict.fromkeys(missing, True))
            yield f"{number} {_own_move(board, turn.move, turn.announcement)}"
            yield f"{{({heard}:{names})}}"
        else:
            yield f"{number} {HIDDEN}"
            yield f"{{({heard}:{_heard_refused(turn, record.rules)})}}"
        board.push(turn.move)
    yield record.result


def _says_more(announcement: Announcement) -> bool:
    """Whether the rule set tells what the notation has no letters for."""
    return isinstance(announcement.pawn_tries, bool | tuple) or announcement.promotion or announcement.en_passant


def _own_move(board: chess.Board, move: chess.Move, announcement: Announcement) -> str:
    """A move as its side would name it; chess's own name may betray which other men were pinned."""
    name = try_name(board, move, is_capture=announcement.capture is not None) or board.san(move)
    is_mate = announcement.end == End(Reason.CHECKMATE, board.turn)
    return name + ("#" if is_mate else "+" if announcement.checks else "")


def _heard_refused(turn: Turn, rules: RuleSet) -> str:
    if rules.illegal_heard is not IllegalHeard.BOTH:
        return ""
    return str(sum(event.answer is Answer.ILLEGAL for event in turn.tries))


FILTERED = Format(
    "filtered", "as icc, one side's view, with ?? for moves it did not see; written only", fits, pgn_games, read, write
)
