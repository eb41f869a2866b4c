"""KS plus hanging pieces, king safety, passed pawns and a mating net.

Pieces hang if they are attacked and unprotected, or, pawns apart, attacked by a pawn. Development, pawns in the centre
and a king at home count while the opponent has more than `LITTLE_LEFT`. If `side` is ahead, pawns apart, a net around
the other king counts. If it is ahead with them, too, and the opponent has little left, so does driving that king to the
edge with its own near. The opponent's net counts nothing. The weights are guesses tried in matches (trials 15 and 29).
"""

from evaluators.ks import Weights, material, value_of, valued
from evaluators.protocol import MAX_CENTIPAWNS, evaluator
from kriegbot import kernels as kb

OURS_LOOSE, THEIRS_LOOSE = 20, 6  # percent of the value of hanging pieces, ours and theirs
UNDEVELOPED, RIM, AWAY_FROM_HOME, CASTLED, MAY_CASTLE, CENTRE = 10, 10, 18, 25, 12, 8  # centipawns, for `home`
PASSED = (0, 5, 10, 20, 40, 70, 120, 0)  # centipawns for a passed pawn by its rank
LITTLE_LEFT = 1000  # centipawns apart from pawns up to which a side has little left
TO_EDGE, NEARER = 12, 6
"""Centipawns for each step of the other king from the centre, and for each step that our king is nearer to it."""
NET, QUEENS_LEAD, MANY = 60, 800, 3000
"""Centipawns for each attacked square around the other king, and off for each free one. They count in full with a lead
of QUEENS_LEAD centipawns and MANY of our own, pawns apart, and in proportion below."""

KS = Weights()
WHITE_HOME, BLACK_HOME = kb.words(0xFF, 0xFF << 56)
EIGHT, CENTRE_SQUARES, BOTH_RIGHTS = kb.words(8, 0x0000001818000000, 3)
RANKS = kb.words(8, 16, 32)  # squares in one, two and four ranks


@kb.kernel
def loose(position: kb.Position, own: kb.Word, covered: kb.Word, attacked: kb.Word, by_pawns: kb.Word) -> int:
    """Return the value of a side's hanging pieces."""
    pieces = own & ~position.kings
    return value_of(position, (pieces & attacked & ~covered) | (pieces & ~position.pawns & by_pawns & covered))


@kb.kernel
def pawns_attack(position: kb.Position, pieces: kb.Word, side: int) -> kb.Word:
    """Return the squares that a side's pawns attack."""
    left, right = kb.attacks_of_pawns(position.pawns & pieces, side)
    return left | right


@kb.kernel
def passers(position: kb.Position, own: kb.Word, other: kb.Word, side: int) -> kb.Word:
    """Return a side's passed pawns."""
    blocked = position.pawns & other
    blocked |= (blocked & kb.NOT_FILE_A) >> kb.ONE | (blocked & kb.NOT_FILE_H) << kb.ONE
    blocked = blocked >> EIGHT if side == kb.WHITE else blocked << EIGHT
    for squares in RANKS:  # the enemy pawns fill all squares in front of them
        blocked |= blocked >> squares if side == kb.WHITE else blocked << squares
    return position.pawns & own & ~blocked


@kb.kernel
def passed(position: kb.Position, own: kb.Word, other: kb.Word, side: int) -> int:
    """Return the bonus for a side's passed pawns."""
    free, total = passers(position, own, other, side), 0
    while free:
        rank = kb.lsb(free) >> 3
        total += PASSED[rank if side == kb.WHITE else 7 - rank]
        free &= free - kb.ONE
    return total


@kb.kernel
def home(position: kb.Position, own: kb.Word, side: int) -> int:
    """Return the score of development, pawns in the centre, and a king at home."""
    rank = WHITE_HOME if side == kb.WHITE else BLACK_HOME
    bishops = position.diagonals & ~position.orthogonals
    score = -RIM * kb.popcount(position.knights & own & ~(kb.NOT_FILE_A & kb.NOT_FILE_H))
    score -= UNDEVELOPED * kb.popcount((position.knights | bishops) & own & rank)
    score += CENTRE * kb.popcount(position.pawns & own & CENTRE_SQUARES)
    square = kb.lsb(position.kings & own)
    file, away = square & 7, square >> 3 if side == kb.WHITE else 7 - (square >> 3)
    if away > 0:
        return score - AWAY_FROM_HOME * min(away, 3) - (AWAY_FROM_HOME if file >= 2 and file <= 5 else 0)
    if position.meta >> kb.word(1 + 2 * side) & BOTH_RIGHTS:
        return score + MAY_CASTLE
    return score + (CASTLED if file >= 6 or file <= 2 else 0)


@kb.kernel
def steps(a: int, b: int) -> int:
    """Return the king's steps between two squares."""
    return max(abs((a & 7) - (b & 7)), abs((a >> 3) - (b >> 3)))


@kb.kernel
def hunt(position: kb.Position, own: kb.Word, other: kb.Word) -> int:
    """Return the score for a nearly bare king near the edge, and for ours near it."""
    king, prey = kb.lsb(position.kings & own), kb.lsb(position.kings & other)
    file, rank = prey & 7, prey >> 3
    from_centre = max(3 - file, file - 4) + max(3 - rank, rank - 4)
    return TO_EDGE * from_centre + NEARER * (7 - steps(king, prey))


@kb.kernel
def net(tables: kb.Words, position: kb.Position, other: kb.Word, attacked: kb.Word) -> int:
    """Count squares around the other side's king that are attacked, less those that are free to it."""
    near = kb.king_attacks(tables, kb.lsb(position.kings & other))
    return kb.popcount(near & attacked) - kb.popcount(near & ~attacked & ~other)


@evaluator
def sound(tables: kb.Words, position: kb.Position, side: int) -> int:
    """Return centipawns for `side`, whoever is to move; the game is not over."""
    own, other = kb.pieces_of(position, side)
    ours = kb.attacked_by(tables, position, side, own | other)
    theirs = kb.attacked_by(tables, position, 1 - side, own | other)
    score = valued(position, side, ours, ours & own & ~position.kings, KS)
    score -= OURS_LOOSE * loose(position, own, ours, theirs, pawns_attack(position, other, 1 - side)) // 100
    score += THEIRS_LOOSE * loose(position, other, theirs, ours, pawns_attack(position, own, side)) // 100
    score += passed(position, own, other, side) - passed(position, other, own, 1 - side)
    pieces, enemy_pieces = value_of(position, own & ~position.pawns), value_of(position, other & ~position.pawns)
    if enemy_pieces > LITTLE_LEFT:
        score += home(position, own, side)
    elif material(position, own, other) > 0 and pieces > enemy_pieces:
        score += hunt(position, own, other)
    lead = min(pieces - enemy_pieces, QUEENS_LEAD)
    if lead > 0:
        score += NET * net(tables, position, other, ours) * min(pieces, MANY) // MANY * lead // QUEENS_LEAD
    if pieces > LITTLE_LEFT:
        score -= home(position, other, 1 - side)
    return min(max(score, -MAX_CENTIPAWNS), MAX_CENTIPAWNS)
