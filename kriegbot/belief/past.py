"""The views that led to a view: a side remembers everything that it knew before.

A view has the side's men as they are now, and every event. Replaying the events with only these men on the board gives
what was known after each event.
"""

from collections.abc import Iterator
from dataclasses import replace

import chess

from referee import Answer, Asking, End, GameOver, OpponentMoved, OwnQuestion, OwnTry, View
from referee.announcing import pawn_tries_told
from referee.prefix import Prefix


def past(view: View) -> Iterator[View]:
    """Every view that the side has had: before the first event, and after each; the last one is `view` itself."""
    own = chess.Board(view.start)
    turn, ply = own.turn, 0
    refused, is_refused = list[chess.Move](), set[chess.Move]()
    is_once, is_obliged = view.rules.asking is Asking.OBLIGES_ONCE, False
    end: End | None = None
    pawn_tries = pawn_tries_told(own, view.rules.pawn_tries)
    opponent_men = chess.popcount(own.occupied_co[not view.color])
    for square in chess.scan_forward(own.occupied_co[not view.color]):
        own.remove_piece_at(square)
    for heard in range(len(view.events) + 1):
        match view.events[heard - 1] if heard else None:
            case OwnTry(move, Answer.ACCEPTED, announcement) if announcement is not None:
                own.turn, own.ep_square = view.color, None  # en passant captures a man that is not on this board
                own.push(move)
                opponent_men -= announcement.capture is not None
                turn, ply, end = not turn, ply + 1, announcement.end
                pawn_tries, refused, is_refused = announcement.pawn_tries, [], set()
            case OwnQuestion(Answer.YES | Answer.NO as answer):
                pawn_tries = answer is Answer.YES
            case OwnTry(_, Answer.IMPOSSIBLE) if is_obliged:
                pass  # it may be tried later in the turn
            case OwnTry(move) if move not in is_refused:
                is_refused.add(move)
                refused.append(move)
            case OpponentMoved(announcement):
                if announcement.fell is not None:
                    own.remove_piece_at(announcement.fell)
                    own.castling_rights &= ~chess.BB_SQUARES[announcement.fell]
                turn, ply, end = not turn, ply + 1, announcement.end
                pawn_tries, refused, is_refused = announcement.pawn_tries, [], set()
            case GameOver(ending):
                end = ending
        is_ours = turn == view.color and end is None
        earlier = replace(
            view,
            men={square: piece.piece_type for square, piece in own.piece_map().items()},
            kingside=own.has_kingside_castling_rights(view.color),
            queenside=own.has_queenside_castling_rights(view.color),
            turn=turn,
            ply=ply,
            opponent_men=opponent_men,
            events=Prefix(view.events, heard),
            refused=Prefix(refused) if is_ours else (),
            pawn_tries=pawn_tries if is_ours else None,
            end=end,
        )
        is_obliged = is_once and earlier.obliged
        yield earlier
