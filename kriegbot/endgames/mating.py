"""Search for tries against a bare king, which ends in the proofs.

Where mate is proved, each try counts that leads to proved sets with smaller bounds, whatever the referee answers. Among
them we take the one with the fewest expected moves, as a search of DEPTH moves estimates them. Elsewhere the search
takes the try that leads most likely into a proved set and risks least.

The cost of a try, in moves, mixes the mean over the king's squares and the worst answer, since the king may know our
pieces. A refused try costs no move. A set that we have been in before costs more: otherwise we would walk in circles.
A set at the horizon costs the bound of a proved set that contains some of its squares, and LOST for the share of the
others, whichever set makes that least. If mate is proved, that is too low, and the bound too high for most kings: their
mean counts. Of more pieces than a proof needs, the best part counts.
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
    list_tries,
    outcomes_of,
    pieces_at,
    set_at,
)
from kriegbot.endgames.king_squares import BareKing, pieces_row, turned, turned_move
from kriegbot.endgames.placements import ending_of, placement, transformed_set
from kriegbot.endgames.proofs import Proof, Proofs, load_proofs, probe_king, proof_of

DEPTH = 2  # moves of ours
LOST = 150.0  # cost of a draw, in moves
WORST = 0.2  # weight of the worst answer beside the mean
REPETITION = 5.0  # cost of each earlier visit to a set
PIECE_COST = 15.0  # of losing a piece if the rest can still mate
NEVER = 1000.0  # bound of a set that is not proved, cost of a try that every board refuses
MARGIN = 0.01  # tries within this cost of the cheapest are equally good; the seed chooses
MAX_VISITS = 64  # sets of a game that are remembered
LEVELS = 8  # of the recursion, moves and refusals together


class MateSearch(NamedTuple):
    """State of a search: lists of moves and outcomes for each level, costs and bounds of the tries at the root.

    visits: [0] number of remembered sets of this game, then their keys. stalemate: its cost, LOST or 1.
    """

    proofs: Proofs
    moves: kb.MoveArray
    outcomes: kb.WordArray
    costs: kb.RealArray
    bounds: kb.RealArray
    visits: kb.WordArray
    stalemate: float


@kb.inlined
def key_of(node: KingSet) -> kb.Word:
    """Return a hash of a set."""
    ours = node.pieces
    key = kb.mix64(kb.mix64(kb.mix64(ours.pawns) ^ ours.knights) ^ ours.diagonals)
    return kb.mix64(kb.mix64(kb.mix64(key ^ ours.orthogonals) ^ ours.king) ^ node.squares)


@kb.kernel
def count_visits(node: KingSet, visits: kb.Words) -> int:
    """Return the number of earlier turns of this game that began with a set."""
    key, times = key_of(node), 0
    for i in range(kb.number(visits[0])):
        if visits[i + 1] == key:
            times += 1
    return times


@kb.kernel
def estimate_part(proofs: Proofs, ours: Pieces, squares: kb.Word) -> float:
    """Return the cost of a set by the proved sets of its placement."""
    found, size = placement(ours), float(kb.popcount(squares))
    here, least, bound = transformed_set(squares, found & 127), size * LOST, 0.0
    for i in range(proofs.starts[found >> 8], proofs.starts[(found >> 8) + 1]):
        within = float(kb.popcount(here & proofs.sets[i]))
        if within == size and bound == 0.0:
            bound = float(proofs.bounds[i])
        least = min(least, within * float(proofs.bounds[i]) + (size - within) * LOST)
    return (bound + least / size) / 2.0 if bound else least / size


@kb.kernel
def estimate(proofs: Proofs, ours: Pieces, squares: kb.Word) -> float:
    """Return the cost of a set with us to move, for the best one or two of our pieces."""
    if ending_of(ours) >= 0:
        return estimate_part(proofs, ours, squares)
    none, least = kb.NONE, LOST
    single = ours.orthogonals | ours.pawns
    while single:
        one = single & (none - single)
        part = Pieces(ours.pawns & one, none, ours.diagonals & one, ours.orthogonals & one, ours.king)
        least = min(least, estimate_part(proofs, part, squares))
        single ^= one
    bishops = ours.diagonals & ~ours.orthogonals
    dark, light = bishops & kb.DARK_SQUARES, bishops & ~kb.DARK_SQUARES
    dark, light, knight = dark & (none - dark), light & (none - light), ours.knights & (none - ours.knights)
    if dark and light:
        least = min(least, estimate_part(proofs, Pieces(none, none, dark | light, none, ours.king), squares))
    if knight and dark:
        least = min(least, estimate_part(proofs, Pieces(none, knight, dark, none, ours.king), squares))
    if knight and light:
        least = min(least, estimate_part(proofs, Pieces(none, knight, light, none, ours.king), squares))
    return least


@kb.kernel
def cost_of_set(
    tables: kb.Words, search: MateSearch, node: KingSet, move: int, depth: int, level: int, limit: float
) -> float:
    """Return the cost of a try, or of the cheapest for ANY_TRY; one above `limit` may be a lower bound."""
    if depth <= 0 or level == LEVELS:
        return estimate(search.proofs, node.pieces, node.squares)
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
    count, largest = outcomes_of(tables, node.pieces, node.squares, move, search.outcomes), 0
    for i in range(count):
        kind, after = kb.number(search.outcomes[OUTCOME * i + 7]), set_at(search.outcomes, i)
        if kind == MATED:
            continue
        bound = proof_of(search.proofs, after.pieces, after.squares) >> 16 if kind <= PIECE_LOST else 0
        if bound == 0:
            return NEVER
        largest = max(largest, bound if kind != REFUSED else 0)
    return float(largest) if count else NEVER


@kb.entry
def rate_tries(tables: kb.WordArray, pieces: kb.WordArray, squares: kb.Word, depth: int, search: MateSearch) -> int:
    """Write the tries, their costs and the bounds after them; return their number, and remember the set."""
    inner, node = kb.pointers(search), KingSet(pieces_at(kb.pointer(pieces), 0), squares)
    tries = kb.advance(inner.moves, LEVELS * kb.MAX_MOVES)
    count = list_tries(kb.pointer(tables), node.pieces, tries)
    for i in range(count):
        move = tries[i]
        search.bounds[i] = bound_after(kb.pointer(tables), inner, node, move)
        search.costs[i] = cost_of_set(kb.pointer(tables), inner, node, move, depth, kb.number(kb.NONE), NEVER)
    times = min(kb.number(search.visits[0]), MAX_VISITS - 1)
    for i in range(times, 0, -1):
        search.visits[i + 1] = search.visits[i]
    search.visits[1], search.visits[0] = key_of(node), kb.word(times + 1)
    return count


@dataclass(frozen=True, slots=True)
class MatingTry:
    """A try against a bare king, its expected moves to mate, and the proof that there is one, if there is."""

    move: chess.Move
    cost: float
    proof: Proof | None


class Mating:
    """Search for tries against a bare king through one game, which remembers the sets that it has been in.

    Args:
      seed: of the choice among equally good tries.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed, self.tries, self.visits = seed, 0, np.zeros(MAX_VISITS + 1, np.uint64)

    def best_try(self, king: BareKing, *, stalemate_wins: bool = False) -> MatingTry:
        """Return the best try; raise ValueError without any.

        Args:
          king: with us to move; after a refusal, with the squares that are left.
          stalemate_wins: True if the rule set counts a stalemated king as lost.
        """
        row, squares = pieces_row(king.color, king.men), turned(king.squares, king.color)
        self.tries += 1
        search = MateSearch(
            load_proofs(),
            np.zeros((LEVELS + 1) * kb.MAX_MOVES, np.int32),
            np.zeros(LEVELS * MAX_OUTCOMES * OUTCOME, np.uint64),
            np.zeros(kb.MAX_MOVES),
            np.zeros(kb.MAX_MOVES),
            self.visits,
            1.0 if stalemate_wins else LOST,
        )
        count = rate_tries(kb.TABLES, row, squares, DEPTH, search)
        costs, bounds, proof = search.costs[:count], search.bounds[:count], probe_king(king)
        if count == 0 or costs.min() >= NEVER:
            raise ValueError(f"no try can be legal: {dict(king.men)} against a king on {king.squares:#x}")
        if proof is not None:
            costs = np.where(bounds < proof.moves, costs, NEVER)
        best = search.moves[LEVELS * kb.MAX_MOVES :][:count][costs <= costs.min() + MARGIN]
        drawn = kb.random_numbers(kb.subseed(self.seed, self.tries), 1)[0]
        move = kb.decode_move(int(best[int(drawn * len(best))]))
        return MatingTry(turned_move(move, king.color), float(costs.min()), proof)
