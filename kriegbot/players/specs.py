"""Players by name: specs such as `overconfident:depth=2,time=1`, of ours and from outside.

    NAME[:OPTIONS]                     one of ours, or an entry point of an installed package (`kriegbot.players`)
    path/bot.py:CLASS[:OPTIONS]        a class, or a `PlayerKind`, in a Python file
    package.module:CLASS[:OPTIONS]     the same in an importable module
    program:COMMAND                    any program that speaks docs/bots.md

OPTIONS are name=value, separated by commas. A player from outside is loaded and run in a process of its own, never
here, so only the form of its options is checked until a game begins.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from kriegbot.kernels import prepare, prepare_first
from kriegbot.options import Value, value_text
from kriegbot.parts import (
    BadPart,
    NotFound,
    Parts,
    Programs,
    check_file,
    entry_points,
    file_of,
    load_object,
    sha256_of,
    without_numbers,
)
from kriegbot.players.base import Player, PlayerKind
from kriegbot.players.old_names import with_current_names
from referee.text import did_you_mean, one_line, quoted

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being prepared, how many are done, and how many there are."""

PLAYERS = Parts("player", "kriegbot.players", "kriegbot.players")
PROGRAM = "program:"


class BadSpec(ValueError):
    """A text names no player; the message is one line and says what would."""


@cache
def player_kind(name: str) -> PlayerKind:
    """One of our players; the others are not imported."""
    kind: PlayerKind = PLAYERS.load(name)
    return kind


@cache
def players() -> Mapping[str, PlayerKind]:
    """Our players, by name."""
    return MappingProxyType({name: player_kind(name) for name in PLAYERS.names()})


def programs() -> str:
    """Names of our players other than people, for messages."""
    return ", ".join(name for name, kind in players().items() if kind.make is not None)


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A player and its settings.

    Attributes:
      name: one of `players`; of a player from outside, its spec without the options.
      options: the options given, in the order of the player's own; the others have their defaults. From outside, as
        they were written.
      sandbox: whether to keep a player from outside away from the rest of the machine, where possible.
    """

    name: str
    options: Mapping[str, Value] = field(default_factory=dict)
    sandbox: bool = field(default=True, compare=False)

    def __str__(self) -> str:
        given = ",".join(f"{name}={value_text(value)}" for name, value in self.options.items())
        return f"{self.name}:{given}" if given else self.name

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def is_outside(self) -> bool:
        """Whether it is not one of ours, and so not trusted."""
        return self.name not in PLAYERS.names()

    @property
    def is_installed(self) -> bool:
        """Whether its spec names no file, and no program but one that anybody may ask for."""
        kinds = () if self.is_outside else player_kind(self.name).options
        programs = [(str(self.get(one.name)), one.parts) for one in kinds if isinstance(one.parts, Programs)]
        is_usual = all(name in parts.names() for name, parts in programs)
        return is_usual and not any(":" in str(part) for part in (self.name, *self.options.values()))

    @property
    def command(self) -> list[str]:
        """Of `program:COMMAND`, the command as words; empty of any other."""
        return shlex.split(self.name.removeprefix(PROGRAM)) if self.name.startswith(PROGRAM) else []

    @property
    def reference(self) -> str:
        """What a player from outside, other than a program, is loaded from: FILE.py:CLASS or MODULE:CLASS."""
        entry = entry_points(PLAYERS.group).get(self.name)
        return self.name if entry is None else entry.value

    @property
    def parts(self) -> dict[str, Path]:
        """The parts from outside that its options name, such as an evaluator, and the file of each."""
        found: dict[str, Path | None] = {}
        if self.is_outside:  # its options are its own: whatever names a file
            for value in map(str, self.options.values()):
                with suppress(NotFound):
                    found[value] = file_of(without_numbers(value)) if ":" in value else None
        else:
            for option in player_kind(self.name).options:
                if option.parts is not None:
                    value = str(self.get(option.name))
                    found[value] = option.parts.file(value)
        return {name: path for name, path in found.items() if path is not None}

    @property
    def files(self) -> tuple[Path, ...]:
        """The files from outside: a player's in Python, whatever in a program's command is one, and those of parts."""
        return tuple(dict.fromkeys((*self._own_files, *self.parts.values())))

    @property
    def versions(self) -> dict[str, str]:
        """The files by their names, each with its hash; without a program found on the PATH, often an interpreter.

        Raises:
          BadSpec: one cannot be read.
        """
        installed = self.command[:1] if self.command and os.sep not in self.command[0] else []
        skipped = [Path(shutil.which(name) or name).absolute() for name in installed]
        try:
            return {path.name: sha256_of(path) for path in self.files if path not in skipped}
        except NotFound as error:
            raise BadSpec(f"player {quoted(self.name)}: {error}") from None

    @property
    def _own_files(self) -> tuple[Path, ...]:
        if not self.is_outside:
            return ()
        if not self.command:
            return (file_of(self.reference),)
        first, *rest = self.command
        named = [Path(shutil.which(first) or first), *(Path(word) for word in rest)]
        return tuple(path.absolute() for path in named if os.path.isfile(path))  # not its own: a long name has none

    @property
    def import_folders(self) -> list[str]:
        """Where what is from outside in a module is imported from: the folder of that module, or of its package."""
        modules = {name.rpartition(":")[0]: path for name, path in self._named_files.items()}
        return [
            str(path.parents[len(module.split(".")) - (path.stem != "__init__")])
            for module, path in modules.items()
            if not module.endswith(".py")
        ]

    @property
    def _named_files(self) -> dict[str, Path]:
        """What is loaded from outside, as FILE.py:NAME or MODULE:NAME, and the file of each."""
        own = {self.reference: file_of(self.reference)} if self.is_outside and not self.command else {}
        return own | {without_numbers(name): path for name, path in self.parts.items() if ":" in name}

    def get(self, option: str) -> Value | None:
        """The value of an option: given, or its default if the player is one of ours."""
        if option in self.options or self.is_outside:
            return self.options.get(option)
        return next((known.default for known in player_kind(self.name).options if known.name == option), None)

    def having(self, option: str, text: str) -> PlayerSpec:
        """This player with one option changed.

        Raises:
          BadSpec: the player has no such option, or the text is no value of it.
        """
        if self.command:
            raise BadSpec(f"a program takes no option {quoted(option)}: what it is told stands in its command.")
        given = {name: value_text(value) for name, value in self.options.items()} | {option: text}
        options = given if self.is_outside else _read(self.name, player_kind(self.name), given)
        return replace(self, options=options)


def versions_of(specs: Iterable[PlayerSpec]) -> str:
    """The files of players and their parts from outside, each with its hash, in one line.

    Raises:
      BadSpec: one cannot be read.
    """
    found = {name: sha256 for spec in specs for name, sha256 in spec.versions.items()}
    return " ".join(f"{name.replace(' ', '_')}={found[name]}" for name in sorted(found))


def parse_spec(text: str, *, sandbox: bool = True) -> PlayerSpec:
    """The player that a spec names.

    Args:
      text: the spec.
      sandbox: see `PlayerSpec`.

    Raises:
      BadSpec: it names none; the message says what would.
    """
    text = with_current_names(text)
    name, colon, rest = text.partition(":")
    if name in PLAYERS.names():
        given = _given(name, rest) if colon else {}
        return PlayerSpec(name, _read(name, player_kind(name), given), sandbox)
    if text.startswith(PROGRAM):
        return _program(text, sandbox)
    if name not in entry_points(PLAYERS.group):
        made, colon, rest = rest.partition(":")
        _check_outside(name, made)
        name = f"{name}:{made}"
    _check_printable(text)
    return PlayerSpec(name, dict(_given(name, rest)) if colon else {}, sandbox)


def _check_printable(text: str) -> None:
    """Nothing, if a spec can be told to a process in one line."""
    if not text.isprintable():
        raise BadSpec(f"illegal player {quoted(text)}: it takes printable characters.")


def _program(text: str, sandbox: bool) -> PlayerSpec:
    _check_printable(text)
    try:
        command = shlex.split(text.removeprefix(PROGRAM))
    except ValueError as error:
        raise BadSpec(f"illegal command of {quoted(text)}: {str(error).lower()}.") from None
    if not command:
        raise BadSpec("player 'program:' takes a command, such as program:./bot.")
    program = shutil.which(command[0])
    if program is None or not os.path.isfile(program):
        is_there = os.sep in command[0] and os.path.isfile(command[0])
        why = "{} may not be executed" if is_there else "there is no program {} that can be run"
        raise BadSpec(f"player {quoted(text)}: {why.format(quoted(command[0]))}.")
    spec = PlayerSpec(text, sandbox=sandbox)
    try:
        for path in spec.files:
            check_file(path)
    except NotFound as error:
        raise BadSpec(f"player {quoted(text)}: {error}") from None
    return spec


def _check_outside(where: str, made: str) -> None:
    """Nothing, if FILE.py:CLASS or MODULE:CLASS can be what a player is loaded from."""
    known = sorted({*PLAYERS.names(), *entry_points(PLAYERS.group)})
    unknown = f"unknown player {quoted(where)}{did_you_mean(where, known)} Known: {', '.join(known)}."
    if where.endswith(".py") and not made:
        raise BadSpec(f"player {quoted(where)} takes the name of its class too, as in FILE.py:CLASS.")
    try:
        file_of(f"{where}:{made}")
    except NotFound as error:
        raise BadSpec(f"player {quoted(f'{where}:{made}')}: {error}" if "." in where and made else unknown) from None
    if not made:
        raise BadSpec(unknown)
    if not all(part.isidentifier() for part in made.split(".")):
        raise BadSpec(f"player {quoted(f'{where}:{made}')}: {quoted(made)} is no name of a class.")


def make_player(spec: PlayerSpec, seed: int, report: Progress | None = None, *, is_early: bool = False) -> Player:
    """A player that plays one game; with a fixed sample, the same seed plays the same game.

    Args:
      spec: who; one from outside is loaded into this process.
      seed: of its randomness, from 0.
      report: called with the progress of compiling kernels, if needed.
      is_early: whether it may begin before all of them are compiled.

    Raises:
      BadSpec: the player is a person, who needs a console: see `kriegbot.players.human`; or, from outside, it cannot be
        loaded, or does not take the options given.
    """
    kind = _kind_from_outside(spec) if spec.is_outside else player_kind(spec.name)
    if kind.make is None:
        raise BadSpec(f"player {spec.name!r} plays at `kriegbot play` alone; here plays one of {programs()}.")
    given = {name: value_text(value) for name, value in spec.options.items()}
    values = {option.name: option.default for option in kind.options} | _read(spec.name, kind, given)
    if kind.has_kernels:
        (prepare_first if is_early and kind.begins_early else prepare)(report)
    for option in kind.options:
        if option.parts is not None:
            _check_part(spec, option.parts, str(values[option.name]))
    return kind.make(seed, **values)


def _check_part(spec: PlayerSpec, parts: Parts, name: str) -> None:
    """Nothing, if a part is one of ours, or one from outside that does what its kind must do."""
    try:
        if parts.file(name) is not None:
            from kriegbot.players.part_check import check_part  # imports the search; few specs need it

            check_part(parts.load(name), parts.what)
    except NotFound as error:
        raise BadSpec(f"player {quoted(spec.name)}: {error}") from None
    except BadPart as error:
        raise BadSpec(f"player {quoted(spec.name)}: {parts.what} {quoted(name)} {error}.") from None
    except Exception as error:  # noqa: BLE001 - a part is anybody's code
        why = one_line(f"{type(error).__name__}: {error}", 200)
        raise BadSpec(f"player {quoted(spec.name)}: {parts.what} {quoted(name)} cannot be made: {why}.") from None


def _kind_from_outside(spec: PlayerSpec) -> PlayerKind:
    try:
        found = load_object(spec.reference)
    except NotFound as error:
        raise BadSpec(f"player {quoted(spec.name)}: {error}") from None
    if isinstance(found, PlayerKind):
        return found
    if not callable(found):
        raise BadSpec(f"player {quoted(spec.name)} is {quoted(found)}; it takes a class, made with a seed.")
    return PlayerKind("", found, tuple(getattr(found, "options", ())))


def _given(name: str, text: str) -> dict[str, str]:
    """Options as they are written."""
    given: dict[str, str] = {}
    for part in text.split(","):
        option, equals, value = part.partition("=")
        if not option or not equals:
            takes = "." if name not in PLAYERS.names() else f"; {_takes(player_kind(name))}."
            raise BadSpec(f"illegal option {quoted(part)} of player {quoted(name)}: it takes name=value{takes}")
        if option in given:
            raise BadSpec(f"option {quoted(option)} of player {quoted(name)} is given twice.")
        given[option] = value
    return given


def _read(name: str, kind: PlayerKind, given: Mapping[str, str]) -> dict[str, Value]:
    """The values of options that are given as texts, in the order of the player's own."""
    known = {option.name: option for option in kind.options}
    values: dict[str, Value] = {}
    usual = {one.name: str(one.default) for one in kind.options if isinstance(one.parts, Programs)}
    for option, text in {**usual, **given}.items():
        if option not in known:
            takes = _takes(kind)
            raise BadSpec(
                f"player {quoted(name)} has no option {quoted(option)}{did_you_mean(option, known)} "
                f"{takes[0].upper() + takes[1:]}."
            )
        try:
            values[option] = known[option].read(text)
        except NotFound as error:
            raise BadSpec(f"player {quoted(name)}: {error}") from None
        except ValueError:
            takes = known[option].sentence
            raise BadSpec(f"illegal {option} {quoted(text)} for player {quoted(name)}; it takes {takes}.") from None
    both = [option for option in kind.either if option in values]
    if len(both) > 1:
        raise BadSpec(f"player {quoted(name)} takes {' or '.join(both)}, not both.")
    return {option: values[option] for option in known if option in given}


def _takes(kind: PlayerKind) -> str:
    options = [f"{option.name} ({option.takes})" for option in kind.options]
    return "it takes " + (", ".join(options) or "no options")
