"""Random numbers of our own, so that a seed gives the same ones on all machines and with all library versions.

SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (OOPSLA 2014).
"""

import numpy as np
import numpy.typing as npt

from kriegbot.kernels.jit import entry, kernel, words
from kriegbot.kernels.types import RealArray, Word, pointer

GAMMA, MIX_1, MIX_2, SHIFT_30, SHIFT_27, SHIFT_31, SHIFT_11 = words(
    0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 30, 27, 31, 11
)
UNIT = 2.0**-53


@kernel
def mix64(state: Word) -> Word:
    """Return the output of SplitMix64 for a state, which is also a good hash of it."""
    state = (state ^ (state >> SHIFT_30)) * MIX_1
    state = (state ^ (state >> SHIFT_27)) * MIX_2
    return state ^ (state >> SHIFT_31)


@kernel
def random_number(state: Word) -> float:
    """Return the number of a state, uniform in [0, 1); the next state is `state + GAMMA`."""
    return float(mix64(state) >> SHIFT_11) * UNIT


@entry
def _fill_random(seed: Word, numbers: RealArray) -> None:
    target = pointer(numbers)
    state = mix64(seed)
    for i in range(len(numbers)):
        state += GAMMA
        target[i] = random_number(state)


def random_numbers(seed: int, count: int) -> npt.NDArray[np.float64]:
    """Return `count` numbers of a seed, uniform in [0, 1)."""
    numbers = np.empty(count)
    _fill_random(seed & (2**64 - 1), numbers)
    return numbers


def subseed(seed: int, *path: int) -> int:
    """Return the seed in [0, 2^63) of one use (a ply, a try, a purpose), independent of the others."""
    for step in path:
        seed = (seed * 0x9E3779B97F4A7C15 + step + 1) & (2**64 - 1)
        seed ^= seed >> 29
        seed = seed * 0xBF58476D1CE4E5B9 & (2**64 - 1)
        seed ^= seed >> 32
    return seed & (2**63 - 1)
