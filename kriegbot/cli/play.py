"""`kriegbot play`: a person against a program."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kriegbot.cli.programs import Rules, Sandbox, check_begun, sandbox_of, started
from kriegbot.cli.screen import drawing_console
from kriegbot.request import Refused

if TYPE_CHECKING:
    import chess

    from kriegbot.cli.heat import HeatMap
    from kriegbot.cli.plain import PlainConsole
    from kriegbot.cli.terminal import TerminalConsole
    from kriegbot.players.specs import PlayerSpec
    from referee import RuleSet
    from tournaments.match import Played

ON_PAGE = ("opponent", "level", "color", "rules", "time", "seed", "show_belief", "sandbox")
"""Options for what is chosen on the page, if there is one."""
FOR_PAGE = ("port", "host", "no_browser")
"""Options of the page."""


def play(
    context: typer.Context,
    opponent: Annotated[str, typer.Option(metavar="SPEC", help="Your opponent; see `kriegbot players`.")] = (
        "kriegbot"
    ),
    level: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="How well it plays: beginner, casual, club, strong, master or best."),
    ] = None,
    color: Annotated[str, typer.Option(metavar="COLOR", help="Your side: white, black or random.")] = "white",
    rules: Rules = "berkeley",
    time: Annotated[
        str | None, typer.Option(metavar="SECONDS", help="The opponent's time to think.  [default: from its spec]")
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="N", help="Seed of the opponent.  [default: a fresh one]")] = None,
    save: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Save the game as PGN, even if it is abandoned; with --web, a folder."),
    ] = None,
    show_belief: Annotated[
        bool, typer.Option("--show-belief", help="Show where the opponent's men may be, from what you know yourself.")
    ] = False,
    web: Annotated[
        bool, typer.Option("--web", help="Play on a local page, in a browser; choose the game there.")
    ] = False,
    port: Annotated[
        str | None, typer.Option(metavar="N", help="With --web: the port.  [default: any free one]")
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="With --web: where to listen.  [default: 127.0.0.1, this machine alone]"),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="With --web: only print the address.")] = False,
    sandbox: Sandbox = None,
) -> None:
    """Play a game of Kriegspiel against a program.

    Write a try as e4, Nf3, exd5, O-O, e8=Q or e2e4; the commands are help, tries, board, resign and quit.

    If stdin or stdout is not a terminal, everything is plain text, for scripts: after each line "White to try:" (or
    "Black to try:") write one line, a try or a command. What was tried and heard comes back as lines that begin with
    the move number. The end of input abandons the game.

    With --web games are played on a local page, and all are saved.
    """
    from kriegbot import request
    from kriegbot.cli import arguments

    _refuse_together(context, ON_PAGE if web else FOR_PAGE, is_on_page=web)
    if web:
        from kriegbot.cli.page import open_page

        open_page(port, save, host or "127.0.0.1", has_browser=not no_browser)
        return
    if level is not None:
        if _is_given(context, "opponent"):
            raise Refused("--level is a level of the player kriegbot; leave --opponent out, or --level.")
        opponent = f"kriegbot:level={level}"
    spec = request.program_of(opponent, sandbox=sandbox_of(sandbox))
    if time is not None:
        spec = arguments.with_time(spec, time)
    number = request.seed_of(seed)
    side = request.color_of(color, number)
    rule_set = request.rules_of(rules)
    path = None if save is None else arguments.path_of(save)
    with _one_interrupt(), started():
        _play(spec, side, rule_set, number, path, is_seed_given=seed is not None, show_belief=show_belief)


def _refuse_together(context: typer.Context, names: Sequence[str], *, is_on_page: bool) -> None:
    """Refuses options of the game with a page, and options of the page without one."""
    for name in names:
        if _is_given(context, name):
            option = f"--{name.replace('_', '-')}"
            why = "is chosen on the page; leave it out" if is_on_page else "goes with --web; add that"
            raise Refused(f"{option} {why}.")


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


@contextmanager
def _one_interrupt() -> Iterator[None]:
    """Within, the first Ctrl-C, or the end of the terminal, is an interrupt; later ones do not prevent saving."""
    is_interrupted = False

    def interrupt(_number: int, _frame: object) -> None:
        nonlocal is_interrupted
        if not is_interrupted:
            is_interrupted = True
            raise KeyboardInterrupt

    numbers = {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _play(
    spec: PlayerSpec,
    side: chess.Color,
    rules: RuleSet,
    seed: int,
    path: Path | None,
    *,
    is_seed_given: bool,
    show_belief: bool,
) -> None:
    from kriegbot.players.human import HumanPlayer
    from kriegbot.players.process import ProcessSeat
    from kriegbot.players.seat import HereSeat
    from tournaments.match import play_game

    console = _console({side: "you", (not side): str(spec)}, show_belief=show_belief)
    person = HereSeat("human", lambda _seed: HumanPlayer(console), on_wait=console.wait)
    seat = ProcessSeat(spec, report=console.preparing)
    try:
        console.greet(rules, seed if is_seed_given else None)
        seats = (person, seat) if side else (seat, person)
        played = play_game(*seats, rules=rules, seed=seed, event="kriegbot play")
    finally:
        seat.close()
        console.close()
    check_begun(played)
    _finish(console, played, side, path)


def _console(names: dict[chess.Color, str], *, show_belief: bool) -> PlainConsole | TerminalConsole:
    heat: HeatMap | None = None
    if show_belief:
        from kriegbot.cli.heat import HeatMap
        from kriegbot.cli.progress import preparing
        from kriegbot.kernels import prepare

        with preparing() as report:
            prepare(report)
        heat = HeatMap()
    terminal = drawing_console()
    if terminal is not None:
        from kriegbot.cli.terminal import TerminalConsole

        return TerminalConsole(terminal, names, heat)
    from kriegbot.cli.plain import PlainConsole

    return PlainConsole(names, heat)


def _finish(console: PlainConsole | TerminalConsole, played: Played, side: chess.Color, path: Path | None) -> None:
    from kriegbot.cli.saving import free_name, save_game

    final = None
    for step in played.record.replay():
        final = step.referee
    if final is not None:
        console.finish(played.record, final.view(side), final.board())
    failed = played.statistics(not side)
    if failed.failure:
        print(failed.log.rstrip(), file=sys.stderr)
    end = played.record.end
    is_broken_off = played.interrupted or (end is not None and end.detail in ("end of input", "interrupted"))
    if path is None and sys.stdin.isatty() and sys.stdout.isatty() and not is_broken_off:
        path = _asked(free_name())
    if path is not None:
        print(save_game(played.record, path), flush=True)
    elif is_broken_off:
        print("Not saved; --save FILE keeps an abandoned game.", flush=True)
    if played.interrupted or (end is not None and end.detail == "interrupted"):
        raise typer.Exit(130)


def _asked(name: Path) -> Path | None:
    """Asks where to save a game played without --save: Enter accepts the name, n declines."""
    from kriegbot.cli.arguments import path_of

    while True:
        try:
            answer = input(f"Save as {name}? [Y, n, or another name] ").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            return None
        if answer.lower() in ("n", "no"):
            return None
        try:
            return path_of(str(name) if answer.lower() in ("", "y", "yes") else answer)
        except Refused as error:
            print(error)
