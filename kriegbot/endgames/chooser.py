"""The next try against a bare king, and a search that leaves bare kings to it.

Deepens by one move of ours at a time, until the time or the budget of sets is spent or the mate found is certain to be
the soonest.
"""

import time
from dataclasses import dataclass

import chess
import numpy as np

from kriegbot.endgames.delayed_information import delayed_tables_for
from kriegbot.endgames.king_squares import BareKing, men_row, turned, turned_move
from kriegbot.endgames.leaf import Network, load_network
from kriegbot.endgames.mating import DRAW, MARGIN, MOST_VISITS, Room, cost_of_tries, list_ordered, note_visit
from kriegbot.kernels import TABLES, RealArray, decode_move, subseed, uniforms
from kriegbot.report import Report
from kriegbot.search.policy import Policy, Search
from referee import View
from referee.pieces import Men

DEEPEST = 12
FIRST_RATE = 1_000_000  # sets a second that a search is taken to look at, before it is known


@dataclass(frozen=True, slots=True)
class Chosen:
    """A try against a bare king, what it is expected to cost in moves to mate, and how much was looked at to find it.

    depth: moves of ours looked ahead. sets: sets of squares.
    """

    move: chess.Move
    cost: float
    depth: int
    sets: int


class Mating:
    """Chooses tries against a bare king through one game, and remembers the sets that it has been in."""

    def __init__(self, seed: int = 0, network: RealArray | None = None) -> None:
        """Begin a game; the seed chooses among tries that are as good, `network` replaces that of `leaf`."""
        self.network = Network.of(load_network() if network is None else network)
        self.seed, self.tries, self.visits = seed, 0, np.zeros(MOST_VISITS + 1, np.uint64)

    def best_try(
        self, king: BareKing, seconds: float = 0.2, nodes: int | None = None, *, stalemate_wins: bool = False
    ) -> Chosen:
        """The try that brings the king to mate soonest, as far as can be seen.

        Args:
          king: our men and every square on which he may stand, with us to move; after refusals this turn, those left.
          seconds: to think, if `seen_late.build` has made the tables; with two rooks or minor pieces, up to 20 more if
            not.
          nodes: sets to look at instead, for games that a seed repeats on any machine.
          stalemate_wins: whether a stalemated king has lost, as under some rule sets.

        Raises:
          ValueError: no try of ours can be legal.
        """
        begun = time.perf_counter()
        row, squares = men_row(king.color, king.men), turned(king.squares, king.color)
        self.tries += 1
        note_visit(row, squares, self.visits)
        stalemate, tables = 1.0 if stalemate_wins else DRAW, delayed_tables_for(row)
        minors = needs_minors(king.men) * (2 if chess.KNIGHT in king.men.values() else 1)
        room = Room.empty(tables, self.network, self.visits, stalemate, minors)
        count = list_ordered(TABLES, row, squares, room)
        if count == 0:
            raise ValueError(f"no try can be legal: {dict(king.men)} against a king on {king.squares:#x}")
        tries, costs, depth = room.moves[:count].copy(), room.costs[:count].copy(), 1
        best = tries[costs <= costs[0] + MARGIN]
        for ahead in range(2, DEEPEST + 1):
            passed = time.perf_counter() - begun
            rate = FIRST_RATE if ahead == 2 else room.spent[0] / passed
            room.spent[1] = room.spent[0] + int(rate * max(seconds - passed, 0.0)) if nodes is None else nodes
            known = cost_of_tries(TABLES, row, squares, tries, ahead, room)
            if known == 0:
                break
            costs, depth = room.costs[:known].copy(), ahead
            best = tries[:known][costs <= costs.min() + MARGIN]
            order = np.argsort(costs, kind="stable")
            tries[:known] = tries[:known][order]
            if known < count or costs.min() <= ahead:
                break
        drawn = uniforms(subseed(self.seed, self.tries), 1)[0]
        move = decode_move(int(best[int(drawn * len(best))]))
        return Chosen(turned_move(move, king.color), float(costs.min()), depth, int(room.spent[0]))


def needs_minors(men: Men) -> bool:
    """Whether minor pieces alone have to mate."""
    return not {chess.QUEEN, chess.ROOK, chess.PAWN} & set(men.values())


class Finishing:
    """A search that brings games home: asks another one while the opponent has more than his king.

    Where there is no time limit, it looks at `nodes` sets of squares for each try.
    """

    def __init__(self, search: Search, seed: int = 0, nodes: int = 100_000) -> None:
        self.search, self.nodes = search, nodes
        self._mating = Mating(seed)
        self._king: BareKing | None = None

    def update(self, view: View, seconds: float | None = None) -> None:
        """Take in what is new in a view; a bare king stays bare, so the other search then hears no more."""
        self._king = BareKing.of(view)
        if self._king is None:
            self.search.update(view, seconds)

    def policy(self, view: View, seconds: float | None) -> Policy:
        """The try that mates a bare king soonest, as far as is seen; else what the other search says."""
        if self._king is None:
            return self.search.policy(view, seconds)
        nodes = self.nodes if seconds is None else None
        wins = view.rules.stalemate_loses
        chosen = self._mating.best_try(self._king, seconds or 0.0, nodes, stalemate_wins=wins)
        squares = chess.popcount(self._king.squares)
        why = f"bare king on {squares} square{'s' * (squares != 1)}; mate expected in {chosen.cost:.0f}"
        return Policy([chosen.move], np.ones(1), np.full(1, np.nan), Report(depth=2 * chosen.depth - 1, why=why))
