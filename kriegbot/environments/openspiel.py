"""kriegbot's players in OpenSpiel: a `pyspiel.Bot` for its game `kriegspiel`.

    bots = [OpenSpielBot("kriegbot:samples=50", 0), OpenSpielBot("rand", 1)]
    pyspiel.evaluate_bots(pyspiel.load_game("kriegspiel").new_initial_state(), bots, 1)

The view comes from the bot's own information state and observation, never from the board or from `inform_action`, which
would show the opponent's actions. The rules are those of `referee.OPENSPIEL`; docs/environments.md has the differences.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import chess
import pyspiel

import referee
from kriegbot.game.match import seat_of
from kriegbot.kernels import subseed
from referee.pieces import Men, is_pawn_capture, men_of
from referee.view import ViewBuilder

REFUSED = "Illegal move."
_MOVED = re.compile(
    r"(?:(?P<man>Pawn|Piece) at (?P<square>[a-h][1-8]) captured, )?"
    r"(?:white|black)'s move(?:, (?P<tries>\d+) pawn tr\w+)?\."
)


class OpenSpielBot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel comes without types
    """A player of kriegbot in OpenSpiel's kriegspiel.

    `player` is its spec, such as "kriegbot:samples=50". `player_id` is its side, as OpenSpiel numbers them: 0 for
    Black, 1 for White. `seed` is that of all its games. Raises ValueError if there is no such player (BadSpec) or side.
    """

    def __init__(self, player: str, player_id: int, seed: int = 0) -> None:
        super().__init__()
        if player_id not in (0, 1):
            raise ValueError(f"illegal player_id {player_id!r}: it takes 0 for Black or 1 for White")
        self._seat, self._id, self._seed, self._games = seat_of(player, referee.OPENSPIEL), player_id, seed, 0
        self.restart()

    def restart(self) -> None:
        """Begin a new game."""
        self._seat.begin(subseed(self._seed, self._games))
        self._games += 1

    def restart_at(self, state: pyspiel.State) -> None:  # noqa: ARG002  # the view holds the whole game
        """Begin in the middle of a game."""
        self.restart()

    def close(self) -> None:
        """End the player's process, if it has one."""
        self._seat.close()

    def step(self, state: pyspiel.State) -> int:
        """Return the player's action. Raise PlayerFailed, or ValueError if it is not open, such as a resignation."""
        has_limit = state.get_game().get_parameters()["50_move_rule"]
        limits = referee.Limits(quiet_plies=50) if has_limit else referee.NO_LIMITS
        view = view_of(state.information_state_string(self._id), state.observation_string(self._id), limits)
        actions = {state.action_to_string(self._id, action): int(action) for action in state.legal_actions(self._id)}
        if not view.tries():  # mate or stalemate: it must try moves that cannot be legal
            return next(iter(actions.values()))
        action = self._seat.ask(view).action
        assert isinstance(action, referee.Action)  # for mypy: a program cannot leave
        code = referee.action_code(action)
        if code not in actions:
            raise ValueError(f"illegal answer of {self._seat.name}: {code}; it takes one of {' '.join(actions)}")
        return actions[code]


def view_of(history: str, observation: str, limits: referee.Limits = referee.NO_LIMITS) -> referee.View:
    """Return the view of the side to move.

    Its information state (`history`) holds the side, the starting position, its own tries and all announcements. Its
    `observation` shows its own pieces.
    """
    owner, start, *lines = history.splitlines()
    color = owner == "P1"
    side = ViewBuilder(color, referee.OPENSPIEL, limits, chess.Board(start).fen(en_passant="fen"))
    men = men_of(chess.BaseBoard(observation.partition(" ")[0]), color)
    last: chess.Move | None = None
    for number, line in enumerate(lines):
        name, _, words = line.partition(" ")
        announcement = announcement_of(words)
        is_silent = announcement is not None and announcement.capture is None
        if name == "?":
            if announcement is None:
                side.apply(referee.OpponentRefused())
                continue
            if last is not None and is_silent and is_taken_in_passing(side.men, last, lines[number + 1 :], men):
                announcement = replace(announcement, capture=last.to_square, captured=referee.CapturedKind.PAWN)
            side.apply(referee.OpponentMoved(announcement))
        else:
            move = chess.Move.from_uci(name)
            if announcement is None:
                side.apply(referee.OwnTry(move, referee.Answer.ILLEGAL))
                continue
            if is_silent and is_pawn_capture(move, side.men):
                square = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
                announcement = replace(announcement, capture=square, captured=referee.CapturedKind.PAWN)
            side.apply(referee.OwnTry(move, referee.Answer.ACCEPTED, announcement))
            last = move
    return side.view()


@cache
def announcement_of(words: str) -> referee.Announcement | None:
    """Parse OpenSpiel's announcement of a move; None if it refused the try. Raise ValueError for unknown words."""
    if words == REFUSED:
        return None
    match = _MOVED.fullmatch(words)
    if match is None:
        raise ValueError(f"unknown announcement {words!r}: it is not one of OpenSpiel 2.0")
    capture = None if match["square"] is None else chess.parse_square(match["square"])
    captured = None if match["man"] is None else referee.CapturedKind(match["man"].lower())
    return referee.Announcement(capture, captured, pawn_tries=referee.PawnTryCount(int(match["tries"] or 0)))


def is_taken_in_passing(men: Men, last: chess.Move, later: Iterable[str], now: Men) -> bool:
    """Return True if our pawn, which has just moved two squares (`last`), fell to an unannounced capture en passant.

    Its square is empty then. The first of the `later` lines that concerns that square shows it: we move there or away,
    or lose a piece there. If none does, our pieces `now` show it. `men` are those after our move.
    """
    square = last.to_square
    if men.get(square) != chess.PAWN or abs(last.from_square - square) != 16:
        return False
    for line in later:
        name, _, words = line.partition(" ")
        if words == REFUSED:
            continue
        if name == "?":
            announcement = announcement_of(words)
            if announcement is not None and announcement.capture == square:
                return False
        else:
            move = chess.Move.from_uci(name)
            if square in (move.from_square, move.to_square):
                return move.to_square == square
    return square not in now
