"""`kriegbot players`, `rules`, `results` and `completion`: what there is, for people and for their shell."""

from __future__ import annotations

import sys
from typing import Annotated

from rich import box
from rich.console import Console
from rich.table import Table
from typer.completion import get_completion_script  # type: ignore[attr-defined] # documented by its options alone

from evaluators import EVALUATORS
from kriegbot.cli.common import argument
from kriegbot.cli.main import COMPLETE
from kriegbot.models import OPPONENTS
from kriegbot.narration.results import Results, results_text, rows, training_text
from kriegbot.parts import Parts
from kriegbot.players import specs
from kriegbot.players.rule_sets import RULES
from kriegbot.request import Refused
from kriegbot.search.rules import BACKUPS
from referee import RULE_SETS
from referee.text import unknown

SHELLS = ("bash", "zsh", "fish")
KINDS: tuple[Parts, ...] = (specs.PLAYERS, EVALUATORS, OPPONENTS, BACKUPS, RULES)
"""The kinds of parts that packages can offer."""


def players() -> None:
    """List the players and their options, and the parts of every kind that are installed."""
    for name, kind in specs.players().items():
        print(f"{name}: {kind.summary}")
        for option in kind.options:
            print(f"  {option.name}={option.takes} ({option.usual}): {option.help}")
            for choice, words in zip(option.choices, option.words, strict=False):
                print(f"    {choice}: {words}")
    print()
    for parts in KINDS:
        ours = () if parts is specs.PLAYERS else parts.names()
        offered = [f"{name} ({package})" if package else name for name, package in parts.installed().items()]
        print(f"{parts.what}s{' of installed packages' * (not ours)}: {', '.join([*ours, *offered]) or 'none'}")
    print("From a file of yours: FILE.py:NAME, in place of any of these names.")


def rules() -> None:
    """List the rule sets and what is announced under each."""
    if sys.stdout.isatty():
        _show_rules()
        return
    for rule_set in RULE_SETS.values():
        print(f"{rule_set.name}: {rule_set.title}")
        for what, how in rule_set.facts().items():
            print(f"  {what}: {how}")


def _show_rules() -> None:
    sets = list(RULE_SETS.values())
    table = Table("heard", *(rule_set.name for rule_set in sets), box=None, padding=(0, 2), header_style="bold")
    table.add_row("", *(f"[dim]{rule_set.title}[/dim]" for rule_set in sets))
    for what in sets[0].facts():
        table.add_row(what, *(rule_set.facts()[what] for rule_set in sets))
    Console(highlight=False).print(table)


def results() -> None:
    """Show your results against each level, your rating, and your runs of wins.

    Games on the page and at a terminal count, once they have ended. Games with help (hints, moves taken back, a chosen
    seed) are listed and not rated; neither are games against other programs.
    """
    kept = Results()
    games = kept.all()
    if not games:
        print("You have no results yet: play a game to its end with `kriegbot play`.")
        return
    table = Table("opponent", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("rating", "won", "drawn", "lost", "with help"):
        table.add_column(heading, justify="right")
    for row in rows(games):
        counts = (row["won"], row["drawn"], row["lost"], row["helped"])
        table.add_row(row["opponent"], str(row["rating"] or "-"), *map(str, counts))
    Console(highlight=False).print(table)
    lines = [results_text(games), training_text(kept.to_train()), f"They are kept in {kept.path}."]
    print("\n".join(filter(None, lines)))


def completion(
    shell: Annotated[str, argument("SHELL", f"One of {', '.join(SHELLS)}.", complete=lambda: list(SHELLS))],
) -> None:
    """Print what a shell needs to complete commands, options, players and rule sets.

    For bash: kriegbot completion bash > ~/.local/share/bash-completion/completions/kriegbot

    For zsh: kriegbot completion zsh > ~/.zfunc/_kriegbot, and in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit;
    compinit

    For fish: kriegbot completion fish > ~/.config/fish/completions/kriegbot.fish
    """
    if shell not in SHELLS:
        raise Refused(unknown("shell", shell, SHELLS))
    print(get_completion_script(prog_name="kriegbot", complete_var=COMPLETE, shell=shell))
