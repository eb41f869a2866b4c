"""Players of kriegbot at OpenSpiel's table: a `pyspiel.Bot` for its game `kriegspiel`, and what it hears as a `View`.

    bots = [OpenSpielBot("kriegbot:samples=50", 0), OpenSpielBot("rand", 1)]
    pyspiel.evaluate_bots(pyspiel.load_game("kriegspiel").new_initial_state(), bots, 1)

The view is made of what the state tells the bot's own side, its information state and its observation: never of the
board, nor of the actions of others that `inform_action` would give away. The rules are those of `referee.OPENSPIEL`. It
leaves out four things that OpenSpiel 2.0 does, which no view can tell of:

* A capture en passant is not announced there. The side that takes knows, and the other side's pawn is gone: here both
  hear it, at the square of the captured pawn.
* Mate and stalemate are not announced there. The side to move has to try everything before the game is over.
* A position that occurs for the third time ends the game as a draw, though neither side can know.
* After 50 plies without a capture or a pawn move the game is drawn, even if the last of them gave mate.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import chess
import pyspiel

import referee
from kriegbot.game.trial import seat_of
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

    Args:
      player: its spec, such as "kriegbot:samples=50".
      player_id: which side it plays: 0 is Black and 1 White, as OpenSpiel numbers them.
      seed: of its games; each gets one of its own.

    Raises:
      ValueError: there is no such player (BadSpec), or no such side.
    """

    def __init__(self, player: str, player_id: int, seed: int = 0) -> None:
        super().__init__()
        if player_id not in (0, 1):
            raise ValueError(f"illegal player_id {player_id!r}: it takes 0 for Black or 1 for White")
        self._seat, self._id, self._seed, self._games = seat_of(player, referee.OPENSPIEL), player_id, seed, 0
        self.restart()

    def restart(self) -> None:
        """Begins a new game."""
        self._seat.begin(subseed(self._seed, self._games))
        self._games += 1

    def restart_at(self, state: pyspiel.State) -> None:  # noqa: ARG002  # the view tells the whole game so far
        """Begins in the middle of a game."""
        self.restart()

    def close(self) -> None:
        """Lets the player go, whose process, if it is from outside, then ends."""
        self._seat.close()

    def step(self, state: pyspiel.State) -> int:
        """The player's action.

        Raises:
          PlayerFailed: the player raised or hung.
          ValueError: what it answered is not open; it gave up, for instance, which OpenSpiel does not know.
        """
        has_limit = state.get_game().get_parameters()["50_move_rule"]
        limits = referee.Limits(quiet_plies=50) if has_limit else referee.NO_LIMITS
        view = view_of(state.information_state_string(self._id), state.observation_string(self._id), limits)
        actions = {state.action_to_string(self._id, action): int(action) for action in state.legal_actions(self._id)}
        if not view.tries():  # it has been mated, or stalemated, and has to try what cannot be legal, too
            return next(iter(actions.values()))
        action = self._seat.ask(view).action
        assert isinstance(action, referee.Action)  # for mypy: a program cannot leave
        code = referee.action_code(action)
        if code not in actions:
            raise ValueError(f"illegal answer of {self._seat.name}: {code}; it takes one of {' '.join(actions)}")
        return actions[code]


def view_of(told: str, seen: str, limits: referee.Limits = referee.NO_LIMITS) -> referee.View:
    """The view of the side to move.

    Args:
      told: its information state: who it is, the first position, its own tries and all that was said.
      seen: its observation, which shows its own men.
      limits: when the game is drawn.
    """
    owner, start, *lines = told.splitlines()
    color = owner == "P1"
    side = ViewBuilder(color, referee.OPENSPIEL, limits, chess.Board(start).fen(en_passant="fen"))
    now = men_of(chess.BaseBoard(seen.partition(" ")[0]), color)
    last: chess.Move | None = None
    for number, line in enumerate(lines):
        tried, _, words = line.partition(" ")
        heard = announced(words)
        if tried == "?":
            if heard is None:
                side.apply(referee.OpponentRefused())
                continue
            later = lines[number + 1 :]
            if last is not None and heard.capture is None and is_taken_in_passing(side.men, last, later, now):
                heard = replace(heard, capture=last.to_square, captured=referee.CapturedKind.PAWN)
            side.apply(referee.OpponentMoved(heard))
        else:
            move = chess.Move.from_uci(tried)
            if heard is None:
                side.apply(referee.OwnTry(move, referee.Answer.ILLEGAL))
                continue
            if heard.capture is None and is_pawn_capture(move, side.men):
                passed = chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))
                heard = replace(heard, capture=passed, captured=referee.CapturedKind.PAWN)
            side.apply(referee.OwnTry(move, referee.Answer.ACCEPTED, heard))
            last = move
    return side.view()


@cache
def announced(words: str) -> referee.Announcement | None:
    """What the umpire says of a move, None if it was refused; raises ValueError if no umpire known to us says so."""
    if words == REFUSED:
        return None
    match = _MOVED.fullmatch(words)
    if match is None:
        raise ValueError(f"illegal words of an umpire: {words!r}; they are not those of OpenSpiel 2.0")
    capture = None if match["square"] is None else chess.parse_square(match["square"])
    captured = None if match["man"] is None else referee.CapturedKind(match["man"].lower())
    return referee.Announcement(capture, captured, pawn_tries=referee.PawnTryCount(int(match["tries"] or 0)))


def is_taken_in_passing(men: Men, last: chess.Move, later: Iterable[str], now: Men) -> bool:
    """Whether our pawn that has just gone two squares, as `last`, was taken by a move of which nothing was said.

    If so, its square is empty. What is heard of that square `later` tells: whether our men go there, leave it, or are
    captured on it; and if nothing is heard of it, whether we have a man on it now. `men` are ours after our move.
    """
    square = last.to_square
    if men.get(square) != chess.PAWN or abs(last.from_square - square) != 16:
        return False
    for line in later:
        tried, _, words = line.partition(" ")
        if words == REFUSED:
            continue
        if tried == "?":
            heard = announced(words)
            if heard is not None and heard.capture == square:
                return False
        else:
            move = chess.Move.from_uci(tried)
            if square in (move.from_square, move.to_square):
                return move.to_square == square
    return square not in now
