"""Monte Carlo tree search over tries and the referee's messages, without boards.

After Ciancarini and Favini, "Monte Carlo tree search in Kriegspiel" (Artificial Intelligence, 2010): a tree of our own
tries and of what the referee says to them and to the opponent's hidden replies. A simulation goes down by UCT, draws
each message by its probability (`message_odds`), and stops after two turns of ours, where our men are valued
against the men that the opponent has lost. Values are averages weighted by the probabilities of the messages.
Departures: since these are known, they weigh the average, not how often a message was drawn; a refusal costs nothing
and leads to the next try of the same node; what may be retaken counts as retaken where a simulation stops; a node opens
its tries one after another, best guess first. What has been taken is retaken without any search, as programs elsewhere
do. Bare kings are left to `kriegbot.players.lone_king`.
"""

from __future__ import annotations

import math
import random

import chess

from densities import Metaposition, recapture
from kriegbot import Choice, Option
from kriegbot.players.lone_king import Hunter
from message_odds import Odds
from referee import Check, View
from referee.announcement import NO_CHECK
from referee.pieces import PIECE_VALUES, Men, is_pawn_capture, moved, open_tries, squares_of

SIMULATIONS = 100
FURTHER = 4
"""A try after a refusal gets so many times fewer."""
TURNS = 2
"""So many turns of ours deep is a simulation."""
EXPLORES = 0.3
"""How much UCT prefers a try that was followed seldom, in pawns."""
NOISE = 0.02
"""How much luck is added to a value, so that games differ, in pawns."""
MOST = 0.5
"""The most that the right to move is taken to be worth, in pawns."""
RARE = 0.01
"""Messages less probable than this are left out."""


class MctsPlayer:
    """Plays one game; the seed draws the messages."""

    options = (Option("simulations", int, "simulations for a turn's first try", SIMULATIONS, 1, 1_000_000),)

    def __init__(self, seed: int, simulations: int = SIMULATIONS) -> None:
        self._rng = random.Random(seed)
        self._simulations = simulations
        self._hunter = Hunter()
        self._metaposition: Metaposition | None = None
        self._tree: Tree | None = None

    def choose(self, view: View) -> Choice:
        """Answers a view with the open try that the simulations value most."""
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
    """What is heard between one turn of ours and the next, with what we know then; `node` once it was drawn."""

    __slots__ = ("gained", "is_check", "node", "odds", "taken", "value")

    def __init__(self, odds: float, gained: float, taken: chess.Square | None, is_check: bool, value: float) -> None:
        self.odds, self.gained, self.taken, self.is_check, self.value = odds, gained, taken, is_check, value
        self.node: Node | None = None


class Try:
    """A try at a node: how probably it is legal, what may be heard if it is, and its value then."""

    __slots__ = ("legal", "men", "move", "outcomes", "value", "visits")

    def __init__(self, move: chess.Move, legal: float, men: Men, outcomes: list[Outcome]) -> None:
        self.move, self.legal, self.men, self.outcomes, self.visits = move, legal, men, outcomes, 0
        self.weigh()

    def weigh(self) -> None:
        """The average over what may be heard."""
        self.value = sum(one.odds * one.value for one in self.outcomes)


class Node:
    """A turn of ours, as it is known from the messages alone."""

    __slots__ = ("checks", "gained", "hot", "men", "opened", "prize", "stands", "unopened", "visits")

    def __init__(self, men: Men, gained: float, hot: chess.Square | None, prize: float, checks: Check | None) -> None:
        self.men, self.gained, self.hot, self.prize, self.checks = men, gained, hot, prize, checks
        self.stands, self.visits = 0.0, 0
        self.opened: list[Try] = []
        self.unopened: list[chess.Move] | None = None

    def value(self) -> float:
        """The value of trying the best first and then, as long as tries are refused, the next."""
        total, left = 0.0, 1.0
        for one in sorted(self.opened, key=lambda one: -one.value):
            if one.value <= self.stands or left < RARE:
                break
            total += left * one.legal * one.value
            left *= 1.0 - one.legal
        return total + left * self.stands


class Tree:
    """The tree of one turn.

    Attributes:
      root: this turn of ours.
      ply: which turn it is.
    """

    def __init__(self, view: View, odds: Odds, rng: random.Random) -> None:
        self.ply = view.ply
        self._color, self._odds, self._rng = view.color, odds, rng
        hot = odds.heard.capture
        self.root = Node(view.men, 0.0, hot, odds.prize[hot] if hot is not None else 0.0, odds.heard.checks)
        self.root.stands = odds.value(view.men)[0]
        self._turn = 0.0
        for move in view.tries():
            self._open(self.root, move)
        self._guess = {one.move: one.value for one in self.root.opened}
        # until now no turn that follows was counted; a turn is worth what the best try gains
        self._turn = min(MOST, self.root.value() - self.root.stands)
        for one in self.root.opened:
            for outcome in one.outcomes:
                outcome.value += self._turn
            one.weigh()

    def simulate(self) -> None:
        """One simulation from the root."""
        self._descend(self.root, TURNS)

    def keep(self, tries: list[chess.Move]) -> None:
        """The referee has refused a try at the root; these are still open."""
        still = set(tries)
        self.root.opened = [one for one in self.root.opened if one.move in still]

    def best(self) -> chess.Move:
        """The try that has the greatest value if it is legal: refusals cost nothing."""
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
        """The try that UCT prefers; if the referee refuses it, the next."""
        spread = EXPLORES * math.sqrt(math.log(node.visits + 1))
        ranked = sorted(node.opened, key=lambda one: -one.value - spread / math.sqrt(one.visits + 1))
        return next((one for one in ranked if self._rng.random() < one.legal), None)

    def _after(self, one: Try, outcome: Outcome) -> Node:
        """Our next turn after these messages."""
        men, prize = one.men, 0.0
        if outcome.taken is not None:
            men = {square: man for square, man in men.items() if square != outcome.taken}
            prize = self._odds.taker(one.men[outcome.taken], outcome.taken)
        node = Node(men, outcome.gained, outcome.taken, prize, None if outcome.is_check else NO_CHECK)
        node.stands = outcome.value - self._turn
        return node

    def _sorted(self, node: Node) -> list[chess.Move]:
        """The tries of a node, best guess last: first those that retake, then as they were good before."""

        def guess(move: chess.Move) -> float:
            if move.to_square == node.hot:
                return 1000.0 - PIECE_VALUES[node.men[move.from_square]]
            return self._guess.get(move, worst)

        worst = min(self._guess.values())
        return sorted(open_tries(self._color, node.men, False, False), key=guess)

    def _open(self, node: Node, move: chess.Move) -> None:
        """Adds a try to a node, valued by what may be heard until our next turn."""
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
