"""Parse and validate user input, for commands and page: a player, rules, a side, a file, a game to continue."""

import os
import random
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import chess
from filelock import FileLock, Timeout

from kriegbot.folders import data_folder
from kriegbot.parts import Programs, entry_points
from kriegbot.players.old_names import with_current_names
from kriegbot.players.specs import PLAYERS, BadSpec, PlayerSpec, parse_spec, player_kind, programs
from referee import NO_LIMITS, PAPER_LIMITS, GameRecord, Limits, Reason, RuleSet, UnknownRuleSet, rule_set
from referee.pgn import MAX_BYTES
from referee.text import quoted, unknown, write_file

SEED_BITS = 128  # of a fresh seed, so that nobody can find it by trying
MAX_DIGITS = 40
MAX_TAGS = 8 * 1024  # bytes read of a saved game for its tags
MAX_PASSED_OVER = 20  # files that are named, of those in the folder of games that are no games
COLORS = ("white", "black", "random")
PERSON = "human"  # the name of a person's side in records
BROKEN_OFF = ("abandoned", "unterminated")  # values of the tag Termination in games that can be continued


class Refused(Exception):
    """One line: the input, why it is refused and, mostly, what would be accepted. It ends in . or ?"""

    def __init__(self, text: str) -> None:
        super().__init__(text if text.endswith((".", "?")) else f"{text}.")


@contextmanager
def refusing(*types: type[Exception], beginning: str = "") -> Iterator[None]:
    """Turn exceptions of these types into Refused, with their message, or the system's reason, after a beginning."""
    try:
        yield
    except types as error:
        raise Refused(f"{beginning}{getattr(error, 'strerror', None) or error}") from None


def program_of(text: str, *, sandbox: bool = True, is_remote: bool = False, experimental: bool = False) -> PlayerSpec:
    """Parse the spec of a player that is a program; from another machine (`is_remote`), only an installed one.

    Only specs of saved games and resumed tournaments may have `experimental` options.
    """
    if is_remote and not _names_installed_things(text):  # before anything is looked for: whether a file exists is ours
        raise Refused(f"player {quoted(text)} is not installed; over the network only installed players can play.")
    with refusing(BadSpec):
        spec = parse_spec(text, sandbox=sandbox, experimental=experimental)
    if not spec.is_outside and player_kind(spec.name).make is None:
        known = ", ".join(programs())
        raise Refused(f"player {spec.name!r} is a person; it takes a program: {known}. People: `kriegbot play`.")
    return spec


def _names_installed_things(text: str) -> bool:
    """Return True unless a spec names a file, a module, or a program that not everybody may run."""
    name, _, rest = with_current_names(text).partition(":")
    known = name in PLAYERS.names() or name in entry_points(PLAYERS.group)
    values = dict(part.partition("=")[::2] for part in rest.split(","))
    options = player_kind(name).options if name in PLAYERS.names() else ()
    strange = [one for one in options if isinstance(one.parts, Programs) and one.name in values]
    is_usual = all(values[one.name] in one.parts.names() for one in strange if one.parts is not None)
    return is_usual and not any(":" in value for value in values.values()) and (known or not set(":./\\") & set(text))


def check_sandbox(*players: str) -> None:
    """Raise Refused if one of the players, by their specs, starts a chess engine, which no sandbox holds."""
    kinds = {text.partition(":")[0] for text in players} & {*PLAYERS.names()}
    if any(isinstance(one.parts, Programs) for kind in kinds for one in player_kind(kind).options):
        raise Refused("--sandbox does not hold the chess engine that player 'engine' starts; leave it out to trust it.")


def rules_of(text: str) -> RuleSet:
    """Return the rule set of a name or of a `RuleSet.text`."""
    with refusing(UnknownRuleSet):
        return rule_set(text)


def limits_of(text: str) -> Limits:
    """Parse `none`, `paper`, or limits such as `plies=160,quiet=50`."""
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
    """Parse a colour; the seed decides "random"."""
    if text == "random":
        return random.Random(seed).random() < 0.5
    if text not in COLORS:
        raise Refused(unknown("colour", text, COLORS))
    return text == "white"


def seed_of(value: str | int | None) -> int:
    """Parse a seed; return a fresh one for None."""
    return secrets.randbits(SEED_BITS) if value is None else whole_of(value, "seed", 0, 2**SEED_BITS - 1)


def whole_of(value: str | int, what: str, low: int, high: int) -> int:
    """Parse a whole number within bounds."""
    text = str(value)
    if not (text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS and low <= int(text) <= high):
        raise Refused(f"illegal {what} {quoted(text)}: it takes a whole number, {low}..{high}.")
    return int(text)


def path_of(text: str) -> Path:
    """Return the path of a file that can be written. Tests it now, so that no game is lost at its end."""
    path = Path(text)
    with refusing(OSError, ValueError, beginning=f"cannot save to {quoted(text)}: "):
        if not text or path.is_dir():
            raise Refused(f"cannot save to {quoted(text)}: it takes a file name.")
        if path.exists() and not path.is_file():
            raise Refused(f"cannot save to {quoted(text)}: it is not a regular file.")
        real = Path(os.path.realpath(path))
        if real.is_symlink():
            raise Refused(f"cannot save to {quoted(text)}: its links lead nowhere.")
        probe = real.with_name(f".{real.name}.{secrets.token_hex(4)}.part")
        probe.open("xb").close()
        probe.unlink()
    return path


def apart_from(source: str, path: Path) -> Path:
    """Return the path of a file to write; raise Refused if it is the one to read."""
    if path.exists() and os.path.exists(source) and path.samefile(source):
        raise Refused(f"cannot save to {quoted(str(path))}: it is the file to read; choose another.")
    return path


def save_whole(path: Path, data: bytes) -> None:
    """Write a file that `path_of` has tried, whole or not at all."""
    with refusing(OSError, beginning=f"cannot save to {quoted(str(path))}: "):
        write_file(path, data)


def games_folder(text: str | None = None) -> Path:
    """Return a folder for saved games and create it if necessary; by default kriegbot's own."""
    if text == "":
        raise Refused("cannot save in '': it takes a folder name.")
    folder = data_folder() / "games" if text is None else Path(text)
    with refusing(OSError, ValueError, beginning=f"cannot save in {quoted(str(folder))}: "):
        folder.mkdir(parents=True, exist_ok=True)
        path_of(str(folder / "game.pgn"))
    return folder


def saved_games(folder: Path) -> tuple[list[tuple[float, Path, str]], list[str]]:
    """Return a folder's games, newest first (time, file, the text's beginning), and lines on files left out."""
    games, passed_over = list[tuple[float, Path, str]](), list[str]()
    for path in sorted(folder.glob("*.pgn")):
        try:
            state = path.stat()
            if not stat.S_ISREG(state.st_mode):  # a pipe would not answer
                raise ValueError("it is no file")
            if state.st_size > MAX_BYTES:
                raise ValueError(f"more than {MAX_BYTES} bytes")
            if not path.name.isprintable():
                raise ValueError("its name cannot be shown")
            if not state.st_size:  # also a file of /proc, of which some never end
                raise ValueError("it is no game of Kriegspiel")
            with path.open("rb") as handle:
                text = handle.read(MAX_TAGS).decode(errors="replace")
            if "[RuleSet " not in text:
                raise ValueError("it is no game of Kriegspiel")
            games.append((state.st_mtime, path, text))
        except (OSError, ValueError) as error:
            passed_over.append(f"{quoted(path.name)}: {getattr(error, 'strerror', None) or error}.")
    more = len(passed_over) - MAX_PASSED_OVER
    lines = [*passed_over[:MAX_PASSED_OVER], *([f"And {more} more."] if more > 0 else [])]
    return sorted(games, reverse=True), lines


@contextmanager
def playing(path: Path) -> Iterator[None]:
    """Hold the lock of a saved game; raise Refused if somebody plays the game now."""
    lock = FileLock(path.with_name(f".{path.name}.lock"), timeout=0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise Refused(f"{quoted(str(path))} is being played now, on the page or at another terminal.") from None
    except (OSError, NotImplementedError):  # in a folder that cannot be written, or without locks
        pass
    try:
        yield
    finally:
        if lock.is_locked:
            lock.release()
            with suppress(OSError):  # Windows refuses while somebody looks whether the game is played
                Path(lock.lock_file).unlink()


def is_played(path: Path) -> bool:
    """Return True if somebody plays a saved game now."""
    if not path.with_name(f".{path.name}.lock").exists():
        return False
    try:
        with playing(path):
            return False
    except Refused:
        return True


def is_resumable(record: GameRecord) -> bool:
    """Return True if the game is unfinished or was broken off, and its players `can_sit` down again."""
    names = [record.headers[color] for color in ("White", "Black")]
    is_over = record.end is not None and record.end.reason is not Reason.ABANDONED
    return not is_over and can_sit(names)


def can_sit(names: Sequence[str]) -> bool:
    """Return True if the players of a record, by name, are a person and another person or an installed program."""
    try:
        for name in names:
            if name != PERSON:
                program_of(name, is_remote=True, experimental=True)
    except Refused:
        return False
    return PERSON in names


def program_in(record: GameRecord, *, sandbox: bool = True) -> tuple[PlayerSpec | None, list[chess.Color]]:
    """Return the program of a game to be continued (None between two people), and the people's sides."""
    names = {True: record.headers["White"], False: record.headers["Black"]}
    people = [color for color, name in names.items() if name == PERSON]
    programs = [name for name in names.values() if name != PERSON]
    specs = [program_of(name, sandbox=sandbox, is_remote=True, experimental=True) for name in programs]
    return next(iter(specs), None), people
