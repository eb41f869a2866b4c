"""A kriegspiel.org of our own: its bot API as it was observed, with our referee, clocks and opponents.

Opponents play random tries, ask "Any?" now and then, and resign games that take too long. They join the bot's game in
the lobby and begin games with it. What the bot must not do is written down: a call that is none of its own,
such as one that shows the opponent's moves, and a try sent after it was answered.

`tests.fake_http` serves it, with faults; `tests.fake_game` is one of its games; `tests.fake_words` has its words.
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections import Counter

import chess

from kriegbot.online.site import SITE_RULES
from referee import Answer, AskAny, OwnTry
from tests.fake_game import BOT, Game, Json
from tests.fake_words import answered

KEY, TOKEN = "a key", "ksbot_1.secret"


class Error(Exception):
    """An answer that is an error: status, code."""


class FakeSite:
    """The site.

    Args:
      seed: of opponents and faults.
      faults: probability of one for each request.
      base: seconds on the clock.
      increment: seconds added for a move.
      delay: most seconds that an opponent takes for a turn.
      challenges: probability, at each look at the bot's games, that someone begins a game with it.
      late: seconds of a late answer.
      rules: of games that others begin.
      most: games after which no more begin; None for any number.
      long: plies after which opponents resign.
    """

    def __init__(
        self,
        seed: int = 0,
        faults: float = 0.0,
        base: float = 1500.0,
        increment: float = 10.0,
        delay: float = 0.0,
        challenges: float = 0.0,
        late: float = 0.3,
        rules: tuple[str, ...] = tuple(SITE_RULES),
        most: int | None = None,
        long: int = 300,
    ) -> None:
        self.rng = random.Random(seed)
        self.faults, self.base, self.increment, self.delay, self.late = faults, base, increment, delay, late
        self.challenges, self.rules, self.most, self.long = challenges, rules, most, long
        self.games: dict[str, Game] = {}
        self.wrong: list[str] = []
        """The faults of the bot."""
        self.forced: list[str] = []
        """Faults of the next requests; "" for none."""
        self.counts: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.address = ""
        self.joined = -100.0
        self.wants_key = True

    # What happens at the site

    def code(self) -> str:
        """Return a fresh code."""
        return "".join(self.rng.choice("23456789ABCDEFGHJKMNPQRSTUVWXYZ") for _ in range(6))

    def add(self, rules: str, *, created_by: str, state: str, ours: chess.Color | None = None) -> Game:
        """Return a new game; of one that another has created, the bot's colour is the other one."""
        color = self.rng.random() < 0.5 if ours is None else ours
        other, role = ("", "user") if created_by == BOT else (created_by, "bot" if "bot" in created_by else "user")
        game = Game(self.code(), rules, color, other, role, self.base, self.increment, state, created_by)
        self.games[game.code] = game
        if state == "active":
            game.start()
        return game

    def begun(self) -> int:
        """Games that were begun."""
        return sum(game.referee is not None for game in self.games.values())

    def over(self) -> int:
        """Games that are over."""
        return sum(game.state == "completed" for game in list(self.games.values()))

    def is_full(self) -> bool:
        """Return True if no more games begin."""
        return self.most is not None and self.begun() >= self.most

    def live(self) -> None:
        """Opponents do what they do: lobby, replies, clocks."""
        for game in list(self.games.values()):
            if game.state == "waiting" and game.created_by == BOT and not self.is_full():
                game.opponent, game.role = self.rng.choice((("anna", "user"), ("otherbot", "bot")))
                game.start()
            if game.state == "active":
                game.tick()
            if game.state == "active" and game.game.turn != game.ours and time.monotonic() >= game.reply_at:
                self.reply(game)

    def reply(self, game: Game) -> None:
        """Play the opponent's turn."""
        color = not game.ours
        if game.game.ply > self.long:
            game.game.resign(color)
            game.close()
        while game.game.end is None and game.game.turn == color:
            view = game.game.view(color)
            game.act(AskAny() if view.may_ask and self.rng.random() < 0.3 else self.rng.choice(view.tries()))

    def serve(self, method: str, path: str, headers: Json, body: Json) -> tuple[int, Json]:
        """Return an answer to a request that has taken effect."""
        with self.lock:
            self.live()
            try:
                return self.answer(method, path, headers, body)
            except Error as error:
                status, code = error.args
                return status, {"error": {"code": code, "message": code.replace("_", " ").lower(), "details": {}}}

    def answer(self, method: str, path: str, headers: Json, body: Json) -> tuple[int, Json]:
        """Return the answer to a request."""
        if (method, path) == ("POST", "/auth/bots/register"):
            if self.wants_key and headers.get("X-Bot-Registration-Key") != KEY:
                raise Error(403, "FORBIDDEN")
            known = {"bot_id": "1", "api_token": TOKEN, "message": "Keep the token."}
            return 201, known | {name: body[name] for name in ("username", "display_name", "owner_email")}
        if headers.get("Authorization") != f"Bearer {TOKEN}":
            raise Error(401, "UNAUTHORIZED")
        match [method, *path.strip("/").split("/")]:
            case ["GET", "auth", "me"]:
                return 200, {"username": BOT, "role": "bot"}
            case ["POST", "bots", "profile"]:
                return 200, {"ok": True}
            case ["POST", "game", "create"]:
                return self.create(body)
            case ["GET", "game", "open"]:
                return 200, {"games": [game.offer() for game in self.games.values() if game.state == "waiting"]}
            case ["GET", "game", "mine", "active"]:
                if self.rng.random() < self.challenges and not self.is_full():
                    self.add(self.rng.choice(self.rules), created_by="boris", state="active")
                return 200, {"games": [game.summary() for game in self.games.values() if self.is_mine(game)]}
            case ["POST", "game", "join", code]:
                return self.join(self.found(code))
            case ["GET", "game", code, "state"]:
                return 200, self.state(self.found(code))
            case ["POST", "game", code, "move"]:
                return 200, self.move(self.found(code), str(body["uci"]))
            case ["POST", "game", code, "ask-any"]:
                return 200, self.ask_any(self.found(code))
            case ["POST", "game", code, "resign"]:
                game = self.found(code)
                if game.state != "active":
                    raise Error(400, "GAME_NOT_ACTIVE")
                game.game.resign(game.ours)
                game.close()
                return 200, {"result": game.result()}
            case ["DELETE", "game", code]:
                if self.found(code).state != "waiting":
                    raise Error(409, "GAME_NOT_WAITING")
                del self.games[code]
                return 204, {}
        self.wrong.append(f"forbidden: {method} {path}")
        raise Error(404, "NOT_FOUND")

    def found(self, code: str) -> Game:
        """Return the game of a code."""
        if code not in self.games:
            raise Error(404, "GAME_NOT_FOUND")
        return self.games[code]

    def is_mine(self, game: Game) -> bool:
        """Return True if a game is one of the bot's."""
        return game.state != "completed" and (game.referee is not None or game.created_by == BOT)

    def create(self, body: Json) -> tuple[int, Json]:
        """Answer the bot that offers a game."""
        takes = {"rule_variant", "play_as", "time_control", "opponent_type"}
        if set(body) != takes or body["rule_variant"] not in SITE_RULES:
            raise Error(422, "UNPROCESSABLE")
        if any(game.state == "waiting" and game.created_by == BOT for game in self.games.values()):
            raise Error(409, "BOT_ALREADY_HAS_OPEN_GAME")
        game = self.add(body["rule_variant"], created_by=BOT, state="waiting")
        return 201, game.summary() | {"play_as": chess.COLOR_NAMES[game.ours], "join_url": "https://x"}

    def join(self, game: Game) -> tuple[int, Json]:
        """Answer the bot that joins a game."""
        if game.created_by == BOT:
            raise Error(409, "CANNOT_JOIN_OWN_GAME")
        if game.state != "waiting":
            raise Error(409, "GAME_FULL")
        if game.role != "bot":
            raise Error(403, "FORBIDDEN")
        if time.monotonic() - self.joined < 60:
            raise Error(409, "BOT_JOIN_COOLDOWN")
        self.joined = time.monotonic()
        game.start()
        return 200, game.summary() | {"play_as": chess.COLOR_NAMES[game.ours], "game_url": "https://x"}

    def acting(self, game: Game) -> None:
        """Raise Error unless the bot is to move."""
        if game.state != "active":
            raise Error(400, "GAME_NOT_ACTIVE")
        if game.game.turn != game.ours:
            raise Error(400, "NOT_YOUR_TURN")

    def move(self, game: Game, uci: str) -> Json:
        """Answer a try of the bot."""
        self.acting(game)
        game.before = self.state(game)
        answer = game.act(chess.Move.from_uci(uci))
        event = game.game.last
        assert isinstance(event, OwnTry)
        if answer is not Answer.ACCEPTED:
            game.refused.add(uci)
        else:
            game.accepted = uci
            game.reply_at = time.monotonic() + self.rng.uniform(0, self.delay)
        nonsense = "NONSENSE" if game.rules in ("cincinnati", "rand") else "IMPOSSIBLE_TO_ASK"
        main = "ILLEGAL_MOVE" if answer is Answer.ILLEGAL else nonsense
        said = answered(event.announcement) if event.announcement else {"announcement": main}
        return {"move_done": answer is Answer.ACCEPTED, **said, **self.rest(game)}

    def ask_any(self, game: Game) -> Json:
        """Answers "Any?" to the bot."""
        self.acting(game)
        if not game.game.view(game.ours).may_ask:
            raise Error(400, "ACTION_NOT_AVAILABLE")
        game.before = self.state(game)
        game.asked = True
        answer = game.act(AskAny())
        main = "HAS_ANY" if answer is Answer.YES else "NO_ANY"
        return {"move_done": False, "announcement": main, "has_any": answer is Answer.YES, **self.rest(game)}

    def rest(self, game: Game) -> Json:
        """Return what every answer to a try ends with."""
        turn = chess.COLOR_NAMES[game.game.turn] if game.state == "active" else None
        return {"turn": turn, "game_over": game.state == "completed", "clock": game.clocks()}

    def received(self, path: str, body: Json) -> None:
        """Write down what the bot must not send."""
        with self.lock:
            found = re.fullmatch("/game/([0-9A-Z]+)/(move|ask-any)", path)
            game = self.games.get(found[1]) if found else None
            if game is None or found is None or game.referee is None or game.state != "active":
                return
            uci, is_ours = str(body.get("uci")), game.game.turn == game.ours
            if found[2] == "ask-any":
                is_twice = is_ours and game.asked
            else:
                is_twice = uci in game.refused if is_ours else uci == game.accepted
            if is_twice:
                self.wrong.append(f"sent twice: {path} {uci} at ply {game.game.ply}")

    def state(self, game: Game) -> Json:
        """Return what the bot may know of a game that has begun."""
        if game.referee is None:
            raise Error(400, "GAME_NOT_ACTIVE")
        return game.shown()
