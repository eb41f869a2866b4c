"""Game trees in files, whose suffix says in which format, .json or .efg (`efg`); and the first of these.

JSON has the classes of `tree.py` field by field; described with an example in docs/trees.md. Numbers keep their kinds:
integers and floats are JSON numbers, a Fraction is a string such as "1/3".
"""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from kriegbot.trees.efg import MOST_DEPTH, check_depth, number_of, read_efg, write_efg
from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, Tree, TreeError
from referee.text import MOST_QUOTED, one_line, quoted, read_text

MOST_BYTES = 100_000_000  # larger files are refused
VERSION = 1
MARK = "kriegbot_tree"  # the field that marks a tree, and gives the version of the format
KINDS = {
    "payoffs": ("a leaf", {"payoffs"}, {"name"}),
    "probabilities": ("a node of chance", {"probabilities", "children"}, {"actions", "name"}),
    "player": ("a decision", {"player", "information_set", "children"}, {"actions", "name"}),
}
"""The field that tells the kind of a node: the kind's name, the fields that it must have, others that it may have."""


def read_json(text: str) -> Tree:
    """Read a tree.

    Raises:
      TreeError: what is wrong, with its line and column where this is not JSON, and otherwise with its node.
    """
    try:
        data = json.loads(text, parse_int=number_of, parse_constant=_no_number, object_pairs_hook=_without_repetition)
        if not isinstance(data, dict) or data.get(MARK) != VERSION:
            raise TreeError(f"this is no game tree: it takes an object with {MARK!r}: {VERSION}")
        _check_fields(data, "the tree", {MARK, "players", "root"}, {"title"})
        players = _texts(data["players"], "players")
        title = _of(str, data.get("title", ""), "title", "a text")
        tree = Tree(_node(data["root"], players, "root"), players, title)
    except RecursionError:
        raise TreeError(f"the tree is more than {MOST_DEPTH} moves deep") from None
    except json.JSONDecodeError as error:
        raise TreeError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except ValueError as error:
        raise TreeError(str(error)) from None
    check_depth(tree)
    return tree


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
        raise TreeError(f"node {path}: expected an object, not {quoted(data)}")
    kinds = [mark for mark in KINDS if mark in data]
    if len(kinds) != 1:
        raise TreeError(f"node {path}: it takes one of payoffs (a leaf), probabilities (chance), player (a decision)")
    what, must, may = KINDS[kinds[0]]
    _check_fields(data, f"node {path}: {what}", must, may)
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
        raise TreeError(f"node {path}: player {quoted(data['player'])}: players are {', '.join(players)}")
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
        raise TreeError(f"{where}: expected a number or a text such as '1/3', not {quoted(value)}")
    return value


def _numbers(value: Any, where: str) -> tuple[Number, ...]:
    return tuple(_number(number, where) for number in _of(list, value, where, "a list of numbers"))


def _texts(value: Any, where: str) -> tuple[str, ...]:
    return tuple(_of(str, text, where, "a list of texts") for text in _of(list, value, where, "a list of texts"))


def _of(kind: type[Any], value: Any, where: str, what: str) -> Any:
    if not isinstance(value, kind):
        raise TreeError(f"{where}: expected {what}, not {quoted(value)}")
    return value


def _check_fields(data: dict[str, Any], what: str, must: set[str], may: set[str]) -> None:
    for name in data:
        if name not in must | may:
            raise TreeError(f"{what} has no field {quoted(name)}: it takes {', '.join(sorted(must | may))}")
    for name in sorted(must):
        if name not in data:
            raise TreeError(f"{what} lacks its field {quoted(name)}")


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"field {quoted(twice)} occurs twice in one object")
    return found


def _no_number(text: str) -> Number:
    raise ValueError(f"{text} is not a finite number")


FORMS = {".json": (read_json, write_json), ".efg": (read_efg, write_efg)}


def load(path: str | Path) -> Tree:
    """Read a tree from a file.

    Raises:
      TreeError: it cannot be read, is too large, or is no tree; the message says where.
    """
    path = Path(path)
    read, _ = _forms(path)
    try:
        return read(read_text(path, MOST_BYTES))
    except ValueError as error:
        raise TreeError(f"{_name(path)}: {error}") from None


def save(tree: Tree, path: str | Path) -> None:
    """Write a tree to a file.

    Raises:
      TreeError: the format cannot hold it.
      OSError: the file cannot be written.
    """
    path = Path(path)
    _, write = _forms(path)
    path.write_text(write(tree), encoding="utf-8")


def _forms(path: Path) -> tuple[Callable[[str], Tree], Callable[[Tree], str]]:
    if path.suffix not in FORMS:
        raise TreeError(f"{_name(path)}: a file of a tree ends with {' or '.join(FORMS)}")
    return FORMS[path.suffix]


def _name(path: Path) -> str:
    return one_line(str(path), MOST_QUOTED)
