"""How surely and how soon a bare king is mated, from random starts where he may be on any square.

    python benchmarks/mating.py --games 200 --seconds 0.2

Each game starts from our men on random squares, with us to move, and the king on a square of those on which he may
stand, all of which are possible to us. A game that is not won in 50 moves of ours is a draw.

The defender sees the board. He takes a man that hangs. Otherwise he avoids squares on which he could be mated at once,
and of the rest takes the nearest to a man he could take later and to the centre, ties by lot.
"""

import argparse
import random
from collections import Counter

import chess
from rich.progress import track

from kriegbot.endings import BareKing, Mating
from kriegbot.kernels.random import subseed
from referee import NO_LIMITS, RULE_SETS, Answer, Reason, Referee

ENDINGS = {"KQK": "Q", "KRRK": "RR", "KRK": "R", "KPK": "P", "KBBK": "BB", "KBNK": "BN", "KQRK": "QR", "KQPK": "QP"}
MOST_MOVES = 50
LOWEST_PAWN = 4
"""Rank of the fifth, counted from 0: pawns start there or beyond."""


def start(men: str, rng: random.Random) -> tuple[chess.Board, BareKing]:
    """Our men and the king on random squares, with us to move, and all that we know of it."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, len(men) + 1)
        for square, symbol in zip(squares, "K" + men, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        ranks = [chess.square_rank(square) for square in board.pieces(chess.PAWN, chess.WHITE)]
        bishops = [(square ^ square >> 3) & 1 for square in board.pieces(chess.BISHOP, chess.WHITE)]
        if all(LOWEST_PAWN <= rank < 7 for rank in ranks) and (len(bishops) != 2 or sum(bishops) == 1):
            known = BareKing.anywhere(chess.WHITE, {s: man.piece_type for s, man in board.piece_map().items()})
            board.set_piece_at(rng.choice(list(chess.scan_forward(known.squares))), chess.Piece.from_symbol("k"))
            return board, known


def defence(board: chess.Board, rng: random.Random) -> chess.Move:
    """The defender's move."""
    moves = list(board.legal_moves)
    own = [square for square in chess.scan_forward(board.occupied_co[chess.WHITE]) if square != board.king(True)]

    def harm(move: chess.Move) -> tuple[bool, bool, float, float]:
        board.push(move)
        is_mated = any(mates(board, answer) for answer in list(board.legal_moves))
        board.pop()
        hunted = [chess.square_distance(move.to_square, s) for s in own if not board.is_attacked_by(chess.WHITE, s)]
        rank, file = chess.square_rank(move.to_square), chess.square_file(move.to_square)
        centre = max(abs(2 * rank - 7), abs(2 * file - 7)) / 2 + abs(rank - 3.5) / 8 + abs(file - 3.5) / 8
        return not board.is_capture(move), is_mated, min(hunted, default=8) + centre, rng.random()

    return min(moves, key=harm)


def mates(board: chess.Board, move: chess.Move) -> bool:
    """Whether a move mates."""
    board.push(move)
    is_mate = board.is_checkmate()
    board.pop()
    return is_mate


def play(men: str, rules: str, seconds: float, nodes: int | None, seed: int, is_shown: bool) -> tuple[str, int, int]:
    """Play a game; returns how it ended, our moves, and the men we lost."""
    rng = random.Random(seed)
    board, known = start(men, rng)
    referee = Referee(RULE_SETS[rules], NO_LIMITS, board.fen())
    moves = lost = 0
    line = []
    mating = Mating(seed)
    while referee.end is None and moves < MOST_MOVES:
        chosen = mating.best_try(known, seconds, nodes)
        answer = referee.try_move(chosen.move)
        line.append(f"{chosen.move}{'' if answer is Answer.ACCEPTED else '?'}")
        known = known.after(referee.view(chess.WHITE).events[-1])
        if answer is not Answer.ACCEPTED:
            continue
        moves += 1
        if referee.end is None:
            move = defence(referee.board(), rng)
            line.append(f"({move})")
            lost += referee.board().is_capture(move)
            referee.try_move(move)
            known = known.after(referee.view(chess.WHITE).events[-1])
    end = "moves" if referee.end is None else referee.end.reason.value
    if is_shown and end != "checkmate":
        print(board.fen(), end, " ".join(line))
    return end, moves, lost


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("endings", nargs="*", default=list(ENDINGS), help=f"of {', '.join(ENDINGS)}")
    parser.add_argument("--games", type=int, default=200, help="an ending")
    parser.add_argument("--seconds", type=float, default=0.2, help="a try")
    parser.add_argument("--nodes", type=int, help="sets looked at a try, in place of seconds")
    parser.add_argument("--rules", choices=sorted(RULE_SETS), default="berkeley")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", action="store_true", help="games not won")
    arguments = parser.parse_args()
    print("ending  mated   moves  stalemates  games with men lost  draws")
    for name in arguments.endings:
        ends, moves, lost = Counter[str](), 0, 0
        for game in track(range(arguments.games), name):
            end, count, taken = play(
                ENDINGS[name],
                arguments.rules,
                arguments.seconds,
                arguments.nodes,
                subseed(arguments.seed, game),
                arguments.show,
            )
            ends[end] += 1
            moves += count if end == Reason.CHECKMATE.value else 0
            lost += taken > 0
        mated = ends[Reason.CHECKMATE.value]
        stalemates = ends[Reason.STALEMATE.value]
        print(
            f"{name:6} {mated / arguments.games:6.1%} {moves / max(mated, 1):6.1f} {stalemates:10} {lost:19} "
            f"{arguments.games - mated:6}"
        )


if __name__ == "__main__":
    main()
