"""Kriegspiel by information-set search: belief, search, players and their command line.

The names below are the public interface, `from kriegbot import Belief`; the rules of the game are in `referee`. They
are loaded when first used, so that `import kriegbot` stays fast. Everything else may change from version to version.

- play: `play_game`, `Played`; seats `HereSeat`, `ProcessSeat`; many games: `run_tournament`
- players: `Player`, `PlayerKind`, `Option`, `Choice`, `Report`; by name: `parse_spec`, `make_player`
- belief: `Belief`, `EmptyBelief`
- search: `Settings`, `search_player`, `SearchPlayer`, `SampledSearch`, `Search`, `Policy`; of one information set:
  `InformationSet`, `Method`, `search_tries`, `TryValues`
- parts: `evaluator`, `load_evaluator`; `opponent`, `Heard`, `load_opponent`; `Backup`, `fold`, `settle`, `load_backup`
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evaluators import load_evaluator as load_evaluator
    from evaluators.protocol import evaluator as evaluator
    from kriegbot.belief.belief import Belief as Belief
    from kriegbot.belief.belief import EmptyBelief as EmptyBelief
    from kriegbot.game.match import Played as Played
    from kriegbot.game.match import play_game as play_game
    from kriegbot.game.process import ProcessSeat as ProcessSeat
    from kriegbot.game.seat import HereSeat as HereSeat
    from kriegbot.models import load_opponent as load_opponent
    from kriegbot.models.protocol import Heard as Heard
    from kriegbot.models.protocol import opponent as opponent
    from kriegbot.options import Option as Option
    from kriegbot.players.base import Choice as Choice
    from kriegbot.players.base import Player as Player
    from kriegbot.players.base import PlayerKind as PlayerKind
    from kriegbot.players.base import Report as Report
    from kriegbot.players.searching import SearchPlayer as SearchPlayer
    from kriegbot.players.searching import search_player as search_player
    from kriegbot.players.specs import make_player as make_player
    from kriegbot.players.specs import parse_spec as parse_spec
    from kriegbot.search.backup import Backup as Backup
    from kriegbot.search.backup import fold as fold
    from kriegbot.search.backup import settle as settle
    from kriegbot.search.information_set import InformationSet as InformationSet
    from kriegbot.search.policy import Policy as Policy
    from kriegbot.search.policy import Search as Search
    from kriegbot.search.rules import load_backup as load_backup
    from kriegbot.search.sampled import SampledSearch as SampledSearch
    from kriegbot.search.search import TryValues as TryValues
    from kriegbot.search.search import search_tries as search_tries
    from kriegbot.search.settings import Method as Method
    from kriegbot.search.settings import Settings as Settings
    from tournaments.run import run_tournament as run_tournament

_NAMES = {
    "evaluators": ("load_evaluator",),
    "evaluators.protocol": ("evaluator",),
    "kriegbot.belief.belief": ("Belief", "EmptyBelief"),
    "kriegbot.models": ("load_opponent",),
    "kriegbot.models.protocol": ("Heard", "opponent"),
    "kriegbot.players.base": ("Choice", "Player", "PlayerKind", "Report"),
    "kriegbot.options": ("Option",),
    "kriegbot.game.process": ("ProcessSeat",),
    "kriegbot.players.searching": ("SearchPlayer", "search_player"),
    "kriegbot.game.seat": ("HereSeat",),
    "kriegbot.players.specs": ("make_player", "parse_spec"),
    "kriegbot.search.backup": ("Backup", "fold", "settle"),
    "kriegbot.search.information_set": ("InformationSet",),
    "kriegbot.search.settings": ("Method", "Settings"),
    "kriegbot.search.policy": ("Policy", "Search"),
    "kriegbot.search.rules": ("load_backup",),
    "kriegbot.search.sampled": ("SampledSearch",),
    "kriegbot.search.search": ("TryValues", "search_tries"),
    "kriegbot.game.match": ("Played", "play_game"),
    "tournaments.run": ("run_tournament",),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}
__all__ = sorted(_HOME)


if not TYPE_CHECKING:  # so that mypy knows the names above and no others

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'kriegbot' has no attribute {name!r}")
        globals()[name] = found = getattr(import_module(_HOME[name]), name)
        return found


def __dir__() -> list[str]:
    return __all__
