"""What the arguments of commands mean; each function refuses in one line what it cannot take."""

from __future__ import annotations

import hashlib
import math
import os
import random
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from kriegbot.cli.errors import Refused

if TYPE_CHECKING:
    import chess

    from kriegbot.players.specs import PlayerSpec
    from referee import Limits, RuleSet
    from tournaments.schedule import Settings, Shard
    from tournaments.sprt import Sprt

MOST_SEED = 2**63 - 1
COLORS = ("white", "black", "random")


def player_of(text: str) -> PlayerSpec:
    """A player that is a program."""
    from kriegbot.players.specs import PLAYERS, BadSpec, parse_spec

    try:
        spec = parse_spec(text)
    except BadSpec as error:
        raise Refused(str(error)) from None
    if spec.name == "human":
        programs = ", ".join(sorted(set(PLAYERS) - {"human"}))
        raise Refused(f"player 'human' cannot be asked here: `kriegbot play` is for people; programs are {programs}.")
    return spec


def with_time(spec: PlayerSpec, text: str) -> PlayerSpec:
    """A player with a budget of so many seconds a move."""
    from kriegbot.players.specs import BadSpec

    try:
        return spec.having("time", text)
    except BadSpec as error:
        raise Refused(str(error)) from None


def rules_of(text: str) -> RuleSet:
    """A rule set by its name."""
    from referee import UnknownRuleSet, rule_set

    try:
        return rule_set(text)
    except UnknownRuleSet as error:
        raise Refused(str(error)) from None


def limits_of(text: str) -> Limits:
    """`none`, `paper`, or limits such as `plies=160,quiet=50`."""
    from kriegbot.players.specs import quoted
    from referee import NO_LIMITS, PAPER_LIMITS, Limits

    named = {"none": NO_LIMITS, "paper": PAPER_LIMITS}
    if text in named:
        return named[text]
    limits: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        is_good = number.isascii() and number.isdigit() and len(number) < 10 and int(number) > 0
        if name not in ("plies", "quiet") or name in limits or not is_good:
            raise Refused(f"illegal limits {quoted(text)}: it takes none, paper, or such as plies=160,quiet=50.")
        limits[name] = int(number)
    return Limits(limits.get("plies"), limits.get("quiet"))


def color_of(text: str, seed: int) -> chess.Color:
    """White, Black, or either by the seed."""
    from kriegbot.players.specs import did_you_mean, quoted

    if text == "random":
        return random.Random(seed).random() < 0.5
    if text not in COLORS:
        hint = did_you_mean(text, dict.fromkeys(COLORS))
        raise Refused(f"unknown colour {quoted(text)}{hint} Known: {', '.join(COLORS)}.")
    return text == "white"


def seed_of(text: str | None) -> int:
    """A seed; a fresh one if none is given."""
    from kriegbot.players.specs import quoted

    if text is None:
        return secrets.randbelow(2**32)
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) <= MOST_SEED):
        raise Refused(f"illegal seed {quoted(text)}: it takes a whole number, 0..{MOST_SEED}.")
    return int(text)


def whole_of(text: str, what: str, low: int, high: int) -> int:
    """A whole number within bounds."""
    from kriegbot.players.specs import quoted

    if not (text.isascii() and text.isdigit() and len(text) < 20 and low <= int(text) <= high):
        raise Refused(f"illegal {what} {quoted(text)}: it takes a whole number, {low}..{high}.")
    return int(text)


def jobs_of(text: str | None) -> int:
    """How many games at once; one for each core that this process may use unless told."""
    if text is not None:
        return whole_of(text, "number of jobs", 1, 1024)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def shard_of(text: str | None) -> Shard:
    """A part of a tournament, such as 2/5; all of it unless told."""
    from tournaments.schedule import Shard

    try:
        return Shard() if text is None else Shard.parse(text)
    except ValueError as error:
        raise Refused(f"{error}.") from None


def sprt_of(text: str | None) -> Sprt | None:
    """A sequential test between two differences of normalized Elo, such as 0,5."""
    from kriegbot.players.specs import quoted

    if text is None:
        return None
    from tournaments.sprt import Sprt

    try:
        elo0, elo1 = (float(part) for part in text.split(","))
        return Sprt(elo0, elo1)
    except ValueError:
        raise Refused(f"illegal sprt {quoted(text)}: it takes two numbers, such as 0,5, the smaller first.") from None


def store_path_of(text: str | None, settings: Settings, shard: Shard) -> Path:
    """The file of a tournament; a name that only its settings make unless told."""
    if text is not None:
        if not text or Path(text).is_dir():
            raise Refused(f"cannot save to {text!r}: it takes the name of a file.")
        return Path(text)
    pairings = [(pairing.first, pairing.second) for pairing in settings.pairings]
    whole = repr((pairings, settings.rules.name, settings.limits, settings.seed))
    part = "" if shard.count == 1 else f"-{shard.index}-of-{shard.count}"
    return Path(f"tournament-{hashlib.sha256(whole.encode()).hexdigest()[:8]}{part}.sqlite")


def seconds_of(text: str, option: str) -> float:
    """A time that is more than nothing."""
    from kriegbot.players.specs import quoted

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
    """A file that a game can be saved to; tried at once, so that no game is played in vain."""
    from kriegbot.players.specs import quoted

    path = Path(text)
    try:
        if not text or path.is_dir():
            raise Refused(f"cannot save to {quoted(text)}: it takes the name of a file.")
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
    """A folder that games can be saved in, made if it is not there; one in the user's data unless told."""
    import platformdirs

    from kriegbot.players.specs import quoted

    folder = platformdirs.user_data_path("kriegbot") / "games" if text is None else Path(text)
    try:
        if text == "":
            raise Refused("cannot save in '': it takes the name of a folder.")
        folder.mkdir(parents=True, exist_ok=True)
        path_of(str(folder / "game.pgn"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise Refused(f"cannot save in {quoted(str(folder))}: {why[0].lower() + why[1:]}.") from None
    return folder
