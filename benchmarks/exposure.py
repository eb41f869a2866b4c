"""What the players of a tournament lose by moving men to squares where they are taken at once.

    python benchmarks/exposure.py reproduction/figure5.sqlite

For each player of each pairing, per game: its moves; the share of them after which the man that had moved was taken at
once; the points of men lost in this way (pawn 1, knight and bishop 3, rook 5, queen 9); the same net of what those
moves had captured and what was recaptured at once; and the points of men lost in any other way. Then in how many games
it was ahead by a rook or more for two moves of each side, and how many of these it did not win. The last lines are of
all pairings together.
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import chess
from rich.progress import track

from referee import GameRecord
from tournaments.store import Store, StoreError

POINTS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
AHEAD, PLIES_AHEAD = POINTS[chess.ROOK], 4
"""A lead of so many points for so many plies on end counts as being ahead."""


class Move(NamedTuple):
    """Where a move goes, the points of what it takes, 0 for nothing, and White's lead in points after it."""

    square: chess.Square
    taken: int
    lead: int


NO_MOVE = Move(-1, 0, 0)


def moves_of(record: GameRecord) -> list[Move]:
    """The moves of a game."""
    board, moves = chess.Board(record.start), []
    for turn in record.turns:
        man = board.piece_type_at(turn.move.to_square) or chess.PAWN  # an empty square: en passant
        taken = POINTS[man] if board.is_capture(turn.move) else 0
        board.push(turn.move)
        lead = sum(
            points * (len(board.pieces(kind, chess.WHITE)) - len(board.pieces(kind, chess.BLACK)))
            for kind, points in POINTS.items()
        )
        moves.append(Move(turn.move.to_square, taken, lead))
    return moves


def was_ahead(moves: list[Move], color: chess.Color) -> bool:
    """Whether a side led by `AHEAD` for `PLIES_AHEAD` plies on end."""
    run = 0
    for move in moves:
        run = run + 1 if (move.lead if color == chess.WHITE else -move.lead) >= AHEAD else 0
        if run == PLIES_AHEAD:
            return True
    return False


class Tally:
    """One player's games of one pairing; both sides of a game that it plays against itself."""

    def __init__(self) -> None:
        self.games = 0
        self.counts: Counter[str] = Counter()

    def add(self, moves: list[Move], color: chess.Color, has_won: bool) -> None:
        """Count what one side lost in a game that White began, and whether it won when it was ahead."""
        self.games += 1
        if was_ahead(moves, color):
            self.counts["ahead"] += 1
            self.counts["not won"] += not has_won
        for ply in range(0 if color == chess.WHITE else 1, len(moves), 2):
            ours, theirs, back = [*moves[ply : ply + 3], NO_MOVE, NO_MOVE][:3]
            self.counts["moves"] += 1
            if theirs.taken and theirs.square == ours.square:
                self.counts["put"] += 1
                self.counts["lost"] += theirs.taken
                self.counts["net"] += theirs.taken - ours.taken - (back.taken if back.square == ours.square else 0)
            else:
                self.counts["otherwise"] += theirs.taken

    def line(self) -> str:
        """The figures, in columns."""
        a_game = {name: self.counts[name] / self.games for name in ("moves", "lost", "net", "otherwise")}
        put = self.counts["put"] / max(1, self.counts["moves"])
        lost = f"{a_game['lost']:6.1f} {a_game['net']:6.1f} {a_game['otherwise']:9.1f}"
        return f"{a_game['moves']:6.1f} {put:7.1%} {lost} {self.counts['ahead']:5} {self.counts['not won']:7}"


def report(store: Store) -> None:
    """Read all games and print the table."""
    by_pairing: dict[tuple[int, str], Tally] = defaultdict(Tally)
    together: dict[str, Tally] = defaultdict(Tally)
    for game in track(store.game_rows(), description="games"):
        record = store.record(game.id)
        moves = moves_of(record)
        for color, player, winning in ((chess.WHITE, game.white, "1-0"), (chess.BLACK, game.black, "0-1")):
            for tally in (by_pairing[game.pairing, player], together[player]):
                tally.add(moves, color, record.result == winning)
    print(
        f"{'games':>5} {'moves':>6} {'taken':>7} {'points':>6} {'net':>6} {'otherwise':>9} {'ahead':>5} {'not won':>7}"
    )
    for (_, player), tally in sorted(by_pairing.items()):
        print(f"{tally.games:5} {tally.line()}  {player}")
    print()
    for player, tally in sorted(together.items()):
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
