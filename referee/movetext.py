"""PGN as any program writes it: cut into games, and each into headers, moves and comments.

Nothing is guessed at: a character that PGN does not know, a comment or a sideline that is not closed and a missing
result are refused. Sidelines and annotations such as "$1" or "!?" are skipped, and named as lost.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from referee.errors import RecordError
from referee.record import place
from referee.text import quoted

HIDDEN = "??"  # what stands for a move that one side did not see

_HEADER = re.compile(r'\s*\[\s*([A-Za-z0-9_]+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')
_PART = re.compile(  # in a line for one program alone, a header or a comment, nothing else begins
    r"(?P<escape>^%[^\n]*\n?)|(?P<header>^[^\S\n]*\[[^\n]*)|(?P<moves>\{[^}]*|;[^\n]*|[^\s{;]+)", re.MULTILINE
)
_TOKEN = re.compile(
    r"(?P<comment>\{[^}]*\}|;[^\n]*)"
    r"|(?P<result>(?:1-0|0-1|1/2-1/2|\*)(?!\S))"
    r"|(?P<move>(?:(?<![\w+#=])\?\?|[0O]-[0O](?:-[0O])?[+#]?|[A-Za-z][A-Za-z0-9=]*(?:[+]{1,2}|#)?)(?![\w/-]))"
    r"|(?P<number>[0-9]{1,9}\.*)"
    r"|(?P<annotation>\$[0-9]{1,9}|[!?]{1,2})"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
    r"|(?P<space>\s+)"
)


@dataclass(slots=True)
class Said:
    """A move as it is written, and the comments after it, without their braces."""

    move: str
    comments: list[str] = field(default_factory=list)


@dataclass(slots=True)
class GameText:
    """A game as it is written: its remarks stand before the first move, and `lost` is what was skipped."""

    headers: dict[str, str]
    remarks: list[str]
    moves: list[Said]
    result: str
    lost: tuple[str, ...]


def pgn_games(text: str) -> list[str]:
    """The games of a file: each begins with its headers."""
    text = _plain(text)
    games, kept, has_moves = [""], 0, False
    for match in _PART.finditer(text):
        is_next = match.lastgroup == "header" and has_moves
        if is_next or match.lastgroup == "escape":
            games[-1] += text[kept : match.start()]
            kept = match.start() if is_next else match.end()
        if is_next:
            games.append("")
        has_moves = match.lastgroup == "moves" or (has_moves and match.lastgroup == "escape")
    games[-1] += text[kept:]
    return [game.strip("\n") for game in games if game.strip()]


def game_text(text: str) -> GameText:
    """A game as it is written; raises RecordError if it is none in PGN."""
    lines = _plain(text).strip().split("\n")
    starts = (number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("["))
    count = next(starts, len(lines))
    headers = _read_headers(filter(str.strip, lines[:count]))
    return _moves("\n".join(lines[count:]), headers)


def _read_headers(lines: Iterable[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        match = _HEADER.fullmatch(line)
        if match is None:
            raise RecordError(f'illegal header: {quoted(line)}; it takes [Name "value"]')
        if match[1] in headers:
            raise RecordError(f"illegal header: {quoted(match[1])} is given twice")
        headers[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
    return headers


def _moves(movetext: str, headers: dict[str, str]) -> GameText:
    remarks, moves = list[str](), list[Said]()
    lost: dict[str, None] = {}
    result, depth = "", 0
    position = 0
    while position < len(movetext):
        match = _TOKEN.match(movetext, position)
        if match is None or (result and match.lastgroup != "space"):
            closing = "a comment that is not closed: " if movetext[position] == "{" else ""
            raise RecordError(f"unexpected text: {closing}{quoted(movetext[position:])}, {place(len(moves))}")
        position = match.end()
        kind, token = match.lastgroup, match[0]
        if kind in ("open", "close"):
            depth += 1 if kind == "open" else -1
            lost["sidelines"] = None
            if depth < 0:
                raise RecordError(f"unexpected text: ')', {place(len(moves))}")
        elif depth:
            continue
        elif kind == "comment":
            (moves[-1].comments if moves else remarks).append(token.removesuffix("}")[1:].strip())
        elif kind == "move":
            moves.append(Said(token))
        elif kind == "annotation":
            lost["annotations"] = None
        elif kind == "result":
            result = token
    if depth or not result:
        missing = "a sideline is not closed" if depth else "the result after the moves is missing"
        raise RecordError(f"unexpected end of text: {missing}, {place(len(moves))}")
    return GameText(headers, remarks, moves, result, tuple(lost))


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")
