"""Random games for tests: a referee and a random number generator, and tries of every kind.

A seed is a game. The tries are those of a player that misbehaves on purpose: besides sensible ones they are
anything that `chess.Move` can hold, and tries already refused.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import chess

from referee import BERKELEY, NO_LIMITS, Answer, AskAny, Limits, OwnQuestion, OwnTry, Reason, Referee, RuleSet

BY_A_MOVE = tuple(Reason)[:5]
"""Reasons for which a move can end a game."""
STARTS = (
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",  # castling, captures
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",  # en passant, pinned and not
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",  # promotions, checks
    "8/PPPk4/8/8/8/8/4Kppp/8 b - - 0 1",  # promotions by capture
)


def random_try(referee: Referee, rng: random.Random) -> chess.Move:
    """Return a try of some kind: often open, sometimes impossible, sometimes one refused before."""
    view = referee.view(referee.turn)
    kind = rng.random()
    if kind < 0.15:
        return chess.Move(rng.randrange(64), rng.randrange(64), rng.choice((None, None, *chess.PIECE_TYPES)))
    if kind < 0.25 and view.refused:
        return rng.choice(view.refused)
    if kind < 0.5:
        return rng.choice(list(referee.board().legal_moves))
    return rng.choice(view.tries())


def action_of(event: OwnTry | OwnQuestion) -> chess.Move | AskAny:
    """Return the try or the question."""
    return event.move if isinstance(event, OwnTry) else AskAny()


def act(referee: Referee, action: chess.Move | AskAny) -> Answer:
    """Put a try or a question to the referee."""
    return referee.ask_any() if isinstance(action, AskAny) else referee.try_move(action)


def random_action(referee: Referee, rng: random.Random) -> chess.Move | AskAny:
    """Return a try of some kind, or where that may be asked, now and then "Any?"."""
    if referee.view(referee.turn).may_ask and rng.random() < 0.2:
        return AskAny()
    return random_try(referee, rng)


def steps(referee: Referee, rng: random.Random, plies: int) -> Iterator[tuple[chess.Move | AskAny, Answer]]:
    """Plays on at random until the end, or until `plies` moves were made in all."""
    while referee.end is None and referee.ply < plies:
        action = random_action(referee, rng)
        yield action, act(referee, action)


def played(
    seed: int,
    rules: RuleSet = BERKELEY,
    limits: Limits = NO_LIMITS,
    plies: int = 80,
    start: str | None = None,
) -> Referee:
    """Return a game played at random for at most `plies` moves, by default from one of `STARTS`."""
    rng = random.Random(seed)
    referee = Referee(rules, limits, start or rng.choice(STARTS))
    for _ in steps(referee, rng, plies):
        pass
    return referee
