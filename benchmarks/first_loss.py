"""How often a lone man is lost before our second move, whatever we try: no player mates more often than that allows.

    python benchmarks/first_loss.py KRK KPK --games 200

The starts are those of `benchmarks/mating.py`: the king may be on any square that is possible to us. For each, the
least number of his squares from which he can take our man at once, over all tries of ours and all second tries where
the first is refused; where that is refused too, nothing is counted. So the share given is a lower bound.
"""

import argparse
import random
from statistics import mean

import chess
from mating import ENDINGS, start
from rich.progress import track

from kriegbot.endgames import BareKing
from kriegbot.kernels import subseed

REFUSED, SAFE, TAKEN = range(3)
"""What becomes of a try on a board."""


def boards_of(known: BareKing) -> list[chess.Board]:
    """The board for each square of the king."""
    boards = []
    for square in chess.scan_forward(known.squares):
        board = chess.Board(None)
        for ours, man in known.men.items():
            board.set_piece_at(ours, chess.Piece(man, chess.WHITE))
        board.set_piece_at(square, chess.Piece(chess.KING, chess.BLACK))
        boards.append(board)
    return boards


def fate(board: chess.Board, move: chess.Move) -> int:
    """What becomes of a try on a board."""
    if not board.is_legal(move):
        return REFUSED
    board.push(move)
    is_taken = any(board.is_capture(reply) for reply in board.legal_moves)
    board.pop()
    return TAKEN if is_taken else SAFE


def least_taken(fates: list[list[int]], boards: list[int], tries: int) -> int:
    """On how many of these boards our man is taken, if we choose the best of so many tries in a row; 0 for no tries.

    Args:
      fates: of each try, on each board.
      boards: those still possible, by number.
      tries: how many tries are left.
    """
    if tries == 0:
        return 0
    least = len(boards)
    for fate_on in fates:
        refused = [board for board in boards if fate_on[board] == REFUSED]
        taken = sum(fate_on[board] == TAKEN for board in boards)
        if taken < least and len(refused) < len(boards):
            least = min(least, taken + (least_taken(fates, refused, tries - 1) if refused else 0))
    return least


def risk(known: BareKing) -> float:
    """The least share of the king's squares from which our man is taken before our second move."""
    boards = boards_of(known)
    tries = {move for board in boards for move in board.legal_moves}
    fates = [[fate(board, move) for board in boards] for move in tries]
    return least_taken(fates, list(range(len(boards))), 2) / len(boards)


def main() -> None:
    """Print a line for each ending."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    lone = [name for name, men in ENDINGS.items() if len(men) == 1]
    parser.add_argument("endings", nargs="*", default=lone, help=f"of {', '.join(lone)}")
    parser.add_argument("--games", type=int, default=200, help="starts of an ending")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if unknown := set(given.endings) - set(lone):
        parser.error(f"unknown endings {', '.join(sorted(unknown))}: it takes those of a lone man, {', '.join(lone)}")
    for name in given.endings:
        risks = []
        for number in track(range(given.games), name):
            risks.append(risk(start(ENDINGS[name], random.Random(subseed(given.seed, number)))[1]))
        print(f"{name}: lost at once on {mean(risks):.1%} of squares at least; {risks.count(0):d} starts are safe")


if __name__ == "__main__":
    main()
