"""Game trees in files: what is written is read again, what is damaged is refused at its place."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kriegbot.trees import formats
from kriegbot.trees.formats import MOST_DEPTH, load, read_efg, read_json, save, write_efg, write_json
from kriegbot.trees.tree import MOST_DIGITS, Chance, Decision, Leaf, Node, Tree, TreeError, number_of
from tests.game_trees import bins_game_with_a_coin, g2, matching_pennies, random_tree


def as_values(tree: Tree) -> object:
    """All that is in a tree, as values that compare."""

    def values(node: Node) -> object:
        if isinstance(node, Leaf):
            return node.name, [(type(payoff), payoff) for payoff in node.payoffs]
        children = [values(child) for child in node.children]
        if isinstance(node, Chance):
            return node.name, node.actions, [(type(p), p) for p in node.probabilities], children
        return node.name, node.actions, node.key, children

    return tree.title, tree.players, values(tree.root)


def chain(depth: int) -> Tree:
    node: Node = Leaf((1,))
    for level in range(depth):
        node = Decision(0, str(level), (node,))
    return Tree(node)


TREES = [
    g2(),
    bins_game_with_a_coin(),
    matching_pennies(),
    random_tree(1, 3, 6),
    random_tree(2, 2, 6, perfect_recall=False),
    chain(MOST_DEPTH),
    Tree(Leaf((1, Fraction(-1, 3)), 'an "end"'), ("a \\b", "Jürgen"), "'quoted' \"title\" {}, \n"),
]


@pytest.mark.parametrize("ending", [".json", ".efg"])
@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.title[:12] or "random")
def test_what_is_saved_is_loaded_again(tree: Tree, ending: str, tmp_path: Path) -> None:
    save(tree, tmp_path / f"tree{ending}")
    assert as_values(load(tmp_path / f"tree{ending}")) == as_values(tree)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.fractions(), min_size=1))
def test_json_keeps_the_kinds_of_numbers_and_efg_their_values(payoffs: list[float | int | Fraction]) -> None:
    tree = Tree(Leaf(tuple(payoffs)), tuple(str(player) for player in range(len(payoffs))))
    assert as_values(read_json(write_json(tree))) == as_values(tree)
    again = read_efg(write_efg(tree)).root
    assert isinstance(again, Leaf)
    assert [float(payoff) for payoff in again.payoffs] == [float(payoff) for payoff in payoffs]


@given(st.text(), st.text(), st.text())
def test_any_name_goes_through_json_and_through_efg_or_is_refused(title: str, action: str, label: str) -> None:
    tree = Tree(Decision(0, label or "-", (Leaf((0,)),), (action,) if action else (), title), title=title)
    try:
        text = write_json(tree).encode()
    except UnicodeEncodeError:  # half a surrogate pair is no text
        return
    assert as_values(read_json(text.decode())) == as_values(tree)
    if any("\\\\" in name or '\\"' in name or name.endswith("\\") for name in (title, action, label)):
        with pytest.raises(TreeError, match="backslash"):
            write_efg(tree)
    else:
        assert as_values(read_efg(write_efg(tree))) == as_values(tree)


def test_a_move_of_chance_with_probability_0_is_left_out_of_an_efg_tree() -> None:
    text = 'EFG 2 R "" { "a" "b" } c "" 1 "" { "x" 0 "y" 1 } 0 t "" 1 "" { 1, 2 } t "" 2 "" { 3, 4 }'
    root = read_efg(text).root
    assert isinstance(root, Chance)
    assert (root.probabilities, root.actions) == ((1,), ("y",))


def test_probabilities_that_are_floats_sum_to_one_in_efg() -> None:
    thirds = Tree(Chance((Leaf((0,)), Leaf((1,)), Leaf((2,))), (1 / 3,) * 3))
    assert 'c "" 1 "" { "" 1/3 "" 1/3 "" 1/3 } 0' in write_efg(thirds)


SAMPLE = """EFG 2 R "Sample" { "one" "two" }
"a comment"

c "deal" 1 "(0,1)" { "low" .25 "high" 75e-2 } 1 "fee" { -1 0 }
p "" 1 7 "" { "in" "out" } 0
p "" 2 3 "x" { "" "" } 2 "pot" { 1/2, -1/2 }
t "" 3 "won" { 2, -2 }
t "end" 0
t "" 3
p "" 1 7 0
p "" 2 4 "x" { "" "" } 2
t "" 3 "won" { 2 -2 }
t "" 0
t "" 3
"""


def test_gambits_liberties_are_understood() -> None:
    """Payoffs on the way add up; sets and outcomes are described once; names may be empty or occur twice."""
    tree = read_efg(SAMPLE)
    assert isinstance(tree.root, Chance)
    assert tree.root.probabilities == (Fraction(1, 4), Fraction(3, 4))
    leaves = [node for node in tree.nodes() if isinstance(node, Leaf)]
    won, ended = (Fraction(3, 2), Fraction(-5, 2)), (Fraction(-1, 2), Fraction(-1, 2))
    assert [leaf.payoffs for leaf in leaves] == [won, ended, (1, -2)] * 2
    assert {key: len(nodes) for key, nodes in tree.information_sets.items()} == {
        (0, "7"): 2,
        (1, "x"): 1,
        (1, "x#4"): 1,
    }
    nodes = tree.information_sets[1, "x"]
    assert (leaves[1].name, nodes[0].actions, tree.root.name) == ("end", (), "deal")
    assert as_values(read_efg(SAMPLE.replace("\n", " "))) == as_values(tree)


HEAD = 'EFG 2 R "" { "one" }\n'
BAD_EFG = [
    ("", "line 1, column 1: expected EFG 2 R at the start of the file, not the end of the file"),
    ("NFG 1 R", "line 1, column 1: this is not a game that starts with EFG 2 R"),
    ("EFG 2 D", "line 1, column 1: this is not a game that starts with EFG 2 R"),
    ("EFG 2 R Title", "line 1, column 9: expected a title in quotation marks, not 'Title'"),
    ('EFG 2 R ""\n"one"', "line 2, column 1: expected {, not 'one'"),
    ('EFG 2 R "" { }', "a game takes one player or more"),
    (HEAD, "line 2, column 1: expected a node: c, p or t, not the end of the file"),
    (HEAD + 't "', "line 2, column 3: a quotation mark is not closed"),
    (HEAD + 'x "" 0', "line 2, column 1: expected a node, c, p or t, not 'x'"),
    (HEAD + 't "" one', "line 2, column 6: expected the number of an outcome, not 'one'"),
    (HEAD + 't "" 1', "line 2, column 6: outcome 1 is not described where it first appears"),
    (HEAD + 't "" 1 "" { 1, 2 }', "line 2, column 6: outcome 1 has 2 payoffs for 1 players"),
    (HEAD + 't "" 1 "" { 1/0 }', "line 2, column 13: expected a payoff: number '1/0' divides by 0"),
    (HEAD + 't "" 1 "" { inf }', "expected a payoff: 'inf' is not a number"),
    (HEAD + 't "" 1 "" { 1e99999999 }', "has an exponent beyond 1000"),
    (HEAD + 't "" 1 "" { ' + "9" * 5000 + " }", "of at most 1000 digits"),
    (HEAD + 't "" 0\nt "" 0', "line 3, column 1: the tree is complete, but the file goes on"),
    (HEAD + 'p "" 2 1 "" { "a" } 0', "line 2, column 6: player 2: players are 1..1"),
    (HEAD + 'p "" 1 1 0', "line 2, column 8: information set 1 is not described where it first appears"),
    (HEAD + 'p "" 1 1 "" { } 0', "line 2, column 8: a node takes one action or more"),
    (HEAD + 'p "" 1 1 "" { "a" 0', "line 2, column 19: expected }, not '0'"),
    (HEAD + 'p "" 1 1 "" { "a" } 0', "line 2, column 22: expected a node: c, p or t, not the end of the file"),
    (
        HEAD + 'p "" 1 1 "" { "a" } 0\np "" 1 1 "" { "b" } 0',
        "line 3, column 8: information set 1 was described otherwise",
    ),
    (
        HEAD + 'p "" 1 1 "" { "a" } 0\np "" 1 1 0 t "" 0',
        "node root/a: one of its ancestors is in its own information set",
    ),
    (HEAD + 'c "" 1 "" { "a" 1/2 } 0 t "" 0', "node root: probabilities sum to 1/2, not to 1"),
    (HEAD + 'c "" 1 "" { "a" } 0', "line 2, column 17: expected a probability, not '}'"),
    (HEAD + 'p "" 99999999999999999999 1', "expected the number of a player"),
    (HEAD + 'p "" 1 1 "" { "a" } 0\n' * 10**5, f"line 203, column 1: the tree is more than {MOST_DEPTH} moves deep"),
]


@pytest.mark.parametrize(("text", "message"), BAD_EFG, ids=[message[:60] for _, message in BAD_EFG])
def test_a_damaged_efg_is_refused_at_its_place(text: str, message: str) -> None:
    with pytest.raises(TreeError) as refused:
        read_efg(text)
    assert message in str(refused.value)


def tree_text(root: object, **fields: object) -> str:
    return json.dumps({"kriegbot_tree": 1, "players": ["one"], "root": root, **fields})


CHILD = {"payoffs": [0]}
BAD_JSON = [
    ("", "line 1, column 1: Expecting value"),
    ('{"kriegbot_tree": 1,\n "root": }', "line 2, column 10: Expecting value"),
    ("[]", "this is no game tree: it takes an object with 'kriegbot_tree': 1"),
    ('{"kriegbot_tree": 2}', "this is no game tree"),
    ('{"kriegbot_tree": 1}', "Object missing required field `players`"),
    (tree_text(CHILD, titel="x"), "Object contains unknown field `titel`"),
    (tree_text(CHILD, title=3), "Expected `str`, got `int` - at `$.title`"),
    (tree_text(CHILD, players="one"), "Expected `array`, got `str` - at `$.players`"),
    (tree_text(3), "Expected `object`, got `int` - at `$.root`"),
    (
        tree_text({}),
        "a node takes payoffs (a leaf), probabilities and children (chance), or player, ",
    ),
    (tree_text({"payoffs": [0], "player": "one"}), "(a decision) - at `$.root`"),
    (tree_text({"payoffs": [True]}), "Expected `int | float | str`, got `bool` - at `$.root.payoffs[0]`"),
    (tree_text({"payoffs": ["1/0"]}), "node root: payoffs: number '1/0' divides by 0"),
    (tree_text({"payoffs": 0}), "got `int` - at `$.root.payoffs`"),
    (tree_text({"payoffs": [0], "nam": ""}), "Object contains unknown field `nam` - at `$.root`"),
    ('{"kriegbot_tree": 1, "players": ["one"], "root": {"payoffs": [NaN]}}', "NaN is not a finite number"),
    ('{"kriegbot_tree": 1, "players": ["one"], "root": {"payoffs": [1e999]}}', "payoff inf is not a finite number"),
    ('{"a": 1, "a": 2}', "field 'a' occurs twice in one object"),
    ("9" * 5000, "of at most 1000 digits"),
    (
        tree_text({"player": "two", "information_set": "s", "children": [CHILD]}),
        "node root: player 'two': players are one",
    ),
    (tree_text({"player": "one", "children": []}), "(a decision) - at `$.root`"),
    (
        tree_text({"probabilities": [1], "actions": ["heads"], "children": [{"payofs": [0]}]}),
        "Object contains unknown field `payofs` - at `$.root.children[0]`",
    ),
    (
        tree_text({"probabilities": ["1/2"], "children": [CHILD]}),
        "node root: probabilities sum to 1/2, not to 1",
    ),
    ('{"children": [' * 100_000, f"the tree is more than {MOST_DEPTH} moves deep"),
    (
        tree_text(None).replace("null", '{"probabilities": [1], "children": [' * 201 + json.dumps(CHILD) + "]}" * 201),
        f"the tree is 201 moves deep, and a file holds at most {MOST_DEPTH}",
    ),
    ("[" * 10**6, "moves deep"),
]


@pytest.mark.parametrize(("text", "message"), BAD_JSON, ids=[message[:60] for _, message in BAD_JSON])
def test_a_damaged_json_is_refused_at_its_place_or_node(text: str, message: str) -> None:
    with pytest.raises(TreeError) as refused:
        read_json(text)
    assert message in str(refused.value)


WRITTEN: dict[Callable[[str], Tree], str] = {read_json: write_json(g2()), read_efg: write_efg(bins_game_with_a_coin())}


@pytest.mark.parametrize("read", WRITTEN)
@given(data=st.data())
def test_damage_anywhere_is_a_tree_error_or_a_tree(read: Callable[[str], Tree], data: st.DataObject) -> None:
    text = WRITTEN[read]
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    put = data.draw(st.text(alphabet='{}[]",\\ 0123456789/.e-cptEFGR\n', max_size=4))
    with suppress(TreeError):
        assert isinstance(read(text[:start] + put + text[end:]), Tree)


def test_a_tree_too_deep_for_a_file_is_not_written() -> None:
    for write in (write_json, write_efg):
        with pytest.raises(TreeError, match=f"{MOST_DEPTH + 1} moves deep, and a file holds at most {MOST_DEPTH}"):
            write(chain(MOST_DEPTH + 1))


def test_a_tree_too_deep_for_a_file_is_not_read() -> None:
    deepest, move = write_efg(chain(MOST_DEPTH)), f'p "" 1 1 "{MOST_DEPTH - 1}" {{ "" }} 0\n'
    assert deepest.count(move) == 1
    with pytest.raises(TreeError, match=f"the tree is more than {MOST_DEPTH} moves deep"):
        read_efg(deepest.replace(move, move * 2))


def test_files_that_cannot_be_read_are_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusal(path: Path) -> str:
        with pytest.raises(TreeError) as refused:
            load(path)
        return str(refused.value).removeprefix(f"{path}: ")

    monkeypatch.chdir(tmp_path)  # messages shorten long paths
    assert refusal(Path("tree.txt")) == "a file of a tree ends with .json or .efg"
    assert refusal(Path("none.efg")) == "cannot be read (No such file or directory)"
    assert "irectory" in refusal(Path("/dev/null/x.efg"))
    folder = Path("folder.json")
    folder.mkdir()
    assert refusal(folder) == "cannot be read (Is a directory)"
    binary = Path("binary.efg")
    binary.write_bytes(b"EFG\xff\x00")
    assert refusal(binary) == "byte 3 is not UTF-8 text"
    binary.write_text(HEAD, encoding="utf-8")
    assert refusal(binary).startswith("line 2, column 1: expected a node")
    monkeypatch.setattr(formats, "MOST_BYTES", 10)
    assert refusal(binary) == "more than 10 bytes"


NINES = "9" * MOST_DIGITS


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", 3),
        ("-3", -3),
        ("+1/3", Fraction(1, 3)),
        (".5", Fraction(1, 2)),
        ("1.", 1),
        ("1e2", 100),
        (NINES, int(NINES)),
    ],
)
def test_numbers_are_read_exactly(text: str, number: Fraction | int) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    "text", ["", "x", "1/", "1//2", "1e", "- 1", "0x10", "1_000", "\uff11", "nan", "1/2/3", f"{NINES}9"]
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number"):
        number_of(text)
