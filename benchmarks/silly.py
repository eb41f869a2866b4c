"""Silly acts of the levels, in games against scripts that play as people begin to.

    python benchmarks/silly.py casual club --games 20
    python benchmarks/silly.py newcomer --person learner --games 200

Both people retake, answer checks and mate a bare king (`kriegbot.players.scripted`). A learner takes whatever pawns may
take, and moves at random otherwise; a casual player brings men out, castles and prowls. Counted of the level:

    left         of the retakes that nobody could have answered by taking: those left for a move that took nothing
    hopeless     tries a game that were refused, and legal on fewer than 2 % of the boards that fit what was heard
    pawns, most  refused pawn captures a turn, and in one turn
    to and fro   moves a game that undo the level's last, with nothing taken in between
    stalemates   games that ended so with the level five pawns ahead or more
    White, 1.e4  of its first move, and of its answer to 1.e4, in 50 games: how many differ, and the commonest
"""

import argparse
from collections import Counter

import chess

from kriegbot.belief.belief import Belief
from kriegbot.belief.particles import list_consistent
from kriegbot.game.turn import apply_action
from kriegbot.kernels import subseed
from kriegbot.models.opponent_types import opponent_types
from kriegbot.players.base import Player
from kriegbot.players.kriegbot import LEVELS
from kriegbot.players.making import make_player
from kriegbot.players.scripted import ScriptedPlayer, Turn, prowl
from kriegbot.players.specs import parse_spec
from referee import Answer, Limits, OwnTry, Reason, Referee, View
from referee.pieces import PIECE_VALUES, is_castling, is_pawn_capture

HOPELESS, BOARDS, FAR_AHEAD, FIRST_MOVES, LIMITS = 0.02, 2000, 5, 50, Limits(plies=300)


class Learner(ScriptedPlayer):
    """Takes what it can, and moves at random."""

    def taste(self, turn: Turn, move: chess.Move) -> float:
        """Pawn captures first."""
        return (300.0 if turn.is_pawn_capture(move) else 0.0) + 100 * self._rng.random()


class Casual(ScriptedPlayer):
    """Minor pieces out, castling, the middle, a pawn capture where one may be, and men up the board."""

    def taste(self, turn: Turn, move: chess.Move) -> float:
        """How much it likes a try; chance does the rest."""
        man, chance = turn.man(move), 30 * self._rng.random()
        if move.promotion:
            return 300.0
        if man == chess.KING:
            return 60.0 if is_castling(move, turn.view.men) else chance - 40.0
        if turn.is_pawn_capture(move):
            return chance + 5.0
        if man in (chess.KNIGHT, chess.BISHOP) and turn.height(move.from_square) == 0:
            return chance + 15.0
        if man == chess.PAWN and turn.gain(move) == 2 and chess.square_file(move.from_square) in (3, 4):
            return chance + 20.0
        return chance + prowl(turn, move)


PEOPLE = {"learner": Learner, "casual": Casual}


def play(level: str, person: str, color: chess.Color, seed: int) -> Counter[str]:
    """What a level did in a game."""
    referee, belief, found, refused = Referee(limits=LIMITS), None, Counter[str](), 0
    players: dict[chess.Color, Player] = {color: made(level, subseed(seed, 1))}
    players[not color] = PEOPLE[person](subseed(seed, 2))
    while referee.end is None:
        view, board = referee.view(referee.turn), referee.board()
        action = players[referee.turn].choose(view).action
        answer = apply_action(referee, action)
        if view.color != color or not isinstance(action, chess.Move):
            continue
        belief = belief or Belief(view, BOARDS, seed, opponent_types)
        belief.update(view)
        if answer is Answer.ILLEGAL:
            refused += is_pawn_capture(action, view.men)
            refusing = list_consistent(belief.particles.rows, [OwnTry(action, Answer.ILLEGAL)])
            found["hopeless"] += bool(belief.particles.weights[refusing].sum() > 1.0 - HOPELESS)
            continue
        found.update(turns=1, pawns=refused, **judged(view, board, action))
        found["most"], refused = max(found["most"], refused), 0
    winner = {None: "drawn", color: "won"}.get(referee.end.winner, "lost")
    men = referee.board().piece_map().values()
    lead = sum(PIECE_VALUES[man.piece_type] * (1 if man.color == color else -1) for man in men)
    found.update({winner: 1, "stalemates": referee.end.reason is Reason.STALEMATE and lead >= FAR_AHEAD})
    return found


def judged(view: View, board: chess.Board, move: chess.Move) -> dict[str, int]:
    """What a move leaves, or undoes."""
    took = None if view.last_reply is None else view.last_reply.capture
    retakes = any(one.to_square == took and is_free(board, one) for one in board.legal_moves)
    last = board.move_stack[-2] if len(board.move_stack) > 1 else chess.Move.null()
    is_back = move == chess.Move(last.to_square, last.from_square)
    is_quiet = not board.is_capture(move)
    return {"retakes": retakes, "left": retakes and is_quiet, "to and fro": is_back and is_quiet and took is None}


def made(level: str, seed: int) -> Player:
    """A player of a level."""
    return make_player(parse_spec(f"kriegbot:level={level}"), seed)


def is_free(board: chess.Board, move: chess.Move) -> bool:
    """Whether nobody can take back after a move."""
    after = board.copy(stack=False)
    after.push(move)
    return not any(reply.to_square == move.to_square for reply in after.legal_moves)


def first_moves(level: str, *played: str) -> str:
    """How many different moves a level makes after these, and how often it makes the commonest."""
    found: Counter[str] = Counter()
    for seed in range(FIRST_MOVES):
        referee, player = Referee(), made(level, seed)
        for move in played:
            referee.try_move(chess.Move.from_uci(move))
        while referee.ply == len(played):
            apply_action(referee, player.choose(referee.view(referee.turn)).action)
        found[referee.board().peek().uci()] += 1
    ((move, times),) = found.most_common(1)
    return f"{len(found)}, {move} {times / FIRST_MOVES:.0%}"


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("levels", nargs="*", default=list(LEVELS))
    parser.add_argument("--person", choices=PEOPLE, default="casual")
    parser.add_argument("--games", type=int, default=20, help="against each level")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    line = "{:9} {:>8} {:>7} {:>8} {:>6} {:>4} {:>10} {:>10} {:>13} {:>13}"
    heads = ("level", "w-d-l", "left", "hopeless", "pawns", "most", "to and fro", "stalemates", "White", "1.e4")
    print(line.format(*heads))
    for level in given.levels:
        one, most = Counter[str](), 0
        for number in range(given.games):
            game = play(level, given.person, chess.COLORS[number % 2], subseed(given.seed, number))
            one, most = one + game, max(most, game["most"])
        ended = "-".join(str(one[end]) for end in ("won", "drawn", "lost"))
        a_game = [f"{one[name] / given.games:.2f}" for name in ("hopeless", "to and fro")]
        left, pawns = f"{one['left']}/{one['retakes']}", f"{one['pawns'] / one['turns']:.2f}"
        moves = first_moves(level), first_moves(level, "e2e4")
        print(line.format(level, ended, left, a_game[0], pawns, most, a_game[1], one["stalemates"], *moves), flush=True)


if __name__ == "__main__":
    main()
