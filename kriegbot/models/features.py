"""Features of a reply for opponent models that are fitted to games, and their weighted sum.

Features describe a move from the mover's side. They are 0 or 1, those of ranks and files also -1. They use the true
board with our pieces: a sensible opponent cannot see these, but meets them more often than a random one.
"""

from math import exp
from typing import NamedTuple

from kriegbot import kernels as kb
from kriegbot.models.protocol import Announced

KINDS = ("pawn", "knight", "bishop", "rook", "queen", "king")
BY_KIND = (
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
"""Features by kind of piece: of the mover, or of the captured one for `takes`. As in opponent_types.json."""
RANKS_AND_FILES = (
    *(f"rank {rank}" for rank in range(1, 9)),
    *(f"file {files}" for files in ("a, h", "b, g", "c, f", "d, e")),
)
"""Features by kind, too: 1 for the target, -1 for the origin. Ranks count from the mover's side."""
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
NAMES = tuple(f"{name}: {kind}" for name in BY_KIND + RANKS_AND_FILES for kind in KINDS) + SINGLE
"""Names of the features, in the order of the weights."""
MOVES, CAPTURES_WITH, CAPTURES, RECAPTURES = range(0, 24, 6)
TO_PAWN_ATTACK, TO_ATTACKED_DEFENDED, TO_ATTACKED_LOOSE, CAPTURES_LESS, FROM_ATTACKED = range(24, 54, 6)
FORWARD, BACKWARD, OPENING, ENDGAME, NEAR_KING, NOT_DEFENDED, BEYOND_MIDDLE = range(54, 96, 6)
ATTACKS_KING_ZONE, RANKS = range(96, 108, 6)
FILES, SINGLES = RANKS + 6 * 8, RANKS + 6 * 12
TO_QUEEN, TO_LESS, TO_SEVENTH, TO_SIXTH, TWO_STEPS, CASTLES, CHECKS = range(SINGLES, SINGLES + 7)
CAPTURES_CHECKER, OUT_OF_CHECK, DEVELOPS, CENTRE, WIDE_CENTRE, FAR, MATES = range(SINGLES + 7, len(NAMES))
OPENING_PLIES, ENDGAME_PIECES = 24, 12
FIRST_RANK, EIGHTH_RANK, CENTRE_SQUARES, WIDE_SQUARES = kb.words(
    0xFF, 0xFF << 56, 0x0000001818000000, 0x00003C3C3C3C0000
)
FLOOR = 0.05
"""Share of uniformly random replies in a softmax model, so that all legal replies stay possible."""


class Scene(NamedTuple):
    """Facts that all replies on one board share.

    `side` replies with the pieces `own` against `other`. `attacked` are the squares that `other` attacks, `by_pawns`
    with pawns. `checkers` give check. `recapture` is the square of the capture of our last move, -1 for none. Flags are
    0 or 1.
    """

    side: int
    own: kb.Word
    other: kb.Word
    occupied: kb.Word
    attacked: kb.Word
    by_pawns: kb.Word
    checkers: kb.Word
    recapture: int
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
def attacks_of(tables: kb.Words, kind: int, side: int, square: int, occupied: kb.Word) -> kb.Word:
    """Return the squares that a piece of a kind attacks from a square."""
    if kind == kb.PAWN:
        return kb.pawn_attacks(tables, side, square)
    if kind == kb.KNIGHT:
        return kb.knight_attacks(tables, square)
    if kind == kb.KING:
        return kb.king_attacks(tables, square)
    attacks = kb.NONE
    if kind != kb.ROOK:
        attacks |= kb.bishop_attacks(tables, square, occupied)
    if kind != kb.BISHOP:
        attacks |= kb.rook_attacks(tables, square, occupied)
    return attacks


@kb.inlined
def standing(weights: kb.Reals, side: int, kind: int, square: int) -> float:
    """Return the weights of the rank and the file of a square."""
    rank, file = square >> 3 if side == kb.WHITE else 7 - (square >> 3), square & 7
    return weights[RANKS + 6 * rank + kind] + weights[FILES + 6 * min(file, 7 - file) + kind]


@kb.kernel
def mates(tables: kb.Words, position: kb.Position, move: int, scratch: kb.Moves) -> bool:
    """Return True if a move that gives check leaves no legal move; `scratch` has room for a list of moves."""
    after, _ = kb.make_move(tables, position, move)
    checkers, pinned = kb.check_info(tables, after)
    return not kb.has_legal_move(tables, after, checkers, pinned, scratch)


class MoveFacts(NamedTuple):
    """A move as the features see it.

    `kind` moves from `origin` (bitboard `start`) to `target` (bitboard `end`), which is `rank` 0 to 7 from its own side
    and `ahead` ranks further forward. `captured` is a kind, too, or -1 for none or en passant.
    """

    move: int
    kind: int
    captured: int
    origin: int
    target: int
    start: kb.Word
    end: kb.Word
    rank: int
    ahead: int


@kb.inlined
def move_facts(position: kb.Position, scene: Scene, move: int) -> MoveFacts:
    """Return the facts of a move."""
    origin, target = move & 63, move >> 6 & 63
    start, end = kb.bit(origin), kb.bit(target)
    captured = kb.kind_of(position, end) if end & scene.other else -1
    ahead = (target >> 3) - (origin >> 3) if scene.side == kb.WHITE else (origin >> 3) - (target >> 3)
    rank = target >> 3 if scene.side == kb.WHITE else 7 - (target >> 3)
    return MoveFacts(move, kb.kind_of(position, start), captured, origin, target, start, end, rank, ahead)


@kb.inlined
def add_path(weights: kb.Reals, scene: Scene, reply: MoveFacts, total: float) -> float:
    """Add the weights of the squares that a piece leaves and reaches."""
    kind = reply.kind
    total += weights[MOVES + kind] + standing(weights, scene.side, kind, reply.target)
    total -= standing(weights, scene.side, kind, reply.origin)
    if reply.ahead > 0:
        total += weights[FORWARD + kind]
    elif reply.ahead < 0:
        total += weights[BACKWARD + kind]
    return total


@kb.inlined
def add_risk(
    tables: kb.Words, weights: kb.Reals, position: kb.Position, scene: Scene, reply: MoveFacts, total: float
) -> float:
    """Add the weights of a capture and of the danger at origin and target."""
    kind, end = reply.kind, reply.end
    if reply.captured >= 0:
        total += weights[CAPTURES_WITH + kind] + weights[CAPTURES + reply.captured]
        if reply.target == scene.recapture:
            total += weights[RECAPTURES + kind]
        if end & scene.checkers:
            total += weights[CAPTURES_CHECKER]
    if end & scene.by_pawns:
        total += weights[TO_PAWN_ATTACK + kind]
    others, occupied = scene.own & ~reply.start, scene.occupied & ~reply.start
    is_defended = kb.is_attacked(tables, position, reply.target, scene.side, others, occupied)
    if not is_defended:
        total += weights[NOT_DEFENDED + kind]
    if reply.rank >= 4:
        total += weights[BEYOND_MIDDLE + kind]
    if end & scene.attacked:
        total += weights[(TO_ATTACKED_DEFENDED if is_defended else TO_ATTACKED_LOOSE) + kind]
        if reply.captured >= 0 and reply.captured < kind:
            total += weights[CAPTURES_LESS + kind]
    if reply.start & scene.attacked:
        total += weights[FROM_ATTACKED + kind]
    if scene.is_opening:
        total += weights[OPENING + kind]
    if scene.is_endgame:
        total += weights[ENDGAME + kind]
    return total


@kb.inlined
def add_pawn(weights: kb.Reals, reply: MoveFacts, total: float) -> float:
    """Add the weights of a pawn's promotion or advance."""
    promotion = reply.move >> 12
    if promotion == 4:
        total += weights[TO_QUEEN]
    elif promotion != 0:
        total += weights[TO_LESS]
    if reply.rank == 6:
        total += weights[TO_SEVENTH]
    elif reply.rank == 5:
        total += weights[TO_SIXTH]
    if reply.ahead == 2:
        total += weights[TWO_STEPS]
    return total


@kb.inlined
def add_attacks(
    tables: kb.Words,
    weights: kb.Reals,
    position: kb.Position,
    scene: Scene,
    reply: MoveFacts,
    scratch: kb.Moves,
    total: float,
) -> float:
    """Add the weights of attacks on the enemy king and the squares around it."""
    enemy_king = position.kings & scene.other
    attacks = attacks_of(tables, reply.kind, scene.side, reply.target, scene.occupied & ~reply.start)
    if attacks & enemy_king:
        if reply.kind != kb.PAWN:
            total += weights[CHECKS]
        if weights[MATES] != 0.0 and mates(tables, position, reply.move, scratch):  # slow, but checks are few
            total += weights[MATES]
    if attacks & kb.king_attacks(tables, kb.lsb(enemy_king)):
        total += weights[ATTACKS_KING_ZONE + reply.kind]
    return total


@kb.inlined
def add_plan(weights: kb.Reals, scene: Scene, reply: MoveFacts, total: float) -> float:
    """Add the weights of king moves, development, the centre and long moves."""
    kind, start, end = reply.kind, reply.start, reply.end
    files = abs((reply.target & 7) - (reply.origin & 7))
    if kind == kb.KING:
        if scene.checkers:
            total += weights[OUT_OF_CHECK]
        if files == 2:
            total += weights[CASTLES]
    if kind in (kb.KNIGHT, kb.BISHOP):
        home = FIRST_RANK if scene.side == kb.WHITE else EIGHTH_RANK
        if start & home and not end & home:
            total += weights[DEVELOPS]
    if end & CENTRE_SQUARES:
        total += weights[CENTRE]
    elif end & WIDE_SQUARES:
        total += weights[WIDE_CENTRE]
    if kind >= kb.BISHOP and kind <= kb.QUEEN and max(files, abs(reply.ahead)) >= 4:
        total += weights[FAR]
    return total


@kb.inlined
def score(
    tables: kb.Words, position: kb.Position, scene: Scene, move: int, weights: kb.Reals, scratch: kb.Moves
) -> float:
    """Return the sum of the weights [len(NAMES)] of a move's features; `scratch` has room for a list of moves.

    Each part adds to the total of those before it: in another order the sum would be rounded otherwise.
    """
    reply = move_facts(position, scene, move)
    total = add_path(weights, scene, reply, 0.0)
    total = add_risk(tables, weights, position, scene, reply, total)
    if kb.king_attacks(tables, kb.lsb(position.kings & scene.other)) & reply.end:
        total += weights[NEAR_KING + reply.kind]
    if reply.kind == kb.PAWN:
        total = add_pawn(weights, reply, total)
    total = add_attacks(tables, weights, position, scene, reply, scratch, total)
    return add_plan(weights, scene, reply, total)


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
