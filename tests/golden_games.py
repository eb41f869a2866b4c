"""Games by samples as text: every built-in player, level and rule set, so that a change of play is a diff to explain.

    PYTHONPATH=. python tests/golden_games.py [NAME ...]      # writes tests/golden/games anew

Each file is a record of Kriegspiel, a ply a line: the move, the tries refused before it, the announcement. Games stop
after some plies, before the endings. Not among them are `human`, and `engine`, since another program chooses its tries.
"""

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import chess

from kriegbot.game.match import play_game
from kriegbot.players.kriegbot import LEVELS
from referee import RULE_SETS, Limits, RuleSet
from referee.pgn import headers_of, numbered, record_to_pgn

FOLDER = Path(__file__).parent / "golden" / "games"
SCRIPTS = ("grabber", "rusher", "shuffler", "rand", "rand:by=man")
SEARCHES = {
    "hs": "hs:samples=20",
    "overconfident": "overconfident:samples=60,particles=1000",
    "paranoid": "paranoid:samples=20,particles=1000",
    "conservative": "overconfident:samples=60,particles=1000,evaluator=conservative",
    "fitted": "search:samples=40,particles=1000,opponent=fitted,belief_model=recapturing,backup=mixed,free_refusals=1",
    "recapturing": "search:samples=40,particles=1000,opponent=recapturing,belief_model=fitted,evaluator=material",
}


class Golden(NamedTuple):
    """A game to be played: the specs of both sides, the rules, the seed, and the most plies."""

    white: str
    black: str
    rules: RuleSet = RULE_SETS["berkeley"]
    seed: int = 1
    plies: int = 30
    start: str = chess.STARTING_FEN


ROOKS = "4k3/pp3r2/8/8/8/8/2R3PP/4K3 w - - 0 1"

GAMES = {
    **{f"script-{name.replace(':by=', '-')}": Golden(name, "grabber", seed=2, plies=60) for name in SCRIPTS},
    **{f"search-{name}": Golden(spec, "rusher", seed=3) for name, spec in SEARCHES.items()},
    **{f"level-{level}": Golden("grabber", f"kriegbot:level={level}", seed=4) for level in LEVELS},
    **{f"rules-{name}": Golden("kriegbot:samples=60", "grabber", rules, 5, 24) for name, rules in RULE_SETS.items()},
    "rooks-kriegbot": Golden("kriegbot:samples=60", "rusher", seed=6, plies=22, start=ROOKS),
    "rooks-casual": Golden("rusher", "kriegbot:level=casual", seed=6, start=ROOKS),
    "itself": Golden("kriegbot:samples=200", "kriegbot:samples=200", RULE_SETS["wild16"], seed=7, plies=16),
}


def played(game: Golden) -> str:
    """Play a game and return its record, a ply a line, without what differs from day to day."""
    limits = Limits(plies=game.plies)
    record = play_game(game.white, game.black, rules=game.rules, limits=limits, start=game.start, seed=game.seed).record
    headers = {name: record.headers[name] for name in ("White", "Black", "Seed")}
    record = replace(record, headers=headers, turns=tuple(replace(turn, seconds=None) for turn in record.turns))
    tags = [f'[{name} "{value}"]' for name, value in headers_of(record).items()]
    moves = record_to_pgn(record).partition("\n\n")[2].replace("\n", " ")
    for number, _, _ in numbered(record):
        moves = moves.replace(f" {number} ", f"\n{number} ", 1)
    return "\n".join([*tags, "", moves.removesuffix(" "), ""])


def write(names: Iterable[str]) -> None:
    """Play the games of these names and write their files."""
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        (FOLDER / f"{name}.pgn").write_text(played(GAMES[name]))


if __name__ == "__main__":
    write(sys.argv[1:] or GAMES)
