"""The games that a browser may ask for: new ones against a program or a person, saved ones to see or to play on."""

from __future__ import annotations

from kriegbot.players.specs import PlayerSpec
from kriegbot.request import Refused, color_of, is_resumable, program_in, program_of, rules_of, seed_of
from kriegbot.web.clock import Control
from kriegbot.web.person import PersonGame, seated
from kriegbot.web.registry import House
from kriegbot.web.requests import BadMessage, Invite, New
from kriegbot.web.table import Setting
from kriegbot.web.watch import Shown


def new_game(house: House, asked: New) -> PersonGame:
    """A game against a program.

    Raises:
      BadMessage: there can be no such game; the message says why.
    """
    try:
        seed = seed_of(asked.seed)
        color, rules = color_of(asked.color, seed), rules_of(asked.rules)
        control = _control_of(asked.clock)
        program = _in_time(program_of(asked.opponent, is_remote=True), control)
    except Refused as error:
        raise BadMessage(str(error)) from None
    setting = Setting(rules, seed, is_seed_given=asked.seed is not None, control=control)
    return seated(house, setting, program, {color: False})[color]


def invited(house: House, asked: Invite) -> list[PersonGame]:
    """Both sides of a game between two people; that of whoever asks comes first.

    Raises:
      BadMessage: there can be no such game; the message says why.
    """
    try:
        seed = house.seed()
        color, rules, control = color_of(asked.color, seed), rules_of(asked.rules), _control_of(asked.clock)
    except Refused as error:
        raise BadMessage(str(error)) from None
    sides = seated(house, Setting(rules, seed, control=control), None, {color: True, not color: False})
    return [sides[color], sides[not color]]


def resumed(house: House, file: str) -> list[PersonGame]:
    """The sides of a saved game that is played on; between two people, the host's comes first.

    Raises:
      BadMessage: there is no such game, or it has ended.
    """
    record = house.library.load(file)
    if not is_resumable(record):
        raise BadMessage("Only a game of a person that was broken off can be played on.")
    try:
        program, people = program_in(record)
        headers = record.headers
        seed = seed_of(headers.get("Seed") if headers.get("Seed", "").isdigit() else None)
        control = _control_of(headers.get("TimeControl"))
    except Refused as error:
        raise BadMessage(str(error)) from None
    setting = Setting(record.rules, seed, control=control, begun=record, file=house.library.path(file))
    host = people[0] if len(people) == 1 else headers.get("Host") != "black"
    sides = seated(house, setting, program, {color: len(people) == 2 and color == host for color in people})
    return [sides[color] for color in sorted(people, key=lambda color: color != host)]


def opened(house: House, file: str) -> Shown:
    """A saved game to look at.

    Raises:
      BadMessage: there is no such game.
    """
    record, path = house.library.open(file)
    return Shown(house, record, str(path))


def _control_of(text: str | None) -> Control | None:
    return None if text is None else Control.of(text)


def _in_time(program: PlayerSpec, control: Control | None) -> PlayerSpec:
    """The program with no more time for a turn than its clock allows, if it plays by time."""
    time = program.get("time")
    if control is None or program.is_outside or not isinstance(time, float) or time <= control.turn():
        return program
    if program.get("samples") is not None or "level" in program.options:
        return program
    return program.having("time", f"{control.turn():g}")
