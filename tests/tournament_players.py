"""Who sits at the tables of the tests' tournaments: rand, and players that misbehave, by names of their own."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import psutil

from kriegbot.children import CannotStart
from kriegbot.game.process import ProcessSeat
from kriegbot.players.base import Choice
from kriegbot.players.specs import PlayerSpec, parse_spec
from referee import BERKELEY, Limits, View
from tournaments.schedule import Pairing, TournamentSettings


def spec_of(name: str) -> PlayerSpec:
    """Who is meant by a name of these tests."""
    misbehaving = {"raises": "RaisesInTheSeventhTurn", "hangs": "Sleeps", "kills itself as black": "KillsItselfAsBlack"}
    return parse_spec(f"tests.misbehaving:{misbehaving[name]}" if name in misbehaving else name, sandbox=False)


def kill_the_worker(name: str) -> PlayerSpec:
    """As `spec_of`, but a worker that asks for "poison" is ended by it."""
    if name == "poison":
        psutil.Process().kill()
    return spec_of(name)


def fail_in_the_worker(name: str) -> PlayerSpec:
    """As `spec_of`, but a worker that asks for "poison" raises what nobody expects."""
    if name == "poison":
        raise RuntimeError("nobody expects this")
    return spec_of(name)


def kill_the_first_worker(name: str) -> PlayerSpec:
    """As `spec_of`, but the first worker to ask for "poison once" is ended by it."""
    mark = Path(os.environ["KRIEGBOT_TEST_MARK"])
    if name == "poison once":
        try:
            mark.touch(exist_ok=False)
        except FileExistsError:
            return parse_spec("rand")
        psutil.Process().kill()
    return spec_of(name)


def lack_memory_in_the_first_worker(name: str) -> PlayerSpec:
    """As `parse_spec`, but the first worker to ask never has memory, and cannot start "poison once"."""
    mark = Path(os.environ["KRIEGBOT_TEST_MARK"])
    if not mark.exists():
        mark.write_text(f"{os.getpid()}", encoding="utf-8")
    if mark.read_text(encoding="utf-8") == f"{os.getpid()}":
        raise CannotStart("no memory") if name == "poison once" else MemoryError
    return parse_spec("rand")


def kill_a_player(name: str) -> PlayerSpec:
    """As `spec_of`, in a worker whose players are killed from outside in their third turn."""
    ProcessSeat.ask = _kill_and_ask  # type: ignore[method-assign, assignment]
    return spec_of(name)


_ask: Callable[[ProcessSeat, View], Choice] = ProcessSeat.ask


def _kill_and_ask(seat: ProcessSeat, view: View) -> Choice:
    if view.ply == 4 and seat.pid is not None:
        psutil.Process(seat.pid).kill()
    return _ask(seat, view)


def settings(*players: str, plies: int = 20, seed: int = 1) -> TournamentSettings:
    """Return a short tournament of two."""
    first, second = players or ("rand", "rand")
    return TournamentSettings((Pairing(first, second),), BERKELEY, Limits(plies), seed)
