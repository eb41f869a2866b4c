"""The page's players, rule sets and pieces, explained or drawn; and new games from requests."""

from __future__ import annotations

import re
from html import escape

import chess.svg
import msgspec

from kriegbot.narration.diary import meanings
from kriegbot.narration.moments import both_called
from kriegbot.players.specs import PlayerSpec, offered_options, players
from kriegbot.request import (
    PERSON,
    Refused,
    can_sit,
    check_sandbox,
    color_of,
    is_resumable,
    program_in,
    program_of,
    rules_of,
    seed_of,
)
from kriegbot.web.live import GameSetup, LiveGame
from kriegbot.web.person import PersonGame, seat_people
from kriegbot.web.registry import PageGame, Registry
from kriegbot.web.replies import Hello, OptionOffered, PlayerOffered, RulesOffered, letters
from kriegbot.web.requests import Invite, New, Watch
from kriegbot.web.seats import TimeControl
from kriegbot.web.watch import ReplayedGame, WatchedGame, game_message
from referee import RULE_SETS, Asking, Audience, PawnTries, RuleSet

_PAWN_TRIES = {
    PawnTries.NOTHING: "The referee does not say whether pawns can capture.",
    PawnTries.COUNT: "Both sides hear how many pawn captures the side to move has.",
    PawnTries.COUNT_EACH: "Both sides hear how many pawn captures the side to move has, each promotion counted apart.",
    PawnTries.YES_NO: "Both sides hear whether the side to move has any pawn capture.",
    PawnTries.SQUARES: "Both sides hear which pawns of the side to move can capture.",
}
_ASKING = {
    Asking.OBLIGES: 'You may ask "Any?" (can any pawn capture?); if the answer is yes, you must make such a capture.',
    Asking.OBLIGES_ONCE: 'You may ask "Any?" (can any pawn capture?); after a yes you must try such a capture.',
}


def hello(choices: str, *, is_guest: bool) -> Hello:
    """Return the choices on the page; a guest gets none."""
    rules = () if is_guest else RULE_SETS.values()
    offered = [RulesOffered(one.name, one.title, about(one)) for one in rules]
    return Hello([] if is_guest else _players(), offered, is_guest, "" if is_guest else choices)


def about(rules: RuleSet) -> list[str]:
    """Return two lines about a rule set: who hears of illegal tries, and what else is special."""
    both = "Both sides hear when a try is illegal."
    illegal = both if rules.illegal_to is Audience.BOTH else "Only the player who tried hears that it was illegal."
    kind = ", and whether a pawn or a piece was taken" if rules.captured_kind else ""
    first = f"{illegal} The referee names the square of each capture{kind}."
    more = [
        (True, _ASKING.get(rules.asking, _PAWN_TRIES[rules.pawn_tries])),
        (not rules.checks_announced, "The referee does not announce checks."),
        (rules.stalemate_loses, "Stalemate loses."),
        (rules.promotion_announced, "The referee announces promotions."),
        (rules.en_passant_announced, "The referee says when a capture is en passant."),
    ]
    return [first, " ".join(text for applies, text in more if applies)]


def rules_html() -> str:
    """Return HTML that explains each rule set under its title: the two lines of `about`, and more."""
    parts = []
    for one in RULE_SETS.values():
        aside = (
            "is called nonsense, and only you hear that" if one.nonsense else "is answered like any other illegal one"
        )
        can_ask, tries = one.asking is not Asking.NONSENSE, one.pawn_tries
        must = {Asking.OBLIGES: "a pawn has captured", Asking.OBLIGES_ONCE: "you have tried a pawn capture"}
        more = [
            (True, f"A try that you could see is impossible, or that was already refused this turn, {aside}."),
            (tries is PawnTries.SQUARES, "A pawn that is not named may not try to capture."),
            (
                tries not in (PawnTries.SQUARES, PawnTries.NOTHING),
                "If the referee says that you have no pawn capture, you may not try one.",
            ),
            (can_ask, "You may ask once a turn; if the answer is no, you may not try a pawn capture in that turn."),
            (can_ask, f'After a yes to "Any?" every other try is nonsense until {must.get(one.asking)}.'),
            (one.promotion_announced, "The referee announces that a pawn is promoted, but not to which piece."),
            (
                one.en_passant_announced,
                "For a capture en passant, the referee names the square on which the pawn lands.",
            ),
            (one.one_minor_each_draws, "It is a draw if neither side has more than the king and one knight or bishop."),
        ]
        lines = [*about(one), " ".join(text for applies, text in more if applies)]
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in lines)
        parts.append(f'<h3 id="rules-{one.name}">{escape(one.title)}</h3>{paragraphs}')
    return "\n".join(parts)


def meanings_html() -> str:
    """Return HTML that explains each kind of announcement. The page copies its explanations from there."""
    rows = (
        f'<dt>{escape(title)}</dt><dd data-kind="{kind}">{escape(text)}</dd>'
        for kind, (title, text) in meanings().items()
    )
    return "\n".join(rows)


def pieces_svg() -> str:
    """Return the twelve pieces of python-chess as symbols "wK", "bP" ..., without style attributes."""
    symbols = []
    for letter, drawing in chess.svg.PIECES.items():
        plain = re.sub(r' ?style="([^"]*)"', lambda style: _attributes(style[1]), drawing)
        plain = re.sub(r' (?:id|class)="[^"]*"', "", plain)
        name = ("w" if letter.isupper() else "b") + letter.upper()
        symbols.append(f'<symbol id="{name}" viewBox="0 0 45 45">{plain}</symbol>')
    return f'<svg width="0" height="0" aria-hidden="true">{"".join(symbols)}</svg>'


def _attributes(style: str) -> str:
    pairs = (part.split(":") for part in style.split(";") if part.strip())
    return "".join(f' {name.strip()}="{value.strip()}"' for name, value in pairs)


def _players() -> list[PlayerOffered]:
    known = sorted(players().items(), key=lambda named: named[1].rank)
    return [
        PlayerOffered(
            name,
            kind.words or kind.summary,
            [OptionOffered(one.name, one.takes, one.usual, one.words) for one in offered_options(kind)],
        )
        for name, kind in known
        if name != PERSON and can_sit([PERSON, name])
    ]


def new_game(registry: Registry, request: New) -> PersonGame:
    """Return a new game against a program."""
    seed, control = seed_of(request.seed), TimeControl.of(request.clock)
    color, rules = color_of(request.color, seed), rules_of(request.rules)
    program = _in_time(_program(registry, request.opponent), control)
    setup = GameSetup(rules, seed, is_seed_given=request.seed is not None, control=control)
    return seat_people(registry, setup, {not color: program}, {color: False})[color]


def invited(registry: Registry, request: Invite) -> list[PersonGame]:
    """Return both sides of a new game between two people; that of whoever asks comes first."""
    seed = seed_of(None)
    color, rules, control = color_of(request.color, seed), rules_of(request.rules), TimeControl.of(request.clock)
    sides = seat_people(registry, GameSetup(rules, seed, control=control), {}, {color: True, not color: False})
    if request.name:
        sides[color].rename(request.name)
    return [sides[color], sides[not color]]


def watched(registry: Registry, request: Watch) -> WatchedGame:
    """Return a new game between two programs."""
    white, black = (_program(registry, text) for text in (request.white, request.black))
    rules, seed = rules_of(request.rules), seed_of(request.seed)
    game = LiveGame(registry, GameSetup(rules, seed), {chess.WHITE: white, chess.BLACK: black}, request.pace).watched
    assert game is not None  # for mypy: no person plays
    message = game_message(
        game, both_called([str(white), str(black)]), rules, None if request.seed is None else str(seed)
    )
    message.men = letters(chess.Board().piece_map())
    game.publish(message)
    return game


def resumed(registry: Registry, file: str, *, is_restored: bool = False) -> list[PersonGame]:
    """Return the sides of people in a continued game; between two people, the host's comes first.

    Two people who shared a screen choose again how they play, unless the server restores a game that they have open.
    """
    record = registry.library.load(file)
    if not is_resumable(record):
        raise Refused("You can continue only an unfinished game of a person.")
    headers = record.headers
    if registry.sandbox:
        check_sandbox(headers["White"], headers["Black"])
    program, people = program_in(record, sandbox=registry.sandbox is not False)
    seed = seed_of(headers.get("Seed") if headers.get("Seed", "").isdigit() else None)
    control = TimeControl.of(headers.get("TimeControl"))
    path, seating = registry.library.path(file), registry.library.seatings.of(file)
    if seating is not None and not is_restored and len(set(seating.browsers.values())) < len(seating.browsers):
        seating = msgspec.structs.replace(seating, browsers={})
    setup = GameSetup(record.rules, seed, control=control, begun=record, file=path, seating=seating)
    host = people[0] if len(people) == 1 else headers.get("Host") != "black"
    programs = {} if program is None else {not people[0]: program}
    sides = seat_people(registry, setup, programs, {color: len(people) == 2 and color == host for color in people})
    for color, side in sides.items():
        if name := headers.get(f"{chess.COLOR_NAMES[color].title()}Name", ""):
            side.rename(name)
    return [sides[color] for color in sorted(people, key=lambda color: color != host)]


def restored(registry: Registry, id_: str) -> list[PageGame]:
    """Return the pages of a saved game to which an id of an earlier server leads: live again, or to review."""
    file = registry.library.seatings.file(id_)
    if file is None:
        return []
    record = registry.library.load(file)
    if is_resumable(record):
        return [*resumed(registry, file, is_restored=True)]
    return [ReplayedGame(registry, record, None, id_)]


def opened(registry: Registry, file: str) -> ReplayedGame:
    """Return a saved game to review."""
    record, path = registry.library.open(file)
    return ReplayedGame(registry, record, str(path))


def _program(registry: Registry, text: str) -> PlayerSpec:
    if registry.sandbox:
        check_sandbox(text)
    return program_of(text, sandbox=registry.sandbox is not False, is_remote=True)


def _in_time(program: PlayerSpec, control: TimeControl | None) -> PlayerSpec:
    """Return a program with no more time for a turn than the clock allows, if it plays by time."""
    time = program.get("time")
    if control is None or program.is_outside or not isinstance(time, float) or time <= control.turn():
        return program
    if program.get("samples") is not None or "level" in program.options:
        return program
    return program.with_option("time", f"{control.turn():g}")
