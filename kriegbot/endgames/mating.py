"""AND-OR search over sets of king squares: which try brings a bare king to mate soonest.

After Russell and Wolfe, "Efficient Belief-State AND-OR Search, with Application to Kriegspiel" (IJCAI 2005): our tries
are OR nodes, the referee's answers AND nodes, and a node is a set of boards. Departs from it in what is asked: not
only whether mate is forced within some moves, but what each try costs, in moves to mate, with `leaf.estimate` at the
horizon. An AND node costs a mixture of the mean of its answers and the worst of them, for the lone king may know where
our men are. A refused try costs no move. A set that comes again costs more than before: estimates of a king who is not
seen are too low, and we would go in circles.
"""

from typing import NamedTuple

import numpy as np

from kriegbot import kernels as kb
from kriegbot.endgames.delayed_information import TAKEN, Late
from kriegbot.endgames.king_sets import (
    DRAWN,
    LESSENED,
    MOST_OUTCOMES,
    OUR_TURN,
    OUTCOME,
    SAME_TURN,
    STALEMATED,
    Men,
    list_tries,
    men_at,
    outcomes_of,
)
from kriegbot.endgames.leaf import Network, Yardstick, estimate

DRAW = 300.0  # what a draw costs, in moves: as much as a set from which mate is far off
NEVER = 1e9  # what a try costs that every board refuses
WORST = 0.6, 0.1, 0.15
"""Weight of the worst answer, the rest being the mean's; if bishops alone have to mate; if knights have to help."""
AGAIN = 3.0, 8.0, 8.0  # what a set costs more for each time that we were in it before, likewise
MOST_VISITS = 64  # how many sets of a game are remembered
MARGIN = 0.05  # tries that cost this much more than the cheapest are as good; the seed chooses among them
LEVELS = 48  # the deepest recursion: moves and refusals together
ENTRIES = 1 << 16  # places of the table of sets seen


class Room(NamedTuple):
    """Room for a search.

    moves, costs: lists of MAX_MOVES for each level. outcomes: MOST_OUTCOMES for each level. keys, known: ENTRIES words
    and reals; a key holds the depth and, in its lowest bit, whether the cost known is only a lower bound. spent: [0]
    sets looked at, [1] the most. by: what sets are measured by. visits: [0] how many sets of this game are
    remembered, at most MOST_VISITS; then their keys. stalemate: what one costs: DRAW, or as little as a mate where it
    wins. worst, again: of WORST and AGAIN, those for our men.
    """

    moves: kb.MoveArray
    costs: kb.RealArray
    outcomes: kb.WordArray
    keys: kb.WordArray
    known: kb.RealArray
    spent: kb.IntArray
    by: Yardstick
    visits: kb.WordArray
    stalemate: float
    worst: float
    again: float

    @classmethod
    def empty(cls, tables: Late, network: Network, visits: kb.WordArray, stalemate: float, minors: int) -> "Room":
        """Room for one search; `minors` is the place in WORST and AGAIN."""
        return cls(
            np.zeros(LEVELS * kb.MAX_MOVES, np.int32),
            np.zeros(LEVELS * kb.MAX_MOVES),
            np.zeros(LEVELS * MOST_OUTCOMES * OUTCOME, np.uint64),
            np.zeros(ENTRIES, np.uint64),
            np.zeros(ENTRIES),
            np.zeros(2, np.int64),
            Yardstick(tables.late, tables.now, network),
            visits,
            stalemate,
            WORST[minors],
            AGAIN[minors],
        )


@kb.inlined
def deeper(room: Room) -> Room:
    """The room of the next level."""
    return Room(
        kb.advance(room.moves, kb.MAX_MOVES),
        kb.advance(room.costs, kb.MAX_MOVES),
        kb.advance(room.outcomes, MOST_OUTCOMES * OUTCOME),
        room.keys,
        room.known,
        room.spent,
        room.by,
        room.visits,
        room.stalemate,
        room.worst,
        room.again,
    )


@kb.inlined
def key_of(men: Men, squares: kb.Word, depth: int) -> kb.Word:
    """A hash of a set and a depth, lowest bit 0."""
    key = kb.mixed(men.pawns ^ kb.word(depth))
    key = kb.mixed(key ^ men.knights)
    key = kb.mixed(key ^ men.diagonals)
    key = kb.mixed(key ^ men.orthogonals)
    key = kb.mixed(key ^ men.king)
    return kb.mixed(key ^ squares) & ~kb.ONE


@kb.kernel
def times_visited(men: Men, squares: kb.Word, visits: kb.Words) -> int:
    """How often we had to move with this set before, in this game."""
    key, times = key_of(men, squares, 0), 0
    for i in range(kb.number(visits[0])):
        if visits[i + 1] == key:
            times += 1
    return times


@kb.inlined
def passing(room: Room, kind: int) -> float:
    """What an outcome of a kind costs by itself; all that it costs, if it ends the game."""
    if kind == DRAWN:
        return DRAW
    if kind == STALEMATED:
        return room.stalemate
    if kind == SAME_TURN:
        return 0.0
    return 1.0 + TAKEN if kind == LESSENED else 1.0


@kb.kernel
def glance(tables: kb.Words, men: Men, squares: kb.Word, move: int, room: Room) -> float:
    """What a try costs, its outcomes estimated."""
    outcomes = room.outcomes
    count = outcomes_of(tables, men, squares, move, outcomes)
    if count == 0:
        return NEVER
    total, worst = 0.0, 0.0
    boards = float(kb.popcount(squares))
    for i in range(count):
        kind = kb.number(outcomes[OUTCOME * i + 7])
        cost = passing(room, kind)
        if kind <= LESSENED:
            ours, following, before = men_at(outcomes, i), outcomes[OUTCOME * i + 5], outcomes[OUTCOME * i + 8]
            cost += estimate(tables, room.by, ours, following, before)
        total += cost * float(kb.number(outcomes[OUTCOME * i + 6])) / boards
        worst = max(worst, cost)
    return (1.0 - room.worst) * total + room.worst * worst


@kb.kernel
def ordered(tables: kb.Words, men: Men, squares: kb.Word, room: Room) -> int:
    """List our tries by what they cost at a glance, the cheapest first; return how many are not refused for sure."""
    listed, count = list_tries(tables, men, room.moves), 0
    for i in range(listed):
        move = room.moves[i]
        cost = glance(tables, men, squares, move, room)
        if cost == NEVER:
            continue
        place = count
        while place > 0 and room.costs[place - 1] > cost:
            room.moves[place], room.costs[place] = room.moves[place - 1], room.costs[place - 1]
            place -= 1
        room.moves[place], room.costs[place] = move, cost
        count += 1
    room.spent[0] += listed
    return count


@kb.kernel
def cost_of_set(
    tables: kb.Words,
    men: Men,
    squares: kb.Word,
    before: kb.Word,
    move: int,
    depth: int,
    level: int,
    limit: float,
    room: Room,
) -> float:
    """What a set costs with us to move, or what one try costs there.

    Args:
      tables: those of `kernels.tables`.
      men: ours.
      squares: where the king may be, at least one.
      before: where he was before he stepped there; none if he did not step.
      move: the try; -1 for the cheapest.
      depth: moves of ours to look ahead, >= 1.
      level: of the recursion.
      limit: above which the cost need not be known; then it is a lower bound.
      room: of this level.
    """
    place, key = 0, kb.word(0)
    if move < 0:
        if depth == 0 or level >= LEVELS - 1 or room.spent[0] > room.spent[1]:
            room.spent[0] += 1
            return estimate(tables, room.by, men, squares, before)
        key = key_of(men, squares, depth)
        place = kb.number(key >> kb.word(40)) & (ENTRIES - 1)
        known = room.keys[place]
        if known == key or (known == key | kb.ONE and room.known[place] >= limit):
            return room.known[place]
    count = 1
    if move >= 0:
        room.moves[0] = move
    else:
        count = ordered(tables, men, squares, room)
    least, boards = DRAW, float(kb.popcount(squares))
    if move < 0 and depth == 1 and count > 0:
        least, count = room.costs[0], 0
    for i in range(count):
        outcomes = outcomes_of(tables, men, squares, room.moves[i], room.outcomes)
        total, worst, bound = 0.0, 0.0, min(limit, least)
        if outcomes == 0:
            total = worst = NEVER
        for j in range(outcomes):
            share = float(kb.number(room.outcomes[OUTCOME * j + 6])) / boards
            kind = kb.number(room.outcomes[OUTCOME * j + 7])
            cost = passing(room, kind)
            if kind <= LESSENED:
                most = (bound - (1.0 - room.worst) * total) / ((1.0 - room.worst) * share + room.worst) - cost
                cost += cost_of_set(
                    tables,
                    men_at(room.outcomes, j),
                    room.outcomes[OUTCOME * j + 5],
                    room.outcomes[OUTCOME * j + 8],
                    # -1; a literal would be a type of its own, which a cached recursion misses
                    kb.number(kb.EVERYWHERE),
                    depth if kind == SAME_TURN else depth - 1,
                    level + 1,
                    most,
                    deeper(room),
                )
                if kind == OUR_TURN and level <= 2:
                    times = times_visited(men_at(room.outcomes, j), room.outcomes[OUTCOME * j + 5], room.visits)
                    cost += room.again * times
            total += share * cost
            worst = max(worst, cost)
            if (1.0 - room.worst) * total + room.worst * worst >= bound:
                break
        least = min(least, (1.0 - room.worst) * total + room.worst * worst)
    if move < 0 and room.spent[0] <= room.spent[1]:
        room.keys[place] = key | kb.ONE if least >= limit else key
        room.known[place] = least
    return least


@kb.entry
def note_visit(men: kb.WordArray, squares: kb.Word, visits: kb.WordArray) -> None:
    """Remember a set, and of those before it the last MOST_VISITS - 1 at most."""
    count = kb.number(visits[0])
    if count == MOST_VISITS:
        count -= 1
        for i in range(1, MOST_VISITS):
            visits[i] = visits[i + 1]
    visits[count + 1] = key_of(men_at(kb.pointer(men), 0), squares, 0)
    visits[0] = kb.word(count + 1)


@kb.entry
def list_ordered(tables: kb.WordArray, men: kb.WordArray, squares: kb.Word, room: Room) -> int:
    """List the tries that some board allows in the room's first places, the cheapest at a glance first."""
    return ordered(kb.pointer(tables), men_at(kb.pointer(men), 0), squares, kb.pointers(room))


@kb.entry
def cost_of_tries(
    tables: kb.WordArray, men: kb.WordArray, squares: kb.Word, tries: kb.MoveArray, depth: int, room: Room
) -> int:
    """Write the costs of the tries, in the order given, until the room's budget is spent; return how many are known.

    A cost that is not the least so far may be a lower bound.
    """
    least = DRAW
    inner, ours = deeper(kb.pointers(room)), men_at(kb.pointer(men), 0)
    for i in range(len(tries)):
        cost = cost_of_set(kb.pointer(tables), ours, squares, kb.NONE, tries[i], depth, 1, least + MARGIN, inner)
        if room.spent[0] > room.spent[1]:
            return i
        room.costs[i] = cost
        least = min(least, cost)
    return len(tries)
