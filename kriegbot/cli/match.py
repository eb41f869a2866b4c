"""`kriegbot match` and `check-player`: one game between two programs, and a player put through every test."""

from __future__ import annotations

import sys
from json import dumps
from typing import Annotated

import typer

from kriegbot.cli import common
from kriegbot.cli.common import argument, option
from kriegbot.cli.progress import preparing
from kriegbot.game.conformance import conformance
from kriegbot.game.match import GameResult, play_game
from kriegbot.game.process import ProcessSeat
from kriegbot.narration.moments import ending, playthrough
from kriegbot.request import Refused, limits_of, path_of, program_of, seed_of


def match(
    white: Annotated[
        str, argument("WHITE", "Who plays White: rand, overconfident:depth=2, ...", complete=common.programs)
    ],
    black: Annotated[str, argument("BLACK", "Who plays Black.", complete=common.programs)],
    rules: common.Rules = "berkeley",
    limits: common.DrawnBy = "paper",
    seed: Annotated[str | None, option("N", "Seed of both players.  [default: a fresh one]")] = None,
    patience: common.Patience = None,
    save: Annotated[str | None, option("FILE", "Save the game as PGN.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print result and statistics as one JSON object.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each search believed, and its best tries.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print just the result.")] = False,
    sandbox: common.Sandbox = None,
) -> None:
    """Play one game between two programs, and show what each side saw.

    By default the paper's limits hold: a draw after 160 plies, or after 50 without a pawn move or capture.
    """
    is_sandboxed = common.sandbox_of(sandbox)
    specs = [program_of(text, sandbox=is_sandboxed) for text in (white, black)]
    rule_set, drawn = common.rules_from(rules, sandbox=is_sandboxed), limits_of(limits)
    number = seed_of(seed)
    waits = common.patience_of(patience)
    path = None if save is None else path_of(save)
    common.check_players(specs, rule_set)
    with preparing() as report:
        seats = [ProcessSeat(spec, patience=waits, report=report) for spec in specs]
        try:
            played = play_game(*seats, rules=rule_set, limits=drawn, seed=number, event="kriegbot match")
        finally:
            for seat in seats:
                seat.close()
    common.check_begun(played)
    if not json:
        _show_logs(played)
    if json:
        print(dumps(_as_json(played, number), indent=2))
    elif quiet:
        print(ending(played.record))
    else:
        print(*playthrough(played.record, _explained(played) if explain else None), sep="\n")
    if path is not None:
        print(common.save_game(played.record, path), file=sys.stderr)
    if played.interrupted:
        raise typer.Exit(130)


def _show_logs(played: GameResult) -> None:
    for statistics in (played.white, played.black):
        if statistics.log:
            print(f"--- {statistics.player} wrote:", statistics.log.rstrip(), "---", sep="\n", file=sys.stderr)


def _as_json(played: GameResult, seed: int) -> dict[str, object]:
    record = played.record
    end = record.end
    return {
        "result": record.result,
        "reason": end.reason.value if end else None,
        "detail": end.detail if end else "",
        "plies": len(record.turns),
        "seed": str(seed),  # up to 128 bits: more than a number of JSON holds everywhere
        "rules": record.rules.name,
        "limits": {"plies": record.limits.plies, "quiet": record.limits.quiet_plies},
        "white": played.white.as_json(),
        "black": played.black.as_json(),
    }


def _explained(played: GameResult) -> dict[int, list[str]]:
    """What the players said of each answer, by ply."""
    lines: dict[int, list[str]] = {}
    for thought in played.thoughts:
        if thought.report.why:
            name = "White" if thought.color else "Black"
            lines.setdefault(thought.ply, []).append(f"{name}: {thought.report.why}")
    return lines


def check_player(
    player: Annotated[
        str,
        argument(
            "SPEC", "Who: rand, path/bot.py:Class, package.module:Class, program:COMMAND.", complete=common.programs
        ),
    ],
    patience: Annotated[str | None, option("SECONDS", "How long one answer may take.  [default: 300]")] = None,
    sandbox: common.Sandbox = None,
) -> None:
    """Check that a player plays: under every rule set, from unusual positions, and in time.

    The exit code is 1 if it fails in anything.
    """
    spec = program_of(player, sandbox=common.sandbox_of(sandbox))
    waits = common.patience_of(patience)
    failures = 0
    for check in conformance(spec, waits):
        if check.is_refused:
            raise Refused(check.detail)
        print(f"{'ok    ' if check.is_good else 'FAILED'}  {check.what}: {check.detail}", flush=True)
        failures += not check.is_good
    print(f"{spec}: {'passed' if not failures else f'{failures} failures'}")
    if failures:
        raise typer.Exit(1)
