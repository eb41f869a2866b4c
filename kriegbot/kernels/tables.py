"""Tables of chess geometry in one flat vector of uint64, built from those of python-chess in some milliseconds.

Kernels receive it as a pointer, since numba would copy a global array into every compiled function.

Magic bitboards give the attacks of sliders (Kannan and Hansen, "Magic Move-Bitboard Generation in Computer Chess",
2007): a multiplication and a shift hash the blockers of a slider to the index of its attack set. The multipliers come
from a search of random numbers with few bits.
"""

from math import comb

import chess
import numpy as np

from kriegbot.kernels.types import WordArray

# Start of each table: 64 entries, one per square, unless noted otherwise.
KNIGHT = 0
KING = 64
PAWN = 128  # [2, 64] squares that a white or a black pawn attacks
ROOK = 256  # [4, 64] mask of blockers, magic, index of the first attack set, shift
BISHOP = 512
RIGHTS = 768  # castling rights (K Q k q) that remain after a move from or to the square
BETWEEN = 832  # [64, 64] squares strictly between two squares of a line, else none
LINE = BETWEEN + 4096  # [64, 64] the whole line through two squares, else none
ATTACKS = LINE + 4096  # attack sets: 102,400 for rooks, then 5,248 for bishops
CHOOSE = ATTACKS + 102_400 + 5_248  # [64, 8] ways to choose 1 to 8 of the squares before this one
SIZE = CHOOSE + 64 * 8

MASK, MAGIC, FIRST, SHIFT = 0, 64, 128, 192

# fmt: off
ROOK_MAGICS = (
    0xB080024000322080, 0x00C0200140045000, 0x0280200088100280, 0xC080043000800800,
    0x0080040006810800, 0x1200431018020004, 0x43000083000C0600, 0x0600005500220084,
    0x8240801040008020, 0x0498400020005000, 0x4186005042A08201, 0x0001000902300120,
    0x0801801800800400, 0x1010808022000400, 0x000C000224011008, 0x0110800100104080,
    0x0000420023820100, 0x0140002000300800, 0x0090808020005000, 0x0808420009605200,
    0x0004008028000481, 0x888E008014008062, 0x0310440010020801, 0x00400A00008A4904,
    0x0400400080208004, 0x0840200040005002, 0x0010200080801000, 0x0000100100220900,
    0x4198028080040028, 0x0414008080120004, 0x0020104400220803, 0x0100084200088104,
    0x0400314000800283, 0x48A0006040401000, 0x0000812004801000, 0x2668010010100200,
    0x120A00108A000420, 0x0024800401802200, 0x0100060804004110, 0x000015014A000094,
    0x0002400022808004, 0x0000402010044005, 0x2000120080220040, 0x4800100100290020,
    0x2215002800110004, 0x13004C2040080110, 0x8181002E00090004, 0x00100D4102820004,
    0x08C0044020800180, 0x0080200440048080, 0x010580200C100080, 0x0510012091020B00,
    0xC020810020405002, 0x001400340A008080, 0x0100318630080C00, 0x01110003A0C20100,
    0x0412030040228032, 0x0142810200104022, 0x0441420010082082, 0x0002004810042142,
    0x0009000A24100801, 0x0203008204004801, 0x1000300208008304, 0x0014004224009702,
)
BISHOP_MAGICS = (
    0x0086500606004206, 0x008C210212220000, 0x2942020200240400, 0x0812408100448A12,
    0x000F104000409080, 0xA413280840280040, 0x10240A0504202002, 0x3001040054040400,
    0x1000401005820094, 0x0102020801110200, 0xC8002218A4008208, 0x1002040400812810,
    0x1180020210424004, 0x0000012410401824, 0x106002C210101890, 0x1410482402080480,
    0x4089001220030400, 0x0808020210840884, 0x0044010808401200, 0x00A04044010420C0,
    0x8004000A11040080, 0x0602000100828480, 0x2001056080901000, 0x0002200042080401,
    0x1020440008100400, 0x0004040460014400, 0x4008300408088220, 0x00040800082200C0,
    0x0001840001802000, 0x0090014002080200, 0x0A040C300D010500, 0x400100200A00A401,
    0x0890041254204A00, 0x0426022020122804, 0x0000210700100400, 0x00220100401400C1,
    0x8026420020020080, 0x03200400A4010180, 0x8208022041408800, 0x0302042100104052,
    0x00120602C0022100, 0x4082080104200808, 0x0008940124010800, 0x0001404200800800,
    0x0400084100441400, 0x4006020042008100, 0x44141D0E0A060400, 0x820246040100C0A1,
    0x21008210100400C4, 0x0408840119508040, 0x3000492108188008, 0x0010048021880400,
    0x140400510A020041, 0x1040080218020002, 0x00204A0608290042, 0x00A0040400604402,
    0x00020101011002A1, 0x004201010101608C, 0x02200000C0441002, 0x0004200008A08801,
    0x4004104011020203, 0x0101414110821084, 0x2040401001C90500, 0x0008220818010411,
)
# fmt: on


def build() -> WordArray:
    """Build the tables: uint64[SIZE]."""
    tables = np.zeros(SIZE, np.uint64)
    tables[KNIGHT:KING], tables[KING:PAWN] = chess.BB_KNIGHT_ATTACKS, chess.BB_KING_ATTACKS
    tables[PAWN:ROOK] = [*chess.BB_PAWN_ATTACKS[chess.WHITE], *chess.BB_PAWN_ATTACKS[chess.BLACK]]
    tables[RIGHTS : RIGHTS + 64] = 0b1111
    for square, remaining in ((4, 0b1100), (7, 0b1110), (0, 0b1101), (60, 0b0011), (63, 0b1011), (56, 0b0111)):
        tables[RIGHTS + square] = remaining
    tables[BETWEEN:LINE] = [chess.between(a, b) for a in chess.SQUARES for b in chess.SQUARES]
    tables[LINE:ATTACKS] = [chess.ray(a, b) for a in chess.SQUARES for b in chess.SQUARES]
    end = _sliders(tables, ROOK, ROOK_MAGICS, ATTACKS, chess.BB_RANK_ATTACKS, chess.BB_FILE_ATTACKS)
    _sliders(tables, BISHOP, BISHOP_MAGICS, end, chess.BB_DIAG_ATTACKS)
    tables[CHOOSE:] = [comb(square, chosen) for square in chess.SQUARES for chosen in range(1, 9)]
    return tables


def _sliders(tables: WordArray, begin: int, magics: tuple[int, ...], place: int, *lines: list[dict[int, int]]) -> int:
    """Fill in the masks, magics, shifts and attack sets of one slider; return the index behind them.

    The attack sets begin at index `place`. `lines` are python-chess's attacks along lines: for each
    square, from blockers to attacked squares.
    """
    for square, magic in enumerate(magics):
        occupied = attacks = np.zeros(1, np.uint64)
        for line in lines:
            occupied = np.bitwise_or.outer(occupied, np.fromiter(line[square], np.uint64)).ravel()
            attacks = np.bitwise_or.outer(attacks, np.fromiter(line[square].values(), np.uint64)).ravel()
        mask = occupied.max()
        shift = 64 - int(mask).bit_count()
        tables[place + (occupied * np.uint64(magic) >> np.uint64(shift)).astype(np.int64)] = attacks
        for field, value in ((MASK, mask), (MAGIC, magic), (FIRST, place), (SHIFT, shift)):
            tables[begin + field + square] = value
        place += len(attacks)
    return place


TABLES = build()  # first argument of every entry kernel
