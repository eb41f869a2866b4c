"""Reads the arguments of commands; each function refuses bad input in one line."""

from __future__ import annotations

import hashlib
import math
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kriegbot.request import Refused, whole_of
from referee import NO_LIMITS, PAPER_LIMITS, Limits
from referee.text import quoted

if TYPE_CHECKING:
    from kriegbot.players.specs import PlayerSpec
    from referee import RuleSet
    from tournaments.schedule import Pairing, Shard
    from tournaments.sprt import Sprt


def with_time(spec: PlayerSpec, text: str) -> PlayerSpec:
    """A player with a time budget, in seconds a move."""
    from kriegbot.players.specs import BadSpec

    try:
        return spec.having("time", text)
    except BadSpec as error:
        raise Refused(str(error)) from None


def limits_of(text: str) -> Limits:
    """`none`, `paper`, or limits such as `plies=160,quiet=50`."""
    named = {"none": NO_LIMITS, "paper": PAPER_LIMITS}
    if text in named:
        return named[text]
    limits: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        is_good = number.isascii() and number.isdigit() and len(number) < 10 and int(number) > 0
        if name not in ("plies", "quiet") or name in limits or not is_good:
            raise Refused(f"illegal limits {quoted(text)}: it takes none, paper, or limits such as plies=160,quiet=50.")
        limits[name] = int(number)
    return Limits(limits.get("plies"), limits.get("quiet"))


def jobs_of(text: str | None) -> int:
    """How many games at once; by default one for each core that this process may use."""
    if text is not None:
        return whole_of(text, "number of jobs", 1, 1024)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shard_of(text: str | None) -> Shard:
    """A part of a tournament, such as 2/5; by default all of it."""
    from tournaments.schedule import Shard

    try:
        return Shard() if text is None else Shard.parse(text)
    except ValueError as error:
        raise Refused(f"{error}.") from None


def sprt_of(text: str | None) -> Sprt | None:
    """A sequential test between two differences of normalized Elo, such as 0,5."""
    if text is None:
        return None
    from tournaments.sprt import Sprt

    try:
        elo0, elo1 = (float(part) for part in text.split(","))
        return Sprt(elo0, elo1)
    except ValueError:
        raise Refused(f"illegal sprt {quoted(text)}: it takes two numbers, such as 0,5, the smaller first.") from None


def games_of(text: str) -> int:
    """A number of games, half of them with each colour."""
    from tournaments.schedule import MOST_GAMES

    games = whole_of(text, "number of games", 2, MOST_GAMES)
    if games % 2:
        raise Refused(f"illegal number of games '{games}': it takes an even one, half of them with each colour.")
    return games


def store_path_of(
    text: str | None, settings: tuple[Sequence[Pairing], RuleSet, Limits, int | None], shard: Shard
) -> Path:
    """The file of a tournament; by default its name follows from pairings, rules, limits and seed, if one is given."""
    if text is not None:
        if not text or os.path.isdir(text):
            raise Refused(f"cannot save to {quoted(text)}: it takes a file name.")
        return Path(text)
    pairings, rules, limits, seed = settings
    whole = repr(([(pairing.first, pairing.second) for pairing in pairings], rules.name, limits, seed))
    part = "" if shard.count == 1 else f"-{shard.index}-of-{shard.count}"
    return Path(f"tournament-{hashlib.sha256(whole.encode()).hexdigest()[:8]}{part}.sqlite")


def seconds_of(text: str, option: str) -> float:
    """A positive time in seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 1e6:
        raise Refused(
            f"illegal {option} {quoted(text)}: it takes a number of seconds, more than 0 and at most 1000000."
        )
    return seconds


def path_of(text: str) -> Path:
    """A file that a game can be saved to; tried before the game, so that none is played in vain."""
    path = Path(text)
    try:
        if not text or path.is_dir():
            raise Refused(f"cannot save to {quoted(text)}: it takes a file name.")
        if path.exists() and not path.is_file():
            raise Refused(f"cannot save to {quoted(text)}: it is not a regular file.")
        probe = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        probe.open("xb").close()
        probe.unlink()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise Refused(f"cannot save to {quoted(text)}: {why[0].lower() + why[1:]}.") from None
    return path


def games_folder(text: str | None = None) -> Path:
    """A folder that games can be saved in, created if missing; by default one of kriegbot's own."""
    from kriegbot.folders import data_folder

    if text == "":
        raise Refused("cannot save in '': it takes a folder name.")
    folder = data_folder() / "games" if text is None else Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path_of(str(folder / "game.pgn"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise Refused(f"cannot save in {quoted(str(folder))}: {why[0].lower() + why[1:]}.") from None
    return folder
