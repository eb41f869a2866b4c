"""What one side knows, as the page shows it: plain values made from that side's view and diary, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import chess

from kriegbot.cli.diary import Entry, gathered
from kriegbot.players.notation import try_name
from referee import Announcement, Man, OpponentMoved, OwnTry, View


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
        "taken": taken(view),
        "lost": lost(view),
        "pawnTries": view.pawn_tries,
    }


def marks(view: View) -> set[chess.Square]:
    """Where the enemy captured just now, and the own king if it is in check."""
    heard = _heard(view)
    if not heard or heard[-1][0]:
        return set()
    last = heard[-1][1]
    kings = {square for square, man in view.men.items() if man == chess.KING and last.checks}
    return kings if last.capture is None else kings | {last.capture}


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


def taken(view: View) -> str:
    """What the side has captured, as far as it was told: "1 pawn and 2 pieces", "3 men", "nothing"."""
    captures = [heard for own, heard in _heard(view) if own and heard.capture is not None]
    kinds = [heard.captured for heard in captures]
    if not captures:
        return "nothing"
    counts = [(kinds.count(Man.PAWN), "pawn"), (kinds.count(Man.PIECE), "piece")]
    if None in kinds:
        return "1 man" if len(captures) == 1 else f"{len(captures)} men"
    return " and ".join(f"{count} {name}{'s' * (count > 1)}" for count, name in counts if count)


def lost(view: View) -> str:
    """Letters of the side's men that fell, as far as they can be told from pawns that promoted."""
    start = chess.Board(view.start)
    letters = ""
    for kind in (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN):
        had = len(start.pieces(kind, view.color))
        letters += chess.Piece(kind, view.color).symbol() * (had - sum(man == kind for man in view.men.values()))
    return letters


def _heard(view: View) -> list[tuple[bool, Announcement]]:
    """Every announcement, and whether it was of an own move."""
    heard = []
    for event in view.events:
        if isinstance(event, OpponentMoved):
            heard.append((False, event.announcement))
        elif isinstance(event, OwnTry) and event.announcement is not None:
            heard.append((True, event.announcement))
    return heard


def _way(move: chess.Move, announcement: Announcement) -> chess.SquareSet:
    """The squares that a move went over, where it ended, and where it took."""
    way = chess.SquareSet(chess.between(move.from_square, move.to_square))
    way |= chess.SquareSet.from_square(move.to_square)
    if announcement.capture is not None:
        way.add(announcement.capture)
    return way
