"""What the page shows, as plain values: what one side knows, from its view and diary alone; moments of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import chess

from kriegbot.narration.diary import Entry, gathered
from kriegbot.narration.known import in_check, lost, marks, own_men, taken
from kriegbot.narration.moments import Moment
from kriegbot.players.notation import try_name
from kriegbot.web import replies
from kriegbot.web.replies import CheckShown, Clear, Clocks, Frame, Men
from referee import Announcement, OpponentMoved, OwnTry, View, open_tries


def shown(view: View, entries: Sequence[Entry], clocks: Clocks) -> replies.SideView:
    """A view for the browser: `kriegbot.web.replies.SideView`."""
    start = chess.Board(view.start)
    plies = view.ply + (0 if start.turn == chess.WHITE else 1)
    return {
        "is": "view",
        "turn": chess.COLOR_NAMES[view.turn],
        "ply": view.ply,
        "move": start.fullmove_number + plies // 2,
        "yours": view.turn == view.color and view.end is None,
        "men": letters(own_men(view)),
        "enemyMen": view.opponent_men,
        "tries": [move.uci() for move in (view.tries() or ahead(view))],
        "refused": [try_name(move, view) for move in view.refused],
        "log": [
            {
                "move": entry.place,
                "text": line.removeprefix(entry.place).strip(),
                "kind": entry.kind.name.lower(),
                "means": list(entry.means),
                "squares": [chess.square_name(square) for square in entry.squares],
            }
            for entry, line in gathered(entries)
        ],
        "marks": [chess.square_name(square) for square in sorted(marks(view))],
        "check": checked(view),
        "clear": clear(view),
        "last": last(view),
        "taken": taken(view),
        "lost": "".join(chess.Piece(kind, view.color).symbol() for kind in lost(view)),
        "pawnTries": None if view.pawn_tries is None else view.pawn_tries.text(),
        "mayAsk": view.may_ask,
        "clocks": clocks,
    }


def ahead(view: View) -> list[chess.Move]:
    """What a side may prepare to try while the other one thinks, as its own men stand."""
    is_out_of_turn = view.turn != view.color and view.end is None
    return open_tries(view.color, view.men, view.kingside, view.queenside) if is_out_of_turn else []


def checked(view: View) -> CheckShown | None:
    """The check that the side has to answer."""
    check = in_check(view)
    if check is None:
        return None
    line = [chess.square_name(square) for square in check.line]
    return {"line": line, "idle": [move.uci() for move in check.idle]}


def clear(view: View) -> Clear:
    """Squares with no enemy man right after the side's last move: its path, and whatever it took."""
    ply, found = 0, (0, chess.SquareSet())
    for event in view.events:
        if isinstance(event, OwnTry) and event.announcement is not None:
            ply += 1
            found = ply, _way(event.move, event.announcement)
        elif isinstance(event, OpponentMoved):
            ply += 1
    return {"ply": found[0], "squares": [chess.square_name(square) for square in found[1]]}


def last(view: View) -> list[str]:
    """From where to where the side's last move went; empty before the first."""
    for event in reversed(view.events):
        if isinstance(event, OwnTry) and event.announcement is not None:
            return [chess.square_name(event.move.from_square), chess.square_name(event.move.to_square)]
    return []


def _way(move: chess.Move, announcement: Announcement) -> chess.SquareSet:
    """The squares that a move passed, where it ended, and where it captured."""
    way = chess.SquareSet(chess.between(move.from_square, move.to_square))
    way |= chess.SquareSet.from_square(move.to_square)
    if announcement.captured_square is not None:
        way.add(announcement.captured_square)
    return way


def frame_of(moment: Moment) -> Frame:
    """A moment for the browser."""
    event, entries = moment.event, moment.news["referee"]
    men = moment.men
    return {
        "title": moment.title,
        "place": entries[-1].place if entries else "",
        "true": letters(men["referee"]),
        "white": letters(men["White"]),
        "black": letters(men["Black"]),
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


def letters(men: Mapping[chess.Square, chess.Piece]) -> Men:
    """Men for the browser."""
    return {chess.square_name(square): man.symbol() for square, man in sorted(men.items())}
