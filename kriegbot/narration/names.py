"""Who plays, as a person would say it; records keep the spec."""

from __future__ import annotations

from collections.abc import Sequence

import chess

from kriegbot.options import value_text
from kriegbot.players.specs import PLAYERS, BadSpec, parse_spec, player_kind

YOU, PERSON = "You", "A person"


def called(spec: str) -> str:
    """A player's name: "Club bot", "overconfident (depth 2, time 1 s)", "A person"; as it is if it is none of ours."""
    try:
        player = parse_spec(spec) if spec.partition(":")[0] in PLAYERS.names() else None
    except BadSpec:
        player = None
    if player is None:
        return spec
    kind = player_kind(player.name)
    if kind.make is None:
        return PERSON
    settings = dict(player.options)
    level = None if "samples" in settings else player.get("level")
    settings.pop("level", None)
    units = {option.name: " s" if option.unit == "seconds" else "" for option in kind.options}
    words = ", ".join(f"{name} {value_text(value)}{units[name]}" for name, value in settings.items())
    name = player.name if level is None else f"{level} bot".capitalize()
    return f"{name} ({words})" if words else name


def both_called(specs: Sequence[str]) -> list[str]:
    """White's and Black's names; a person who plays a program is "You", since games are kept where they are played."""
    names = [called(spec) for spec in specs]
    return [YOU if name == PERSON and names.count(PERSON) == 1 else name for name in names]


def your_side(specs: Sequence[str]) -> chess.Color | None:
    """The side of "You" in a game of these players, if there is one."""
    names = both_called(specs)
    return names[0] == YOU if YOU in names else None
