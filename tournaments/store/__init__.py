"""Where a tournament's games are kept: one SQLite file, one transaction a game. All SQL is here.

The file is in WAL mode with full synchronisation: a game that was added survives a crash of the program or the machine,
and others may read while games are added. One process writes, and holds `FILE.lock` meanwhile.

    settings    name, value: what makes the games what they are, and `games`, how many are wanted
    pairings    who plays whom
    games       one row a game; `record` is its PGN, compressed by zlib
    sides       what each player did in a game: `kriegbot.game.match.PlayerStatistics`
    answers     every answer of a player: time, sample size, rescue of its belief, overrun
    incidents   workers that died over a game
"""

from tournaments.store.file import StoreError
from tournaments.store.reading import GameRow, SideRow
from tournaments.store.store import Store

__all__ = ["GameRow", "SideRow", "Store", "StoreError"]
