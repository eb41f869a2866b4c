"""The exact belief: posteriors worked out by hand."""

from __future__ import annotations

import dataclasses

import chess
import pytest

from kriegbot.belief.belief import EmptyBelief
from referee import (
    BERKELEY,
    WILD16,
    Announcement,
    Answer,
    Limits,
    OpponentMoved,
    OpponentRefused,
    OwnTry,
    Referee,
)
from tests.exact_belief import ExactBelief, TooManyPositions, position_key

CORNERED_KING = "7k/8/8/8/8/8/P7/K7 b - - 0 1"
KING_AND_H_PAWN = "7k/8/8/7P/8/8/8/K7 b - - 0 1"


def play(referee: Referee, script: str) -> None:
    """Make tries; a refused one ends in "?"."""
    for word in script.split():
        answer = referee.try_move(chess.Move.from_uci(word.removesuffix("?")))
        assert (answer is Answer.ACCEPTED) != word.endswith("?"), word


def kings(belief: ExactBelief, side: chess.Color = chess.BLACK) -> dict[str, float]:
    """Return the probabilities of a king's squares."""
    found: dict[str, float] = {}
    for board, probability in belief.positions:
        square = board.king(side)
        assert square is not None
        name = chess.square_name(square)
        found[name] = found.get(name, 0.0) + probability
    return found


def test_the_start_is_known_to_both_sides() -> None:
    referee = Referee()
    for color in chess.COLORS:
        ((board, probability),) = ExactBelief(referee.view(color)).positions
        assert board == chess.Board()
        assert probability == 1.0


def test_after_one_silent_reply_twenty_positions_are_equally_likely() -> None:
    referee = Referee()
    play(referee, "e2e4 e7e5")
    belief = ExactBelief(referee.view(chess.WHITE))
    assert len(belief) == 20
    assert [probability for _, probability in belief.positions] == pytest.approx([1 / 20] * 20)


def test_histories_that_meet_in_a_position_add_up() -> None:
    # The king goes g8, g7 or h7 (1/3 each) and from there to one of 5, 8 and 5 squares.
    referee = Referee(start=CORNERED_KING)
    play(referee, "h8g7 a2a3 g7g8")
    in_120ths = {"f7": 13, "g8": 13, "h7": 13, "g6": 13, "h6": 13, "f8": 13, "h8": 21, "g7": 16, "f6": 5}
    belief = ExactBelief(referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({square: n / 120 for square, n in in_120ths.items()})
    assert len(belief) == len(in_120ths)


def test_tries_refusals_and_silence_each_say_where_the_king_is() -> None:
    referee = Referee(start=KING_AND_H_PAWN)
    play(referee, "h8h7")
    belief = ExactBelief(referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({"g8": 1 / 3, "g7": 1 / 3, "h7": 1 / 3})

    play(referee, "h5h6")  # no check is heard: not g7
    belief.update(referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({"g8": 1 / 2, "h7": 1 / 2})

    play(referee, "h7h8")  # g8 has four moves, all silent; h7 four, of which one takes on h6
    belief.update(referee.view(chess.WHITE))
    sevenths = {"f8": 1, "f7": 1, "h7": 1, "h8": 2, "g8": 1, "g6": 1}
    assert kings(belief) == pytest.approx({square: n / 7 for square, n in sevenths.items()})

    play(referee, "h6h7")  # accepted: not h7; no check: not g8
    belief.update(referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({"f8": 1 / 5, "f7": 1 / 5, "h8": 2 / 5, "g6": 1 / 5})


def test_an_own_illegal_try_leaves_what_forbids_it() -> None:
    referee = Referee(start=KING_AND_H_PAWN)
    play(referee, "h8h7 h5h6 h7g8 a1a2 g8h7 h6h7?")
    assert kings(ExactBelief(referee.view(chess.WHITE))) == pytest.approx({"h7": 1.0})


def test_nonsense_says_nothing() -> None:
    referee = Referee(start=KING_AND_H_PAWN)
    play(referee, "h8g8 h5g6?")
    belief = ExactBelief(referee.view(chess.WHITE))
    before = kings(belief)
    play(referee, "h5g6? a1a8? h5h8?")
    view = referee.view(chess.WHITE)
    assert [event.answer for event in view.events[-3:] if isinstance(event, OwnTry)] == [
        Answer.REPEATED,
        Answer.IMPOSSIBLE,
        Answer.IMPOSSIBLE,
    ]
    belief.update(view)
    assert kings(belief) == before


def test_a_refusal_heard_needs_an_illegal_try_of_the_opponent() -> None:
    # The pawn on h5 forbids g6 to a king on g7 or h7; a king on g8 has no illegal try.
    referee = Referee(start=KING_AND_H_PAWN)
    play(referee, "h8h7 a1a2 h7g6?")
    belief = ExactBelief(referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({"g7": 1 / 2, "h7": 1 / 2})
    play(referee, "h7h8")
    belief.update(referee.view(chess.WHITE))  # g7 has seven legal moves, h7 four: both can go to h8
    assert kings(belief)["h8"] == pytest.approx((1 / 7 + 1 / 4) / 2)


def test_as_many_refusals_as_heard_in_one_turn_need_as_many_illegal_tries() -> None:
    # With pawns on h5 and g5, h6 and g6 are forbidden from g7, and f6; from h7 g6 and h6; from g8 nothing.
    referee = Referee(start="7k/8/8/6PP/8/8/8/K7 b - - 0 1")
    play(referee, "h8g7 a1a2 g7f6? g7g6?")
    belief = ExactBelief(referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({"g7": 1 / 2, "h7": 1 / 2})
    play(referee, "g7h6?")
    belief.update(referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({"g7": 1.0})
    view = referee.view(chess.WHITE)
    with pytest.raises(EmptyBelief, match=r"no position fits OpponentRefused\(\) at ply 2"):
        ExactBelief(dataclasses.replace(view, events=(*view.events, OpponentRefused())))


def test_refusals_are_counted_anew_each_turn() -> None:
    referee = Referee(start=KING_AND_H_PAWN)
    play(referee, "h8h7 a1a2 h7g6? h7g7 a2a1 g7g6?")
    assert kings(ExactBelief(referee.view(chess.WHITE)))["g7"] > 0


def test_a_number_of_pawn_tries_tells_what_moved() -> None:
    referee = Referee(WILD16, start="4k3/3p1p2/8/4P3/8/8/8/4K3 b - - 0 1")
    play(referee, "d7d5")
    positions = ExactBelief(referee.view(chess.WHITE)).positions
    assert {board.board_fen().split("/K")[0]: p for board, p in positions} == pytest.approx(
        {
            "4k3/5p2/8/3pP3/8/8/8/4K3": 1 / 4,
            "4k3/5p2/3p4/4P3/8/8/8/4K3": 1 / 4,
            "4k3/3p4/8/4Pp2/8/8/8/4K3": 1 / 4,
            "4k3/3p4/5p2/4P3/8/8/8/4K3": 1 / 4,
        }
    )
    assert sum(board.has_legal_en_passant() for board, _ in positions) == 2


def test_the_kind_of_man_that_fell_tells_what_stood_there_in_wild16() -> None:
    # Black has put its pawn or its knight on d5, and we take there.
    for rules, possible in ((BERKELEY, 2), (WILD16, 1)):
        referee = Referee(rules, start="4k3/4n3/3p4/8/8/8/8/3RK3 b - - 0 1")
        play(referee, "d6d5 d1d5")
        belief = ExactBelief(referee.view(chess.WHITE))
        assert len(belief) == possible
        assert belief.probability(referee.board()) == pytest.approx(1 / possible)


def test_a_silent_promotion_may_be_to_any_piece() -> None:
    referee = Referee(start="8/8/8/8/8/k3K3/1p5P/8 b - - 0 1")
    play(referee, "b2b1n")
    positions = ExactBelief(referee.view(chess.WHITE)).positions
    promoted = [board.piece_type_at(chess.B1) for board, _ in positions]
    assert sorted(filter(None, promoted)) == [chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN]
    assert [p for _, p in positions] == pytest.approx([1 / 8] * 8)  # four steps of the king


def test_positions_after_the_end_are_those_of_the_end() -> None:
    referee = Referee(start="k7/8/8/8/8/1r6/r7/6K1 b - - 0 1")
    play(referee, "b3b1")
    ((board, probability),) = ExactBelief(referee.view(chess.WHITE)).positions
    assert board.is_checkmate()
    assert probability == 1.0


def test_a_resignation_changes_nothing() -> None:
    referee = Referee()
    play(referee, "e2e4 e7e5")
    belief = ExactBelief(referee.view(chess.WHITE))
    before = belief.positions
    referee.resign(chess.BLACK)
    belief.update(referee.view(chess.WHITE))
    assert belief.positions == before


def test_an_end_by_the_ply_limit_is_heard_in_every_history() -> None:
    referee = Referee(limits=Limits(plies=3), start=CORNERED_KING)
    play(referee, "h8g8 a2a3")
    belief = ExactBelief(referee.view(chess.WHITE))
    assert set(kings(belief)) == {"g8", "g7", "h7"}
    play(referee, "g8h8")
    assert referee.end is not None
    belief.update(referee.view(chess.WHITE))
    assert kings(belief)["h8"] == pytest.approx(21 / 120)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("4k3/8/8/3p4/8/8/8/4K3 w - d6 0 2", "4k3/8/8/3p4/8/8/8/4K3 w - - 0 2", True),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 2", False),
        ("7k/8/8/K2pP2r/8/8/8/8 w - d6 0 2", "7k/8/8/K2pP2r/8/8/8/8 w - - 0 2", False),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 2", "4k3/8/8/8/8/8/8/4K2R w - - 0 2", False),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 2", "4k3/8/8/8/8/8/8/4K2R w - - 1 2", False),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 2", "4k3/8/8/8/8/8/8/4K2R w - - 0 9", True),
        ("4k3/8/8/8/8/8/8/4K2R w - - 0 2", "4k3/8/8/8/8/8/8/4K2R b - - 0 2", False),
    ],
)
def test_two_positions_are_the_same_if_the_game_goes_on_alike(one: str, other: str, same: bool) -> None:
    assert (position_key(chess.Board(one)) == position_key(chess.Board(other))) == same


def test_boards_handed_out_are_the_callers_own() -> None:
    belief = ExactBelief(Referee(start=CORNERED_KING).view(chess.WHITE))
    for board, _ in belief.positions:
        board.push_uci("h8g8")
    assert kings(belief) == {"h8": 1.0}


def test_too_many_positions_are_refused_with_their_number() -> None:
    referee = Referee()
    play(referee, "e2e4 e7e5")
    with pytest.raises(TooManyPositions, match=r"more than 19 positions fit at ply 1; .* max_positions"):
        ExactBelief(referee.view(chess.WHITE), max_positions=19)
    assert len(ExactBelief(referee.view(chess.WHITE), max_positions=20)) == 20


def test_only_a_later_view_of_the_same_side_and_game_is_taken_in() -> None:
    referee, another = Referee(start=KING_AND_H_PAWN), Referee(start=KING_AND_H_PAWN)
    play(referee, "h8g8 h5h6")
    play(another, "h8g8 a1a2")
    belief = ExactBelief(referee.view(chess.WHITE))
    for view in (
        another.view(chess.WHITE),
        referee.view(chess.BLACK),
        Referee(start=KING_AND_H_PAWN).view(chess.WHITE),
        Referee().view(chess.WHITE),
    ):
        with pytest.raises(ValueError, match="it takes a later view of the same side and game"):
            belief.update(view)
    belief.update(referee.view(chess.WHITE))  # nothing new is fine
    assert kings(belief) == pytest.approx({"g8": 1 / 2, "h7": 1 / 2})


def test_events_that_no_game_gives_fit_nothing() -> None:
    view = Referee(start=KING_AND_H_PAWN).view(chess.WHITE)
    on_e4 = OpponentMoved(Announcement(capture=chess.E4))
    with pytest.raises(EmptyBelief, match=r"no position fits OpponentMoved.* at ply 0"):
        ExactBelief(dataclasses.replace(view, events=(on_e4,)))


def lone_king_on(*squares: str) -> list[tuple[chess.Board, float]]:
    boards = []
    for square in squares:
        board = chess.Board("8/8/8/8/8/8/8/R3K3 w - - 0 1")
        board.set_piece_at(chess.parse_square(square), chess.Piece.from_symbol("k"))
        boards.append((board, 1.0))
    return boards


def test_an_unknown_enemy_is_found_by_tries() -> None:
    referee = Referee(start="3k4/8/8/8/8/8/8/R3K3 w - - 0 1")
    prior = lone_king_on("a8", "c8", "d8", "h8", "a5")
    belief = ExactBelief.from_positions(prior, referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({"a8": 1 / 5, "c8": 1 / 5, "d8": 1 / 5, "h8": 1 / 5, "a5": 1 / 5})
    play(referee, "a1a7")  # past a5 no; a8 would be in check
    belief.update(referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({"c8": 1 / 3, "d8": 1 / 3, "h8": 1 / 3})
    play(referee, "d8c8")  # each king has two silent moves, to b8 and d8, c8 and e8, and g8 alone
    belief.update(referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({"b8": 1 / 6, "d8": 1 / 6, "c8": 1 / 6, "e8": 1 / 6, "g8": 1 / 3})


def test_weights_of_a_prior_are_made_to_sum_to_one_and_merge() -> None:
    view = Referee(start="3k4/8/8/8/8/8/8/R3K3 w - - 0 1").view(chess.WHITE)
    (one, _), (other, _) = lone_king_on("c8", "h8")
    belief = ExactBelief.from_positions([(one, 3.0), (other, 6.0), (one, 3.0)], view)
    assert kings(belief) == pytest.approx({"c8": 1 / 2, "h8": 1 / 2})
    assert belief.probability(one) == pytest.approx(1 / 2)
    assert belief.probability(chess.Board()) == 0.0


def test_a_prior_in_the_middle_of_an_opponents_turn_knows_the_refusals_heard() -> None:
    referee = Referee(start="7k/8/8/6PP/8/8/8/K7 b - - 0 1")
    play(referee, "h8g7 a1a2 g7f6? g7g6?")
    view = referee.view(chess.WHITE)
    belief = ExactBelief.from_positions(ExactBelief(view).positions, view)
    play(referee, "g7h6?")
    belief.update(referee.view(chess.WHITE))
    assert kings(belief) == pytest.approx({"g7": 1.0})


@pytest.mark.parametrize(
    ("fen", "weight", "fault"),
    [
        ("3k4/8/8/8/8/8/8/R3K3 w - - 0 1", 0.0, "weight 0.0"),
        ("3k4/8/8/8/8/8/8/R3K3 w - - 0 1", float("nan"), "weight nan"),
        ("3k4/8/8/8/8/8/8/R3K3 b - - 0 1", 1.0, "black to move; in the view it is white"),
        ("3k4/8/8/8/8/8/8/1R2K3 w - - 0 1", 1.0, "own men"),
        ("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", 1.0, "own castling rights"),
        ("3kn3/8/8/8/8/8/8/R3K3 w - - 0 1", 1.0, "the view's 1"),
    ],
)
def test_a_prior_that_contradicts_the_view_is_refused(fen: str, weight: float, fault: str) -> None:
    view = Referee(start="3k4/8/8/8/8/8/8/R3K3 w - - 0 1").view(chess.WHITE)
    with pytest.raises(ValueError, match=f"illegal prior position: .*{fault}"):
        ExactBelief.from_positions([(chess.Board(fen), weight)], view)


def test_an_empty_prior_fits_nothing() -> None:
    with pytest.raises(EmptyBelief, match="no position fits the start"):
        ExactBelief.from_positions([], Referee().view(chess.WHITE))
