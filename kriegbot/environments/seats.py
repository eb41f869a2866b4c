"""Whoever plays in the environments of one game: a learner by numbers, or any player of kriegbot.

Our own players sit in this process, those from outside in one of their own.
"""

from __future__ import annotations

from functools import partial

import chess

from kriegbot.environments.actions import action_of
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import HereSeat, Seat
from kriegbot.game.turn import answered
from kriegbot.players.specs import BadSpec, make_player, parse_spec, players, programs
from referee import Referee


def seat_of(text: str) -> Seat:
    """A seat for the player of a spec, such as `kriegbot:samples=50`.

    Raises:
      BadSpec: a ValueError; the text names no player.
    """
    spec = parse_spec(text)
    if not spec.is_outside and players()[spec.name].make is None:
        raise BadSpec(f"player {spec.name!r} plays at `kriegbot play` alone; here plays one of {programs()}.")
    return ProcessSeat(spec) if spec.is_outside else HereSeat(str(spec), partial(make_player, spec))


def answer(referee: Referee, number: int) -> None:
    """Lets the referee answer an action of the side to move, by its number.

    Raises:
      ValueError: the number stands for no action.
      GameIsOver: the game has ended.
    """
    answered(referee, action_of(number, referee.view(referee.turn)))


def reward_of(referee: Referee, color: chess.Color) -> float:
    """1 for a win, -1 for a loss, otherwise 0."""
    if referee.end is None or referee.end.winner is None:
        return 0.0
    return 1.0 if referee.end.winner == color else -1.0
