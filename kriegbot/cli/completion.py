"""`kriegbot completion`: commands, options and their values at the press of Tab, by typer's own scripts."""

from __future__ import annotations

from typing import Annotated

import typer

from kriegbot.request import COLORS, Refused

COMPLETE = "_KRIEGBOT_COMPLETE"
"""In the environment while a shell asks for what may follow."""
SHELLS = ("bash", "zsh", "fish")


def completion(
    shell: Annotated[
        str, typer.Argument(metavar="SHELL", help=f"One of {', '.join(SHELLS)}.", autocompletion=lambda: list(SHELLS))
    ],
) -> None:
    """Print what a shell needs to complete commands, options, players and rule sets.

    For bash: kriegbot completion bash > ~/.local/share/bash-completion/completions/kriegbot

    For zsh: kriegbot completion zsh > ~/.zfunc/_kriegbot, and in ~/.zshrc: fpath+=~/.zfunc; autoload -Uz compinit;
    compinit

    For fish: kriegbot completion fish > ~/.config/fish/completions/kriegbot.fish
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined] # documented by its options alone

    from referee.text import did_you_mean, quoted

    if shell not in SHELLS:
        raise Refused(f"unknown shell {quoted(shell)}{did_you_mean(shell, SHELLS)} Known: {', '.join(SHELLS)}.")
    print(get_completion_script(prog_name="kriegbot", complete_var=COMPLETE, shell=shell))


def complete() -> None:
    """Makes typer answer what a shell asks."""
    from typer.completion import completion_init  # type: ignore[attr-defined] # as above

    completion_init()


def colors() -> list[str]:
    """The sides that can be asked for."""
    return list(COLORS)


def levels() -> list[str]:
    """The levels of the player kriegbot."""
    from kriegbot.players.kriegbot import BEST, LEVELS

    return [*LEVELS, BEST]


def rule_sets() -> list[str]:
    """The rule sets by name."""
    from referee.rules import RULE_SETS

    return list(RULE_SETS)


def programs() -> list[str]:
    """The players that are programs, by name."""
    from kriegbot.players.specs import players

    return [name for name, kind in players().items() if kind.make is not None]
