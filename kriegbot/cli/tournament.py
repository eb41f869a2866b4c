"""`kriegbot tournament`, `report`, `export` and `merge`: many games between programs, in one file.

Rerunning a tournament's command resumes it; its file is to be read, passed on or put together.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from io import TextIOWrapper
from json import dumps
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from kriegbot.cli import common
from kriegbot.cli.common import argument, option
from kriegbot.cli.progress import Scoreboard, preparing
from kriegbot.game.process import ProcessSeat
from kriegbot.game.sandbox import can_read as sandbox_shows
from kriegbot.game.sandbox import why_unavailable as sandbox_fault
from kriegbot.game.seat import PlayerFailed
from kriegbot.players.specs import BadSpec, PlayerSpec, parse_spec, versions_of
from kriegbot.request import Refused, limits_of, path_of, program_of, refusing, save_whole, seed_of, whole_of
from referee import Limits, RuleSet
from referee.files import whole
from referee.text import quoted, unknown
from tournaments.play import SpecOf, logged_to
from tournaments.report import decision_of, report_of
from tournaments.report_page import MISSING, are_missing, page_of
from tournaments.report_tables import show_report
from tournaments.run import Executor, ExecutorError, LocalExecutor, run
from tournaments.schedule import MOST_GAMES, Pairing, ScheduledGame, Shard, TournamentSettings
from tournaments.schedule import gauntlet as first_against_all
from tournaments.schedule import round_robin as all_against_all
from tournaments.statistics import Sprt
from tournaments.store import FORMS, Store, StoreError

File: TypeAlias = Annotated[str, argument("FILE", "A tournament, finished or not.")]


def tournament(
    players: Annotated[
        list[str],
        argument("SPEC SPEC [SPEC ...]", "Who plays: rand, overconfident:depth=2, ...", complete=common.programs),
    ],
    games: Annotated[str, option("N", "Games of each pairing, half of them with each colour.")] = "500",
    round_robin: Annotated[
        bool, typer.Option("--round-robin", help="Everybody against everybody (the default).")
    ] = False,
    gauntlet: Annotated[bool, typer.Option("--gauntlet", help="The first player against everybody else.")] = False,
    rules: common.Rules = "berkeley",
    limits: common.DrawnBy = "paper",
    seed: Annotated[str | None, option("N", "Seed of the whole tournament.  [default: a fresh one]")] = None,
    jobs: Annotated[str | None, option("N", "Games at once.  [default: one a core]")] = None,
    out: Annotated[str | None, option("FILE", "Where the games go.  [default: a name made from the settings]")] = None,
    executor: Annotated[str, option("NAME", "Who plays the games: local or dask.")] = "local",
    scheduler: Annotated[
        str | None,
        option(
            "ADDRESS",
            "Of a Dask cluster; it gets a game for each thread, at least --jobs.  [default: a cluster on this machine]",
        ),
    ] = None,
    shard: Annotated[str | None, option("I/N", "Play part I of N; see `kriegbot merge`.")] = None,
    patience: common.Patience = None,
    sprt: Annotated[
        str | None, option("ELO0,ELO1", "Stop once the test between these accepts one, in normalized Elo.")
    ] = None,
    sandbox: common.Sandbox = None,
) -> None:
    """Play many games between programs, and report on them.

    Every game is stored as soon as it is finished; rerun the same command to resume. A game depends on the settings
    and the seed alone, not on where it is played or how many are played at once.
    """
    is_sandboxed = common.sandbox_of(sandbox)
    specs = [program_of(text, sandbox=is_sandboxed) for text in players]
    pairings = _pairings_of([str(spec) for spec in specs], round_robin, gauntlet)
    rule_set, drawn = common.rules_from(rules, sandbox=is_sandboxed), limits_of(limits)
    wanted, part = games_of(games), _shard_of(shard)
    given = None if seed is None else seed_of(seed)
    if shard is not None and given is None:
        raise Refused("--shard takes --seed too, the same for all parts; a fresh one would differ from part to part.")
    test = sprt_of(sprt)
    if test is not None and len(pairings) > 1:
        raise Refused(f"--sprt compares two players; here are {len(specs)}.")
    path = _store_path_of(out, (pairings, rule_set, drawn, given), part)
    _check_hidden(path, specs)
    common.check_players(specs, rule_set)
    with refusing(BadSpec):
        files = versions_of(specs)
    settings = TournamentSettings(pairings, rule_set, drawn, _seed_at(path) if given is None else given, files)
    workers = _executor(executor, scheduler, jobs, patience, partial(parse_spec, sandbox=is_sandboxed))
    with refusing(StoreError, ending="."), Store.writing(path, settings, wanted, part) as store:

        def is_decided() -> bool:
            return test is not None and decision_of(store, test) is not None

        play_missing(store, store.missing(), workers, specs, is_decided)
        figures = report_of(store, test)
    show_report(figures)
    if figures.forfeits or figures.incidents:
        raise typer.Exit(1)


def games_of(text: str) -> int:
    """A number of games, half of them with each colour."""
    games = whole_of(text, "number of games", 2, MOST_GAMES)
    if games % 2:
        raise Refused(f"illegal number of games '{games}': it takes an even one, half of them with each colour.")
    return games


def jobs_of(text: str | None) -> int:
    """How many games at once; by default one for each core that this process may use."""
    if text is not None:
        return whole_of(text, "number of jobs", 1, 1024)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _shard_of(text: str | None) -> Shard:
    """A part of a tournament, such as 2/5; by default all of it."""
    with refusing(ValueError, ending="."):
        return Shard() if text is None else Shard.parse(text)


def _store_path_of(
    text: str | None, settings: tuple[Sequence[Pairing], RuleSet, Limits, int | None], shard: Shard
) -> Path:
    """The file of a tournament; by default its name follows from pairings, rules, limits and seed, if one is given."""
    if text is not None:
        if not text or os.path.isdir(text):
            raise Refused(f"cannot save to {quoted(text)}: it takes a file name.")
        return Path(text)
    pairings, rules, limits, seed = settings
    whole = repr(([(pairing.first, pairing.second) for pairing in pairings], rules.text, limits, seed))
    part = "" if shard.count == 1 else f"-{shard.index}-of-{shard.count}"
    return Path(f"tournament-{hashlib.sha256(whole.encode()).hexdigest()[:8]}{part}.sqlite")


def _check_hidden(path: Path, specs: list[PlayerSpec]) -> None:
    """Raises Refused if a player could read the tournament's file, and so its opponents' seeds, in its sandbox."""
    for spec in specs:
        if spec.is_outside and spec.sandbox and not sandbox_fault() and sandbox_shows(spec, path):
            raise Refused(
                f"cannot save to {quoted(str(path))}: player {quoted(str(spec))} can read it, and with it the seeds; "
                "give it a folder of its own, or another --out."
            )


def _seed_at(path: Path) -> int:
    """The seed of the tournament that is to be resumed; a fresh one if there is none."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return seed_of(None)
    with refusing(StoreError, ending="."), Store.open(path) as store:
        return store.settings.seed


def _pairings_of(players: list[str], round_robin: bool, gauntlet: bool) -> tuple[Pairing, ...]:
    if len(players) < 2:
        raise Refused("a tournament takes at least two players.")
    if round_robin and gauntlet:
        raise Refused("it takes --round-robin or --gauntlet, not both.")
    twice = next((player for player in players if players.count(player) > 1), None)
    if twice is not None and len(players) > 2:
        raise Refused(f"player '{twice}' is named twice; only a tournament of two may have equal players.")
    return first_against_all(players) if gauntlet else all_against_all(players)


def _executor(name: str, scheduler: str | None, jobs: str | None, patience: str | None, spec_of: SpecOf) -> Executor:
    count, waits = jobs_of(jobs), common.patience_of(patience)
    if name == "local":
        if scheduler is not None:
            raise Refused("--scheduler goes with --executor dask.")
        return LocalExecutor(count, waits, spec_of)
    if name == "dask":
        with refusing(ExecutorError):
            from tournaments.dask_executor import DaskExecutor  # an extra, which need not be installed

            return DaskExecutor(count, scheduler, waits, spec_of)
    raise Refused(unknown("executor", name, ("local", "dask")))


def play_missing(
    store: Store,
    missing: Sequence[ScheduledGame],
    executor: Executor,
    specs: list[PlayerSpec],
    is_decided: Callable[[], bool] = lambda: False,
) -> None:
    """Plays games that a store misses, and shows how it goes; if that is broken off, says how to resume it."""
    again, board = shlex.join(["kriegbot", *sys.argv[1:]]), None
    print(f"{len(missing)} games to play, into {store.path}. Rerun the same command to resume.", file=sys.stderr)
    try:
        if missing:
            warm_up(specs)
        log = store.path.with_name(f"{store.path.name}.log")
        with logged_to(log, executor.queue), Scoreboard(store, len(missing)) as board:
            run(store, missing, executor, board.count, is_decided)
    except KeyboardInterrupt:
        done = "" if board is None else f" after {board.done} of {board.wanted} games"
        print(f"kriegbot: interrupted{done}. To resume:\n  {again}", file=sys.stderr)
        raise typer.Exit(130) from None
    except (StoreError, ExecutorError) as error:
        if board is None:
            raise Refused(f"{error}.") from None
        told = f"kriegbot: {error}. {board.done} games are safe. To resume, once that is fixed:\n  {again}"
        print(told, file=sys.stderr)
        raise typer.Exit(1) from None


def warm_up(specs: list[PlayerSpec]) -> None:
    """Has kernels compiled, once, before several workers would each compile them."""
    ours = next((spec for spec in specs if spec.name != "rand" and not spec.is_outside), None)
    if ours is not None:
        with preparing() as report, ProcessSeat(ours, report=report) as seat, contextlib.suppress(PlayerFailed):
            seat.begin(0)


def report(
    file: File,
    html: Annotated[str | None, option("OUT", "Write a self-contained page with plots.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
    sprt: Annotated[str | None, option("ELO0,ELO1", "Test between these, in normalized Elo.")] = None,
) -> None:
    """Report on a tournament: results with intervals, how games ended, how long players took."""
    test = sprt_of(sprt)
    page = None if html is None else path_of(html)
    with refusing(StoreError, ending="."), Store.open(file) as store:
        figures = report_of(store, test)
    if page is not None:
        save_whole(page, page_of(figures).encode())
        print(f"Written to {page}.")
        if are_missing():
            print(f"It has no plots: {MISSING}.")
    elif json:
        print(dumps(figures.as_json(), indent=2, allow_nan=False))
    else:
        show_report(figures)


def sprt_of(text: str | None) -> Sprt | None:
    """A sequential test between two differences of normalized Elo, such as 0,5."""
    if text is None:
        return None
    try:
        elo0, elo1 = (float(part) for part in text.split(","))
        return Sprt(elo0, elo1)
    except ValueError:
        raise Refused(f"illegal sprt {quoted(text)}: it takes two numbers, such as 0,5, the smaller first.") from None


def export(
    file: File,
    form: Annotated[
        str, option("FORM", "pgn: games with all tries; csv or jsonl: one line a game.", "--format")
    ] = "pgn",
    out: Annotated[str | None, option("OUT", "Where to.  [default: stdout]")] = None,
) -> None:
    """Write the games of a tournament as PGN, CSV or lines of JSON."""
    if form not in FORMS:
        raise Refused(unknown("format", form, FORMS))
    path = None if out is None else path_of(out)
    with refusing(StoreError, ending="."), Store.open(file) as store:
        if path is None:
            FORMS[form](store, sys.stdout)
            return
        with whole(path) as handle:
            target = TextIOWrapper(handle, encoding="utf-8", newline="")
            FORMS[form](store, target)
            target.detach()


def merge(
    out: Annotated[str, argument("OUT", "Where the games go; games already in it stay.")],
    parts: Annotated[list[str], argument("FILE ...", "Parts of one tournament, such as shards.")],
) -> None:
    """Put the games of several files of one tournament into one file."""
    with refusing(StoreError, ending="."):
        with Store.open(parts[0]) as first:
            settings, games = first.settings, first.games
        for part in parts:
            with Store.open(part) as one:
                one.check()  # before there is an empty file
        with Store.writing(Path(out), settings, games) as store:
            for part in parts:
                print(f"{part}: {store.take_from(Path(part))} games")
            print(f"{out}: {len(store.done())} games, {len(store.missing())} missing")
