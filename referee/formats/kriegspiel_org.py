"""Saved games of the PyPI package `kriegspiel` 1.7.3 (schema 9), the referee of kriegspiel.org.

A JSON object holds the moves made, the position, and each side's score sheet. A sheet lists, turn by turn, the side's
own questions with their answers, and what the referee announced of the other side. Under Berkeley's rules nonsense is
on no sheet. At Wild 16 it is an illegal move like any other, as under English rules, unless "Any?" obliges otherwise.

The format holds games from the initial position only. It has no headers, times, limits, or ends without a move. Its
referee ends a game at 2,000 quiet plies, and plays on under Berkeley's rules with one minor piece each. Several games
may stand one after another in a file, which the package itself does not read.
"""

import json
from dataclasses import replace
from typing import Any, TypeAlias

import chess

from referee.announcement import (
    Announcement,
    CapturedKind,
    PawnTryCount,
    PawnTryExists,
    PawnTrySquares,
    Reason,
    check_direction,
)
from referee.formats.base import QUESTIONS, RULED_OUT, TIMES, ForeignGame, Format, Lost, Written
from referee.record import ROSTER, GameRecord, RecordError
from referee.rules import NO_LIMITS, RULE_SETS, Asking, Audience, Limits, RuleSet
from referee.text import quoted
from referee.view import Answer, BadAction, OwnQuestion, OwnTry, parse_action

Json: TypeAlias = dict[str, Any]
Sheet: TypeAlias = list[list[tuple[Json, Json]]]  # a side's questions with their answers, turn by turn

DONE = ("REGULAR_MOVE", "CAPTURE_DONE")
ANY = {"question_type": "ASK_ANY", "chess_move": None}
TOO_MANY = "DRAW_TOOMANYREVERSIBLEMOVES"

SCHEMA = 9
LIBRARY = "1.7.3"
HEADERS = "all headers"
END = "an end that the position does not show"

_KNOWN = {name: RULE_SETS[name] for name in ("berkeley", "berkeley_any", "cincinnati", "english", "rand", "wild16")}
_THEIR_LIMITS = Limits(quiet_plies=2000)
_SPACE = "\ufeff \t\r\n"
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
"""Fields that every answer has, in their order. Others are optional."""
_CHECKS = ("RANK", "FILE", "LONG_DIAGONAL", "SHORT_DIAGONAL", "KNIGHT")


# Words


def announced_of(sheet: Sheet, rules: RuleSet) -> list[list[tuple[Any, Json]]]:
    """Return what the referee announces of a sheet to the other side, turn by turn."""
    hides_illegal = rules.illegal_to is not Audience.BOTH
    turns = (
        [
            (question.get("question_type"), answer)
            for question, answer in turn
            if not (hides_illegal and answer.get("main_announcement") == "ILLEGAL_MOVE")
        ]
        for turn in sheet
    )
    return [turn for turn in turns if turn]


def answer_of(announcement: Announcement, board: chess.Board) -> Json:
    """Return their announcement of a move. A mate comes without its direction."""
    answer = _BLANK | {"main_announcement": DONE[announcement.capture is not None]}
    if announcement.capture is not None:
        kinds = {None: None, CapturedKind.PAWN: "PAWN", CapturedKind.PIECE: "PIECE"}
        answer["capture_at_square"] = announcement.capture
        answer["captured_piece_announcement"] = kinds[announcement.captured]
    checks = _checks(board)
    if board.is_checkmate():
        answer["special_announcement"] = f"CHECKMATE_{chess.COLOR_NAMES[not board.turn].upper()}_WINS"
    elif board.is_stalemate():
        is_lost = announcement.end is not None and announcement.end.winner is not None
        winner = chess.COLOR_NAMES[not board.turn].upper()
        answer["special_announcement"] = f"STALEMATE_{winner}_WINS" if is_lost else "DRAW_STALEMATE"
    elif board.is_insufficient_material():
        answer["special_announcement"] = "DRAW_INSUFFICIENT"
    elif announcement.end is not None and announcement.end.reason is Reason.QUIET_LIMIT:
        answer["special_announcement"] = TOO_MANY
    elif len(checks) > 1:
        answer |= {"special_announcement": "CHECK_DOUBLE", "check_1": checks[0], "check_2": checks[1]}
    elif checks:
        answer["special_announcement"] = checks[0]
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


def _checks(board: chess.Board) -> list[str]:
    king = board.king(board.turn)
    if king is None:
        return []
    directions = [check_direction(king, square) for square in chess.scan_forward(board.checkers_mask())]
    return [f"CHECK_{_CHECKS[direction.value.bit_length() - 1]}" for direction in directions]


def question_of(move: chess.Move) -> Json:
    """Return the question for a move."""
    return {"question_type": "COMMON", "chess_move": move.uci()}


def name_of(answer: Answer, rules: RuleSet) -> str:
    """Return their name of an answer to a try that was not accepted, or to "Any?"."""
    nonsense = "NONSENSE" if rules.name in ("cincinnati", "rand") else "IMPOSSIBLE_TO_ASK"
    known = {Answer.ILLEGAL: "ILLEGAL_MOVE", Answer.YES: "HAS_ANY", Answer.NO: "NO_ANY"}
    return known.get(answer, nonsense)


# Reading


def fits(text: str) -> bool:
    """Return True for JSON of this package."""
    return text.lstrip(_SPACE).startswith("{") and '"schema_version"' in text


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
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"not JSON: {error}; it takes a game that the package 'kriegspiel' saved") from None
    if not isinstance(data, dict) or data.get("schema_version") != SCHEMA or data.get("game_type") != "BerkeleyGame":
        schema = data.get("schema_version") if isinstance(data, dict) else data
        raise RecordError(f"unknown saved game: schema {quoted(schema)}; it takes schema {SCHEMA} of 'kriegspiel'")
    state = _part(data, "game_state", dict)
    name = state.get("ruleset_id")
    own_rules = _KNOWN.get(str(name))
    if own_rules is None:
        raise RecordError(f"illegal ruleset_id: {quoted(name)}; it takes one of {', '.join(_KNOWN)}")
    if rules not in (None, own_rules):
        raise RecordError(f"illegal rules: the game is one of {quoted(own_rules.name)}; it takes no others")
    sheets = {color: _part(state, f"{chess.COLOR_NAMES[color]}_scoresheet", dict) for color in chess.COLORS}
    own = {color: _sheet(sheet, chess.COLOR_NAMES[color]) for color, sheet in sheets.items()}
    ends = [turns[-1][-1][1].get("special_announcement") for turns in own.values() if turns and turns[-1]]
    game = ForeignGame(own_rules, _THEIR_LIMITS if TOO_MANY in ends else NO_LIMITS)
    _replay(game, own)
    _compare(game, state, sheets, own)
    return game.record({}), ()


def _replay(game: ForeignGame, own: dict[chess.Color, Sheet]) -> None:
    """Replay all turns, White's first. The last may be unfinished."""
    rest = {color: iter(sheet) for color, sheet in own.items()}
    color, is_done = chess.WHITE, True
    while is_done and (turn := next(rest[color], None)) is not None:
        is_done = False
        for question, answer in turn:
            if is_done:
                raise RecordError(f"illegal turn: a question after the move that was made, {game.here}")
            here = game.here
            expected = _put(game, question, answer)
            if _filled(answer) != _filled(expected):
                theirs, ours = (json.dumps(_filled(one), sort_keys=True) for one in (answer, expected))
                raise RecordError(f"illegal answer: {theirs[:300]}, but the referee says {ours[:300]}, {here}")
            is_done = answer.get("main_announcement") in DONE
        color = not color
    if any(next(turns, None) is not None for turns in rest.values()):
        raise RecordError(f"illegal score sheets: a turn of the wrong side, {game.here}")


def _put(game: ForeignGame, question: Json, answer: Json) -> Json:
    """Put a question to the referee and return its answer in their words."""
    main = answer.get("main_announcement")
    if question == ANY:
        return {"main_announcement": name_of(game.ask_any(), game.referee.rules)}
    move, name = _move(question, game.here)
    if main in DONE:
        return answer_of(game.move(move, name), game.board)
    refusal = game.refuse(move, name)
    if refusal is Answer.IMPOSSIBLE and game.board.is_en_passant(move) and main == "ILLEGAL_MOVE":
        refusal = Answer.ILLEGAL  # they offer a pinned en passant capture after announcing no pawn tries
    return {"main_announcement": name_of(refusal, game.referee.rules)}


def _compare(game: ForeignGame, state: Json, sheets: dict[chess.Color, Json], own: dict[chess.Color, Sheet]) -> None:
    """Compare the rest of the file, which follows from each side's questions."""
    board, end = game.board, game.referee.end
    expected = _saved(game, own)["game_state"]
    is_over = board.is_checkmate() or board.is_stalemate() or board.is_insufficient_material()
    expected["game_over"] = is_over or (end is not None and end.reason is Reason.QUIET_LIMIT)
    for name in ("board_fen", "move_stack", "must_use_pawns", "game_over"):
        if state.get(name) != expected[name]:
            takes = quoted(expected[name])
            raise RecordError(f"illegal {name}: {quoted(state.get(name))}; these score sheets take {takes}")
    for color, sheet in sheets.items():
        name = f"{chess.COLOR_NAMES[color]}_scoresheet"
        try:
            is_same = _all_filled(sheet["moves_opponent"]) == _all_filled(expected[name]["moves_opponent"])
        except (KeyError, TypeError, ValueError, AttributeError):
            is_same = False
        if not is_same:
            raise RecordError(f"illegal moves_opponent in {name}: not what the other side's sheet says")


def _sheet(data: Json, color: str) -> Sheet:
    sheet = []
    for turn in _part(data, "moves_own", list):
        pairs = turn if isinstance(turn, list) else [turn]
        if not all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(x, dict) for x in pair) for pair in pairs
        ):
            raise RecordError(
                f"illegal moves_own in {color}_scoresheet: {quoted(turn)}; it takes questions and answers"
            )
        sheet.append([(question, answer) for question, answer in pairs])
    return sheet


def _part(data: Json, name: str, kind: type) -> Any:
    value = data.get(name)
    if not isinstance(value, kind):
        raise RecordError(f"illegal {name}: {quoted(value)}; it takes {'a list' if kind is list else 'an object'}")
    return value


def _move(question: Json, here: str) -> tuple[chess.Move, str]:
    name = question.get("chess_move")
    try:
        action = parse_action(name) if question.get("question_type") == "COMMON" and isinstance(name, str) else None
    except BadAction:
        action = None
    if not isinstance(action, chess.Move):
        raise RecordError(f"illegal question: {quoted(question)}, {here}; it takes ASK_ANY or a move")
    return action, str(name)


def _filled(answer: Json) -> Json:
    """Return an answer without its empty fields."""
    return {name: value for name, value in answer.items() if value is not None and value != "NONE"}


def _all_filled(sheet: list[list[tuple[Any, Json]]]) -> list[list[tuple[Any, Json]]]:
    return [[(question, _filled(answer)) for question, answer in turn] for turn in sheet]


# Writing


def write(record: GameRecord) -> Written:
    """Return a game as their referee would have saved it, and what was lost."""
    if record.rules != _KNOWN.get(record.rules.name) or record.start != chess.STARTING_FEN:
        raise RecordError(
            f"illegal game: {quoted(record.rules.name)} from {quoted(record.start)}; the format takes "
            f"{', '.join(_KNOWN)} from the initial position"
        )
    game = ForeignGame(replace(record.rules, one_minor_each_draws=False), _THEIR_LIMITS)
    own: dict[chess.Color, Sheet] = {chess.WHITE: [], chess.BLACK: []}
    lost = {HEADERS: record.headers != ROSTER, TIMES: record.has_times}
    for turn in (*record.turns, None):
        color = game.board.turn
        pairs = []
        for event in record.left if turn is None else turn.tries:
            pair = _refused(game, event)
            if pair is None:
                lost[QUESTIONS if isinstance(event, OwnQuestion) else RULED_OUT] = True
            else:
                pairs.append(pair)
        if turn is not None:
            announcement = game.move(turn.move, turn.move.uci())
            pairs.append((question_of(turn.move), answer_of(announcement, game.board)))
        if pairs:
            own[color].append(pairs)
    lost[END] = record.end is not None and record.end.reason not in _SHOWN
    lost["limits"] = record.limits != NO_LIMITS
    return json.dumps(_saved(game, own), indent=2) + "\n", lost


def _refused(game: ForeignGame, event: OwnTry | OwnQuestion) -> tuple[Json, Json] | None:
    """Replay a refused try or a question. Return it with its answer; None if it is on no sheet."""
    rules = game.referee.rules
    if isinstance(event, OwnQuestion):
        if event.answer not in (Answer.YES, Answer.NO):
            return None
        return ANY, _BLANK | {"main_announcement": name_of(game.ask_any(), rules)}
    main = name_of(event.answer, rules)
    if event.move.from_square == event.move.to_square or main == "IMPOSSIBLE_TO_ASK":
        return None
    game.refuse(event.move, event.move.uci())
    return question_of(event.move), _BLANK | {"main_announcement": main}


def _saved(game: ForeignGame, own: dict[chess.Color, Sheet]) -> Json:
    board, rules = game.board, game.referee.rules
    view = game.referee.view(board.turn)
    possible = [question_of(move) for move in sorted(view.tries(), key=chess.Move.uci)]
    state = {
        "ruleset_id": rules.name,
        "any_rule": rules.asking is not Asking.NONSENSE,
        "board_fen": board.fen(),
        "move_stack": [move.uci() for move in board.move_stack],
        "must_use_pawns": view.obliged,
        "game_over": game.referee.end is not None,
        "possible_to_ask": ([ANY] if view.may_ask else []) + possible,
    }
    for color in (chess.WHITE, chess.BLACK):
        announced = announced_of(own[not color], rules)
        state[f"{chess.COLOR_NAMES[color]}_scoresheet"] = {
            "color": chess.COLOR_NAMES[color].upper(),
            "moves_own": own[color],
            "moves_opponent": announced,
            "last_move_number": max(len(own[color]), len(announced)),
        }
    return {
        "schema_version": SCHEMA,
        "library_version": LIBRARY,
        "game_type": "BerkeleyGame",
        "game_state": state,
    }


KRIEGSPIEL = Format(
    "kriegspiel",
    "saved games (JSON) of the PyPI package kriegspiel 1.7.3",
    fits,
    games,
    read,
    lambda record, _side: write(record),
    ".json",
)
