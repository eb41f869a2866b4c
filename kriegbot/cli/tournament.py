"""`kriegbot tournament`, `report`, `export` and `merge`: many games between programs, in one file."""

import contextlib
import hashlib
import os
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from io import TextIOWrapper
from json import dumps
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kriegbot import request
from kriegbot.children import usable_cores
from kriegbot.cli import common
from kriegbot.cli.common import argument, flag, one_of, option, preparing
from kriegbot.game.process import ProcessSeat, find_rules
from kriegbot.game.seat import PlayerFailed
from kriegbot.players.specs import PlayerSpec, parse_spec, programs, versions_of
from kriegbot.request import Refused, limits_of, path_of, program_of, refusing, save_whole, seed_of, whole_of
from referee import Limits, RuleSet
from referee.text import atomic_file, counted, quoted
from tournaments import schedule
from tournaments.presentation import page_of, show_report
from tournaments.report import decision_of, report_of
from tournaments.run import Executor, ExecutorError, LocalExecutor, SpecOf, check_hidden, logged_to, run
from tournaments.schedule import MOST_GAMES, Finished, Outcome, Pairing, ScheduledGame, Shard, TournamentSettings
from tournaments.statistics import Sprt, expected_utility, expected_utility_interval
from tournaments.store import FORMS, Store, StoreError

SHARES = 10  # progress lines of a whole tournament without a terminal


def _games_of(text: str | int) -> int:
    if (games := whole_of(text, "number of games", 2, MOST_GAMES)) % 2:
        raise Refused(f"illegal number of games '{games}': it takes an even number, half with each colour.")
    return games


def _shard_of(text: str) -> Shard:
    with refusing(ValueError):
        return Shard.parse(text)


def _sprt_of(text: str) -> Sprt:
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
        return Sprt(elo0, elo1)
    except ValueError:
        raise Refused(f"illegal sprt {quoted(text)}: it takes two numbers, such as 0,5, the smaller first.") from None


FILE = argument("FILE", "A tournament, finished or not.")
GAMES = option("N", "Games per pairing, half with each colour.", default=500, parser=_games_of)
TEST = option(
    "ELO0,ELO1", "Test two normalized Elo differences; a tournament stops when it decides.", "--sprt", parser=_sprt_of
)


def tournament(
    players: list[str] = argument("SPEC SPEC [SPEC ...]", "rand, overconfident:depth=2, ...", autocompletion=programs),
    games: int = GAMES,
    round_robin: bool = flag("Every player against every other (the default).", "--round-robin"),
    gauntlet: bool = flag("The first player against all others.", "--gauntlet"),
    rules: str = common.RULES,
    limits: str = common.DRAW_LIMITS,
    seed: int | None = common.SEED,
    jobs: int | None = common.JOBS,
    out: str | None = option("FILE", "The tournament's file.  [default: a name made from the settings]"),
    executor: str = option("NAME", "Workers: local or dask.", **one_of("executor", ("local", "dask")), default="local"),
    scheduler: str | None = option(
        "ADDRESS", "A Dask cluster; it gets a game per thread, at least --jobs.  [default: one on this machine]"
    ),
    shard: Shard | None = option("I/N", "Play part I of N; see `kriegbot merge`.", parser=_shard_of),
    patience: float | None = common.PATIENCE,
    sprt: Sprt | None = TEST,
    sandbox: bool | None = common.SANDBOX,
) -> None:
    """Play many games between programs and report on them.

    Every game is saved as soon as it ends, and the same command resumes the tournament. Unless a player thinks by
    time, is `engine` or is not built in, a game depends only on settings and seed, not on the machine or on --jobs.
    """
    is_sandboxed = common.sandbox_of(sandbox, *players)
    is_resumed = out is not None and Path(out).exists()  # perhaps a tournament of an earlier version
    specs = [program_of(text, sandbox=is_sandboxed, experimental=is_resumed) for text in players]
    pairings = _pairings_of([str(spec) for spec in specs], round_robin, gauntlet)
    rule_set, draw_limits = find_rules(rules, sandbox=is_sandboxed), limits_of(limits)
    if shard is not None and seed is None:
        raise Refused("--shard needs --seed, the same for all parts.")
    if sprt is not None and len(pairings) > 1:
        raise Refused(f"--sprt compares two players; here are {len(specs)}.")
    shard = shard or Shard()
    path = _path_of(out, (pairings, rule_set, draw_limits, seed), shard)
    with refusing(StoreError):
        check_hidden(path, specs)
    common.check_players(specs, rule_set)
    number = _seed_in(path) if seed is None else seed
    settings = TournamentSettings(pairings, rule_set, draw_limits, number, versions_of(specs))
    workers = _executor(executor, scheduler, jobs, patience, partial(parse_spec, sandbox=is_sandboxed))
    with refusing(StoreError), Store.writing(path, settings, games, shard) as store:
        play_missing(store, store.missing(), workers, specs, lambda: bool(sprt and decision_of(store, sprt)))
        figures = report_of(store, sprt)
    show_report(figures)
    if figures.forfeits or figures.incidents:
        raise typer.Exit(1)


def _path_of(text: str | None, settings: tuple[Sequence[Pairing], RuleSet, Limits, int | None], shard: Shard) -> Path:
    """Return the tournament's file. Its default name is a digest of pairings, rules, limits and the seed, if given."""
    if text is not None:
        if not text or os.path.isdir(text):
            raise Refused(f"cannot save to {quoted(text)}: it takes a file name.")
        return Path(text)
    pairings, rules, limits, seed = settings
    key = repr(([(pairing.first, pairing.second) for pairing in pairings], rules.text, limits, seed))
    part = "" if shard.count == 1 else f"-{shard.index}-of-{shard.count}"
    return Path(f"tournament-{hashlib.sha256(key.encode()).hexdigest()[:8]}{part}.sqlite")


def _seed_in(path: Path) -> int:
    if not os.path.isfile(path) or not os.path.getsize(path):
        return seed_of(None)
    with refusing(StoreError), Store.open(path) as store:
        return store.settings.seed


def _pairings_of(players: list[str], round_robin: bool, gauntlet: bool) -> tuple[Pairing, ...]:
    if len(players) < 2:
        raise Refused("a tournament needs at least two players.")
    if round_robin and gauntlet:
        raise Refused("choose --round-robin or --gauntlet, not both.")
    twice = next((player for player in players if players.count(player) > 1), None)
    if twice is not None and len(players) > 2:
        raise Refused(f"player '{twice}' is named twice; only a tournament of two may have equal players.")
    return schedule.gauntlet(players) if gauntlet else schedule.round_robin(players)


def _executor(name: str, scheduler: str | None, jobs: int | None, patience: float | None, spec_of: SpecOf) -> Executor:
    if name == "local":
        if scheduler is not None:
            raise Refused("--scheduler goes with --executor dask.")
        return LocalExecutor(jobs or usable_cores(), patience, spec_of)
    with refusing(ExecutorError):
        from tournaments.dask_executor import DaskExecutor  # an extra, which need not be installed

        return DaskExecutor(jobs or usable_cores(), scheduler, patience, spec_of)


def play_missing(
    store: Store,
    missing: Sequence[ScheduledGame],
    executor: Executor,
    specs: list[PlayerSpec],
    is_decided: Callable[[], bool] = lambda: False,
) -> None:
    """Play the missing games of a store and show progress. After an interrupt or error print how to resume; exit."""
    command, board = shlex.join(["kriegbot", *sys.argv[1:]]), None
    count = counted(len(missing), "game")
    print(f"{count} to play, into {store.path}. Rerun the same command to resume.", file=sys.stderr)
    try:
        if missing:
            ours = next((spec for spec in specs if spec.name != "rand" and not spec.is_outside), None)
            if ours is not None:  # kernels are compiled now, and not by each worker
                with preparing() as report, ProcessSeat(ours, report=report) as seat, contextlib.suppress(PlayerFailed):
                    seat.begin(0)
                    sys.stderr.write(seat.log())
        log = store.path.with_name(f"{store.path.name}.log")
        board = Scoreboard(store, len(missing))
        with logged_to(log), board.progress:
            run(store, missing, executor, board.count, is_decided)
    except KeyboardInterrupt:
        done = "" if board is None else f" after {board.done} of {board.wanted} games"
        print(f"kriegbot: interrupted{done}. To resume:\n  {command}", file=sys.stderr)
        raise typer.Exit(130) from None
    except (StoreError, ExecutorError) as error:
        if board is None:
            raise Refused(f"{error}.") from None
        saved = counted(board.done, "game")
        print(f"kriegbot: {error}. {saved} saved. To resume, fix this and rerun:\n  {command}", file=sys.stderr)
        raise typer.Exit(1) from None


class Scoreboard:
    """Progress of a tournament on stderr. `done` of `wanted` games are in the store."""

    def __init__(self, store: Store, missing: int) -> None:
        self.done = len(store.done())
        self.wanted = self.done + missing
        self._begun, self._played = time.monotonic(), 0
        self._is_single = len(store.settings.pairings) == 1
        self._points = [0, 0, 0]  # losses, draws and wins of the first player, if there is one pairing
        for game in store.game_rows():
            self._score(game.result, game.number)
        console = Console(stderr=True, highlight=False)
        columns = BarColumn(20), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn()
        self.progress = Progress(*columns, console=console, disable=not console.is_terminal)
        self._task = self.progress.add_task(self._standing(), total=self.wanted, completed=self.done)

    def count(self, outcome: Outcome) -> None:
        """Add the outcome of a game."""
        game, console = outcome.game, self.progress.console
        if not isinstance(outcome, Finished):
            console.print(f"Game {game.id}: {outcome.cause}, attempt {outcome.attempts}.", markup=False)
            return
        self.done += 1
        self._played += 1
        self._score(outcome.result, game.number)
        for side in (outcome.white, outcome.black):
            if side.failure:
                console.print(f"Game {game.id}: {side.player} {side.failure}.", markup=False)
        self.progress.update(self._task, completed=self.done, description=self._standing())
        is_new_share = self.done * SHARES // self.wanted > (self.done - 1) * SHARES // self.wanted
        if is_new_share and not console.is_terminal:
            left = timedelta(seconds=int((time.monotonic() - self._begun) / self._played * (self.wanted - self.done)))
            print(f"{self.done} of {self.wanted} games, {self._standing()}, {left} left", file=sys.stderr)

    def _standing(self) -> str:
        speed = f"{self._played / max(time.monotonic() - self._begun, 1e-9):.2f} games/s"
        lost, drawn, won = self._points
        if not self._is_single or not lost + drawn + won:
            return speed
        low, high = expected_utility_interval(lost, drawn, won)
        utility = expected_utility(lost, drawn, won)
        return f"W/D/L {won}/{drawn}/{lost}  EU {utility:.1f}% ({low:.1f} to {high:.1f})  {speed}"

    def _score(self, result: str, number: int) -> None:
        winner = {"1-0": 0, "0-1": 1}.get(result)
        self._points[1 if winner is None else 2 if winner == number % 2 else 0] += 1


def report(
    file: str = FILE,
    html: Path | None = option("OUT", "Write a self-contained page with plots.", parser=path_of),
    json: bool = common.JSON,
    sprt: Sprt | None = TEST,
) -> None:
    """Report on a tournament: results with intervals, how games ended, how long players took."""
    with refusing(StoreError), Store.open(file) as store:
        figures = report_of(store, sprt)
    if html is not None:
        save_whole(request.apart_from(file, html), page_of(figures).encode())
        print(f"Written to {html}.")
    elif json:
        print(dumps(figures.as_json(), indent=2, allow_nan=False))
    else:
        show_report(figures)


def export(
    file: str = FILE,
    form: str = option(
        "FORM", "pgn, all tries; csv or jsonl, a line per game.", "--format", **one_of("format", FORMS), default="pgn"
    ),
    out: Path | None = option("OUT", "The file to write.  [default: stdout]", parser=path_of),
) -> None:
    """Write the games of a tournament as PGN, CSV or lines of JSON.

    Columns of a CSV file, each game's, then each side's with white_ or black_ before the name:

    \b
      id, pairing, number    of the game; of its two players; of the game between them, from 0
      seed, white, black     the seed; the players
      result, reason, detail the result; how the game ended, and more of that
      plies, seconds         its length; the time that it took
      versions, finished     what it was played with; when it ended (UTC)
      turns, tries           the side's moves; its tries, refused ones and pointless questions too
      illegal, nonsense      open tries refused; tries and questions whose answer its own view had shown
      overruns               answers after the time allowed for them
      astray                 answers from boards that may contradict an announcement
      rescues                answers before which its belief was filled anew, by kind (JSON)
      failure                how it failed, if it did
    """  # noqa: D301 - \b keeps the lines that follow it
    with refusing(StoreError), Store.open(file) as store:
        store.check()  # before anything is written
        if out is None:
            FORMS[form](store, sys.stdout)
            return
        with atomic_file(request.apart_from(file, out)) as handle:
            target = TextIOWrapper(handle, encoding="utf-8", newline="")
            FORMS[form](store, target)
            target.detach()


def merge(
    out: Path = argument("OUT", "The file to write; games already in it stay."),
    parts: list[Path] = argument("FILE ...", "Parts of one tournament, such as shards."),
) -> None:
    """Put the games of several files of one tournament into one file."""
    with refusing(StoreError):
        with Store.open(parts[0]) as first:
            settings, games = first.settings, first.games
        for part in parts:
            with Store.open(part) as store:
                store.check()  # before a new file is made
        with Store.writing(out, settings, games) as store:
            for part in parts:
                print(f"{part}: {counted(store.copy_from(part), 'game')}")
            print(f"{out}: {counted(len(store.done()), 'game')}, {len(store.missing())} missing")
