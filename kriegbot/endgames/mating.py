"""Search for tries against a bare king, which ends in the proofs.

Where mate is proved, each try counts that leads to proved sets, with smaller bounds once it is accepted, whatever the
referee answers. Among them we take the cheapest, as a search of DEPTH moves estimates the cost. Elsewhere the same
holds of the largest part of the king's squares that is proved; but with more pieces than its proof needs, other tries
count too, at LEAVING more. If no part is proved, the search alone decides.

The cost of a try, in moves, mixes the mean over the king's squares and the worst answer, since the king may know our
pieces. A refused try costs no move. A set that we have been in before costs more: otherwise we would walk in circles.
A set at the horizon costs the bound of a proved set that contains some of its squares, and LOST for the share of the
others, whichever set makes that least. If mate is proved, that is too low, and the bound too high for most kings: their
mean counts. Of more pieces than a proof needs, the best one or two count, as if the others were out of the way. Since
others may block a line or stalemate the king, mate is not called certain then.
"""

from dataclasses import dataclass
from typing import NamedTuple

import chess
import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.king_sets import (
    MATED,
    MAX_OUTCOMES,
    OUR_TURN,
    OUTCOME,
    PIECE_LOST,
    REFUSED,
    STALEMATED,
    KingSet,
    Pieces,
    all_pieces,
    list_tries,
    outcomes_of,
    pieces_at,
    set_at,
    without,
)
from kriegbot.endgames.king_squares import BareKing, pieces_row, turned, turned_move
from kriegbot.endgames.placements import NO_PLACEMENT, ending_of, placement, restored_set, transformed_set
from kriegbot.endgames.proofs import Proof, Proofs, load_proofs, probe_king

DEPTH = 2  # moves of ours
LOST = 150.0  # cost of a draw, in moves
WORST = 0.2  # weight of the worst answer beside the mean
REPETITION = 5.0  # cost of each earlier visit to a set
PIECE_COST = 15.0  # of losing a piece if the rest can still mate
LEAVING = 15.0  # of giving up the proof for some squares, if we have more pieces than it needs
NEVER = 1000.0  # bound of a set that is not proved, cost of a try that every board refuses
MARGIN = 0.01  # tries within this cost of the cheapest are equally good; the seed chooses
MAX_VISITS = 64  # sets of a game that are remembered
LEVELS = 8  # of the recursion, moves and refusals together


class MateSearch(NamedTuple):
    """State of a search: lists of moves and outcomes for each level, costs of the tries at the root."""

    proofs: Proofs
    moves: kb.MoveArray
    outcomes: kb.WordArray
    costs: kb.RealArray
    visits: kb.WordArray  # number of remembered sets of this game, then their keys
    stalemate: float  # its cost, LOST or 1


class Survey(NamedTuple):
    """Cost of a set in moves, its bound if it is proved, else NEVER, and the largest part that is proved."""

    cost: float
    bound: float
    part: kb.Word


@kb.inlined
def key_of(node: KingSet) -> kb.Word:
    """Return a hash of a set."""
    ours = node.pieces
    key = kb.mix64(kb.mix64(kb.mix64(ours.pawns) ^ ours.knights) ^ ours.diagonals)
    return kb.mix64(kb.mix64(kb.mix64(key ^ ours.orthogonals) ^ ours.king) ^ node.squares)


@kb.kernel
def count_visits(node: KingSet, visits: kb.Words) -> int:
    """Return how many of the remembered sets of this game equal a set."""
    key, times = key_of(node), 0
    for i in range(kb.number(visits[0])):
        if visits[i + 1] == key:
            times += 1
    return times


@kb.kernel
def survey_ending(proofs: Proofs, ours: Pieces, squares: kb.Word) -> Survey:
    """Survey the proved sets of our placement."""
    found, size = placement(ours), float(kb.popcount(squares))
    symmetry, least, bound, part = found & 127, size * LOST, NEVER, kb.NONE
    mirror = symmetry ^ 64 if found & 128 else symmetry
    here, mirrored = transformed_set(squares, symmetry), transformed_set(squares, mirror)
    for i in range(proofs.starts[found >> 8], proofs.starts[(found >> 8) + 1]):
        inside, turned_to = here & proofs.sets[i], symmetry
        if kb.popcount(mirrored & proofs.sets[i]) > kb.popcount(inside):
            inside, turned_to = mirrored & proofs.sets[i], mirror
        within = float(kb.popcount(inside))
        if within == size and bound == NEVER:
            bound = float(proofs.bounds[i])
        if kb.popcount(inside) > kb.popcount(part):
            part = restored_set(inside, turned_to)
        least = min(least, within * float(proofs.bounds[i]) + (size - within) * LOST)
    cost = least / size if bound == NEVER else (bound + least / size) / 2.0
    return Survey(cost, bound, part)


@kb.kernel
def survey(proofs: Proofs, ours: Pieces, squares: kb.Word) -> Survey:
    """Survey the proved sets of our pieces, or of the best one or two of more: the others may not matter."""
    if ending_of(ours) != NO_PLACEMENT:
        return survey_ending(proofs, ours, squares)
    cost, bound, part = LOST, NEVER, kb.NONE
    others = all_pieces(ours) ^ ours.king
    first = others
    while first:
        second = first
        while second:
            pair = (first & (kb.NONE - first)) | (second & (kb.NONE - second))
            few = without(ours, others ^ pair)
            if ending_of(few) != NO_PLACEMENT:
                found = survey_ending(proofs, few, squares)
                cost, bound = min(cost, found.cost), min(bound, found.bound)
                if kb.popcount(found.part) > kb.popcount(part):
                    part = found.part
            second &= second - kb.ONE
        first &= first - kb.ONE
    return Survey(cost, bound, part)


@kb.kernel
def cost_of_set(
    tables: kb.Words, search: MateSearch, node: KingSet, move: int, depth: int, level: int, limit: float
) -> float:
    """Return the cost of a try, or of the cheapest if `move` is -1; at most `limit`, unless at the horizon."""
    if depth <= 0 or level == LEVELS:
        return survey(search.proofs, node.pieces, node.squares).cost
    any_try, none_left = kb.number(kb.EVERYWHERE), depth - depth  # literals have types of their own, in a recursion
    moves, count = kb.advance(search.moves, level * kb.MAX_MOVES), 1
    outcomes = kb.advance(search.outcomes, level * MAX_OUTCOMES * OUTCOME)
    if move == any_try:
        count = list_tries(tables, node.pieces, moves)
    else:
        moves[0] = move
    least, boards = limit, float(kb.popcount(node.squares))
    for i in range(count):
        listed = outcomes_of(tables, node.pieces, node.squares, moves[i], outcomes)
        total, worst = 0.0, 0.0 if listed else NEVER
        for j in range(listed):
            kind, after = kb.number(outcomes[OUTCOME * j + 7]), set_at(outcomes, j)
            cost = 1.0 if kind == MATED else search.stalemate if kind == STALEMATED else LOST
            if kind <= PIECE_LOST:
                below = depth if kind == REFUSED else depth - 1 if kind == OUR_TURN else none_left
                cost = cost_of_set(tables, search, after, any_try, below, level + 1, LOST)
                cost += 0.0 if kind == REFUSED else 1.0 if kind == OUR_TURN else 1.0 + PIECE_COST
                if kind == OUR_TURN and level == 0:
                    cost += REPETITION * count_visits(after, search.visits)
            total += cost * float(kb.number(outcomes[OUTCOME * j + 6])) / boards
            worst = max(worst, cost)
            if (1.0 - WORST) * total + WORST * worst >= least:
                break
        least = min(least, max((1.0 - WORST) * total + WORST * worst, worst if listed == 0 else 0.0))
    return least


@kb.kernel
def bound_after(tables: kb.Words, search: MateSearch, node: KingSet, move: int) -> float:
    """Return the largest proved bound after an accepted try, 0 if it mates; NEVER if a set after it is not proved."""
    count, largest = outcomes_of(tables, node.pieces, node.squares, move, search.outcomes), 0.0
    for i in range(count):
        kind, after = kb.number(search.outcomes[OUTCOME * i + 7]), set_at(search.outcomes, i)
        if kind == MATED or (kind == STALEMATED and search.stalemate < LOST):
            continue
        bound = survey(search.proofs, after.pieces, after.squares).bound if kind <= PIECE_LOST else NEVER
        if bound == NEVER:
            return NEVER
        largest = max(largest, bound if kind != REFUSED else 0.0)
    return largest if count else NEVER


@kb.entry
def rate_tries(tables: kb.WordArray, pieces: kb.WordArray, squares: kb.Word, depth: int, search: MateSearch) -> int:
    """Write the costs of the tries that count; return the number of tries, and remember the set.

    Those count that keep the proof of the largest proved part of the squares, if there is one. Another costs LEAVING
    more, or NEVER without spare pieces. A try that is not among the cheapest may cost more than is written. Behind the
    costs stands this part's share of the squares.
    """
    inner, node = kb.pointers(search), KingSet(pieces_at(kb.pointer(pieces), 0), squares)
    part = survey(inner.proofs, node.pieces, squares).part
    tries = kb.advance(inner.moves, LEVELS * kb.MAX_MOVES)
    count, bound = list_tries(kb.pointer(tables), node.pieces, tries), NEVER
    if part:
        bound = survey(inner.proofs, node.pieces, part).bound
    kept = 0
    for i in range(count):
        search.costs[i] = bound_after(kb.pointer(tables), inner, KingSet(node.pieces, part), tries[i])
        kept += part != kb.NONE and search.costs[i] < bound
    least, leaving = NEVER, LEAVING if ending_of(node.pieces) == NO_PLACEMENT else NEVER
    for i in range(count):
        more = leaving if kept and search.costs[i] >= bound else 0.0
        limit = min(least + 2.0 * MARGIN, NEVER) - more
        cost = NEVER
        if limit > 0.0:
            cost = more + cost_of_set(kb.pointer(tables), inner, node, tries[i], depth, kb.number(kb.NONE), limit)
        search.costs[i], least = cost, min(least, cost)
    search.costs[count] = float(kb.popcount(part)) / float(kb.popcount(squares))
    times = min(kb.number(search.visits[0]), MAX_VISITS - 1)
    for i in range(times, 0, -1):
        search.visits[i + 1] = search.visits[i]
    search.visits[1], search.visits[0] = key_of(node), kb.word(times + 1)
    return count


@kb.entry
def _bound_after(tables: kb.WordArray, pieces: kb.WordArray, squares: kb.Word, move: int, search: MateSearch) -> float:
    node = KingSet(pieces_at(kb.pointer(pieces), 0), squares)
    return bound_after(kb.pointer(tables), kb.pointers(search), node, move)


def mate_search(visits: kb.WordArray, stalemate: float = LOST) -> MateSearch:
    """Return the state of a search; `visits` are the sets of its game."""
    moves, outcomes = (LEVELS + 1) * kb.MAX_MOVES, LEVELS * MAX_OUTCOMES * OUTCOME
    empty = np.zeros(moves, np.int32), np.zeros(outcomes, np.uint64), np.zeros(kb.MAX_MOVES + 1)
    return MateSearch(load_proofs(), *empty, visits, stalemate)


def keeps_mate(king: BareKing, move: chess.Move) -> bool:
    """Return True if mate is proved after a try, whatever the referee announces.

    The try is no castling or pawn capture. Of more pieces than a proof needs the others count as out of the way.
    """
    row, squares = pieces_row(king.color, king.men), turned(king.squares, king.color)
    encoded = kb.encode_move(turned_move(move, king.color))
    search = mate_search(np.zeros(1, np.uint64))
    return king.rules.checks_announced and _bound_after(kb.TABLES, row, squares, encoded, search) < NEVER


@dataclass(frozen=True, slots=True)
class MatingTry:
    """A try against a bare king, its cost in moves, and the proof of a mate, if there is one."""

    move: chess.Move
    cost: float
    proof: Proof | None
    proved: float  # share of the king's squares in the largest part with a proof


class Mating:
    """Search for tries against a bare king in one game; it remembers its sets. `seed` chooses among equal tries."""

    def __init__(self, seed: int = 0) -> None:
        self.seed, self.tries, self.visits = seed, 0, np.zeros(MAX_VISITS + 1, np.uint64)

    def best_try(self, king: BareKing, *, stalemate_wins: bool = False) -> MatingTry:
        """Return the best try against a king with us to move; raise ValueError without any.

        After a refusal it has the squares that are left. If `stalemate_wins`, a stalemated king has lost.
        """
        row, squares = pieces_row(king.color, king.men), turned(king.squares, king.color)
        self.tries += 1
        search = mate_search(self.visits, 1.0 if stalemate_wins else LOST)
        count = rate_tries(kb.TABLES, row, squares, DEPTH, search)
        costs = search.costs[:count]
        if count == 0 or costs.min() >= NEVER:
            raise ValueError(f"no try can be legal: {dict(king.men)} against a king on {king.squares:#x}")
        best = search.moves[LEVELS * kb.MAX_MOVES :][:count][costs <= costs.min() + MARGIN]
        drawn = kb.random_numbers(kb.subseed(self.seed, self.tries), 1)[0]
        move = turned_move(kb.decode_move(int(best[int(drawn * len(best))])), king.color)
        return MatingTry(move, float(costs.min()), probe_king(king), float(search.costs[count]))
