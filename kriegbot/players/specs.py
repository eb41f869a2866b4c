"""Players by name: specs such as `overconfident:depth=2,time=1`, and the files that they name.

    NAME[:OPTIONS]                     a built-in player, or an entry point of a package (`kriegbot.players`)
    path/bot.py:CLASS[:OPTIONS]        a class, or a `PlayerKind`, in a Python file
    package.module:CLASS[:OPTIONS]     the same in an importable module
    program:COMMAND                    any program that speaks the protocol of docs/bots.md

OPTIONS are name=value, separated by commas. Parsing loads no player from outside, so it checks only the form of their
options. `kriegbot.players.making` makes players.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from kriegbot.options import Option, Value, value_text
from kriegbot.parts import NotFound, Parts, Programs, check_file, entry_points, file_of, sha256_of
from kriegbot.players.base import PlayerKind
from kriegbot.players.old_names import with_current_names
from referee.text import did_you_mean, quoted

PLAYERS = Parts("player", "kriegbot.players", "kriegbot.players")
PROGRAM = "program:"


class BadSpec(ValueError):
    """A text that names no player or rule set to play with. The message is one line, mostly with what is allowed."""


@contextmanager
def naming(what: str, name: str) -> Iterator[None]:
    """Turn NotFound into BadSpec, whose message begins with `what` and the name."""
    try:
        yield
    except NotFound as error:
        raise BadSpec(f"{what} {quoted(name)}: {error}") from None


@cache
def player_kind(name: str) -> PlayerKind:
    """Return a built-in player. Imports only the modules that it needs."""
    kind: PlayerKind = PLAYERS.load(name)
    return kind


@cache
def players() -> Mapping[str, PlayerKind]:
    """Return the built-in players by name."""
    return MappingProxyType({name: player_kind(name) for name in PLAYERS.names()})


def check_is_program(name: str, kind: PlayerKind) -> None:
    """Raise BadSpec for a person, who needs a console (`kriegbot.players.human`)."""
    if kind.make is None:
        raise BadSpec(f"player {name!r} is only for `kriegbot play`; choose one of {', '.join(programs())}.")


def programs() -> list[str]:
    """Return the names of the built-in players other than people."""
    return [name for name, kind in players().items() if kind.make is not None]


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player and its settings."""

    name: str  # of a built-in player; of a player from outside its spec without the options
    options: Mapping[str, Value] = field(default_factory=dict)
    """The options given, in the order of a built-in player's own; of a player from outside, as texts."""
    sandbox: bool = field(default=True, compare=False)  # for a player from outside, where there is one

    def __str__(self) -> str:
        options = ",".join(f"{name}={value_text(value)}" for name, value in self.options.items())
        return f"{self.name}:{options}" if options else self.name

    def __hash__(self) -> int:
        return hash(str(self))

    def get(self, option: str) -> Value | None:
        """Return the value of an option, of a built-in player also its default; None if there is neither."""
        if option in self.options or self.is_outside:
            return self.options.get(option)
        return next((known.default for known in player_kind(self.name).options if known.name == option), None)

    def with_option(self, option: str, text: str) -> "PlayerSpec":
        """Return this player with one option changed; raise BadSpec for a program, or if a built-in one refuses it."""
        if self.command:
            raise BadSpec(f"a program takes no option {quoted(option)}; its command carries its settings.")
        texts = {name: value_text(value) for name, value in self.options.items()} | {option: text}
        options = texts if self.is_outside else parse_options(self.name, player_kind(self.name), texts)
        return replace(self, options=options)

    @property
    def is_outside(self) -> bool:
        """True unless the player is built in: its code is not trusted."""
        return self.name not in PLAYERS.names()

    @property
    def command(self) -> list[str]:
        """The words of the command in `program:COMMAND`; empty for any other player."""
        return words_of(self.name.removeprefix(PROGRAM)) if self.name.startswith(PROGRAM) else []

    @property
    def reference(self) -> str:
        """FILE.py:CLASS or MODULE:CLASS of a player from outside that is no program."""
        entry = entry_points(PLAYERS.group).get(self.name)
        return self.name if entry is None else entry.value

    @property
    def parts(self) -> dict[str, Path]:
        """The files of the parts from outside that the options, or their defaults, name, such as an evaluator."""
        paths: dict[str, Path | None] = {}
        if self.is_outside:  # it defines its options itself, so any value that names a file counts
            for value in map(str, self.options.values()):
                with suppress(NotFound):
                    paths[value] = file_of(value) if ":" in value else None
        else:
            named = [(str(self.get(one.name)), one.parts) for one in player_kind(self.name).options if one.parts]
            paths = {value: parts.file(value) for value, parts in named}
        return {name: path for name, path in paths.items() if path is not None}

    @property
    def files(self) -> tuple[Path, ...]:
        """All files from outside: of the player, of its parts, and those among the words of its command."""
        words = [shutil.which(word) or word if at == 0 else word for at, word in enumerate(self.command)]
        own = [Path(word).absolute() for word in words if os.path.isfile(word)]  # Path.is_file raises for long words
        if self.is_outside and not words:
            own = [file_of(self.reference)]
        return tuple(dict.fromkeys((*own, *self.parts.values())))

    @property
    def import_folders(self) -> list[str]:
        """The folders from which Python imports the modules that the spec names."""
        paths = {self.reference: file_of(self.reference)} if self.is_outside and not self.command else {}
        paths |= {name: path for name, path in self.parts.items() if ":" in name}
        modules = {name.rpartition(":")[0]: path for name, path in paths.items()}
        return [
            str(path.parents[len(module.split(".")) - (path.stem != "__init__")])
            for module, path in modules.items()
            if not module.endswith(".py")
        ]


def versions_of(specs: Iterable[PlayerSpec]) -> str:
    """Return the files of players with their SHA-256, but `NAME` of `program:NAME`; raise BadSpec if one is gone."""
    hashes: set[tuple[str, str]] = set()
    for spec in specs:
        on_path = [name for name in spec.command[:1] if os.sep not in name]
        skipped = [Path(shutil.which(name) or name).absolute() for name in on_path]
        with naming("player", spec.name):
            hashes |= {(path.name, sha256_of(path)) for path in spec.files if path not in skipped}
    return " ".join(f"{name.replace(' ', '_')}={sha256}" for name, sha256 in sorted(hashes))


def parse_spec(text: str, *, sandbox: bool = True, experimental: bool = True) -> PlayerSpec:
    """Return the player that a spec names.

    >>> spec = parse_spec("overconfident:depth=2,samples=50")
    >>> spec.name, spec.get("depth"), spec.get("evaluator")
    ('overconfident', 2, 'ks')
    >>> str(parse_spec("rand"))
    'rand'
    >>> parse_spec("overconfident:depth=9")
    Traceback (most recent call last):
    kriegbot.players.specs.BadSpec: illegal depth '9' for player 'overconfident'; it takes a whole number, 1..4.

    Raise BadSpec if the text names no player, or an option is refused: those for experiments unless `experimental`.
    """
    text = with_current_names(text)
    name, colon, rest = _without_drive(text)
    if name in PLAYERS.names():
        texts = _split_options(name, rest) if colon else {}
        for option in player_kind(name).options:
            if option.is_experimental and option.name in texts and not experimental:
                where = "set it in Python, or with `kriegbot reproduce --choice`"
                raise BadSpec(f"option {option.name!r} of player {name!r} is for experiments: {where}.")
        return PlayerSpec(name, parse_options(name, player_kind(name), texts), sandbox)
    if not text.startswith(PROGRAM) and name not in entry_points(PLAYERS.group):
        class_name, colon, rest = rest.partition(":")
        _check_reference(name, class_name)
        name = f"{name}:{class_name}"
    if not text.isprintable():
        raise BadSpec(f"illegal player {quoted(text)}: it takes printable characters.")
    if text.startswith(PROGRAM):
        return _parse_program(text, sandbox)
    return PlayerSpec(name, dict(_split_options(name, rest)) if colon else {}, sandbox)


def _without_drive(text: str) -> tuple[str, str, str]:
    r"""Split at the first colon, but for that of a drive as in `C:\bots\mine.py:Bot`."""
    drive = text[:2] if re.match(r"[A-Za-z]:[\\/]", text) else ""
    name, colon, rest = text[len(drive) :].partition(":")
    return drive + name, colon, rest


def words_of(command: str, escape: str = "" if os.name == "nt" else "\\") -> list[str]:
    """Split a command at spaces outside quotes; raise ValueError for an open quote or escape."""
    words = shlex.shlex(command, posix=True, punctuation_chars=False)
    words.whitespace_split, words.commenters, words.escape = True, "", escape
    return list(words)


def _parse_program(text: str, sandbox: bool) -> PlayerSpec:
    try:
        command = words_of(text.removeprefix(PROGRAM))
    except ValueError as error:
        raise BadSpec(f"illegal command of {quoted(text)}: {str(error).lower()}.") from None
    if not command:
        raise BadSpec("player 'program:' takes a command, such as program:./bot.")
    program = shutil.which(command[0])
    if program is None or not os.path.isfile(program):
        exists = os.sep in command[0] and os.path.isfile(command[0])
        why = "{} may not be executed" if exists else "there is no program {} that can be run"
        raise BadSpec(f"player {quoted(text)}: {why.format(quoted(command[0]))}.")
    spec = PlayerSpec(text, sandbox=sandbox)
    for path in spec.files:
        with naming("player", text):
            check_file(path)
    return spec


def _check_reference(where: str, class_name: str) -> None:
    known = sorted({*PLAYERS.names(), *entry_points(PLAYERS.group)})
    unknown = f"unknown player {quoted(where)}{did_you_mean(where, known)} Known: {', '.join(known)}."
    reference = f"{where}:{class_name}"
    if where.endswith(".py") and not class_name:
        raise BadSpec(f"player {quoted(where)} takes the name of its class too, as in FILE.py:CLASS.")
    try:
        file_of(reference)
    except NotFound as error:
        raise BadSpec(f"player {quoted(reference)}: {error}" if "." in where and class_name else unknown) from None
    if not class_name:
        raise BadSpec(unknown)
    if not all(part.isidentifier() for part in class_name.split(".")):
        raise BadSpec(f"player {quoted(reference)}: {quoted(class_name)} is no name of a class.")


def _split_options(name: str, text: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    for part in text.split(","):
        option, equals, value = part.partition("=")
        if not option or not equals:
            allowed = "." if name not in PLAYERS.names() else f"; {_allowed_options(player_kind(name))}."
            raise BadSpec(f"illegal option {quoted(part)} of player {quoted(name)}: it takes name=value{allowed}")
        if option in texts:
            raise BadSpec(f"option {quoted(option)} of player {quoted(name)} is given twice.")
        texts[option] = value
    return texts


def parse_options(name: str, kind: PlayerKind, texts: Mapping[str, str]) -> dict[str, Value]:
    """Return the values of a player's options in its order, read from texts by name; raise BadSpec."""
    known = {option.name: option for option in kind.options}
    values: dict[str, Value] = {}
    default_programs = {one.name: str(one.default) for one in kind.options if isinstance(one.parts, Programs)}
    for option, text in {**default_programs, **texts}.items():  # a default program may be missing on this machine
        if option not in known:
            allowed, offered = _allowed_options(kind), [one.name for one in offered_options(kind)]
            raise BadSpec(
                f"player {quoted(name)} has no option {quoted(option)}{did_you_mean(option, offered)} "
                f"{allowed[0].upper() + allowed[1:]}."
            )
        try:
            values[option] = known[option].read(text)
        except NotFound as error:
            raise BadSpec(f"player {quoted(name)}: {error}") from None
        except ValueError:
            allowed = known[option].sentence
            raise BadSpec(f"illegal {option} {quoted(text)} for player {quoted(name)}; it takes {allowed}.") from None
    both = [option for option in kind.exclusive if option in values]
    if len(both) > 1:
        raise BadSpec(f"player {quoted(name)} takes {' or '.join(both)}, not both.")
    return {option: values[option] for option in known if option in texts}


def offered_options(kind: PlayerKind) -> list[Option]:
    """Return the options that people may set."""
    return [option for option in kind.options if not option.is_experimental]


def _allowed_options(kind: PlayerKind) -> str:
    options = [f"{option.name} ({option.takes})" for option in offered_options(kind)]
    return "it takes " + (", ".join(options) or "no options")
