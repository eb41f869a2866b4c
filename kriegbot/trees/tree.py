"""Explicit game trees: chance, any number of players, information sets.

The model is that of Blair, Mutchler and Liu, "Games with Imperfect Information" (AAAI Fall Symposium 1993), with any
number of players. A player cannot tell the nodes of an information set apart, so it chooses the same alternative at
each. A tree is checked once, when it is made, and must not change afterwards. Nothing here recurses, so a tree may be
as deep as memory allows.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from referee.text import quoted

Number: TypeAlias = int | float | Fraction
"""Payoff or probability. Fractions and integers give exact results."""
SetKey: TypeAlias = tuple[int, str]
"""Player, from 0 into `Tree.players`, and label of one of its information sets."""
Strategy: TypeAlias = Mapping[SetKey, int]
"""A pure strategy: the index of the alternative chosen in each information set."""

_Choice: TypeAlias = tuple[SetKey, int] | None  # alternative chosen in an information set, if any

MOST_DIGITS, MOST_EXPONENT = 1000, 1000  # of a number in a text, so that it cannot fill the memory
NUMBER = re.compile(r"[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)", re.ASCII)
ROUNDING = 1e-9  # distance of the sum of float probabilities from 1
SHOWN_STEPS = 12  # actions of a path in a message, the last ones


class TreeError(ValueError):
    """An invalid game tree, or one that an algorithm does not take; the message says why."""


@dataclass(eq=False, slots=True)
class Leaf:
    """An end of the game. payoffs: finite, one for each player."""

    payoffs: tuple[Number, ...]
    name: str = ""


@dataclass(eq=False, slots=True)
class Chance:
    """A move of chance. probabilities: of the children, positive, summing to 1. actions: their names, or none."""

    children: tuple["Node", ...] = field(repr=False)
    probabilities: tuple[Number, ...]
    actions: tuple[str, ...] = ()
    name: str = ""


@dataclass(eq=False, slots=True)
class Decision:
    """A move of a player that knows only the information set. actions: names of the children, or none."""

    player: int
    information_set: str
    children: tuple["Node", ...] = field(repr=False)
    actions: tuple[str, ...] = ()
    name: str = ""

    @property
    def key(self) -> SetKey:
        """The information set, with its player."""
        return self.player, self.information_set


Node: TypeAlias = Leaf | Chance | Decision


class Tree:
    """A valid game tree, with one player or more.

    `information_sets` holds the nodes of each set, sets and nodes in preorder. `depth` counts the moves on the longest
    way from the root to a leaf, with those of chance.

    >>> tree = Tree(Chance((Decision(0, "s", (Leaf((1,)), Leaf((2,)))), Leaf((0,))), (0.5, 0.5), ("heads", "tails")))
    >>> tree.depth, list(tree.information_sets), tree.path(tree.information_sets[0, "s"][0])
    (2, [(0, 's')], 'root/heads')
    """

    def __init__(self, root: Node, players: tuple[str, ...] = ("Max",), title: str = "") -> None:
        """Check a tree; raise TreeError with the first invalid node in preorder."""
        self.root, self.players, self.title = root, players, title
        if not players or len(set(players)) < len(players):
            raise TreeError(f"players {players}: a tree takes one or more, all with different names")
        sets: dict[SetKey, list[Decision]] = {}
        self.depth = 0
        seen: set[int] = set()
        path: list[Node] = []
        on_path: set[SetKey] = set()
        for depth, node in self.with_depth():
            self.depth = max(self.depth, depth)
            on_path.difference_update(left.key for left in path[depth:] if isinstance(left, Decision))
            path[depth:] = [node]
            if id(node) in seen:
                raise TreeError(f"node {_path(path)} occurs twice: a tree does not share nodes")
            seen.add(id(node))
            wrong = self._error_in(node)
            if not wrong and isinstance(node, Decision):
                others = sets.setdefault(node.key, [])
                if node.key in on_path:
                    wrong = f"one of its ancestors is in its own information set {quoted(node.information_set)}"
                elif others:
                    wrong = _difference(node, others[0])
                on_path.add(node.key)
                others.append(node)
            if wrong:
                raise TreeError(f"node {_path(path)}: {wrong}")
        self.information_sets: Mapping[SetKey, tuple[Decision, ...]] = {key: tuple(sets[key]) for key in sets}

    def nodes(self) -> Iterator[Node]:
        """Yield all nodes in preorder, each once."""
        return (node for _, node in self.with_depth())

    def path(self, node: Node) -> str:
        """Return the name of a node, or the last actions to it from the root, such as root/heads/quit."""
        path: list[Node] = []
        for depth, other in self.with_depth():
            del path[depth:]
            path.append(other)
            if other is node:
                return _path(path)
        raise TreeError(f"node {quoted(node.name)} is not in this tree")

    def check_player(self, player: int) -> None:
        """Raise TreeError unless there is such a player."""
        if not 0 <= player < len(self.players):
            raise TreeError(f"there is no player {player}: players are 0..{len(self.players) - 1}")

    def has_perfect_recall(self, player: int) -> bool:
        """Return True if a player remembers all that it knew and did; see `why_not_perfect_recall`."""
        return self.why_not_perfect_recall(player) is None

    def why_not_perfect_recall(self, player: int) -> str | None:
        """Name two nodes of one information set that the player could tell apart by its past; None if there are none.

        Perfect recall: if an information set S of the player follows another, R, then S lies inside one child of R
        (Blair, Mutchler and Liu 1993). That is so if and only if all nodes of each set come after the same last
        choice of the player, the same alternative of the same set, or after none.
        """
        self.check_player(player)
        first: dict[SetKey, tuple[Decision, _Choice]] = {}
        stack: list[tuple[Node, _Choice]] = [(self.root, None)]
        while stack:
            node, last = stack.pop()
            if isinstance(node, Leaf):
                continue
            if not isinstance(node, Decision) or node.player != player:
                stack.extend((child, last) for child in reversed(node.children))
                continue
            other, last_of_other = first.setdefault(node.key, (node, last))
            if last != last_of_other:
                one, two = (
                    f"{quoted(action_name(self.information_sets[choice[0]][0], choice[1]))} in {quoted(choice[0][1])}"
                    if choice
                    else "nothing"
                    for choice in (last_of_other, last)
                )
                return (
                    f"nodes {self.path(other)} and {self.path(node)} are in one information set "
                    f"{quoted(node.information_set)}, but {self.players[player]} chose {one} before the one and chose "
                    f"{two} before the other"
                )
            stack.extend((child, (node.key, index)) for index, child in reversed(list(enumerate(node.children))))
        return None

    def with_depth(self, limit: int | None = None) -> Iterator[tuple[int, Node]]:
        """Yield nodes in preorder with their distances from the root: all, or those up to a distance."""
        stack: list[tuple[int, Node]] = [(0, self.root)]
        while stack:
            depth, node = stack.pop()
            yield depth, node
            if not isinstance(node, Leaf) and depth != limit:
                stack.extend((depth + 1, child) for child in reversed(node.children))

    def _error_in(self, node: Node) -> str:
        """Say why a node is invalid, considered alone; empty if it is valid."""
        if isinstance(node, Leaf):
            if len(node.payoffs) != len(self.players):
                return f"{len(node.payoffs)} payoffs for {len(self.players)} players"
            bad = [payoff for payoff in node.payoffs if not is_finite(payoff)]
            return f"payoff {quoted(bad[0])} is not a finite number" if bad else ""
        if not node.children:
            return "it has no children: an end of the game is a leaf, with payoffs"
        if node.actions and len(node.actions) != len(node.children):
            return f"{len(node.actions)} names of actions for {len(node.children)} children"
        if isinstance(node, Decision):
            is_known = 0 <= node.player < len(self.players)
            return "" if is_known else f"player {node.player}: players are 0..{len(self.players) - 1}"
        if len(node.probabilities) != len(node.children):
            return f"{len(node.probabilities)} probabilities for {len(node.children)} children"
        bad = [value for value in node.probabilities if not is_finite(value) or value <= 0]
        if bad:
            return f"probability {bad[0]} is not a number above 0"
        total: Number = sum(node.probabilities)
        is_one = abs(total - 1) <= ROUNDING if isinstance(total, float) else total == 1
        return "" if is_one else f"probabilities sum to {total}, not to 1"


def is_finite(number: Number) -> bool:
    """Return True for an int, a Fraction, or a float that is neither infinite nor NaN."""
    return math.isfinite(number) if isinstance(number, float) else isinstance(number, int | Fraction)


def number_of(text: str) -> int | Fraction:
    """Parse a number: an int if it is written as one, else a Fraction; raise ValueError for anything else.

    >>> number_of("-3"), number_of("0.1")
    (-3, Fraction(1, 10))
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


def action_name(node: Chance | Decision, index: int) -> str:
    """Return the name of an alternative, or its index."""
    return (node.actions[index] if node.actions else "") or str(index)


def _difference(node: Decision, other: Decision) -> str:
    """Say why two nodes cannot be in one information set; empty if they can."""
    another = f"another node of its information set {quoted(node.information_set)}"
    if len(node.children) != len(other.children):
        return f"it has {len(node.children)} alternatives, but {another} has {len(other.children)}"
    if node.actions != other.actions:
        return f"its actions are {node.actions}, but those of {another} are {other.actions}"
    return ""


def _path(path: Sequence[Node]) -> str:
    """Name the last node of a path from the root."""
    if path[-1].name:
        return path[-1].name
    steps = [path[0].name or "root"]
    for node, child in pairwise(path):
        if not isinstance(node, Leaf):  # only a leaf is without children, and it is the last of a path
            index = next(index for index, other in enumerate(node.children) if other is child)
            steps.append(action_name(node, index))
    shown = steps if len(steps) <= SHOWN_STEPS + 1 else [steps[0], "...", *steps[-SHOWN_STEPS:]]
    return "/".join(shown)
