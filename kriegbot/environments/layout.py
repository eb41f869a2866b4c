"""Where a batch of games keeps everything: one array of words, since each array that Python passes costs 0.1 us.

First come rows: a position, the state of the random numbers, notes, two lists of tries. Row 0 is of no game: it holds
the position that games begin with, the terms and the manners instead of notes, and scratch for a list. Each game has
one of the others. Then come bytes: the planes of all games, those that White and Black saw last of the game before,
and the masks.
"""

from typing import NamedTuple

from kriegbot.environments.spaces import ACTIONS, PLANES
from kriegbot.kernels import MAX_MOVES, Bytes, Ints, Moves, Terms, Words, advance, as_bytes, as_ints, as_moves, inlined

# What is noted of a game. Of each side, what was announced of its last move, and that move; 0 for none.
SAID, LAST = 0, 2
OPEN, REFUSED, HEARD, ASKED = 4, 5, 6, 7
"""Of this turn: how many tries are open, how many were refused, how many the opponent heard of, what "Any?" found."""
HEARD_BEFORE, ASKED_BEFORE, TOLD_NOW = 8, 9, 10
"""What was heard of the opponent's last turn; what was announced of the position."""
REPLY, ANNOUNCED, ENDED, REWARD, TURN = 11, 12, 13, 14, 16
"""Of the last step: the referee's answer, the announcement of a move, the end of the game, two rewards, whose turn (1
is White's, as `chess.WHITE` is)."""
NOTES = 17

# Where a row has what, in words; the position is at 0.
STATE = 8
NOTED = STATE + 1
LISTED = NOTED + NOTES
STRUCK = LISTED + MAX_MOVES // 2
ROW = STRUCK + MAX_MOVES // 2
PLANES_WORDS = 8 * PLANES


class Manners(NamedTuple):
    """What `Terms` leaves out, as int64.

    hears: 1 if the opponent hears of illegal tries. asking: the effect of "Any?": 0 it may not be asked, 1 a yes
    obliges to capture with a pawn, 2 to try it once.
    """

    hears: int
    asking: int


class Game(NamedTuple):
    """Where one game is kept: see `Batch`. `tries` are its open actions, `refused` the moves refused this turn."""

    row: Words
    notes: Ints
    tries: Moves
    refused: Moves
    mask: Bytes
    planes: Bytes
    lasts: Bytes


@inlined
def scratch_in(start: Words) -> Moves:
    """Room for a list of moves, in row 0."""
    return as_moves(advance(start, LISTED))


@inlined
def mask_at(batch: Words, games: int, i: int) -> Bytes:
    """Where the mask of game `i` of a batch is kept."""
    return advance(as_bytes(advance(batch, ROW * (games + 1) + 3 * PLANES_WORDS * games)), ACTIONS * i)


@inlined
def game_at(batch: Words, games: int, i: int) -> Game:
    """Where game `i` of a batch is kept."""
    row = advance(batch, ROW * (i + 1))
    return Game(
        row,
        as_ints(advance(row, NOTED)),
        as_moves(advance(row, LISTED)),
        as_moves(advance(row, STRUCK)),
        mask_at(batch, games, i),
        as_bytes(advance(batch, ROW * (games + 1) + PLANES_WORDS * i)),
        as_bytes(advance(batch, ROW * (games + 1) + PLANES_WORDS * (games + 2 * i))),
    )


@inlined
def rules_of(batch: Words) -> tuple[Terms, Manners]:
    """What a batch is played by."""
    rules = as_ints(advance(batch, NOTED))
    terms = Terms(rules[0], rules[1], rules[2], rules[3], rules[4], rules[5], rules[6], rules[7], rules[8])
    return terms, Manners(rules[9], rules[10])
