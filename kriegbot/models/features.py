"""Features of a reply for opponent models that are fitted to games, and their weighted sum.

Features describe a move from the mover's side. They are 0 or 1, those of ranks and files also -1. They use the
board with our pieces. An opponent cannot see these, but a sensible one runs into them more often than a random one.
"""

from math import exp
from typing import NamedTuple

from kriegbot import kernels as kb
from kriegbot.models.protocol import Announced

TYPES = ("pawn", "knight", "bishop", "rook", "queen", "king")
BY_TYPE = (
    "moves",
    "takes with",
    "takes",
    "retakes with",
    "to a square that a pawn attacks",
    "to an attacked square, covered",
    "to an attacked square, not covered",
    "takes there for less",
    "from an attacked square",
    "forward",
    "backward",
    "early",
    "late",
    "next to the enemy king",
    "to a square not covered",
    "beyond the middle",
    "looks at a square next to the enemy king",
)
"""Features by type of piece: of the mover, or of the captured one for `takes`. As in opponent_types.json."""
RANKS_AND_FILES = (
    *(f"rank {rank}" for rank in range(1, 9)),
    *(f"file {files}" for files in ("a, h", "b, g", "c, f", "d, e")),
)
"""Features by type, too: 1 for the target, -1 for the origin. Ranks count from the mover's side."""
SINGLE = (
    "promotes to a queen",
    "promotes to less",
    "pawn to the seventh rank",
    "pawn to the sixth rank",
    "pawn two steps",
    "castles",
    "attacks the enemy king",
    "takes the checker",
    "king out of check",
    "develops",
    "to the centre",
    "to the wide centre",
    "by a bishop, rook or queen, four squares or more",
    "mates",
)
NAMES = tuple(f"{name}: {piece}" for name in BY_TYPE + RANKS_AND_FILES for piece in TYPES) + SINGLE
"""Names of the features, in the order of the weights."""
MOVES, CAPTURES_WITH, CAPTURES, RECAPTURES = range(0, 24, 6)
TO_PAWN_ATTACK, TO_ATTACKED_DEFENDED, TO_ATTACKED_LOOSE, CAPTURES_LESS, FROM_ATTACKED = range(24, 54, 6)
FORWARD, BACKWARD, OPENING, ENDGAME, NEAR_KING, NOT_DEFENDED, BEYOND_MIDDLE = range(54, 96, 6)
ATTACKS_KING_ZONE, RANKS = range(96, 108, 6)
FILES, SINGLES = RANKS + 6 * 8, RANKS + 6 * 12
TO_QUEEN, TO_LESS, TO_SEVENTH, TO_SIXTH, TWO_STEPS, CASTLES, CHECKS = range(SINGLES, SINGLES + 7)
CAPTURES_CHECKER, OUT_OF_CHECK, DEVELOPS, CENTRE, WIDE_CENTRE, FAR, MATES = range(SINGLES + 7, len(NAMES))
OPENING_PLIES, ENDGAME_PIECES = 24, 12
FIRST_RANK, EIGHTH_RANK, CENTRE_SQUARES, WIDE_SQUARES = kb.words(0xFF, 0xFF << 56, 0x1818000000, 0x3C3C3C3C0000)
FLOOR = 0.05  # share of uniformly random replies in a softmax model, so that all legal replies stay possible


class Scene(NamedTuple):
    """Facts that all replies on one board share."""

    side: int  # which replies
    own: kb.Word  # pieces of `side`
    other: kb.Word
    occupied: kb.Word
    attacked: kb.Word  # squares that `other` attacks
    by_pawns: kb.Word  # squares that it attacks with pawns
    checkers: kb.Word  # which give check
    recapture: int  # square of the capture of our last move, -1 for none
    is_opening: int
    is_endgame: int


@kb.inlined
def scene_of(tables: kb.Words, position: kb.Position, announced: Announced) -> Scene:
    """Return the facts of a position in which the opponent is to move."""
    side = kb.side_to_move(position)
    own, other = kb.pieces_of(position, side)
    left, right = kb.attacks_of_pawns(position.pawns & other, 1 - side)
    checkers, _ = kb.check_info(tables, position)
    return Scene(
        side,
        own,
        other,
        own | other,
        kb.attacked_by(tables, position, 1 - side, own | other),
        left | right,
        checkers,
        kb.captured_on(announced.ours),
        1 if kb.plies_played(position) < OPENING_PLIES else 0,
        1 if kb.popcount(own | other) <= ENDGAME_PIECES else 0,
    )


@kb.inlined
def attacks_of(tables: kb.Words, piece: int, side: int, square: int, occupied: kb.Word) -> kb.Word:
    """Return the squares that a piece of a type attacks from a square."""
    if piece == kb.PAWN:
        return kb.pawn_attacks(tables, side, square)
    if piece == kb.KNIGHT:
        return kb.knight_attacks(tables, square)
    if piece == kb.KING:
        return kb.king_attacks(tables, square)
    attacks = kb.NONE
    if piece != kb.ROOK:
        attacks |= kb.bishop_attacks(tables, square, occupied)
    if piece != kb.BISHOP:
        attacks |= kb.rook_attacks(tables, square, occupied)
    return attacks


@kb.inlined
def standing(weights: kb.Reals, side: int, piece: int, square: int) -> float:
    """Return the weights of the rank and the file of a square."""
    rank, file = square >> 3 if side == kb.WHITE else 7 - (square >> 3), square & 7
    return weights[RANKS + 6 * rank + piece] + weights[FILES + 6 * min(file, 7 - file) + piece]


@kb.inlined
def score(
    tables: kb.Words, position: kb.Position, scene: Scene, move: int, weights: kb.Reals, scratch: kb.Moves
) -> float:
    """Return the sum of the weights [len(NAMES)] of a move's features; `scratch` has room for the replies to it.

    Keep the order of the additions: it decides how the sum is rounded.
    """
    side, origin, target, promotion = scene.side, move & 63, move >> 6 & 63, move >> 12
    start, end = kb.bit(origin), kb.bit(target)
    piece = kb.type_of(position, start)
    captured = kb.type_of(position, end) if end & scene.other else -1
    ahead, rank = (target >> 3) - (origin >> 3), target >> 3
    if side == kb.BLACK:
        ahead, rank = -ahead, 7 - rank
    aside = abs((target & 7) - (origin & 7))
    king, without_mover = kb.lsb(position.kings & scene.other), scene.occupied & ~start

    total = weights[MOVES + piece] + standing(weights, side, piece, target) - standing(weights, side, piece, origin)
    if ahead > 0:
        total += weights[FORWARD + piece]
    elif ahead < 0:
        total += weights[BACKWARD + piece]

    if captured >= 0:
        total += weights[CAPTURES_WITH + piece] + weights[CAPTURES + captured]
        if target == scene.recapture:
            total += weights[RECAPTURES + piece]
        if end & scene.checkers:
            total += weights[CAPTURES_CHECKER]

    if end & scene.by_pawns:
        total += weights[TO_PAWN_ATTACK + piece]
    is_defended = kb.is_attacked(tables, position, target, side, scene.own & ~start, without_mover)
    if not is_defended:
        total += weights[NOT_DEFENDED + piece]
    if rank >= 4:
        total += weights[BEYOND_MIDDLE + piece]
    if end & scene.attacked:
        total += weights[(TO_ATTACKED_DEFENDED if is_defended else TO_ATTACKED_LOOSE) + piece]
        if captured >= 0 and captured < piece:
            total += weights[CAPTURES_LESS + piece]
    if start & scene.attacked:
        total += weights[FROM_ATTACKED + piece]
    if scene.is_opening:
        total += weights[OPENING + piece]
    if scene.is_endgame:
        total += weights[ENDGAME + piece]
    if kb.king_attacks(tables, king) & end:
        total += weights[NEAR_KING + piece]

    if piece == kb.PAWN:
        if promotion == kb.QUEEN:
            total += weights[TO_QUEEN]
        elif promotion != 0:
            total += weights[TO_LESS]
        if rank == 6:
            total += weights[TO_SEVENTH]
        elif rank == 5:
            total += weights[TO_SIXTH]
        if ahead == 2:
            total += weights[TWO_STEPS]

    attacks = attacks_of(tables, piece, side, target, without_mover)
    if attacks & kb.bit(king):
        if piece != kb.PAWN:
            total += weights[CHECKS]
        if weights[MATES] != 0.0:  # slow, but checks are few
            after, _ = kb.make_move(tables, position, move)
            checkers, pinned = kb.check_info(tables, after)
            if not kb.has_legal_move(tables, after, checkers, pinned, scratch):
                total += weights[MATES]
    if attacks & kb.king_attacks(tables, king):
        total += weights[ATTACKS_KING_ZONE + piece]

    if piece == kb.KING:
        if scene.checkers:
            total += weights[OUT_OF_CHECK]
        if aside == 2:
            total += weights[CASTLES]
    if piece in (kb.KNIGHT, kb.BISHOP):
        home = FIRST_RANK if side == kb.WHITE else EIGHTH_RANK
        if start & home and not end & home:
            total += weights[DEVELOPS]
    if end & CENTRE_SQUARES:
        total += weights[CENTRE]
    elif end & WIDE_SQUARES:
        total += weights[WIDE_CENTRE]
    if piece >= kb.BISHOP and piece <= kb.QUEEN and max(aside, abs(ahead)) >= 4:
        total += weights[FAR]
    return total


@kb.inlined
def score_moves(
    tables: kb.Words,
    position: kb.Position,
    announced: Announced,
    moves: kb.Moves,
    count: int,
    weights: kb.Reals,
    scores: kb.Reals,
) -> None:
    """Write the scores of `count` replies by weights [len(NAMES)]."""
    scene, scratch = scene_of(tables, position, announced), kb.advance(moves, kb.MAX_MOVES // 2)
    for i in range(count):
        scores[i] = score(tables, position, scene, moves[i], weights, scratch)


@kb.inlined
def softmax(scores: kb.Reals, count: int) -> None:
    """Turn the scores of `count` replies into probabilities, a share FLOOR of them uniform."""
    total = 0.0
    for i in range(count):
        scores[i] = exp(scores[i])
        total += scores[i]
    for i in range(count):
        scores[i] = (1.0 - FLOOR) * scores[i] / total + FLOOR / count
