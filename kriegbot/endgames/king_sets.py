"""Kernels on sets of king squares: a try, the referee's answer, and the lone king's step.

Our own pieces are known, so against a bare king an information set is a bitboard: the squares on which the king may
stand. A lone king gives no check and blocks no line that matters. So all boards of a set share one map of attacks, with
only our pieces on the board: the king may step to any square off the map, may capture an unprotected piece, and
is in check on the map. Every operation treats all boards of a set at once.

Our pawns move up the board; `king_squares` turns the board for Black. We never castle.
"""

from typing import NamedTuple

from kriegbot import kernels as kb

RISING_IS_LONG = kb.words(sum(1 << s for s in range(64) if abs((s & 7) - (s >> 3)) < abs(7 - (s & 7) - (s >> 3))))[0]
"""Squares whose longer diagonal rises towards file h."""
RANK_1, RANK_3, RANK_8, FILE_A = kb.words(0xFF, 0xFF0000, 0xFF << 56, 0x0101010101010101)
TWO, EIGHT = kb.words(2, 8)
REFUSED, OUR_TURN, PIECE_LOST, MATED, DRAWN, STALEMATED = 0, 1, 2, 3, 4, 5
"""Types of outcomes. After the first three we move; PIECE_LOST leaves us enough to mate."""
MAX_OUTCOMES = 64
"""Upper bound: a refusal, a quiet move, 15 captures, some directions of check, mate, stalemate, a draw."""
OUTCOME = 8
"""Words of an outcome: our pieces (5), the king's squares, number of boards, type."""


class Pieces(NamedTuple):
    """Our pieces as bitboards. Queens are both diagonals and orthogonals, as in a `Position`."""

    pawns: kb.Word
    knights: kb.Word
    diagonals: kb.Word
    orthogonals: kb.Word
    king: kb.Word


class KingSet(NamedTuple):
    """An information set with us to move: our pieces and the squares of the king."""

    pieces: Pieces
    squares: kb.Word


class Attacks(NamedTuple):
    """Squares that our pieces attack, by direction of check, and `all`, including those of our king."""

    rank: kb.Word
    file: kb.Word
    long_diagonal: kb.Word
    short_diagonal: kb.Word
    knight: kb.Word
    all: kb.Word


@kb.inlined
def all_pieces(ours: Pieces) -> kb.Word:
    """Return the squares of our pieces."""
    return ours.pawns | ours.knights | ours.diagonals | ours.orthogonals | ours.king


@kb.inlined
def steps_from(squares: kb.Word) -> kb.Word:
    """Return the squares one king step from any of these squares."""
    beside = ((squares & kb.NOT_FILE_H) << kb.ONE) | ((squares & kb.NOT_FILE_A) >> kb.ONE)
    row = squares | beside
    return beside | (row << EIGHT) | (row >> EIGHT)


@kb.kernel
def attacks_of(tables: kb.Words, ours: Pieces) -> Attacks:
    """Return the squares that our pieces attack, without the enemy king on the board."""
    own = all_pieces(ours)
    rank, file, rising, falling, knight = kb.NONE, kb.NONE, kb.NONE, kb.NONE, kb.NONE
    rest = ours.orthogonals
    while rest:
        square = kb.lsb(rest)
        reached, row = kb.rook_attacks(tables, square, own), RANK_1 << kb.word(square & 56)
        rank |= reached & row
        file |= reached & ~row
        rest &= rest - kb.ONE
    rest = ours.diagonals
    while rest:
        square = kb.lsb(rest)
        reached, here = kb.bishop_attacks(tables, square, own), rest & (kb.NONE - rest)
        above = ~(here | (here - kb.ONE))
        right = ~(FILE_A * ((TWO << kb.word(square & 7)) - kb.ONE))
        rises = (above & right) | (~above & ~right)
        rising |= reached & rises
        falling |= reached & ~rises
        rest &= rest - kb.ONE
    rest = ours.knights
    while rest:
        knight |= kb.knight_attacks(tables, kb.lsb(rest))
        rest &= rest - kb.ONE
    rising |= kb.shifted(ours.pawns & kb.NOT_FILE_H, 9)
    falling |= kb.shifted(ours.pawns & kb.NOT_FILE_A, 7)
    long_diagonal = (rising & RISING_IS_LONG) | (falling & ~RISING_IS_LONG)
    short_diagonal = (rising & ~RISING_IS_LONG) | (falling & RISING_IS_LONG)
    reached = rank | file | rising | falling | knight | kb.king_attacks(tables, kb.lsb(ours.king))
    return Attacks(rank, file, long_diagonal, short_diagonal, knight, reached)


@kb.kernel
def list_tries(tables: kb.Words, ours: Pieces, moves: kb.Moves) -> int:
    """Write the useful tries to `moves`: no castling or pawn captures, promotions to queen and rook only."""
    own = all_pieces(ours)
    count = kb.add_moves(moves, 0, kb.lsb(ours.king), kb.king_attacks(tables, kb.lsb(ours.king)) & ~own)
    rest = own ^ ours.king
    while rest:
        square, here = kb.lsb(rest), rest & (kb.NONE - rest)
        step = kb.shifted(here & ours.pawns, 8) & ~own
        targets = step | (kb.shifted(step & RANK_3, 8) & ~own)
        if step & RANK_8:
            moves[count] = square | (square + 8) << 6 | kb.QUEEN << 12
            moves[count + 1] = square | (square + 8) << 6 | kb.ROOK << 12
            count, targets = count + 2, kb.NONE
        if here & ours.knights:
            targets |= kb.knight_attacks(tables, square)
        if here & ours.diagonals:
            targets |= kb.bishop_attacks(tables, square, own)
        if here & ours.orthogonals:
            targets |= kb.rook_attacks(tables, square, own)
        count = kb.add_moves(moves, count, square, targets & ~own)
        rest &= rest - kb.ONE
    return count


@kb.kernel
def refusing(tables: kb.Words, ours: Pieces, move: int) -> kb.Word:
    """Return the squares of the lone king that make a try illegal."""
    origin, target = move & 63, move >> 6 & 63
    if kb.bit(origin) & ours.king:
        return kb.king_attacks(tables, target) | kb.bit(target)
    if kb.bit(origin) & ours.pawns:
        if (target - origin) & 7:
            return kb.EVERYWHERE
        return kb.between(tables, origin, target) | kb.bit(target)
    return kb.NONE


@kb.kernel
def after_try(ours: Pieces, move: int) -> Pieces:
    """Return our pieces after an accepted try that is no castling."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12 & 7
    pawns, knights = kb.moved(ours.pawns, origin, target), kb.moved(ours.knights, origin, target)
    diagonals, orthogonals = kb.moved(ours.diagonals, origin, target), kb.moved(ours.orthogonals, origin, target)
    if promotion:
        pawns ^= kb.bit(target)
        knights |= kb.bit(target) if promotion == kb.KNIGHT else kb.NONE
        diagonals |= kb.bit(target) if promotion in (kb.BISHOP, kb.QUEEN) else kb.NONE
        orthogonals |= kb.bit(target) if promotion in (kb.ROOK, kb.QUEEN) else kb.NONE
    return Pieces(pawns, knights, diagonals, orthogonals, kb.moved(ours.king, origin, target))


@kb.inlined
def without(ours: Pieces, square: kb.Word) -> Pieces:
    """Return our pieces without a captured one."""
    left = ~square
    return Pieces(ours.pawns & left, ours.knights & left, ours.diagonals & left, ours.orthogonals & left, ours.king)


@kb.inlined
def attacked_alike(squares: kb.Word, king: kb.Word, attacked: kb.Word) -> kb.Word:
    """Keep the squares that are attacked if the king is, or not attacked if it is not."""
    return squares & (attacked if king & attacked else ~attacked)


@kb.inlined
def with_same_checks(squares: kb.Word, king: kb.Word, attacks: Attacks) -> kb.Word:
    """Keep the squares on which the referee announces the same checks as on the king's square."""
    squares = attacked_alike(squares, king, attacks.rank)
    squares = attacked_alike(squares, king, attacks.file)
    squares = attacked_alike(squares, king, attacks.long_diagonal)
    squares = attacked_alike(squares, king, attacks.short_diagonal)
    return attacked_alike(squares, king, attacks.knight)


@kb.kernel
def can_mate(ours: Pieces) -> bool:
    """Return True unless we have too little: at most a minor piece, two knights, or bishops of one colour."""
    if ours.pawns | ours.orthogonals:
        return True
    dark, light = ours.diagonals & kb.DARK_SQUARES, ours.diagonals & ~kb.DARK_SQUARES
    if dark and light:
        return True
    return kb.popcount(ours.knights) > (0 if ours.diagonals else 2)


@kb.inlined
def pieces_at(rows: kb.Words, row: int) -> Pieces:
    """Return our pieces in an outcome, a row of OUTCOME words."""
    i = OUTCOME * row
    return Pieces(rows[i], rows[i + 1], rows[i + 2], rows[i + 3], rows[i + 4])


@kb.inlined
def set_at(outcomes: kb.Words, row: int) -> KingSet:
    """Return the information set of an outcome after which we move."""
    return KingSet(pieces_at(outcomes, row), outcomes[OUTCOME * row + 5])


@kb.inlined
def append_outcome(outcomes: kb.Words, count: int, after: KingSet, boards: int, kind: int) -> int:
    """Append an outcome; return the new count."""
    ours = after.pieces
    i = OUTCOME * count
    for k in range(5):
        outcomes[i + k] = ours[k]
    outcomes[i + 5] = after.squares
    outcomes[i + 6] = kb.word(boards)
    outcomes[i + 7] = kb.word(kind)
    return count + 1


@kb.kernel
def outcomes_of(tables: kb.Words, ours: Pieces, squares: kb.Word, move: int, outcomes: kb.Words) -> int:
    """Write the distinguishable outcomes of a try up to our next try; return their number.

    A king that can capture counts once, as making its first capture. So the numbers of boards add up to that of the
    set, although each capture is an outcome, and the squares of others include the other steps of such a king. There is
    no outcome if every board refuses the try.
    """
    refused = squares & refusing(tables, ours, move)
    rest = squares & ~refused
    if rest == kb.NONE:
        return 0
    count = 0
    if refused:
        count = append_outcome(outcomes, count, KingSet(ours, refused), kb.popcount(refused), REFUSED)
    after = after_try(ours, move)
    attacks = attacks_of(tables, after)
    free, own = ~attacks.all, all_pieces(after)
    going = rest & steps_from(free)
    stuck, nowhere = rest ^ going, KingSet(after, kb.NONE)
    if stuck & attacks.all:
        count = append_outcome(outcomes, count, nowhere, kb.popcount(stuck & attacks.all), MATED)
    if stuck & free:
        count = append_outcome(outcomes, count, nowhere, kb.popcount(stuck & free), STALEMATED)
    hanging, capturers = own & free & ~after.king, kb.NONE
    while hanging:
        square = hanging & (kb.NONE - hanging)
        capturing = going & kb.king_attacks(tables, kb.lsb(hanging))
        if capturing:
            left = KingSet(without(after, square), square)
            kind = PIECE_LOST if can_mate(left.pieces) else DRAWN
            count = append_outcome(outcomes, count, left, kb.popcount(capturing & ~capturers), kind)
        capturers |= capturing
        hanging &= hanging - kb.ONE
    while going:
        alike = with_same_checks(going, going & (kb.NONE - going), attacks)
        following = steps_from(alike) & free & ~own
        if following:
            quiet = KingSet(after, following)
            count = append_outcome(outcomes, count, quiet, kb.popcount(alike & ~capturers), OUR_TURN)
        going ^= alike
    return count
