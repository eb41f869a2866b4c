"""The kernels against python-chess and the referee: legality, result and every announcement, under every rule set."""

import ast
import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import chess
import numpy as np
import pytest

from evaluators import load_evaluator
from evaluators.ks import Weights, with_weights
from kriegbot import kernels
from kriegbot.kernels import (
    TRIES_SHIFT,
    decode_move,
    encode_announcement,
    encode_move,
    from_board,
    kernel_rules,
    random_numbers,
    side_of,
    subseed,
    tables,
    to_board,
    tries_of,
)
from kriegbot.kernels.announcements import CAPTURE_MASK
from referee import (
    BERKELEY,
    NO_LIMITS,
    PAPER_LIMITS,
    RULE_SETS,
    Check,
    PawnTries,
    PawnTryCount,
    PawnTryExists,
    PawnTrySquares,
    Reason,
    RuleSet,
    announce,
    open_tries,
)
from referee.announcement import PawnTryInfo, pawn_try_info
from referee.pieces import may_capture
from tests.effort import many
from tests.kernel_entries import evaluate, exchanged, legal, legal_among, legal_to, play, quiet_announcement, splitmix
from tests.plain_evaluators import ks, material
from tests.plain_search import Evaluator, exchange
from tests.random_games import BY_A_MOVE

UNIFORMS = ["0.603431367211113", "0.921304374363014", "0.392785976706042"]
SUBSEEDS = [7, 2203090791740743528, 1788301705487582329]
"""Ours, pinned: another generator would be another game for every seed."""
WORKERS, POSITIONS_EACH = many(4, 2), many(50_000, 10_000)
"""Together 20,000; 200,000 in a thorough run."""


def sparse_board(rng: random.Random) -> chess.Board:
    """Return a valid position of a few pieces anywhere: pawns near promotion, pins, and checks from everywhere."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, rng.randrange(4, 12))
        board.set_piece_at(squares[0], chess.Piece(chess.KING, chess.WHITE))
        board.set_piece_at(squares[1], chess.Piece(chess.KING, chess.BLACK))
        for square in squares[2:]:
            kind = rng.choice((chess.PAWN, chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN))
            board.set_piece_at(square, chess.Piece(kind, rng.random() < 0.5))
        board.turn = rng.random() < 0.5
        if board.is_valid() and not board.is_game_over():
            return board


def positions(rng: random.Random, count: int) -> Iterator[tuple[chess.Board, chess.Move]]:
    """Boards of random games, half from the initial position and half from sparse ones, each with its next move."""
    given = 0
    while True:
        board = chess.Board() if rng.random() < 0.5 else sparse_board(rng)
        for _ in range(120):
            moves = list(board.legal_moves)
            if not moves or board.is_insufficient_material():
                break
            rare = [m for m in moves if board.is_en_passant(m) or board.is_castling(m)]
            move = rng.choice(rare if rare and rng.random() < 0.5 else moves)
            yield board, move
            given += 1
            if given == count:
                return
            board.push(move)


CHATTY = replace(
    RULE_SETS["rand"], name="chatty", title="Chatty", en_passant_announced=True, pawn_tries=PawnTries.COUNT_EACH
)
"""A rule set from outside with announcements that no built-in one combines, such as captured kind and en passant."""
ALL_RULES = (*RULE_SETS.values(), CHATTY)


@pytest.mark.slow
@pytest.mark.parametrize("worker", range(WORKERS))
def test_kernels_agree_with_python_chess_and_the_referee(worker: int) -> None:
    rng, few = random.Random(worker), random.Random(f"rules {worker}")
    seen = Counter[str]()
    for board, move in positions(rng, POSITIONS_EACH):
        ply = rng.randrange(161) if rng.random() < 0.01 else 0
        row = from_board(board, ply)
        assert chess.BaseBoard.__eq__(to_board(row), board)
        assert sorted(legal(row)) == sorted(encode_move(m) for m in board.legal_moves)
        after = board.copy(stack=False)
        after.push(move)
        is_rare = ply or move.promotion or board.is_en_passant(move) or after.is_check() or not any(after.legal_moves)
        for rules in ALL_RULES if is_rare else few.sample(ALL_RULES, many(len(ALL_RULES), 3)):
            announcement = announce(board, move, rules, PAPER_LIMITS, ply=ply)
            played, code = play(row, encode_move(move), kernel_rules(rules, PAPER_LIMITS))
            assert code == encode_announcement(announcement), (board.fen(), move.uci(), rules.name)
            assert np.array_equal(played, from_board(after, ply + 1))
            if announcement.end is not None:
                seen[announcement.end.reason.value] += 1
            pawn_tries = announcement.pawn_tries
            if isinstance(pawn_tries, PawnTryCount):
                seen[f"{pawn_tries.number} pawn tries"] += 1
            elif isinstance(pawn_tries, PawnTrySquares):
                seen["squares" if pawn_tries.squares else "no squares"] += 1
            seen["announced en passant"] += announcement.en_passant
            seen["announced promotion"] += announcement.promotion
            seen.update(str(flag.name) for flag in Check if flag & announcement.checks)
            seen["double check"] += announcement.checks.bit_count() > 1
            seen["lost stalemate"] += (
                announcement.end is not None
                and announcement.end.reason is Reason.STALEMATE
                and announcement.end.winner is not None
            )
        seen["en passant"] += board.is_en_passant(move)
        seen["promotion"] += move.promotion is not None
        seen["castling"] += board.is_castling(move)
    rare = ["double check", "en passant", "promotion", "castling", *(str(flag.name) for flag in Check)]
    rare += ["no squares", "squares", "announced en passant", "announced promotion", "lost stalemate"]
    rare += [reason.value for reason in BY_A_MOVE] + [f"{count} pawn tries" for count in range(4)]
    assert all(seen[what] > 0 for what in rare), seen


def own_tries(board: chess.Board, pawn_tries: PawnTryInfo | None) -> list[chess.Move]:
    """Return tries of the side to move as the referee lists them."""
    men = {s: p.piece_type for s, p in board.piece_map().items() if p.color == board.turn}
    sides = board.has_kingside_castling_rights(board.turn), board.has_queenside_castling_rights(board.turn)
    return open_tries(board.turn, men, *sides, pawn_tries)


@pytest.mark.slow
def test_tries_are_the_referees_and_legal_moves_stand_among_them_in_order() -> None:
    for board, _ in positions(random.Random(1), many(10_000, 2_000)):
        row = from_board(board)
        for pawn_tries in (None, PawnTryCount(0), PawnTryExists(True), pawn_try_info(board, PawnTries.SQUARES)):
            tries = [decode_move(int(move)) for move in tries_of(row, may_capture(pawn_tries))]
            assert sorted(tries, key=str) == sorted(own_tries(board, pawn_tries), key=str)
        among = iter(tries_of(row))
        assert all(move in among for move in legal(row))  # each is looked for behind the one before


@pytest.mark.slow
def test_a_try_is_legal_by_itself_where_it_is_among_the_legal_moves() -> None:
    rng, refused = random.Random(2), 0
    for board, _ in positions(rng, many(20_000, 5_000)):
        row = from_board(board)
        tries = [int(move) for move in tries_of(row)]
        assert legal_among(row, tries) == legal(row), board.fen()
        refused += len(tries) - len(legal(row))
        wanted = rng.getrandbits(64)
        assert legal_to(row, wanted) == [move for move in legal(row) if wanted >> (move >> 6 & 63) & 1], board.fen()
    assert refused > 25_000


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=lambda rules: rules.name)
def test_the_announcement_of_a_quiet_move_is_a_capture_at_most_and_no_pawn_tries(rules: RuleSet) -> None:
    rng, numbers = random.Random(3), kernel_rules(rules, PAPER_LIMITS)
    no_tries = 1 << TRIES_SHIFT if numbers.tries_announced else 0
    seen = Counter[str]()
    for board, _ in positions(rng, many(3_000, 1_000)):
        row = from_board(board, rng.choice((0, 100, 158, 159)))
        for move in legal(row):
            quiet = quiet_announcement(row, move, numbers)
            _, code = play(row, move, numbers)
            if quiet is not None:
                assert code == quiet, (board.fen(), decode_move(move).uci(), rules.name)
            seen["quiet" if code & ~CAPTURE_MASK == no_tries else "other"] += 1
            seen["seen to be quiet"] += quiet is not None
    most = 0.8 if rules.checks_announced else 0.75  # a check counts even if it is not announced
    most *= 0.75 if numbers.tries_announced else 1.0  # nor are pins and double steps of pawns examined
    assert seen["seen to be quiet"] > most * seen["quiet"], seen


@pytest.mark.parametrize(
    ("fen", "move"),
    [
        ("7k/5K2/8/8/8/p7/2B1R3/8 w - - 0 1", "e2a2"),  # stands in the way of the only piece that could move
        ("7k/5K2/8/8/8/n7/1PB5/8 w - - 0 1", "b2a3"),  # takes it
        ("R5nk/8/4K3/8/8/8/2B5/8 w - - 0 1", "e6f6"),  # it is pinned
        ("5k2/pp6/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),  # the rook gives check
    ],
)
def test_these_moves_are_not_quiet(fen: str, move: str) -> None:
    row, code, rules = (
        from_board(chess.Board(fen)),
        encode_move(chess.Move.from_uci(move)),
        kernel_rules(BERKELEY, NO_LIMITS),
    )
    assert play(row, code, rules)[1] != 0
    assert quiet_announcement(row, code, rules) is None


def test_a_check_is_met_en_passant_only_where_that_is_asked_for() -> None:
    row = from_board(chess.Board("8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1"))
    assert legal_to(row, chess.BB_D3) == [encode_move(chess.Move.from_uci("e4d3"))]
    assert legal_to(row, chess.BB_E3) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("evaluator", "plain"),
    [
        (load_evaluator("ks"), ks),
        (load_evaluator("material"), material),
        *(
            (with_weights(weights), partial(ks, weights=weights))
            for weights in (Weights(shield=15, mate=3000), Weights(41, 7, 1, 13, 250, -90))
        ),
    ],
)
def test_evaluators_equal_their_plain_descriptions(evaluator: Any, plain: Evaluator) -> None:
    for board, _ in positions(random.Random(2), many(5_000, 1_500)):
        for side in chess.COLORS:
            assert evaluate(evaluator, from_board(board), side_of(side)) == plain(board, side), board.fen()


def test_ks_stays_within_the_value_of_a_win_whatever_mate_is_worth() -> None:
    evaluator, plain = with_weights(Weights(11, mate=3000)), partial(ks, weights=Weights(11, mate=3000))
    for fen in ("QQQQ1k2/8/8/8/8/8/8/K7 w - - 0 1", "qqqq1k2/8/8/8/8/8/8/K7 b - - 0 1"):
        board = chess.Board(fen)
        values = [evaluate(evaluator, from_board(board), side_of(side)) for side in chess.COLORS]
        assert values == [plain(board, side) for side in chess.COLORS]
        assert sorted(map(abs, values)) == [10_000, 10_000]


def test_an_unknown_evaluator_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"unknown evaluator 'k5'\. Known: conservative, ks, material, sound;"):
        load_evaluator("k5")


def test_a_promotion_to_a_pawn_or_king_is_no_move_that_kernels_know() -> None:
    plain = chess.Move.from_uci("e2e3")
    for kind in (chess.PAWN, chess.KING):
        assert encode_move(chess.Move(plain.from_square, plain.to_square, kind)) != encode_move(plain)


def test_random_numbers_are_those_of_splitmix64_everywhere() -> None:
    # The first outputs of SplitMix64 from state 1234567, as on Rosetta Code, "Pseudo-random numbers/Splitmix64".
    words = (6457827717110365317, 3203168211198807973, 9817491932198370423)
    state = 1234567
    for expected in words:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        assert splitmix(state) == expected
    assert [f"{number:.15f}" for number in random_numbers(2006, 3)] == UNIFORMS
    assert [subseed(7), subseed(7, 0), subseed(7, 1, 2)] == SUBSEEDS


def test_a_move_code_decodes_to_the_move() -> None:
    for uci in ("e2e4", "a7a8q", "h2h1n", "b7c8r", "g2f1b", "e1g1"):
        move = chess.Move.from_uci(uci)
        assert decode_move(encode_move(move)) == move


def test_magic_indexes_find_the_attacks_of_python_chess_for_all_blockers() -> None:
    sliders = (tables.ROOK, chess.BB_RANK_ATTACKS, chess.BB_FILE_ATTACKS), (tables.BISHOP, chess.BB_DIAG_ATTACKS)
    compared = 0
    for begin, *lines in sliders:
        for square in chess.SQUARES:
            blockers, attacks = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
            for line in lines:
                blockers = np.bitwise_or.outer(blockers, np.array([*line[square]], np.uint64)).ravel()
                attacks = np.bitwise_or.outer(attacks, np.array([*line[square].values()], np.uint64)).ravel()
            fields = tables.MAGIC, tables.FIRST, tables.SHIFT
            magic, first, shift = (tables.TABLES[begin + field + square] for field in fields)
            assert np.array_equal(tables.TABLES[first + (blockers * magic >> shift)], attacks)
            compared += len(attacks)
    assert compared == 102_400 + 5_248


def test_castling_rights_are_lost_with_the_square_of_a_king_or_rook() -> None:
    for square in chess.SQUARES:
        board = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        board.remove_piece_at(square)
        left = (board.has_kingside_castling_rights, board.has_queenside_castling_rights)
        rights = [has(color) for color in (chess.WHITE, chess.BLACK) for has in left]
        assert tables.TABLES[tables.RIGHTS + square] == sum(one << bit for bit, one in enumerate(rights))


def test_exchanges_are_those_of_plain_python() -> None:
    rng, counts = random.Random(5), Counter[bool]()
    for board, _ in positions(rng, 600):
        for square in chess.scan_forward(board.occupied_co[not board.turn]):
            expected = exchange(board, square)
            assert exchanged(from_board(board), square) == expected
            counts[expected > 0] += 1
    assert counts[True] > 500
    assert counts[False] > 500


@pytest.mark.parametrize(
    ("fen", "square", "gained"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", chess.D5, 100),
        ("4k3/8/4p3/3p4/8/8/3Q4/3RK3 w - - 0 1", chess.D5, 0),
        ("4k3/8/4p3/3q4/8/8/3Q4/3RK3 w - - 0 1", chess.D5, 100),
        ("8/8/3k4/3p4/8/8/8/K2R4 w - - 0 1", chess.D5, 0),
        ("8/8/3k4/3p4/8/8/3R4/K2R4 w - - 0 1", chess.D5, 100),
    ],
    ids=["a pawn for nothing", "too dear", "a queen for a queen and a pawn", "the king covers", "the king may not"],
)
def test_known_exchanges(fen: str, square: chess.Square, gained: int) -> None:
    assert exchanged(from_board(chess.Board(fen)), square) == gained


def test_a_name_of_the_package_stands_for_one_thing() -> None:
    """The package takes over all names of its modules, and a later one would hide an earlier one."""
    folder, homes = Path(kernels.__file__ or "").parent, Counter[str]()
    modules = re.findall(r"from kriegbot\.kernels\.(\w+) import \*", (folder / "__init__.py").read_text("utf-8"))
    for module in modules:
        tree = ast.parse((folder / f"{module}.py").read_text("utf-8"))
        assigned = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
        nodes = [node for one in assigned for node in ast.walk(one) if isinstance(node, ast.Name)]
        names = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
        names |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        homes.update(name for name in names if not name.startswith("_"))
    assert {"popcount", "legal_moves", "WHITE", "prepare"} <= homes.keys()
    assert not [name for name, count in homes.items() if count > 1 or (folder / f"{name}.py").exists()]
