"""Play a tournament: an executor (`LocalExecutor`, or that of `dask_executor`) plays games, a store keeps them."""

import contextlib
import logging
import pickle
import sys
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from multiprocessing_logging import install_mp_handler, uninstall_mp_handler

from kriegbot.children import TICK, CannotStart, WorkerDied, WorkerPool
from kriegbot.game.match import GameResult, play_game, versions
from kriegbot.game.process import ProcessSeat, try_out
from kriegbot.game.sandbox import can_read, why_unavailable
from kriegbot.game.seat import Failure
from kriegbot.players.specs import BadSpec, PlayerSpec, parse_spec, player_kind, versions_of
from referee import BERKELEY, PAPER_LIMITS, Limits, RuleSet, record_to_pgn, rule_set
from referee.text import one_line, quoted
from tournaments.report import TournamentReport, report_of
from tournaments.schedule import MOST_ATTEMPTS, Died, Finished, Outcome, ScheduledGame, TournamentSettings, round_robin
from tournaments.store import Store, StoreError

LOGGER = logging.getLogger("kriegbot.tournament")

F = TypeVar("F")  # an executor's futures
SpecOf: TypeAlias = Callable[[str], PlayerSpec]  # from a player's name in the schedule to its spec


class WarmSeats:
    """Two seats for game after game, whose built-in players stay warm. `patience` is for an answer; None: their own."""

    def __init__(
        self, settings: TournamentSettings, patience: float | None = None, spec_of: SpecOf = parse_spec
    ) -> None:
        self._settings, self._patience, self._spec_of = settings, patience, spec_of
        self._seats = ProcessSeat(parse_spec("rand")), ProcessSeat(parse_spec("rand"))

    def play(self, game: ScheduledGame, attempt: int = 1) -> Outcome:
        """Play a game; raise BadSpec if a player can no longer be loaded, as if its file is gone, or CannotStart."""
        begun = time.perf_counter()
        white, black = self._seats
        if game.white == black.name or game.black == white.name:  # its process has already loaded that player
            self._seats = black, white
        for seat, spec in zip(self._seats, (game.white, game.black), strict=True):
            seat.set_player(self._spec_of(spec), self._patience, spec)
        settings = self._settings
        result = play_game(*self._seats, rules=settings.rules, limits=settings.limits, seed=game.seed)
        for seat in self._seats:
            if seat.spec.is_outside:  # the next game has a fresh process, and this was perhaps the last one
                seat.close()
        if failed := result.failed:
            if failed.failure is Failure.REFUSED:
                raise BadSpec(failed.detail)
            if failed.failure is Failure.OURS:
                self.close()
                return Died(game, f"a player {failed.detail}", attempt)
        return _finished(game, result, time.perf_counter() - begun)

    def close(self) -> None:
        """End the players' processes."""
        for seat in self._seats:
            seat.close()


def _finished(game: ScheduledGame, result: GameResult, seconds: float) -> Finished:
    record, end = result.record, result.record.end
    if end is None:
        raise ValueError(f"game {game.id} has no end")
    headers = {**record.headers, "Date": "????.??.??", "Round": f"{game.pairing + 1}.{game.number + 1}"}
    turns = tuple(replace(turn, seconds=None) for turn in record.turns)
    pgn = zlib.compress(record_to_pgn(replace(record, headers=headers, turns=turns)).encode(), 9)
    ending = record.result, end.reason, end.detail, len(turns)
    return Finished(game, pgn, *ending, result.white, result.black, result.answers, versions(), seconds)


class ExecutorError(Exception):
    """An executor cannot play games; the message is one line."""


class Executor(Protocol):
    """Plays games in any order."""

    def play(self, games: Iterable[ScheduledGame], settings: TournamentSettings) -> Generator[Outcome, None, None]:
        """Play games, each to its end or until it has died MOST_ATTEMPTS times. Closing the generator stops.

        Raise ExecutorError if no more games can be played, or none of some player.
        """
        ...


class LocalExecutor:
    """Worker processes on this machine, each with `WarmSeats`. A dead one is replaced; games that died are retried."""

    def __init__(self, jobs: int, patience: float | None = None, spec_of: SpecOf = parse_spec) -> None:
        self._jobs, self._patience, self._spec_of = jobs, patience, spec_of

    def play(self, games: Iterable[ScheduledGame], settings: TournamentSettings) -> Generator[Outcome, None, None]:
        """Play games. Closing the generator ends the workers."""
        with WorkerPool(self._jobs) as pool:
            yield from with_retries(
                games,
                lambda: self._jobs,
                lambda game, attempt: pool.submit(play_warm, game, attempt, settings, self._patience, self._spec_of),
                lambda running: wait(running, TICK, FIRST_COMPLETED).done,
                _outcome,
            )


def with_retries(
    games: Iterable[ScheduledGame],
    most: Callable[[], int],
    submit: Callable[[ScheduledGame, int], F],
    done: Callable[[Iterable[F]], Iterable[F]],
    outcome_of: Callable[[F, ScheduledGame, int], Outcome],
) -> Generator[Outcome, None, None]:
    """Play games, at most so many at once, each again if it died, for MOST_ATTEMPTS attempts in all."""
    waiting = deque((game, 1) for game in games)
    running: dict[F, tuple[ScheduledGame, int]] = {}
    while waiting or running:
        while waiting and len(running) < most():
            game, attempt = waiting.popleft()
            LOGGER.info("game %d begins, %s against %s", game.id, game.white, game.black)
            running[submit(game, attempt)] = game, attempt
        for future in done(running):
            outcome = outcome_of(future, *running.pop(future))
            if isinstance(outcome, Died) and outcome.attempts < MOST_ATTEMPTS:
                waiting.appendleft((outcome.game, outcome.attempts + 1))
            yield outcome


def _outcome(future: Future[Outcome], game: ScheduledGame, attempt: int) -> Outcome:
    """Return the outcome of a game; raise ExecutorError if a player can no longer be loaded."""
    try:
        return future.result()
    except BadSpec as error:
        raise ExecutorError(f"game {game.id} cannot be played: {str(error).removesuffix('.')}") from None
    except (WorkerDied, CannotStart) as error:
        return Died(game, str(error), attempt)
    except Exception as error:
        LOGGER.exception("game %d: the worker fails", game.id)
        return Died(game, f"the worker failed: {one_line(f'{type(error).__name__}: {error}', 200)}", attempt)


_of_this_thread = threading.local()


def play_warm(
    game: ScheduledGame, attempt: int, settings: TournamentSettings, patience: float | None, spec_of: SpecOf
) -> Outcome:
    """Play a game in a worker, in the seats of its thread's last game if that was one of the same tournament."""
    arguments = settings, patience, spec_of
    cache, key = _of_this_thread.__dict__, pickle.dumps(arguments)  # equal functions may compare unequal
    if cache.get("key") != key:
        if "seats" in cache:
            cache["seats"].close()
        cache.update(key=key, seats=WarmSeats(*arguments))
    seats: WarmSeats = cache["seats"]
    return seats.play(game, attempt)


def run(
    store: Store,
    games: Sequence[ScheduledGame],
    executor: Executor,
    watch: Callable[[Outcome], None] = lambda _: None,
    is_decided: Callable[[], bool] = lambda: False,
) -> None:
    """Play those of the games that are not stored, begun in this order. Store and log each as soon as it is finished.

    `watch` receives each outcome after that. Then, if `is_decided` returns True, the run stops early.
    """
    done = store.done()
    waiting = [game for game in games if game.id not in done]
    with contextlib.closing(executor.play(waiting, store.settings)) as outcomes:
        for outcome in outcomes:
            game = outcome.game.id
            if isinstance(outcome, Died):
                LOGGER.error("game %d: %s, attempt %d", game, outcome.cause, outcome.attempts)
                store.add_incident(outcome, quarantined=outcome.attempts == MOST_ATTEMPTS)
            else:
                end = outcome.reason.value + (f" ({outcome.detail})" if outcome.detail else "")
                figures = outcome.result, end, outcome.plies, outcome.seconds
                LOGGER.info("game %d: %s, %s, %d plies, %.1f s", game, *figures)
                for side in (outcome.white, outcome.black):
                    if side.failure:
                        LOGGER.warning("game %d: %s %s\n%s", game, side.player, side.failure, side.log)
                    elif side.log:
                        LOGGER.info("game %d: %s wrote: %s", game, side.player, one_line(side.log, 200))
                store.add(outcome)
            watch(outcome)
            if is_decided():
                return


class _LogFile(logging.FileHandler):
    """A log file that gives up after one line of explanation if it cannot be written: games matter more."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802 - the library's signature
        if not LOGGER.disabled:  # records may still be on their way
            print(f"kriegbot: cannot write to '{self.baseFilename}': {sys.exc_info()[1]}", file=sys.stderr)
        LOGGER.disabled = True


@contextlib.contextmanager
def logged_to(path: Path) -> Iterator[None]:
    """Append the log of the runs within to a file alone. A thread writes it, so a slow disk delays no game."""
    handler = _LogFile(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    LOGGER.addHandler(handler)
    LOGGER.setLevel(logging.INFO)
    LOGGER.propagate, LOGGER.disabled = False, False
    install_mp_handler(LOGGER)
    try:
        yield
    finally:
        for installed in LOGGER.handlers:
            with contextlib.suppress(OSError):  # a full disk, again
                installed.close()  # waits for records that are still on their way
        uninstall_mp_handler(LOGGER)
        LOGGER.removeHandler(handler)


def check_hidden(path: Path, specs: Iterable[PlayerSpec]) -> None:
    """Raise StoreError if a player in its sandbox could read the tournament's file, and with it all seeds."""
    for spec in specs:
        if spec.is_outside and spec.sandbox and not why_unavailable() and can_read(spec, path):
            raise StoreError(
                f"cannot save to {quoted(str(path))}: player {quoted(str(spec))} can read it, and with it the seeds; "
                "move the player to its own folder, or choose another file"
            )


def run_tournament(
    path: Path,
    players: Sequence[str],
    games: int,
    seed: int,
    rules: RuleSet | str = BERKELEY,
    limits: Limits = PAPER_LIMITS,
    jobs: int = 1,
) -> TournamentReport:
    """Play everybody against everybody on this machine. The same call resumes a tournament that was interrupted.

    Raise BadSpec, CannotStart, UnknownRuleSet, StoreError if the file cannot be used, holds another tournament or can
    be read by a player in its sandbox, and ExecutorError if a player can no longer be loaded; stored games stay.

    Args:
      path: SQLite file for the games; `kriegbot report` and `kriegbot replay` read it.
      players: specs of two players or more.
      games: number of each pairing; if it is even, half with each colour.
      seed: of the tournament. Players with a number of samples play the same games for the same seed.
      rules: the rule set, or its name.
      limits: when a game is drawn; the paper's by default.
      jobs: games at once, each in a process.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     report = run_tournament(Path(folder) / "games.sqlite", ["rand", "grabber"], games=2, seed=1)
    >>> report.done, [player.player for player in report.players]
    (2, ['rand', 'grabber'])
    """
    specs, rules = [parse_spec(player) for player in players], rule_set(rules)
    check_hidden(path, specs)
    for spec in specs:
        if not spec.is_outside and player_kind(spec.name).make is None:
            raise BadSpec(f"player {spec.name!r} is a person; it takes a program.")
        try_out(spec, rules)
    settings = TournamentSettings(round_robin(list(map(str, specs))), rules, limits, seed, versions_of(specs))
    with Store.writing(path, settings, games) as store:
        run(store, store.missing(), LocalExecutor(jobs))
        return report_of(store)
