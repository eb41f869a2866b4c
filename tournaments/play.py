"""Plays one game of a schedule; the outcome is everything that a store keeps of it, as plain data.

The record has no date and no times, so a game played again gives the same record, byte for byte. One log file serves
all processes of a run: multiprocessing-logging carries the records of forked processes to it. It supports only fork, so
for processes started otherwise the standard library's queue does it (`send_to`).
"""

import logging
import multiprocessing
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from logging.handlers import QueueHandler, QueueListener
from pathlib import Path
from typing import Any, TypeAlias

from multiprocessing_logging import install_mp_handler, uninstall_mp_handler

from kriegbot.game.children import CannotStart
from kriegbot.game.match import AnswerStats, GameResult, PlayerStatistics, play_game, versions
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import Failure
from kriegbot.players.specs import BadSpec, PlayerSpec, parse_spec
from referee import Reason, record_to_pgn
from tournaments.schedule import ScheduledGame, TournamentSettings

LOGGER = logging.getLogger("kriegbot.tournament")

SpecOf: TypeAlias = Callable[[str], PlayerSpec]  # from a player's name in the schedule to its spec


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that was played to its end, with what both sides did.

    record: its PGN without date and times, compressed by zlib. detail: more about how it ended. versions: what it was
    played with. seconds: how long it took.
    """

    game: ScheduledGame
    record: bytes
    result: str
    reason: Reason
    detail: str
    plies: int
    white: PlayerStatistics
    black: PlayerStatistics
    thoughts: tuple[AnswerStats, ...]
    versions: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Died:
    """A game in which a process was ended from outside, crashed or could not be started, and no player is to blame.

    what: one line. attempts: how often it was started in this run; it is retried up to MOST_ATTEMPTS times in all.
    """

    game: ScheduledGame
    what: str
    attempts: int


Outcome: TypeAlias = Finished | Died
MOST_ATTEMPTS = 3


class WarmSeats:
    """Two seats at which game after game is played; processes of our players are kept warm, whatever their colour.

    patience: seconds that an answer may take; by default more than the players' own time. spec_of: reads a player's
    name.
    """

    def __init__(
        self, settings: TournamentSettings, patience: float | None = None, spec_of: SpecOf = parse_spec
    ) -> None:
        self._settings, self._patience, self._spec_of = settings, patience, spec_of
        self._seats = ProcessSeat(parse_spec("rand")), ProcessSeat(parse_spec("rand"))

    def play(self, game: ScheduledGame, attempt: int = 1) -> Outcome:
        """Plays a game; raises BadSpec if a player's file is gone, say, so that no game of it can begin."""
        begun = time.perf_counter()
        white, black = self._seats
        if game.white == black.name or game.black == white.name:  # the process there has loaded what its player needs
            self._seats = black, white
        for seat, spec in zip(self._seats, (game.white, game.black), strict=True):
            seat.set_player(self._spec_of(spec), self._patience, spec)
        settings = self._settings
        LOGGER.info("game %d begins, %s against %s", game.id, game.white, game.black)
        try:
            played = play_game(*self._seats, rules=settings.rules, limits=settings.limits, seed=game.seed)
        except CannotStart as error:
            LOGGER.error("game %d: %s", game.id, error)
            return Died(game, str(error), attempt)
        if played.failed is not None and played.failed.failure is Failure.REFUSED:
            raise BadSpec(played.failed.detail)
        if played.failed is not None and played.failed.failure is Failure.KILLED:
            LOGGER.error("game %d: a player's process was killed from outside", game.id)
            return Died(game, f"a player {played.failed.detail}", attempt)
        return _finished(game, played, time.perf_counter() - begun)

    def close(self) -> None:
        """Ends the players' processes."""
        for seat in self._seats:
            seat.close()


def _finished(game: ScheduledGame, played: GameResult, seconds: float) -> Finished:
    record, end = played.record, played.record.end
    if end is None:
        raise ValueError(f"game {game.id} has no end")
    headers = {**record.headers, "Date": "????.??.??", "Round": f"{game.pairing + 1}.{game.number + 1}"}
    turns = tuple(replace(turn, seconds=None) for turn in record.turns)
    pgn = record_to_pgn(replace(record, headers=headers, turns=turns))
    LOGGER.info("game %d: %s, %s, %d plies, %.1f s", game.id, record.result, end.text(), len(turns), seconds)
    for statistics in (played.white, played.black):
        if statistics.failure:
            LOGGER.warning("game %d: %s %s\n%s", game.id, statistics.player, statistics.failure, statistics.log)
    kept = zlib.compress(pgn.encode(), 9), record.result, end.reason, end.detail, len(turns)
    return Finished(game, *kept, played.white, played.black, played.thoughts, versions(), seconds)


class LogFile(logging.FileHandler):
    """A log file that, if it cannot be written (a full disk), says so once and gives up: games matter more."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - the library's signature
        """Gives up."""
        print(f"kriegbot: cannot write to '{self.baseFilename}': {sys.exc_info()[1]}", file=sys.stderr)
        self.close()
        self.emit = lambda record: None  # type: ignore[method-assign] # noqa: ARG005 - nothing is written any more


@contextmanager
def logged_to(path: Path, queue: Any = None) -> Iterator[None]:
    """Within, all that this process and its workers log is added to a file; those not forked `send_to` the queue."""
    handler = LogFile(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
    log_to(handler)
    listener = None if queue is None else QueueListener(queue, handler)
    if listener is not None:
        listener.start()
    elif multiprocessing.get_start_method() == "fork":
        install_mp_handler(LOGGER)
    try:
        yield
    finally:
        if listener is not None:
            listener.stop()
        for installed in LOGGER.handlers:
            installed.close()  # the library's own waits for records still on their way
        uninstall_mp_handler(LOGGER)
        LOGGER.removeHandler(handler)


def send_to(queue: Any) -> None:
    """In a worker that is not forked: sends what it logs to the process that started it."""
    log_to(QueueHandler(queue))


def log_to(handler: logging.Handler) -> None:
    """What is logged goes to a handler too, and nowhere outside kriegbot."""
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate = False
