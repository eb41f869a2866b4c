"""A model of the mover's knowledge: a sum of learnt vectors, and the fit of a move to it.

    a = max(0, sum of the vectors of the facts)    u(m) = a . (vector of piece and origin + vector of piece and target)

This is a bilinear model with one hidden layer. Facts are the squares of the mover's pieces, the announcements of the
last two moves, the number of enemy pieces, castling rights, the plies played and the opponent type of the board. None
depends on the squares of enemy pieces. Squares are relative to the mover: for Black the board is mirrored.
"""

from kriegbot import kernels as kb
from kriegbot.models.protocol import Announced

WIDTH = 64
"""Length of a vector. From 92 on the vectors exceed a megabyte, which numba does not store with compiled code."""
OUR_CAPTURE, THEIR_CAPTURE = 6 * 64, 7 * 64
"""Squares of the capture of our last move, and of the mover's; behind those of the mover's pieces, by kind."""
CHECKED, CHECKING = 8 * 64, 8 * 64 + 5
"""Directions of checks to the mover, and of checks by its last move."""
TRIES = CHECKING + 5
"""0 for the first move of the game, else the announced number of pawn tries: 1 none or not announced, 2 one, 3 more."""
ENEMIES = TRIES + 4
"""Number of enemy pieces and pawns, 1 to 16."""
CASTLING = ENEMIES + 16
PLIES = CASTLING + 2
"""Plies played, in steps of 4 up to 64, then of 32."""
TYPES = PLIES + 20
"""Opponent type of the board."""
FACTS = TYPES + kb.MAX_TYPES
ORIGINS, TARGETS = FACTS, FACTS + 6 * 64
VECTORS = TARGETS + 6 * 64
MOST_FACTS = 16 + 2 * 6 + 2 + 4
"""Its pieces; captures and five directions of check of two moves; castling; tries, enemies, plies, type."""


@kb.inlined
def add_pieces(pieces: kb.Word, kind: int, mirror: int, facts: kb.Moves, count: int) -> int:
    """Append the squares of the mover's pieces of a kind, and return the new count."""
    while pieces:
        facts[count] = 64 * kind + (kb.lsb(pieces) ^ mirror)
        pieces &= pieces - kb.ONE
        count += 1
    return count


@kb.inlined
def add_announced(code: int, captured: int, checks: int, mirror: int, facts: kb.Moves, count: int) -> int:
    """Append the capture and the checks of an announcement, and return the new count."""
    square = kb.captured_on(code)
    if square >= 0:
        facts[count] = captured + (square ^ mirror)
        count += 1
    for direction in range(5):
        if code >> kb.CHECK_SHIFT + direction & 1:
            facts[count] = checks + direction
            count += 1
    return count


@kb.inlined
def facts_of(position: kb.Position, announced: Announced, facts: kb.Moves) -> int:
    """Write the facts that the side to move knows (indices of vectors, at most MOST_FACTS), and return their number."""
    side = kb.side_to_move(position)
    own, other = kb.pieces_of(position, side)
    mirror = 0 if side == kb.WHITE else 56
    queens = position.diagonals & position.orthogonals
    count = add_pieces(own & position.pawns, kb.PAWN, mirror, facts, 0)
    count = add_pieces(own & position.knights, kb.KNIGHT, mirror, facts, count)
    count = add_pieces(own & position.diagonals & ~queens, kb.BISHOP, mirror, facts, count)
    count = add_pieces(own & position.orthogonals & ~queens, kb.ROOK, mirror, facts, count)
    count = add_pieces(own & queens, kb.QUEEN, mirror, facts, count)
    count = add_pieces(own & position.kings, kb.KING, mirror, facts, count)
    count = add_announced(announced.ours, OUR_CAPTURE, CHECKED, mirror, facts, count)
    count = add_announced(announced.theirs, THEIR_CAPTURE, CHECKING, mirror, facts, count)
    for wing in range(2):
        if position.meta >> kb.word(1 + 2 * side + wing) & kb.ONE:
            facts[count] = CASTLING + wing
            count += 1
    plies = kb.plies_played(position)
    tries = announced.ours >> kb.TRIES_SHIFT & 31  # 0 if not announced, else their number + 1
    facts[count] = TRIES + (min(max(tries, 1), 3) if plies > 0 else 0)
    facts[count + 1] = ENEMIES + kb.popcount(other) - 1
    facts[count + 2] = PLIES + (plies >> 2 if plies < 64 else min(14 + (plies >> 5), 19))
    facts[count + 3] = TYPES + kb.type_id(position)
    return count + 4


@kb.inlined
def add_up(vectors: kb.Reals, facts: kb.Moves, count: int, hidden: kb.Reals) -> None:
    """Write the hidden layer a [WIDTH] of `count` facts from the vectors [VECTORS, WIDTH]."""
    for i in range(WIDTH):
        hidden[i] = 0.0
    for fact in range(count):
        vector = kb.advance(vectors, WIDTH * facts[fact])
        for i in range(WIDTH):
            hidden[i] += vector[i]
    for i in range(WIDTH):
        hidden[i] = max(hidden[i], 0.0)


@kb.inlined
def vectors_of(position: kb.Position, move: int) -> tuple[int, int]:
    """Return the indices of the vectors of a legal move's origin and target."""
    origin, target = move & 63, move >> 6 & 63
    mirror = 0 if kb.side_to_move(position) == kb.WHITE else 56
    kind = 64 * kb.kind_of(position, kb.bit(origin))
    return ORIGINS + kind + (origin ^ mirror), TARGETS + kind + (target ^ mirror)


@kb.inlined
def add_halves(numbers: kb.Reals, half: int) -> None:
    """Add the second half of a vector of 2 * `half` numbers to its first half."""
    for i in range(half):
        numbers[i] += numbers[i + half]


@kb.inlined
def fit(vectors: kb.Reals, position: kb.Position, hidden: kb.Reals, move: int) -> float:
    """Return u(m) of a legal move; WIDTH places behind `hidden` are scratch memory."""
    origin, target = vectors_of(position, move)
    from_origin, to_target = kb.advance(vectors, WIDTH * origin), kb.advance(vectors, WIDTH * target)
    products = kb.advance(hidden, WIDTH)
    for i in range(WIDTH):
        products[i] = hidden[i] * (from_origin[i] + to_target[i])
    # in halves, since in one sum each addition would wait for the one before
    add_halves(products, WIDTH // 2)
    add_halves(products, WIDTH // 4)
    add_halves(products, WIDTH // 8)
    add_halves(products, WIDTH // 16)
    add_halves(products, WIDTH // 32)
    return products[0] + products[1]
