"""Players from outside, and packages as pip installs them, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from kriegbot.game.match import GameResult, play_game
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import HereSeat
from kriegbot.parts import NotFound
from kriegbot.players.engine import ENGINES
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import parse_spec
from referee import Limits

EXAMPLES = Path(__file__).parents[1] / "examples"
PYTHON = f"{EXAMPLES / 'own_player.py'}:Forward"
SHELL = f"program:sh {EXAMPLES / 'shell_bot.sh'}"
BOT = "while read -r word rest; do case $word in newgame) echo ready;; tries) set -- $rest;; go) {};; esac; done"


def needs_stockfish() -> None:
    """Skips a test where there is no Stockfish."""
    try:
        ENGINES.check("stockfish")
    except NotFound:
        pytest.skip("Stockfish is not installed; Debian's package is stockfish")


def against_rand(text: str, *, is_sandboxed: bool = False, patience: float | None = 20.0) -> GameResult:
    """Return a short game of this player, as White."""
    with ProcessSeat(parse_spec(text, sandbox=is_sandboxed), patience=patience) as seat:
        return play_game(seat, HereSeat("rand", RandPlayer), limits=Limits(plies=30))


def installed(
    folder: Path, name: str, text: str, offers: Mapping[str, Mapping[str, str]], version: str = "1.0"
) -> None:
    """Put a package of one module into a folder, with what pip writes of it.

    Args:
      folder: one that is on the path.
      name: of package and module.
      text: of the module.
      offers: its entry points: by group, name and object.
      version: of the package.
    """
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    lines = [
        line
        for group, entries in offers.items()
        for line in (f"[{group}]", *(f"{entry} = {target}" for entry, target in entries.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
