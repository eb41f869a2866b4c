"""Gambit's extensive game files, `EFG 2 R`, read and written.

The format: https://gambitproject.readthedocs.io/en/stable/formats.efg.html. Nodes are in preorder; players,
information sets and outcomes are numbered from 1, and described where they first appear. A payoff given at a node
that is not a leaf is added to those below it, so here it is found at the leaves. Numbers are exact: 0.1 is 1/10.

What the format cannot hold: names in which a backslash comes before a quotation mark, another backslash or the end.
What changes on the way: floats become fractions, and probabilities that are floats are scaled to sum to exactly 1.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from typing import NamedTuple

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Tree, TreeError
from referee.text import quoted

MOST_DEPTH = 200  # moves in a row in a file; a deeper tree is refused
NUMBER = re.compile(r"[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)", re.ASCII)
MOST_DIGITS = 1000  # longer numbers are refused before they fill the memory
MOST_EXPONENT = 1000
MOST_NUMBER = 10**9  # the highest number of a player, set or outcome
TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<sign>[{},])|(?P<word>[^\s"{},]+)|(?P<open>")|(?P<end>\Z))""", re.DOTALL
)


class Token(NamedTuple):
    """A piece of a file. kind: text (without its quotation marks), sign, word or end. start: its offset in the file."""

    kind: str
    value: str
    start: int


class Described(NamedTuple):
    """What a file says of an information set, or of the possibilities of a node of chance."""

    label: str
    actions: tuple[str, ...]
    probabilities: tuple[Number, ...]


def read_efg(text: str) -> Tree:
    """Read a game.

    Raises:
      TreeError: what is wrong, with its line and column; or, if `Tree` refuses the game, with its node.
    """
    return _Reader(text).tree()


class _Reader:
    """Reads one file from front to back."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.token = self.next_token()
        self.players: tuple[str, ...] = ()
        self.sets: dict[tuple[int, int], Described] = {}
        self.labels: set[SetKey] = set()
        self.outcomes: dict[int, tuple[Number, ...]] = {}

    def tree(self) -> Tree:
        start = self.token.start
        if [self.take("word", "EFG 2 R at the start of the file") for _ in range(3)] != ["EFG", "2", "R"]:
            raise self.error("this is not a game that starts with EFG 2 R", start)
        title = self.take("text", "a title in quotation marks")
        self.players = tuple(self.texts("the name of a player"))
        if not self.players:
            raise self.error("a game takes one player or more")
        self.outcomes[0] = (0,) * len(self.players)
        if self.token.kind == "text":
            self.take("text", "a comment")
        root = self.node((0,) * len(self.players))
        if self.token.kind != "end":
            raise self.error("the tree is complete, but the file goes on")
        return Tree(root, self.players, title)

    def node(self, payoffs: tuple[Number, ...], depth: int = 0) -> Node:
        """A node and all below it; `payoffs` are those given on the way to it."""
        start = self.token.start
        kind = self.take("word", "a node: c, p or t")
        if kind not in ("c", "p", "t"):
            raise self.error(f"expected a node, c, p or t, not {quoted(kind)}", start)
        name = self.take("text", "the name of a node in quotation marks")
        player = 0
        if kind == "p":
            start = self.token.start
            player = self.whole("the number of a player")
            if not 1 <= player <= len(self.players):
                raise self.error(f"player {player}: players are 1..{len(self.players)}", start)
        label, actions, probabilities = Described("", (), ()) if kind == "t" else self.described(player)
        payoffs = tuple(sofar + more for sofar, more in zip(payoffs, self.outcome(), strict=True))
        if kind == "t":
            return Leaf(payoffs, name)
        if depth == MOST_DEPTH:
            raise self.error(f"the tree is more than {MOST_DEPTH} moves deep")
        children = tuple(self.node(payoffs, depth + 1) for _ in actions)
        shown = actions if any(actions) else ()
        if kind == "c":
            return Chance(children, probabilities, shown, name)
        return Decision(player - 1, label, children, shown, name)

    def described(self, player: int) -> Described:
        """Label and actions of an information set; of chance, which is player 0 here, with their probabilities."""
        start = self.token.start
        number = self.whole("the number of an information set")
        known = self.sets.get((player, number))
        if self.token.kind == "word":
            if known is None:
                raise self.error(f"information set {number} is not described where it first appears", start)
            return known
        label = self.take("text", "the name of an information set, or an outcome")
        actions, probabilities = [], []
        self.sign("{")
        while self.token.kind == "text":
            actions.append(self.take("text", "the name of an action"))
            if player == 0:
                probabilities.append(self.number("a probability"))
        self.sign("}")
        if not actions:
            raise self.error("a node takes one action or more", start)
        found = Described(label, tuple(actions), tuple(probabilities))
        if known is not None:
            if known[1:] != found[1:]:
                raise self.error(f"information set {number} was described otherwise before", start)
            return known
        if player:
            label = label or str(number)
            while (player, label) in self.labels:  # names may occur twice in the file; numbers tell them apart
                label = f"{label}#{number}"
            self.labels.add((player, label))
        self.sets[player, number] = found._replace(label=label)
        return self.sets[player, number]

    def outcome(self) -> tuple[Number, ...]:
        """Payoffs of an outcome: none for number 0; described where it first appears."""
        start = self.token.start
        number = self.whole("the number of an outcome")
        known = self.outcomes.get(number)
        if self.token.kind == "text":
            self.take("text", "the name of an outcome")
        if (self.token.kind, self.token.value) != ("sign", "{"):
            if known is None:
                raise self.error(f"outcome {number} is not described where it first appears", start)
            return known
        self.sign("{")
        payoffs = []
        while self.token.kind == "word":
            payoffs.append(self.number("a payoff"))
            if (self.token.kind, self.token.value) == ("sign", ","):
                self.sign(",")
        self.sign("}")
        if len(payoffs) != len(self.players):
            raise self.error(f"outcome {number} has {len(payoffs)} payoffs for {len(self.players)} players", start)
        if self.outcomes.setdefault(number, tuple(payoffs)) != tuple(payoffs):
            raise self.error(f"outcome {number} was described otherwise before", start)
        return self.outcomes[number]

    def texts(self, what: str) -> Iterator[str]:
        self.sign("{")
        while self.token.kind == "text":
            yield self.take("text", what)
        self.sign("}")

    def whole(self, what: str) -> int:
        start = self.token.start
        word = self.take("word", what)
        if not (word.isascii() and word.isdigit() and len(word) < 12 and int(word) <= MOST_NUMBER):
            raise self.error(f"expected {what}, not {quoted(word)}", start)
        return int(word)

    def number(self, what: str) -> Number:
        start = self.token.start
        word = self.take("word", what)
        try:
            return number_of(word)
        except ValueError as error:
            raise self.error(f"expected {what}: {error}", start) from None

    def sign(self, sign: str) -> None:
        if (self.token.kind, self.token.value) != ("sign", sign):
            raise self.error(f"expected {sign}, not {self.shown()}")
        self.token = self.next_token()

    def take(self, kind: str, what: str) -> str:
        """Takes the next token, which must be of this kind."""
        if self.token.kind != kind:
            raise self.error(f"expected {what}, not {self.shown()}")
        value = self.token.value
        self.token = self.next_token()
        return value

    def shown(self) -> str:
        return "the end of the file" if self.token.kind == "end" else quoted(self.token.value)

    def next_token(self) -> Token:
        match = TOKEN.match(self.text, self.position)
        if match is None or match.lastgroup is None or match.lastgroup == "open":
            start = self.position if match is None else match.start("open")
            raise self.error("a quotation mark is not closed", start)
        self.position = match.end()
        kind, value = match.lastgroup, match[match.lastgroup]
        return Token(kind, value[1:-1].replace('\\"', '"') if kind == "text" else value, match.start(kind))

    def error(self, message: str, start: int | None = None) -> TreeError:
        start = self.token.start if start is None else start
        line = self.text.count("\n", 0, start) + 1
        column = start - self.text.rfind("\n", 0, start)
        return TreeError(f"line {line}, column {column}: {message}")


def write_efg(tree: Tree) -> str:
    """A game as a file, one node a line.

    Raises:
      TreeError: the tree is too deep for a file, or a name cannot be written; see the head of this file.
    """
    check_depth(tree)
    sets_of = [count(1) for _ in tree.players]
    numbers = {key: next(sets_of[key[0]]) for key in tree.information_sets}
    players = " ".join(_quoted(player) for player in tree.players)
    lines = [f"EFG 2 R {_quoted(tree.title)} {{ {players} }}", '""', ""]
    leaves = chances = 0
    for node in tree.nodes():
        name = _quoted(node.name)
        if isinstance(node, Leaf):
            leaves += 1
            payoffs = ", ".join(text_of(payoff) for payoff in node.payoffs)
            lines.append(f't {name} {leaves} "" {{ {payoffs} }}')
            continue
        actions = [_quoted(action) for action in node.actions or ("",) * len(node.children)]
        if isinstance(node, Chance):
            chances += 1
            pairs = zip(actions, _summing_to_1(node.probabilities), strict=True)
            lines.append(f'c {name} {chances} "" {{ {" ".join(f"{action} {p}" for action, p in pairs)} }} 0')
        else:
            label = _quoted(node.information_set)
            number = f"{node.player + 1} {numbers[node.key]}"
            lines.append(f"p {name} {number} {label} {{ {' '.join(actions)} }} 0")
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    if re.search(r'\\(?=["\\]|\Z)', text):
        raise TreeError(f"name {quoted(text)}: .efg takes no backslash before a quotation mark, a backslash or the end")
    return '"' + text.replace('"', '\\"') + '"'


def _summing_to_1(probabilities: tuple[Number, ...]) -> list[Fraction]:
    exact = [Fraction(probability) for probability in probabilities]
    return [probability / sum(exact) for probability in exact]


def check_depth(tree: Tree) -> None:
    """Raises TreeError unless a tree's file can be read back."""
    if tree.depth > MOST_DEPTH:
        raise TreeError(f"the tree is {tree.depth} moves deep, and a file holds at most {MOST_DEPTH}")


def number_of(text: str) -> int | Fraction:
    """An integer where the number is written as one, else a Fraction, 0.1 as 1/10; raises ValueError for others."""
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
