"""What a reply looks like to an opponent model fitted to games: named features, and the weighted sum of a move's.

All are seen from the mover's side, and 0 or 1 but for ranks and files: what it takes and with what, whether it takes
back on the square that was just announced, whether its target or its origin is attacked, what it advances, develops,
covers or leaves, whether it mates (not by a discovered check or as a new queen). The true board is used, our men
included: a sensible mover cannot see them, yet finds out about them more often than a random one.
"""

from math import exp
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
    "leaves a man that it alone covered",
    "comes to cover a man that none covered",
)
"""Features that there are for each kind of man: the mover's, or for `takes` that of the man taken."""
RANKS_AND_FILES = (
    *(f"rank {rank}" for rank in range(1, 9)),
    *(f"file {files}" for files in ("a, h", "b, g", "c, f", "d, e")),
)
"""For each kind, too: 1 for where the man goes to, -1 for where it comes from. Ranks are counted from its own side."""
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
    LOOKS,
    LEAVES,
    COVERS,
) = range(0, 6 * len(BY_KIND), 6)
RANKS = 6 * len(BY_KIND)
FILES = RANKS + 6 * 8
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
    MATES,
) = range(FILES + 6 * 4, len(NAMES))
EARLY_PLIES, LATE_MEN = 24, 12
FIRST_RANK, EIGHTH_RANK, CENTRE_SQUARES, WIDE_SQUARES = kb.words(
    0xFF, 0xFF << 56, 0x0000001818000000, 0x00003C3C3C3C0000
)
FLOOR = 0.05
"""Share of the replies that a softmax model takes to be uniformly random: what is possible stays possible."""


class Scene(NamedTuple):
    """What all replies on one board have in common.

    side: who replies. own, other: its men and ours. occupied: all. attacked: squares that our men attack; covered,
    twice: that its men attack, and more than one of them; by_pawns: that our pawns attack. checkers: our men that give
    check. retake: the square where we have just taken, -1 for none. is_early, is_late: 0 or 1.
    """

    side: int
    own: kb.Word
    other: kb.Word
    occupied: kb.Word
    attacked: kb.Word
    covered: kb.Word
    twice: kb.Word
    by_pawns: kb.Word
    checkers: kb.Word
    retake: int
    is_early: int
    is_late: int


@kb.inlined
def scene_of(tables: kb.Words, position: kb.Position, heard: Announced) -> Scene:
    """The scene of a position in which the opponent is to move."""
    side = kb.side_to_move(position)
    own, other = kb.men_of(position, side)
    pawns, up = position.pawns & other, kb.forward(1 - side)
    by_pawns = kb.shifted(pawns & kb.NOT_FILE_A, up - 1) | kb.shifted(pawns & kb.NOT_FILE_H, up + 1)
    checkers, _ = kb.check_info(tables, position)
    reached = kb.reach(tables, position, side)
    return Scene(
        side,
        own,
        other,
        own | other,
        kb.attacked_by(tables, position, 1 - side, own | other),
        reached.every,
        reached.twice,
        by_pawns,
        checkers,
        kb.captured_on(heard.ours),
        1 if kb.plies_played(position) < EARLY_PLIES else 0,
        1 if kb.popcount(own | other) <= LATE_MEN else 0,
    )


@kb.inlined
def attacks_of(tables: kb.Words, kind: int, side: int, square: int, occupied: kb.Word) -> kb.Word:
    """Squares that a man of a kind attacks from a square."""
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
def is_covered(tables: kb.Words, position: kb.Position, scene: Scene, origin: int, target: int) -> bool:
    """Whether another man of the mover's covers the target of its move."""
    men, occupied = scene.own & ~kb.bit(origin), scene.occupied & ~kb.bit(origin)
    covering = kb.pawn_attacks(tables, 1 - scene.side, target) & position.pawns
    covering |= kb.knight_attacks(tables, target) & position.knights
    covering |= kb.king_attacks(tables, target) & position.kings
    covering |= kb.bishop_attacks(tables, target, occupied) & position.diagonals
    covering |= kb.rook_attacks(tables, target, occupied) & position.orthogonals
    return covering & men != kb.NONE


@kb.inlined
def standing(weights: kb.Reals, side: int, kind: int, square: int) -> float:
    """Weights of the rank and the file that a man stands on."""
    rank, file = square >> 3 if side == kb.WHITE else 7 - (square >> 3), square & 7
    return weights[RANKS + 6 * rank + kind] + weights[FILES + 6 * min(file, 7 - file) + kind]


@kb.kernel
def mates(tables: kb.Words, position: kb.Position, move: int, scratch: kb.Moves) -> bool:
    """Whether a move that gives check leaves no legal move; `scratch` is room to list them."""
    after, _ = kb.make_move(tables, position, move)
    checkers, pinned = kb.check_info(tables, after)
    return not kb.has_legal_move(tables, after, checkers, pinned, scratch)


@kb.inlined
def score(
    tables: kb.Words, position: kb.Position, scene: Scene, move: int, weights: kb.Reals, scratch: kb.Moves
) -> float:
    """Sum of the weights [len(NAMES)] of a move's features; `scratch` is room to list moves."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12
    start, end = kb.bit(origin), kb.bit(target)
    kind = kb.kind_of(position, start)
    total = weights[MOVES + kind] + standing(weights, scene.side, kind, target)
    total -= standing(weights, scene.side, kind, origin)
    ahead = (target >> 3) - (origin >> 3) if scene.side == kb.WHITE else (origin >> 3) - (target >> 3)
    rank = target >> 3 if scene.side == kb.WHITE else 7 - (target >> 3)
    if ahead > 0:
        total += weights[FORWARD + kind]
    elif ahead < 0:
        total += weights[BACKWARD + kind]
    taken = -1
    if end & scene.other:
        taken = kb.kind_of(position, end)
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
    if kb.king_attacks(tables, kb.lsb(enemy_king)) & end:
        total += weights[NEAR_KING + kind]
    if kind == kb.PAWN:
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
    seen = attacks_of(tables, kind, scene.side, target, scene.occupied & ~start)
    if seen & enemy_king:
        if kind != kb.PAWN:
            total += weights[ATTACKS_KING]
        if weights[MATES] != 0.0 and mates(tables, position, move, scratch):  # takes long, and checks are few
            total += weights[MATES]
    if seen & kb.king_attacks(tables, kb.lsb(enemy_king)):
        total += weights[LOOKS + kind]
    men = scene.own & ~position.kings & ~start
    before = attacks_of(tables, kind, scene.side, origin, scene.occupied)
    if before & ~seen & men & ~scene.twice:
        total += weights[LEAVES + kind]
    if seen & men & ~scene.covered:
        total += weights[COVERS + kind]
    if kind == kb.KING:
        if scene.checkers:
            total += weights[OUT_OF_CHECK]
        if abs((target & 7) - (origin & 7)) == 2:
            total += weights[CASTLES]
    if kind in (kb.KNIGHT, kb.BISHOP):
        home = FIRST_RANK if scene.side == kb.WHITE else EIGHTH_RANK
        if start & home and not end & home:
            total += weights[DEVELOPS]
    if end & CENTRE_SQUARES:
        total += weights[CENTRE]
    elif end & WIDE_SQUARES:
        total += weights[WIDE_CENTRE]
    if kind >= kb.BISHOP and kind <= kb.QUEEN and max(abs((target & 7) - (origin & 7)), abs(ahead)) >= 4:
        total += weights[FAR]
    return total


@kb.inlined
def score_moves(
    tables: kb.Words,
    position: kb.Position,
    heard: Announced,
    moves: kb.Moves,
    count: int,
    weights: kb.Reals,
    scores: kb.Reals,
) -> None:
    """Write the score of each of `count` replies by weights [len(NAMES)]."""
    scene, scratch = scene_of(tables, position, heard), kb.advance(moves, kb.MAX_MOVES // 2)
    for i in range(count):
        scores[i] = score(tables, position, scene, moves[i], weights, scratch)


@kb.inlined
def softmax(scores: kb.Reals, count: int) -> None:
    """Turn scores into how likely each of `count` replies is, with its uniform share."""
    total = 0.0
    for i in range(count):
        scores[i] = exp(scores[i])
        total += scores[i]
    for i in range(count):
        scores[i] = (1.0 - FLOOR) * scores[i] / total + FLOOR / count


@kb.entry
def _list_features(
    tables: kb.WordArray,
    row: kb.WordArray,
    heard: Announced,
    moves: kb.MoveArray,
    units: kb.RealArray,
    found: kb.RealArray,
) -> int:
    position, features = kb.load(kb.pointer(row), 0), len(units)
    listed, unit = kb.pointer(moves), kb.pointer(units)
    count = kb.legal_moves(kb.pointer(tables), position, listed)
    scene, scratch = scene_of(kb.pointer(tables), position, heard), kb.advance(listed, kb.MAX_MOVES // 2)
    for feature in range(features):
        unit[feature] = 1.0
        for i in range(count):
            found[i * features + feature] = score(kb.pointer(tables), position, scene, listed[i], unit, scratch)
        unit[feature] = 0.0
    return count


def features_of(row: kb.WordArray, ours: int, theirs: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int8]]:
    """The features of every legal move of a position, each found by a weight of 1 for it alone.

    Args:
      row: uint64[8], the opponent to move.
      ours: what was announced of our move, as `kernels.announcements` writes it.
      theirs: the same of the opponent's own move before.

    Returns:
      moves [M] as kernels encode them, and features [M, len(NAMES)].
    """
    moves, found = np.empty(kb.MAX_MOVES, np.int32), np.empty(kb.MAX_MOVES * len(NAMES))
    count = _list_features(kb.TABLES, row, Announced(ours, theirs), moves, np.zeros(len(NAMES)), found)
    return moves[:count].copy(), found[: count * len(NAMES)].reshape(count, -1).astype(np.int8)
