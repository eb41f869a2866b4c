"""PGN as other programs write it: moves alone, tries and announcements in comments, and one side's view.

`plain` is any game of chess. Our referee computes its announcements, under the given rule set, or else that of the
header RuleSet, or else Berkeley's. Comments are skipped.

`icc` is the notation of the Berkeley page "Kriegspiel PGN Notation v0.9". Darkboard writes it for games under ICC's
rules (Wild 16), and OpenSpiel has a variant:

    12. Nxd6+ {(Xd6,CN:)} Kd7 {(:f6,Bg7,Rg7)}

Before the colon stands the announcement of the move: X and the square of the captured piece; C and the directions of
check, R (rank), F (file), L (long diagonal), S (short diagonal), N (knight); P and the number of pawn tries of the
other side, if there are any. After the colon stand the refused tries of the side that moved, in order.

`umd` is the notation of the University of Maryland's page "Proposed pgn for Kriegspiel":

    5. exd3 {(K:d4,dd3:Td3)} Nxd3+ {(K::CK)}

K, the refused tries ("dd3" is the pawn on the d-file, going straight on), and the announcement to the opponent. By the
page's grammar that is one thing only, and its example gives the check of a move that also captures: T and the square
of the captured piece, or CR, CF, CD (either diagonal) or CK (knight).

The pages leave some choices. A double check is two tokens ("CF,CN"), and "CFN" is read as well. At a mate the check may
be left out. An en passant capture may stand at the square of the captured pawn or of the capturing one. T is read as
X. `icc` must give all of this, and `umd` nothing that is not so. A move without a comment was made at once. Answers
and announcements without a letter are not written, since the referee gives them again.

`filtered` is one side's view in the notation of `icc`, with "??" for the other side's moves. After the colon of the
other side's comments stands the number of announced illegal tries, where they are announced. The other side's moves do
not follow from it, so it is written and never read. Only headers that name the game and its players are written,
since a seed or a setting may give the other side's moves away.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import chess

from referee.announcement import CHECK_LETTERS, Announcement, End, PawnTryCount, Reason
from referee.formats import base
from referee.pgn import HIDDEN, PgnMove, headers_of, numbered, pgn_games, pgn_text, read_pgn
from referee.pieces import Men, is_castling, is_open, matches_san, men_of, open_tries, try_name
from referee.record import ROSTER, GameRecord, RecordError, Turn, place
from referee.rules import BERKELEY, WILD16, Audience, RuleSet
from referee.text import quoted
from referee.view import Answer, OwnQuestion, OwnTry

OTHER_SIDE = "the other side's moves and tries"
WITHOUT_LETTER = "pawn tries announced without their number, promotions, en passant"

_FIRST = re.compile(r"^[ \t]*(?:\[[ \t]*\w+[ \t]+\"|[0-9]+[ \t]*\.)", re.MULTILINE)
_UMD = r"\(K:(?P<tries>[^:(){}]*):(?P<announced>[^:(){}]*)\)"
_ICC = r"\((?P<announced>[^:(){}]*):(?P<tries>[^:(){}]*)\)"
_SOME = re.compile(r"^(?![ \t]*\[)[^\n]*?\{\s*\((?P<umd>K:[^:(){}]*:|[^:(){}]*:)[^:(){}]*\)\s*\}", re.MULTILINE)
_ONE_SIDE = re.compile(  # headers may hold "??" without hiding a move
    r"^[ \t]*\[\s*Filtered\s+\"(?!no\"|\")[^\"]*\"|^(?![ \t]*\[)[^\n]*?(?:[0-9]\.+|\})\s*\?\?(?=[\s{]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_CHECKS = re.compile("C([RFLSN]{1,5})")
_TRY = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)([x:-]?)([a-h][1-8])(?:=?([QRBNqrbn]))?(?:[+]{0,2}|#)")
_CASTLES = re.compile(r"[0O]-[0O](-[0O])?[+#]?")
_ONE_SIDES_HEADERS = (*ROSTER, "Result", "RuleSet", "PlyLimit", "QuietLimit", "SetUp", "FEN", "Termination")


@dataclass(frozen=True, slots=True)
class _Notation:
    """A notation of tries and announcements in comments: their pattern, an example, and how they are written.

    `contradicts` returns True if tokens contradict an announcement. Its last argument holds other tokens that may stand
    for the capture.
    """

    comment: re.Pattern[str]
    example: str
    write: Callable[[list[str], str], str]
    contradicts: Callable[[set[str], Announcement, set[str]], bool]


# Announcements


def tokens_of(announcement: Announcement) -> list[str]:
    """Return the tokens of an announcement: Xd5 (capture), CF (check), P2 (pawn tries of the other side, if any).

    The end of the game has none, since the result gives it, nor has `WITHOUT_LETTER`.
    """
    tokens = []
    if announcement.capture is not None:
        tokens.append("X" + chess.square_name(announcement.capture))
    tokens += [f"C{letter}" for letter, check in CHECK_LETTERS.items() if check & announcement.checks]
    if isinstance(announcement.pawn_tries, PawnTryCount) and announcement.pawn_tries.number:
        tokens.append(f"P{announcement.pawn_tries.number}")
    return tokens


def _is_without_letter(announcement: Announcement) -> bool:
    """Return True if part of an announcement has no letter in the notation."""
    has_number = isinstance(announcement.pawn_tries, PawnTryCount | None)
    return not has_number or announcement.promotion or announcement.en_passant


def _read_tokens(text: str) -> set[str]:
    """Return the tokens in a comment in the form of `tokens_of`. "P0" is the same as none."""
    tokens: set[str] = set()
    for token in filter(None, text.split(",")):
        checks = _CHECKS.fullmatch(token)
        if checks is not None:
            tokens.update(f"C{letter}" for letter in checks[1])
        elif re.fullmatch("T[a-h][1-8]", token):
            tokens.add("X" + token[1:])
        elif token != "P0":
            tokens.add(token)
    return tokens


def _write_umd(tokens: list[str], tries: str) -> str:
    theirs = [_umd_token(token) for token in tokens]
    checks, captures = ([token for token in theirs if token[0] == letter] for letter in "CT")
    return f"{{(K:{tries}:{(checks or captures or [''])[0]})}}"


def _umd_token(token: str) -> str:
    """Return a token of `icc` in the notation of `umd`, which knows no pawn tries."""
    return {"CL": "CD", "CS": "CD", "CN": "CK"}.get(token, token.replace("X", "T"))


def _contradicts_icc(tokens: set[str], announcement: Announcement, captures: set[str]) -> bool:
    expected = set(tokens_of(announcement))
    if announcement.end is not None:  # a mate may stand without its check
        expected = {token for token in expected if token[0] != "C" or token in tokens}
    if tokens & captures:
        expected = {token for token in expected if token[0] != "X"} | (tokens & captures)
    return tokens != expected


def _contradicts_umd(tokens: set[str], announcement: Announcement, captures: set[str]) -> bool:
    known = captures.union(tokens_of(announcement))
    return not tokens <= known | {_umd_token(token) for token in known}


_WITH_ICC = _Notation(
    re.compile(_ICC), "{(Xd6,CN:f6,Bg7)}", lambda tokens, tries: f"{{({','.join(tokens)}:{tries})}}", _contradicts_icc
)
_WITH_UMD = _Notation(re.compile(_UMD), "{(K:f6,Bg7:CK)}", _write_umd, _contradicts_umd)


# Tries


def name_of_try(board: chess.Board, move: chess.Move, *, is_capture: bool = False) -> str | None:
    """Return the name of a try of the side to move, by what it sees; None if its own pieces rule it out.

    `is_capture` is True if it was accepted and captured.
    """
    side = _side_to_move(board)
    if not is_open(move, *side):
        return None
    name = try_name(move, *side)
    has_sign = not is_capture or "x" in name
    return name if has_sign else f"{name[:-2]}x{name[-2:]}"


def named_try(board: chess.Board, name: str, ply: int) -> chess.Move:
    """Return the try of a name. A promotion without a piece is one to a queen, the sign of a capture is optional."""
    side = _side_to_move(board)
    men = side[1]
    castles, match = _CASTLES.fullmatch(name), _TRY.fullmatch(name)
    if castles is None and match is None:
        raise RecordError(f"illegal try: {quoted(name)}, {place(ply)}; it takes one such as 'Nf3', 'exd5' or 'O-O'")
    file = 2 if castles is not None and castles[1] else 6
    tries = [
        move
        for move in open_tries(*side)
        if (
            matches_san(move, men, match)
            if match is not None
            else is_castling(move, men) and chess.square_file(move.to_square) == file
        )
    ]
    if len(tries) != 1:
        pieces = "more than one piece" if tries else "no piece"
        raise RecordError(f"illegal try: {quoted(name)}, {place(ply)}; {pieces} of the side to move might try that")
    return tries[0]


def _side_to_move(board: chess.Board) -> tuple[chess.Color, Men, bool, bool]:
    """Return the part of the board that the side to move sees: colour, pieces and rights to castle."""
    color = board.turn
    rights = board.has_kingside_castling_rights(color), board.has_queenside_castling_rights(color)
    return color, men_of(board, color), *rights


# Reading


def _read(
    text: str, rules: RuleSet | None, default: RuleSet, notation: _Notation | None = None
) -> tuple[GameRecord, base.Lost]:
    pgn = read_pgn(text)
    game = base.ForeignGame.begin(pgn.headers, rules, default.name)
    has_remarks = bool(pgn.remarks)
    for ply, move in enumerate(pgn.moves):
        if move.san == HIDDEN:
            raise RecordError(f"illegal move: '{HIDDEN}', {place(ply)}; one side's view is no full record")
        comments = [comment for comment in move.comments if notation is not None and comment.startswith("(")]
        has_remarks = has_remarks or len(comments) < len(move.comments)
        if notation is not None and comments:
            _replay(game, PgnMove(move.san, comments), notation)
        else:
            game.move_san(move.san)
    lost = game.finish(pgn.headers, pgn.result)
    return game.record(pgn.headers), (*((base.COMMENTS,) if has_remarks else ()), *pgn.skipped, *lost)


def _replay(game: base.ForeignGame, move: PgnMove, notation: _Notation) -> None:
    """Replay one turn with a comment: its refused tries, then its move."""
    here, ply = game.here, game.referee.ply
    match = notation.comment.fullmatch("".join(move.comments[0].split()))
    if match is None or len(move.comments) > 1:
        raise RecordError(
            f"illegal comment: {quoted(move.comments[-1])}, {here}; it takes one such as {notation.example}"
        )
    for name in filter(None, match["tries"].split(",")):
        game.refuse(named_try(game.board, name, ply), name)
    before = game.board.copy(stack=False)
    announcement = game.move_san(move.san)
    last = game.board.peek()
    other = announcement.captured_square if announcement.en_passant else last.to_square
    captures = {f"X{chess.square_name(other)}"} if other is not None and before.is_en_passant(last) else set()
    if notation.contradicts(_read_tokens(match["announced"]), announcement, captures):
        wrong, true = quoted(match["announced"]), ",".join(tokens_of(announcement))
        raise RecordError(f"illegal announcement: {wrong} after {move.san}, but the referee says {true!r}, {here}")


def _refuse_to_read(*_: object) -> tuple[GameRecord, base.Lost]:
    raise RecordError(
        "one side's view is no full record: the other side's moves are not in it, and without them no referee can "
        "replay the game; it takes the game as the referee saw it"
    )


# Writing


def _headers_of(record: GameRecord, side: chess.Color | None = None) -> dict[str, str]:
    """Return the headers for other programs. Those of one side's view must not give the other side's moves away."""
    return {
        name: text
        for name, text in headers_of(record).items()
        if (name not in ("KriegspielRecord", *base.FOREIGN) if side is None else name in _ONE_SIDES_HEADERS)
    }


def _write_plain(record: GameRecord) -> base.Written:
    movetext: list[str] = []
    for number, board, turn in numbered(record):
        movetext += [number] if board.turn == chess.WHITE or not movetext else []
        movetext.append(board.san(turn.move))
    events = [event for tries in (*(turn.tries for turn in record.turns), record.left) for event in tries]
    lost = {
        base.REFUSED: any(isinstance(event, OwnTry) for event in events),
        base.QUESTIONS: any(isinstance(event, OwnQuestion) for event in events),
        base.TIMES: record.has_times,
    }
    return pgn_text(_headers_of(record), [*movetext, record.result]), lost


def _write(record: GameRecord, notation: _Notation, side: chess.Color | None = None) -> base.Written:
    lost = {base.RULED_OUT: False, base.QUESTIONS: False, base.TIMES: record.has_times, base.LEFT: bool(record.left)}
    if side is not None:
        lost[OTHER_SIDE] = True
        lost[WITHOUT_LETTER] = any(_is_without_letter(turn.announcement) for turn in record.turns)
        lost[base.HEADERS] = not ROSTER.keys() >= record.headers.keys()
    movetext = []
    for number, board, turn in numbered(record):
        if side in (None, board.turn):
            name = board.san(turn.move) if side is None else _own_move(board, turn)
            tries = _tries_text(board, turn, lost)
        else:
            name, is_announced = HIDDEN, record.rules.illegal_to is Audience.BOTH
            tries = str(sum(event.answer is Answer.ILLEGAL for event in turn.tries)) if is_announced else ""
        movetext += [f"{number} {name}", notation.write(tokens_of(turn.announcement), tries)]
    filtered = "no" if side is None else chess.COLOR_NAMES[side]
    headers = _headers_of(record, side) | {"Filtered": filtered}  # python-chess refuses an unknown Variant
    return pgn_text(headers, [*movetext, record.result]), lost


def _write_one_side(record: GameRecord, side: chess.Color | None) -> base.Written:
    if side is None:
        raise RecordError("one side's view takes a side, white or black")
    return _write(record, _WITH_ICC, side)


def _own_move(board: chess.Board, turn: Turn) -> str:
    """Return a move as its side would name it; chess's own name may betray which other pieces were pinned."""
    announcement = turn.announcement
    name = name_of_try(board, turn.move, is_capture=announcement.capture is not None) or board.san(turn.move)
    is_mate = announcement.end == End(Reason.CHECKMATE, board.turn)
    return name + ("#" if is_mate else "+" if announcement.checks else "")


def _tries_text(board: chess.Board, turn: Turn, lost: dict[str, bool]) -> str:
    """Return the names of a turn's refused tries, and note in `lost` what has none.

    A legal move is refused only where "Any?" obliges. Without the question it would have been made.
    """
    names = []
    for event in turn.tries:
        if isinstance(event, OwnQuestion):
            lost[base.QUESTIONS] = True
            continue
        name = name_of_try(board, event.move)
        if name is None or board.is_legal(event.move):
            lost[base.RULED_OUT] = True
        else:
            names.append(name)
    return ",".join(names)


def _fits(text: str, *, is_umd: bool) -> bool:
    match = _SOME.search(text)
    return match is not None and match["umd"].startswith("K:") == is_umd


PLAIN = base.Format(
    "plain",
    "PGN of any game of chess: moves only; --rules says what is announced",
    lambda text: _FIRST.search(text) is not None,
    pgn_games,
    lambda text, rules: _read(text, rules, BERKELEY),
    lambda record, _side: _write_plain(record),
)
ICC = base.Format(
    "icc",
    "PGN with comments such as {(Xd6,CN:f6,Bg7)}: Berkeley's page, Darkboard",
    lambda text: _fits(text, is_umd=False),
    pgn_games,
    lambda text, rules: _read(text, rules, WILD16, _WITH_ICC),
    lambda record, _side: _write(record, _WITH_ICC),
)
UMD = base.Format(
    "umd",
    "PGN with comments such as {(K:f6,Bg7:CK)}: Maryland's page",
    lambda text: _fits(text, is_umd=True),
    pgn_games,
    lambda text, rules: _read(text, rules, WILD16, _WITH_UMD),
    lambda record, _side: _write(record, _WITH_UMD),
)
FILTERED = base.Format(
    "filtered",
    "as icc, one side's view, with ?? for moves it did not see; written only",
    lambda text: _ONE_SIDE.search(text) is not None,
    pgn_games,
    _refuse_to_read,
    _write_one_side,
)
