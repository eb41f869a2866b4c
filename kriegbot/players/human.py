"""A person at a console, and tries as people write them: UCI or SAN.

SAN normally depends on the legal moves of the true board, which nobody but the referee knows. So this module reads a
text against the open tries of a view, and names a try so that no other open one has the same name: `Nf3`, `Rad1`,
`exd5`, `e8=Q`, `O-O`. Only pawns have an x: whether another piece captures is the referee's to announce. A text that
names no piece to promote to means a queen: `e8`, `bxa8`, `e7e8`.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Protocol, TypeAlias

import chess

from kriegbot.players.base import Choice, Leave, PlayerKind, SeatAction
from kriegbot.report import Report
from referee import Action, AskAny, Asking, Resign, View, pieces
from referee.text import quoted

COMMANDS = {
    "help": "show this text",
    "?": "explain the announcements",
    "tries": "list your open tries",
    "board": "show the board again",
    "hint": "show the best tries",
    "back": "take your last move back",
    "resign": "give up the game",
    "quit": "leave; no result",
}
HELP = ("?", "hint", "back")  # commands that exist only where the caller of `HumanPlayer` provides them
ASKING = {"any": "ask whether any of your pawn captures is legal"}  # for rule sets in which a side may ask
ALIASES = {"?": "help", "takeback": "back", "take back": "back", "undo": "back", "exit": "quit"}

Answer: TypeAlias = Callable[[View], Sequence[str] | Leave | Resign]  # answers a command with lines, or ends the game
NO_COMMANDS: Mapping[str, Answer] = MappingProxyType({})

_UCI = re.compile(r"([a-h][1-8])[-x]?([a-h][1-8])=?([nbrq])?")
_SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)([-x:]?)([a-h][1-8])(?:=?\(?([NBRQ])\)?)?")
_SUFFIX = re.compile(r"\s*(?:e\.?p\.?|[+#!?])+$")
_CASTLING = {"oo": 6, "ooo": 2}  # the file to which the king moves
_PIECES = {"": "pawn", "N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}


class Console(Protocol):
    """The screen and keyboard of a person."""

    def show(self, view: View) -> None:
        """Show the position and everything new in it."""
        ...

    def read(self, view: View) -> str:
        """Return a line; raise EOFError at the end of input."""
        ...

    def say(self, lines: Sequence[str]) -> None:
        """Show the answer to a line."""
        ...


class HumanPlayer:
    """A person at a console; `more` answers further commands, as in `HELP`. Only open tries reach the referee."""

    def __init__(self, console: Console, more: Mapping[str, Answer] = NO_COMMANDS) -> None:
        self._console, self._more = console, more

    def choose(self, view: View) -> Choice:
        """Read lines until the person has named a try, asked "Any?", resigned, or left: also by Ctrl-C."""
        start = time.perf_counter()
        self._console.show(view)
        action: SeatAction | None = None
        while action is None:
            action = self._next(view)
        return Choice(action, Report(seconds=time.perf_counter() - start))

    def _next(self, view: View) -> SeatAction | None:
        """Read a line and answer it; None unless it is an action."""
        try:
            line = self._console.read(view).strip()
        except EOFError:
            return Leave("end of input")
        except KeyboardInterrupt:
            return Leave("interrupted")
        command = line.lower()
        lines: Sequence[str] = ()
        match command if command in self._more else ALIASES.get(command, command):
            case "":
                pass
            case "help":
                commands = {name: what for name, what in COMMANDS.items() if name not in HELP or name in self._more}
                lines = _help(commands | ASKING if view.may_ask else commands)
            case name if name in self._more:
                answer = self._more[name](view)
                if isinstance(answer, Leave | Resign):
                    return answer
                lines = answer
            case "tries":
                lines = _columns([try_name(move, view) for move in view.tries()])
            case "board":
                self._console.show(view)
            case "resign":
                return Resign()
            case "quit":
                return Leave("the person left")
            case _:
                try:
                    return read_action(line, view)
                except BadTry as error:
                    lines = [str(error)]
        if lines:
            self._console.say(lines)
        return None


human = PlayerKind("a person, at `kriegbot play`", make=None)


def _help(commands: Mapping[str, str]) -> list[str]:
    return [
        "Type a try: e4, Nf3, exd5, O-O",
        "or e2e4. e8 makes a queen,",
        "e8=N a knight. After a refusal,",
        "try again.",
        *(f"{command:<7} {meaning}" for command, meaning in commands.items()),
    ]


def _columns(names: Sequence[str], width: int = 30) -> list[str]:
    column = max(len(name) for name in names) + 1
    per_row = max(1, width // column)
    rows = [names[first : first + per_row] for first in range(0, len(names), per_row)]
    return ["".join(name.ljust(column) for name in row).rstrip() for row in rows]


class BadTry(ValueError):
    """A text does not name exactly one open try, or is no answer to a puzzle. The message says why."""


def read_action(text: str, view: View) -> Action:
    """Return the open try that a text names, or the question "Any?" if the side may ask it; raise BadTry."""
    if view.may_ask and text.strip().lower().rstrip("?") == "any":
        return AskAny()
    return read_try(text, view)


def read_try(text: str, view: View) -> chess.Move:
    """Return the open try that a text names.

    >>> from referee import Referee
    >>> read_try("Nf3", Referee().view(chess.WHITE))
    Move.from_uci('g1f3')
    >>> read_try("Nf4", Referee().view(chess.WHITE))
    Traceback (most recent call last):
    kriegbot.players.human.BadTry: None of your knights can reach f4.

    Raise BadTry if it names none, or several, which the message lists.
    """
    return _read(text, view, view.tries())


def read_ahead(text: str, view: View) -> Action:
    """Return the try or question, perhaps a recapture, that a text names for the next turn; raise BadTry for others."""
    if view.rules.asking is not Asking.NONSENSE and text.strip().lower().rstrip("?") == "any":
        return AskAny()
    castling = view.kingside, view.queenside
    tries = pieces.open_tries(view.color, view.men, *castling)
    for square, piece in view.men.items():
        if piece != chess.KING:
            left = {other: view.men[other] for other in view.men if other != square}
            moves = [move for move in pieces.open_tries(view.color, left, *castling) if move.to_square == square]
            tries += [one for one in moves if view.men[one.from_square] != chess.PAWN or (square - one.from_square) % 8]
    return _read(text, view, tries)


def _read(text: str, view: View, open_tries: list[chess.Move]) -> chess.Move:
    text = " ".join(text.split())
    tries = _matching(text, view, open_tries)
    if len(tries) == 1:
        return tries[0]
    if tries:
        names = ", ".join(f"{try_name(move, view)} ({move.uci()})" for move in tries)
        raise BadTry(f"{quoted(text)} could mean {names}. Which one?")
    refused = _matching(text, view, list(view.refused))
    if refused:
        raise BadTry(f"You have already tried {try_name(refused[0], view)} this turn.")
    raise BadTry(_why_not(text, view))


def try_name(move: chess.Move, view: View) -> str:
    """Return a try in short SAN, as its mover sees it; in UCI if no piece of its stands where it begins."""
    return pieces.try_name(move, view.color, view.men, view.kingside, view.queenside)


def _matching(text: str, view: View, tries: list[chess.Move]) -> list[chess.Move]:
    text = _SUFFIX.sub("", text)
    if (king_file := _castling_file(text)) is not None:
        castling = [move for move in tries if pieces.is_castling(move, view.men)]
        return [move for move in castling if chess.square_file(move.to_square) == king_file]
    if match := _uci(text):
        squares = chess.parse_square(match[1]), chess.parse_square(match[2])
        moves = [move for move in tries if (move.from_square, move.to_square) == squares]
        return [move for move in moves if pieces.promotes_to(move, match[3])]
    for san in (text, text[:1].upper() + text[1:]):  # b is a pawn's file first, then a bishop
        match = _SAN.fullmatch(san)
        is_named = match is not None and (match[1] or match[2] or not match[4])  # a pawn's capture names its file
        moves = [move for move in tries if pieces.matches_san(move, view.men, match)] if match and is_named else []
        if moves:
            return moves
    return []


def _castling_file(text: str) -> int | None:
    return _CASTLING.get(text.lower().replace("0", "o").replace("-", ""))


def _uci(text: str) -> re.Match[str] | None:
    """Match UCI in small letters or in capitals, but not mixed: B1c3 is a bishop's move."""
    return _UCI.fullmatch(text.lower()) if text in (text.lower(), text.upper()) else None


def _why_not(text: str, view: View) -> str:
    plain = _SUFFIX.sub("", text)
    if match := _uci(plain):
        origin = chess.parse_square(match[1])
        if origin not in view.men:
            return f"You have no piece on {match[1]}."
        return f"Your {chess.piece_name(view.men[origin])} on {match[1]} cannot reach {match[2]}."
    if match := _SAN.fullmatch(plain):
        piece = _PIECES[match[1]]
        count = list(view.men.values()).count(chess.PIECE_NAMES.index(piece))
        if not count:
            return f"You have no {piece}."
        who = f"Your {piece} cannot" if count == 1 else f"None of your {piece}s can"
        return f"{who} {f'play {plain}' if match[2] or match[3] else f'reach {match[5]}'}."
    if _castling_file(plain) is not None:
        return "You cannot castle on that side."
    return f"{quoted(text)} is not a move. Write it as e4, Nf3, exd5, O-O, e8=Q or e2e4."
