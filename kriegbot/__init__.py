"""Kriegspiel by information-set search: belief, search, players and their command line.

The names below are the public interface, `from kriegbot import Belief`, together with the rules of the game in
`referee`, explicit game trees in `kriegbot.trees`, and the modules of `kriegbot.environments` that docs/environments.md
describes; those that need an extra have no page here. They are loaded when first used, so that `import kriegbot` stays
fast. Everything else may change from version to version. docs/bots.md has short programs.

- play: `play_game`, `GameResult`; seats `Seat`, `HereSeat`, `ProcessSeat`; many games: `run_tournament`
- players: `Player`, `PlayerKind`, `Option`, `Choice`, `Report`; by name: `parse_spec`, `PlayerSpec`, `make_player`
- belief: `Belief`, the `Particles` that it holds, `EmptyBelief`
- search: `Settings`, `search_player`, `SearchPlayer`, `SampledSearch`, `Search`, `Policy`; of one information set:
  `InformationSet`, `Method`, `search_tries`, `TryValues`
- positions uint64[8] and moves as numbers, from and to python-chess: `from_board`, `to_board`, `encode_move`,
  `decode_move`
- parts: `evaluator`, `load_evaluator`; `opponent`, `opponents`, `Announced`, `load_opponent`; `Backup`, `fold`,
  `settle`, `load_backup`; what these are as functions: `Evaluator`, `Opponent`, `Fold`, `Settle`
- in the functions of parts, which numba compiles: the types `Position`, `Word` (a set of squares, one bit for each),
  `Words`, `Moves` and `Reals` (pointers to such words, to moves, to floats), in arrays `Rows` and `RealArray`;
  `NONE` (no square), `words` (constants), `bit`, `lsb`, `popcount`, `pieces_of`, `side_to_move`, `attacked_by`,
  `captured_on`, `type_id`, `material`; and `kernel`, which compiles a function that they call
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kriegbot.public import *  # noqa: F403 - all of them
else:

    def __getattr__(name: str) -> Any:
        """A public name, loaded with all others; a module, which imports also look for here, loads none."""
        if name == "__all__" or not (name.startswith("_") or find_spec(f"kriegbot.{name}")):
            public = vars(import_module("kriegbot.public"))
            names = {each: found for each, found in public.items() if not each.startswith("_")}
            globals().update(names, __all__=sorted(names))
        if name not in globals():
            raise AttributeError(f"module 'kriegbot' has no attribute {name!r}")
        return globals()[name]

    def __dir__() -> list[str]:
        return __getattr__("__all__")
