"""What the players of a tournament lose by moving men to squares where they are taken at once.

    python benchmarks/exposure.py reproduction/figure5.sqlite

For each player of each pairing, per game: its moves; the share of them after which the man that had moved was taken at
once; the points of men lost in this way (pawn 1, knight and bishop 3, rook 5, queen 9); the same net of what those
moves had captured and what was recaptured at once; and the points of men lost in any other way.
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path

import chess
from rich.progress import track

from referee import GameRecord
from tournaments.store import Store, StoreError

POINTS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}


def moves_of(record: GameRecord) -> list[tuple[chess.Square, int]]:
    """Each move of a game: where it goes, and the points of the man that it takes, 0 if it takes none."""
    board, moves = chess.Board(record.start), []
    for turn in record.turns:
        man = board.piece_type_at(turn.move.to_square) or chess.PAWN  # an empty square: en passant
        moves.append((turn.move.to_square, POINTS[man] if board.is_capture(turn.move) else 0))
        board.push(turn.move)
    return moves


class Tally:
    """One player's games of one pairing; both sides of a game that it plays against itself."""

    def __init__(self) -> None:
        self.games = 0
        self.counts: Counter[str] = Counter()

    def add(self, moves: list[tuple[chess.Square, int]], color: chess.Color) -> None:
        """Count what one side lost in a game that White began."""
        self.games += 1
        none = (None, 0)
        for ply in range(0 if color == chess.WHITE else 1, len(moves), 2):
            (square, taken), (to, lost), (back_to, back) = [*moves[ply : ply + 3], none, none][:3]
            self.counts["moves"] += 1
            if lost and to == square:
                self.counts["put"] += 1
                self.counts["lost"] += lost
                self.counts["net"] += lost - taken - (back if back_to == square else 0)
            else:
                self.counts["otherwise"] += lost

    def line(self) -> str:
        """The figures, in columns."""
        a_game = {name: self.counts[name] / self.games for name in ("moves", "lost", "net", "otherwise")}
        put = self.counts["put"] / max(1, self.counts["moves"])
        lost = f"{a_game['lost']:6.1f} {a_game['net']:6.1f} {a_game['otherwise']:9.1f}"
        return f"{a_game['moves']:6.1f} {put:7.1%} {lost}"


def report(store: Store) -> None:
    """Read all games and print the table."""
    tallies: dict[tuple[int, str], Tally] = defaultdict(Tally)
    for game in track(store.game_rows(), description="games"):
        moves = moves_of(store.record(game.id))
        for color, player in ((chess.WHITE, game.white), (chess.BLACK, game.black)):
            tallies[game.pairing, player].add(moves, color)
    print(f"{'games':>5} {'moves':>6} {'taken':>7} {'points':>6} {'net':>6} {'otherwise':>9}")
    for (_, player), tally in sorted(tallies.items()):
        print(f"{tally.games:5} {tally.line()}  {player}")


def main() -> None:
    """Open the store and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("file", type=Path, help="a tournament's store")
    options = parser.parse_args()
    try:
        with Store.open(options.file) as store:
            report(store)
    except StoreError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
