"""What a reply looks like to an opponent model fitted to games: named features, and the weighted sum of a move's.

All are 0 or 1 and seen from the mover's side: what it takes and with what, whether it takes back on the square that was
just announced, whether its target or its origin is attacked, what it advances, develops or leaves. The true board is
used, our men included: a sensible mover cannot see them, yet finds out about them more often than a random one.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kriegbot.kernels.attacks import (
    attacked_by,
    bishop_attacks,
    check_info,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    rook_attacks,
    shifted,
)
from kriegbot.kernels.hearing import captured_on
from kriegbot.kernels.jit import entry, inlined, lsb, pointer, popcount, words
from kriegbot.kernels.moves import MAX_MOVES, legal_moves
from kriegbot.kernels.position import (
    BISHOP,
    KING,
    KNIGHT,
    NONE,
    PAWN,
    QUEEN,
    ROOK,
    WHITE,
    Position,
    bit,
    forward,
    kind_of,
    load,
    men_of,
    plies_played,
    side_to_move,
)
from kriegbot.kernels.tables import TABLES
from kriegbot.kernels.types import MoveArray, RealArray, Reals, Word, WordArray, Words
from kriegbot.models.protocol import Heard

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
)
"""Features that there are for each kind of man: the mover's, or for `takes` that of the man taken."""
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
)
NAMES = tuple(f"{name}: {kind}" for name in BY_KIND for kind in KINDS) + SINGLE
"""What the i-th weight is for."""
(
    MOVES,
    TAKES_WITH,
    TAKES,
    RETAKES,
    TO_PAWN,
    TO_COVERED,
    TO_LOOSE,
    TAKES_LESS,
    FROM_ATTACKED,
    FORWARD,
    BACKWARD,
    EARLY,
    LATE,
    NEAR_KING,
    NOT_COVERED,
    BEYOND,
) = range(0, 6 * len(BY_KIND), 6)
(
    TO_QUEEN,
    TO_LESS,
    TO_SEVENTH,
    TO_SIXTH,
    TWO_STEPS,
    CASTLES,
    ATTACKS_KING,
    TAKES_CHECKER,
    OUT_OF_CHECK,
    DEVELOPS,
    CENTRE,
    WIDE_CENTRE,
    FAR,
) = range(6 * len(BY_KIND), len(NAMES))
EARLY_PLIES, LATE_MEN = 24, 12
FIRST_RANK, EIGHTH_RANK, CENTRE_SQUARES, WIDE_SQUARES, NOT_FILE_A, NOT_FILE_H = words(
    0xFF, 0xFF << 56, 0x0000001818000000, 0x00003C3C3C3C0000, 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F
)


class Scene(NamedTuple):
    """What all replies on one board have in common.

    side: who replies. own, other: its men and ours. occupied: all. attacked: squares that our men attack; by_pawns:
    those that our pawns attack. checkers: our men that give check. retake: the square where we have just taken, -1 for
    none. is_early, is_late: 0 or 1.
    """

    side: int
    own: Word
    other: Word
    occupied: Word
    attacked: Word
    by_pawns: Word
    checkers: Word
    retake: int
    is_early: int
    is_late: int


@inlined
def scene_of(tables: Words, position: Position, heard: Heard) -> Scene:
    """The scene of a position in which the opponent is to move."""
    side = side_to_move(position)
    own, other = men_of(position, side)
    pawns, up = position.pawns & other, forward(1 - side)
    by_pawns = shifted(pawns & NOT_FILE_A, up - 1) | shifted(pawns & NOT_FILE_H, up + 1)
    checkers, _ = check_info(tables, position)
    return Scene(
        side,
        own,
        other,
        own | other,
        attacked_by(tables, position, 1 - side, own | other),
        by_pawns,
        checkers,
        captured_on(heard.ours),
        1 if plies_played(position) < EARLY_PLIES else 0,
        1 if popcount(own | other) <= LATE_MEN else 0,
    )


@inlined
def attacks_of(tables: Words, kind: int, side: int, square: int, occupied: Word) -> Word:
    """Squares that a man of a kind attacks from a square."""
    if kind == PAWN:
        return pawn_attacks(tables, side, square)
    if kind == KNIGHT:
        return knight_attacks(tables, square)
    if kind == KING:
        return king_attacks(tables, square)
    attacks = NONE
    if kind != ROOK:
        attacks |= bishop_attacks(tables, square, occupied)
    if kind != BISHOP:
        attacks |= rook_attacks(tables, square, occupied)
    return attacks


@inlined
def is_covered(tables: Words, position: Position, scene: Scene, origin: int, target: int) -> bool:
    """Whether another man of the mover's covers the target of its move."""
    men, occupied = scene.own & ~bit(origin), scene.occupied & ~bit(origin)
    covering = pawn_attacks(tables, 1 - scene.side, target) & position.pawns
    covering |= knight_attacks(tables, target) & position.knights
    covering |= king_attacks(tables, target) & position.kings
    covering |= bishop_attacks(tables, target, occupied) & position.diagonals
    covering |= rook_attacks(tables, target, occupied) & position.orthogonals
    return covering & men != NONE


@inlined
def score(tables: Words, position: Position, scene: Scene, move: int, weights: Reals) -> float:
    """Sum of the weights [len(NAMES)] of a move's features."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12
    start, end = bit(origin), bit(target)
    kind = kind_of(position, start)
    total = weights[MOVES + kind]
    ahead = (target >> 3) - (origin >> 3) if scene.side == WHITE else (origin >> 3) - (target >> 3)
    rank = target >> 3 if scene.side == WHITE else 7 - (target >> 3)
    if ahead > 0:
        total += weights[FORWARD + kind]
    elif ahead < 0:
        total += weights[BACKWARD + kind]
    taken = -1
    if end & scene.other:
        taken = kind_of(position, end)
        total += weights[TAKES_WITH + kind] + weights[TAKES + taken]
        if target == scene.retake:
            total += weights[RETAKES + kind]
        if end & scene.checkers:
            total += weights[TAKES_CHECKER]
    if end & scene.by_pawns:
        total += weights[TO_PAWN + kind]
    covered = is_covered(tables, position, scene, origin, target)
    if not covered:
        total += weights[NOT_COVERED + kind]
    if rank >= 4:
        total += weights[BEYOND + kind]
    if end & scene.attacked:
        total += weights[(TO_COVERED if covered else TO_LOOSE) + kind]
        if taken >= 0 and taken < kind:
            total += weights[TAKES_LESS + kind]
    if start & scene.attacked:
        total += weights[FROM_ATTACKED + kind]
    if scene.is_early:
        total += weights[EARLY + kind]
    if scene.is_late:
        total += weights[LATE + kind]
    enemy_king = position.kings & scene.other
    if king_attacks(tables, lsb(enemy_king)) & end:
        total += weights[NEAR_KING + kind]
    if kind == PAWN:
        if promotion == 4:
            total += weights[TO_QUEEN]
        elif promotion != 0:
            total += weights[TO_LESS]
        if rank == 6:
            total += weights[TO_SEVENTH]
        elif rank == 5:
            total += weights[TO_SIXTH]
        if ahead == 2:
            total += weights[TWO_STEPS]
    elif attacks_of(tables, kind, scene.side, target, scene.occupied & ~start) & enemy_king:
        total += weights[ATTACKS_KING]
    if kind == KING:
        if scene.checkers:
            total += weights[OUT_OF_CHECK]
        if abs((target & 7) - (origin & 7)) == 2:
            total += weights[CASTLES]
    if kind in (KNIGHT, BISHOP):
        home = FIRST_RANK if scene.side == WHITE else EIGHTH_RANK
        if start & home and not end & home:
            total += weights[DEVELOPS]
    if end & CENTRE_SQUARES:
        total += weights[CENTRE]
    elif end & WIDE_SQUARES:
        total += weights[WIDE_CENTRE]
    if kind >= BISHOP and kind <= QUEEN and max(abs((target & 7) - (origin & 7)), abs(ahead)) >= 4:
        total += weights[FAR]
    return total


@entry
def _list_features(
    tables: WordArray, row: WordArray, heard: Heard, moves: MoveArray, units: RealArray, found: RealArray
) -> int:
    position, features = load(pointer(row), 0), len(units)
    count = legal_moves(pointer(tables), position, pointer(moves))
    scene = scene_of(pointer(tables), position, heard)
    for feature in range(features):
        units[feature] = 1.0
        for i in range(count):
            found[i * features + feature] = score(pointer(tables), position, scene, moves[i], pointer(units))
        units[feature] = 0.0
    return count


def features_of(row: WordArray, ours: int, theirs: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8]]:
    """The features of every legal move of a position, each found by a weight of 1 for it alone.

    Args:
      row: uint64[8], the opponent to move.
      ours: what was announced of our move, as `kernels.hearing` writes it.
      theirs: the same of the opponent's own move before.

    Returns:
      moves [M] as kernels encode them, and features [M, len(NAMES)].
    """
    moves, found = np.empty(MAX_MOVES, np.int32), np.empty(MAX_MOVES * len(NAMES))
    count = _list_features(TABLES, row, Heard(ours, theirs), moves, np.zeros(len(NAMES)), found)
    return moves[:count].copy(), found[: count * len(NAMES)].reshape(count, -1).astype(np.int8)
