"""`kriegbot check-player`: puts a player, of ours or from outside, through the test that every player must pass."""

from __future__ import annotations

from typing import Annotated

import typer

from kriegbot.cli.completion import programs
from kriegbot.cli.programs import Sandbox, sandbox_of, started
from kriegbot.request import Refused


def check_player(
    player: Annotated[
        str,
        typer.Argument(
            metavar="SPEC",
            help="Who: rand, path/bot.py:Class, package.module:Class, program:COMMAND.",
            autocompletion=programs,
        ),
    ],
    patience: Annotated[
        str | None, typer.Option(metavar="SECONDS", help="How long one answer may take.  [default: 300]")
    ] = None,
    sandbox: Sandbox = None,
) -> None:
    """Check that a player plays: under every rule set, from unusual positions, and in time.

    The exit code is 1 if it fails in anything.
    """
    from kriegbot import request
    from kriegbot.cli import arguments
    from kriegbot.game.conformance import conformance

    spec = request.program_of(player, sandbox=sandbox_of(sandbox))
    waits = None if patience is None else arguments.seconds_of(patience, "patience")
    failures = 0
    with started():
        for check in conformance(spec, waits):
            if check.is_refused:
                raise Refused(check.detail)
            print(f"{'ok    ' if check.is_good else 'FAILED'}  {check.what}: {check.detail}", flush=True)
            failures += not check.is_good
    print(f"{spec}: {'passed' if not failures else f'{failures} failures'}")
    if failures:
        raise typer.Exit(1)
