"""Pictures of trees: well-formed, everything in them, nothing on top of another."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from kriegbot.trees.draw import MOST_NODES, lay_out, svg
from kriegbot.trees.imp_minimax import imp_minimax
from kriegbot.trees.tree import Chance, Decision, Leaf, Strategy, Tree, TreeError
from tests.game_trees import bins_game_with_a_coin, g1, g2, matching_pennies, random_tree

NAMESPACE = "{http://www.w3.org/2000/svg}"


def drawn(tree: Tree, strategy: Strategy | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(svg(tree, strategy))


def texts(picture: ElementTree.Element) -> list[str]:
    return [part for text in picture.iter(f"{NAMESPACE}text") for part in text.itertext()]


def dashed(picture: ElementTree.Element) -> list[ElementTree.Element]:
    return [path for path in picture.iter(f"{NAMESPACE}path") if "stroke-dasharray" in path.attrib]


def test_a_picture_shows_names_payoffs_probabilities_and_information_sets() -> None:
    shown = Counter(texts(drawn(bins_game_with_a_coin())))
    assert {
        "Game 2",
        "\u25cf Max",
        "\u25cf Min",
        "pick",
        "A",
        "B",
        "C",
        "A, heads",
        "heads",
        "tails",
        "1/2",
    } <= shown.keys()
    assert (shown["1/2"], shown["-3"], shown["pick"]) == (6, 2, 1)


def test_nodes_of_one_set_are_joined_by_a_dashed_line() -> None:
    assert [len(dashed(drawn(tree))) for tree in (g1(), g2())] == [0, 1]
    (line,) = dashed(drawn(matching_pennies()))
    places = lay_out(matching_pennies()).places
    ends = sorted(place for node, place in places.items() if isinstance(node, Decision) and node.player == 1)
    x, y, *_, to_x, to_y = [float(number) for number in re.findall(r"[\d.]+", line.attrib["d"])]
    assert [(x, y), (to_x, to_y)] == [pytest.approx(end, abs=0.1) for end in ends]


def test_chosen_alternatives_are_thick_at_every_node_of_their_set() -> None:
    tree = g2()
    chosen = imp_minimax(tree).strategy
    for strategy, thick in (({}, 0), (chosen, 4), ({(0, "C or D"): 1}, 2)):
        lines = [line.attrib["stroke-width"] for line in drawn(tree, strategy).iter(f"{NAMESPACE}line")]
        assert Counter(lines) == Counter({"4": thick, "1.2": 10 - thick})


@pytest.mark.parametrize("seed", range(30))
def test_no_two_nodes_of_a_level_stand_in_one_place_and_all_are_in_the_picture(seed: int) -> None:
    tree = random_tree(seed, 3, 5)
    layout = lay_out(tree)
    assert len(set(layout.places.values())) == len(layout.places) == sum(1 for _ in tree.nodes())
    assert all(0 < x < layout.width and 0 < y < layout.height for x, y in layout.places.values())
    for node, (x, y) in layout.places.items():
        if not isinstance(node, Leaf):
            children = [layout.places[child] for child in node.children]
            assert children == sorted(children)
            assert all(below > y for _, below in children)
            assert children[0][0] <= x <= children[-1][0]


def test_names_from_elsewhere_are_made_harmless() -> None:
    tree = Tree(Decision(0, "<script>&\x1b\n", (Leaf((1,)),), ('"><',)), ("<b>",), "a & b\x00")
    shown = texts(drawn(tree))
    assert {"a & b?", "\u25cf <b>", "<script>&?", '"><'} <= set(shown)


def test_long_names_are_cut_and_long_numbers_rounded() -> None:
    root = Chance((Leaf((1 / 3,)), Leaf((10**30,))), (0.25, 0.75), ("x" * 100, ""))
    shown = texts(drawn(Tree(root)))
    assert {"0.3333", "1e+30", "x" * 15 + "..."} <= set(shown)


def test_a_tree_that_nobody_could_look_at_is_refused() -> None:
    children = tuple(Leaf((0,)) for _ in range(MOST_NODES))
    with pytest.raises(TreeError, match=f"at most {MOST_NODES} nodes"):
        svg(Tree(Decision(0, "s", children)))
