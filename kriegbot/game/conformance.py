"""A test for any player: games under every rule set and from unusual positions, a long one, and the same game twice."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import chess

from kriegbot.game.match import GameResult, play_game
from kriegbot.game.process import ProcessSeat, budget_of
from kriegbot.game.seat import HereSeat
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import PlayerSpec
from referee import BERKELEY, RULE_SETS, Limits, RuleSet

STARTS = {
    "promotion": "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
    "castling": "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
    "en passant": "4k3/ppp5/8/3P1P2/3p1p2/8/2P1P1P1/4K3 w - - 0 1",
    "a lone king": "7k/8/8/8/8/8/QQ6/K7 b - - 0 1",
}
START_LIMITS = Limits(plies=12)
SEED = 2006


@dataclass(frozen=True, slots=True)
class PlayerCheck:
    """The result of one check of a player."""

    what: str
    is_good: bool
    detail: str


def conformance(
    spec: PlayerSpec, patience: float | None = None, *, plies: int = 40, long_plies: int = 240
) -> Iterator[PlayerCheck]:
    """Check a player, also in one game of `long_plies`. Raise CannotStart, or BadSpec if it refuses its spec."""
    limits = Limits(plies=plies)
    with ProcessSeat(spec, patience=patience, has_own_seed=False) as seat:
        games = [(rules.name, rules, limits, chess.STARTING_FEN) for rules in RULE_SETS.values()]
        games += [(name, BERKELEY, START_LIMITS, start) for name, start in STARTS.items()]
        for (name, rules, draws, start), color in product(games, chess.COLORS):
            yield _check(f"{name}, {chess.COLOR_NAMES[color]}", _game(seat, color, rules, draws, start), color)
        yield _check("a long game", _game(seat, chess.WHITE, BERKELEY, Limits(plies=long_plies)), chess.WHITE)
        twice = [_game(seat, chess.WHITE, BERKELEY, limits).record.turns for _ in range(2)]
        is_same = len({tuple((turn.move, turn.tries) for turn in turns) for turns in twice}) == 1
        is_timed = budget_of(spec) is not None
        detail = "the same game" if is_same else "another game" + (", as a player by the clock may" if is_timed else "")
        yield PlayerCheck("the same seed", is_same or is_timed or spec.get("samples") is None, detail)


def _game(
    seat: ProcessSeat, color: chess.Color, rules: RuleSet, limits: Limits, start: str = chess.STARTING_FEN
) -> GameResult:
    rand = HereSeat("rand", RandPlayer)
    white, black = (seat, rand) if color == chess.WHITE else (rand, seat)
    played = play_game(white, black, rules=rules, limits=limits, start=start, seed=SEED)
    played.check_begun()
    if played.interrupted:
        raise KeyboardInterrupt
    return played


def _check(what: str, played: GameResult, color: chess.Color) -> PlayerCheck:
    stats = played.statistics(color)
    detail = f"{stats.tries} tries, {stats.illegal} illegal, {stats.max_seconds:.2f} s for the longest"
    if stats.nonsense:
        detail = f"{stats.nonsense} of {stats.tries} tries were impossible on its own board, or repeated"
    return PlayerCheck(what, not (stats.failure or stats.nonsense), stats.failure or detail)
