"""Which games a tournament consists of: a function of its settings alone.

A pairing is two players. Game 0, 1, 2, ... of a pairing: the first has White in even games, and games 2k and 2k + 1 are
played with one seed and exchanged colours, as engine testers pair openings. A seed depends on the tournament's seed and
on the two players alone, so a pairing has the same games whatever other pairings stand beside it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from referee import Limits, RuleSet
from referee.text import quoted

MOST_GAMES = 1_000_000  # games of a pairing


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players, by their specs."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """One game, played or not, by the specs of its players.

    id: place in the schedule, from 1; what `FILE#17` means. pairing, number: of its pairing and within that, from 0.
    seed: below 2**63.
    """

    id: int
    pairing: int
    number: int
    white: str
    black: str
    seed: int


@dataclass(frozen=True, slots=True)
class TournamentSettings:
    """What determines the games of a tournament.

    Attributes:
      files: those of players and parts from outside with their hashes, as `versions_of` writes them; None if that was
        not noted, as in files of versions before 0.3.
    """

    pairings: tuple[Pairing, ...]
    rules: RuleSet
    limits: Limits
    seed: int
    files: str | None = None

    def game(self, pairing: int, number: int) -> ScheduledGame:
        """One game of a pairing."""
        players = self.pairings[pairing]
        first, second = players.first, players.second
        white, black = (first, second) if number % 2 == 0 else (second, first)
        digest = hashlib.sha256("\n".join((str(self.seed), first, second, str(number // 2))).encode()).digest()
        place = number // 2 * 2 * len(self.pairings) + 2 * pairing + number % 2 + 1
        return ScheduledGame(place, pairing, number, white, black, int.from_bytes(digest[:8]) >> 1)

    def schedule(self, games: int) -> list[ScheduledGame]:
        """The first `games` games of every pairing, ordered by id: two of each pairing at a time."""
        every = [self.game(pairing, number) for pairing in range(len(self.pairings)) for number in range(games)]
        return sorted(every, key=lambda game: game.id)


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of a schedule, for machines that share nothing: part `index` of `count`, from 1."""

    index: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The inverse of `str`; raises ValueError for a text that names no part."""
        index, _, count = text.partition("/")
        numbers = [int(part) if part.isascii() and part.isdigit() and len(part) < 6 else 0 for part in (index, count)]
        if not 1 <= numbers[0] <= numbers[1]:
            raise ValueError(f"illegal shard {quoted(text)}: it takes a part such as 2/5, the second of five")
        return cls(*numbers)

    def has(self, game: ScheduledGame) -> bool:
        """Whether a game is in this part; the two games of a pair stay together."""
        return (game.id - 1) // 2 % self.count == self.index - 1


def round_robin(players: Sequence[str]) -> tuple[Pairing, ...]:
    """Everybody against everybody."""
    return tuple(Pairing(first, second) for first, second in combinations(players, 2))


def gauntlet(players: Sequence[str]) -> tuple[Pairing, ...]:
    """The first player against everybody else."""
    return tuple(Pairing(players[0], second) for second in players[1:])
