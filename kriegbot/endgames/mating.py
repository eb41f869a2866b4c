"""Mating a bare king: an AND-OR search over sets of king squares, and the player's search that uses it.

After Russell and Wolfe, "Efficient Belief-State AND-OR Search, with Application to Kriegspiel" (IJCAI 2005): our tries
are OR nodes, the referee's answers are AND nodes, and a node is a set of boards. The result differs: not
only whether mate is forced within some moves, but the cost of each try in moves to mate, with `leaf.estimate` at the
horizon. An AND node mixes the mean of its answers and the worst of them, for the lone king may know our pieces. A
refused try costs no move. A set that we have been in before costs more: otherwise low estimates would lead us in
circles. With a network at the horizon (`leaf`) the search is shallow, for the network was fitted one move ahead.
"""

import time
from dataclasses import dataclass
from typing import NamedTuple

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.delayed_information import PIECE_COST, DelayedTables, delayed_tables_for
from kriegbot.endgames.king_sets import (
    DRAWN,
    MAX_OUTCOMES,
    OUR_TURN,
    OUTCOME,
    PIECE_LOST,
    REFUSED,
    STALEMATED,
    KingSet,
    Pieces,
    list_tries,
    outcomes_of,
    pieces_at,
    set_at,
)
from kriegbot.endgames.king_squares import BareKing, pieces_row, turned, turned_move
from kriegbot.endgames.leaf import Network, estimate, network_for
from kriegbot.report import Report
from kriegbot.search.policy import Policy, Search, equal_policy
from referee import View

ALWAYS_REFUSED = 1e9  # cost of a try that every board refuses
HEAVY, MINOR, LEARNT = (300.0, 0.6, 3.0), (300.0, 0.15, 8.0), (120.0, 0.2, 8.0)
"""Cost of a draw in moves, weight of the worst answer beside the mean, and cost of each earlier visit to a set.

With queen, rook or pawn; with minor pieces alone; with a network, which was fitted with the third.
"""
MAX_VISITS = 64  # sets of a game that are remembered
MARGIN = 0.05  # tries within this cost of the cheapest are equally good; the seed chooses
LEVELS = 48  # depth of the recursion, moves and refusals together
ENTRIES = 1 << 16  # of the transposition table
MAX_DEPTH = 12
LEARNT_DEPTH, KNIGHT_DEPTH = 2, 1  # with a network: a deeper search finds the sets that it rates too well
FIRST_RATE = 1_000_000  # sets per second, assumed until the rate is measured


class MateSearch(NamedTuple):
    """State and parameters of a search.

    moves, costs: lists of MAX_MOVES, one per level. outcomes: MAX_OUTCOMES per level. keys, table_costs: transposition
    table of ENTRIES sets; a key includes the depth, and its lowest bit is 1 if the cost is a lower bound. spent: [0]
    sets visited, [1] the limit. visits: [0] number of remembered sets of this game, then their keys.
    draw, worst, repetition: HEAVY, MINOR or LEARNT. stalemate: its cost, that of a draw or 1 if it wins.
    """

    moves: kb.MoveArray
    costs: kb.RealArray
    outcomes: kb.WordArray
    keys: kb.WordArray
    table_costs: kb.RealArray
    spent: kb.IntArray
    tables: DelayedTables
    network: Network
    visits: kb.WordArray
    draw: float
    worst: float
    repetition: float
    stalemate: float

    @classmethod
    def empty(cls, tables: DelayedTables, network: Network, visits: kb.WordArray, *costs: float) -> "MateSearch":
        """Return a new search; `costs` are the last four fields."""
        return cls(
            np.zeros(LEVELS * kb.MAX_MOVES, np.int32),
            np.zeros(LEVELS * kb.MAX_MOVES),
            np.zeros(LEVELS * MAX_OUTCOMES * OUTCOME, np.uint64),
            np.zeros(ENTRIES, np.uint64),
            np.zeros(ENTRIES),
            np.zeros(2, np.int64),
            tables,
            network,
            visits,
            *costs,
        )


@kb.inlined
def key_of(ours: Pieces, squares: kb.Word, depth: int) -> kb.Word:
    """Return a hash of a set and a depth, with lowest bit 0."""
    key = kb.mix64(ours.pawns ^ kb.word(depth))
    key = kb.mix64(key ^ ours.knights)
    key = kb.mix64(key ^ ours.diagonals)
    key = kb.mix64(key ^ ours.orthogonals)
    key = kb.mix64(key ^ ours.king)
    return kb.mix64(key ^ squares) & ~kb.ONE


@kb.kernel
def count_visits(node: KingSet, visits: kb.Words) -> int:
    """Return the number of earlier turns of this game that began with a set."""
    key, times = key_of(node.pieces, node.squares, 0), 0
    for i in range(kb.number(visits[0])):
        if visits[i + 1] == key:
            times += 1
    return times


@kb.inlined
def outcome_cost(search: MateSearch, kind: int) -> float:
    """Return the cost of an outcome, without the cost of the set that it leads to."""
    if kind == DRAWN:
        return search.draw
    if kind == STALEMATED:
        return search.stalemate
    if kind == REFUSED:
        return 0.0
    return 1.0 + PIECE_COST if kind == PIECE_LOST else 1.0


@kb.kernel
def estimate_try(
    tables: kb.Words, ours: Pieces, squares: kb.Word, move: int, level: int, outcomes: kb.Words, search: MateSearch
) -> float:
    """Return the cost of a try with estimated outcomes."""
    count = outcomes_of(tables, ours, squares, move, outcomes)
    if count == 0:
        return ALWAYS_REFUSED
    total, worst = 0.0, 0.0
    boards = float(kb.popcount(squares))
    for i in range(count):
        kind = kb.number(outcomes[OUTCOME * i + 7])
        cost = outcome_cost(search, kind)
        if kind <= PIECE_LOST:
            cost += estimate(tables, search.tables, search.network, set_at(outcomes, i))
        if kind == OUR_TURN and level == 0:
            cost += search.repetition * count_visits(set_at(outcomes, i), search.visits)
        total += cost * float(kb.number(outcomes[OUTCOME * i + 6])) / boards
        worst = max(worst, cost)
    return (1.0 - search.worst) * total + search.worst * worst


@kb.kernel
def order_tries(tables: kb.Words, ours: Pieces, squares: kb.Word, level: int, search: MateSearch) -> int:
    """List the tries that some board accepts, by estimated cost; return their number."""
    moves, costs = kb.advance(search.moves, level * kb.MAX_MOVES), kb.advance(search.costs, level * kb.MAX_MOVES)
    outcomes = kb.advance(search.outcomes, level * MAX_OUTCOMES * OUTCOME)
    listed, count = list_tries(tables, ours, moves), 0
    for i in range(listed):
        move = moves[i]
        cost = estimate_try(tables, ours, squares, move, level, outcomes, search)
        if cost == ALWAYS_REFUSED:
            continue
        place = count
        while place > 0 and costs[place - 1] > cost:
            moves[place], costs[place] = moves[place - 1], costs[place - 1]
            place -= 1
        moves[place], costs[place] = move, cost
        count += 1
    search.spent[0] += listed
    return count


@kb.kernel
def cost_of_set(
    tables: kb.Words, node: KingSet, move: int, depth: int, level: int, limit: float, search: MateSearch
) -> float:
    """Return the cost of a set, or of one try there.

    `move` is the try, -1 for the cheapest. `depth` counts our moves. A cost above `limit` may be a lower bound.
    """
    ours, squares = node.pieces, node.squares
    place, key = 0, kb.word(0)
    if move < 0:
        if depth == 0 or level >= LEVELS - 1 or search.spent[0] > search.spent[1]:
            search.spent[0] += 1
            return estimate(tables, search.tables, search.network, node)
        key = key_of(ours, squares, depth)
        place = kb.number(key >> kb.word(40)) & (ENTRIES - 1)
        entry = search.keys[place]
        if entry == key or (entry == key | kb.ONE and search.table_costs[place] >= limit):
            return search.table_costs[place]
    moves = kb.advance(search.moves, level * kb.MAX_MOVES)
    outcomes = kb.advance(search.outcomes, level * MAX_OUTCOMES * OUTCOME)
    count = 1
    if move >= 0:
        moves[0] = move
    else:
        count = order_tries(tables, ours, squares, level, search)
    least, boards = search.draw, float(kb.popcount(squares))
    if move < 0 and depth == 1 and count > 0:
        least, count = search.costs[level * kb.MAX_MOVES], 0
    for i in range(count):
        number = outcomes_of(tables, ours, squares, moves[i], outcomes)
        total, worst, bound = 0.0, 0.0, min(limit, least)
        if number == 0:
            total = worst = ALWAYS_REFUSED
        for j in range(number):
            share = float(kb.number(outcomes[OUTCOME * j + 6])) / boards
            kind = kb.number(outcomes[OUTCOME * j + 7])
            cost = outcome_cost(search, kind)
            if kind <= PIECE_LOST:
                most = (bound - (1.0 - search.worst) * total) / ((1.0 - search.worst) * share + search.worst) - cost
                below = depth if kind == REFUSED else depth - 1
                any_try = kb.number(kb.EVERYWHERE)  # -1; a literal's type is its own, which a cached recursion misses
                cost += cost_of_set(tables, set_at(outcomes, j), any_try, below, level + 1, most, search)
                if kind == OUR_TURN and level <= 2:
                    cost += search.repetition * count_visits(set_at(outcomes, j), search.visits)
            total += share * cost
            worst = max(worst, cost)
            if (1.0 - search.worst) * total + search.worst * worst >= bound:
                break
        least = min(least, (1.0 - search.worst) * total + search.worst * worst)
    if move < 0 and search.spent[0] <= search.spent[1]:
        search.keys[place] = key | kb.ONE if least >= limit else key
        search.table_costs[place] = least
    return least


@kb.entry
def note_visit(ours: kb.WordArray, squares: kb.Word, visits: kb.WordArray) -> None:
    """Remember a set, and forget the oldest of MAX_VISITS."""
    count = kb.number(visits[0])
    if count == MAX_VISITS:
        count -= 1
        for i in range(1, MAX_VISITS):
            visits[i] = visits[i + 1]
    visits[count + 1] = key_of(pieces_at(kb.pointer(ours), 0), squares, 0)
    visits[0] = kb.word(count + 1)


@kb.entry
def list_ordered(tables: kb.WordArray, ours: kb.WordArray, squares: kb.Word, search: MateSearch) -> int:
    """Write the tries that some board accepts to the search's first list, by estimated cost; return their number."""
    return order_tries(kb.pointer(tables), pieces_at(kb.pointer(ours), 0), squares, 0, kb.pointers(search))


@kb.entry
def cost_of_tries(
    tables: kb.WordArray, ours: kb.WordArray, squares: kb.Word, tries: kb.MoveArray, depth: int, search: MateSearch
) -> int:
    """Write the costs of tries, until the limit of the search; return the number written.

    A cost above the least so far may be a lower bound.
    """
    least = search.draw
    inner, node = kb.pointers(search), KingSet(pieces_at(kb.pointer(ours), 0), squares, kb.NONE)
    for i in range(len(tries)):
        cost = cost_of_set(kb.pointer(tables), node, tries[i], depth, 1, least + MARGIN, inner)
        if search.spent[0] > search.spent[1]:
            return i
        search.costs[i] = cost
        least = min(least, cost)
    return len(tries)


@dataclass(frozen=True, slots=True)
class MatingTry:
    """A try against a bare king, its expected moves to mate, and the search's depth in our moves and visited sets."""

    move: chess.Move
    cost: float
    depth: int
    sets: int


class Mating:
    """Search for tries against a bare king through one game, which remembers the sets that it has been in.

    Args:
      seed: of the choice among equally good tries.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed, self.tries, self.visits = seed, 0, np.zeros(MAX_VISITS + 1, np.uint64)

    def best_try(
        self, king: BareKing, seconds: float = 0.2, nodes: int | None = None, *, stalemate_wins: bool = False
    ) -> MatingTry:
        """Return the try with the fewest expected moves to mate, by iterative deepening; raise ValueError without any.

        Args:
          king: with us to move; after a refusal, with the squares that are left.
          seconds: thinking time, unless the tables are still to be built; see `delayed_information.build`.
          nodes: number of sets to visit instead, for games that a seed repeats on any machine.
          stalemate_wins: True if the rule set counts a stalemated king as lost.
        """
        begun = time.perf_counter()
        row, squares = pieces_row(king.color, king.men), turned(king.squares, king.color)
        self.tries += 1
        note_visit(row, squares, self.visits)
        types, network = set(king.men.values()), network_for(king.men)
        penalties = LEARNT if network.exists else HEAVY if types & {chess.QUEEN, chess.ROOK, chess.PAWN} else MINOR
        deepest = MAX_DEPTH if not network.exists else KNIGHT_DEPTH if chess.KNIGHT in types else LEARNT_DEPTH
        stalemate = 1.0 if stalemate_wins else penalties[0]
        search = MateSearch.empty(delayed_tables_for(row), network, self.visits, *penalties, stalemate)
        count = list_ordered(kb.TABLES, row, squares, search)
        if count == 0:
            raise ValueError(f"no try can be legal: {dict(king.men)} against a king on {king.squares:#x}")
        tries, costs, depth = search.moves[:count].copy(), search.costs[:count].copy(), 1
        best = tries[costs <= costs[0] + MARGIN]
        for ahead in range(2, deepest + 1):
            passed = time.perf_counter() - begun
            rate = FIRST_RATE if ahead == 2 else search.spent[0] / passed
            search.spent[1] = search.spent[0] + int(rate * max(seconds - passed, 0.0)) if nodes is None else nodes
            done = cost_of_tries(kb.TABLES, row, squares, tries, ahead, search)
            if done == 0:
                break
            costs, depth = search.costs[:done].copy(), ahead
            best = tries[:done][costs <= costs.min() + MARGIN]
            tries[:done] = tries[:done][np.argsort(costs, kind="stable")]
            if done < count or costs.min() <= ahead:
                break
        drawn = kb.random_numbers(kb.subseed(self.seed, self.tries), 1)[0]
        move = kb.decode_move(int(best[int(drawn * len(best))]))
        return MatingTry(turned_move(move, king.color), float(costs.min()), depth, int(search.spent[0]))


class Finishing:
    """A search that mates a bare king, and leaves all other positions to another search.

    Without a time limit it visits `nodes` sets for each try.
    """

    def __init__(self, search: Search, seed: int = 0, nodes: int = 100_000) -> None:
        self.search, self.nodes = search, nodes
        self._mating = Mating(seed)
        self._king: BareKing | None = None

    def update(self, view: View, seconds: float | None = None) -> None:
        """Update for the news in a view. Once the king is bare the other search gets no more: the king stays bare."""
        self._king = BareKing.of(view)
        if self._king is None:
            self.search.update(view, seconds)

    def policy(self, view: View, seconds: float | None) -> Policy:
        """Return the best mating try against a bare king, else the policy of the other search."""
        if self._king is None:
            return self.search.policy(view, seconds)
        nodes = self.nodes if seconds is None else None
        wins = view.rules.stalemate_loses
        best = self._mating.best_try(self._king, seconds or 0.0, nodes, stalemate_wins=wins)
        squares = chess.popcount(self._king.squares)
        why = f"bare king on {squares} square{'s' * (squares != 1)}; mate expected in {best.cost:.0f}"
        return equal_policy([best.move], Report(depth=2 * best.depth - 1, why=why))
