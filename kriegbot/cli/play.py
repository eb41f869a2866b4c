"""`kriegbot play`: a person against a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from kriegbot.cli.completion import colors, levels, programs
from kriegbot.cli.programs import Rules, Sandbox, sandbox_of
from kriegbot.request import Refused

ON_PAGE = ("opponent", "level", "color", "rules", "time", "seed", "show_belief", "sandbox")
"""Options for what is chosen on the page, if there is one."""
FOR_PAGE = ("port", "host", "no_browser")
"""Options of the page."""


def play(
    context: typer.Context,
    opponent: Annotated[
        str, typer.Option(metavar="SPEC", help="Your opponent; see `kriegbot players`.", autocompletion=programs)
    ] = ("kriegbot"),
    level: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How well it plays: beginner, casual, club, strong, master or best.",
            autocompletion=levels,
        ),
    ] = None,
    color: Annotated[
        str, typer.Option(metavar="COLOR", help="Your side: white, black or random.", autocompletion=colors)
    ] = "white",
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

    A game that is broken off at a terminal is saved; `kriegbot resume` goes on with it.

    With --web games are played on a local page, and all are saved.
    """
    from kriegbot import request
    from kriegbot.cli import arguments
    from kriegbot.cli.person import PersonGame

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
    game = PersonGame(spec, side, rule_set, number, is_seed_given=seed is not None)
    game.play(path, show_belief=show_belief)


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
