r"""Games as PGN, which chess programs open: records of Kriegspiel and, in `referee.formats`, other programs' games.

The main line of a record is the true game. The rest stands in headers, and in comments as tags:

    [KriegspielRecord "1"]
    [RuleSet "berkeley"]
    1. e4 {[%says -] [%emt 0:00:00.530]} 1... d5 {[%tries e7d6:illegal] [%says -]} 2. exd5
    {[%tries e1e3:impossible e4f5:illegal] [%says xd5]} *

`tries` are the refused tries of the turn with their answers, and questions as `any:yes`. `says` is the announcement
(`Announcement.code`), `emt` the time taken. `left` are the refused tries and questions after the last move (in a
comment before the result if no move was made).

python-chess parses moves and splits files. It skips text that it does not know, though, and a lost tag changes a game.
So the text between the moves is read here, and unknown text is refused. A referee then replays the tries and moves, and
a text is a record if that game, written again, has the same tags and end. PGN's freedoms are granted: Latin-1, white
space, "1. e4 e5", "1.e4 1... e5" and "1 e4 1 ... e5". Whatever is wrong is one `RecordError` that says what.
"""

import io
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import chess

from referee.announcement import End, Reason
from referee.record import RESERVED, ROSTER, GameRecord, RecordError, Replay, Turn, place
from referee.rules import Limits, RuleSet, UnknownRuleSet, rule_set
from referee.text import PRIVATE, quoted, read_bytes, write_file
from referee.view import Answer, OwnQuestion, OwnTry

SCHEMA = "1"
MAX_BYTES = 2 * 1024 * 1024
UNTERMINATED = "unterminated"
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
HIDDEN = "??"  # in place of a move that one side did not see

_WIDTH = 100
_HEADER = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_BREAK = re.compile(r"(?<!%emt)(?<!%says) (?!\[)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_TAG = re.compile(r"\[%[a-z]+\s[^\[\]]*\]|\S+")  # a tag, or a word that is none
_TRY = re.compile(r"(?P<move>any|0000|(?:[a-h][1-8]){2}[pnbrqk]?):(?P<answer>illegal|impossible|repeated|yes|no)")
_TIME = re.compile(r"\[%emt ([0-9]{1,9}):([0-9]{1,9}):([0-9]{1,9}(?:\.[0-9]+)?)\]")
_TOKEN = re.compile(
    r"(?P<comment>\{[^}]*\}|;[^\n]*)"
    r"|(?P<result>(?:1-0|0-1|1/2-1/2|\*)(?!\S))"
    r"|(?P<move>(?:(?<![\w+#=])\?\?|[0O]-[0O](?:-[0O])?[+#]?|[A-Za-z][A-Za-z0-9=]*(?:[+]{1,2}|#)?)(?![\w/-]))"
    r"|(?P<number>[1-9][0-9]{0,8}|\.+)"
    r"|(?P<annotation>\$[0-9]{1,9}|[!?]{1,2})"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
    r"|(?P<space>\s+|^%[^\n]*)",
    re.MULTILINE,
)


@dataclass(slots=True)
class PgnGame:
    """A game as it is written. `comments` are those before the first move, then those after each, without braces."""

    headers: dict[str, str]
    moves: list[str] = field(default_factory=list)
    comments: list[list[str]] = field(default_factory=lambda: [[]])
    result: str = ""
    skipped: dict[str, None] = field(default_factory=dict)  # "sidelines" and "annotations" such as "$1" or "!?"


def pgn_games(text: str) -> list[str]:
    """Return the texts of a file's games. An empty line after moves ends a game, as for python-chess."""
    import chess.pgn  # not above: it imports asyncio, which doubles the time that this package takes

    text = _plain(text)
    handle, games, start = io.StringIO(text), list[str](), 0
    while chess.pgn.skip_game(handle):
        games.append(text[start : handle.tell()].strip("\n"))
        start = handle.tell()
    return games


def read_pgn(text: str) -> PgnGame:
    """Return the parts of one game. Raises RecordError if the text is not PGN.

    The result may stand in the header alone, unless there is a header RuleSet: a text of ours is cut off then.
    """
    lines = _plain(text).strip().split("\n")
    starts = (number for number, line in enumerate(lines) if line.strip() and line.lstrip()[0] not in "[%")
    count = next(starts, len(lines))
    game = PgnGame(_headers(line for line in lines[:count] if line.strip() and line[0] != "%"))
    movetext, position, depth = "\n".join(lines[count:]), 0, 0
    while position < len(movetext):
        match, here = _TOKEN.match(movetext, position), place(len(game.moves))
        kind = match.lastgroup if match is not None else None
        if match is None or (game.result and kind != "space") or (kind == "close" and not depth):
            open_brace = "a comment that is not closed: " if movetext[position] == "{" else ""
            raise RecordError(f"unexpected text: {open_brace}{quoted(movetext[position:])}, {here}")
        position = match.end()
        if kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
            game.skipped["sidelines"] = None
        elif depth:
            continue
        elif kind == "number" and match[0] not in (numbers := _numbers(game)):
            raise RecordError(f"unexpected text: {quoted(match[0])}, {here}; a number there is {numbers[0]}")
        elif kind == "annotation":
            game.skipped["annotations"] = None
        elif kind == "comment":
            game.comments[-1].append(match[0].removesuffix("}")[1:].strip())
        elif kind == "move":
            game.moves.append(match[0])
            game.comments.append([])
        elif kind == "result":
            game.result = match[0]
    if not game.result and "RuleSet" not in game.headers and game.headers.get("Result") in RESULTS:
        game.result = game.headers["Result"]
    if depth or not game.result:
        missing = "a sideline is not closed" if depth else "the result after the moves is missing"
        raise RecordError(f"unexpected end of text: {missing}, {place(len(game.moves))}")
    if game.headers.get("Result", game.result) != game.result:
        both = f"{quoted(game.headers['Result'])} in the header and {game.result!r} after the moves"
        raise RecordError(f"illegal result: {both}")
    return game


def _numbers(game: PgnGame) -> list[str]:
    """Return the numbers that may stand before the next move, counted from the FEN's or from 1; and its points."""
    fields = game.headers.get("FEN", "").split()
    plies = len(game.moves) + (fields[1:2] == ["b"])
    points = [".", "..", "..."] if plies % 2 else ["."]
    firsts = {1, *(int(field) for field in fields[5:6] if re.fullmatch("[1-9][0-9]{0,8}", field))}
    return [*(str(first + plies // 2) for first in sorted(firsts)), *points]


def _headers(lines: Iterable[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        if not (match := _HEADER.fullmatch(line)):
            raise RecordError(f'illegal header: {quoted(line)}; it takes [Name "value"]')
        if match[1] in headers:
            raise RecordError(f"illegal header: {quoted(match[1])} is given twice")
        headers[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
    return headers


def _plain(text: str) -> str:
    """Return a text whose games python-chess tells apart: an empty line before headers, and no indent of them."""
    text = re.sub(r"^[ \t]+\[", "[", text.removeprefix("\ufeff").replace("\r\n", "\n"), flags=re.MULTILINE)
    return re.sub(r"\n\s*\n", "\n\n", re.sub(r"(?<=[^\]\n])\n\[", "\n\n[", text))


def save_record(record: GameRecord, path: str | os.PathLike[str]) -> None:
    """Write a record to a file, whole or not at all. Raises RecordError as `record_to_pgn`, and OSError.

    A new file is for its owner alone, since it holds what both sides know.
    """
    write_file(Path(path), record_to_pgn(record).encode(), mode=PRIVATE)


def record_to_pgn(record: GameRecord) -> str:
    """Return the record as text. Raises RecordError if it does not replay or is too large to read back."""
    record.check()
    first, *comments = (" ".join(tags) for tags in _comments(record))
    movetext = [f"{{{first}}}"] if first else []
    for (number, board, turn), tags in zip(numbered(record), comments, strict=True):
        movetext.append(f"{number} {board.san(turn.move)} {{{tags}}}")
    text = pgn_text(headers_of(record), [*movetext, record.result])
    if len(text.encode()) > MAX_BYTES:
        raise RecordError(f"illegal record: {len(text.encode())} bytes; it takes at most {MAX_BYTES}")
    return text


def headers_of(record: GameRecord) -> dict[str, str]:
    """Return all headers of a record's text, the reserved ones included."""
    headers = {name: record.headers[name] for name in ROSTER}
    headers |= {"Result": record.result, "KriegspielRecord": SCHEMA, "RuleSet": record.rules.text}
    limits = {"PlyLimit": record.limits.plies, "QuietLimit": record.limits.quiet_plies}
    headers |= {name: str(limit) for name, limit in limits.items() if limit is not None}
    if record.start != chess.STARTING_FEN:
        headers |= {"SetUp": "1", "FEN": record.start}
    headers["Termination"] = UNTERMINATED if record.end is None else record.end.reason.value
    if record.end is not None and record.end.detail:
        headers["TerminationDetails"] = record.end.detail
    return headers | {**record.headers}


def numbered(record: GameRecord) -> Iterator[tuple[str, chess.Board, Turn]]:
    """Yield each turn, after its number as PGN writes it and the board before it: one board, which changes."""
    board = chess.Board(record.start)
    for turn in record.turns:
        yield f"{board.fullmove_number}{'.' if board.turn == chess.WHITE else '...'}", board, turn
        board.push(turn.move)


def _comments(record: GameRecord) -> list[list[str]]:
    """Return the tags before the first move, then those after each move."""
    comments: list[list[str]] = [[]]
    for turn in record.turns:
        tags = [f"[%tries {_tries_text(turn.tries)}]"] if turn.tries else []
        tags.append(f"[%says {turn.announcement.code()}]")
        if turn.seconds is not None:
            whole, thousandths = divmod(round(turn.seconds * 1000), 1000)
            tags.append(f"[%emt {whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}.{thousandths:03}]")
        comments.append(tags)
    if record.left:
        comments[-1].append(f"[%left {_tries_text(record.left)}]")
    return comments


def _tries_text(tries: tuple[OwnTry | OwnQuestion, ...]) -> str:
    return " ".join(f"{one.move.uci() if isinstance(one, OwnTry) else 'any'}:{one.answer.value}" for one in tries)


def pgn_text(headers: Mapping[str, str], movetext: Iterable[str]) -> str:
    """Return headers, an empty line, and moves with their comments in lines."""
    escaped = {name: re.sub(r'(["\\])', r"\\\1", value) for name, value in headers.items()}
    lines = [f'[{name} "{value}"]' for name, value in escaped.items()]
    return "\n".join([*lines, "", *_wrapped(" ".join(movetext)), ""])


def _wrapped(movetext: str) -> Iterator[str]:
    """Yield lines of about a hundred characters. None begins with "[", which begins a header in PGN."""
    line = ""
    for word in _BREAK.split(movetext):
        if line and len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield line


def load_record(path: str | os.PathLike[str]) -> GameRecord:
    """Read a record from a file. Raises RecordError, which names the file, if it is unreadable or no record."""
    try:
        return record_from_pgn(pgn_decoded(read_bytes(Path(path), MAX_BYTES)))
    except ValueError as error:
        raise RecordError(f"{quoted(os.fspath(path))}: {error}") from None


def record_from_pgn(text: str) -> GameRecord:
    """Return the record of a text. Raises RecordError if it is not the record of a game of Kriegspiel."""
    text = _plain(text)
    if control := _CONTROL.search(text):
        raise RecordError(f"not a Kriegspiel record: control character {control[0]!r}; it takes PGN text")
    if "[KriegspielRecord " not in text:
        raise RecordError("not a Kriegspiel record: header KriegspielRecord is missing")
    game = read_pgn(text)
    headers = game.headers
    if (version := headers.get("KriegspielRecord", SCHEMA)) != SCHEMA:
        raise RecordError(f"unknown version of Kriegspiel records: {quoted(version)}; this program reads {SCHEMA!r}")
    missing = {"KriegspielRecord", *ROSTER, "Result", "RuleSet", "Termination"} - headers.keys()
    if missing:
        raise RecordError(f"not a Kriegspiel record: header {min(missing)} is missing")
    if game.skipped:
        raise RecordError(f"unexpected {' and '.join(game.skipped)}: a record has none")
    comments = [[" ".join(tag.split()) for tag in _TAG.findall(" ".join(texts))] for texts in game.comments]
    record = _replayed(game, comments)
    for ply, (tags, again) in enumerate(zip(map(Counter, comments), map(Counter, _comments(record)), strict=True)):
        if tags != again:
            extra, lacking = (" ".join(tags.elements()) for tags in (tags - again, again - tags))
            takes = quoted(lacking) if lacking else "nothing else"
            raise RecordError(f"illegal comment: {quoted(extra)}, {place(max(0, ply - 1))}; it takes {takes}")
    own_headers = headers_of(record)
    for name in ("Termination", "TerminationDetails", "Result"):
        value, own = headers.get(name, ""), own_headers.get(name, "")
        if value != own:
            raise RecordError(f"illegal header {name}: {quoted(value)}; it takes {own!r} for this game")
    return record


def pgn_decoded(data: bytes) -> str:
    """Return the text of a file: UTF-8 or else Latin-1, the character set of the PGN standard."""
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8-sig")
    return data.decode("latin-1")


def game_of(headers: Mapping[str, str]) -> tuple[RuleSet, Limits, str]:
    """Return rule set, limits and start of a game from its headers, which have RuleSet.

    Raises RecordError; `Replay` checks the FEN.
    """
    if "Variant" in headers:
        raise RecordError("illegal header: Variant; a Kriegspiel record names its rules by RuleSet")
    if ("FEN" in headers) != (headers.get("SetUp") == "1"):
        raise RecordError('illegal headers: FEN and SetUp "1" come together')
    given = {name: headers.get(name) for name in ("PlyLimit", "QuietLimit")}
    for name, value in given.items():
        if value is not None and not re.fullmatch("[1-9][0-9]{0,8}", value):
            raise RecordError(f"illegal header {name}: {quoted(value)}; it takes a whole number from 1")
    limits = Limits(*(int(value) if value else None for value in given.values()))
    try:
        return rule_set(headers["RuleSet"]), limits, headers.get("FEN", chess.STARTING_FEN)
    except UnknownRuleSet as error:
        raise RecordError(str(error)) from None


def _replayed(game: PgnGame, comments: list[list[str]]) -> GameRecord:
    replay = Replay(*game_of(game.headers))
    seconds = []
    for san, tags in zip(game.moves, comments[1:], strict=True):
        _repeat_tries(replay, tags, "[%tries ")
        replay.move_san(san)
        time = _TIME.search(" ".join(tags))
        seconds.append(int(time[1]) * 3600 + int(time[2]) * 60 + float(time[3]) if time else None)
    _repeat_tries(replay, comments[-1], "[%left ")
    winner = {"1-0": chess.WHITE, "0-1": chess.BLACK}.get(game.headers["Result"])
    if replay.referee.end is None:
        with suppress(ValueError):
            replay.stop(End(Reason(game.headers["Termination"]), winner, game.headers.get("TerminationDetails", "")))
    headers = {name: value for name, value in game.headers.items() if name not in RESERVED}
    return GameRecord.of(replay.referee, headers, seconds)


def _repeat_tries(replay: Replay, tags: list[str], name: str) -> None:
    for word in " ".join(tag[len(name) : -1] for tag in tags if tag.startswith(name)).split():
        match = _TRY.fullmatch(word)
        if match is None:
            raise RecordError(f"illegal try: {quoted(word)}, {replay.here}; it takes one such as 'e4d5:illegal'")
        answer = Answer(match["answer"])
        replay.repeat(OwnQuestion(answer) if match["move"] == "any" else OwnTry(_move(match["move"]), answer))


def _move(uci: str) -> chess.Move:
    """Return a try in UCI notation. Unlike python-chess, accept one that stays where it is."""
    if uci == "0000":
        return chess.Move.null()
    promotion = chess.PIECE_SYMBOLS.index(uci[4]) if len(uci) == 5 else None
    return chess.Move(chess.parse_square(uci[:2]), chess.parse_square(uci[2:4]), promotion)
