"""Reads what people ask for, in a command or on the page: a player, rules, a side, a file, a game to be played on.

Bad input is refused in one line.
"""

from __future__ import annotations

import math
import random
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import chess

from kriegbot.folders import data_folder
from kriegbot.players.specs import BadSpec, PlayerSpec, parse_spec, player_kind, programs
from referee import NO_LIMITS, PAPER_LIMITS, GameRecord, Limits, Reason, RuleSet, UnknownRuleSet, rule_set
from referee.files import write_whole
from referee.text import quoted, unknown

SEED_BITS = 128  # of a fresh seed: too many to try them all
MOST_DIGITS = 40
COLORS = ("white", "black", "random")
PERSON = "human"  # in records, the name of a person's side
BROKEN_OFF = ("abandoned", "unterminated")  # in records, the tag Termination of a game that may be played on


class Refused(Exception):
    """One line: what was given, why it is refused, what would be accepted."""


@contextmanager
def refusing(*kinds: type[Exception], beginning: str = "", ending: str = "") -> Iterator[None]:
    """Within, errors of these kinds refuse what was asked for, in the system's or their own words."""
    try:
        yield
    except kinds as error:
        raise Refused(f"{beginning}{getattr(error, 'strerror', None) or error}{ending}") from None


def program_of(text: str, *, sandbox: bool = True, is_remote: bool = False) -> PlayerSpec:
    """A player that is a program; of those installed alone, if the request may come from another machine."""
    with refusing(BadSpec):
        spec = parse_spec(text, sandbox=sandbox)
    if not spec.is_outside and player_kind(spec.name).make is None:
        raise Refused(
            f"player {spec.name!r} cannot be asked here: `kriegbot play` is for people; programs are {programs()}."
        )
    if is_remote and not spec.is_installed:
        raise Refused(f"player {quoted(text)} cannot be asked here: from outside, only what is installed.")
    return spec


def rules_of(text: str) -> RuleSet:
    """A rule set by its name."""
    with refusing(UnknownRuleSet):
        return rule_set(text)


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


def color_of(text: str, seed: int) -> chess.Color:
    """White, Black, or either by the seed."""
    if text == "random":
        return random.Random(seed).random() < 0.5
    if text not in COLORS:
        raise Refused(unknown("colour", text, COLORS))
    return text == "white"


def seed_of(text: str | None) -> int:
    """A seed; a fresh one if none is given."""
    return secrets.randbits(SEED_BITS) if text is None else whole_of(text, "seed", 0, 2**SEED_BITS - 1)


def whole_of(text: str, what: str, low: int, high: int) -> int:
    """A whole number within bounds."""
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS and low <= int(text) <= high):
        raise Refused(f"illegal {what} {quoted(text)}: it takes a whole number, {low}..{high}.")
    return int(text)


def seconds_of(text: str, what: str) -> float:
    """A positive time in seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= 1e6:
        raise Refused(f"illegal {what} {quoted(text)}: it takes a number of seconds, more than 0 and at most 1000000.")
    return seconds


def path_of(text: str) -> Path:
    """A file that can be written; tried at once, so that no game is played in vain."""
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
        raise Refused(f"cannot save to {quoted(text)}: {_why(error)}.") from None
    return path


def save_whole(path: Path, data: bytes) -> None:
    """Writes a file that `path_of` has tried, whole or not at all."""
    with refusing(OSError, beginning=f"cannot save to {quoted(str(path))}: ", ending="."):
        write_whole(path, data)


def games_folder(text: str | None = None) -> Path:
    """A folder that games can be saved in, created if missing; by default one of kriegbot's own."""
    if text == "":
        raise Refused("cannot save in '': it takes a folder name.")
    folder = data_folder() / "games" if text is None else Path(text)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path_of(str(folder / "game.pgn"))
    except (OSError, ValueError) as error:
        raise Refused(f"cannot save in {quoted(str(folder))}: {_why(error)}.") from None
    return folder


def _why(error: Exception) -> str:
    """What the system says, to go on a sentence."""
    why = getattr(error, "strerror", None) or str(error)
    return why[0].lower() + why[1:]


def is_resumable(record: GameRecord) -> bool:
    """Whether a person can play a game on: it was broken off, and its program is one of those installed."""
    names = [record.headers[color] for color in ("White", "Black")]
    is_over = record.end is not None and record.end.reason is not Reason.ABANDONED
    return not is_over and can_sit(names)


def can_sit(names: Sequence[str]) -> bool:
    """Whether a person and whoever else is named can play here, going by what a record says alone."""
    try:
        for name in names:
            if name != PERSON:
                program_of(name, is_remote=True)
    except Refused:
        return False
    return PERSON in names


def program_in(record: GameRecord, *, sandbox: bool = True) -> tuple[PlayerSpec | None, list[chess.Color]]:
    """The program of a game to be played on, None between people; and the people's sides."""
    names = {True: record.headers["White"], False: record.headers["Black"]}
    people = [color for color, name in names.items() if name == PERSON]
    found = [program_of(name, sandbox=sandbox, is_remote=True) for name in names.values() if name != PERSON]
    return next(iter(found), None), people
