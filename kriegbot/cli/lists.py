"""`kriegbot players`, `rules`, `results` and `completion`."""

from __future__ import annotations

import sys
from typing import Annotated

from rich import box
from rich.console import Console
from rich.table import Table
from typer.completion import get_completion_script  # type: ignore[attr-defined] # documented by its options alone

from evaluators import EVALUATORS
from kriegbot.cli.common import argument, one_of
from kriegbot.cli.main import COMPLETE
from kriegbot.models import OPPONENTS
from kriegbot.narration.results import Results, practice_text, results_rows, results_text
from kriegbot.parts import Parts
from kriegbot.players import specs
from kriegbot.players.making import RULES
from kriegbot.search.backup import BACKUPS
from referee import RULE_SETS

SHELLS = ("bash", "zsh", "fish")
KINDS: tuple[Parts, ...] = (specs.PLAYERS, EVALUATORS, OPPONENTS, BACKUPS, RULES)
"""Everything that other packages can add."""


def players() -> None:
    """List players and their options, evaluators, opponent models, backup rules and rule sets."""
    for name, kind in specs.players().items():
        print(f"{name}: {kind.summary}")
        for option in specs.offered_options(kind):
            print(f"  {option.name}={option.takes} ({option.usual}): {option.help}")
            for choice, words in zip(option.choices, option.words, strict=False):
                print(f"    {choice}: {words}")
    print()
    for parts in KINDS:
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

    Every finished game counts, on the page and at a terminal. Games against other programs and games with help (hints,
    moves taken back, a chosen seed) are listed but not rated.
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


def completion(
    shell: Annotated[str, argument("SHELL", f"One of {', '.join(SHELLS)}.", **one_of("shell", SHELLS))],
) -> None:
    """Print a script that completes commands, options, players and rule sets in a shell.

    For bash: kriegbot completion bash > ~/.local/share/bash-completion/completions/kriegbot

    For zsh: kriegbot completion zsh > ~/.zfunc/_kriegbot, and in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit;
    compinit

    For fish: kriegbot completion fish > ~/.config/fish/completions/kriegbot.fish
    """
    print(get_completion_script(prog_name="kriegbot", complete_var=COMPLETE, shell=shell))
