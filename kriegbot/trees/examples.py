"""Small game trees with known answers: from the founding papers and a lecture, and a game to play.

[B93] Blair, Mutchler and Liu, "Games with Imperfect Information"; [V93] van Lent and Mutchler, "A Pruning Algorithm for
Imperfect Information Games"; both AAAI Fall Symposium 1993. [CS] Stanford CS221, "Games I".
"""

from __future__ import annotations

from fractions import Fraction

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Tree

HALF = (Fraction(1, 2), Fraction(1, 2))
MAX_AND_MIN = ("Max", "Min")
BINS = {"A": (-50, 50), "B": (1, 3), "C": (-5, 15)}
"""[CS]: the bins of the first two games, and the numbers in each."""


def g1() -> Tree:
    """[B93] G1: quit for nothing or go on, twice; worth 1, since the player knows where it is."""
    return _coins("G1", ("A", "B"), ("C", "D"))


def g2() -> Tree:
    """[B93] G2: the player forgets whether it came by A or B. Worth 1/2, but V is 1, and its strategy worth -99/2."""
    return _coins("G2", ("A", "B"), ("C or D", "C or D"))


def g2_with_perfect_recall() -> Tree:
    """[B93] G2 for a player that never knew whether it is at A or at B: worth 0."""
    return _coins("G2 with perfect recall", ("A or B", "A or B"), ("C or D", "C or D"))


def _coins(title: str, first: tuple[str, str], second: tuple[str, str]) -> Tree:
    """Chance, the information sets that A and B are in, and those that C and D are in."""

    def half(letters: str, first: str, second: str, payoffs: tuple[int, int]) -> Node:
        leaves = tuple(Leaf((payoff,)) for payoff in payoffs)
        last = Decision(0, second, leaves, ("left", "right"), name=letters[1])
        return Decision(0, first, (Leaf((0,)), last), ("quit", "go on"), name=letters[0])

    children = (half("AC", first[0], second[0], (-100, 1)), half("BD", first[1], second[1], (1, -100)))
    return Tree(Chance(children, HALF), title=title)


def pruning_example() -> Tree:
    """[V93] Example 1, U = 10: (9 + 7) / 2 on the left; on the right (2 + 10) / 2 at most, after one leaf."""
    nodes = ((9, 2), (7, 10))
    children = tuple(
        Decision(0, "x", tuple(Leaf((payoff,)) for payoff in payoffs), ("left", "right")) for payoffs in nodes
    )
    return Tree(Chance(children, HALF), title="Example 1")


def matching_pennies() -> Tree:
    """Heads or tails: Max wins 1 where both agree. No pair of pure strategies is an equilibrium."""

    def second(wins: tuple[int, int]) -> Decision:
        return Decision(1, "unseen", tuple(Leaf((win, -win)) for win in wins), ("heads", "tails"))

    root = Decision(0, "first", (second((1, -1)), second((-1, 1))), ("heads", "tails"))
    return Tree(root, MAX_AND_MIN, "Matching pennies")


def bins_game() -> Tree:
    """[CS] game 1: Max picks a bin, Min a number from it, which Max wins."""
    children = tuple(_bin(name, name) for name in BINS)
    return Tree(Decision(0, "pick", children, tuple(BINS)), MAX_AND_MIN, "Game 1")


def bins_game_with_a_coin() -> Tree:
    """[CS] game 2: as the first, but on heads the bin to the left of the picked one is taken, C for A."""
    names = list(BINS)
    coins = tuple(
        Chance((_bin(left, f"{name}, heads"), _bin(name, f"{name}, tails")), HALF, ("heads", "tails"))
        for left, name in zip([names[-1], *names], names, strict=False)
    )
    return Tree(Decision(0, "pick", coins, tuple(names)), MAX_AND_MIN, "Game 2")


def _bin(name: str, label: str) -> Decision:
    numbers = BINS[name]
    return Decision(1, label, tuple(Leaf((n, -n)) for n in numbers), tuple(str(n) for n in numbers))


def halving_game(n: int) -> Tree:
    """[CS] The players take turns to decrement a number or halve it, rounding down; whoever is left with 0 wins 1.

    Information sets are named by the numbers so far, such as "5-4-2". `strategy.play` plays it by given strategies.

    Args:
      n: the number to begin with, >= 0; the tree has 119 nodes for 10 and 2,919 for 30.

    Raises:
      ValueError: n is below 0.
    """
    if n < 0:
        raise ValueError(f"a halving game from {n}: it takes 0 or more")

    def node(number: int, player: int, so_far: str) -> Node:
        if number == 0:
            return Leaf((1, -1) if player == 0 else (-1, 1))
        children = (node(after, 1 - player, f"{so_far}-{after}") for after in (number - 1, number // 2))
        return Decision(player, so_far, tuple(children), ("decrement", "halve"))

    return Tree(node(n, 0, str(n)), MAX_AND_MIN, f"Halving game from {n}")
