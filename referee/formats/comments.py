"""PGN with tries and announcements in comments, in the two notations that are in use elsewhere.

`icc` is the notation of the Berkeley page "Kriegspiel PGN Notation v0.9", which Darkboard writes for games under
ICC's rules (Wild 16), and of which OpenSpiel has a variant:

    12. Nxd6+ {(Xd6,CN:)} Kd7 {(:f6,Bg7,Rg7)}

Before the colon stands what the referee said after the move: X and the square of the captured man; C and the
directions of check, R (rank), F (file), L (long diagonal), S (short diagonal), N (knight); P and the number of pawn
tries of the other side, if there are any. After the colon stand the refused tries of the side that moved, in order.

`umd` is the notation of the University of Maryland's page "Proposed pgn for Kriegspiel":

    5. exd3 {(K:d4,dd3:Td3)} Nxd3+ {(K::CK)}

K, the refused tries ("dd3" is the pawn on the d-file, going straight on), and what the opponent was told. By the
page's grammar that is one thing only, and its example tells of the check of a move that also captures: T and the
square of the man taken, or CR, CF, CD (either diagonal) or CK (knight).

Readings where the pages leave a choice, or where what could be found of them ends: a double check is two tokens
("CF,CN"), and "CFN" is read as well; at a mate the check may be left out; an en passant capture may stand at the
square of the captured pawn or at that of the capturing one. T is read as X. `icc` must tell all of this, and `umd`
nothing that is not so. A move without a comment was made at once. Neither has a letter for what some rule sets
tell: pawn tries without their number, a promotion, en passant. The header RuleSet says under which one the referee
tells it again. Neither has a place for a try that the side's own men rule out, for "Any?", for tries after the last
move, or for times. Answers are not written: the referee gives them again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import chess

from referee.announcement import Announcement
from referee.errors import RecordError
from referee.formats.form import COMMENTS, LEFT, QUESTIONS, RULED_OUT, TIMES, Format, Lost
from referee.formats.movetext import HIDDEN, Said, game_text, pgn_games
from referee.formats.notation import announced, named_try, try_name
from referee.formats.retelling import Retelling, retelling, variant_of
from referee.pgn import headers_of, pgn_text
from referee.record import GameRecord, place
from referee.rules import WILD16, RuleSet
from referee.text import quoted
from referee.view import OwnQuestion, OwnTry

_UMD = r"\(K:(?P<tries>[^:(){}]*):(?P<heard>[^:(){}]*)\)"
_ICC = r"\((?P<heard>[^:(){}]*):(?P<tries>[^:(){}]*)\)"
_SOME = re.compile(r"\{\s*\((?P<umd>K:[^:(){}]*:|[^:(){}]*:)[^:(){}]*\)\s*\}")
_CHECKS = re.compile("C([RFLSN]{1,5})")


@dataclass(frozen=True, slots=True)
class _Notation:
    """One of the two.

    Attributes:
      comment: its comments.
      takes: an example, for messages.
      written: a comment, from what was announced and the refused tries.
      differs: whether what a comment tells differs from what was announced; the last argument is what else may be
        told of the capture.
    """

    comment: re.Pattern[str]
    takes: str
    written: Callable[[list[str], str], str]
    differs: Callable[[set[str], Announcement, set[str]], bool]


def _written_icc(heard: list[str], tries: str) -> str:
    return f"{{({','.join(heard)}:{tries})}}"


def _written_umd(heard: list[str], tries: str) -> str:
    told = [_umd_token(token) for token in heard]
    checks, taken = ([token for token in told if token[0] == letter] for letter in "CT")
    return f"{{(K:{tries}:{(checks or taken or [''])[0]})}}"


def _umd_token(token: str) -> str:
    """One of ours in the other notation, which knows no pawn tries."""
    return {"CL": "CD", "CS": "CD", "CN": "CK"}.get(token, token.replace("X", "T"))


def _differs_icc(told: set[str], announcement: Announcement, captures: set[str]) -> bool:
    said = set(announced(announcement))
    if announcement.end is not None:  # a mate may be told as one, without its check
        said = {token for token in said if token[0] != "C"} | {token for token in told & said if token[0] == "C"}
    if told & captures:
        said = {token for token in said if token[0] != "X"} | (told & captures)
    return told != said


def _differs_umd(told: set[str], announcement: Announcement, captures: set[str]) -> bool:
    known = captures.union(announced(announcement))
    return not told <= known | {_umd_token(token) for token in known}


_NOTATIONS = {
    "icc": _Notation(re.compile(_ICC), "{(Xd6,CN:f6,Bg7)}", _written_icc, _differs_icc),
    "umd": _Notation(re.compile(_UMD), "{(K:f6,Bg7:CK)}", _written_umd, _differs_umd),
}


def _fits(text: str, *, is_umd: bool) -> bool:
    match = _SOME.search(text)
    return match is not None and match["umd"].startswith("K:") == is_umd


def _read(text: str, rules: RuleSet | None, notation: _Notation) -> tuple[GameRecord, Lost]:
    game = game_text(text)
    told = retelling(game.headers, rules, WILD16.name)
    has_remarks = game.has_remarks
    for ply, said in enumerate(game.moves):
        if said.move == HIDDEN:
            raise RecordError(f"illegal move: '{HIDDEN}', {place(ply)}; one side's view is no full record")
        remarks = [comment for comment in said.comments if not comment.startswith("(")]
        has_remarks = has_remarks or bool(remarks)
        _retell(told, said, [comment for comment in said.comments if comment.startswith("(")], notation)
    ended = told.finish(game.headers, game.result)
    return told.record(game.headers), (*((COMMENTS,) if has_remarks else ()), *game.lost, *ended)


def _retell(told: Retelling, said: Said, comments: list[str], notation: _Notation) -> None:
    """One turn: its refused tries, then its move."""
    here, ply = told.here, told.referee.ply
    if not comments:
        told.say(said.move)
        return
    match = notation.comment.fullmatch("".join(comments[0].split()))
    if match is None or len(comments) > 1:
        raise RecordError(f"illegal comment: {quoted(comments[-1])}, {here}; it takes one such as {notation.takes}")
    for name in filter(None, match["tries"].split(",")):
        told.refuse(named_try(told.board, name, ply), name)
    before = told.board.copy(stack=False)
    announcement = told.say(said.move)
    last = told.board.peek()
    other = announcement.fell if announcement.en_passant else last.to_square
    captures = {f"X{chess.square_name(other)}"} if other is not None and before.is_en_passant(last) else set()
    if notation.differs(_tokens(match["heard"]), announcement, captures):
        true = ",".join(announced(announcement))
        raise RecordError(
            f"illegal announcement: {quoted(match['heard'])} after {said.move}, but the referee says {true!r}, {here}"
        )


def _tokens(heard: str) -> set[str]:
    """What a comment tells, token by token; "P0" tells what is not told otherwise."""
    tokens: set[str] = set()
    for token in filter(None, heard.split(",")):
        checks = _CHECKS.fullmatch(token)
        if checks is not None:
            tokens.update(f"C{letter}" for letter in checks[1])
        elif re.fullmatch("T[a-h][1-8]", token):
            tokens.add("X" + token[1:])
        elif token != "P0":
            tokens.add(token)
    return tokens


def _write(record: GameRecord, notation: _Notation) -> tuple[str, Lost]:
    lost = dict.fromkeys((RULED_OUT, QUESTIONS, TIMES, LEFT), False)
    movetext = list(_movetext(record, notation, lost))
    headers = headers_of(record)
    del headers["KriegspielRecord"]
    headers |= {"Variant": variant_of(record.rules), "Filtered": "no"}
    lost[TIMES] = any(turn.seconds is not None for turn in record.turns)
    lost[LEFT] = bool(record.left)
    return pgn_text(headers, movetext), tuple(name for name, is_lost in lost.items() if is_lost)


def _movetext(record: GameRecord, notation: _Notation, lost: dict[str, bool]) -> Iterator[str]:
    board = chess.Board(record.start)
    for turn in record.turns:
        yield f"{board.fullmove_number}{'.' if board.turn == chess.WHITE else '...'} {board.san(turn.move)}"
        names, missing = tries_text(board, turn.tries)
        lost.update(dict.fromkeys(missing, True))
        yield notation.written(announced(turn.announcement), names)
        board.push(turn.move)
    yield record.result


def tries_text(board: chess.Board, tries: tuple[OwnTry | OwnQuestion, ...]) -> tuple[str, Lost]:
    """The names of a turn's refused tries, and what has none.

    A legal move is refused only where "Any?" was answered yes; without the question it would have been made.
    """
    names, lost = [], set()
    for event in tries:
        name = try_name(board, event.move) if isinstance(event, OwnTry) else None
        if isinstance(event, OwnQuestion):
            lost.add(QUESTIONS)
        elif name is None or board.is_legal(event.move):
            lost.add(RULED_OUT)
        else:
            names.append(name)
    return ",".join(names), tuple(lost)


ICC = Format(
    "icc",
    "PGN with comments such as {(Xd6,CN:f6,Bg7)}: Berkeley's page, Darkboard",
    lambda text: _fits(text, is_umd=False),
    pgn_games,
    lambda text, rules: _read(text, rules, _NOTATIONS["icc"]),
    lambda record, _side: _write(record, _NOTATIONS["icc"]),
)
UMD = Format(
    "umd",
    "PGN with comments such as {(K:f6,Bg7:CK)}: Maryland's page",
    lambda text: _fits(text, is_umd=True),
    pgn_games,
    lambda text, rules: _read(text, rules, _NOTATIONS["umd"]),
    lambda record, _side: _write(record, _NOTATIONS["umd"]),
)
