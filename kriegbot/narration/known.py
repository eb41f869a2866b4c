"""What a view tells at a glance: what was heard, where to look, what was taken and what was lost."""

from __future__ import annotations

import chess

from referee import Man, OwnTry, View
from referee.men import king_of


def marks(view: View) -> frozenset[chess.Square]:
    """Where the opponent captured just now, and the own king if it is in check."""
    last = view.last_reply
    if last is None or view.turn != view.color:
        return frozenset()
    kings = [king_of(view.men)] if last.checks else []
    return frozenset([*kings, *([] if last.capture is None else [last.capture])])


def taken(view: View) -> str:
    """What a side has captured, as far as it was told: "1 pawn and 2 pieces", "3 men", "" for nothing."""
    own = [event.announcement for event in view.events if isinstance(event, OwnTry) and event.announcement is not None]
    captures = [announcement.captured for announcement in own if announcement.capture is not None]
    kinds = [("man", "men", None), ("pawn", "pawns", Man.PAWN), ("piece", "pieces", Man.PIECE)]
    counts = [(captures.count(kind), one, many) for one, many, kind in kinds]
    return " and ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts if count)


def lost(view: View) -> list[chess.PieceType]:
    """A side's own men that fell, queens first, as far as they can be told from those that promoted."""
    start = chess.Board(view.start)
    kinds = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
    men = list(view.men.values())
    return [kind for kind in kinds for _ in range(len(start.pieces(kind, view.color)) - men.count(kind))]
