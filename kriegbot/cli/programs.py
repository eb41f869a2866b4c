"""Games of programs: options that commands share, and what is said of a program that cannot start or refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from kriegbot.cli.completion import rule_sets
from kriegbot.request import Refused

if TYPE_CHECKING:
    from kriegbot.game.match import Played

Rules: TypeAlias = Annotated[
    str, typer.Option(metavar="NAME", help="Rule set; see `kriegbot rules`.", autocompletion=rule_sets)
]
DrawnBy: TypeAlias = Annotated[
    str, typer.Option(metavar="LIMITS", help="When to call a draw: paper, none, or such as plies=160,quiet=50.")
]
Patience: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="SECONDS", help="How long one answer may take.  [default: 300; with a time budget, twice that and 10]"
    ),
]
Sandbox: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--sandbox/--no-sandbox",
        help="Keep players from outside from network, files and processes.  [default: where bubblewrap works]",
        show_default=False,
    ),
]


def sandbox_of(wanted: bool | None) -> bool:
    """Whether players from outside are kept in a sandbox where there is one."""
    if wanted:
        from kriegbot.game.sandbox import works

        if not works():
            raise Refused("--sandbox needs bubblewrap (bwrap), which is not there or may not be used here.")
    return wanted is not False


@contextmanager
def started() -> Iterator[None]:
    """Within, a process that cannot be started refuses the command."""
    from kriegbot.game.children import CannotStart, check_system

    try:
        check_system()
        yield
    except CannotStart as error:
        raise Refused(f"{error}.") from None


def check_begun(played: Played) -> None:
    """Nothing, unless a player from outside would not take its spec."""
    from kriegbot.game.seat import Failure

    if played.failed is not None and played.failed.failure is Failure.REFUSED:
        raise Refused(played.failed.detail)
