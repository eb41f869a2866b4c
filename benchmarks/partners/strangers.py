"""Sparring partners that think unlike the players of the package, each a script of `kriegbot.players.scripted`.

No opponent model is fitted to their games: matches against them measure play against strangers.
"""

from __future__ import annotations

import chess

from kriegbot import Choice
from kriegbot.players.scripted import ScriptedPlayer, ScriptTurn, prowl
from referee import View
from referee.pieces import attacks, is_castling, moved, squares_of

WALLS = ((2, 3, 2, 3, 3, 2, 3, 2), (3, 2, 3, 2, 2, 3, 2, 3), (2, 3, 3, 2, 2, 3, 3, 2))
"""Ranks of a wall's pawns by file, counted from 0. Neighbours protect each other."""
BOOK = (
    "e2e4 g1f3 f1b5 b5a4 e1g1 f1e1 c2c3 h2h3 d2d4 b1d2 d2f1 f1g3",
    "d2d4 c2c4 b1c3 c1g5 e2e3 g1f3 a1c1 f1d3 e1g1 d1c2",
    "e2e4 d2d4 b1c3 c1e3 f2f3 d1d2 e1c1 g2g4 h2h4 g4g5",
    "g1f3 g2g3 f1g2 e1g1 d2d4 c2c4 b1c3 e2e4 f1e1 h2h3",
)
"""White's moves of chess openings: Ruy Lopez, Queen's Gambit, English Attack, King's Indian. Black mirrors them."""


def _lead(turn: ScriptTurn) -> int:
    """Return by how many pieces and pawns this side is ahead."""
    return len(turn.view.men) - turn.view.opponent_men


class WallPlayer(ScriptedPlayer):
    """Builds a wall of pawns, gathers behind it, and waits for what runs into it."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._wall = self._rng.choice(WALLS)

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Prefer captures into the wall, then its missing pawns, then protected squares behind it."""
        height, step = turn.height(move.to_square), turn.height(move.to_square) - turn.height(move.from_square)
        wall, noise = self._wall[chess.square_file(move.to_square)], 6 * self._rng.random()
        if turn.is_pawn_capture(move):
            return 300.0 if height <= wall + 1 else 50.0
        if turn.piece(move) == chess.PAWN:
            return noise + (60.0 if height <= wall else 15.0 + 2 * height if _lead(turn) >= 4 else -60.0)
        if turn.piece(move) == chess.KING:
            return 40.0 if is_castling(move, turn.view.men) else -15.0 - 5 * height
        return noise - turn.unprotected(move) - 10.0 * max(0, height - wall + 1) + (8.0 if step == height > 0 else 0.0)


class RecapturePlayer(ScriptedPlayer):
    """Keeps every piece protected and captures only in return, until it is well ahead."""

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Prefer moves that leave no piece unprotected; with a lead, moves into the opponent's half."""
        height, noise = turn.height(move.to_square), 4 * self._rng.random()
        if move.promotion:
            return 400.0
        if _lead(turn) >= 3:
            return noise + prowl(turn, move) - turn.unprotected(move) + 20.0 * turn.is_pawn_capture(move)
        if turn.is_pawn_capture(move):
            return -200.0
        if turn.piece(move) == chess.KING:
            return 30.0 if is_castling(move, turn.view.men) else -20.0
        return noise - 3.0 * turn.unprotected(move) + 2.0 * min(height, 3) - 8.0 * max(0, height - 3)


class TwoPieceHunter(ScriptedPlayer):
    """Sends the queen and one more piece after the king; the others wait at home."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._partner = self._rng.choice((chess.KNIGHT, chess.BISHOP, chess.ROOK))

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Prefer moves after which both hunters attack the squares where the king is likely to be."""
        view, piece, noise = turn.view, turn.piece(move), 6 * self._rng.random()
        if turn.is_pawn_capture(move) or move.promotion:
            return 200.0
        if piece not in (chess.QUEEN, self._partner):
            opens = piece == chess.PAWN and chess.square_file(move.to_square) in (2, 3, 4)
            return noise + (10.0 if opens and turn.height(move.to_square) <= 3 else -25.0)
        back = chess.BB_RANK_8 if view.color == chess.WHITE else chess.BB_RANK_1
        king = chess.BB_FILE_E | chess.BB_FILE_G if view.ply < 80 else chess.BB_ALL
        zone = (back | (back >> 8 if view.color == chess.WHITE else back << 8)) & (king | king << 1 | king >> 1)
        men = moved(view.men, move)
        hunted = sum(
            chess.popcount(attacks(view.color, kind, square, squares_of(men)) & zone)
            for square, kind in men.items()
            if kind in (chess.QUEEN, self._partner)
        )
        return noise + 6.0 * hunted + (10.0 if turn.is_protected(move) else 0.0)


class BookPlayer(ScriptedPlayer):
    """Plays a chess opening blindly, then looks for captures far up the board."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__(seed)
        self._line = [chess.Move.from_uci(text) for text in self._rng.choice(BOOK).split()]

    def choose(self, view: View) -> Choice:
        """Answer with the next open move of the line, unless something is urgent."""
        last = view.last_announcement
        while self._line and (last is None or (not last.checks and last.capture is None)):
            move = self._line.pop(0)
            if view.color == chess.BLACK:
                move = chess.Move(chess.square_mirror(move.from_square), chess.square_mirror(move.to_square))
            if move in view.tries():
                return Choice(move)
        return super().choose(view)

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Prefer pawn captures, promotion, then protected moves forward."""
        if turn.is_pawn_capture(move):
            return 300.0
        if turn.piece(move) == chess.KING:
            return 30.0 if is_castling(move, turn.view.men) else -20.0
        return 250.0 if move.promotion else prowl(turn, move) - turn.unprotected(move) + 5 * self._rng.random()


class HabitPlayer(ScriptedPlayer):
    """Plays as lessons teach people: pawn tries first, castle early, probe with what is cheap and protected."""

    def taste(self, turn: ScriptTurn, move: chess.Move) -> float:
        """Prefer announced pawn captures, castling, development, probes along lines, and passed pawns late."""
        view, piece, height = turn.view, turn.piece(move), turn.height(move.to_square)
        noise, is_safe = 8 * self._rng.random(), turn.is_protected(move)
        if turn.is_pawn_capture(move):
            return 300.0 if view.pawn_tries is None or view.pawn_tries.at_least else -100.0
        if move.promotion or is_castling(move, view.men):
            return 200.0
        taste = noise - 2.0 * turn.unprotected(move)
        if piece == chess.PAWN:
            is_centre = chess.square_file(move.to_square) in (2, 3, 4)
            return taste + (3.0 * height if view.opponent_men < 9 else 12.0 * is_centre - 4.0 * max(0, height - 3))
        if piece == chess.KING:
            return taste - 25.0
        if piece in (chess.KNIGHT, chess.BISHOP) and turn.height(move.from_square) == 0:
            return taste + 15.0
        far = chess.square_distance(move.from_square, move.to_square)
        return taste + (2.0 * far + height if is_safe and piece != chess.QUEEN else -2.0 * height)
