"""PGN as other programs write it: moves alone, tries and announcements in comments, and one side's view.

`plain` is any game of chess. Our referee computes its announcements, under the given rule set, or else that of the
headers RuleSet, Variant or Event (ICC's), or else Berkeley's. Comments are skipped.

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
X. `icc` must give all of this, `umd` may leave some out. A move without a comment was made at once.

`filtered` is one side's view in the notation of `icc`, with "??" for the other side's moves. After the colon of the
other side's comments stands the number of announced illegal tries, where they are announced. It is written and never
read. Besides PGN's seven headers only those of rules, limits, start, end and side are written: a seed may tell moves.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import chess

from referee.announcement import CHECK_LETTERS, Announcement, End, PawnTryCount, Reason
from referee.pgn import HIDDEN, game_of, headers_of, numbered, pgn_text, read_pgn
from referee.pieces import Men, matches_san, men_of, open_tries, try_name
from referee.record import RESERVED, ROSTER, GameRecord, RecordError, Replay, Turn, place
from referee.rules import RULE_SETS, WILD16, Audience, RuleSet
from referee.text import one_line, quoted
from referee.view import Answer, OwnQuestion, OwnTry

Lost: TypeAlias = tuple[str, ...]  # what was left out, such as "thinking times"
Written: TypeAlias = tuple[str, Mapping[str, bool]]
"""A text, and for each thing for which its format has no place True if the game had it."""

TIMES = "thinking times"
QUESTIONS = 'questions "Any?"'
RULED_OUT = "tries that the side's own pieces rule out"
REFUSED = "refused tries"
LEFT = "tries after the last move"
HEADERS = "headers but the names of the game and of its players"
COMMENTS = "comments"
DRAW = "a draw that these rules do not give: the game is recorded as abandoned"
OTHER_SIDE = "the other side's moves, tries and questions"
WITHOUT_LETTER = "pawn tries announced without their number, promotions, en passant"

FIRST = re.compile(r"^[ \t]*(?:\[[ \t]*\w+[ \t]+\"|[0-9]+[ \t]*\.)", re.MULTILINE)
_SOME = re.compile(r"^(?![ \t]*\[)[^\n]*?\{\s*\((?P<umd>K:[^:(){}]*:|[^:(){}]*:)[^:(){}]*\)\s*\}", re.MULTILINE)
ONE_SIDE = re.compile(  # headers may hold "??" without hiding a move
    r"^[ \t]*\[\s*Filtered\s+\"(?!no\"|\")[^\"]*\"|^(?![ \t]*\[)[^\n]*?(?:[0-9]\.+|\})\s*\?\?(?=[\s{]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_VARIANTS = {"ICC" if rules is WILD16 else rules.title: rules.name for rules in RULE_SETS.values()}
"""Rule sets by other programs' names in the header Variant."""
_WILD_16 = re.compile("ICC (?:wild ?16|w16)\\b", re.IGNORECASE)  # ICC's Event of a game of Kriegspiel
_CHESS = ("", "?", "standard", "chess", "normal", "from position", "kriegspiel")
_GIVEN_UP = ("", "?", "normal", Reason.RESIGNATION.value)
_CHECKS = re.compile("C([RFLSN]{1,5})")
_TRY = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)([x:-]?)([a-h][1-8])(?:=?([QRBNqrbn]))?(?:[+]{0,2}|#)")
_CASTLES = re.compile(r"([0O]-[0O](?:-[0O])?)[+#]?")
_ONE_SIDES_HEADERS = (*ROSTER, "Result", "RuleSet", "PlyLimit", "QuietLimit", "SetUp", "FEN", "Termination")


@dataclass(frozen=True, slots=True)
class Notation:
    """A notation of tries and announcements in comments. A complete one gives every announcement that has a letter."""

    comment: re.Pattern[str]
    form: str
    example: str
    is_complete: bool


ICC = Notation(
    re.compile(r"\((?P<announced>[^:(){}]*):(?P<tries>[^:(){}]*)\)"), "{{({0}:{1})}}", "{(Xd6,CN:f6,Bg7)}", True
)
UMD = Notation(
    re.compile(r"\(K:(?P<tries>[^:(){}]*):(?P<announced>[^:(){}]*)\)"), "{{(K:{1}:{0})}}", "{(K:f6,Bg7:CK)}", False
)


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


def _read_tokens(text: str) -> set[str]:
    """Return the tokens in a comment in the form of `tokens_of`. "P0" is the same as none."""
    tokens: set[str] = set()
    for token in text.split(","):
        if checks := _CHECKS.fullmatch(token):
            tokens.update(f"C{letter}" for letter in checks[1])
        else:
            tokens.add(re.sub("^T(?=[a-h][1-8]$)", "X", token))
    return tokens - {"", "P0"}


def _umd_token(token: str) -> str:
    """Return a token of `icc` in the notation of `umd`, which knows no pawn tries."""
    return {"CL": "CD", "CS": "CD", "CN": "CK"}.get(token, token.replace("X", "T"))


def _contradicts(tokens: set[str], announcement: Announcement, captures: set[str], notation: Notation) -> bool:
    """Return True if tokens contradict an announcement, in which `captures` may stand for its capture."""
    expected = set(tokens_of(announcement))
    if not notation.is_complete:
        known = expected | captures
        return not tokens <= known | set(map(_umd_token, known))
    if announcement.end is not None:  # a mate may stand without its check
        expected = {token for token in expected if token[0] != "C" or token in tokens}
    if tokens & captures:
        expected = {token for token in expected if token[0] != "X"} | (tokens & captures)
    return tokens != expected


def notation_of(text: str) -> Notation | None:
    """Return the notation of the first comment with tries or announcements, or None."""
    match = _SOME.search(text)
    return match and (UMD if match["umd"].startswith("K:") else ICC)


def name_of_try(board: chess.Board, move: chess.Move, *, is_capture: bool = False) -> str | None:
    """Return the name of a try, perhaps an accepted capture, by what its side sees; None if its pieces rule it out."""
    side = _side_to_move(board)
    if move not in open_tries(*side, origin=move.from_square):
        return None
    name = try_name(move, *side)
    has_sign = not is_capture or "x" in name
    return name if has_sign else f"{name[:-2]}x{name[-2:]}"


def named_try(board: chess.Board, name: str, ply: int) -> chess.Move:
    """Return the try of a name. A promotion without a piece is one to a queen, the sign of a capture is optional."""
    side = _side_to_move(board)
    if castling := _CASTLES.fullmatch(name):
        tries = [move for move in open_tries(*side) if try_name(move, *side) == castling[1].replace("0", "O")]
    elif match := _TRY.fullmatch(name):
        tries = [move for move in open_tries(*side) if matches_san(move, side[1], match)]
    else:
        raise RecordError(f"illegal try: {quoted(name)}, {place(ply)}; it takes one such as 'Nf3', 'exd5' or 'O-O'")
    if len(tries) != 1:
        pieces = "more than one piece" if tries else "no piece"
        raise RecordError(f"illegal try: {quoted(name)}, {place(ply)}; {pieces} of the side to move might try that")
    return tries[0]


def _side_to_move(board: chess.Board) -> tuple[chess.Color, Men, bool, bool]:
    color = board.turn
    rights = board.has_kingside_castling_rights(color), board.has_queenside_castling_rights(color)
    return color, men_of(board, color), *rights


def read(
    text: str, rules: RuleSet | None, default: RuleSet, notation: Notation | None = None
) -> tuple[GameRecord, Lost]:
    """Return a game and what was lost. Its rule set is the given one, or that of its headers, or the default."""
    pgn = read_pgn(text)
    game = _begin(pgn.headers, rules, default)
    has_remarks = bool(pgn.comments[0])
    for ply, (san, texts) in enumerate(zip(pgn.moves, pgn.comments[1:], strict=True)):
        if san == HIDDEN:
            raise RecordError(f"illegal move: '{HIDDEN}', {place(ply)}; one side's view is no full record")
        comments = [text for text in texts if notation is not None and text.startswith("(")]
        has_remarks |= len(comments) < len(texts)
        if notation is not None and comments:
            _replay(game, san, comments, notation)
        else:
            game.move_san(san)
    lost = _finish(game, pgn.headers, pgn.result)
    headers = {name: value for name, value in pgn.headers.items() if name not in (*RESERVED, "Filtered")}
    return GameRecord.of(game.referee, headers), (*((COMMENTS,) if has_remarks else ()), *pgn.skipped, *lost)


def _begin(headers: Mapping[str, str], rules: RuleSet | None, default: RuleSet) -> Replay:
    """Return the beginning of a game. A rule set that is given overrides the headers."""
    variant = headers.get("Variant", "").lower()
    names = {known.lower(): name for known, name in _VARIANTS.items()} | dict.fromkeys(_CHESS, default.name)
    if variant not in names:
        takes = ", ".join([*_VARIANTS, "Standard"])
        raise RecordError(f"illegal header Variant: {quoted(headers['Variant'])}; it takes one of {takes}")
    if not variant and _WILD_16.match(headers.get("Event", "")):
        names[variant] = WILD16.name
    name = rules.text if rules is not None else headers.get("RuleSet", names[variant])
    ours = {key: value for key, value in headers.items() if key not in ("Variant", "SetUp")} | {"RuleSet": name}
    return Replay(*game_of(ours | ({"SetUp": "1"} if "FEN" in headers else {})))


def _finish(game: Replay, headers: Mapping[str, str], result: str) -> Lost:
    """End a game by its headers and result, if no move has ended it, and return what was lost.

    PGN has no word for giving up, so the loser of a game without a mate gave it up, unless Termination or, in files of
    ICC, ICCResult says more: "Black forfeits on time", "anna won by resignation".
    """
    referee = game.referee
    if referee.end is not None:
        if referee.end.result != result:
            raise RecordError(f"illegal result: {result!r}, but the game has ended: {referee.end.text()}")
        return ()
    termination = headers.get("Termination", headers.get("ICCResult", ""))
    detail = headers.get("TerminationDetails", "")
    reason, loser = termination.lower(), result == "0-1"
    if result == "1/2-1/2" and Reason.AGREEMENT.value not in reason:
        referee.abandon("a draw by agreement, repetition or another rule")
        return (DRAW,)
    if result == "1/2-1/2":
        referee.agree()
    elif result == "*":
        if reason == Reason.ABANDONED.value:
            referee.abandon(detail)
    elif Reason.CHECKMATE.value in reason:
        raise RecordError(f"illegal header Termination: {quoted(termination)}, but the last move gives no mate")
    elif reason in _GIVEN_UP or re.search(r"\bresign", reason):
        referee.resign(loser)
    else:
        referee.forfeit(loser, detail if reason == Reason.FORFEIT.value else one_line(termination, 200))
    return ()


def _replay(game: Replay, san: str, comments: list[str], notation: Notation) -> None:
    here, ply = game.here, game.referee.ply
    match = notation.comment.fullmatch("".join(comments[0].split()))
    if match is None or len(comments) > 1:
        raise RecordError(f"illegal comment: {quoted(comments[-1])}, {here}; it takes one such as {notation.example}")
    for name in filter(None, match["tries"].split(",")):
        game.refuse(named_try(game.board, name, ply), name)
    before = game.board.copy(stack=False)
    announcement = game.move_san(san)
    last = game.board.peek()
    other = announcement.captured_square if announcement.en_passant else last.to_square
    captures = {f"X{chess.square_name(other)}"} if other is not None and before.is_en_passant(last) else set()
    if _contradicts(_read_tokens(match["announced"]), announcement, captures, notation):
        wrong, true = quoted(match["announced"]), ",".join(tokens_of(announcement))
        raise RecordError(f"illegal announcement: {wrong} after {san}, but the referee says {true!r}, {here}")


def refuse_to_read(*_: object) -> tuple[GameRecord, Lost]:
    """Raise RecordError: one side's view is no full record."""
    raise RecordError(
        "one side's view is no full record: the other side's moves are not in it, and without them no referee can "
        "replay the game; it takes the game as the referee saw it"
    )


def _headers_of(record: GameRecord, side: chess.Color | None = None) -> dict[str, str]:
    """Return the headers for other programs. Those of one side's view must not give the other side's moves away."""
    return {
        name: text
        for name, text in headers_of(record).items()
        if (name not in ("KriegspielRecord", "Filtered") if side is None else name in _ONE_SIDES_HEADERS)
    }


def write_plain(record: GameRecord) -> Written:
    """Return the headers and moves of a game alone."""
    movetext: list[str] = []
    for number, board, turn in numbered(record):
        movetext += [number] if board.turn == chess.WHITE or not movetext else []
        movetext.append(board.san(turn.move))
    kinds = {type(event) for tries in (*(turn.tries for turn in record.turns), record.left) for event in tries}
    lost = {REFUSED: OwnTry in kinds, QUESTIONS: OwnQuestion in kinds, TIMES: record.has_times}
    return pgn_text(_headers_of(record), [*movetext, record.result]), lost


def write(notation: Notation, record: GameRecord, side: chess.Color | None = None) -> Written:
    """Return a game, or one side's view of it, with tries and announcements in comments."""
    lost = {RULED_OUT: False, QUESTIONS: False, TIMES: record.has_times, LEFT: bool(record.left)}
    if side is not None:
        lost[OTHER_SIDE] = True
        lost[WITHOUT_LETTER] = any(
            said.promotion or said.en_passant or not isinstance(said.pawn_tries, PawnTryCount | None)
            for said in (turn.announcement for turn in record.turns)
        )
        lost[HEADERS] = not ROSTER.keys() >= record.headers.keys()
    movetext = []
    for number, board, turn in numbered(record):
        if side in (None, board.turn):
            name = board.san(turn.move) if side is None else _own_move(board, turn)
            tries = _tries_text(board, turn, lost, is_one_side=side is not None)
        else:
            name, is_announced = HIDDEN, record.rules.illegal_to is Audience.BOTH
            tries = str(sum(event.answer is Answer.ILLEGAL for event in turn.tries)) if is_announced else ""
        tokens = tokens_of(turn.announcement)
        if not notation.is_complete:  # it has room for one token, a check rather than a capture
            theirs = (_umd_token(token) for token in tokens if token[0] != "P")
            tokens = sorted(theirs, key=lambda token: token[0])[:1]
        movetext += [f"{number} {name}", notation.form.format(",".join(tokens), tries)]
    filtered = "no" if side is None else chess.COLOR_NAMES[side]
    headers = _headers_of(record, side) | {"Filtered": filtered}  # python-chess refuses an unknown Variant
    return pgn_text(headers, [*movetext, record.result]), lost


def write_one_side(record: GameRecord, side: chess.Color | None) -> Written:
    """Return one side's view. Raises RecordError without a side."""
    if side is None:
        raise RecordError("one side's view takes a side, white or black")
    return write(ICC, record, side)


def _own_move(board: chess.Board, turn: Turn) -> str:
    """Return a move as its side would name it; chess's own name may betray which other pieces were pinned."""
    announcement = turn.announcement
    name = name_of_try(board, turn.move, is_capture=announcement.capture is not None) or board.san(turn.move)
    is_mate = announcement.end == End(Reason.CHECKMATE, board.turn)
    return name + ("#" if is_mate else "+" if announcement.checks else "")


def _tries_text(board: chess.Board, turn: Turn, lost: dict[str, bool], *, is_one_side: bool) -> str:
    """Return the names of a turn's refused tries, and note in `lost` what has none."""
    tries = [event for event in turn.tries if isinstance(event, OwnTry)]
    lost[QUESTIONS] |= len(tries) < len(turn.tries)
    is_obliged = OwnQuestion(Answer.YES) in turn.tries

    def is_ruled_out(event: OwnTry) -> bool:
        # a legal move is refused only where "Any?" obliges; without the question it would have been made. One side must
        # not read which of the tries that got the same answer was legal
        return is_obliged and event.answer is Answer.IMPOSSIBLE if is_one_side else board.is_legal(event.move)

    names = [None if is_ruled_out(event) else name_of_try(board, event.move) for event in tries]
    lost[RULED_OUT] |= None in names
    return ",".join(filter(None, names))
