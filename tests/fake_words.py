"""The words of kriegspiel.org for `tests.fake_site`: answers to moves, and the log of one side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import chess

from referee import (
    Announcement,
    Answer,
    Check,
    OpponentAsked,
    OpponentMoved,
    OpponentRefused,
    OwnQuestion,
    OwnTry,
    PawnTryCount,
    PawnTryExists,
    PawnTrySquares,
    Reason,
    Referee,
)

Json = dict[str, Any]

CHECKS = {
    Check.RANK: "CHECK_RANK",
    Check.FILE: "CHECK_FILE",
    Check.LONG_DIAGONAL: "CHECK_LONG_DIAGONAL",
    Check.SHORT_DIAGONAL: "CHECK_SHORT_DIAGONAL",
    Check.KNIGHT: "CHECK_KNIGHT",
}
WORDS = {
    "CHECK_RANK": "Check on rank",
    "CHECK_FILE": "Check on file",
    "CHECK_LONG_DIAGONAL": "Check on long diagonal",
    "CHECK_SHORT_DIAGONAL": "Check on short diagonal",
    "CHECK_KNIGHT": "Check by knight",
    "CHECK_DOUBLE": "Double check",
    "DRAW_STALEMATE": "Draw by stalemate",
    "DRAW_INSUFFICIENT": "Draw by insufficient material",
    "DRAW_TOOMANYREVERSIBLEMOVES": "Draw by too many reversible moves",
    "CHECKMATE_WHITE_WINS": "Checkmate — White wins",
    "CHECKMATE_BLACK_WINS": "Checkmate — Black wins",
}
SPECIAL = {Reason.DEAD_POSITION: "DRAW_INSUFFICIENT", Reason.QUIET_LIMIT: "DRAW_TOOMANYREVERSIBLEMOVES"}


def answered(announcement: Announcement) -> Json:
    """Return an announcement as the answer to a move names it."""
    capture, checks = announcement.capture, [code for check, code in CHECKS.items() if check & announcement.checks]
    told = announcement.pawn_tries
    return {
        "announcement": "REGULAR_MOVE" if capture is None else "CAPTURE_DONE",
        "special_announcement": special(announcement),
        "checks": checks if len(checks) > 1 else [],
        "capture_square": None if capture is None else chess.square_name(capture),
        "captured_piece_announcement": announcement.captured and announcement.captured.name,
        "dropped_piece_announcement": None,
        "en_passant_announced": announcement.en_passant or None,
        "promotion_announced": announcement.promotion or None,
        "next_turn_pawn_tries": told.number if isinstance(told, PawnTryCount) else None,
        "next_turn_has_pawn_capture": told.exists if isinstance(told, PawnTryExists) else None,
        "next_turn_pawn_try_squares": list(map(chess.square_name, told.squares))
        if isinstance(told, PawnTrySquares)
        else None,
    }


def special(announcement: Announcement) -> str | None:
    """Return the end of the game, or the check."""
    end, checks = announcement.end, [code for check, code in CHECKS.items() if check & announcement.checks]
    if end is None:
        return "CHECK_DOUBLE" if len(checks) > 1 else checks[0] if checks else None
    winner = "" if end.winner is None else chess.COLOR_NAMES[end.winner].upper()
    if end.reason is Reason.CHECKMATE:
        return f"CHECKMATE_{winner}_WINS"
    if end.reason is Reason.STALEMATE:
        return f"STALEMATE_{winner}_WINS" if winner else "DRAW_STALEMATE"
    return SPECIAL[end.reason]


def messages_of(announcement: Announcement) -> list[str]:
    """Return an announcement in the words of the log, which names a double check without its directions."""
    capture = announcement.capture
    what = f"{announcement.captured.value.capitalize()} captured" if announcement.captured else "Capture done"
    words = ["Move complete" if capture is None else f"{what} at {chess.square_name(capture).upper()}"]
    code = special(announcement)
    words += [WORDS[code]] if code in WORDS else []
    return words + (["Promotion"] if announcement.promotion else [])


def tries_told(announcement: Announcement) -> str:
    """Pawn tries in the words of the log; empty for nothing."""
    told = announcement.pawn_tries
    if told is None:
        return ""
    if not told.at_least:
        return "No pawn captures"
    if isinstance(told, PawnTryExists):
        return "Has pawn capture"
    if isinstance(told, PawnTryCount):
        return f"{told.number} pawn tries" if told.number > 1 else "1 pawn try"
    assert isinstance(told, PawnTrySquares)
    names = [chess.square_name(square).upper() for square in told.squares]
    return f"Pawn tries from {', '.join(names)}" if len(names) > 1 else f"Pawn try from {names[0]}"


def told(referee: Referee, color: chess.Color) -> Iterator[Json]:
    """Return the log of one side, turn by turn."""
    turns: dict[int, Json] = {}
    ply = 0

    def add(kind: str, prompt: str | None, messages: list[str], question: str | None, uci: str | None = None) -> None:
        turn = turns.setdefault(ply // 2 + 1, {"turn": ply // 2 + 1, "white": [], "black": []})
        side = chess.COLOR_NAMES[ply % 2 == 0]
        said = " · ".join(messages)
        turn[side].append(
            {
                "kind": kind,
                "actor": "self" if (ply % 2 == 0) == color else "opponent",
                "prompt": prompt,
                "message": f"{prompt} — {said}" if prompt else said,
                "messages": messages,
                "move_uci": uci,
                "question_type": question,
            }
        )

    for event in referee.events(color):
        announcement = event.announcement if isinstance(event, OwnTry | OpponentMoved) else None
        match event:
            case OwnTry(move, Answer.ACCEPTED):
                assert announcement is not None
                add("move", "Move attempt", messages_of(announcement), "COMMON", move.uci())
            case OwnTry(move, Answer.ILLEGAL):
                add("illegal_move", "Move attempt", ["Illegal move"], "COMMON", move.uci())
            case OwnQuestion(Answer.YES | Answer.NO as answer):
                add("ask_any", "Ask any pawn captures", [answer_words(answer)], "ASK_ANY")
            case OpponentAsked(answer):
                add("ask_any", "Opponent asked any pawn captures", [answer_words(answer)], "ASK_ANY")
            case OpponentRefused():
                add("illegal_move", "Opponent move", ["Illegal move"], "COMMON")
            case OpponentMoved():
                add("move", "Opponent move", messages_of(event.announcement), "COMMON")
        if announcement is not None:
            ply += 1
            if words := tries_told(announcement):
                add("status", None, [words], None)
    yield from (turns[number] for number in sorted(turns))


def answer_words(answer: Answer) -> str:
    """Return the answer to "Any?"."""
    return "Has pawn captures" if answer is Answer.YES else "No pawn captures"
