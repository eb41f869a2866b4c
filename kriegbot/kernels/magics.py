"""Magic multipliers: hash the men that block a slider to its attack set with one multiplication and one shift.

The method is by Kannan and Hansen ("Magic Move-Bitboard Generation in Computer Chess", 2007). The numbers below were
found by `find`, a random search with a fixed seed: `python -m kriegbot.kernels.magics` prints them again.
"""

import numpy as np

from kriegbot.kernels.jit import WordArray

ROOK_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))
BISHOP_DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
Directions = tuple[tuple[int, int], ...]


def ray(square: int, direction: tuple[int, int]) -> list[int]:
    """Squares from `square`, itself left out, to the edge of the board; a direction is (ranks, files)."""
    rank, file = square // 8 + direction[0], square % 8 + direction[1]
    squares = []
    while 0 <= rank < 8 and 0 <= file < 8:
        squares.append(8 * rank + file)
        rank, file = rank + direction[0], file + direction[1]
    return squares


def blockers_and_attacks(square: int, directions: Directions) -> tuple[int, WordArray, WordArray]:
    """Mask of the squares where a man may block (edges left out), every set of blockers [2^n], its attacks [2^n]."""
    blocking = [s for direction in directions for s in ray(square, direction)[:-1]]
    index = np.arange(1 << len(blocking), dtype=np.uint64)
    occupied = np.zeros_like(index)
    for i, s in enumerate(blocking):
        occupied |= (index >> np.uint64(i) & np.uint64(1)) << np.uint64(s)
    attacks = np.zeros_like(index)
    for direction in directions:
        open_so_far = np.full_like(index, 2**64 - 1)
        for s in ray(square, direction):
            attacks |= open_so_far & np.uint64(1 << s)
            open_so_far &= (occupied >> np.uint64(s) & np.uint64(1)) - np.uint64(1)
    return sum(1 << s for s in blocking), occupied, attacks


def find(square: int, directions: Directions, rng: np.random.Generator) -> int:
    """Find a multiplier that maps every set of blockers to a place of its own, or one shared with equal attacks."""
    mask, occupied, attacks = blockers_and_attacks(square, directions)
    shift = np.uint64(64 - mask.bit_count())
    while True:
        a, b, c = rng.integers(0, 2**64, 3, dtype=np.uint64)
        magic = a & b & c  # few bits set: such numbers collide less often often
        place = (occupied * magic >> shift).astype(np.int64)
        table = np.zeros_like(attacks)
        table[place] = attacks
        if np.array_equal(table[place], attacks):
            return int(magic)


def main() -> None:
    """Print both tables as in this file."""
    rng = np.random.default_rng(2006)
    for name, directions in (("ROOK_MAGICS", ROOK_DIRECTIONS), ("BISHOP_MAGICS", BISHOP_DIRECTIONS)):
        print(f"{name} = (")
        magics = [f"0x{find(square, directions, rng):016x}," for square in range(64)]
        for i in range(0, 64, 4):
            print("    " + " ".join(magics[i : i + 4]))
        print(")")


# fmt: off - a table
ROOK_MAGICS = (
    0xB080024000322080,
    0x00C0200140045000,
    0x0280200088100280,
    0xC080043000800800,
    0x0080040006810800,
    0x1200431018020004,
    0x43000083000C0600,
    0x0600005500220084,
    0x8240801040008020,
    0x0498400020005000,
    0x4186005042A08201,
    0x0001000902300120,
    0x0801801800800400,
    0x1010808022000400,
    0x000C000224011008,
    0x0110800100104080,
    0x0000420023820100,
    0x0140002000300800,
    0x0090808020005000,
    0x0808420009605200,
    0x0004008028000481,
    0x888E008014008062,
    0x0310440010020801,
    0x00400A00008A4904,
    0x0400400080208004,
    0x0840200040005002,
    0x0010200080801000,
    0x0000100100220900,
    0x4198028080040028,
    0x0414008080120004,
    0x0020104400220803,
    0x0100084200088104,
    0x0400314000800283,
    0x48A0006040401000,
    0x0000812004801000,
    0x2668010010100200,
    0x120A00108A000420,
    0x0024800401802200,
    0x0100060804004110,
    0x000015014A000094,
    0x0002400022808004,
    0x0000402010044005,
    0x2000120080220040,
    0x4800100100290020,
    0x2215002800110004,
    0x13004C2040080110,
    0x8181002E00090004,
    0x00100D4102820004,
    0x08C0044020800180,
    0x0080200440048080,
    0x010580200C100080,
    0x0510012091020B00,
    0xC020810020405002,
    0x001400340A008080,
    0x0100318630080C00,
    0x01110003A0C20100,
    0x0412030040228032,
    0x0142810200104022,
    0x0441420010082082,
    0x0002004810042142,
    0x0009000A24100801,
    0x0203008204004801,
    0x1000300208008304,
    0x0014004224009702,
)
BISHOP_MAGICS = (
    0x0086500606004206,
    0x008C210212220000,
    0x2942020200240400,
    0x0812408100448A12,
    0x000F104000409080,
    0xA413280840280040,
    0x10240A0504202002,
    0x3001040054040400,
    0x1000401005820094,
    0x0102020801110200,
    0xC8002218A4008208,
    0x1002040400812810,
    0x1180020210424004,
    0x0000012410401824,
    0x106002C210101890,
    0x1410482402080480,
    0x4089001220030400,
    0x0808020210840884,
    0x0044010808401200,
    0x00A04044010420C0,
    0x8004000A11040080,
    0x0602000100828480,
    0x2001056080901000,
    0x0002200042080401,
    0x1020440008100400,
    0x0004040460014400,
    0x4008300408088220,
    0x00040800082200C0,
    0x0001840001802000,
    0x0090014002080200,
    0x0A040C300D010500,
    0x400100200A00A401,
    0x0890041254204A00,
    0x0426022020122804,
    0x0000210700100400,
    0x00220100401400C1,
    0x8026420020020080,
    0x03200400A4010180,
    0x8208022041408800,
    0x0302042100104052,
    0x00120602C0022100,
    0x4082080104200808,
    0x0008940124010800,
    0x0001404200800800,
    0x0400084100441400,
    0x4006020042008100,
    0x44141D0E0A060400,
    0x820246040100C0A1,
    0x21008210100400C4,
    0x0408840119508040,
    0x3000492108188008,
    0x0010048021880400,
    0x140400510A020041,
    0x1040080218020002,
    0x00204A0608290042,
    0x00A0040400604402,
    0x00020101011002A1,
    0x004201010101608C,
    0x02200000C0441002,
    0x0004200008A08801,
    0x4004104011020203,
    0x0101414110821084,
    0x2040401001C90500,
    0x0008220818010411,
)
# fmt: on


if __name__ == "__main__":
    main()
