"""A game as the page shows it: one frame for each try, with all three boards and what was heard."""

from __future__ import annotations

from typing import Any

import chess

from kriegbot.cli.moments import READERS, Moment

Frame = dict[str, Any]


def frame_of(moment: Moment) -> Frame:
    """A moment as plain values.

    Returns:
      title: what was tried, and the answer; place: the number of the move ("12." of White's, "12..." of Black's).
      true, white, black: by the square, the letters of the men that the referee, White and Black see, as in a FEN.
      marks: squares where a man has just fallen; news: the new lines of each side and of the referee.
      turn: whose turn it is now, None at the end; mover, move, answer: who has tried what (UCI), and the answer.
      seconds: time taken for the turn, if it was measured.
    """
    event, entries = moment.event, moment.news["referee"]
    men = moment.men()
    view = moment.views[chess.WHITE]
    return {
        "title": moment.title,
        "place": entries[-1].place if entries else "",
        "true": _letters(men["referee"]),
        "white": _letters(men["White"]),
        "black": _letters(men["Black"]),
        "marks": [chess.square_name(square) for square in sorted(moment.marks)],
        "news": {name.lower(): [entry.line() for entry in moment.news[name]] for name in READERS},
        "turn": None if view.end is not None else chess.COLOR_NAMES[view.turn],
        "mover": None if moment.mover is None else chess.COLOR_NAMES[moment.mover],
        "move": None if event is None else event.move.uci(),
        "answer": None if event is None else event.answer.value,
        "seconds": moment.seconds,
    }


def _letters(men: dict[chess.Square, chess.Piece]) -> dict[str, str]:
    return {chess.square_name(square): man.symbol() for square, man in sorted(men.items())}
