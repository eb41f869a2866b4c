"""The bot: looks at its games and at the lobby again and again, and plays every game in a thread of its own.

What the site knows is the truth: the games that it says are ours are played, so a game that was begun before a restart
goes on by itself, and one that ended meanwhile gets the end of its record. The site's limits are kept: one game waiting
in the lobby, one joined a minute.

A game that someone else has begun with us and that the settings do not want is resigned before the first move, with the
reason in the log: the site has no other way to decline, and nobody is left to wait.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from itertools import cycle
from pathlib import Path

from kriegbot.online.game import GONE, OnlineGame, Shown
from kriegbot.online.records import OnlineRecord, is_code, unfinished
from kriegbot.online.settings import SITE_RULES, BotSettings
from kriegbot.online.site import Json, Refusal, Site, Stopped, Uncertain
from kriegbot.request import Refused
from referee.text import one_line, quoted

LOOK, SOON = 5.0, 1.0  # seconds between two looks at games and lobby; the latter after something was done
JOIN_EVERY = 61.0  # seconds between two attempts to join a game; the site allows one a minute
MOST_NAME = 40  # characters of a name that is shown


class Bot:
    """A bot at work; `report` is told what happens, in a line."""

    def __init__(self, site: Site, settings: BotSettings, folder: Path, report: Callable[[str], None]) -> None:
        self._site, self._settings, self._folder, self._report = site, settings, folder, report
        self.name = ""
        self._games: dict[str, tuple[threading.Thread, Shown]] = {}
        self._rules = cycle(settings.rules)
        self._joined = -JOIN_EVERY
        self._closed: set[str] = set()
        self._over: set[str] = set()
        self._waiting = ""

    def shown(self) -> list[Shown]:
        """Return the display data of the running games."""
        return [shown for thread, shown in list(self._games.values()) if thread.is_alive()]

    def run(self) -> None:
        """Plays until the site's `stop` is set; raises Refused if the site does not know the token."""
        try:
            self._introduce()
            for data in unfinished(self._folder, self._site.address, self.name):
                if str(data.get("rules")) in SITE_RULES:
                    self._start(data)
            while True:
                self._site.pause(SOON if self._look() else LOOK)
        except Stopped:
            pass

    def leave(self, site: Site) -> int:
        """Withdraws our game from the lobby, by a site that is not stopped yet; how many games go on there."""
        self._site = site
        with suppress(Stopped):
            self._withdraw()
        for thread, _ in list(self._games.values()):
            thread.join(0.2)
        return len(self._games.keys() - self._over)

    def _withdraw(self) -> None:
        if self._waiting:
            self._command("withdrawing our game", "DELETE", f"/game/{self._waiting}")
            self._waiting = ""

    def _introduce(self) -> None:
        try:
            self.name = one_line(str(self._site.ask("/auth/me").get("username") or ""), MOST_NAME)
            names = [rules.name for rules in self._settings.rules]
            self._command("telling the site our rule sets", "POST", "/bots/profile", {"supported_rule_variants": names})
        except Refusal as refusal:
            raise Refused(f"{self._site.address} refuses the token: {refusal}.") from None
        self._report(f"playing as {self.name or 'a bot without a name'} at {self._site.address}")

    def _look(self) -> bool:
        """Looks once at games and lobby; whether anything was done."""
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
        if not settings.is_open(datetime.now().time()) or settings.opponents == "nobody":
            self._withdraw()
        elif len(self.shown()) < settings.games:
            if settings.create and not self._waiting:
                is_busy |= self._create()
            if settings.join and time.monotonic() - self._joined >= JOIN_EVERY:
                is_busy |= self._join()
        return is_busy

    def _begin(self, game: Json) -> bool:
        """Plays a game that the site says is ours, or declines it."""
        code, name = game["game_code"], str(game.get("rule_variant"))
        sides = {color: who if isinstance(who := game.get(color), dict) else {} for color in ("white", "black")}
        color = next((one for one, who in sides.items() if who.get("username") == self.name), "white")
        other = sides["black" if color == "white" else "white"]
        opponent = one_line(str(other.get("username") or "?"), MOST_NAME)
        is_known = (self._folder / f"{code}.json").exists() or game.get("move_number") not in (1, 2)
        why = self._unwanted(name, opponent, str(other.get("role")), is_known=is_known)
        if why:
            self._report(f"{code}: declined, resigning: {why}")
            self._command(f"{code}: resigning", "POST", f"/game/{code}/resign")
            return True
        facts = {"code": code, "rules": name, "color": color, "opponent": opponent}
        return self._start(facts | {"site": self._site.address, "bot": self.name})

    def _unwanted(self, rules: str, opponent: str, role: str, *, is_known: bool) -> str:
        """Why a game is declined; empty if it is not."""
        if rules not in SITE_RULES:
            return f"rule set {quoted(rules)} is not known; known: {', '.join(SITE_RULES)}"
        if is_known:
            return ""
        if SITE_RULES[rules] not in self._settings.rules:
            return f"rule set {quoted(rules)} is not among the settings' rules"
        return self._settings.plays(opponent, role)

    def _start(self, facts: Json) -> bool:
        """Begins or resumes a game in a thread."""
        code = facts["code"]
        facts = {name: facts.get(name) for name in ("site", "bot", "code", "rules", "color", "opponent")}
        try:
            record = OnlineRecord(self._folder, facts | {"player": str(self._settings.player)})
        except OSError as error:
            self._report(f"{code}: cannot save the record: {error.strerror or error}")
            return False
        shown = Shown(code, str(facts["opponent"]), str(facts["rules"]))
        game = OnlineGame(self._site, self._settings.player, SITE_RULES[shown.rules], record, shown, self._report)
        thread = threading.Thread(target=self._play, args=(game,), name=code, daemon=True)
        self._games[code] = thread, shown
        self._report(f"{code}: {shown.rules} against {shown.opponent}")
        thread.start()
        return True

    def _play(self, game: OnlineGame) -> None:
        """A game's thread; if it fails, the next look begins it again."""
        code = game.shown.code
        try:
            result = game.play()
            self._over.add(code)
            winner = result.get("winner") or "nobody"
            self._report(f"{code}: over, {winner} wins ({one_line(str(result.get('reason')), 80)})")
        except Stopped:
            pass
        except Refusal as refusal:
            self._report(f"{code}: {refusal}")
            if refusal.status == GONE:
                self._games.pop(code, None)
        except Exception as error:  # noqa: BLE001 - one game must not end the others, and is begun again
            self._report(f"{code}: {type(error).__name__}: {one_line(str(error), 200)}")

    def _create(self) -> bool:
        rules = next(self._rules)
        body = {"rule_variant": rules.name, "play_as": "random", "time_control": "rapid", "opponent_type": "human"}
        is_done = self._command(f"offering a game of {rules.name}", "POST", "/game/create", body)
        if is_done:
            self._report(f"offered a game of {rules.name} in the lobby")
        return is_done

    def _join(self) -> bool:
        """Joins one game of another bot."""
        for game in self._games_at("/game/open", "the lobby") or ():
            code, opponent = game["game_code"], one_line(str(game.get("created_by")), MOST_NAME)
            if code in self._closed or code == self._waiting or opponent == self.name:
                continue
            self._closed.add(code)
            why = self._unwanted(str(game.get("rule_variant")), opponent, "bot", is_known=False)
            if why:
                self._report(f"{code}: not joined: {why}")
                continue
            try:
                self._site.command("POST", f"/game/join/{code}")
            except Refusal as refusal:
                self._report(f"{code}: not joined: {refusal}")
                if refusal.code != "BOT_JOIN_COOLDOWN":  # a person's game, or one that is full: the next one, then
                    return False
                self._closed.discard(code)
            except Uncertain as error:
                self._report(f"{code}: {error}")
            self._joined = time.monotonic()
            return True
        return False

    def _games_at(self, path: str, what: str) -> list[Json] | None:
        """The games of a list of the site, so far as they have a code; None if it does not give the list."""
        try:
            games = self._site.ask(path).get("games")
        except Refusal as refusal:
            self._report(f"{what}: {refusal}")
            return None
        if not isinstance(games, list):
            self._report(f"{what}: {quoted(games)} is no list of games")
            return None
        return [game for game in games if isinstance(game, dict) and is_code(game.get("game_code"))]

    def _command(self, what: str, method: str, path: str, body: Json | None = None) -> bool:
        """Gives a command that may fail, since what the site shows at the next look counts; whether it was done."""
        try:
            self._site.command(method, path, body)
        except (Refusal, Uncertain) as error:
            self._report(f"{what}: {error}")
            return False
        return True
