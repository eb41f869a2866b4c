"""Practice for terminal and page: mate a hostile king that you do not see, and that may be anywhere at first."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import chess

from kriegbot.endgames import BareKing, Proof, hostile_step, probe_king
from kriegbot.narration.diary import Diary, certain_text
from kriegbot.narration.learning import StepState
from kriegbot.players.human import BadTry, read_try, try_name
from referee import Referee, View, parse_action
from referee.text import counted

ENDINGS: Mapping[str, str] = {
    "KQK": "a queen",
    "KRRK": "two rooks",
    "KRK": "a rook",
    "KBBK": "two bishops",
    "KBNK": "bishop and knight",
    "KPK": "a pawn",
}
"""The endings by name, each with the pieces beside your king."""
WORDS: Mapping[str, str] = {
    "title": "Mate the unseen king",
    "shading": "Shaded: the squares on which the king may stand.",
    "basis": "all squares where it may stand, counted alike",
    "next": "Another start",
}


@dataclass(frozen=True)
class Practice:
    """An ending from a start that the seed chooses. You are White; the rules are Berkeley's."""

    ending: str
    seed: int

    @cached_property
    def start(self) -> tuple[BareKing, str]:
        """Your knowledge of the king, which may stand anywhere, and the true position. Mate is certain."""
        rng = random.Random(self.seed)
        pieces = [chess.Piece.from_symbol(symbol).piece_type for symbol in self.ending[:-1]]
        while True:
            men = dict(zip(rng.sample(chess.SQUARES, len(pieces)), pieces, strict=True))
            king = BareKing.anywhere(chess.WHITE, men)
            board = chess.Board(None)
            board.set_piece_map({square: chess.Piece(piece, chess.WHITE) for square, piece in men.items()})
            board.set_piece_at(rng.choice(list(chess.scan_forward(king.squares))), chess.Piece(chess.KING, chess.BLACK))
            if board.is_valid() and probe_king(king) is not None:
                return king, board.fen()

    @property
    def title(self) -> str:
        """The task in a few words."""
        return f"{WORDS['title']}: {ENDINGS[self.ending]}"

    @property
    def text(self) -> str:
        """The task."""
        proof = probe_king(self.start[0])
        assert proof is not None  # by its definition
        return (
            "Black has only the king. It may be anywhere, it sees the whole board, and it knows what you know. "
            f"{certain_text(proof.moves)} A refused try costs nothing."
        )

    def state(self, tried: Sequence[str] = (), text: str = "") -> StepState:
        """Return the practice after tries in UCI notation and one more try as people write it (empty: none).

        Raise ValueError if one of `tried` cannot be made, or follows the end.
        """
        king, fen = self.start
        referee = Referee(start=fen)
        for code in tried:
            move = parse_action(code)
            view = referee.view(chess.WHITE)
            if not isinstance(move, chess.Move) or not view.is_open(move) or view.end is not None:
                raise ValueError(f"{code!r} cannot be tried here; give tries such as 'e4e5' from the start on")
            king = _play(referee, king, move)
        before = referee.view(chess.WHITE)
        if not text:
            return StepState(before, tried, squares=king.squares)
        try:
            move = read_try(text, before)
        except BadTry as error:
            return StepState(before, tried, comment=str(error), squares=king.squares)
        proof, king = probe_king(king), _play(referee, king, move)
        view, diary = referee.view(chess.WHITE), Diary()
        diary.take(view)
        answer = " ".join(entry.text for entry in diary.entries[len(before.events) :])
        comment = _comment(before, proof, view, probe_king(king))
        return StepState(view, [*tried, move.uci()], answer, comment, view.end is not None, king.squares)


def _play(referee: Referee, king: BareKing, move: chess.Move) -> BareKing:
    """Make a try, and the king's step if the referee accepts it; return what we know of the king then."""
    seen = len(referee.view(chess.WHITE).events)
    referee.try_move(move)
    for _ in chess.COLORS:
        for event in referee.view(chess.WHITE).events[seen:]:
            king = king.after(event)
        seen = len(referee.view(chess.WHITE).events)
        if referee.turn == chess.BLACK and referee.end is None:
            referee.try_move(hostile_step(referee.board(), king))
    return king


def _comment(before: View, proof: Proof | None, view: View, now: Proof | None) -> str:
    """Return what a try has done to the proof."""
    if view.end is not None:
        end = view.end.text()
        return f"{end[0].upper()}{end[1:]}, after {counted((view.ply + 1) // 2, 'move')} of yours."
    best = "" if proof is None else try_name(proof.move, before)
    if now is None:
        return "No mate is certain now." + (best and f" {best} would have kept it certain.")
    was_accepted = view.ply > before.ply
    if proof is not None and now.moves > proof.moves - was_accepted:
        return f"{certain_text(now.moves)} {best} would have kept it shorter."
    return certain_text(now.moves)
