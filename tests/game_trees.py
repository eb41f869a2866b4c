"""Game trees with known answers: examples from papers and a lecture, IMP-model, formulas as games, and random ones.

IMP-model is the family on which van Lent and Mutchler, "A Pruning Algorithm for Imperfect Information Games" (AAAI
Fall Symposium 1993), measure IMP-alpha-beta. The game of a formula is the reduction behind Theorem 1 of Blair, Mutchler
and Liu, "Games with Imperfect Information" (the same symposium): to find the best strategy of one player without
perfect recall is NP-hard. The examples cite [B93] Blair, Mutchler and Liu; [V93] van Lent and Mutchler; [CS] Stanford
CS221, "Games I".
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, Strategy, Tree, action_name
from tournaments.leaves_examined import HIGHEST

Clause: TypeAlias = tuple[int, int, int]
"""Three literals: v for the variable number v >= 1, -v for its negation."""
Choices: TypeAlias = tuple[tuple[str, int], ...]
"""Information sets that a player has been in, and what it chose there."""
WORDS = 1 << 64


def imp_model(k: int, b: int, d: int, payoff: Callable[[int], Number]) -> Tree:
    """IMP-model(k, b, d): a chance root over k^(d-1) nodes of one set; below each alternative a set splits in k.

    A node is given by the alternatives on the way to it and by how the sets were split. Leaves lie at depth d, each as
    a part of its own; there are (kb)^(d-1).

    Args:
      k: into how many sets of equal size the nodes below an alternative of a set split, >= 1.
      b: alternatives of each set, >= 1.
      d: depth of the leaves below the root, >= 2.
      payoff: of each leaf by its number, whose digits are, for each choice from the root, the alternative (base b) and
        the part (base k) that it led to.
    """
    return _splitting(k, b, d - 1, d - 1, payoff, f"IMP-model({k}, {b}, {d})")


def doubling_tree(depth: int) -> Tree:
    """Return the tree of the size table of Blair, Mutchler and Liu, as in its figures; payoffs are 0.

    The figures are those of a chance root over 2^(depth-2) complete binary trees whose roots are one information set,
    where the nodes below an alternative of a set split in two: all sets of the last choice are of one node.
    """
    if depth < 2:
        raise ValueError(f"a tree of depth {depth}: the table begins with 2")
    return _splitting(2, 2, depth - 1, depth - 2, lambda _: 0, f"sizes at depth {depth}")


def _splitting(k: int, b: int, choices: int, splits: int, payoff: Callable[[int], Number], title: str) -> Tree:
    """Return a chance root over k^splits nodes, `choices` below each; sets split after the first `splits` of them."""

    def node(origin: int, place: int, depth: int) -> Node:
        """Return the node below the `origin`-th child of the root, after `depth` choices, in the set number `place`."""
        if depth == choices:
            return Leaf((payoff(place),))
        part = origin // k ** (splits - 1 - depth) % k if depth < splits else 0
        parts = k if depth < splits else 1
        children = (node(origin, (place * b + j) * parts + part, depth + 1) for j in range(b))
        return Decision(0, f"{depth}:{place}", tuple(children))

    count = k**splits
    root = Chance(tuple(node(origin, 0, 0) for origin in range(count)), (Fraction(1, count),) * count)
    return Tree(root, title=title)


def uniform_payoff(seed: int) -> Callable[[int], int]:
    """Payoffs of the leaves of an IMP-model, 0..HIGHEST with equal probabilities, a function of seed and number alone.

    SplitMix64, as in `kriegbot.kernels.random`.
    """

    def payoff(leaf: int) -> int:
        state = (seed + leaf * 0x9E3779B97F4A7C15) % WORDS
        state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % WORDS
        state = (state ^ (state >> 27)) * 0x94D049BB133111EB % WORDS
        return (state ^ (state >> 31)) % (HIGHEST + 1)

    return payoff


def formula_game(clauses: Sequence[Clause]) -> Tree:
    """Return the game of a 3-SAT formula: a strategy worth 1 is an assignment that satisfies it, and there is no other.

    Chance picks a clause, the player one of its literals, to make it true; then the player, who has forgotten the
    clause, says whether the variable is true. It wins 1 if this makes the literal true.

    Args:
      clauses: one or more, of three literals each, equally likely.

    Raises:
      ValueError: there is no clause, or one without exactly three literals.
    """
    if not clauses or any(len(clause) != 3 or 0 in clause for clause in clauses):
        raise ValueError("a formula takes one clause or more, of three literals each, and 0 is none")

    def variable(literal: int) -> Decision:
        leaves = (Leaf((int(literal > 0),)), Leaf((int(literal < 0),)))
        return Decision(0, f"x{abs(literal)}", leaves, ("true", "false"))

    def clause_node(number: int, clause: Clause) -> Decision:
        actions = tuple(f"{'' if literal > 0 else '-'}x{abs(literal)}" for literal in clause)
        return Decision(0, f"clause {number}", tuple(variable(literal) for literal in clause), actions)

    nodes = tuple(clause_node(number, clause) for number, clause in enumerate(clauses, 1))
    return Tree(Chance(nodes, (Fraction(1, len(nodes)),) * len(nodes)), title=f"formula of {len(nodes)} clauses")


def random_tree(seed: int, players: int = 1, depth: int = 4, *, perfect_recall: bool = True) -> Tree:
    """Return a random tree of 1 to 3 children a node, with payoffs 0..10; for two players zero-sum.

    Args:
      seed: the same seed gives the same tree.
      players: 1 or more.
      depth: the deepest that a leaf may be, >= 1; the root is a move of chance.
      perfect_recall: whether information sets join only nodes that their player reaches by the same choices of its own;
        if not, they join any nodes that a tree allows in one set, and the tree may or may not have perfect recall.
    """
    return _RandomTree(random.Random(seed), players, perfect_recall).tree(depth)


class _RandomTree:
    """Nodes drawn from the root down; own: sets and choices of each player on the way to a node."""

    def __init__(self, draw: random.Random, players: int, perfect_recall: bool) -> None:
        self.draw, self.players, self.perfect_recall = draw, players, perfect_recall
        self.labels: dict[object, list[str]] = {}  # of sets that a node may be put in, by what such nodes share
        self.sets = 0

    def tree(self, depth: int) -> Tree:
        names = tuple(f"player {number + 1}" for number in range(self.players))
        return Tree(self.chance(depth, ((),) * self.players), names)

    def node(self, left: int, own: tuple[Choices, ...]) -> Node:
        """Return a node with `levels` left below it."""
        if left == 0 or self.draw.random() < 0.15:
            return self.leaf()
        return self.chance(left, own) if self.draw.random() < 0.25 else self.decision(left, own)

    def leaf(self) -> Leaf:
        payoffs = [self.draw.randint(0, HIGHEST) for _ in range(self.players)]
        return Leaf((payoffs[0], -payoffs[0]) if self.players == 2 else tuple(payoffs))

    def chance(self, left: int, own: tuple[Choices, ...]) -> Chance:
        weights = [self.draw.randint(1, 3) for _ in range(self.draw.choice((2, 2, 3)))]
        children = tuple(self.node(left - 1, own) for _ in weights)
        return Chance(children, tuple(Fraction(weight, sum(weights)) for weight in weights))

    def decision(self, left: int, own: tuple[Choices, ...]) -> Decision:
        player, count = self.draw.randrange(self.players), self.draw.choice((1, 2, 2, 2, 2, 3))
        known = self.labels.setdefault((player, own[player] if self.perfect_recall else None, count), [])
        free = [label for label in known if label not in dict(own[player])]
        if free and self.draw.random() < 0.75:
            label = self.draw.choice(free)
        else:
            self.sets += 1
            label = str(self.sets)
            known.append(label)
        children = []
        for j in range(count):
            after = (*own[:player], (*own[player], (label, j)), *own[player + 1 :])
            children.append(self.node(left - 1, after))
        return Decision(player, label, tuple(children))


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


def has_perfect_information(tree: Tree) -> bool:
    """Return True if every information set is one node."""
    return all(len(nodes) == 1 for nodes in tree.information_sets.values())


def play(tree: Tree, strategy: Strategy) -> tuple[tuple[str, ...], tuple[Number, ...]]:
    """Return the actions and final payoffs when all play as `strategy` says, in a game without chance."""
    node, actions = tree.root, []
    while not isinstance(node, Leaf):
        assert isinstance(node, Decision)
        choice = strategy[node.key]
        actions.append(action_name(node, choice))
        node = node.children[choice]
    return tuple(actions), node.payoffs
