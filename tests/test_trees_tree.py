"""Game trees: what is refused, in which words; perfect recall; trees of any depth and size."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, SetKey, Tree, TreeError
from tests.game_trees import g1, g2, g2_with_perfect_recall, has_perfect_information, random_tree

HALVES = (Fraction(1, 2), Fraction(1, 2))


def leaf(payoff: float = 0) -> Leaf:
    return Leaf((payoff,))


def choice(label: str, *children: Node, player: int = 0, actions: tuple[str, ...] = ()) -> Decision:
    return Decision(player, label, children, actions)


def coin(*children: Node) -> Chance:
    return Chance(children, HALVES, ("heads", "tails"))


SHARED = leaf()
WRONG: list[tuple[Callable[[], Node], str]] = [
    (lambda: coin(leaf(), Chance((leaf(), leaf()), (0.5, 0.4))), "node root/tails: probabilities sum to 0.9, not to 1"),
    (lambda: Chance((leaf(),) * 1, (Fraction(1, 3),)), "node root: probabilities sum to 1/3, not to 1"),
    (lambda: Chance((leaf(), leaf()), (1, 0)), "node root: probability 0 is not a number above 0"),
    (lambda: Chance((leaf(), leaf()), (1.5, -0.5)), "probability -0.5 is not a number above 0"),
    (lambda: Chance((leaf(), leaf()), (float("nan"), 0.5)), "probability nan is not a number above 0"),
    (lambda: Chance((leaf(), leaf()), (1,)), "node root: 1 probabilities for 2 children"),
    (lambda: coin(choice("s"), leaf()), "node root/heads: it has no children"),
    (lambda: choice("s", leaf(), actions=("a", "b")), "node root: 2 names of actions for 1 children"),
    (lambda: choice("s", leaf(), player=1), "node root: player 1: players are 0..0"),
    (lambda: coin(leaf(), Leaf((1, 2))), "node root/tails: 2 payoffs for 1 players"),
    (lambda: coin(leaf(), Leaf((float("inf"),), "jackpot")), "node jackpot: payoff inf is not a finite number"),
    (
        lambda: coin(choice("s", leaf(), leaf()), choice("s", leaf())),
        "node root/tails: it has 1 alternatives, but another node of its information set 's' has 2",
    ),
    (
        lambda: coin(choice("s", leaf(), actions=("a",)), choice("s", leaf(), actions=("b",))),
        "node root/tails: its actions are ('b',), but those of another node of its information set 's' are ('a',)",
    ),
    (
        lambda: choice("s", coin(leaf(), choice("s", leaf()))),
        "node root/0/tails: one of its ancestors is in its own information set 's'",
    ),
    (lambda: coin(SHARED, SHARED), "node root/heads occurs twice: a tree does not share nodes"),
]


@pytest.mark.parametrize(("build", "message"), WRONG, ids=[message[:50] for _, message in WRONG])
def test_a_wrong_tree_is_refused_by_the_name_of_its_node(build: Callable[[], Node], message: str) -> None:
    with pytest.raises(TreeError) as refused:
        Tree(build())
    assert message in str(refused.value)


def test_a_circle_is_no_tree() -> None:
    root = Chance((), (1,))
    root.children = (root,)
    with pytest.raises(TreeError, match="occurs twice"):
        Tree(root)


@pytest.mark.parametrize("players", [(), ("Max", "Max")])
def test_players_have_different_names(players: tuple[str, ...]) -> None:
    with pytest.raises(TreeError, match="one or more, all with different names"):
        Tree(leaf(), players)


def test_a_set_may_come_again_on_another_way_and_a_label_for_another_player() -> None:
    tree = Tree(
        coin(
            Decision(0, "s", (Leaf((1, 2)), Decision(1, "s", (Leaf((0, 0)),)))),
            Decision(0, "s", (Leaf((3, 4)), Leaf((5, 6)))),
        ),
        ("Max", "Min"),
    )
    assert {key: len(nodes) for key, nodes in tree.information_sets.items()} == {(0, "s"): 2, (1, "s"): 1}
    assert not has_perfect_information(tree)


def test_probabilities_that_are_floats_need_not_be_exact_but_fractions_do() -> None:
    Tree(Chance(tuple(leaf() for _ in range(10)), (0.1,) * 10))
    Tree(Chance(tuple(leaf() for _ in range(3)), (Fraction(1, 3),) * 3))
    almost = (Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**30))
    with pytest.raises(TreeError, match="sum to"):
        Tree(Chance((leaf(), leaf()), almost))


def test_the_player_of_g2_forgets_and_the_message_says_what() -> None:
    assert g2().why_not_perfect_recall(0) == (
        "nodes C and D are in one information set 'C or D', but Max chose 'go on' in 'A' before the one and chose "
        "'go on' in 'B' before the other"
    )
    for tree in (g1(), g2_with_perfect_recall()):
        assert tree.has_perfect_recall(0)
    assert has_perfect_information(g1())


def test_forgetting_which_alternative_was_chosen_is_forgetting() -> None:
    tree = Tree(choice("first", choice("second", leaf()), choice("second", leaf())))
    assert not tree.has_perfect_recall(0)
    assert "chose '0' in 'first' before the one and chose '1' in 'first' before the other" in str(
        tree.why_not_perfect_recall(0)
    )


def test_forgetting_that_one_has_chosen_is_forgetting() -> None:
    tree = Tree(coin(choice("s", leaf()), choice("first", choice("s", leaf()))))
    assert "chose nothing before the one and chose '0' in 'first'" in str(tree.why_not_perfect_recall(0))


def test_what_the_other_player_does_need_not_be_remembered() -> None:
    root = Decision(1, "theirs", (Decision(0, "ours", (Leaf((0, 0)),)), Decision(0, "ours", (Leaf((0, 0)),))))
    tree = Tree(root, ("Max", "Min"))
    assert tree.has_perfect_recall(0)
    assert tree.has_perfect_recall(1)


def remembers(tree: Tree, player: int) -> bool:
    """Perfect recall as Blair, Mutchler and Liu say it: S follows R => S lies inside one child of R."""
    inside: dict[Node, set[tuple[SetKey, int]]] = {tree.root: set()}
    for node in tree.nodes():
        if not isinstance(node, Leaf):
            for index, child in enumerate(node.children):
                inside[child] = inside[node] | ({(node.key, index)} if isinstance(node, Decision) else set())
    for key, nodes in tree.information_sets.items():
        follows = {place for node in nodes for place in inside[node] if key[0] == player and place[0][0] == player}
        if any(place not in inside[node] for place in follows for node in nodes):
            return False
    return True


@pytest.mark.slow
def test_perfect_recall_is_decided_as_it_is_defined() -> None:
    answers = []
    for seed in range(300):
        tree = random_tree(seed, 2, 5, perfect_recall=seed % 3 == 0)
        answers += [tree.has_perfect_recall(player) for player in (0, 1)]
        assert answers[-2:] == [remembers(tree, player) for player in (0, 1)]
    assert 20 < answers.count(False) < 580


@pytest.mark.slow
def test_a_tree_may_be_a_hundred_thousand_moves_deep() -> None:
    node: Node = leaf(1)
    for depth in range(100_000):
        node = choice(str(depth), node) if depth % 2 else Chance((node,), (1,))
    tree = Tree(node)
    assert tree.depth == 100_000
    assert sum(1 for _ in tree.nodes()) == 100_001
    assert tree.has_perfect_recall(0)
    assert tree.path(list(tree.nodes())[-1]).startswith("root/.../0/")


def test_nodes_come_in_preorder_and_are_named_by_the_way_to_them() -> None:
    tree = Tree(coin(choice("s", leaf(1), Leaf((2,), "second")), leaf(3)))
    assert [tree.path(node) for node in tree.nodes()] == ["root", "root/heads", "root/heads/0", "second", "root/tails"]
    with pytest.raises(TreeError, match="not in this tree"):
        tree.path(leaf())
