"""Monte Carlo tree search over tries and the referee's messages, without boards.

After Ciancarini and Favini, "Monte Carlo tree search in Kriegspiel" (Artificial Intelligence, 2010): a tree of our
tries and of the referee's messages about them and about the opponent's hidden replies. A simulation descends by UCT,
draws each message by its probability (`message_odds`), and stops after two turns of ours with a count of material.
Values are averages over the messages.

Departs from it: the average uses the known probabilities, not the frequencies of draws. A refusal costs nothing and
leads to the next try of the node. A simulation stops after pending recaptures. A node opens its tries one by one, best
guess first. The player recaptures without search, as other programs do. `kriegbot.players.scripted` mates bare kings.
"""

from __future__ import annotations

import math
import random

import chess

from densities import Metaposition, recapture
from kriegbot import Choice, Option
from kriegbot.players.scripted import Hunter
from message_odds import Odds
from referee import Check, View
from referee.announcement import NO_CHECK
from referee.pieces import PIECE_VALUES, Men, is_pawn_capture, moved, open_tries, squares_of

SIMULATIONS = 100
FURTHER = 4
"""Divisor of the simulations after a refusal."""
TURNS = 2
"""Depth of a simulation, in turns of ours."""
EXPLORES = 0.3
"""UCT's bonus for rare tries, in pawns."""
NOISE = 0.02
"""Size of the random term, in pawns."""
MOST = 0.5
"""Maximum value of the right to move, in pawns."""
RARE = 0.01
"""Least probability of a message."""


class MctsPlayer:
    """Player of one game; the seed draws the messages."""

    options = (Option("simulations", int, "simulations for a turn's first try", SIMULATIONS, 1, 1_000_000),)

    def __init__(self, seed: int, simulations: int = SIMULATIONS) -> None:
        self._rng = random.Random(seed)
        self._simulations = simulations
        self._hunter = Hunter()
        self._metaposition: Metaposition | None = None
        self._tree: Tree | None = None

    def choose(self, view: View) -> Choice:
        """Choose the open try with the highest value."""
        if self._metaposition is None:
            self._metaposition = Metaposition(view)
        self._metaposition.update(view)
        king = self._hunter.hunts(view)
        if king is not None:
            return Choice(max(view.tries(), key=lambda move: king.rate(move) + NOISE * self._rng.random()))
        taking = recapture(view)
        if taking is not None:
            return Choice(taking)
        tree = self._tree if self._tree is not None and self._tree.ply == view.ply else None
        if tree is not None and view.refused and is_pawn_capture(view.refused[-1], view.men):
            tree.keep(view.tries())  # this refusal, the most frequent one, tells of one square only
        else:
            simulations = self._simulations if tree is None else self._simulations // FURTHER
            tree = self._tree = Tree(view, Odds(view, self._metaposition), self._rng)
            for _ in range(simulations):
                tree.simulate()
        return Choice(tree.best())


class Outcome:
    """The messages between two turns of ours, and the next node once a simulation drew them."""

    __slots__ = ("gained", "is_check", "node", "odds", "taken", "value")

    def __init__(self, odds: float, gained: float, taken: chess.Square | None, is_check: bool, value: float) -> None:
        self.odds, self.gained, self.taken, self.is_check, self.value = odds, gained, taken, is_check, value
        self.node: Node | None = None


class Try:
    """A try at a node: probability of being legal, outcomes if it is, and their mean value."""

    __slots__ = ("legal", "men", "move", "outcomes", "value", "visits")

    def __init__(self, move: chess.Move, legal: float, men: Men, outcomes: list[Outcome]) -> None:
        self.move, self.legal, self.men, self.outcomes, self.visits = move, legal, men, outcomes, 0
        self.weigh()

    def weigh(self) -> None:
        """Average over the outcomes."""
        self.value = sum(one.odds * one.value for one in self.outcomes)


class Node:
    """A turn of ours, as far as the messages reveal it."""

    __slots__ = ("checks", "gained", "hot", "men", "opened", "prize", "stands", "unopened", "visits")

    def __init__(self, men: Men, gained: float, hot: chess.Square | None, prize: float, checks: Check | None) -> None:
        self.men, self.gained, self.hot, self.prize, self.checks = men, gained, hot, prize, checks
        self.stands, self.visits = 0.0, 0
        self.opened: list[Try] = []
        self.unopened: list[chess.Move] | None = None

    def value(self) -> float:
        """Return the value of trying the best first, and the next after each refusal."""
        total, left = 0.0, 1.0
        for one in sorted(self.opened, key=lambda one: -one.value):
            if one.value <= self.stands or left < RARE:
                break
            total += left * one.legal * one.value
            left *= 1.0 - one.legal
        return total + left * self.stands


class Tree:
    """The tree of one turn, which began at ply `ply`."""

    def __init__(self, view: View, odds: Odds, rng: random.Random) -> None:
        self.ply = view.ply
        self._color, self._odds, self._rng = view.color, odds, rng
        hot = odds.last.capture
        self.root = Node(view.men, 0.0, hot, odds.prize[hot] if hot is not None else 0.0, odds.last.checks)
        self.root.stands = odds.value(view.men)[0]
        self._turn = 0.0
        for move in view.tries():
            self._open(self.root, move)
        self._guess = {one.move: one.value for one in self.root.opened}
        # so far no further turn counts; a turn is worth the gain of the best try
        self._turn = min(MOST, self.root.value() - self.root.stands)
        for one in self.root.opened:
            for outcome in one.outcomes:
                outcome.value += self._turn
            one.weigh()

    def simulate(self) -> None:
        """Run one simulation."""
        self._descend(self.root, TURNS)

    def keep(self, tries: list[chess.Move]) -> None:
        """Drop the tries of the root that are no longer open."""
        still = set(tries)
        self.root.opened = [one for one in self.root.opened if one.move in still]

    def best(self) -> chess.Move:
        """Return the try with the highest value if it is legal: refusals cost nothing."""
        return max(self.root.opened, key=lambda one: one.value + NOISE * self._rng.random()).move

    def _descend(self, node: Node, turns: int) -> None:
        node.visits += 1
        if node.unopened is None and node is not self.root:
            node.unopened = self._sorted(node)
        if node.unopened and (turns == 1 or len(node.opened) ** 2 <= node.visits):
            self._open(node, node.unopened.pop())
            if turns == 1:
                return
        if turns == 1:
            return
        one = self._legal_try(node)
        if one is None:
            return
        one.visits += 1
        (outcome,) = self._rng.choices(one.outcomes, [outcome.odds for outcome in one.outcomes])
        if outcome.node is None:
            outcome.node = self._after(one, outcome)
        self._descend(outcome.node, turns - 1)
        outcome.value = outcome.node.value()
        one.weigh()

    def _legal_try(self, node: Node) -> Try | None:
        """Return the try that UCT prefers; after a refusal the next."""
        spread = EXPLORES * math.sqrt(math.log(node.visits + 1))
        ranked = sorted(node.opened, key=lambda one: -one.value - spread / math.sqrt(one.visits + 1))
        return next((one for one in ranked if self._rng.random() < one.legal), None)

    def _after(self, one: Try, outcome: Outcome) -> Node:
        """Return our next turn after an outcome."""
        men, prize = one.men, 0.0
        if outcome.taken is not None:
            men = {square: piece for square, piece in men.items() if square != outcome.taken}
            prize = self._odds.capturer(one.men[outcome.taken], outcome.taken)
        node = Node(men, outcome.gained, outcome.taken, prize, None if outcome.is_check else NO_CHECK)
        node.stands = outcome.value - self._turn
        return node

    def _sorted(self, node: Node) -> list[chess.Move]:
        """Return the tries of a node, best guess last: recaptures, then by their value at the root."""

        def guess(move: chess.Move) -> float:
            if move.to_square == node.hot:
                return 1000.0 - PIECE_VALUES[node.men[move.from_square]]
            return self._guess.get(move, worst)

        worst = min(self._guess.values())
        return sorted(open_tries(self._color, node.men, False, False), key=guess)

    def _open(self, node: Node, move: chess.Move) -> None:
        """Add a try to a node, with its outcomes up to our next turn."""
        odds, target = self._odds, move.to_square
        men = moved(node.men, move)
        worth, held = odds.value(men)
        captures = odds.captures(node.men, move, node.hot)
        prize = node.prize if target == node.hot else odds.prize[target]
        checks = min(1.0, odds.checks(men[target], target, squares_of(men)))
        outcomes: list[Outcome] = []
        for took, how_often in ((False, 1.0 - captures), (True, captures)):
            gained = node.gained + (prize if took else 0.0)
            for is_check, share in ((False, 1.0 - checks), (True, checks)):
                if how_often * share < RARE:
                    continue
                for reply, taken, checked, cost in odds.replies(men, held, target, took=took, checks=is_check):
                    value = worth + gained - cost + self._turn
                    outcomes.append(Outcome(how_often * share * reply, gained, taken, checked, value))
        total = sum(one.odds for one in outcomes)
        for one in outcomes:
            one.odds /= total
        node.opened.append(Try(move, odds.legal(node.men, move, node.hot, node.checks), men, outcomes))
