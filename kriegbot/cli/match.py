"""`kriegbot match` and `check-player`: one game between two programs, and the test of one."""

from __future__ import annotations

import sys
from json import dumps
from typing import Annotated, TypeAlias

import typer

from kriegbot.cli import common
from kriegbot.cli.common import argument, flag, preparing
from kriegbot.game.conformance import conformance
from kriegbot.game.match import GameResult, play_game
from kriegbot.game.process import ProcessSeat
from kriegbot.narration.moments import ending, playthrough
from kriegbot.request import Refused, limits_of, program_of, seed_of

Player: TypeAlias = Annotated[
    str,
    argument("SPEC", "rand, path/bot.py:Class, package.module:Class or program:COMMAND.", complete=common.programs),
]


def match(
    white: Annotated[
        str, argument("WHITE", "White's player: rand, overconfident:depth=2, ...", complete=common.programs)
    ],
    black: Annotated[str, argument("BLACK", "Black's player.", complete=common.programs)],
    rules: common.Rules = "berkeley",
    limits: common.DrawLimits = "paper",
    seed: common.Seed = None,
    patience: common.Patience = None,
    save: common.Save = None,
    json: common.Json = False,
    explain: Annotated[bool, flag("Show each search's belief and best tries.", "--explain")] = False,
    quiet: Annotated[bool, flag("Print only the result.", "--quiet", "-q")] = False,
    sandbox: common.Sandbox = None,
) -> None:
    """Play one game between two programs and show what each side saw.

    By default the paper's limits apply: a draw after 160 plies, or after 50 without a pawn move or capture.
    """
    is_sandboxed = common.sandbox_of(sandbox)
    specs = [program_of(text, sandbox=is_sandboxed) for text in (white, black)]
    rule_set, draw_limits = common.rules_from(rules, sandbox=is_sandboxed), limits_of(limits)
    number = seed_of(seed)
    common.check_players(specs, rule_set)
    with preparing() as report:
        seats = [ProcessSeat(spec, patience=patience, report=report) for spec in specs]
        try:
            result = play_game(*seats, rules=rule_set, limits=draw_limits, seed=number, event="kriegbot match")
        finally:
            for seat in seats:
                seat.close()
    common.check_begun(result)
    if json:
        print(dumps(_as_json(result, number), indent=2))
    else:
        _show_logs(result)
        lines = _explanations(result) if explain else None
        print(*([ending(result.record)] if quiet else playthrough(result.record, lines)), sep="\n")
    if save is not None:
        print(common.save_game(result.record, save), file=sys.stderr)
    if result.interrupted:
        raise typer.Exit(130)


def _show_logs(result: GameResult) -> None:
    for statistics in (result.white, result.black):
        if statistics.log:
            print(f"--- {statistics.player} wrote:", statistics.log.rstrip(), "---", sep="\n", file=sys.stderr)


def _as_json(result: GameResult, seed: int) -> dict[str, object]:
    record = result.record
    end = record.end
    return {
        "result": record.result,
        "reason": end.reason.value if end else None,
        "detail": end.detail if end else "",
        "plies": len(record.turns),
        "seed": str(seed),  # as text: not every reader of JSON has numbers of 128 bits
        "rules": record.rules.name,
        "limits": {"plies": record.limits.plies, "quiet": record.limits.quiet_plies},
        "white": result.white.as_json(),
        "black": result.black.as_json(),
    }


def _explanations(result: GameResult) -> dict[int, list[str]]:
    """Return the players' explanations of their answers, by ply."""
    lines: dict[int, list[str]] = {}
    for answer in result.answers:
        if answer.report.why:
            name = "White" if answer.color else "Black"
            lines.setdefault(answer.ply, []).append(f"{name}: {answer.report.why}")
    return lines


def check_player(player: Player, patience: common.Patience = None, sandbox: common.Sandbox = None) -> None:
    """Check that a player plays under every rule set, from unusual positions, and in time.

    The exit code is 1 if a check fails.
    """
    spec = program_of(player, sandbox=common.sandbox_of(sandbox))
    failures = 0
    for check in conformance(spec, patience):
        if check.is_refused:
            raise Refused(check.detail)
        print(f"{'ok    ' if check.is_good else 'FAILED'}  {check.what}: {check.detail}", flush=True)
        failures += not check.is_good
    print(f"{spec}: {common.counted(failures, 'failure') if failures else 'passed'}")
    if failures:
        raise typer.Exit(1)
