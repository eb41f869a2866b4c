r"""Game records as PGN, which any chess program opens, and back.

The main line is the true game. What makes it Kriegspiel is in headers and in the comment after each move,
as tags that chess programs ignore:

    [KriegspielRecord "1"]
    [RuleSet "berkeley"]
    1. e4 {[%says -] [%emt 0:00:00.530]} 1... d5 {[%tries e7d6:illegal] [%says -]} 2. exd5
    {[%tries e1e3:impossible e4f5:illegal] [%says xd5]} *

`tries` are the refused tries of the turn with their answers, and questions as `any:yes`; `says` is the
announcement (`Announcement.code`), `emt` the time taken, `left` the refused tries and questions after the last
move (in a comment before the result if no move was made).

Reading is strict, since a lost tag changes the game: nothing is skipped, sidelines and free comments are refused,
and the game is replayed through a referee. Whatever is wrong with a text or a file is one `RecordError` that
says where.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import chess

from referee.announcement import Announcement, End, Reason
from referee.errors import BadAnnouncement, BadStart, RecordError, UnknownRuleSet
from referee.files import text_in, write_whole
from referee.movetext import GameText, game_text
from referee.record import RESERVED, ROSTER, GameRecord, Turn, place
from referee.referee import Referee
from referee.rules import RULE_SETS, Limits, RuleSet, rule_set
from referee.text import quoted
from referee.view import Answer, OwnQuestion, OwnTry

SCHEMA = "1"
MAX_BYTES = 2 * 1024 * 1024
UNTERMINATED = "unterminated"

_WIDTH = 100
_TAG = re.compile(r"\[%(?P<name>[a-z]+)\s(?P<value>[^\[\]]*)\]")
_TRY = re.compile(r"(?P<move>any|0000|(?:[a-h][1-8]){2}[pnbrqk]?):(?P<answer>[a-z]+)")
_EMT = re.compile(r"(?P<hours>[0-9]{1,6}):(?P<minutes>[0-5][0-9]):(?P<seconds>[0-5][0-9])\.(?P<thousandths>[0-9]{3})")
_BREAK = re.compile(r"(?<!%emt)(?<!%says) (?!\[)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NONSENSE = {answer.value: answer for answer in (Answer.IMPOSSIBLE, Answer.REPEATED)}
_REFUSALS = {Answer.ILLEGAL.value: Answer.ILLEGAL, **_NONSENSE}
_REPLIES = {Answer.YES.value: Answer.YES, Answer.NO.value: Answer.NO, **_NONSENSE}


def record_to_pgn(record: GameRecord) -> str:
    """The record as text.

    Raises:
      RecordError: the record cannot be replayed, or would be too large to read back.
    """
    check_writable(record)
    text = pgn_text(headers_of(record), _movetext(record))
    if len(text.encode()) > MAX_BYTES:
        raise RecordError(f"illegal record: {len(text.encode())} bytes; it takes at most {MAX_BYTES}")
    return text


def record_from_pgn(text: str) -> GameRecord:
    """The inverse of `record_to_pgn`.

    Raises:
      RecordError: the text is not the record of a game of Kriegspiel.
    """
    text = text.replace("\r\n", "\n")
    control = _CONTROL.search(text)
    if control is not None:
        raise RecordError(f"not a Kriegspiel record: control character {control[0]!r}; it takes PGN text")
    if "[KriegspielRecord " not in text:
        raise RecordError("not a Kriegspiel record: header KriegspielRecord is missing")
    game = game_text(text)
    headers = game.headers
    if headers.get("KriegspielRecord", SCHEMA) != SCHEMA:
        version = quoted(headers["KriegspielRecord"])
        raise RecordError(f"unknown version of Kriegspiel records: {version}; this program reads {SCHEMA!r}")
    for name in ("KriegspielRecord", *ROSTER, "Result", "RuleSet", "Termination"):
        if name not in headers:
            raise RecordError(f"not a Kriegspiel record: header {name} is missing")
    if game.lost:
        raise RecordError(f"unexpected {' and '.join(game.lost)}: a record has none")
    rules, limits, start = game_of(headers)
    turns, left = _read_turns(game, start)
    free = {name: value for name, value in headers.items() if name not in RESERVED}
    record = GameRecord(rules, limits, start, turns, left, _end_of(headers), free)
    if not game.result == headers["Result"] == record.result:
        written = f"{quoted(headers['Result'])} in the header and {game.result!r} after the moves"
        raise RecordError(f"illegal result: {written}; it takes {record.result!r} for this game")
    record.check()
    return record


def save_record(record: GameRecord, path: str | os.PathLike[str]) -> None:
    """Writes a record to a file, whole or not at all.

    Raises:
      RecordError: as `record_to_pgn`.
      OSError: the file cannot be written.
    """
    write_whole(Path(path), record_to_pgn(record).encode())


def load_record(path: str | os.PathLike[str]) -> GameRecord:
    """Reads a record from a file.

    Raises:
      RecordError: the file, which the message names, cannot be read or is not the record of such a game.
    """
    try:
        return record_from_pgn(text_in(Path(path), MAX_BYTES))
    except ValueError as error:
        raise RecordError(f"{quoted(os.fspath(path))}: {error}") from None


# Writing


def check_writable(record: GameRecord) -> None:
    """Raises RecordError unless the record replays, under rules whose name is theirs."""
    if record.rules.name in RULE_SETS and record.rules != RULE_SETS[record.rules.name]:
        raise RecordError(f"illegal rule set: {quoted(record.rules.name)} is not the known one of that name")
    record.check()


def headers_of(record: GameRecord) -> dict[str, str]:
    """All headers of a record's text, the reserved ones included."""
    headers = {name: record.headers[name] for name in ROSTER}
    headers |= {"Result": record.result, "KriegspielRecord": SCHEMA, "RuleSet": record.rules.text}
    if record.limits.plies is not None:
        headers["PlyLimit"] = str(record.limits.plies)
    if record.limits.quiet_plies is not None:
        headers["QuietLimit"] = str(record.limits.quiet_plies)
    if record.start != chess.STARTING_FEN:
        headers |= {"SetUp": "1", "FEN": record.start}
    headers["Termination"] = UNTERMINATED if record.end is None else record.end.reason.value
    if record.end is not None and record.end.detail:
        headers["TerminationDetails"] = record.end.detail
    return headers | {name: value for name, value in record.headers.items() if name not in ROSTER}


def pgn_text(headers: Mapping[str, str], movetext: Iterable[str]) -> str:
    """Headers, an empty line, and moves with their comments in lines."""
    lines = [f'[{name} "{_escape(value)}"]' for name, value in headers.items()]
    return "\n".join([*lines, "", *_wrapped(" ".join(movetext)), ""])


def numbered(record: GameRecord) -> Iterator[tuple[str, chess.Board, Turn]]:
    """Each turn, after its number as PGN writes it and the board before it; that is one board, which changes."""
    board = chess.Board(record.start)
    for turn in record.turns:
        yield f"{board.fullmove_number}{'.' if board.turn == chess.WHITE else '...'}", board, turn
        board.push(turn.move)


def _movetext(record: GameRecord) -> Iterator[str]:
    left = f"[%left {_tries_text(record.left)}]" if record.left else ""
    if left and not record.turns:
        yield f"{{{left}}}"
    for made, (number, board, turn) in enumerate(numbered(record), 1):
        yield f"{number} {board.san(turn.move)}"
        tags = [f"[%tries {_tries_text(turn.tries)}]"] if turn.tries else []
        tags.append(f"[%says {turn.announcement.code()}]")
        if turn.seconds is not None:
            tags.append(f"[%emt {_emt_text(turn.seconds)}]")
        if left and made == len(record.turns):
            tags.append(left)
        yield f"{{{' '.join(tags)}}}"
    yield record.result


def _tries_text(tries: tuple[OwnTry | OwnQuestion, ...]) -> str:
    return " ".join(
        f"{event.move.uci() if isinstance(event, OwnTry) else 'any'}:{event.answer.value}" for event in tries
    )


def _emt_text(seconds: float) -> str:
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}.{thousandths:03}"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"")


def _wrapped(movetext: str) -> Iterator[str]:
    """Lines of about a hundred characters; none begins with "[", which begins a header in PGN."""
    line = ""
    for word in _BREAK.split(movetext):
        if line and len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


# Reading


def game_of(headers: Mapping[str, str]) -> tuple[RuleSet, Limits, str]:
    """Rule set, limits and start of a game, from its headers; raises RecordError if they are no such game's."""
    if "Variant" in headers:
        raise RecordError("illegal header: Variant; a Kriegspiel record names its rules by RuleSet")
    if ("FEN" in headers) != (headers.get("SetUp") == "1"):
        raise RecordError('illegal headers: FEN and SetUp "1" come together')
    limits = []
    for name in ("PlyLimit", "QuietLimit"):
        value = headers.get(name)
        if value is not None and not re.fullmatch("[1-9][0-9]{0,8}", value):
            raise RecordError(f"illegal header {name}: {quoted(value)}; it takes a whole number from 1")
        limits.append(None if value is None else int(value))
    try:
        rules = rule_set(headers["RuleSet"])
        start = Referee(rules, Limits(*limits), headers.get("FEN", chess.STARTING_FEN)).start
    except (UnknownRuleSet, BadStart) as error:
        raise RecordError(str(error)) from None
    return rules, Limits(*limits), start


def _end_of(headers: dict[str, str]) -> End | None:
    termination, detail = headers["Termination"], headers.get("TerminationDetails", "")
    if termination == UNTERMINATED and not detail:
        return None
    winner = {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(headers["Result"])
    try:
        return End(Reason(termination), winner, detail)
    except ValueError:
        known = ", ".join([*(reason.value for reason in Reason), UNTERMINATED])
        raise RecordError(
            f"illegal header Termination: {quoted(termination)} with Result {quoted(headers['Result'])}; "
            f"it takes one of {known}, with a result that goes with it"
        ) from None


def _read_turns(game: GameText, start: str) -> tuple[tuple[Turn, ...], tuple[OwnTry | OwnQuestion, ...]]:
    """The turns, and the tries left over after the last of them, or before any."""
    board = chess.Board(start)
    turns: list[Turn] = []
    left = _read_tries(_tags(game.remarks, {"left"}, 0)["left"], 0) if game.remarks else ()
    for ply, said in enumerate(game.moves):
        try:
            move = board.parse_san(said.move)
        except ValueError:
            raise RecordError(f"illegal move: {quoted(said.move)}, {place(ply)}") from None
        if left:
            raise RecordError(
                f"unexpected move: {quoted(said.move)}, {place(ply)}; there are tries left over before it"
            )
        tags = _tags(said.comments, {"tries", "says", "emt", "left"}, ply)
        turns.append(_read_turn(move, tags, ply))
        board.push(move)
        left = _read_tries(tags.get("left", ""), ply + 1)
    return tuple(turns), left


def _tags(comments: list[str], known: set[str], ply: int) -> dict[str, str]:
    """The tags of comments, which may hold nothing else."""
    tags: dict[str, str] = {}
    body = comment = " ".join(comments)
    while body:
        match = _TAG.match(body)
        if match is None or match["name"] not in known - tags.keys():
            takes = ", ".join(f"[%{name} ...]" for name in sorted(known))
            raise RecordError(f"illegal comment: {quoted(body)}, {place(ply)}; it takes {takes}, each once")
        tags[match["name"]] = match["value"]
        body = body[match.end() :].lstrip()
    needed = "says" if "says" in known else "left"
    if needed not in tags:
        raise RecordError(f"illegal comment: {quoted(comment)}, {place(ply)}; [%{needed} ...] is missing")
    return tags


def _read_turn(move: chess.Move, tags: dict[str, str], ply: int) -> Turn:
    try:
        announcement = Announcement.parse(tags["says"].strip())
    except BadAnnouncement as error:
        raise RecordError(f"{error}, {place(ply)}") from None
    seconds = None
    if "emt" in tags:
        match = _EMT.fullmatch(tags["emt"].strip())
        if match is None:
            raise RecordError(f"illegal time: {quoted(tags['emt'])}, {place(ply)}; it takes h:mm:ss.mmm")
        hours, minutes, whole, thousandths = (int(number) for number in match.groups())
        seconds = (((hours * 60 + minutes) * 60 + whole) * 1000 + thousandths) / 1000
    return Turn(move, announcement, _read_tries(tags.get("tries", ""), ply), seconds)


def _read_tries(value: str, ply: int) -> tuple[OwnTry | OwnQuestion, ...]:
    tries: list[OwnTry | OwnQuestion] = []
    for word in value.split():
        match = _TRY.fullmatch(word)
        answers = _REPLIES if match is not None and match["move"] == "any" else _REFUSALS
        if match is None or match["answer"] not in answers:
            raise RecordError(f"illegal try: {quoted(word)}, {place(ply)}; it takes one such as 'e4d5:illegal'")
        answer = answers[match["answer"]]
        tries.append(OwnQuestion(answer) if match["move"] == "any" else OwnTry(_read_uci(match["move"]), answer))
    return tuple(tries)


def _read_uci(uci: str) -> chess.Move:
    """As python-chess reads a move, but also a "move" that stays where it is."""
    if uci == "0000":
        return chess.Move.null()
    promotion = chess.PIECE_SYMBOLS.index(uci[4]) if len(uci) == 5 else None
    return chess.Move(chess.parse_square(uci[:2]), chess.parse_square(uci[2:4]), promotion)
