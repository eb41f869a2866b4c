"""Answers about a board, remembered: plain searches ask the same about the same board over and over."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import chess

MOST = 100_000
"""Answers kept by each function; then it forgets all of them."""

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def board_key(board: chess.Board) -> Hashable:
    """All of a board but the moves that led to it."""
    men = board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings
    white = board.occupied_co[chess.WHITE]
    return men, white, board.turn, board.castling_rights, board.ep_square, board.halfmove_clock


def by_board(
    function: Callable[Concatenate[chess.Board, Asked], Answer],
) -> Callable[Concatenate[chess.Board, Asked], Answer]:
    """Return the function with its answers cached by board and arguments; callers share them and change none."""
    known: dict[Hashable, Answer] = {}

    @wraps(function)
    def answered(board: chess.Board, /, *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        key = board_key(board), asked, tuple(named.items())
        if key not in known:
            if len(known) == MOST:
                known.clear()
            known[key] = function(board, *asked, **named)
        return known[key]

    return answered
