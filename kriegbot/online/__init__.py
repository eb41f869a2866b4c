"""Play on kriegspiel.org: a bot that polls its games and the lobby, and plays every game in a thread of its own.

    settings -> Bot: the lobby, a thread per game -> game: state -> View -> player -> try -> state ...

`reading` rebuilds the player's `View` at every turn from the site's state and log, so games from before a restart go
on. The bot keeps the site's limits: one game waiting in the lobby, one joined a minute. If somebody begins a game that
the settings do not want, the bot resigns it before its first move, since the site has no other way.
"""

import threading
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from datetime import datetime
from datetime import time as clock_time
from itertools import cycle
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

import msgspec
from msgspec import Meta

from kriegbot.online.game import GONE, GameStatus, OnlineGame, is_code, unfinished
from kriegbot.online.site import SITE, SITE_RULES, Json, Site, SiteRefusal, Stopped, Uncertain, address_of, in_a_while
from kriegbot.request import Refused, program_of, refusing
from referee.text import one_line, quoted, read_text, unknown

LOOK, SOON = 5.0, 1.0  # seconds between two looks at games and lobby: usually, and after we have acted
JOIN_EVERY = 61.0  # seconds from joining a game to the next attempt; the site allows one a minute
LAST_RECORDS = 0.3  # seconds in which games that are left save their records
MAX_NAME = 40  # characters of a name that is shown
MAX_GAMES = 20
MAX_BYTES = 100_000  # of the file of settings
HOUR = "([01][0-9]|2[0-3]):[0-5][0-9]"

Text: TypeAlias = Annotated[str, Meta(description="a text in quotation marks")]
YesNo: TypeAlias = Annotated[bool, Meta(description="true or false")]
Names: TypeAlias = Annotated[tuple[str, ...], Meta(description="a list of names, such as ['alice', 'bob']")]


class BotSettings(msgspec.Struct, frozen=True):
    """The bot's settings. docs/online.md explains every key; a description says which values it accepts."""

    site: Text = SITE
    player: Text = "kriegbot:time=5"
    rules: Annotated[
        tuple[str, ...], Meta(min_length=1, description=f"a list with at least one of {', '.join(SITE_RULES)}")
    ] = tuple(SITE_RULES)
    games: Annotated[int, Meta(ge=1, le=MAX_GAMES, description=f"a whole number, 1..{MAX_GAMES}")] = 3
    opponents: Annotated[
        Literal["humans", "bots", "anyone", "nobody"], Meta(description="one of humans, bots, anyone, nobody")
    ] = "anyone"
    allow: Names = ()
    block: Names = ()
    hours: Annotated[
        str, Meta(pattern=rf"\A{HOUR}-({HOUR}|24:00)\Z", description="two times, such as '08:00-22:30'")
    ] = "00:00-24:00"
    create: YesNo = True
    join: YesNo = False
    records: Text = ""

    def __post_init__(self) -> None:
        """Raise Refused if the site's address, the player or a rule set is illegal."""
        address_of(self.site)
        program_of(self.player)
        for name in self.rules:
            if name not in SITE_RULES:
                raise Refused(f"illegal setting rules: {unknown('rule set', name, SITE_RULES)}")

    def why_not(self, opponent: str, role: str) -> str:
        """Return why the bot does not play an opponent; empty if it does."""
        kind = "bots" if role == "bot" else "humans"
        allowed, blocked = ({name.lower() for name in names} for names in (self.allow, self.block))
        if opponent.lower() in blocked:
            return f"{opponent} is blocked"
        if allowed and opponent.lower() not in allowed:
            return f"{opponent} is not among those allowed"
        return "" if self.opponents in ("anyone", kind) else f"opponents are {self.opponents}, not {kind}"

    def is_open(self, now: clock_time) -> bool:
        """Return True if new games may begin at a time of day."""
        first, last = (clock_time.fromisoformat(text.replace("24:", "00:")) for text in self.hours.split("-"))
        return first <= now < last if first < last else first == last or now >= first or now < last


def load_settings(path: Path) -> BotSettings:
    """Read settings from a file. Raise Refused if it cannot be read, or a key or value is wrong."""
    with refusing(ValueError, RecursionError, beginning=f"cannot use {quoted(str(path))} as settings: "):
        data = tomllib.loads(read_text(path, MAX_BYTES))
    return read_settings(data, str(path))


def read_settings(data: dict[str, Any], where: str) -> BotSettings:
    """Read settings from a table; see `load_settings`."""
    types = get_type_hints(BotSettings, include_extras=True)
    for name, value in data.items():
        if name not in types:
            raise Refused(f"'{where}': {unknown('setting', name, types)}")
        try:
            msgspec.convert(value, types[name])
        except msgspec.ValidationError:
            (meta,) = types[name].__metadata__
            raise Refused(f"'{where}': illegal {name} = {quoted(value)}: it takes {meta.description}.") from None
    with refusing(Refused, beginning=f"'{where}': "):
        return msgspec.convert(data, BotSettings)


class Bot:
    """A running bot; `report` takes lines about events."""

    def __init__(self, site: Site, settings: BotSettings, folder: Path, report: Callable[[str], None]) -> None:
        self._site, self._settings, self._folder, self._report = site, settings, folder, report
        self._games: dict[str, tuple[threading.Thread, GameStatus]] = {}
        self._closed: set[str] = set()
        self._over: set[str] = set()
        self._rules, self._joined = cycle(settings.rules), -JOIN_EVERY
        self.name = self._waiting = ""

    def running(self) -> list[GameStatus]:
        """Return the status of each running game."""
        return [status for thread, status in list(self._games.values()) if thread.is_alive()]

    def run(self) -> None:
        """Play until the site's `stop` is set. Raise Refused if the site does not know the token."""
        with suppress(Stopped):
            with refusing(SiteRefusal, beginning=f"{self._site.address} refuses the token: "):
                self.name = one_line(str(self._site.ask("/auth/me").get("username") or ""), MAX_NAME)
            self._report(f"playing as {self.name or 'a bot without a name'} at {self._site.address}")
            body = {"supported_rule_variants": list(dict.fromkeys(self._settings.rules))}
            self._command("sending our rule sets", "POST", "/bots/profile", body)
            for facts in unfinished(self._folder, self._site.address, self.name):
                self._start(facts)
            while True:
                self._site.pause(SOON if self._look() else LOOK)

    def leave(self) -> int:
        """Withdraw our game from the lobby, once the site's `stop` is set. Return the number of unfinished games."""
        self._site = copy(self._site)  # with its connections, but its own end
        self._site.stop = in_a_while()
        with suppress(Stopped):
            self._withdraw()
        deadline = time.monotonic() + LAST_RECORDS
        for thread, _ in list(self._games.values()):
            thread.join(max(0.0, deadline - time.monotonic()))
        return len(self._games.keys() - self._over)

    def _withdraw(self) -> None:
        if self._waiting:
            self._command("withdrawing our game", "DELETE", f"/game/{self._waiting}")
            self._waiting = ""

    def _look(self) -> bool:
        """Look once at games and lobby. Return True if we have acted."""
        games, is_busy = self._games_at("/game/mine/active", "our games"), False
        if games is None:
            return False
        for game in games:
            code, is_active = game["game_code"], game.get("state") == "active"
            is_played = code in self._over or (code in self._games and self._games[code][0].is_alive())
            if is_active and not is_played:
                is_busy |= self._begin(game)
        self._waiting = next((game["game_code"] for game in games if game.get("state") == "waiting"), "")
        settings = self._settings
        is_open = settings.is_open(datetime.now().time()) and settings.opponents != "nobody"
        if not is_open or len(self.running()) >= settings.games:
            self._withdraw()
        else:
            if settings.create and not self._waiting:
                rules = next(self._rules)
                body = {"rule_variant": rules, "play_as": "random", "time_control": "rapid", "opponent_type": "human"}
                is_busy |= self._command(f"offering a game of {rules} in the lobby", "POST", "/game/create", body)
            if settings.join and time.monotonic() - self._joined >= JOIN_EVERY:
                is_busy |= self._join()
        return is_busy

    def _begin(self, game: Json) -> bool:
        code, name = game["game_code"], str(game.get("rule_variant"))
        sides = {color: who if isinstance(who := game.get(color), dict) else {} for color in ("white", "black")}
        color = next((one for one, who in sides.items() if who.get("username") == self.name), "white")
        other = sides["black" if color == "white" else "white"]
        opponent = one_line(str(other.get("username") or "?"), MAX_NAME)
        is_known = (self._folder / f"{code}.json").exists() or game.get("move_number") not in (1, 2)
        why = self._why_not(name, opponent, str(other.get("role")), is_known=is_known)
        if why:
            return self._command(f"{code}: declined, resigning: {why}", "POST", f"/game/{code}/resign")
        facts = {"site": self._site.address, "bot": self.name, "code": code, "rules": name, "color": color}
        return self._start(facts | {"opponent": opponent})

    def _why_not(self, rules: str, opponent: str, role: str, *, is_known: bool) -> str:
        """Return why the bot declines a game; empty if it plays."""
        if rules not in SITE_RULES:
            return f"rule set {quoted(rules)} is not known; known: {', '.join(SITE_RULES)}"
        if is_known:
            return ""
        if rules not in self._settings.rules:
            return f"rule set {quoted(rules)} is not among the settings' rules"
        return self._settings.why_not(opponent, role)

    def _start(self, facts: Json) -> bool:
        code = facts["code"]
        try:
            game = OnlineGame(self._site, self._settings.player, self._folder, facts, self._report)
        except OSError as error:
            self._report(f"{code}: cannot save the record: {error.strerror or error}")
            return False
        thread = threading.Thread(target=self._play, args=(game,), name=code, daemon=True)
        self._games[code] = thread, game.status
        self._report(f"{code}: {game.status.rules} against {game.status.opponent}")
        thread.start()
        return True

    def _play(self, game: OnlineGame) -> None:
        """Play a game in its thread; if that fails, the next look begins it again."""
        code = game.status.code
        try:
            with suppress(Stopped):
                result = game.play()
                self._over.add(code)
                winner = result.get("winner") or "nobody"
                self._report(f"{code}: over, {winner} wins ({one_line(str(result.get('reason')), 80)})")
        except SiteRefusal as refusal:
            self._report(f"{code}: {refusal}")
            if refusal.status == GONE:
                self._games.pop(code, None)
        except Exception as error:  # noqa: BLE001 - one game must not end the others, and begins again
            self._report(f"{code}: {type(error).__name__}: {one_line(str(error), 200)}")

    def _join(self) -> bool:
        for game in self._games_at("/game/open", "the lobby") or ():
            code, opponent = game["game_code"], one_line(str(game.get("created_by")), MAX_NAME)
            if code in self._closed or code == self._waiting or opponent == self.name:
                continue
            self._closed.add(code)
            why = self._why_not(str(game.get("rule_variant")), opponent, "bot", is_known=False)
            if why:
                self._report(f"{code}: not joined: {why}")
                continue
            try:
                self._site.command("POST", f"/game/join/{code}")
            except SiteRefusal as refusal:
                self._report(f"{code}: not joined: {refusal}")
                if refusal.code != "BOT_JOIN_COOLDOWN":  # a person's game, or a full one
                    return False
                self._closed.discard(code)
            except Uncertain as error:
                self._report(f"{code}: {error}")
            self._joined = time.monotonic()
            return True
        return False

    def _games_at(self, path: str, what: str) -> list[Json] | None:
        """Return the games with a code in a list of the site; None if it gives no list."""
        try:
            games = self._site.ask(path).get("games")
        except SiteRefusal as refusal:
            self._report(f"{what}: {refusal}")
            return None
        if not isinstance(games, list):
            self._report(f"{what}: {quoted(games)} is not a list of games")
            return None
        return [game for game in games if isinstance(game, dict) and is_code(game.get("game_code"))]

    def _command(self, what: str, method: str, path: str, body: Json | None = None) -> bool:
        """Report and send a command that may fail, since the next look corrects us. True if the site confirms."""
        self._report(what)
        try:
            self._site.command(method, path, body)
        except (SiteRefusal, Uncertain) as error:
            self._report(f"{what}: {error}")
            return False
        return True
