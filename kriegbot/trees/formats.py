"""Files of game trees: .json, and Gambit's extensive games, .efg.

JSON has the fields of the classes in `tree.py`; docs/trees.md shows an example. Integers and floats are JSON numbers, a
Fraction is a string such as "1/3".

Gambit's format `EFG 2 R`: https://gambitproject.readthedocs.io/en/stable/formats.efg.html. Nodes are in preorder.
Players, information sets and outcomes have numbers from 1 and are described where they first appear. A payoff at an
inner node adds to the payoffs below it. Numbers are exact: 0.1 is 1/10.

Writing Gambit's format scales probabilities to fractions that sum to exactly 1; float payoffs are read as fractions.
"""

import json
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, SetKey, Tree, TreeError, number_of
from referee.text import MOST_QUOTED, one_line, quoted, read_text

MOST_BYTES = 100_000_000  # of a file
MOST_DEPTH = 200  # moves in a row in a file
MOST_NUMBER = 10**9  # highest number of a player, set or outcome
MARK = "kriegbot_tree"  # field of a tree in JSON: the version of the format, 1
TOKEN = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<sign>[{},])|(?P<word>[^\s"{},]+)|(?P<open>")|(?P<end>\Z))""", re.DOTALL
)


class JsonNode(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A node in JSON: a leaf has payoffs, a node of chance probabilities, a decision a player."""

    name: str = ""
    payoffs: list[int | float | str] | None = None
    probabilities: list[int | float | str] | None = None
    player: str | None = None
    information_set: str | None = None
    actions: tuple[str, ...] = ()
    children: "list[JsonNode] | None" = None

    def __post_init__(self) -> None:
        fields = {name for name in self.__struct_fields__[1:] if getattr(self, name) not in (None, ())}
        kinds = {"payoffs"}, {"probabilities", "children"}, {"player", "information_set", "children"}
        if fields not in kinds and fields - {"actions"} not in kinds[1:]:
            takes = "probabilities and children (chance), or player, information_set and children (a decision)"
            raise ValueError(f"a node takes payoffs (a leaf), {takes}")


class JsonTree(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A tree in JSON."""

    players: tuple[str, ...]
    root: JsonNode
    kriegbot_tree: Literal[1]
    title: str = ""


def read_json(text: str) -> Tree:
    """Read a tree; raise TreeError with the line and column if the text is not JSON, or with what is wrong in the tree.

    >>> read_json('{"kriegbot_tree": 1, "players": ["Max"], "root": {"payoffs": ["1/3"]}}').root
    Leaf(payoffs=(Fraction(1, 3),), name='')
    """
    try:
        data = json.loads(text, parse_int=number_of, parse_constant=_refuse, object_pairs_hook=_without_repetition)
        if not isinstance(data, dict) or data.get(MARK) != 1:
            raise TreeError(f"this is no game tree: it takes an object with {MARK!r}: 1")
        file = msgspec.convert(data, JsonTree)
        tree = Tree(_node(file.root, file.players, "root"), file.players, file.title)
    except RecursionError:
        raise TreeError(f"the tree is more than {MOST_DEPTH} moves deep") from None
    except json.JSONDecodeError as error:
        raise TreeError(f"line {error.lineno}, column {error.colno}: {error.msg}") from None
    except (ValueError, msgspec.ValidationError) as error:
        raise TreeError(one_line(str(error))) from None
    check_depth(tree)
    return tree


def write_json(tree: Tree) -> str:
    """Return a tree as JSON; raise TreeError if it is too deep."""
    check_depth(tree)
    root = msgspec.to_builtins(_json_node(tree.root, tree.players))
    data = {MARK: 1, "title": tree.title, "players": tree.players, "root": root}
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _json_node(node: Node, players: tuple[str, ...]) -> JsonNode:
    if isinstance(node, Leaf):
        return JsonNode(node.name, payoffs=_plain(node.payoffs))
    children = [_json_node(child, players) for child in node.children]
    if isinstance(node, Chance):
        return JsonNode(node.name, probabilities=_plain(node.probabilities), actions=node.actions, children=children)
    player, label = players[node.player], node.information_set
    return JsonNode(node.name, player=player, information_set=label, actions=node.actions, children=children)


def _node(data: JsonNode, players: tuple[str, ...], path: str) -> Node:
    """Return a node and all below it; `path` names it in messages."""
    path = data.name or path
    if data.payoffs is not None:
        return Leaf(_numbers(data.payoffs, f"node {path}: payoffs"), data.name)
    names = [*data.actions, *map(str, range(len(data.actions), len(data.children or ())))]
    pairs = zip(data.children or (), names, strict=False)
    children = tuple(_node(child, players, f"{path}/{name}") for child, name in pairs)
    if data.probabilities is not None:
        return Chance(children, _numbers(data.probabilities, f"node {path}: probabilities"), data.actions, data.name)
    if data.player not in players:
        raise TreeError(f"node {path}: player {quoted(data.player)}: players are {', '.join(players)}")
    return Decision(players.index(data.player), data.information_set or "", children, data.actions, data.name)


def _plain(numbers: tuple[Number, ...]) -> list[int | float | str]:
    return [str(number) if isinstance(number, Fraction) else number for number in numbers]


def _numbers(values: list[int | float | str], place: str) -> tuple[Number, ...]:
    try:
        return tuple(Fraction(number_of(value)) if isinstance(value, str) else value for value in values)
    except ValueError as error:
        raise TreeError(f"{place}: {error}") from None


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"field {quoted(name)} occurs twice in one object")
    return dict(pairs)


def _refuse(text: str) -> Number:
    raise ValueError(f"{text} is not a finite number")


class Description(NamedTuple):
    """Label and actions of an information set; or the actions of a node of chance, with their probabilities."""

    label: str
    actions: tuple[str, ...]
    probabilities: tuple[Number, ...]


def read_efg(text: str) -> Tree:
    """Read a game of Gambit; raise TreeError with the line and column, or with the node if `Tree` refuses it."""
    return _EfgParser(text).tree()


class _EfgParser:
    """Parser of one file of Gambit, by recursive descent."""

    def __init__(self, text: str) -> None:
        self.text, self.end = text, 0
        self.advance()
        self.players: tuple[str, ...] = ()
        self.sets: dict[tuple[int, int], Description] = {}
        self.labels: set[SetKey] = set()
        self.outcomes: dict[int, tuple[Number, ...]] = {}

    def tree(self) -> Tree:
        start = self.start
        if [self.take("word", "EFG 2 R at the start of the file") for _ in range(3)] != ["EFG", "2", "R"]:
            raise self.error("this is not a game that starts with EFG 2 R", start)
        title = self.take("text", "a title in quotation marks")
        self.take("sign", "{")
        while self.kind == "text":
            self.players += (self.take("text", "the name of a player"),)
        self.take("sign", "}")
        if not self.players:
            raise self.error("a game takes one player or more")
        self.outcomes[0] = (0,) * len(self.players)
        if self.kind == "text":
            self.take("text", "a comment")
        root = self.node((0,) * len(self.players))
        if self.kind != "end":
            raise self.error("the tree is complete, but the file goes on")
        return Tree(root, self.players, title)

    def node(self, payoffs: tuple[Number, ...], depth: int = 0) -> Node:
        """Parse a node and all below it; `payoffs` is the sum on the way to it."""
        start = self.start
        kind = self.take("word", "a node: c, p or t")
        if kind not in ("c", "p", "t"):
            raise self.error(f"expected a node, c, p or t, not {quoted(kind)}", start)
        name = self.take("text", "the name of a node in quotation marks")
        start = self.start
        player = self.whole("the number of a player") if kind == "p" else 0
        if kind == "p" and not 1 <= player <= len(self.players):
            raise self.error(f"player {player}: players are 1..{len(self.players)}", start)
        label, actions, probabilities = Description("", (), ()) if kind == "t" else self.described(player)
        payoffs = tuple(sofar + more for sofar, more in zip(payoffs, self.outcome(), strict=True))
        if kind == "t":
            return Leaf(payoffs, name)
        if depth == MOST_DEPTH:
            raise self.error(f"the tree is more than {MOST_DEPTH} moves deep")
        children = tuple(self.node(payoffs, depth + 1) for _ in actions)
        if kind == "c":  # Gambit allows a move of probability 0; our trees leave it out
            possible = [part for part in zip(actions, probabilities, children, strict=True) if part[1] != 0]
            if possible:
                actions, probabilities, children = zip(*possible, strict=True)
        shown = actions if any(actions) else ()
        if kind == "c":
            return Chance(children, probabilities, shown, name)
        return Decision(player - 1, label, children, shown, name)

    def described(self, player: int) -> Description:
        """Parse an information set, or, for player 0, the actions of a node of chance."""
        start = self.start
        number = self.whole("the number of an information set")
        known = self.sets.get((player, number))
        if self.kind == "word":
            if known is None:
                raise self.error(f"information set {number} is not described where it first appears", start)
            return known
        label = self.take("text", "the name of an information set, or an outcome")
        actions, probabilities = [], []
        self.take("sign", "{")
        while self.kind == "text":
            actions.append(self.take("text", "the name of an action"))
            if player == 0:
                probabilities.append(self.number("a probability"))
        self.take("sign", "}")
        if not actions:
            raise self.error("a node takes one action or more", start)
        description = Description(label, tuple(actions), tuple(probabilities))
        if known is not None:
            if known[1:] != description[1:]:
                raise self.error(f"information set {number} was described otherwise before", start)
            return known
        if player:
            label = label or str(number)
            while (player, label) in self.labels:  # names may occur twice in the file
                label = f"{label}#{number}"
            self.labels.add((player, label))
        self.sets[player, number] = description._replace(label=label)
        return self.sets[player, number]

    def outcome(self) -> tuple[Number, ...]:
        """Parse an outcome; number 0 pays nothing."""
        start = self.start
        number = self.whole("the number of an outcome")
        known = self.outcomes.get(number)
        if self.kind == "text":
            self.take("text", "the name of an outcome")
        if (self.kind, self.value) != ("sign", "{"):
            if known is None:
                raise self.error(f"outcome {number} is not described where it first appears", start)
            return known
        self.take("sign", "{")
        payoffs = []
        while self.kind == "word":
            payoffs.append(self.number("a payoff"))
            if (self.kind, self.value) == ("sign", ","):
                self.advance()
        self.take("sign", "}")
        if len(payoffs) != len(self.players):
            raise self.error(f"outcome {number} has {len(payoffs)} payoffs for {len(self.players)} players", start)
        if self.outcomes.setdefault(number, tuple(payoffs)) != tuple(payoffs):
            raise self.error(f"outcome {number} was described otherwise before", start)
        return self.outcomes[number]

    def whole(self, expected: str) -> int:
        start = self.start
        word = self.take("word", expected)
        if not (word.isascii() and word.isdigit() and len(word) < 12 and int(word) <= MOST_NUMBER):
            raise self.error(f"expected {expected}, not {quoted(word)}", start)
        return int(word)

    def number(self, expected: str) -> Number:
        start = self.start
        word = self.take("word", expected)
        try:
            return number_of(word)
        except ValueError as error:
            raise self.error(f"expected {expected}: {error}", start) from None

    def take(self, kind: str, expected: str) -> str:
        """Return the next token and move on. It must be of this kind, and a sign must be the expected one."""
        value = self.value
        if self.kind != kind or (kind == "sign" and value != expected):
            found = "the end of the file" if self.kind == "end" else quoted(value)
            raise self.error(f"expected {expected}, not {found}")
        self.advance()
        return value

    def advance(self) -> None:
        """Read a token: its kind (text, sign, word or end), its value (of text, what is quoted) and its offset."""
        match = TOKEN.match(self.text, self.end)
        if match is None or match.lastgroup is None or match.lastgroup == "open":
            raise self.error("a quotation mark is not closed", self.end if match is None else match.start("open"))
        self.kind, self.end, self.start = match.lastgroup, match.end(), match.start(match.lastgroup)
        value = match[self.kind]
        self.value = value[1:-1].replace('\\"', '"') if self.kind == "text" else value

    def error(self, message: str, start: int | None = None) -> TreeError:
        start = self.start if start is None else start
        line = self.text.count("\n", 0, start) + 1
        column = start - self.text.rfind("\n", 0, start)
        return TreeError(f"line {line}, column {column}: {message}")


def write_efg(tree: Tree) -> str:
    """Return a tree in Gambit's format, one node a line; raise TreeError if it is too deep or a name does not fit."""
    check_depth(tree)
    sets_of = [count(1) for _ in tree.players]
    numbers = {key: next(sets_of[key[0]]) for key in tree.information_sets}
    players = " ".join(_quoted(player) for player in tree.players)
    lines = [f"EFG 2 R {_quoted(tree.title)} {{ {players} }}", '""', ""]
    leaves, chances = count(1), count(1)
    for node in tree.nodes():
        name = _quoted(node.name)
        if isinstance(node, Leaf):
            lines.append(f't {name} {next(leaves)} "" {{ {", ".join(map(str, node.payoffs))} }}')
            continue
        actions = [_quoted(action) for action in node.actions or ("",) * len(node.children)]
        if isinstance(node, Chance):
            exact = [Fraction(probability) for probability in node.probabilities]
            pairs = " ".join(f"{action} {p / sum(exact)}" for action, p in zip(actions, exact, strict=True))
            lines.append(f'c {name} {next(chances)} "" {{ {pairs} }} 0')
        else:
            label = _quoted(node.information_set)
            number = f"{node.player + 1} {numbers[node.key]}"
            lines.append(f"p {name} {number} {label} {{ {' '.join(actions)} }} 0")
    return "\n".join([*lines, ""])


def _quoted(text: str) -> str:
    if re.search(r'\\(?=["\\]|\Z)', text):
        raise TreeError(f"name {quoted(text)}: .efg takes no backslash before a quotation mark, a backslash or the end")
    return '"' + text.replace('"', '\\"') + '"'


def check_depth(tree: Tree) -> None:
    """Raise TreeError if a tree is too deep for a file."""
    if tree.depth > MOST_DEPTH:
        raise TreeError(f"the tree is {tree.depth} moves deep, and a file holds at most {MOST_DEPTH}")


FORMATS = {".json": (read_json, write_json), ".efg": (read_efg, write_efg)}


def load(path: str | Path) -> Tree:
    """Read a tree from a file; raise TreeError with the place if it cannot be read or holds no tree."""
    path = Path(path)
    read, _ = _format(path)
    try:
        return read(read_text(path, MOST_BYTES))
    except ValueError as error:
        raise TreeError(f"{one_line(str(path), MOST_QUOTED)}: {error}") from None


def save(tree: Tree, path: str | Path) -> None:
    """Write a tree to a file; raise TreeError if the format cannot hold it, or OSError."""
    path = Path(path)
    _, write = _format(path)
    path.write_text(write(tree), encoding="utf-8")


def _format(path: Path) -> tuple[Callable[[str], Tree], Callable[[Tree], str]]:
    if path.suffix not in FORMATS:
        raise TreeError(f"{one_line(str(path), MOST_QUOTED)}: a file of a tree ends with {' or '.join(FORMATS)}")
    return FORMATS[path.suffix]
