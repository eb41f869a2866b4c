"""Messages on what one side knows, made from its view and diary alone, and frames of finished games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import chess

from kriegbot.narration.diary import Entry, gathered
from kriegbot.narration.known import captures_text, check_to_answer, lost_pieces, marks, own_men
from kriegbot.narration.moments import Moment
from kriegbot.players.human import try_name
from kriegbot.web import replies
from kriegbot.web.replies import CheckShown, Clear, Clocks, Frame, Men
from referee import Announcement, OpponentMoved, OwnTry, View, open_tries


def side_view(view: View, entries: Sequence[Entry], clocks: Clocks) -> replies.SideView:
    """Return the message on a view."""
    start = chess.Board(view.start)
    plies = view.ply + (0 if start.turn == chess.WHITE else 1)
    log = [
        replies.LogEntry(
            entry.place,
            line.removeprefix(entry.place).strip(),
            entry.kind.name.lower(),
            list(entry.means),
            _names(entry.squares),
        )
        for entry, line in gathered(entries)
    ]
    return replies.SideView(
        turn=chess.COLOR_NAMES[view.turn],
        ply=view.ply,
        move=start.fullmove_number + plies // 2,
        yours=view.turn == view.color and view.end is None,
        men=letters(own_men(view)),
        enemy_men=view.opponent_men,
        tries=[move.uci() for move in (view.tries() or tries_ahead(view))],
        refused=[try_name(move, view) for move in view.refused],
        log=log,
        marks=_names(sorted(marks(view))),
        check=check_shown(view),
        clear=clear_squares(view),
        last=last_move(view),
        taken=captures_text(view),
        lost="".join(chess.Piece(kind, view.color).symbol() for kind in lost_pieces(view)),
        pawn_tries=None if view.pawn_tries is None else view.pawn_tries.text(),
        may_ask=view.may_ask,
        clocks=clocks,
    )


def tries_ahead(view: View) -> list[chess.Move]:
    """Return the tries that a side may prepare while the opponent thinks."""
    is_out_of_turn = view.turn != view.color and view.end is None
    return open_tries(view.color, view.men, view.kingside, view.queenside) if is_out_of_turn else []


def check_shown(view: View) -> CheckShown | None:
    """Return the check that the side has to answer."""
    check = check_to_answer(view)
    if check is None:
        return None
    return CheckShown(_names(check.line), [move.uci() for move in check.idle])


def clear_squares(view: View) -> Clear:
    """Return the squares without an enemy piece right after the side's last move: its path and the capture."""
    ply, clear = 0, (0, chess.SquareSet())
    for event in view.events:
        if isinstance(event, OwnTry) and event.announcement is not None:
            ply += 1
            clear = ply, _path(event.move, event.announcement)
        elif isinstance(event, OpponentMoved):
            ply += 1
    return Clear(clear[0], _names(clear[1]))


def last_move(view: View) -> list[str]:
    """Return origin and target of the side's last move; an empty list before the first."""
    for event in reversed(view.events):
        if isinstance(event, OwnTry) and event.announcement is not None:
            return _names([event.move.from_square, event.move.to_square])
    return []


def _path(move: chess.Move, announcement: Announcement) -> chess.SquareSet:
    """Return the squares that a move passed, its target, and the square of its capture."""
    path = chess.SquareSet(chess.between(move.from_square, move.to_square))
    path |= chess.SquareSet.from_square(move.to_square)
    if announcement.captured_square is not None:
        path.add(announcement.captured_square)
    return path


def frame_of(moment: Moment) -> Frame:
    """Return a moment as the page shows it."""
    event, men = moment.event, moment.men
    return Frame(
        title=moment.title,
        place=moment.news["referee"][-1].place if moment.news["referee"] else "",
        true=letters(men["referee"]),
        white=letters(men["White"]),
        black=letters(men["Black"]),
        marks=_names(sorted(moment.marks)),
        news={reader.lower(): [entry.line() for entry in entries] for reader, entries in moment.news.items()},
        turn=None if moment.turn is None else chess.COLOR_NAMES[moment.turn],
        mover=None if moment.mover is None else chess.COLOR_NAMES[moment.mover],
        move=event.move.uci() if isinstance(event, OwnTry) else None,
        answer=None if event is None else event.answer.value,
        seconds=moment.seconds,
    )


def letters(men: Mapping[chess.Square, chess.Piece]) -> Men:
    """Return pieces as square names and letters."""
    return {chess.square_name(square): piece.symbol() for square, piece in sorted(men.items())}


def _names(squares: Iterable[chess.Square]) -> list[str]:
    return [chess.square_name(square) for square in squares]
