"""Tries as people write them, UCI or SAN, read and written from what the mover sees.

SAN names a move by what is legal on the true board, which is unknown here. So a text is read against the open tries of
a view, and a try is named so that no other open one has the same name: `Nf3`, `Rad1`, `exd5` (a pawn's diagonal step is
a try to capture), `e8=Q`, `O-O`. Only pawns are written with x: whether another man will capture is for the referee to
say. A pawn becomes a queen where a text names no man: `e8`, `bxa8`, `e7e8`.
"""

from __future__ import annotations

import re

import chess

from referee import Action, AskAny, View, pieces
from referee.pieces import is_castling
from referee.text import quoted

_UCI = re.compile(r"([a-h][1-8])[-x]?([a-h][1-8])=?([nbrq])?")
_SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)([-x:]?)([a-h][1-8])(?:=?\(?([NBRQ])\)?)?")
_ENDING = re.compile(r"\s*(?:e\.?p\.?|[+#!?])+$")
_CASTLING = {"oo": (6,), "ooo": (2,)}
_PIECES = {"": "pawn", "N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}


class BadTry(ValueError):
    """A text does not name exactly one open try. The message is a sentence that says why."""


def read_action(text: str, view: View) -> Action:
    """The open try that a text names, or the question "Any?" where that may be asked.

    Raises:
      BadTry: as `read_try`.
    """
    if view.may_ask and text.strip().lower().rstrip("?") == "any":
        return AskAny()
    return read_try(text, view)


def read_try(text: str, view: View) -> chess.Move:
    """The open try that a text names.

    Raises:
      BadTry: it names none, or several, which the message lists.
    """
    text = " ".join(text.split())
    found = _matching(text, view, view.tries())
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(f"{try_name(move, view)} ({move.uci()})" for move in found)
        raise BadTry(f"{quoted(text)} could mean {names}. Which one?")
    refused = _matching(text, view, list(view.refused))
    if refused:
        raise BadTry(f"You have already tried {try_name(refused[0], view)} this turn.")
    raise BadTry(_why_not(text, view))


def try_name(move: chess.Move, view: View) -> str:
    """A try in short, as seen by its mover in the view before it; UCI where it could not be a try at all."""
    return pieces.try_name(move, view.color, view.men, view.kingside, view.queenside)


def _matching(text: str, view: View, tries: list[chess.Move]) -> list[chess.Move]:
    plain = _ENDING.sub("", text)
    castling = _CASTLING.get(plain.lower().replace("0", "o").replace("-", ""))
    if castling is not None:
        return [move for move in tries if is_castling(move, view.men) and chess.square_file(move.to_square) in castling]
    match = _uci(plain)
    if match is not None:
        origin, target = chess.parse_square(match[1]), chess.parse_square(match[2])
        found = [move for move in tries if (move.from_square, move.to_square) == (origin, target)]
        return [move for move in found if pieces.promotes_to(move, match[3])]
    found = _matching_san(plain, view, tries)
    if not found and plain[:1] in ("n", "r", "q", "k", "b"):
        found = _matching_san(plain[0].upper() + plain[1:], view, tries)
    return found


def _matching_san(text: str, view: View, tries: list[chess.Move]) -> list[chess.Move]:
    match = _SAN.fullmatch(text)
    if match is None or (match[4] and not match[1] and not match[2]):  # a pawn's capture names its file
        return []
    return [move for move in tries if pieces.matches_san(move, view.men, match)]


def _uci(text: str) -> re.Match[str] | None:
    """UCI in small letters or in capitals, but not mixed: B1c3 is a bishop's move."""
    return _UCI.fullmatch(text.lower()) if text in (text.lower(), text.upper()) else None


def _why_not(text: str, view: View) -> str:
    plain = _ENDING.sub("", text)
    match = _uci(plain)
    if match is not None:
        origin = chess.parse_square(match[1])
        if origin not in view.men:
            return f"You have no piece on {match[1]}."
        return f"Your {chess.piece_name(view.men[origin])} on {match[1]} cannot reach {match[2]}."
    match = _SAN.fullmatch(plain)
    if match is not None:
        piece = _PIECES[match[1]]
        count = list(view.men.values()).count(chess.PIECE_NAMES.index(piece))
        if not count:
            return f"You have no {piece}."
        if match[2] or match[3]:
            return f"{quoted(text)} fits no {piece} of yours."
        who_can = f"Your {piece} cannot" if count == 1 else f"None of your {piece}s can"
        return f"{who_can} reach {match[5]}."
    if plain.lower().replace("0", "o").replace("-", "") in _CASTLING:
        return "You cannot castle on that side."
    return f"{quoted(text)} is not a move. Write it as e4, Nf3, exd5, O-O, e8=Q or e2e4."
