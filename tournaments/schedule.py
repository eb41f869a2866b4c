"""Schedule of a tournament, a function of its settings alone, and the outcomes of its games.

The first player of a pairing has White in even games, counted from 0. Games 2k and 2k + 1 share a seed and exchange
colours. The seed depends on the tournament's seed, the two players and k, so other pairings change nothing.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self, TypeAlias

from kriegbot.game.match import AnswerStats, PlayerStatistics
from kriegbot.players.old_names import with_first_names
from referee import Limits, Reason, RuleSet
from referee.text import quoted

MOST_GAMES = 1_000_000  # of a pairing
MOST_ATTEMPTS = 3  # at a game, then it is given up


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players, by their specs."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class ScheduledGame:
    """One game. id: place in a schedule without end, from 1. number: index within the pairing. seed: below 2**63."""

    id: int
    pairing: int
    number: int
    white: str
    black: str
    seed: int


@dataclass(frozen=True, slots=True)
class TournamentSettings:
    """All settings of a tournament but the number of games."""

    pairings: tuple[Pairing, ...]
    rules: RuleSet
    limits: Limits
    seed: int
    files: str | None = None  # hashes of files of players from outside (`versions_of`); None before version 0.3

    def game(self, pairing: int, number: int) -> ScheduledGame:
        """Return one game of a pairing."""
        players = self.pairings[pairing]
        first, second = players.first, players.second
        white, black = (first, second) if number % 2 == 0 else (second, first)
        parts = str(self.seed), with_first_names(first), with_first_names(second), str(number // 2)
        digest = hashlib.sha256("\n".join(parts).encode()).digest()
        place = number // 2 * 2 * len(self.pairings) + 2 * pairing + number % 2 + 1
        return ScheduledGame(place, pairing, number, white, black, int.from_bytes(digest[:8]) >> 1)

    def schedule(self, games: int) -> list[ScheduledGame]:
        """Return the first `games` games of every pairing, ordered by id: two of each pairing at a time."""
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
    def parse(cls, text: str) -> Self:
        """Return the part that a text such as "2/5" names; raise ValueError if it names none."""
        index, _, count = text.partition("/")
        numbers = [int(part) if part.isascii() and part.isdigit() and len(part) < 6 else 0 for part in (index, count)]
        if not 1 <= numbers[0] <= numbers[1]:
            raise ValueError(f"illegal shard {quoted(text)}: it takes a part such as 2/5, the second of five")
        return cls(*numbers)

    def has(self, game: ScheduledGame) -> bool:
        """Return True if a game is in this part. The two games of a pair stay together."""
        return (game.id - 1) // 2 % self.count == self.index - 1


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that was played to its end."""

    game: ScheduledGame
    record: bytes  # PGN, compressed by zlib, without date and times: a game repeated alike gives the same bytes
    result: str
    reason: Reason
    detail: str
    plies: int
    white: PlayerStatistics
    black: PlayerStatistics
    answers: tuple[AnswerStats, ...]
    versions: str  # of kriegbot and its libraries
    seconds: float  # playing time


@dataclass(frozen=True, slots=True)
class Died:
    """A game during which a process died, failed or could not start, through no player's fault, at its n-th attempt."""

    game: ScheduledGame
    cause: str
    attempts: int


Outcome: TypeAlias = Finished | Died


def round_robin(players: Sequence[str]) -> tuple[Pairing, ...]:
    """Pair everybody with everybody.

    >>> [(pairing.first, pairing.second) for pairing in round_robin(["rand", "hs", "engine"])]
    [('rand', 'hs'), ('rand', 'engine'), ('hs', 'engine')]
    """
    return tuple(Pairing(first, second) for first, second in combinations(players, 2))


def gauntlet(players: Sequence[str]) -> tuple[Pairing, ...]:
    """Pair the first player with everybody else."""
    return tuple(Pairing(players[0], second) for second in players[1:])
