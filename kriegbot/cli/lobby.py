"""The games of `kriegbot online run` as they go: a table on a terminal, lines elsewhere.

Nothing is shown but what our own side knows: tries of ours, how many moves were made, and the clocks.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from kriegbot.cli.screen import drawing_console
from referee.text import one_line

if TYPE_CHECKING:
    from rich.console import Console, Group

    from kriegbot.online.bot import Bot

LINES = 12
"""Lines of what happened, below the table."""


class Screen:
    """Where the bot's games are shown.

    Args:
      console: the terminal; None for lines.
    """

    def __init__(self, console: Console | None) -> None:
        self._console = console
        self._bot: Bot | None = None
        self._lock = threading.Lock()
        self._lines: deque[str] = deque(maxlen=LINES)

    def show(self, bot: Bot) -> None:
        """Says whose games are shown."""
        self._bot = bot

    def say(self, line: str) -> None:
        """Adds a line; in any thread."""
        line = f"{datetime.now():%H:%M:%S} {one_line(line, 400)}"
        with self._lock:
            self._lines.append(line)
            if self._console is None:
                print(line, flush=True)

    def __rich__(self) -> Group:
        """The table and the last lines."""
        from rich import box
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=box.SIMPLE_HEAD, expand=True)
        for name in ("game", "opponent", "rules", "we are", "move", "our clock", "theirs", "last"):
            ratio = 1 if name == "last" else None
            table.add_column(name, no_wrap=True, ratio=ratio, justify="right" if "clock" in name else "left")
        games = [] if self._bot is None else self._bot.shown()
        for game in games:
            left = (_clock(seconds) for seconds in game.left)
            move = f"{game.ply // 2 + 1}{' *' if game.is_ours else ''}"
            table.add_row(*map(Text, (game.code, game.opponent, game.rules, game.color, move, *left, game.last)))
        with self._lock:
            lines = [Text(line, overflow="ellipsis", no_wrap=True) for line in self._lines]
        title = Text(f" {len(games)} {'game' if len(games) == 1 else 'games'}; * we are to move; Ctrl-C to end")
        return Group(title, table, *lines)


@contextmanager
def showing() -> Iterator[Screen]:
    """Yields a screen, which is drawn anew twice a second if there is a terminal."""
    console = drawing_console()
    screen = Screen(console)
    if console is None:
        yield screen
        return
    from rich.live import Live

    with Live(screen, console=console, refresh_per_second=2):
        yield screen


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 60}:{whole % 60:02}"
