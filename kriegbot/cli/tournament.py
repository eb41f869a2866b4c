"""`kriegbot tournament`: many games between programs, kept in one file; rerunning the command resumes it."""

from __future__ import annotations

import shlex
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from kriegbot.cli.completion import programs
from kriegbot.cli.programs import DrawnBy, Patience, Rules, Sandbox, sandbox_of, started

if TYPE_CHECKING:
    from pathlib import Path

    from kriegbot.players.specs import PlayerSpec
    from tournaments.executors import Executor
    from tournaments.play import SpecOf
    from tournaments.schedule import Pairing, Settings, Shard
    from tournaments.sprt import Sprt


def tournament(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="SPEC SPEC [SPEC ...]", help="Who plays: rand, overconfident:depth=2, ...", autocompletion=programs
        ),
    ],
    games: Annotated[
        str, typer.Option(metavar="N", help="Games of each pairing, half of them with each colour.")
    ] = "500",
    round_robin: Annotated[
        bool, typer.Option("--round-robin", help="Everybody against everybody (the default).")
    ] = False,
    gauntlet: Annotated[bool, typer.Option("--gauntlet", help="The first player against everybody else.")] = False,
    rules: Rules = "berkeley",
    limits: DrawnBy = "paper",
    seed: Annotated[
        str | None, typer.Option(metavar="N", help="Seed of the whole tournament.  [default: a fresh one]")
    ] = None,
    jobs: Annotated[str | None, typer.Option(metavar="N", help="Games at once.  [default: one a core]")] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where the games go.  [default: a name made from the settings]")
    ] = None,
    executor: Annotated[str, typer.Option(metavar="NAME", help="Who plays the games: local or dask.")] = "local",
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Of a Dask cluster; it gets a game for each thread, at least --jobs.  "
            "[default: a cluster on this machine]",
        ),
    ] = None,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Play part I of N; see `kriegbot merge`.")] = None,
    patience: Patience = None,
    sprt: Annotated[
        str | None,
        typer.Option(metavar="ELO0,ELO1", help="Stop once the test between these accepts one, in normalized Elo."),
    ] = None,
    sandbox: Sandbox = None,
) -> None:
    """Play many games between programs, and report on them.

    Every game is stored as soon as it is finished; rerun the same command to resume. A game depends on the settings
    and the seed alone, not on where it is played or how many are played at once.
    """
    from kriegbot import request
    from kriegbot.cli import arguments
    from kriegbot.players.specs import parse_spec
    from kriegbot.request import Refused

    is_sandboxed = sandbox_of(sandbox)
    specs = [request.program_of(text, sandbox=is_sandboxed) for text in players]
    pairings = _pairings_of([str(spec) for spec in specs], round_robin, gauntlet)
    rule_set, drawn = request.rules_of(rules), arguments.limits_of(limits)
    wanted, part = arguments.games_of(games), arguments.shard_of(shard)
    given = None if seed is None else request.seed_of(seed)
    if shard is not None and given is None:
        raise Refused("--shard takes --seed too, the same for all parts; a fresh one would differ from part to part.")
    test = arguments.sprt_of(sprt)
    if test is not None and len(pairings) > 1:
        raise Refused(f"--sprt compares two players; here are {len(specs)}.")
    from tournaments.schedule import Settings

    path = arguments.store_path_of(out, (pairings, rule_set, drawn, given), part)
    settings = Settings(pairings, rule_set, drawn, _seed_at(path) if given is None else given)
    workers = _executor(executor, scheduler, jobs, patience, partial(parse_spec, sandbox=is_sandboxed))
    _play(specs, settings, wanted, part, path, workers, test)


def _seed_at(path: Path) -> int:
    """The seed of the tournament that is to be resumed; a fresh one if there is none."""
    from os.path import getsize, isfile

    from kriegbot.request import Refused, seed_of
    from tournaments.store import Store, StoreError

    if not isfile(path) or not getsize(path):
        return seed_of(None)
    try:
        with Store.open(path) as store:
            return store.settings.seed
    except StoreError as error:
        raise Refused(f"{error}.") from None


def _pairings_of(players: list[str], round_robin: bool, is_gauntlet: bool) -> tuple[Pairing, ...]:
    from kriegbot.request import Refused
    from tournaments.schedule import gauntlet
    from tournaments.schedule import round_robin as everybody

    if len(players) < 2:
        raise Refused("a tournament takes at least two players.")
    if round_robin and is_gauntlet:
        raise Refused("it takes --round-robin or --gauntlet, not both.")
    twice = next((player for player in players if players.count(player) > 1), None)
    if twice is not None and len(players) > 2:
        raise Refused(f"player '{twice}' is named twice; only a tournament of two may have equal players.")
    return gauntlet(players) if is_gauntlet else everybody(players)


def _executor(name: str, scheduler: str | None, jobs: str | None, patience: str | None, spec_of: SpecOf) -> Executor:
    from kriegbot.cli import arguments
    from kriegbot.request import Refused

    count = arguments.jobs_of(jobs)
    waits = None if patience is None else arguments.seconds_of(patience, "patience")
    if name == "local":
        if scheduler is not None:
            raise Refused("--scheduler goes with --executor dask.")
        from tournaments.executors import LocalExecutor

        return LocalExecutor(count, waits, spec_of)
    if name == "dask":
        from tournaments.executors import ExecutorError

        try:
            from tournaments.dask_executor import DaskExecutor

            return DaskExecutor(count, scheduler, waits, spec_of)
        except ExecutorError as error:
            raise Refused(str(error)) from None
    raise Refused(f"unknown executor '{name}'; known: local, dask.")


def _play(
    specs: list[PlayerSpec],
    settings: Settings,
    games: int,
    shard: Shard,
    path: Path,
    executor: Executor,
    test: Sprt | None,
) -> None:
    from kriegbot.cli.scoreboard import Scoreboard
    from kriegbot.request import Refused
    from tournaments.executors import ExecutorError
    from tournaments.logs import logged_to
    from tournaments.report import decision_of, report_of
    from tournaments.report_tables import show_report
    from tournaments.run import run
    from tournaments.store import Store, StoreError

    again = shlex.join(["kriegbot", *sys.argv[1:]])
    board = None
    try:
        with Store.writing(path, settings, games, shard) as store:
            missing = store.missing()
            print(
                f"{len(missing)} games to play, into {path}. Rerun the same command to resume.",
                file=sys.stderr,
            )
            if missing:
                warm_up(specs)
            with (
                logged_to(path.with_name(f"{path.name}.log"), executor.queue),
                Scoreboard(store, len(missing)) as board,
            ):
                run(
                    store,
                    missing,
                    executor,
                    board.count,
                    lambda: test is not None and decision_of(store, test) is not None,
                )
            figures = report_of(store, test)
    except KeyboardInterrupt:
        done = "" if board is None else f" after {board.done} of {board.wanted} games"
        print(f"kriegbot: interrupted{done}. To resume:\n  {again}", file=sys.stderr)
        raise typer.Exit(130) from None
    except (StoreError, ExecutorError) as error:
        if board is None:
            raise Refused(f"{error}.") from None
        print(
            f"kriegbot: {error}. {board.done} games are safe. To resume, once that is fixed:\n  {again}",
            file=sys.stderr,
        )
        raise typer.Exit(1) from None
    show_report(figures)
    if figures.forfeits or figures.incidents:
        raise typer.Exit(1)


def warm_up(specs: list[PlayerSpec]) -> None:
    """Has kernels compiled, once, before several workers would each compile them; and has outside players sit down."""
    from kriegbot.cli.progress import preparing
    from kriegbot.game.process import ProcessSeat
    from kriegbot.game.seat import Failure, PlayerFailed
    from kriegbot.request import Refused

    ours = next((spec for spec in specs if spec.name != "rand"), specs[0])
    for spec in dict.fromkeys([ours, *(spec for spec in specs if spec.is_outside)]):
        with preparing() as report, started(), ProcessSeat(spec, report=report) as seat:
            try:
                seat.begin(0)
            except PlayerFailed as failed:  # any other failure loses games
                if failed.failure is Failure.REFUSED:
                    raise Refused(failed.detail) from None
