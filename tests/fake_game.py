"""A game at the kriegspiel.org of `tests.fake_site`: referee, clocks, and what the bot API tells of it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import chess

from kriegbot.online.site import SITE_RULES
from referee import Answer, AskAny, Limits, Reason, Referee, RuleSet
from tests.fake_words import told

Json = dict[str, Any]

BOT = "kriegbot"
ENDS = {
    Reason.CHECKMATE: "checkmate",
    Reason.STALEMATE: "stalemate",
    Reason.DEAD_POSITION: "insufficient",
    Reason.QUIET_LIMIT: "too_many_reversible_moves",
    Reason.RESIGNATION: "resignation",
    Reason.FORFEIT: "timeout",
}


def theirs(name: str) -> RuleSet:
    """Return a rule set as the site's referee has it: king and minor piece play on against the same."""
    return replace(SITE_RULES[name], one_minor_each_draws=False)


@dataclass
class Game:
    """A game at the site; `ours` is the bot's colour."""

    code: str
    rules: str
    ours: chess.Color
    opponent: str
    role: str
    base: float
    increment: float
    state: str = "active"
    created_by: str = BOT
    referee: Referee | None = None
    clock: dict[chess.Color, float] = field(default_factory=dict)
    running: bool = False
    since: float = 0.0
    reply_at: float = 0.0
    accepted: str = ""
    refused: set[str] = field(default_factory=set)
    asked: bool = False
    before: Json | None = None

    def start(self) -> None:
        """Both sides are there."""
        self.state, self.since = "active", time.monotonic()
        self.referee = Referee(theirs(self.rules), Limits(quiet_plies=2000))
        self.clock = dict.fromkeys(chess.COLORS, self.base)

    @property
    def game(self) -> Referee:
        """The referee, who is there once the game has begun."""
        assert self.referee is not None
        return self.referee

    def tick(self) -> None:
        """Take the time that has passed from the clock of the side to move."""
        now = time.monotonic()
        if self.running and self.game.end is None:
            turn = self.game.turn
            self.clock[turn] -= now - self.since
            if self.clock[turn] <= 0:
                self.clock[turn] = 0.0
                self.game.forfeit(turn, "timeout")
        self.since = now
        self.close()

    def close(self) -> None:
        """Notices the end."""
        if self.game.end is not None:
            self.state, self.running = "completed", False

    def act(self, action: chess.Move | AskAny) -> Answer:
        """Put a request of the side to move to the referee, and advance its clock."""
        mover = self.game.turn
        answer = self.game.ask_any() if isinstance(action, AskAny) else self.game.try_move(action)
        if answer is Answer.ACCEPTED:
            self.clock[mover] += self.increment
            self.running = True
            self.refused.clear()
            self.asked = False
        self.close()
        return answer

    def clocks(self) -> Json:
        """Both clocks."""
        turn = chess.COLOR_NAMES[self.game.turn] if self.running else None
        white, black = self.clock[chess.WHITE], self.clock[chess.BLACK]
        return {"white_remaining": white, "black_remaining": black, "active_color": turn}

    def result(self) -> Json | None:
        """Return the end of the game."""
        end = self.game.end
        if end is None:
            return None
        winner = None if end.winner is None else chess.COLOR_NAMES[end.winner]
        return {"winner": winner, "reason": ENDS[end.reason]}

    def offer(self) -> Json:
        """Return a line of the lobby."""
        return {
            "game_code": self.code,
            "rule_variant": self.rules,
            "created_by": self.created_by,
            "created_at": "2026-11-22T10:00:00Z",
            "available_color": chess.COLOR_NAMES[self.ours],
        }

    def summary(self) -> Json:
        """Return a line of the bot's games."""
        sides = {self.ours: {"username": BOT, "role": "bot"}}
        if self.opponent:
            sides[not self.ours] = {"username": self.opponent, "role": self.role}
        return {
            "game_id": self.code.lower() * 4,
            "game_code": self.code,
            "state": self.state,
            "turn": chess.COLOR_NAMES[self.game.turn] if self.state == "active" else None,
            "move_number": self.game.ply + 1 if self.referee else 1,
            "white": sides.get(chess.WHITE),
            "black": sides.get(chess.BLACK),
            "rule_variant": self.rules,
            "result": None,
        }

    def shown(self) -> Json:
        """Return what the bot may know."""
        view = self.game.view(self.ours)
        board = self.game.board()
        if self.state == "active":
            for square in chess.scan_forward(board.occupied_co[not self.ours]):
                board.remove_piece_at(square)
        turns = list(told(self.game, self.ours))
        is_ours = self.state == "active" and view.turn == self.ours
        return {
            "game_id": self.code.lower() * 4,
            "state": self.state,
            "turn": chess.COLOR_NAMES[view.turn] if self.state == "active" else None,
            "move_number": view.ply + 1,
            "your_color": chess.COLOR_NAMES[self.ours],
            "your_fen": f"{board.board_fen()} {'w' if view.turn else 'b'} - - 0 1",
            "allowed_moves": sorted(move.uci() for move in view.tries()) if is_ours else [],
            "material_summary": {"white": {}, "black": {}},
            "scoresheet": {
                "viewer_color": chess.COLOR_NAMES[self.ours],
                "last_move_number": len(turns),
                "turns": turns,
            },
            "referee_log": [],
            "referee_turns": turns,
            "possible_actions": (["move"] + (["ask_any"] if view.may_ask else [])) if is_ours else [],
            "result": self.result(),
            "clock": self.clocks(),
        }
