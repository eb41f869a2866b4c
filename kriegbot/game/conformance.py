"""One test for any player: quick games under every rule set, from positions with unusual moves, and seeds.

`kriegbot check-player` prints it; the tests put all of ours through it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import chess

from kriegbot.game.match import GameResult, play_game
from kriegbot.game.process import ProcessSeat, budget_of
from kriegbot.game.seat import Failure, HereSeat
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import PlayerSpec
from referee import BERKELEY, RULE_SETS, Limits, RuleSet

STARTS = {
    "promotion": "8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
    "castling": "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
    "en passant": "4k3/ppp5/8/3P1P2/3p1p2/8/2P1P1P1/4K3 w - - 0 1",
    "a lone king": "7k/8/8/8/8/8/QQ6/K7 b - - 0 1",
}
SHORT, MIDDLING, LONG = Limits(plies=12), Limits(plies=40), Limits(plies=240)
SEED = 2006


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a player.

    Attributes:
      what: was checked.
      is_good: whether the player passed.
      detail: how it went, on one line.
      is_refused: whether no game could begin, since the player refused its spec.
    """

    what: str
    is_good: bool
    detail: str
    is_refused: bool = False


def conformance(spec: PlayerSpec, patience: float | None = None) -> Iterator[Check]:
    """Checks a player, until it has refused its spec; an answer may take `patience` seconds. Raises CannotStart."""
    with ProcessSeat(spec, patience=patience, has_own_seed=False) as seat:
        for rules in RULE_SETS.values():
            for color in chess.COLORS:
                played = _game(seat, color, rules, MIDDLING)
                check = _judged(f"{rules.name}, {chess.COLOR_NAMES[color]}", played, color)
                yield check
                if check.is_refused:
                    return
        for name, start in STARTS.items():
            for color in chess.COLORS:
                yield _judged(f"{name}, {chess.COLOR_NAMES[color]}", _game(seat, color, BERKELEY, SHORT, start), color)
        yield _judged("a long game", _game(seat, chess.WHITE, BERKELEY, LONG), chess.WHITE)
        tries = [_game(seat, chess.WHITE, BERKELEY, MIDDLING).record.turns for _ in range(2)]
        is_same = len({tuple((turn.move, turn.tries) for turn in turns) for turns in tries}) == 1
        is_timed = budget_of(spec) is not None
        said = "the same game" if is_same else "another game" + (", as a player by the clock may" if is_timed else "")
        yield Check("the same seed", is_same or is_timed or spec.get("samples") is None, said)


def _game(
    seat: ProcessSeat, color: chess.Color, rules: RuleSet, limits: Limits, start: str = chess.STARTING_FEN
) -> GameResult:
    rand = HereSeat("rand", RandPlayer)
    white, black = (seat, rand) if color == chess.WHITE else (rand, seat)
    return play_game(white, black, rules=rules, limits=limits, start=start, seed=SEED)


def _judged(what: str, played: GameResult, color: chess.Color) -> Check:
    did = played.statistics(color)
    if did.failure:
        is_refused = played.failed is not None and played.failed.failure is Failure.REFUSED
        return Check(what, False, did.failure, is_refused)
    if did.nonsense:
        return Check(what, False, f"{did.nonsense} of {did.tries} tries were impossible on its own board, or repeated")
    answers = f"{did.tries} tries, {did.illegal} illegal, {did.max_seconds:.2f} s for the longest"
    return Check(what, True, answers)
