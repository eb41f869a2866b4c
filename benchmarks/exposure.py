"""What the players of a tournament lose by moving men to where the next move takes them.

    python benchmarks/exposure.py reproduction/figure5.sqlite

For each player of each pairing, per game: its moves; the share of them after which the man that had moved was taken at
once; the points of men so lost (pawn 1, knight and bishop 3, rook 5, queen 9); the same less what those moves had taken
themselves and what was taken back at once; and the points of men lost in any other way.
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path

import chess
from rich.progress import track

from referee import GameRecord
from tournaments.store import Store

POINTS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}


def points_taken(record: GameRecord) -> list[int]:
    """Points of the man that each move of a game takes; 0 if it takes none."""
    board, taken = chess.Board(record.start), []
    for turn in record.turns:
        man = board.piece_type_at(turn.move.to_square) or chess.PAWN  # an empty square: en passant
        taken.append(POINTS[man] if board.is_capture(turn.move) else 0)
        board.push(turn.move)
    return taken


class Tally:
    """One player's games of one pairing."""

    def __init__(self) -> None:
        self.games = 0
        self.counts: Counter[str] = Counter()

    def add(self, record: GameRecord, color: chess.Color) -> None:
        """Count what one side lost in a game."""
        self.games += 1
        taken, squares = points_taken(record), [turn.move.to_square for turn in record.turns]
        first = chess.Board(record.start).turn
        for own in range(0 if color == first else 1, len(taken), 2):
            self.counts["moves"] += 1
            reply, back = own + 1, own + 2
            if reply >= len(taken) or not taken[reply]:
                continue
            if squares[reply] != squares[own]:
                self.counts["otherwise"] += taken[reply]
                continue
            is_retaken = back < len(taken) and squares[back] == squares[own]
            self.counts["put"] += 1
            self.counts["lost"] += taken[reply]
            self.counts["net"] += taken[reply] - taken[own] - (taken[back] if is_retaken else 0)

    def line(self) -> str:
        """The figures, in columns."""
        a_game = {name: self.counts[name] / self.games for name in ("moves", "lost", "net", "otherwise")}
        put = self.counts["put"] / max(1, self.counts["moves"])
        lost = f"{a_game['lost']:6.1f} {a_game['net']:6.1f} {a_game['otherwise']:9.1f}"
        return f"{a_game['moves']:6.1f} {put:7.1%} {lost}"


def main() -> None:
    """Read the store and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="a tournament's store")
    options = parser.parse_args()
    tallies: dict[tuple[int, str], Tally] = defaultdict(Tally)
    with Store.open(options.file) as store:
        games = store.connection.execute("SELECT id, pairing, white, black FROM games ORDER BY id").fetchall()
        for game, pairing, white, black in track(games, description="games"):
            record = store.record(game)
            for color, player in ((chess.WHITE, white), (chess.BLACK, black)):
                tallies[pairing, player].add(record, color)
        print(f"{'games':>5} {'moves':>6} {'taken':>7} {'points':>6} {'net':>6} {'otherwise':>9}")
        for number, pair in enumerate(store.settings.pairings):
            for player in (pair.first, pair.second):
                if tallies[number, player].games:
                    print(f"{tallies[number, player].games:5} {tallies[number, player].line()}  {player}")


if __name__ == "__main__":
    main()
