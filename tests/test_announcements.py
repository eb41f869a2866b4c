"""Announcements of moves in positions where they are known, as text and as code."""

from __future__ import annotations

import contextlib
import random

import chess
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from referee import (
    BERKELEY,
    NO_LIMITS,
    RULE_SETS,
    WILD16,
    Announcement,
    BadAnnouncement,
    CapturedKind,
    Check,
    End,
    Limits,
    PawnTryCount,
    PawnTryExists,
    PawnTrySquares,
    Reason,
    RuleSet,
    announce,
)
from referee.announcement import DECISIVE, check_direction
from tests.random_games import BY_A_MOVE, played


def said(fen: str, uci: str, rules: RuleSet = BERKELEY, limits: Limits = NO_LIMITS, ply: int = 0) -> Announcement:
    """Return the announcement of one legal move."""
    board = chess.Board(fen)
    assert board.is_valid()
    move = chess.Move.from_uci(uci)
    assert board.is_legal(move)
    return announce(board, move, rules, limits, ply=ply)


# Captures


def test_a_quiet_move_is_announced_with_nothing() -> None:
    assert said(chess.STARTING_FEN, "e2e4") == Announcement()


def test_a_capture_is_announced_at_its_square_and_under_berkeley_without_the_kind() -> None:
    fen = "4k3/8/8/3p4/4P3/8/8/4K2R w K - 0 1"
    assert said(fen, "e4d5") == Announcement(capture=chess.D5)


@pytest.mark.parametrize(
    ("man", "kind"), [("p", CapturedKind.PAWN), ("n", CapturedKind.PIECE), ("q", CapturedKind.PIECE)]
)
def test_wild16_says_whether_a_pawn_or_a_piece_fell(man: str, kind: CapturedKind) -> None:
    announcement = said(f"6k1/8/8/3{man}4/4P3/8/8/4K2R w K - 0 1", "e4d5", WILD16)
    assert (announcement.capture, announcement.captured) == (chess.D5, kind)


def test_a_captured_promoted_pawn_is_a_piece() -> None:
    board = chess.Board("4k3/P7/8/8/8/8/4K3/r7 w - - 0 1")
    board.push_uci("a7a8n")
    assert announce(board, chess.Move.from_uci("a1a8"), WILD16).captured is CapturedKind.PIECE


@pytest.mark.parametrize(
    ("fen", "uci", "square"),
    [
        ("4k3/8/8/3pP3/8/8/8/4K2R w K d6 0 1", "e5d6", chess.D5),
        ("4k2r/8/8/8/3pP3/8/8/4K3 b k e3 0 1", "d4e3", chess.E4),
    ],
)
def test_an_en_passant_capture_is_announced_at_the_captured_pawn(fen: str, uci: str, square: chess.Square) -> None:
    assert said(fen, uci).capture == square
    assert said(fen, uci, WILD16).captured is CapturedKind.PAWN


# Checks


@pytest.mark.parametrize(
    ("fen", "uci", "checks"),
    [
        ("k7/8/8/8/8/8/8/K6R w - - 0 1", "h1h8", Check.RANK),
        ("k7/8/8/8/8/8/1K5P/7R w - - 0 1", "h1a1", Check.FILE),
        ("k7/8/8/8/8/8/7P/1K5R w - - 0 1", "b1b2", Check(0)),
        (
            "7k/8/8/8/8/8/7P/2B1K3 w - - 0 1",
            "c1b2",
            Check.LONG_DIAGONAL,
        ),  # a1-h8; through the corner no other
        ("8/8/8/7k/8/8/P7/4KB2 w - - 0 1", "f1e2", Check.LONG_DIAGONAL),  # d1-h5 has 5 squares, e8-h5 has 4
        ("8/8/2B5/7k/8/8/P7/4K3 w - - 0 1", "c6e8", Check.SHORT_DIAGONAL),
        ("8/8/3k4/8/4P3/8/8/4K3 w - - 0 1", "e4e5", Check.LONG_DIAGONAL),  # b8-h2 has 7 squares, a3-f8 has 6
        ("8/8/3k4/8/2P5/8/8/4K3 w - - 0 1", "c4c5", Check.SHORT_DIAGONAL),
        ("7k/8/8/4N3/8/8/P7/4K3 w - - 0 1", "e5g6", Check.KNIGHT),
    ],
)
def test_each_direction_of_check_has_its_name(fen: str, uci: str, checks: Check) -> None:
    assert said(fen, uci).checks == checks


@pytest.mark.parametrize(
    ("fen", "uci", "checks"),
    [
        ("4k3/8/8/8/4N3/8/P7/4RK2 w - - 0 1", "e4f6", Check.FILE | Check.KNIGHT),
        ("4k3/8/8/8/4B3/8/P7/4RK2 w - - 0 1", "e4c6", Check.FILE | Check.LONG_DIAGONAL),  # a4-e8 beats e8-h5
        ("4k3/8/8/8/4B3/8/P7/4RK2 w - - 0 1", "e4g6", Check.FILE | Check.SHORT_DIAGONAL),
        ("k7/8/8/8/4R3/8/6B1/4K3 w - - 0 1", "e4e8", Check.RANK | Check.LONG_DIAGONAL),
        ("k7/8/8/3N4/8/8/6B1/4K3 w - - 0 1", "d5b6", Check.KNIGHT | Check.LONG_DIAGONAL),
    ],
)
def test_a_double_check_has_both_directions(fen: str, uci: str, checks: Check) -> None:
    assert said(fen, uci).checks == checks


def test_a_check_discovered_by_an_en_passant_capture_is_announced() -> None:
    # both pawns leave the fifth rank: the rook on a5 sees the king on h5
    announcement = said("8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1", "e5d6")
    assert (announcement.capture, announcement.checks) == (chess.D5, Check.RANK)


def test_a_check_discovered_through_the_captured_pawn_is_announced() -> None:
    # the bishop on b3 looks through d5, where the captured pawn stood, at the king on g8
    announcement = said("6k1/8/8/3pP3/8/1B6/8/4K3 w - d6 0 1", "e5d6")
    assert (announcement.capture, announcement.checks) == (chess.D5, Check.LONG_DIAGONAL)


def test_a_check_by_castling_is_the_rooks() -> None:
    assert said("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1").checks == Check.FILE


def test_a_check_by_promotion_is_announced() -> None:
    assert said("7k/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8r").checks == Check.RANK


def diagonal_squares(king: chess.Square, checker: chess.Square) -> int:
    """Return the number of squares of the whole diagonal through both."""
    return len(chess.SquareSet.ray(king, checker))


@pytest.mark.parametrize("king", chess.SQUARES)
def test_the_longer_diagonal_through_the_king_is_the_long_one(king: chess.Square) -> None:
    diagonals = {
        frozenset(chess.SquareSet.ray(king, checker)) for checker in chess.SquareSet(chess.BB_DIAG_ATTACKS[king][0])
    }
    longest = max(map(len, diagonals))
    for checker in chess.SquareSet(chess.BB_DIAG_ATTACKS[king][0]):
        long = diagonal_squares(king, checker) == longest
        assert check_direction(king, checker) == (Check.LONG_DIAGONAL if long else Check.SHORT_DIAGONAL)


@pytest.mark.parametrize("king", chess.SQUARES)
def test_ranks_files_and_knights_jumps_have_their_directions(king: chess.Square) -> None:
    for masks, check in (
        (chess.BB_RANK_ATTACKS[king][0], Check.RANK),
        (chess.BB_FILE_ATTACKS[king][0], Check.FILE),
        (chess.BB_KNIGHT_ATTACKS[king], Check.KNIGHT),
    ):
        assert {check_direction(king, checker) for checker in chess.SquareSet(masks)} == {check}


# Pawn tries


@pytest.mark.parametrize(
    ("fen", "uci", "count"),
    [
        (chess.STARTING_FEN, "e2e4", 0),
        ("rnbqkbnr/ppp1pppp/8/3p4/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 2", "e2e4", 1),
        ("4k3/8/8/2p1p3/8/8/3P4/4K2R w K - 0 1", "d2d4", 2),
        ("4k3/8/8/8/2p1p3/8/3P4/4K2R w K - 0 1", "d2d4", 2),  # two pawns may take en passant
        ("4k3/8/8/8/4p3/8/3P4/4R1K1 w - - 0 1", "d2d4", 0),  # the only taker is pinned on the file
        (
            "8/8/8/8/k3p2R/8/3P4/4K3 w - - 0 1",
            "d2d4",
            0,
        ),  # both pawns would leave the rank between king and rook
        ("4k3/8/8/8/8/8/1p6/R1B1K3 w - - 0 1", "e1e2", 2),  # eight moves, two tries: promotions count once
    ],
)
def test_wild16_counts_legal_pawn_captures(fen: str, uci: str, count: int) -> None:
    assert said(fen, uci, WILD16).pawn_tries == PawnTryCount(count)
    assert said(fen, uci, BERKELEY).pawn_tries is None


def test_no_pawn_tries_are_announced_once_the_game_has_ended() -> None:
    mate = said("7k/R7/8/8/8/8/8/1R2K3 w - - 0 1", "b1b8", WILD16)
    assert mate.end is not None
    assert mate.pawn_tries is None


@given(st.integers(0, 10**9), st.integers(0, 60))
def test_the_count_is_that_of_distinct_legal_pawn_captures(seed: int, plies: int) -> None:
    referee = played(seed, WILD16, plies=plies)
    assume(referee.end is None)
    board = referee.board()
    captures = {
        (move.from_square, move.to_square)
        for move in board.legal_moves
        if board.piece_type_at(move.from_square) == chess.PAWN and move.from_square % 8 != move.to_square % 8
    }
    assert referee.view(referee.turn).pawn_tries == PawnTryCount(len(captures))


# Ends


MATE = ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 49 80", "a1a8")


def test_mate_is_announced_with_its_check_and_winner() -> None:
    assert said(*MATE) == Announcement(checks=Check.RANK, end=End(Reason.CHECKMATE, chess.WHITE))


def test_mate_at_the_ply_limit_is_mate() -> None:
    assert said(*MATE, limits=Limits(plies=160), ply=159).end == End(Reason.CHECKMATE, chess.WHITE)


def test_mate_at_the_quiet_limit_is_mate() -> None:
    assert said(*MATE, limits=Limits(quiet_plies=50)).end == End(Reason.CHECKMATE, chess.WHITE)


def test_stalemate_is_a_draw_and_comes_before_the_limits() -> None:
    fen = "7k/8/6K1/8/8/8/8/5Q2 w - - 49 80"
    assert said(fen, "f1f7", limits=Limits(plies=1, quiet_plies=50)).end == End(Reason.STALEMATE)


def test_the_ply_limit_draws_after_exactly_that_many_moves() -> None:
    assert said(chess.STARTING_FEN, "e2e4", limits=Limits(plies=160), ply=158).end is None
    assert said(chess.STARTING_FEN, "e2e4", limits=Limits(plies=160), ply=159).end == End(Reason.PLY_LIMIT)


@pytest.mark.parametrize(("clock", "uci", "ends"), [(48, "h1h2", False), (49, "h1h2", True), (49, "b2b3", False)])
def test_the_quiet_limit_draws_after_that_many_plies_without_pawn_move_or_capture(
    clock: int, uci: str, ends: bool
) -> None:
    announcement = said(f"4k3/8/8/8/8/8/1P6/4K2R w - - {clock} 80", uci, limits=Limits(quiet_plies=50))
    assert (announcement.end == End(Reason.QUIET_LIMIT)) is ends


def test_there_is_no_fifty_move_rule_without_a_limit() -> None:
    assert said("4k3/8/8/8/8/8/1P6/4K2R w - - 500 800", "h1h2").end is None


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
@pytest.mark.parametrize(
    ("fen", "uci"),
    [
        ("4k3/8/8/8/8/8/3r4/4K3 w - - 0 1", "e1d2"),
        ("4k3/8/8/8/8/5N2/3r4/4K3 w - - 0 1", "e1d2"),
        ("4kb2/8/8/8/8/8/3r4/2B1K3 w - - 0 1", "c1d2"),  # bishops of one colour
    ],
)
def test_a_dead_position_is_a_draw(fen: str, uci: str, rules: RuleSet) -> None:
    assert said(fen, uci, rules).end == End(Reason.DEAD_POSITION)


@pytest.mark.parametrize(("white", "black"), [("N", "n"), ("N", "b"), ("B", "n")])
def test_berkeley_also_draws_with_one_minor_piece_each(white: str, black: str) -> None:
    fen = f"4k2{black}/8/8/8/8/5{white}2/3r4/4K3 w - - 0 1"
    assert said(fen, "e1d2", BERKELEY).end == End(Reason.DEAD_POSITION)
    assert said(fen, "e1d2", WILD16).end is None


@pytest.mark.parametrize("men", ["NN", "BN", "P1", "R1", "Q1"])
def test_more_than_one_minor_piece_plays_on(men: str) -> None:
    assert said(f"4k2n/8/8/8/8/5{men[0]}{men[1]}1/3r4/4K3 w - - 0 1".replace("11/", "2/"), "e1d2").end is None


# The pure function


def test_a_limit_of_plies_needs_to_be_told_the_ply() -> None:
    with pytest.raises(ValueError, match="announce needs ply="):
        announce(chess.Board(), chess.Move.from_uci("e2e4"), BERKELEY, Limits(plies=160))


@given(st.integers(0, 10**9), st.integers(0, 60), st.sampled_from(list(RULE_SETS.values())))
def test_announce_leaves_the_board_as_it_was(seed: int, plies: int, rules: RuleSet) -> None:
    referee = played(seed, rules, plies=plies)
    assume(referee.end is None)
    board = referee.board()
    before, stack = board.fen(en_passant="fen"), list(board.move_stack)
    announce(board, random.Random(seed).choice(list(board.legal_moves)), rules)
    assert board.fen(en_passant="fen") == before
    assert board.move_stack == stack


# Text and code


@st.composite
def announcements(draw: st.DrawFn) -> Announcement:
    capture = draw(st.none() | st.sampled_from(chess.SQUARES))
    reason = draw(st.none() | st.sampled_from(BY_A_MOVE))
    has_winner = reason in DECISIVE or (reason is Reason.STALEMATE and draw(st.booleans()))
    winner = draw(st.booleans()) if has_winner else None
    squares = st.sets(st.sampled_from(range(chess.A2, chess.A8)), min_size=1, max_size=8).map(sorted).map(tuple)
    counts, answers = st.integers(0, 16).map(PawnTryCount), st.booleans().map(PawnTryExists)
    return Announcement(
        capture=capture,
        captured=None if capture is None else draw(st.none() | st.sampled_from(CapturedKind)),
        checks=Check(draw(st.integers(0, 31))),
        pawn_tries=draw(st.none() | counts | answers | squares.map(PawnTrySquares)),
        end=None if reason is None else End(reason, winner),
        en_passant=capture is not None and draw(st.booleans()),
        promotion=draw(st.booleans()),
    )


@given(announcements())
def test_a_code_reads_back_as_the_same_announcement(announcement: Announcement) -> None:
    code = announcement.code()
    assert Announcement.parse(code) == announcement
    assert code
    assert not set(code) & set(" \t\n[]{}();%$")


@given(announcements(), announcements())
def test_different_announcements_have_different_codes(one: Announcement, other: Announcement) -> None:
    assert (one == other) == (one.code() == other.code())


@given(st.text(max_size=12) | st.text("xabd15po=+RFLSN?09#:wb-mate", max_size=12))
def test_a_text_is_a_code_or_refused(text: str) -> None:
    with contextlib.suppress(BadAnnouncement):
        assert Announcement.parse(text).code() == text


@pytest.mark.parametrize(
    ("announcement", "code", "text"),
    [
        (Announcement(), "-", "A move was made."),
        (Announcement(capture=chess.D5), "xd5", "Capture on d5."),
        (
            Announcement(chess.D5, CapturedKind.PAWN, Check.FILE | Check.KNIGHT, PawnTryCount(2)),
            "xd5p+FN?2",
            "Pawn captured on d5; check on the file and by a knight; 2 pawn tries.",
        ),
        (
            Announcement(chess.A1, CapturedKind.PIECE, pawn_tries=PawnTryCount(1)),
            "xa1o?1",
            "Piece captured on a1; 1 pawn try.",
        ),
        (Announcement(pawn_tries=PawnTryCount(0)), "?0", "No pawn tries."),
        (
            Announcement(checks=Check.LONG_DIAGONAL, end=End(Reason.CHECKMATE, chess.BLACK)),
            "+L#mate:b",
            "Check on the long diagonal; checkmate, Black wins.",
        ),
        (Announcement(end=End(Reason.STALEMATE)), "#stalemate", "Stalemate, draw."),
        (Announcement(end=End(Reason.STALEMATE, chess.WHITE)), "#stalemate:w", "Stalemate, White wins."),
        (Announcement(chess.D6, en_passant=True), "xd6ep", "Capture on d6 en passant."),
        (
            Announcement(chess.E8, CapturedKind.PIECE, Check.RANK, PawnTrySquares((chess.B7,)), promotion=True),
            "xe8o=+R?b7",
            "Piece captured on e8; a promotion; check on the rank; a pawn try from b7.",
        ),
        (Announcement(promotion=True), "=", "A promotion."),
        (Announcement(pawn_tries=PawnTrySquares((chess.E4, chess.G5))), "?e4g5", "Pawn tries from e4 and g5."),
        (
            Announcement(pawn_tries=PawnTrySquares((chess.A2, chess.E4, chess.G5))),
            "?a2e4g5",
            "Pawn tries from a2, e4 and g5.",
        ),
        (Announcement(pawn_tries=PawnTrySquares(())), "?none", "No pawn tries."),
    ],
)
def test_announcements_as_people_and_records_have_them(announcement: Announcement, code: str, text: str) -> None:
    assert (announcement.code(), announcement.text()) == (code, text)


@pytest.mark.parametrize(
    "code",
    [
        "",
        " ",
        "xi9",
        "xd5n",
        "+",
        "+FF",
        "+FR",
        "?07",
        "?e",
        "?e8",
        "?g5e4",
        "?e4e4",
        "xe9ep",
        "ep",
        "#mate",
        "#dead:w",
        "#won:w",
        "d5",
        "--",
    ],
)
def test_what_is_no_code_is_refused(code: str) -> None:
    with pytest.raises(BadAnnouncement, match=r"^illegal (end in )?announcement: .*; it takes "):
        Announcement.parse(code)


def test_an_announcement_cannot_hold_an_end_that_no_move_brings() -> None:
    with pytest.raises(ValueError, match="no move brings about"):
        Announcement(end=End(Reason.RESIGNATION, chess.WHITE))


@pytest.mark.parametrize("reason", list(Reason))
def test_an_end_has_a_winner_exactly_if_its_reason_has_one_except_stalemate(reason: Reason) -> None:
    if reason is Reason.STALEMATE:
        assert {End(reason, winner).result for winner in (None, *chess.COLORS)} == {"1/2-1/2", "1-0", "0-1"}
        return
    wrong = None if reason in DECISIVE else chess.WHITE
    with pytest.raises(ValueError, match="illegal end"):
        End(reason, wrong)


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (End(Reason.RESIGNATION, chess.WHITE), "resignation, White wins"),
        (End(Reason.FORFEIT, chess.BLACK, "no move in 60 s"), "forfeit, Black wins (no move in 60 s)"),
        (End(Reason.QUIET_LIMIT), "quiet limit, draw"),
        (End(Reason.ABANDONED), "abandoned, no result"),
    ],
)
def test_ends_as_people_read_them(end: End, text: str) -> None:
    assert end.text() == text


def test_results_are_written_as_in_pgn() -> None:
    assert End(Reason.CHECKMATE, chess.WHITE).result == "1-0"
    assert End(Reason.RESIGNATION, chess.BLACK).result == "0-1"
    assert End(Reason.PLY_LIMIT).result == "1/2-1/2"
    assert End(Reason.ABANDONED).result == "*"
