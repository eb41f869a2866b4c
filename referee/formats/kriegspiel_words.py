"""Questions and answers in the words of the PyPI package `kriegspiel`, for `kriegspiel_org`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import chess

from referee.announcement import Announcement, Man, Reason
from referee.announcing import check_direction
from referee.rules import CINCINNATI, RAND, IllegalHeard, RuleSet
from referee.view import Answer

Json: TypeAlias = dict[str, Any]
Sheet: TypeAlias = list[list[tuple[Json, Json]]]
"""What a side asked, turn by turn: questions and answers."""

DONE = ("REGULAR_MOVE", "CAPTURE_DONE")
ANY = {"question_type": "ASK_ANY", "chess_move": None}
TOO_MANY = "DRAW_TOOMANYREVERSIBLEMOVES"

_CHECKS = ("RANK", "FILE", "LONG_DIAGONAL", "SHORT_DIAGONAL", "KNIGHT")


def heard_of(sheet: Sheet, rules: RuleSet) -> Iterator[list[tuple[Any, Json]]]:
    """What the other side hears of a sheet, turn by turn."""
    is_silent = rules.illegal_heard is not IllegalHeard.BOTH
    for turn in sheet:
        heard = [
            (question.get("question_type"), answer)
            for question, answer in turn
            if not (is_silent and answer.get("main_announcement") == "ILLEGAL_MOVE")
        ]
        if heard:
            yield heard


def answer_of(announcement: Announcement, board: chess.Board) -> Json:
    """What they say of a move; they do not tell from where a mate is given."""
    answer: Json = {"main_announcement": DONE[announcement.capture is not None]}
    if announcement.capture is not None:
        kinds = {None: None, Man.PAWN: "PAWN", Man.PIECE: "PIECE"}
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
        case bool(told):
            answer["next_turn_has_pawn_capture"] = told
        case int(count):
            answer["next_turn_pawn_tries"] = count
        case tuple(squares):
            answer["next_turn_pawn_try_squares"] = list(squares)
    return whole(answer)


def _checks(board: chess.Board) -> list[str]:
    king = board.king(board.turn)
    if king is None:
        return []
    directions = [check_direction(king, square) for square in chess.scan_forward(board.checkers_mask())]
    return [f"CHECK_{_CHECKS[direction.value.bit_length() - 1]}" for direction in directions]


def whole(answer: Json) -> Json:
    """An answer with all the fields that they write, in their order; the last ones only where there is something."""
    names = ("capture_at_square", "captured_piece_announcement")
    after = ("next_turn_pawn_tries", "check_1", "check_2")
    last = ("promotion_announced", "en_passant_announced", "next_turn_has_pawn_capture", "next_turn_pawn_try_squares")
    return (
        {"main_announcement": answer["main_announcement"]}
        | {name: answer.get(name) for name in names}
        | {"special_announcement": answer.get("special_announcement", "NONE")}
        | {name: answer.get(name) for name in after}
        | {name: answer[name] for name in last if name in answer}
    )


def question_of(move: chess.Move) -> Json:
    """The question whether a move may be made."""
    return {"question_type": "COMMON", "chess_move": move.uci()}


def name_of(answer: Answer, rules: RuleSet) -> str:
    """Their name of an answer that is no move."""
    nonsense = "NONSENSE" if rules.name in (CINCINNATI.name, RAND.name) else "IMPOSSIBLE_TO_ASK"
    known = {Answer.ILLEGAL: "ILLEGAL_MOVE", Answer.YES: "HAS_ANY", Answer.NO: "NO_ANY"}
    return known.get(answer, nonsense)
