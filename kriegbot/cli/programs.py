"""`kriegbot match` and `check-player`, and the lists: `players`, `rules`, `results` and `completion`."""

import sys
from collections import defaultdict
from contextlib import ExitStack
from json import dumps
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from typer.completion import get_completion_script  # type: ignore[attr-defined] # documented by its options alone

from evaluators import EVALUATORS
from kriegbot.cli import common
from kriegbot.cli.common import argument, flag, one_of, preparing
from kriegbot.cli.main import COMPLETE
from kriegbot.game.conformance import conformance
from kriegbot.game.match import GameResult, play_game
from kriegbot.game.process import ProcessSeat, find_rules
from kriegbot.models import OPPONENTS
from kriegbot.narration.diary import side_name
from kriegbot.narration.moments import ending, playthrough
from kriegbot.narration.results import Results, practice_text, results_rows, results_text
from kriegbot.parts import Parts
from kriegbot.players import specs
from kriegbot.players.making import RULES
from kriegbot.request import limits_of, path_of, program_of, seed_of
from referee import RULE_SETS
from referee.text import counted

SHELLS = ("bash", "zsh", "fish")


def match(
    white: str = argument("WHITE", "White's player: rand, overconfident:depth=2, ...", autocompletion=specs.programs),
    black: str = argument("BLACK", "Black's player.", autocompletion=specs.programs),
    rules: str = common.RULES,
    limits: str = common.DRAW_LIMITS,
    seed: int | None = common.SEED,
    patience: float | None = common.PATIENCE,
    save: Path | None = common.option("FILE", "Save the game as PGN.", parser=path_of),
    json: bool = common.JSON,
    explain: bool = flag("Show each search's belief and best tries.", "--explain"),
    quiet: bool = flag("Print only the result.", "--quiet", "-q"),
    sandbox: bool | None = common.SANDBOX,
) -> None:
    """Play one game between two programs and show what each side saw.

    By default the paper's limits apply: a draw after 160 plies, or after 50 without a pawn move or capture.
    """
    is_sandboxed = common.sandbox_of(sandbox, white, black)
    sides = [program_of(text, sandbox=is_sandboxed) for text in (white, black)]
    rule_set, draw_limits = find_rules(rules, sandbox=is_sandboxed), limits_of(limits)
    number = seed_of(seed)
    common.check_players(sides, rule_set)
    with preparing() as report, ExitStack() as stack:
        seats = [stack.enter_context(ProcessSeat(player, patience=patience, report=report)) for player in sides]
        result = play_game(*seats, rules=rule_set, limits=draw_limits, seed=number, event="kriegbot match")
    result.check_begun()
    if json:
        print(dumps(_as_json(result, number), indent=2))
    else:
        for player in (result.white, result.black):
            common.show_log(player)
        lines = defaultdict[int, list[str]](list)
        for answer in result.answers if explain else ():
            if answer.report.why:
                lines[answer.ply].append(f"{side_name(answer.color)}: {answer.report.why}")
        print(*([ending(result.record)] if quiet else playthrough(result.record, lines)), sep="\n")
    if save is not None:
        print(common.GameFile(save).save(result.record), file=sys.stderr)
    if result.interrupted or result.failed is not None:
        raise typer.Exit(130 if result.interrupted else 1)


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


def kinds_of_parts() -> tuple[Parts, ...]:
    """Return everything that other packages can add."""
    from kriegbot.search.backup import BACKUPS  # imports kernels

    return specs.PLAYERS, EVALUATORS, OPPONENTS, BACKUPS, RULES


def check_player(
    player: str = argument(
        "SPEC", "rand, path/bot.py:Class, package.module:Class or program:COMMAND.", autocompletion=specs.programs
    ),
    patience: float | None = common.PATIENCE,
    sandbox: bool | None = common.SANDBOX,
) -> None:
    """Check that a player plays under every rule set, from unusual positions and in time.

    The exit code is 1 if a check fails.
    """
    spec = program_of(player, sandbox=common.sandbox_of(sandbox, player))
    failures = 0
    for check in conformance(spec, patience):
        print(f"{'ok    ' if check.is_good else 'FAILED'}  {check.what}: {check.detail}", flush=True)
        failures += not check.is_good
    print(f"{spec}: {counted(failures, 'failure') if failures else 'passed'}")
    if failures:
        raise typer.Exit(1)


def players() -> None:
    """List players and their options, evaluators, opponent models, backup rules and rule sets."""
    for name, kind in specs.players().items():
        print(f"{name}: {kind.summary}")
        for option in specs.offered_options(kind):
            print(f"  {option.name}={option.takes} ({option.usual}): {option.help}")
            for choice, words in zip(option.choices, option.words, strict=False):
                print(f"    {choice}: {words}")
    print()
    for parts in kinds_of_parts():
        ours = () if parts is specs.PLAYERS else parts.names()
        offered = [f"{name} ({package})" if package else name for name, package in parts.installed().items()]
        print(f"{parts.what}s{' of installed packages' * (not ours)}: {', '.join([*ours, *offered]) or 'none'}")
    print("FILE.py:NAME names one of your own, in place of any of these.")


def rules() -> None:
    """List the rule sets, and the announcements that the referee makes under each."""
    sets = list(RULE_SETS.values())
    if sys.stdout.isatty():
        table = Table("", *(rule_set.name for rule_set in sets), box=None, padding=(0, 2), header_style="bold")
        table.add_row("", *(f"[dim]{rule_set.title}[/dim]" for rule_set in sets))
        for fact in sets[0].facts():
            table.add_row(fact, *(rule_set.facts()[fact] for rule_set in sets))
        Console(highlight=False).print(table)
        return
    for rule_set in sets:
        print(f"{rule_set.name}: {rule_set.title}")
        for fact, text in rule_set.facts().items():
            print(f"  {fact}: {text}")


def results() -> None:
    """Show your results against each level, your rating and your winning streaks.

    A game against a program counts if it ends after both have moved, on the page or at a terminal. Games against best
    or other programs, and games with help (hints, moves taken back, a chosen seed), are listed but not rated.
    """
    stored = Results()
    games = stored.all()
    if not games:
        print("You have no results yet: play a game to its end with `kriegbot play`.")
        return
    table = Table("opponent", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("rating", "won", "drawn", "lost", "with help"):
        table.add_column(heading, justify="right")
    for row in results_rows(games):
        counts = (row["won"], row["drawn"], row["lost"], row["helped"])
        table.add_row(row["opponent"], str(row["rating"] or "-"), *map(str, counts))
    Console(highlight=False).print(table)
    lines = [results_text(games), practice_text(stored.to_practise()), f"The results are in {stored.path}."]
    print("\n".join(filter(None, lines)))


def completion(shell: str = argument("SHELL", f"One of {', '.join(SHELLS)}.", **one_of("shell", SHELLS))) -> None:
    """Print a script that completes commands, options, players and rule sets in a shell.

    For bash: kriegbot completion bash > ~/.local/share/bash-completion/completions/kriegbot

    For zsh: kriegbot completion zsh > ~/.zfunc/_kriegbot, and in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit;
    compinit

    For fish: kriegbot completion fish > ~/.config/fish/completions/kriegbot.fish
    """
    print(get_completion_script(prog_name="kriegbot", complete_var=COMPLETE, shell=shell))
