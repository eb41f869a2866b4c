"""`kriegbot match`: one game between two programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from kriegbot.cli.completion import programs
from kriegbot.cli.programs import DrawnBy, Patience, Rules, Sandbox, check_begun, sandbox_of, started

if TYPE_CHECKING:
    from kriegbot.game.match import Played


def match(
    white: Annotated[
        str,
        typer.Argument(
            metavar="WHITE", help="Who plays White: rand, overconfident:depth=2, ...", autocompletion=programs
        ),
    ],
    black: Annotated[str, typer.Argument(metavar="BLACK", help="Who plays Black.", autocompletion=programs)],
    rules: Rules = "berkeley",
    limits: DrawnBy = "paper",
    seed: Annotated[str | None, typer.Option(metavar="N", help="Seed of both players.  [default: a fresh one]")] = None,
    patience: Patience = None,
    save: Annotated[str | None, typer.Option(metavar="FILE", help="Save the game as PGN.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print result and statistics as one JSON object.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each search believed, and its best tries.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print just the result.")] = False,
    sandbox: Sandbox = None,
) -> None:
    """Play one game between two programs, and show what each side saw.

    By default the paper's limits hold: a draw after 160 plies, or after 50 without a pawn move or capture.
    """
    from kriegbot import request
    from kriegbot.cli import arguments
    from kriegbot.cli.progress import preparing
    from kriegbot.game.match import play_game
    from kriegbot.game.process import ProcessSeat

    is_sandboxed = sandbox_of(sandbox)
    specs = [request.program_of(text, sandbox=is_sandboxed) for text in (white, black)]
    rule_set, drawn = request.rules_of(rules), arguments.limits_of(limits)
    number = request.seed_of(seed)
    waits = None if patience is None else arguments.seconds_of(patience, "patience")
    path = None if save is None else arguments.path_of(save)
    with preparing() as report, started():
        seats = [ProcessSeat(spec, patience=waits, report=report) for spec in specs]
        try:
            played = play_game(*seats, rules=rule_set, limits=drawn, seed=number, event="kriegbot match")
        finally:
            for seat in seats:
                seat.close()
    check_begun(played)
    _show(played, number, json=json, quiet=quiet, explain=explain)
    if path is not None:
        from kriegbot.cli.saving import save_game

        print(save_game(played.record, path), file=sys.stderr)
    if played.interrupted:
        raise typer.Exit(130)


def _explained(played: Played) -> dict[int, list[str]]:
    """What the players said of each answer, by ply."""
    lines: dict[int, list[str]] = {}
    for thought in played.thoughts:
        if thought.report.why:
            name = "White" if thought.color else "Black"
            lines.setdefault(thought.ply, []).append(f"{name}: {thought.report.why}")
    return lines


def _show(played: Played, seed: int, *, json: bool, quiet: bool, explain: bool) -> None:
    from kriegbot.narration.playthrough import ending, playthrough

    for statistics in (played.white, played.black):
        if statistics.log and not json:
            print(f"--- {statistics.player} wrote:", statistics.log.rstrip(), "---", sep="\n", file=sys.stderr)
    if json:
        from json import dumps

        end = played.record.end
        report = {
            "result": played.record.result,
            "reason": end.reason.value if end else None,
            "detail": end.detail if end else "",
            "plies": len(played.record.turns),
            "seed": str(seed),  # up to 128 bits: more than a number of JSON holds everywhere
            "rules": played.record.rules.name,
            "limits": {"plies": played.record.limits.plies, "quiet": played.record.limits.quiet_plies},
            "white": played.white.as_json(),
            "black": played.black.as_json(),
        }
        print(dumps(report, indent=2))
    elif quiet:
        print(ending(played.record))
    else:
        print(*playthrough(played.record, _explained(played) if explain else None), sep="\n")
