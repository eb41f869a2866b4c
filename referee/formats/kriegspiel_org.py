"""Saved games of the PyPI package `kriegspiel` 1.7.3 (schema 9), the referee of kriegspiel.org.

A JSON object holds the moves made, the position, and each side's score sheet. A sheet lists, turn by turn, the side's
own questions with their answers, and what the referee announced of the other side. Under Berkeley's rules nonsense is
on no sheet. At Wild 16 it is an illegal move like any other, as under English rules, unless "Any?" obliges otherwise.

The format holds games from the initial position only, without headers, times, limits, or ends without a move. Its
referee ends a game at 2,000 quiet plies, and plays on under Berkeley's rules with one minor piece each. Several games
may stand one after another in a file, which the package itself does not read.
"""

import json
import re
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeAlias

import chess
import msgspec

from referee.announcement import (
    Announcement,
    CapturedKind,
    End,
    PawnTryCount,
    PawnTryExists,
    PawnTrySquares,
    Reason,
    check_directions,
)
from referee.formats.foreign_pgn import QUESTIONS, RULED_OUT, TIMES, Lost, Written
from referee.record import ROSTER, GameRecord, RecordError, Replay
from referee.rules import NO_LIMITS, RULE_SETS, Asking, Audience, Limits, RuleSet
from referee.text import MOST_QUOTED, one_line, quoted
from referee.view import Answer, AskAny, BadAction, OwnQuestion, OwnTry, parse_action

Json: TypeAlias = dict[str, Any]
Sheet: TypeAlias = list[list[tuple[Json, Json]]]  # a side's questions with their answers, turn by turn

DONE = ("REGULAR_MOVE", "CAPTURE_DONE")
TOO_MANY = "DRAW_TOOMANYREVERSIBLEMOVES"
SCHEMA = 9
HEADERS = "all headers"
END = "an end that the position does not show"

_KNOWN = {name: RULE_SETS[name] for name in ("berkeley", "berkeley_any", "cincinnati", "english", "rand", "wild16")}
_THEIR_LIMITS = Limits(quiet_plies=2000)
_SPACE = "\ufeff \t\r\n"
FIRST = re.compile(rf'[{_SPACE}]*\{{.*"schema_version"', re.DOTALL)
_SHOWN = (Reason.CHECKMATE, Reason.STALEMATE, Reason.DEAD_POSITION)
_BLANK: Json = {
    "main_announcement": None,
    "capture_at_square": None,
    "captured_piece_announcement": None,
    "special_announcement": "NONE",
    "next_turn_pawn_tries": None,
    "check_1": None,
    "check_2": None,
}
"""Fields that every answer in a file has, in their order. Others are optional."""
_COMPARED = ("board_fen", "move_stack", "must_use_pawns", "game_over", "white_scoresheet", "black_scoresheet")


class _Sheet(msgspec.Struct):
    moves_own: Sheet


class _Sheets(msgspec.Struct):
    white_scoresheet: _Sheet
    black_scoresheet: _Sheet


def _question(action: chess.Move | AskAny) -> Json:
    move = action.uci() if isinstance(action, chess.Move) else None
    return {"question_type": "COMMON" if move else "ASK_ANY", "chess_move": move}


def _refusal(answer: Answer, rules: RuleSet) -> str:
    """Return their name of an answer to a try that was not accepted, or to "Any?"."""
    nonsense = "NONSENSE" if rules.name in ("cincinnati", "rand") else "IMPOSSIBLE_TO_ASK"
    return {Answer.ILLEGAL: "ILLEGAL_MOVE", Answer.YES: "HAS_ANY", Answer.NO: "NO_ANY"}.get(answer, nonsense)


def _done(announcement: Announcement, board: chess.Board) -> Json:
    """Return their announcement of a move that led to a board. A mate comes without its direction."""
    answer: Json = {"main_announcement": DONE[announcement.capture is not None]}
    if announcement.capture is not None:
        answer["capture_at_square"] = announcement.capture
    if announcement.captured is not None:
        answer["captured_piece_announcement"] = "PAWN" if announcement.captured is CapturedKind.PAWN else "PIECE"
    winner = chess.COLOR_NAMES[not board.turn].upper()
    match announcement.end:
        case End(Reason.CHECKMATE):
            answer["special_announcement"] = f"CHECKMATE_{winner}_WINS"
        case End(Reason.STALEMATE, lost_to):
            answer["special_announcement"] = "DRAW_STALEMATE" if lost_to is None else f"STALEMATE_{winner}_WINS"
        case End(Reason.DEAD_POSITION) if board.is_insufficient_material():
            answer["special_announcement"] = "DRAW_INSUFFICIENT"
        case End(Reason.QUIET_LIMIT):
            answer["special_announcement"] = TOO_MANY
        case _:
            match [f"CHECK_{direction.name}" for direction in check_directions(board)]:
                case [only]:
                    answer["special_announcement"] = only
                case [first, second]:
                    answer |= {"special_announcement": "CHECK_DOUBLE", "check_1": first, "check_2": second}
    if announcement.promotion:
        answer["promotion_announced"] = True
    if announcement.en_passant:
        answer["en_passant_announced"] = True
    match announcement.pawn_tries:
        case PawnTryExists(exists):
            answer["next_turn_has_pawn_capture"] = exists
        case PawnTryCount(number):
            answer["next_turn_pawn_tries"] = number
        case PawnTrySquares(squares):
            answer["next_turn_pawn_try_squares"] = list(squares)
    return answer


def _saved(game: Replay, own: dict[chess.Color, Sheet]) -> Json:
    """Return the state of a game as they save it, with each side's questions and answers."""
    board, end, rules = game.board, game.referee.end, game.referee.rules
    view = game.referee.view(board.turn)
    asks_any: list[chess.Move | AskAny] = [AskAny()] if view.may_ask else []
    state = {
        "ruleset_id": rules.name,
        "any_rule": rules.asking is not Asking.NONSENSE,
        "board_fen": board.fen(),
        "move_stack": [move.uci() for move in board.move_stack],
        "must_use_pawns": view.obliged,
        "game_over": end is not None and (end.reason is not Reason.DEAD_POSITION or board.is_insufficient_material()),
        "possible_to_ask": [*map(_question, (*asks_any, *sorted(view.tries(), key=chess.Move.uci)))],
    }
    hidden = None if rules.illegal_to is Audience.BOTH else "ILLEGAL_MOVE"  # an answer for the mover alone
    for color in (chess.WHITE, chess.BLACK):
        turns = [
            [(question["question_type"], answer) for question, answer in turn if answer["main_announcement"] != hidden]
            for turn in own[not color]
        ]
        announced = [turn for turn in turns if turn]
        state[f"{chess.COLOR_NAMES[color]}_scoresheet"] = {
            "color": chess.COLOR_NAMES[color].upper(),
            "moves_own": own[color],
            "moves_opponent": announced,
            "last_move_number": max(len(own[color]), len(announced)),
        }
    return state


def games(text: str) -> list[str]:
    """Return the objects of a file, in order. Anything else is left for `read` to refuse."""
    objects = []
    start = len(text) - len(text.lstrip(_SPACE))
    while start < len(text):
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            end = len(text)
        objects.append(text[start:end])
        start = end
        while start < len(text) and text[start] in _SPACE:
            start += 1
    return objects


def read(text: str, rules: RuleSet | None) -> tuple[GameRecord, Lost]:
    """Return a game. The file names its rules itself, and its referee's answers must be those of ours."""
    try:
        data = json.loads(text, object_hook=_filled)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not JSON: {error}; it takes a game that the package 'kriegspiel' saved") from None
    if not isinstance(data, dict) or data.get("schema_version") != SCHEMA or data.get("game_type") != "BerkeleyGame":
        schema = data.get("schema_version") if isinstance(data, dict) else data
        raise RecordError(f"unknown saved game: schema {quoted(schema)}; it takes schema {SCHEMA} of 'kriegspiel'")
    state = data.get("game_state") or {}
    try:
        sheets = msgspec.convert(state, _Sheets)
    except msgspec.ValidationError as error:
        raise RecordError(f"illegal game_state: {one_line(str(error))}; it takes questions and answers") from None
    name = state.get("ruleset_id")
    own_rules = _KNOWN.get(str(name))
    if own_rules is None:
        raise RecordError(f"illegal ruleset_id: {quoted(name)}; it takes one of {', '.join(_KNOWN)}")
    if rules not in (None, own_rules):
        raise RecordError(f"illegal rules: the game is one of {quoted(own_rules.name)}; it takes no others")
    own = {chess.WHITE: sheets.white_scoresheet.moves_own, chess.BLACK: sheets.black_scoresheet.moves_own}
    ends = [turns[-1][-1][1].get("special_announcement") for turns in own.values() if turns and turns[-1]]
    game = Replay(own_rules, _THEIR_LIMITS if TOO_MANY in ends else NO_LIMITS)
    _replay(game, own)
    expected = json.loads(json.dumps(_saved(game, own)), object_hook=_filled)
    for name in _COMPARED:
        one, other = state.get(name), expected[name]
        if isinstance(other, dict):
            one, other = state[name].get("moves_opponent"), other["moves_opponent"]
            name = f"moves_opponent in {name}"
        if one != other:
            theirs, ours = (one_line(repr(value), MOST_QUOTED) for value in (one, other))
            raise RecordError(f"illegal {name}: {theirs}; these score sheets take {ours}")
    return GameRecord.of(game.referee), ()


def _filled(fields: Json) -> Json:
    """Return an object without its empty fields."""
    return {name: value for name, value in fields.items() if value is not None and value != "NONE"}


def _replay(game: Replay, own: dict[chess.Color, Sheet]) -> None:
    """Replay all turns, White's first. The last may be unfinished."""
    rest = {color: iter(sheet) for color, sheet in own.items()}
    is_done = True
    while is_done and (turn := next(rest[game.board.turn], None)) is not None:
        is_done = False
        for question, answer in turn:
            if is_done:
                raise RecordError(f"illegal turn: a question after the move that was made, {game.here}")
            here, main, action = game.here, answer.get("main_announcement"), None
            with suppress(BadAction):
                action = parse_action(str(question.get("chess_move", "any")))
            if not isinstance(action, chess.Move | AskAny) or _filled(_question(action)) != question:
                raise RecordError(f"illegal question: {quoted(question)}, {here}; it takes ASK_ANY or a move")
            expected = _answer(game, action, main)
            if answer != expected:
                theirs, ours = (json.dumps(one, sort_keys=True)[:300] for one in (answer, expected))
                raise RecordError(f"illegal answer: {theirs}, but the referee says {ours}, {here}")
            is_done = main in DONE
    if any(next(turns, None) is not None for turns in rest.values()):
        raise RecordError(f"illegal score sheets: a turn of the wrong side, {game.here}")


def _answer(game: Replay, action: chess.Move | AskAny, main: str | None) -> Json:
    """Put a question to our referee, which must accept or refuse it as theirs, and return its answer in their words."""
    rules = game.referee.rules
    if isinstance(action, AskAny):
        return {"main_announcement": _refusal(game.ask_any(), rules)}
    if main in DONE:
        return _done(game.move(action, action.uci()), game.board)
    refusal = game.refuse(action, action.uci())
    if refusal is Answer.IMPOSSIBLE and game.board.is_en_passant(action) and main == "ILLEGAL_MOVE":
        refusal = Answer.ILLEGAL  # they offer a pinned en passant capture after announcing no pawn tries
    return {"main_announcement": _refusal(refusal, rules)}


def write(record: GameRecord) -> Written:
    """Return a game as their referee would have saved it, and what was lost."""
    if record.rules != _KNOWN.get(record.rules.name) or record.start != chess.STARTING_FEN:
        raise RecordError(
            f"illegal game: {quoted(record.rules.name)} from {quoted(record.start)}; the format takes "
            f"{', '.join(_KNOWN)} from the initial position"
        )
    game = Replay(replace(record.rules, one_minor_each_draws=False), _THEIR_LIMITS)
    own: dict[chess.Color, Sheet] = {chess.WHITE: [], chess.BLACK: []}
    lost = {HEADERS: record.headers != ROSTER, TIMES: record.has_times}
    for turn in (*record.turns, None):
        color, pairs = game.board.turn, []
        for event in record.left if turn is None else turn.tries:
            if not _is_on_sheet(event, record.rules):
                lost[QUESTIONS if isinstance(event, OwnQuestion) else RULED_OUT] = True
                continue
            action = AskAny() if isinstance(event, OwnQuestion) else event.move
            pairs.append((action, _answer(game, action, _refusal(event.answer, record.rules))))
        if turn is not None:
            pairs.append((turn.move, _answer(game, turn.move, DONE[0])))
        if pairs:
            own[color].append([(_question(action), _BLANK | answer) for action, answer in pairs])
    lost[END] = record.end is not None and record.end.reason not in _SHOWN
    lost["limits"] = record.limits != NO_LIMITS
    data = {"schema_version": SCHEMA, "library_version": "1.7.3", "game_type": "BerkeleyGame"}
    return json.dumps(data | {"game_state": _saved(game, own)}, indent=2) + "\n", lost


def _is_on_sheet(event: OwnTry | OwnQuestion, rules: RuleSet) -> bool:
    if isinstance(event, OwnQuestion):
        return event.answer in (Answer.YES, Answer.NO)
    return event.move.from_square != event.move.to_square and _refusal(event.answer, rules) != "IMPOSSIBLE_TO_ASK"
