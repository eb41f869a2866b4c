"""The views that led to a view: a side remembers all that it knew before.

A view tells the own men as they stand now, and every event. Going through the events again, with the own men alone on
the board, gives what was known after each of them.
"""

from collections.abc import Iterator
from dataclasses import replace

import chess

from referee import Answer, End, GameOver, OpponentMoved, OwnTry, PawnTries, View
from referee.announcement import count_pawn_tries


def past(view: View) -> Iterator[View]:
    """Every view that the side has had: before the first event, and after each; the last one is `view` itself."""
    own = chess.Board(view.start)
    turn, ply = own.turn, 0
    refused: tuple[chess.Move, ...] = ()
    end: End | None = None
    pawn_tries = count_pawn_tries(own) if view.rules.pawn_tries is PawnTries.COUNT else None
    opponent_men = chess.popcount(own.occupied_co[not view.color])
    for square in chess.scan_forward(own.occupied_co[not view.color]):
        own.remove_piece_at(square)
    for heard in range(len(view.events) + 1):
        match view.events[heard - 1] if heard else None:
            case OwnTry(move, Answer.ACCEPTED, announcement) if announcement is not None:
                own.turn, own.ep_square = view.color, None  # en passant takes a man that is not on this board
                own.push(move)
                opponent_men -= announcement.capture is not None
                turn, ply, end = not turn, ply + 1, announcement.end
                pawn_tries, refused = announcement.pawn_tries, ()
            case OwnTry(move):
                refused = refused if move in refused else (*refused, move)
            case OpponentMoved(announcement):
                if announcement.capture is not None:
                    own.remove_piece_at(announcement.capture)
                    own.castling_rights &= ~chess.BB_SQUARES[announcement.capture]
                turn, ply, end = not turn, ply + 1, announcement.end
                pawn_tries, refused = announcement.pawn_tries, ()
            case GameOver(ending):
                end = ending
        is_ours = turn == view.color and end is None
        yield replace(
            view,
            men={square: piece.piece_type for square, piece in own.piece_map().items()},
            kingside=own.has_kingside_castling_rights(view.color),
            queenside=own.has_queenside_castling_rights(view.color),
            turn=turn,
            ply=ply,
            opponent_men=opponent_men,
            events=view.events[:heard],
            refused=refused if is_ours else (),
            pawn_tries=pawn_tries if is_ours else None,
            end=end,
        )
