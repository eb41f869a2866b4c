"""What the paper leaves open, as a choice: how it changes the players of a cell, and the rules.

A choice is written as what it changes: an option of both searching players, or of another player by its name, as in
`rand.by=man`; several are joined by commas. Some values are words of this module: `further=none` draws all histories
anew after a refusal; `particles=samples` holds no more boards than are drawn; and `rules=quiet` tells nobody of the
opponent's refused tries, as if players drew among legal moves. `today` changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from kriegbot.options import value_text
from kriegbot.players.specs import BadSpec, parse_spec
from referee import BERKELEY, IllegalHeard, RuleSet
from tournaments.schedule import Pairing

TODAY = "today"
SEARCHING = ("overconfident", "paranoid")
OF_SEARCH = ("ties", "free", "boards")
"""Options that only the player `search` has, which is otherwise the same."""
LEAST_PARTICLES = 100
RULES = "rules=quiet"


def changed(spec: str, choice: str) -> str:
    """The spec of a player under a choice.

    Raises:
      BadSpec: it has no such option, or the option no such value.
    """
    player = parse_spec(spec)
    name = player.name
    for change in choice.split(",") if choice != TODAY else ():
        path, equals, value = change.partition("=")
        who, _, option = path.rpartition(".")
        if not equals or (path == "rules" and change != RULES):
            raise BadSpec(f"illegal choice {change!r}: it takes option=value, player.option=value, {RULES} or {TODAY}.")
        if path == "rules" or name not in ((who,) if who else SEARCHING):
            continue
        if change == "further=none":
            kept = {given: number for given, number in player.options.items() if given != "further"}
            player = replace(player, options=kept)
            continue
        if change == "particles=samples":
            value = str(max(LEAST_PARTICLES, int(player.get("samples") or 0)))
        if option in OF_SEARCH and player.name != "search":
            given = ",".join(f"{key}={value_text(number)}" for key, number in player.options.items())
            player = parse_spec(f"search:{given},backup={name}")
        player = player.having(option, value)
    return str(player)


def pair_under(pair: Pairing, choice: str) -> Pairing:
    """Who plays under a choice; raises as `changed` does."""
    return Pairing(changed(pair.first, choice), changed(pair.second, choice))


def rules_under(choice: str) -> RuleSet:
    """The rules under a choice."""
    return replace(BERKELEY, illegal_heard=IllegalHeard.MOVER) if RULES in choice.split(",") else BERKELEY
