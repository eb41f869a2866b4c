"""`kriegbot online`: a bot on kriegspiel.org. It shows its games in a table on a terminal, and as lines elsewhere.

Only what our own side knows is shown: our tries, the number of moves, and the clocks.
"""

import os
import signal
import sys
import threading
from collections import deque
from contextlib import closing, nullcontext
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from kriegbot.children import signal_handlers
from kriegbot.cli.common import argument, check_players, group, option, preparing
from kriegbot.cli.screen import drawing_console
from kriegbot.folders import config_folder
from kriegbot.game.process import ProcessSeat
from kriegbot.game.seat import PlayerFailed
from kriegbot.request import Refused, games_folder, program_of
from referee.text import counted, one_line, quoted

if TYPE_CHECKING:  # httpx, which the bot needs, is an extra
    from kriegbot.online import Bot, BotSettings
    from kriegbot.online.site import Json

KEY = "KRIEGSPIEL_REGISTRATION_KEY"
REGISTERING = 30.0  # seconds in which a request to register is repeated
LINES = 12  # latest events, below the table

online = group("Play on kriegspiel.org as a bot.")
FILE = option("FILE", "The settings.  [default: online.toml in your configuration]", "--settings")


@online.command()
def register(
    username: str = argument("NAME", "The bot's name on the site."),
    email: str = option("ADDRESS", "Your email address, which only the site sees.", default=...),
    description: str = option("TEXT", "Its description there.", default="kriegbot, which searches its information set"),
    settings: str | None = FILE,
) -> None:
    """Register a bot, and keep its token in a file that only you can read.

    The site's registration key comes from the environment variable KRIEGSPIEL_REGISTRATION_KEY, or from a prompt if
    the site wants one.
    """
    for what, text in (("name", username), ("address", email), ("description", description)):
        if not text.isprintable():  # half a character, say, which no message can hold
            raise Refused(f"illegal {what} {quoted(text)}: it takes printable characters.")
    config = _settings(settings)
    from kriegbot.online import site as api

    path = api.token_path(config.site)
    api.check_free(path)
    key = os.environ.get(KEY, "")
    body = {
        "username": username,
        "display_name": username,
        "owner_email": email,
        "description": description,
        "listed": True,
        "supported_rule_variants": list(dict.fromkeys(config.rules)),
    }
    try:
        try:
            answer = _registered(config.site, body, key)
        except api.SiteRefusal as refusal:
            if key or refusal.status not in api.DENIED:
                raise
            answer = _registered(config.site, body, typer.prompt("Registration key", hide_input=True))
    except api.SiteRefusal as refusal:
        raise Refused(f"{config.site} does not register {quoted(username)}: {refusal}.") from None
    except api.Uncertain as error:
        raise Refused(f"{error}; the site may have registered {quoted(username)} without sending its token.") from None
    except api.Stopped:
        raise Refused(f"{config.site} accepted no request in {REGISTERING:g} seconds; try again later.") from None
    token = answer.get("api_token")
    if not (isinstance(token, str) and token.isascii() and token.isprintable() and token):
        raise Refused(f"{config.site} has registered {quoted(username)} without sending a token.")
    api.save_token(path, token)
    print(f"Registered {username}; its token is in {path}, which only you can read.")


def _registered(address: str, body: "Json", key: str) -> "Json":
    """Return the site's answer to a request to register; no key goes with it if there is none."""
    from kriegbot.online import site as api

    if not (key.isascii() and key.isprintable()):
        raise Refused("illegal registration key: it takes printable ASCII characters.")
    headers = {"X-Bot-Registration-Key": key} if key else None
    report = partial(print, file=sys.stderr)
    with closing(api.Site(address, None, api.in_a_while(REGISTERING), report)) as site:
        return site.command("POST", "/auth/bots/register", body, headers)


@online.command()
def run(settings: str | None = FILE) -> None:
    """Play until Ctrl-C or SIGTERM: games from the lobby, and games that others begin.

    Unfinished games stay open on the site, and the same command resumes them. On a terminal a table shows the games;
    elsewhere each event is one line.
    """
    config = _settings(settings)
    from kriegbot.online import Bot
    from kriegbot.online.site import SITE_RULES, Site, load_token, token_path

    token = load_token(token_path(config.site))
    folder = games_folder(str(Path(config.records).expanduser() if config.records else games_folder() / "online"))
    player = program_of(config.player)
    check_players([player], SITE_RULES[config.rules[0]])
    with preparing() as report, ProcessSeat(player, report=report) as seat:
        try:
            seat.begin(0)  # kernels are compiled now, not while a clock runs
        except PlayerFailed as failed:
            raise Refused(f"player '{player}' {failed}.") from None
    stop = threading.Event()
    ends = dict.fromkeys((signal.SIGINT, signal.SIGTERM), lambda *_: stop.set())
    console = drawing_console()
    screen = Screen(console)
    shown = nullcontext() if console is None else Live(screen, console=console, refresh_per_second=2)
    with signal_handlers(ends), shown, closing(Site(config.site, token, stop, screen.say)) as site:
        screen.bot = bot = Bot(site, config, folder, screen.say)
        bot.run()
        count = bot.leave()
    if count:
        print(f"{counted(count, 'game')} unfinished on the site; run this again to resume.")


def _settings(file: str | None) -> "BotSettings":
    if find_spec("httpx") is None:
        raise Refused("playing online needs httpx: pip install httpx.")
    from kriegbot.online import BotSettings, load_settings

    path = config_folder() / "online.toml" if file is None else Path(file)
    if file is None and not path.exists():
        return BotSettings()
    return load_settings(path)


class Screen:
    """Display of a bot's games: a table on a terminal, otherwise lines."""

    def __init__(self, console: Console | None) -> None:
        self.bot: Bot | None = None
        self._console, self._lock = console, threading.Lock()
        self._lines: deque[str] = deque(maxlen=LINES)

    def say(self, line: str) -> None:
        """Add a line; safe in any thread."""
        line = f"{datetime.now():%H:%M:%S} {one_line(line, 400)}"
        with self._lock:
            self._lines.append(line)
            if self._console is None:
                print(line, flush=True)

    def __rich__(self) -> Group:
        """Return the table and the last lines."""
        table = Table(box=box.SIMPLE_HEAD, expand=True)
        for name in ("game", "opponent", "rules", "we are", "move", "our clock", "theirs", "last"):
            ratio = 1 if name == "last" else None
            table.add_column(name, no_wrap=True, ratio=ratio, justify="right" if "clock" in name else "left")
        games = [] if self.bot is None else self.bot.running()
        for game in games:
            left = (f"{int(seconds) // 60}:{int(seconds) % 60:02}" for seconds in game.left)
            move = f"{game.ply // 2 + 1}{' *' if game.is_ours else ''}"
            table.add_row(*map(Text, (game.code, game.opponent, game.rules, game.color, move, *left, game.last)))
        with self._lock:
            lines = [Text(line, overflow="ellipsis", no_wrap=True) for line in self._lines]
        title = Text(f" {counted(len(games), 'game')}; * we are to move; Ctrl-C to end")
        return Group(title, table, *lines)
