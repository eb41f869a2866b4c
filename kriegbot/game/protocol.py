"""The line protocol between a game and the process of a player. docs/bots.md describes it for authors of programs.

Both ends are here. The game writes views with `game_lines` and `view_lines`, and a player in Python reads them with
`ViewReader`. It writes answers with `answer_lines`, and the game reads them with `read_answer`, which is strict.
"""

import math
from dataclasses import asdict, replace
from typing import Any

import chess

import referee
from kriegbot.players.base import Choice
from kriegbot.report import MAX_LENGTHS, WRITTEN, Report
from referee.text import one_line, quoted
from referee.view import ViewBuilder

GREETING = "kriegspiel 1"  # the first line to a program: the protocol and its version
MAX_INTEGER = 2**63
REPORTED = {name: type(value) for name, value in asdict(Report()).items()}  # the fields of a report, and their types
FIELDS = {written: name for name, written in WRITTEN.items()}  # those that the protocol calls otherwise, by its names
_COLORS: dict[str, chess.Color] = dict(zip(chess.COLOR_NAMES, (chess.BLACK, chess.WHITE), strict=True))


class BadLine(ValueError):
    """A line that is not in the protocol. The message quotes it, or its wrong part, and says why."""


def game_lines(view: referee.View, patience: float) -> list[str]:
    """Return the lines that stand before the first view of a game: its rules, limits, side, start and patience."""
    limits = {"plies": view.limits.plies, "quiet": view.limits.quiet_plies}
    return [
        f"rules {view.rules.text}",
        *(f"limit {name} {number}" for name, number in limits.items() if number is not None),
        f"color {chess.COLOR_NAMES[view.color]}",
        f"start {view.start}",
        f"patience {patience:g}",
    ]


def view_lines(view: referee.View, sent: int, *, has_tries: bool) -> list[str]:
    """Return the lines of a view after `sent` events, ending in `go`; `has_tries` to list the open tries, too."""
    men = [f"{chess.piece_symbol(man).upper()}{chess.square_name(square)}" for square, man in view.men.items()]
    lines = [_event_line(event) for event in view.events[sent:]]
    lines += [
        f"ply {view.ply}",
        f"men {' '.join(men)}",
        f"castling {'K' * view.kingside + 'Q' * view.queenside or '-'}",
        f"opponent {view.opponent_men}",
    ]
    if view.pawn_tries is not None:
        lines.append(f"pawntries {view.pawn_tries.code()}")
    if view.refused:
        lines.append("refused " + " ".join(move.uci() for move in view.refused))
    if has_tries:
        lines.append("tries " + " ".join(move.uci() for move in view.tries()))
    return [*lines, "go"]


class ViewReader:
    """Rebuilds the views of one game from lines, in the process of a player.

    The events of a side determine its view (`referee.view`), so this class skips the lines that repeat it for other
    programs. It reads `refused`, since a game may list more tries there than the player has made.
    """

    def __init__(self) -> None:
        self._game: dict[str, Any] = {}
        self._limits: dict[str, int] = {}
        self._side: ViewBuilder
        self._refused: tuple[chess.Move, ...] = ()

    def read(self, line: str) -> referee.View | None:
        """Read a line. Return the view after `go`, else None. Raise ValueError or KeyError for a line not known."""
        word, _, rest = line.partition(" ")
        match word:
            case "rules":
                self._game["rules"] = referee.rule_set(rest)
            case "limit":
                name, number = rest.split()
                self._limits["quiet_plies" if name == "quiet" else name] = int(number)
            case "color":
                self._game["color"] = _COLORS[rest]
            case "start":
                self._side = ViewBuilder(**self._game, limits=referee.Limits(**self._limits), start=rest)
            case "heard":
                self._side.apply(_read_event(rest))
            case "ply":
                self._refused = ()
            case "refused":
                self._refused = tuple(chess.Move.from_uci(move) for move in rest.split())
            case "go":
                view = self._side.view()
                return view if view.refused == self._refused else replace(view, refused=self._refused)
            case "patience" | "men" | "castling" | "opponent" | "pawntries" | "tries":
                pass
            case _:
                raise BadLine(f"{quoted(line)}: no line of the protocol")
        return None


def answer_lines(choice: Choice) -> list[str]:
    """Return the lines of a player's answer."""
    fields = [f"{name}={_word(value)}" for name, value in choice.report.written().items() if value]
    action = choice.action
    assert isinstance(action, referee.Action)  # for mypy: see `seat.validated`
    verb = f"try {action.uci()}" if isinstance(action, chess.Move) else referee.action_code(action)
    return [f"info {' '.join(fields)}", verb] if fields else [verb]


def read_answer(line: str, report: Report) -> Choice | Report:
    """Parse a line of a player's answer: a report, or the choice after `report`, which ends it. Raise BadLine."""
    word, _, rest = line.partition(" ")
    if word == "info":
        return _read_report(rest)
    try:
        action = referee.parse_action(rest if word == "try" else line)
        if isinstance(action, chess.Move) is not (word == "try"):
            raise referee.BadAction
    except referee.BadAction:
        raise BadLine(f"{quoted(one_line(line))}, not a try between squares of the board") from None
    return Choice(action, report)


def _event_line(event: referee.Event) -> str:
    match event:
        case referee.OwnTry(move, answer, announcement):
            return f"heard own {move.uci()} {answer.value}" + (f" {announcement.code()}" if announcement else "")
        case referee.OwnQuestion(answer):
            return f"heard own any {answer.value}"
        case referee.OpponentAsked(answer):
            return f"heard opponent any {answer.value}"
        case referee.OpponentRefused():
            return "heard opponent illegal"
        case referee.OpponentMoved(announcement):
            return f"heard opponent moved {announcement.code()}"
        case referee.GameOver(end):
            winner = "nobody" if end.winner is None else chess.COLOR_NAMES[end.winner]
            return f"heard over {end.reason.name} {winner} {end.detail}"


def _read_event(text: str) -> referee.Event:
    match text.split(" "):
        case ["over", reason, winner, *detail]:
            return referee.GameOver(referee.End(referee.Reason[reason], _COLORS.get(winner), " ".join(detail)))
        case ["own", "any", answer]:
            return referee.OwnQuestion(referee.Answer(answer))
        case ["opponent", "any", answer]:
            return referee.OpponentAsked(referee.Answer(answer))
        case ["own", move, answer, *code]:
            announcement = referee.Announcement.parse(*code) if code else None
            return referee.OwnTry(chess.Move.from_uci(move), referee.Answer(answer), announcement)
        case ["opponent", "illegal"]:
            return referee.OpponentRefused()
        case ["opponent", "moved", code]:
            return referee.OpponentMoved(referee.Announcement.parse(code))
    raise BadLine(f"{quoted(text)}: no event")


def _word(value: float | str) -> str:
    return value.replace(" ", "_") if isinstance(value, str) else repr(+value)  # a plus makes a bool a number


def _read_report(text: str) -> Report:
    values: dict[str, Any] = {}
    for part in text.split():
        name, _, value = part.partition("=")
        try:
            field = FIELDS.get(name, name)
            values[field] = parse_field(field, value.replace("_", " "))
        except (KeyError, ValueError):
            raise BadLine(f"{quoted(one_line(part))}, not a part of a Report") from None
    return Report(**values)


def parse_field(name: str, value: Any) -> Any:
    """Return a field of a report as a plain value of its type; raise KeyError, TypeError, ValueError, OverflowError."""
    kind = REPORTED[name]
    if kind is str:
        return one_line(str(value), MAX_LENGTHS[name])
    number = float(value) if kind is float else int(value)
    if not (math.isfinite(number) if kind is float else 0 <= number < MAX_INTEGER):
        raise ValueError(f"{number} is no {name}")
    return kind(number)
