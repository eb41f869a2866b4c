"""Small positions whose information sets are enumerated completely, to hold beliefs and searches against.

A case says how its information set comes about: a start that both sides know and the tries made since, own
and opponent's, through the referee. The side to move at the end is the one that knows no more than its view;
what it holds possible is the exact belief of that view, 2 to 60 positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import chess

from referee import (
    BERKELEY,
    ENGLISH,
    NO_LIMITS,
    RAND,
    WILD16,
    Answer,
    Limits,
    OpponentRefused,
    Reason,
    Referee,
    RuleSet,
    View,
    announce,
)
from tests.exact_belief import ExactBelief
from tests.plain_search import Knowledge


@dataclass(frozen=True)
class Case:
    """One information set and how it came about.

    Attributes:
      name: a few words.
      start: FEN of the starting position, known to both sides.
      script: the tries of both sides in turn, in UCI; a refused one ends in "?".
      shows: what the case is there for, out of what `features` finds.
      rules: the rule set.
      limits: the limits of the game.
    """

    name: str
    start: str
    script: str
    shows: frozenset[str]
    rules: RuleSet = BERKELEY
    limits: Limits = NO_LIMITS

    @cached_property
    def referee(self) -> Referee:
        """The referee after the script; its board is the truth."""
        referee = Referee(self.rules, self.limits, self.start)
        for word in self.script.split():
            answer = referee.try_move(chess.Move.from_uci(word.removesuffix("?")))
            if (answer is Answer.ACCEPTED) == word.endswith("?"):
                raise ValueError(f"illegal script of {self.name!r}: {word!r} was answered {answer.value}")
        return referee

    @property
    def view(self) -> View:
        """The knowledge of the side to move."""
        return self.referee.view(self.referee.turn)

    @property
    def knowledge(self) -> Knowledge:
        """The view as the plain search takes it."""
        return Knowledge.of(self.view)

    @cached_property
    def positions(self) -> list[tuple[chess.Board, float]]:
        """The information set: positions and probabilities. Copy a board before making moves on it."""
        return ExactBelief(self.view, max_positions=60).positions


def _case(
    name: str,
    start: str,
    script: str,
    shows: str,
    rules: RuleSet = BERKELEY,
    limits: Limits = NO_LIMITS,
) -> Case:
    return Case(name, start, script, frozenset(shows.split(", ")), rules, limits)


CASES: tuple[Case, ...] = (
    _case("a lone king, one move unseen", "8/8/8/4k3/8/8/8/R3K3 w - - 0 1", "a1a4 e5d5", "check, white"),
    _case("a lone king, two moves unseen", "8/8/8/4k3/8/8/8/R3K3 b - - 0 1", "e5d5 a1a3 d5c5", "check, white"),
    _case(
        "a knight, two moves unseen",
        "n6k/8/8/8/8/8/4P3/4K3 b - - 0 1",
        "a8b6 e2d3? e1f1 b6d5",
        "opponent's check, white",
    ),
    _case("mate in half of the histories", "6k1/8/6K1/8/8/8/8/R7 b - - 0 1", "g8h8", "mate, white"),
    _case("mate or stalemate", "6k1/8/6K1/8/8/8/8/4Q3 b - - 0 1", "g8h8", "mate, stalemate, white"),
    _case("mate by Black", "8/8/8/8/4r3/6k1/8/6K1 w - - 0 1", "g1f1", "mate, black"),
    _case("mated on the back rank", "3r2k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", "d8c8", "opponent's mate, white"),
    _case(
        "Black mated on the back rank",
        "6k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1",
        "d1c1",
        "opponent's mate, black",
    ),
    _case(
        "stalemated or mated by an unseen queen",
        "8/8/8/8/8/4k3/3q4/7K b - - 0 1",
        "d2c2",
        "opponent's stalemate, opponent's mate, white",
    ),
    _case(
        "a promotion that may hang",
        "8/P7/2k5/8/8/8/8/K7 b - - 0 1",
        "c6b7",
        "promotion, dead position, opponent's capture, white",
    ),
    _case(
        "a promotion forward or by capture",
        "8/8/8/8/8/2k5/p7/R5K1 w - - 0 1",
        "a1b1",
        "promotion, capture, black",
    ),
    _case(
        "a pawn that may have promoted, to what",
        "8/8/8/8/8/k3K3/1p5P/8 b - - 0 1",
        "b2b1q",
        "opponent's promotion, opponent's check",
    ),
    _case("en passant in one history", "4k3/3p1p2/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", "en passant, white"),
    _case("en passant by Black", "4k3/8/8/8/3p4/8/2P1P3/4K3 w - - 0 1", "e2e4", "en passant, black"),
    _case(
        "en passant against us",
        "4k3/8/8/5p2/8/8/4P3/3K4 b - - 0 1",
        "f5f4",
        "opponent's en passant, white",
    ),
    _case(
        "en passant pinned on the rank",
        "4k3/3p4/8/K3P2r/8/8/8/8 b - - 0 1",
        "d7d5",
        "pinned en passant, legal in some, white",
    ),
    _case(
        "castling through an unseen knight",
        "4k3/8/8/8/6n1/8/8/4K2R b K - 0 1",
        "g4e3",
        "castling, legal in some",
    ),
    _case("castling refused", "4k3/8/8/8/6n1/8/8/4K2R b K - 0 1", "g4e3 e1g1?", "refused, white"),
    _case("long castling by Black", "r3k3/8/8/8/8/5N2/8/4K3 w q - 0 1", "f3d4", "castling, black"),
    _case(
        "the opponent may castle, or may have castled",
        "r3k3/p7/8/8/8/8/5P2/5K2 b q - 0 1",
        "e8c8",
        "opponent's castling, white",
    ),
    _case(
        "a rook lost at home, and castling with it",
        "4k3/8/8/8/4b3/8/5n2/4K2R b K - 0 1",
        "f2h1",
        "capture, white",
    ),
    _case("check on the file", "6k1/8/8/8/3q4/8/7R/4K3 b - - 0 1", "d4e4", "in check, white"),
    _case("check by a bishop that left", "4r1k1/8/8/4b3/8/8/8/4K1N1 b - - 0 1", "e5d6", "in check, white"),
    _case("double check", "4r1k1/8/8/4n3/8/8/8/4K1N1 b - - 0 1", "e5f3", "in double check, white"),
    _case("pinned in one history", "k2r4/p7/8/8/8/8/4N3/4K3 b - - 0 1", "d8e8", "pin, legal in some, white"),
    _case("a king's step refused", "6k1/q7/8/8/8/8/8/4K3 b - - 0 1", "a7d7 e1d1?", "refused, white"),
    _case("two tries refused", "3r2k1/8/8/8/8/8/1P6/4K3 b - - 0 1", "d8d7 e1d1? b2a3?", "refused, white"),
    _case(
        "the opponent was refused",
        "4k3/3p4/8/8/8/8/4R3/4K3 b - - 0 1",
        "e8e7? d7c6? e8f7",
        "opponent refused, white",
    ),
    _case("retaken by one of two pawns", "4k3/8/2p1p3/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5 e6d5", "white"),
    _case("the last pawn may fall", "8/8/8/8/3pk3/8/8/4K1N1 b - - 0 1", "d4d3", "opponent's check, white"),
    _case(
        "a minor piece each once the pawn falls",
        "8/8/8/8/2bpk3/8/8/2K3N1 b - - 0 1",
        "d4d3",
        "white",
    ),
    _case(
        "quiet limit on our try",
        "8/8/8/4k3/8/8/7P/R3K3 b - - 48 80",
        "e5d5",
        "quiet limit, white",
        limits=Limits(quiet_plies=50),
    ),
    _case(
        "quiet limit on the reply",
        "r3k3/7p/8/4K3/8/8/8/8 w - - 47 80",
        "e5d5",
        "opponent's quiet limit, black",
        limits=Limits(quiet_plies=50),
    ),
    _case(
        "ply limit on the reply",
        "8/8/8/4k3/8/3p4/8/R3K3 b - - 0 1",
        "e5d5",
        "opponent's ply limit, white",
        limits=Limits(plies=3),
    ),
    _case(
        "mate at the ply limit",
        "6k1/8/6K1/8/8/8/8/R7 b - - 0 1",
        "g8h8",
        "mate, ply limit, white",
        limits=Limits(plies=2),
    ),
    _case(
        "wild16: en passant is a pawn try",
        "4k3/3p1p2/8/4P3/8/8/8/4K3 b - - 0 1",
        "d7d5",
        "pawn tries, en passant, white",
        WILD16,
    ),
    _case(
        "wild16: no pawn tries",
        "4k3/3p1p2/8/4P3/8/8/8/4K3 b - - 0 1",
        "e8f8",
        "no pawn tries, white",
        WILD16,
    ),
    _case(
        "wild16: a pinned en passant is no pawn try",
        "4k3/3p4/8/K3P2r/8/8/8/8 b - - 0 1",
        "d7d5",
        "no pawn tries, pinned en passant, white",
        WILD16,
    ),
    _case(
        "wild16: a knight on the square of promotion",
        "1n2k3/P7/8/8/8/8/8/4K3 b - - 0 1",
        "e8f8",
        "pawn tries, promotion, capture, white",
        WILD16,
    ),
    _case(
        "wild16: a pawn try refused",
        "2b1kb2/8/8/3n4/8/8/1P4P1/4K3 b - - 0 1",
        "c8h3 b2a3?",
        "pawn tries, refused, legal in some, white",
        WILD16,
    ),
    _case(
        "wild16: Black has one pawn try",
        "4k3/8/8/8/3p4/8/2P1P3/4K3 w - - 0 1",
        "c2c4",
        "pawn tries, capture, en passant, black",
        WILD16,
    ),
    _case(
        "wild16: a pawn fell, by which knight",
        "4k3/8/8/1n1n4/8/2P5/7P/4K3 b - - 0 1",
        "d5c3",
        "no pawn tries, white",
        WILD16,
    ),
    _case(
        "wild16: a piece fell, and a rook unseen",
        "4k3/1p6/2n5/8/8/2N5/8/4K2R b K - 0 1",
        "c6d4 c3b5 d4b5 h1h7",
        "no pawn tries, check, black",
        WILD16,
    ),
    _case(
        "rand: en passant is a pawn try",
        "4k3/3p1p2/8/4P3/8/8/8/4K3 b - - 0 1",
        "d7d5",
        "pawn tries, en passant, white",
        RAND,
    ),
    _case(
        "rand: one of two pawns may capture",
        "4k3/8/8/3n1n2/8/8/1P3P2/4K3 b - - 0 1",
        "d5e3",
        "pawn tries, capture, legal in some, white",
        RAND,
    ),
    _case(
        "rand: Black has no pawn try",
        "4k3/8/8/8/3p4/8/2P1P3/4K3 w - - 0 1",
        "e1f1",
        "no pawn tries, black",
        RAND,
    ),
    _case(
        "rand: a pawn has promoted, to what",
        "8/8/8/8/8/k3K3/1p5P/8 b - - 0 1",
        "b2b1n",
        "no pawn tries, opponent's check, white",
        RAND,
    ),
    _case(
        "rand: a pawn may promote",
        "1n2k3/P7/8/8/8/8/8/4K3 b - - 0 1",
        "e8f8",
        "pawn tries, promotion, capture, white",
        RAND,
    ),
    _case("rand: mate or a stalemate, which wins", "6k1/8/6K1/8/8/8/8/4Q3 b - - 0 1", "g8h8", "mate, stalemate", RAND),
    _case(
        "rand: stalemated or mated by an unseen queen",
        "8/8/8/8/8/4k3/3q4/7K b - - 0 1",
        "d2c2",
        "opponent's stalemate, opponent's mate, white",
        RAND,
    ),
    _case(
        "english: a refusal tells nothing",
        "n6k/8/8/8/8/8/4P3/4K3 b - - 0 1",
        "a8h1? a8b6 e2d3? e1f1 h8h1? b6d5",
        "opponent refused, opponent's check, white",
        ENGLISH,
    ),
    _case("english: en passant by Black", "4k3/8/8/8/3p4/8/2P1P3/4K3 w - - 0 1", "e2e4", "en passant, black", ENGLISH),
    _case(
        "english: en passant against us",
        "4k3/8/8/5p2/8/8/4P3/3K4 b - - 0 1",
        "f5f4",
        "opponent's en passant, white",
        ENGLISH,
    ),
)


def mirrored(case: Case) -> Case:
    """Return the same case with the colours exchanged and the board turned upside down."""
    turned = str.maketrans("12345678", "87654321")
    exchanged = {"white": "black", "black": "white"}
    return replace(
        case,
        name=f"{case.name}, mirrored",
        start=chess.Board(case.start).mirror().fen(),
        script=case.script.translate(turned),
        shows=frozenset(exchanged.get(feature, feature) for feature in case.shows),
    )


def features(case: Case) -> Iterator[str]:
    """Return what there is to see in a case, in its information set or one move further on."""
    view = case.view
    yield view.rules.name
    yield chess.COLOR_NAMES[view.color]
    if view.refused:
        yield "refused"
    if view.pawn_tries is not None:
        yield "pawn tries" if view.pawn_tries.at_least else "no pawn tries"
    if any(isinstance(event, OpponentRefused) for event in view.events):
        yield "opponent refused"
    boards = [board for board, _ in case.positions]
    if any(len({board.is_legal(move) for board in boards}) == 2 for move in view.tries()):
        yield "legal in some"
    for board in boards:
        yield from _features_of_position(board)
        for move in board.legal_moves:
            yield from _features_of_move(case, board, move, view.ply)
            after = board.copy(stack=False)
            after.push(move)
            if announce(board, move, case.rules, case.limits, ply=view.ply).end is None:
                for reply in after.legal_moves:
                    for feature in _features_of_move(case, after, reply, view.ply + 1):
                        yield f"opponent's {feature}"


def _features_of_position(board: chess.Board) -> Iterator[str]:
    side = board.turn
    if board.is_check():
        yield "in double check" if len(board.checkers()) == 2 else "in check"
    own = chess.SquareSet(board.occupied_co[side] & ~board.kings)
    if any(board.is_pinned(side, square) for square in own):
        yield "pin"
    if board.has_pseudo_legal_en_passant() and not board.has_legal_en_passant():
        yield "pinned en passant"


def _features_of_move(case: Case, board: chess.Board, move: chess.Move, ply: int) -> Iterator[str]:
    announcement = announce(board, move, case.rules, case.limits, ply=ply)
    if announcement.end is not None:
        names = {Reason.CHECKMATE: "mate"}
        yield names.get(announcement.end.reason, announcement.end.reason.value)
    if announcement.capture is not None:
        yield "capture"
    if announcement.checks:
        yield "check"
    if move.promotion is not None:
        yield "promotion"
    if board.is_en_passant(move):
        yield "en passant"
    if board.is_castling(move):
        yield "castling"
