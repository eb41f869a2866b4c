"""What one side knows, as the page shows it: plain values made from that side's view and diary, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess

from kriegbot.cli.diary import Entry, gathered
from kriegbot.cli.known import lost, marks, taken
from kriegbot.players.notation import try_name
from referee import Announcement, OpponentMoved, OwnTry, View


def shown(view: View, entries: Sequence[Entry]) -> dict[str, Any]:
    """A view for the browser.

    Returns:
      turn, ply, move: whose turn it is, plies played, and the number of the move. yours: whether a try is asked for.
      men: by the square, the letters of the side's own men, as in a FEN. enemyMen: how many the enemy has left.
      tries: open tries (UCI). refused: names of this turn's refused tries. log: place, text and kind of each entry.
      marks: squares to look at, where the enemy has just captured and where the own king stands in check.
      clear: squares that were certainly free of enemy men when the side had made its last move, and the ply of that.
      taken: what the side captured, in words; lost: letters of its own men that fell. pawnTries: as announced, or None.
    """
    start = chess.Board(view.start)
    plies = view.ply + (0 if start.turn == chess.WHITE else 1)
    return {
        "is": "view",
        "turn": chess.COLOR_NAMES[view.turn],
        "ply": view.ply,
        "move": start.fullmove_number + plies // 2,
        "yours": view.turn == view.color and view.end is None,
        "men": {
            chess.square_name(square): chess.Piece(man, view.color).symbol() for square, man in sorted(view.men.items())
        },
        "enemyMen": view.opponent_men,
        "tries": [move.uci() for move in view.tries()],
        "refused": [try_name(move, view) for move in view.refused],
        "log": [
            {"move": entry.place, "text": line.removeprefix(entry.place).strip(), "kind": entry.kind.name.lower()}
            for entry, line in gathered(entries)
        ],
        "marks": [chess.square_name(square) for square in sorted(marks(view))],
        "clear": clear(view),
        "taken": taken(view) or "nothing",
        "lost": "".join(chess.Piece(kind, view.color).symbol() for kind in lost(view)),
        "pawnTries": view.pawn_tries,
    }


def clear(view: View) -> dict[str, Any]:
    """Squares with no enemy man right after the side's last move: its way, and whatever it has taken."""
    ply, found = 0, (0, chess.SquareSet())
    for event in view.events:
        if isinstance(event, OwnTry) and event.announcement is not None:
            ply += 1
            found = ply, _way(event.move, event.announcement)
        elif isinstance(event, OpponentMoved):
            ply += 1
    return {"ply": found[0], "squares": [chess.square_name(square) for square in found[1]]}


def _way(move: chess.Move, announcement: Announcement) -> chess.SquareSet:
    """The squares that a move went over, where it ended, and where it took."""
    way = chess.SquareSet(chess.between(move.from_square, move.to_square))
    way |= chess.SquareSet.from_square(move.to_square)
    if announcement.capture is not None:
        way.add(announcement.capture)
    return way
