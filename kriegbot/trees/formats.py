"""Game trees as JSON: the classes of `tree.py` field by field; described with an example in docs/trees.md.

Numbers keep their kinds: integers and floats are JSON numbers, a Fraction is a string such as "1/3". How deep a tree in
a file may be, and how numbers are read and written, is the same for `efg`.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, Tree, TreeError
from referee.text import quoted

MOST_DEPTH = 200
"""Moves in a row in a file; a deeper tree is refused."""
NUMBER = re.compile(r"[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)", re.ASCII)
MOST_DIGITS = 1000
"""Longer numbers are refused before they fill the memory."""
MOST_EXPONENT = 1000


def check_depth(tree: Tree) -> None:
    """Refuse to write what could not be read back.

    Raises:
      TreeError: the tree is too deep.
    """
    if tree.depth > MOST_DEPTH:
        raise TreeError(f"the tree is {tree.depth} moves deep, and a file holds at most {MOST_DEPTH}")


def number_of(text: str) -> int | Fraction:
    """An integer where the number is written as one, otherwise a Fraction: 0.1 is 1/10.

    Raises:
      ValueError: it is not a number, is too long, or divides by 0.
    """
    match = NUMBER.fullmatch(text) if len(text) <= MOST_DIGITS else None
    if match is None:
        raise ValueError(
            f"{quoted(text)} is not a number such as 3, -1/3, 0.25 or 1e-3, of at most {MOST_DIGITS} digits"
        )
    if match[3] is not None and abs(int(match[3][1:])) > MOST_EXPONENT:
        raise ValueError(f"number {quoted(text)} has an exponent beyond {MOST_EXPONENT}")
    if "/" in text and int(text.split("/")[1]) == 0:
        raise ValueError(f"number {quoted(text)} divides by 0")
    return Fraction(text) if re.search("[./eE]", text) else int(text)


def text_of(number: Number) -> str:
    """A number as `number_of` reads it, without rounding."""
    return repr(number) if isinstance(number, float) else str(number)


VERSION = 1
MARK = "kriegbot_tree"
"""The field that marks a tree, and gives the version of the format."""
KINDS = {
    "payoffs": ("a leaf", {"payoffs", "name"}, {"payoffs"}),
    "probabilities": (
        "a node of chance",
        {"children", "probabilities", "actions", "name"},
        {"children", "probabilities"},
    ),
    "player": (
        "a decision",
        {"player", "information_set", "children", "actions", "name"},
        {"player", "information_set", "children"},
    ),
}
"""The field that tells the kind of a node: the kind's name, its allowed fields, its required fields."""
BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', re.DOTALL)


def read_json(text: str) -> Tree:
    """Read a tree.

    Raises:
      TreeError: what is wrong, with its line and column where this is not JSON, and otherwise with its node.
    """
    _check_brackets(text)
    try:
        data = json.loads(text, parse_int=number_of, parse_constant=_no_number, object_pairs_hook=_without_repetition)
    except json.JSONDecodeError as error:
        raise TreeError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:
        raise TreeError(str(error)) from None
    if not isinstance(data, dict) or data.get(MARK) != VERSION:
        raise TreeError(f"this is no game tree: it takes an object with {MARK!r}: {VERSION}")
    _check_fields(data, "the tree", {MARK, "title", "players", "root"}, {"players", "root"})
    players = _texts(data["players"], "players")
    title = _of(str, data.get("title", ""), "title", "a text")
    return Tree(_node(data["root"], players, "root"), players, title)


def write_json(tree: Tree) -> str:
    """A tree as text.

    Raises:
      TreeError: it is too deep for a file.
    """
    check_depth(tree)
    data = {MARK: VERSION, "title": tree.title, "players": tree.players, "root": _data(tree.root, tree.players)}
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _data(node: Node, players: tuple[str, ...]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if isinstance(node, Leaf):
        data["payoffs"] = [_plain(payoff) for payoff in node.payoffs]
    else:
        if isinstance(node, Chance):
            data["probabilities"] = [_plain(probability) for probability in node.probabilities]
        else:
            data |= {"player": players[node.player], "information_set": node.information_set}
        data |= {"actions": node.actions} if node.actions else {}
        data["children"] = [_data(child, players) for child in node.children]
    return {"name": node.name, **data} if node.name else data


def _node(data: Any, players: tuple[str, ...], path: str) -> Node:
    """A node and all below it; `path` is what messages call it."""
    if not isinstance(data, dict):
        raise TreeError(f"node {path}: expected an object, not {_shown(data)}")
    kinds = [mark for mark in KINDS if mark in data]
    if len(kinds) != 1:
        raise TreeError(f"node {path}: it takes one of payoffs (a leaf), probabilities (chance), player (a decision)")
    what, may, must = KINDS[kinds[0]]
    _check_fields(data, f"node {path}: {what}", may, must)
    name = _of(str, data.get("name", ""), f"node {path}: name", "a text")
    path = name or path
    if kinds == ["payoffs"]:
        return Leaf(_numbers(data["payoffs"], f"node {path}: payoffs"), name)
    actions = _texts(data.get("actions", []), f"node {path}: actions")
    children = tuple(
        _node(child, players, f"{path}/{actions[index] if index < len(actions) else index}")
        for index, child in enumerate(_of(list, data["children"], f"node {path}: children", "a list"))
    )
    if kinds == ["probabilities"]:
        return Chance(children, _numbers(data["probabilities"], f"node {path}: probabilities"), actions, name)
    label = _of(str, data["information_set"], f"node {path}: information_set", "a text")
    if data["player"] not in players:
        raise TreeError(f"node {path}: player {_shown(data['player'])}: players are {', '.join(players)}")
    return Decision(players.index(data["player"]), label, children, actions, name)


def _plain(number: Number) -> int | float | str:
    return str(number) if isinstance(number, Fraction) else number


def _number(value: Any, where: str) -> Number:
    if isinstance(value, str):
        try:
            return Fraction(number_of(value))
        except ValueError as error:
            raise TreeError(f"{where}: {error}") from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TreeError(f"{where}: expected a number or a text such as '1/3', not {_shown(value)}")
    return value


def _numbers(value: Any, where: str) -> tuple[Number, ...]:
    return tuple(_number(number, where) for number in _of(list, value, where, "a list of numbers"))


def _texts(value: Any, where: str) -> tuple[str, ...]:
    return tuple(_of(str, text, where, "a list of texts") for text in _of(list, value, where, "a list of texts"))


def _of(kind: type[Any], value: Any, where: str, what: str) -> Any:
    if not isinstance(value, kind):
        raise TreeError(f"{where}: expected {what}, not {_shown(value)}")
    return value


def _check_fields(data: dict[str, Any], what: str, may: set[str], must: set[str]) -> None:
    for name in data:
        if name not in may:
            raise TreeError(f"{what} has no field {_shown(name)}: it takes {', '.join(sorted(may))}")
    for name in sorted(must):
        if name not in data:
            raise TreeError(f"{what} lacks its field {quoted(name)}")


def _check_brackets(text: str) -> None:
    """Refuse what is nested too deeply, before the JSON parser recurses into it."""
    depth = 0
    for match in BRACKETS.finditer(text):
        depth += match[0] in "[{"
        depth -= match[0] in "]}"
        if depth > 2 * MOST_DEPTH + 3:  # an object and a list for each move; the tree, its last node and payoffs
            line = text.count("\n", 0, match.start()) + 1
            column = match.start() - text.rfind("\n", 0, match.start())
            raise TreeError(f"line {line}, column {column}: the tree is more than {MOST_DEPTH} moves deep")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"field {_shown(twice)} occurs twice in one object")
    return found


def _no_number(text: str) -> Number:
    raise ValueError(f"{text} is not a finite number")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
