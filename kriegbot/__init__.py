"""Kriegspiel by information-set search: belief, search, players and their command line.

These names are the public API (`from kriegbot import Belief`), with those of `referee` (the rules), `kriegbot.trees`
(game trees), `kriegbot.endgames` (mates) and the modules of `kriegbot.environments` in docs/environments.md. They load
when first used. Everything else may change from version to version. docs/bots.md has short programs.

- play: `play_game`, `GameResult`; seats `Seat`, `HereSeat`, `ProcessSeat`; many games: `run_tournament`
- players: `Player`, `PlayerKind`, `Option`, `Choice`, `Report`; by name: `parse_spec`, `PlayerSpec`, `make_player`
- belief: `Belief`, the `Particles` that it holds, `EmptyBelief`
- search: `Settings`, `search_player`, `SearchPlayer`, `SampledSearch`, `Search`, `Policy`; of one set:
  `InformationSet`, `Method`, `search_tries`, `TryValues`
- positions (uint64[8]) and moves from and to python-chess: `from_board`, `to_board`, `encode_move`, `decode_move`
- parts: `evaluator`, `load_evaluator`; `opponent`, `opponents`, `Announced`, `load_opponent`; `Backup`, `fold`,
  `settle`, `load_backup`; the types of their functions: `Evaluator`, `Opponent`, `Fold`, `Settle`
- for the functions of parts, which numba compiles: the types `Position`, `Word` (a set of squares, one bit for each),
  `Words`, `Moves` and `Reals` (pointers to words, moves and floats), the arrays `Rows` and `RealArray`;
  `NONE` (no square), `words` (constants), `bit`, `lsb`, `popcount`, `pieces_of`, `side_to_move`, `attacked_by`,
  `captured_on`, `type_id`, `material`; and `kernel`, which compiles a function that they call
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kriegbot.public import *  # noqa: F403 - the public API
else:

    def __getattr__(name: str) -> Any:
        """Return a public name from its module. Imports also look for modules here, and load nothing else."""
        if name == "__all__":
            return sorted(_modules())
        if name.startswith("_") or find_spec(f"kriegbot.{name}") or name not in _modules():
            raise AttributeError(f"module 'kriegbot' has no attribute {name!r}")
        return globals().setdefault(name, getattr(import_module(_modules()[name]), name))

    def __dir__() -> list[str]:
        return sorted(_modules())

    @cache
    def _modules() -> dict[str, str]:
        """Return the module of each public name, as `kriegbot.public` imports it."""
        import ast

        imports = ast.parse(Path(__file__).with_name("public.py").read_text("utf-8")).body
        return {alias.name: one.module for one in imports if isinstance(one, ast.ImportFrom) for alias in one.names}
