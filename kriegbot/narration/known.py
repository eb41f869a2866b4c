"""What a view tells at a glance: what was heard, where to look, what was taken and what was lost."""

from __future__ import annotations

import chess

from referee import Announcement, Man, OpponentMoved, OwnTry, View


def heard(view: View) -> list[tuple[bool, Announcement]]:
    """Every announcement, and whether it was of our own move."""
    found = []
    for event in view.events:
        if isinstance(event, OpponentMoved):
            found.append((False, event.announcement))
        elif isinstance(event, OwnTry) and event.announcement is not None:
            found.append((True, event.announcement))
    return found


def marks(view: View) -> frozenset[chess.Square]:
    """Where the opponent captured just now, and the own king if it is in check."""
    announcements = heard(view)
    if not announcements or announcements[-1][0]:
        return frozenset()
    last = announcements[-1][1]
    kings = [square for square, man in view.men.items() if man == chess.KING] if last.checks else []
    return frozenset([*kings, *([] if last.capture is None else [last.capture])])


def taken(view: View) -> str:
    """What a side has captured, as far as it was told: "1 pawn and 2 pieces", "3 men", "" for nothing."""
    captures = [announcement.captured for own, announcement in heard(view) if own and announcement.capture is not None]
    kinds = [("man", "men", None), ("pawn", "pawns", Man.PAWN), ("piece", "pieces", Man.PIECE)]
    counts = [(captures.count(kind), one, many) for one, many, kind in kinds]
    return " and ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts if count)


def lost(view: View) -> list[chess.PieceType]:
    """A side's own men that fell, queens first, as far as they can be told from those that promoted."""
    start = chess.Board(view.start)
    kinds = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
    men = list(view.men.values())
    return [kind for kind in kinds for _ in range(len(start.pieces(kind, view.color)) - men.count(kind))]
