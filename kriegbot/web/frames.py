"""A game as the page shows it: one frame for each try, with all three boards and what was heard."""

from __future__ import annotations

from collections.abc import Mapping

import chess

from kriegbot.narration.moments import Moment
from kriegbot.web.replies import Frame
from referee import OwnTry


def frame_of(moment: Moment) -> Frame:
    """A moment for the browser."""
    event, entries = moment.event, moment.news["referee"]
    men = moment.men
    return {
        "title": moment.title,
        "place": entries[-1].place if entries else "",
        "true": _letters(men["referee"]),
        "white": _letters(men["White"]),
        "black": _letters(men["Black"]),
        "marks": [chess.square_name(square) for square in sorted(moment.marks)],
        "news": {
            "referee": [entry.line() for entry in moment.news["referee"]],
            "white": [entry.line() for entry in moment.news["White"]],
            "black": [entry.line() for entry in moment.news["Black"]],
        },
        "turn": None if moment.turn is None else chess.COLOR_NAMES[moment.turn],
        "mover": None if moment.mover is None else chess.COLOR_NAMES[moment.mover],
        "move": event.move.uci() if isinstance(event, OwnTry) else None,
        "answer": None if event is None else event.answer.value,
        "seconds": moment.seconds,
    }


def _letters(men: Mapping[chess.Square, chess.Piece]) -> dict[str, str]:
    return {chess.square_name(square): man.symbol() for square, man in sorted(men.items())}
