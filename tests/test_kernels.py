"""The kernels against python-chess and the referee: legality, result and every announcement, under every rule set."""

import ast
import inspect
import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import numpy as np
import pytest
from numba import types

import kriegbot
from evaluators import load_evaluator
from evaluators.ks import Weights, with_weights
from evaluators.protocol import evaluator
from kriegbot import kernels
from kriegbot.kernels import (
    TRIES_SHIFT,
    Moves,
    Position,
    Word,
    compiler,
    decode_move,
    encode_announcement,
    encode_move,
    from_board,
    kernel_modules,
    kernel_rules,
    moves,
    preparing,
    random_numbers,
    side_of,
    subseed,
    tables,
    to_board,
    tries_of,
)
from kriegbot.kernels.announcements import CAPTURE_MASK
from kriegbot.kernels.compiler import signature_of
from kriegbot.kernels.preparing import LATER
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
from tests.misbehaving import abort
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "setting"),
    [
        ("", "NUMBA_DISABLE_JIT=1"),
        ("import numba; ", "NUMBA_DISABLE_JIT=1"),
        ("import numba; ", "NUMBA_BOUNDSCHECK=1"),
        ("", "NUMBA_CPU_NAME=nonsense"),
    ],
)
def test_the_environments_settings_for_numba_change_no_kernel(setting: str, first: str) -> None:
    name, _, value = setting.partition("=")
    code = f"{first}from kriegbot.kernels import random_numbers; print(random_numbers(1, 1)[0])"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, env={**os.environ, name: value}, capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{random_numbers(1, 1)[0]}\n"


def test_a_move_code_decodes_to_the_move() -> None:
    for uci in ("e2e4", "a7a8q", "h2h1n", "b7c8r", "g2f1b", "e1g1"):
        move = chess.Move.from_uci(uci)
        assert decode_move(encode_move(move)) == move


def test_every_module_with_kernels_that_players_use_is_prepared() -> None:
    root = Path(kriegbot.__file__).parent
    sources = [*root.rglob("*.py"), *(root.parent / "evaluators").glob("*.py")]
    decorator = re.compile(r"(?m)^@(?:kb\.)?(kernel|inlined|entry|evaluator)$")
    kernels = {path for path in sources if decorator.search(path.read_text("utf-8"))}
    names = {".".join(path.relative_to(root.parent).with_suffix("").parts) for path in kernels}
    assert {"kriegbot.belief.filter", "evaluators.material"} < names
    assert names - set(kernel_modules()) == {"kriegbot.players.part_checks", "kriegbot.environments.batch"}


def test_a_kernel_is_compiled_for_what_its_annotations_say() -> None:
    signature = signature_of(typed)
    assert signature.return_type == types.Tuple((types.uint64, types.int64))
    assert signature.args == (types.CPointer(types.int32), types.NamedUniTuple(types.uint64, 8, Position))


def typed(moves: Moves, position: Position) -> tuple[Word, int]:
    return position.pawns, moves[0]


def test_a_kernel_whose_annotations_are_no_types_is_refused() -> None:
    def untyped(square, side: int) -> int:  # type: ignore[no-untyped-def]
        return square + side  # type: ignore[no-any-return]

    def listed(moves: list[int]) -> int:
        return moves[0]

    with pytest.raises(TypeError, match="kernel untyped: 'square' has no annotation"):
        signature_of(untyped)
    with pytest.raises(TypeError, match=r"kernel listed: list\[int\] is no type of kernels"):
        signature_of(listed)


def test_an_evaluator_of_another_signature_is_refused() -> None:
    def sided(position: Position, side: int) -> int:  # noqa: ARG001
        return side

    with pytest.raises(TypeError, match="the annotations of sided are not"):
        evaluator(sided)  # type: ignore[arg-type]


def test_an_edit_of_a_source_or_a_data_file_begins_a_new_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def name_with(**texts: str) -> str:
        for stem, text in texts.items():
            path = tmp_path / "edited" / f"{stem.replace('_', '.')}"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            os.utime(path, (0, 0))
        return compiler.folder_name.__wrapped__()

    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(compiler, "CACHED", ("edited",))
    contents = {"one_py": "LIMIT = 3", "weights_npz": "1"}
    name = name_with(**contents)
    assert name_with(**contents) == name
    assert name_with(one_py="LIMIT = 4") != name
    assert name_with(one_py="LIMIT = 3") == name
    assert name_with(weights_npz="2") != name


def test_a_source_that_was_edited_after_the_start_belongs_to_no_shared_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "edited").mkdir()
    (tmp_path / "edited" / "one.py").write_text("LIMIT = 3", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(compiler, "CACHED", ("edited",))
    assert compiler.folder_name.__wrapped__() != compiler.folder_name.__wrapped__()


def test_a_kernel_for_which_the_longest_chain_waits_comes_first() -> None:
    needs = {"small": set(), "middle": {"small"}, "large": {"middle", "small"}, "other": set(), "last": {"other"}}
    assert preparing._chains(needs) == {"small": 2, "middle": 1, "large": 0, "other": 1, "last": 0}


@pytest.mark.parametrize(("kernel", "is_inner"), [(moves.legal_moves, True), (moves._list_tries, False)])
def test_kernels_that_only_kernels_call_have_no_machine_code(kernel: Any, is_inner: bool) -> None:
    (compiled,) = kernel.compile().overloads.values()
    assert isinstance(compiled.library, compiler.InnerCode) is is_inner
    assert (compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name) == 0) is is_inner


def test_a_dead_process_of_those_that_compile_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(preparing, "_jobs", abort)
    assert not preparing._compile_in_workers(preparing.ALL, None, False)
    said = capsys.readouterr().err
    *_, last = said.splitlines()
    assert last.startswith("Kernels that are not compiled yet are compiled when they are called: the worker died (")


@pytest.mark.slow
def test_after_an_edit_of_another_file_the_new_code_runs(tmp_path: Path) -> None:
    """Numba alone would go on with the old one. `PYTHONPATH` names the folder."""
    (tmp_path / "outer.py").write_text(
        "import inner\nfrom kriegbot.kernels import entry\n\n"
        "@entry\ndef outer(value: int) -> int:\n    return inner.inner(value)\n",
        encoding="utf-8",
    )
    for factor in (2, 3):
        (tmp_path / "inner.py").write_text(
            "from kriegbot.kernels import kernel\n\n"
            f"@kernel\ndef inner(value: int) -> int:\n    return {factor} * value\n",
            encoding="utf-8",
        )
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # Python itself misses an edit within a second
        command = [sys.executable, "-c", "from outer import outer; print(outer(10))"]
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=True)
        assert done.stdout == f"{10 * factor}\n"


FIRST_MOVES = """
from importlib import import_module
from kriegbot.game.match import play_turn
from kriegbot.game.seat import HereSeat
from kriegbot.kernels import kernel_modules
from kriegbot.kernels.jit import Kernel
from kriegbot.players.making import make_player
from kriegbot.players.specs import parse_spec
from referee import Referee

seats = {color: HereSeat(name, lambda seed, name=name: make_player(parse_spec(name), seed))
         for color, name in ((True, "rand"), (False, "kriegbot:samples=5"))}
for seat in seats.values():
    seat.begin(1)
referee = Referee()
while referee.ply < 6:
    for _ in play_turn(referee, seats[referee.turn]):
        pass
for module in map(import_module, kernel_modules()):
    for found in vars(module).values():
        if isinstance(found, Kernel) and found.dispatcher is not None:
            print(found.function.__module__)
"""


@pytest.mark.slow
def test_the_flagships_first_moves_need_no_kernel_that_is_compiled_later() -> None:
    done = subprocess.run([sys.executable, "-c", FIRST_MOVES], capture_output=True, encoding="utf-8", check=True)
    used = set(done.stdout.split())
    assert {"kriegbot.search.recursion", "kriegbot.belief.filter", "evaluators.sound"} < used
    assert not [name for name in used if name.startswith(LATER)]


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


@pytest.mark.parametrize("is_compiled", [True, False])
def test_kernels_are_marked_as_prepared_once_all_are_compiled(
    is_compiled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    monkeypatch.setattr(preparing, "_complete", set())
    monkeypatch.setattr(preparing, "load_compiler", lambda: SimpleNamespace(kernel_folder=lambda: folder))
    monkeypatch.setattr(preparing, "_compile_in_workers", lambda *_: is_compiled)
    preparing.prepare()
    assert (folder / preparing.ALL).exists() == is_compiled
    assert not (folder / preparing.FIRST).exists()


def test_what_the_flagship_begins_without_is_not_among_the_first_kernels() -> None:
    first, everything = preparing._jobs(preparing.FIRST), preparing._jobs(preparing.ALL)
    assert first.keys() == {name for name in everything if not name.startswith(LATER)}
    assert {name.partition(":")[0] for name in first} >= {"kriegbot.search.recursion", "kriegbot.belief.filter"}
    assert len(first) < len(everything)


@pytest.mark.parametrize("name", kernel_modules())
def test_no_kernel_points_into_an_array_of_its_own(name: str) -> None:
    """Numba frees an array after its last use, though a pointer to its memory is still used: a search crashed.

    Constants of a module, in capitals, are never freed.
    """
    kinds = {"kernel", "entry", "inlined", "part", "evaluator", "fold", "settle", "opponent"}
    for function in ast.walk(ast.parse(inspect.getsource(import_module(name)))):
        if isinstance(function, ast.FunctionDef) and kinds & {
            ast.unparse(one).removeprefix("kb.") for one in function.decorator_list
        }:
            given = {argument.arg for argument in function.args.args}
            unpacked = [ast.unparse(node) for node in ast.walk(function) if isinstance(node, ast.Assign)]
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
            for call in [call for call in calls if ast.unparse(call.func).removeprefix("kb.") == "pointer"]:
                of = re.split(r"[.\[]", ast.unparse(call.args[0]))[0]
                sources = [line for line in unpacked if re.search(rf"\b{of}\b.* = ", line)]
                is_given = any(line.rpartition(" = ")[2].partition(".")[0] in given for line in sources)
                assert is_given or of in given | {of.upper()}


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
