"""Who sits at the tables of the tests' tournaments: rand, and players that misbehave, by names of their own."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import chess

from kriegbot.players.base import Choice
from kriegbot.players.rand import RandPlayer
from kriegbot.players.seat import Source
from referee import BERKELEY, Limits, View
from tests import misbehaving
from tournaments.schedule import Pairing, Settings


class KillsItsProcess(RandPlayer):
    """Ends its process as a system short of memory would, but only as Black."""

    def choose(self, view: View) -> Choice:
        """Plays, or not."""
        if view.ply >= 4 and view.color == chess.BLACK:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().choose(view)


def source_of(name: str) -> Source:
    """What a player of these tests is made from."""
    return {
        "rand": RandPlayer,
        "raises": misbehaving.RaisesInTheSeventhTurn,
        "hangs": misbehaving.Sleeps,
        "killed as black": KillsItsProcess,
    }[name]


def kill_the_worker(name: str) -> Source:
    """As `source_of`, but a worker that asks for "poison" is ended by it."""
    if name == "poison":
        os.kill(os.getpid(), signal.SIGKILL)
    return source_of(name)


def kill_the_first_worker(name: str) -> Source:
    """As `source_of`, but the first worker to ask for "poison once" is ended by it."""
    mark = Path(os.environ["KRIEGBOT_TEST_MARK"])
    if name == "poison once":
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            return RandPlayer
        os.kill(os.getpid(), signal.SIGKILL)
    return source_of(name)


def settings(*players: str, plies: int = 20, seed: int = 1) -> Settings:
    """A short tournament of two."""
    first, second = players or ("rand", "rand")
    return Settings((Pairing(first, second),), BERKELEY, Limits(plies), seed)
