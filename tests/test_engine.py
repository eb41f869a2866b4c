"""The player that asks a chess engine: how it adds up what it is told, and what it does with Stockfish."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import chess
import chess.engine
import numpy as np
import psutil
import pytest

from kriegbot.game.match import play_game
from kriegbot.game.seat import HereSeat
from kriegbot.parts import NotFound
from kriegbot.players import engine as engine_module
from kriegbot.players.engine import MATE, MOST_FAILURES, NAMED, Engine
from kriegbot.players.making import make_player
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import BadSpec, parse_spec
from kriegbot.request import Refused, program_of
from kriegbot.search.perfect_information import WORST, WORST_SHARE, blended, values_of_tries
from referee import Limits, Referee
from tests.outside import needs_stockfish

NAN = float("nan")


def test_a_try_is_worth_the_mean_and_partly_the_worst_fifth() -> None:
    values = np.array([[100.0, 20.0], [0.0, 20.0], [100.0, 20.0], [100.0, 20.0], [100.0, 20.0]])
    assert blended(values, np.ones(5)) == pytest.approx([(1 - WORST) * 80 + WORST * 0, 20])
    # the worst board weighs half of the worst fifth
    values, weights = np.array([[-50.0], [10.0]]), np.array([WORST_SHARE / 2, 1 - WORST_SHARE / 2])
    assert blended(values, weights) == pytest.approx([(1 - WORST) * (-5 + 9) + WORST * (-50 + 10) / 2])


def test_where_a_try_is_refused_the_best_one_that_follows_counts() -> None:
    values = np.array([[300.0, 50.0, 20.0], [NAN, 10.0, 80.0]])
    worth, legal = values_of_tries(values, np.array([1.0, 3.0]))
    assert legal == pytest.approx([0.25, 1, 1])
    # on the second board the third try is best
    assert worth[0] == pytest.approx((1 - WORST) * (0.25 * 300 + 0.75 * 80) + WORST * 80)


def test_what_is_no_engine_is_refused_in_a_line() -> None:
    with pytest.raises(BadSpec, match="there is no chess engine 'nonsuch' that can be run; it takes"):
        parse_spec("engine:command=nonsuch")
    with pytest.raises(
        BadSpec, match=r"true is no chess engine that speaks UCI and ends a search: .*exit code: 0"
    ) as refused:
        make_player(parse_spec("engine:command=true"), 1)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "spec",
    ["engine:command={}", "{}:Bot", "program:{}", "overconfident:evaluator={}:own", "json:{}", "nosuchmodule:{}"],
)
def test_nobody_from_another_machine_names_a_program_or_learns_whether_a_file_exists(spec: str, tmp_path: Path) -> None:
    (tmp_path / "here.py").touch()
    told = set()
    for name in ("here.py", "missing.py"):
        text = spec.format(tmp_path / name)
        with pytest.raises(Refused, match="only installed players can play") as refused:
            program_of(text, is_remote=True)
        told.add(str(refused.value).rpartition("'")[2])
    assert len(told) == 1


ENGINE = """#!{python} -IS
import os, sys, time
TALK = ["info string \\x07", "info", "info depth", "info score", "info score cp", "info nps x"]
mode = {mode!r}
count = 0

def say(*lines):
    print(*lines, sep="\\n", flush=True)

for line in sys.stdin:
    word, _, rest = line.strip().partition(" ")
    if word == "uci":
        if mode == "silent":
            continue
        if mode == "ends at once":
            sys.exit(3)
        if mode == "greets in Latin-1":
            os.write(1, b"id author J\\xf6rg\\n")
        say("id name " + mode, *options.get(mode, ["option name MultiPV type spin default 1 min 1 max 500"]))
        say("UCIOK" if mode == "shouts" else "uciok")
    elif word == "isready":
        if mode != "never ready" and (mode != "stops being ready" or count < 1):
            say("readyok")
    elif word == "position":
        black = rest.split()[-5:-4] == ["b"]
        moves = (("g8f6", "b8a6") if black else ("g1f3", "b1a3")) if rest == "startpos" or "rnbqkb" in rest else None
        first, second = moves or (("h8g8", "h8g7") if black else ("a1a2", "a1b1"))
    elif word == "setoption" and mode == "ends at an option it has not":
        sys.exit(0)
    elif word == "stop":
        say("bestmove 0000")
    elif word == "quit":
        break
    elif word == "go":
        count += 1
        late = count > 1  # the first search is the trial
        if mode == "ignores nodes" or mode == "hangs later" and late:
            time.sleep(1000 if mode == "hangs later" else 0)
            continue
        ended = os.path.exists(__file__ + ".ended")
        if mode == "ends in a search" or mode == "ends later" and late or mode == "ends once" and late and not ended:
            open(__file__ + ".ended", "w")
            os._exit(7)
        if mode == "floods its log":
            sys.stderr.write("x" * 3_000_000)
        if mode == "talks":
            say(*["hello"] * 3000, *TALK)
        if mode == "gives no scores":
            say("bestmove " + first)
            continue
        if mode == "scores illegal moves":
            say("info depth 1 multipv 1 score cp 5 pv h8h1")
        if mode == "scores without moves":
            say("info depth 1 score cp 20")
        else:
            scale = "mate 3" if mode == "mates" else "cp 50"
            bound = " lowerbound" if mode == "gives bounds" else ""
            say(f"info depth 1 multipv 1 score {{scale}}{{bound}} nodes 5 pv {{first}}")
            say(f"info depth 1 multipv 2 score cp -30 nodes 9 pv {{second}}")
        best = {{"names no move": "(none)", "names a null move": "0000", "names NULL": "NULL"}}.get(mode, first)
        if mode == "illegal" or mode == "illegal later" and late:
            best = "e9e9"
        say("bestmove " + best + (" ponder z9z9" if mode == "ponders nonsense" else ""))
        if mode == "answers twice":
            say("bestmove " + second)
"""
MULTIPV = "option name MultiPV type spin default 1 min 1 max 500"
OPTIONS = {
    "has no options": [],
    "has MultiPV up to 2": ["option name MultiPV type spin default 1 min 1 max 2"],
    "has MultiPV of another type": ["option name MultiPV type check default false"],
    "has a Hash of 16 or more": [MULTIPV, "option name Hash type spin default 64 min 16 max 1024"],
    "has Threads as text": [MULTIPV, "option name Threads type string default all"],
    "has Ponder as a number": [MULTIPV, "option name Ponder type spin default 3 min 1 max 5"],
    "knows other variants alone": [MULTIPV, "option name UCI_Variant type combo default shogi var shogi var go"],
    "has an option without a type": [MULTIPV, "option name Odd"],
    "has a button": [MULTIPV, "option name Clear Hash type button"],
    "has the same option twice": [MULTIPV, MULTIPV],
    "ends at an option it has not": [],
}
"""Options that engines claim to have."""
PLAYS = [
    *(mode for mode in OPTIONS if mode != "has an option without a type"),
    "is as it should be",
    "greets in Latin-1",
    "floods its log",
    "talks",
    "gives no scores",
    "scores illegal moves",
    "scores without moves",
    "mates",
    "gives bounds",
    "names no move",
    "names a null move",
    "names NULL",
    "ponders nonsense",
]
REFUSED = {
    "silent": "no answer in",
    "shouts": "no answer in",
    "ends at once": "exit code: 3",
    "never ready": "no answer in",
    "ignores nodes": "no answer in",
    "ends in a search": "exit code: 7",
    "illegal": "UCI does not allow",
    "has an option without a type": "unknown option type",
}
FAILS = {"ends later": "exit code: 7", "hangs later": "no answer in", "illegal later": "UCI does not allow"}
CORNER = chess.Board("7k/8/8/8/8/8/7P/K7 w - - 0 1")
A2, B1 = chess.Move.from_uci("a1a2"), chess.Move.from_uci("a1b1")


def scripted(folder: Path, mode: str) -> Path:
    """Return the program of an engine that misbehaves in one way."""
    path = folder / "engine"
    text = ENGINE.format(python=sys.executable, mode=mode).replace("count = 0", f"count = 0\noptions = {OPTIONS!r}", 1)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def is_running(path: Path) -> bool:
    """Return True if a process of this program still lives after a time in which a busy machine would have ended it."""
    deadline = time.monotonic() + 20
    while lives := any(str(path) in words for words in command_lines()):
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)
    return lives


def command_lines() -> list[str]:
    return [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]


@pytest.mark.slow
@pytest.mark.parametrize("mode", [*PLAYS, "answers twice", "ends once"])
def test_an_engine_that_uci_allows_values_moves_and_ends_with_us(mode: str, tmp_path: Path) -> None:
    path = scripted(tmp_path, mode)
    engine = Engine(path)
    values: dict[chess.Move, float] = {}
    for _ in range(20 if mode == "answers twice" else 2):  # a second answer may come late, and spoil the next search
        with suppress(chess.engine.EngineError):
            values = values or engine.values(CORNER, 100)
    assert set(values) == set(CORNER.legal_moves)
    if "MultiPV" in str(OPTIONS.get(mode, MULTIPV)) and mode not in (
        "has MultiPV up to 2",
        "has MultiPV of another type",
    ):
        assert mode == "scores without moves" or values[A2] > values[B1]
    engine.end()
    assert not is_running(path)


@pytest.mark.parametrize(
    ("mode", "values"),
    [("is as it should be", (50.0, -30.0)), ("mates", (MATE - 3, -30.0)), ("gives no scores", (NAMED, 0.0))],
)
def test_moves_have_the_values_that_an_engine_gives_or_else_the_move_that_it_names_is_best(
    mode: str, values: tuple[float, float], tmp_path: Path
) -> None:
    engine = Engine(scripted(tmp_path, mode))
    found = engine.values(CORNER, 100)
    assert (found[A2], found[B1]) == values
    engine.end()


@pytest.mark.slow
@pytest.mark.parametrize("mode", REFUSED)
def test_an_engine_that_cannot_play_is_refused_with_the_reason_and_none_is_left_behind(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scripted(tmp_path, mode)
    if "no answer" in REFUSED[mode]:
        monkeypatch.setattr(engine_module, "PATIENCE", 0.5)
    with pytest.raises(NotFound, match=f"is no chess engine that speaks UCI and ends a search: .*{REFUSED[mode]}"):
        Engine(path)
    assert not is_running(path)


@pytest.mark.parametrize(
    "mode", [pytest.param(mode, marks=[pytest.mark.slow] if mode == "hangs later" else []) for mode in FAILS]
)
def test_an_engine_that_fails_in_mid_game_is_started_again_until_it_has_failed_on_three_boards(
    mode: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = scripted(tmp_path, mode)
    engine = Engine(path)
    monkeypatch.setattr(engine_module, "PATIENCE", 3.0 if mode == "hangs later" else 10.0)
    for _ in range(MOST_FAILURES - 1):
        assert engine.values(CORNER, 100) == {}
    with pytest.raises(chess.engine.EngineError, match=f"failed on 3 boards: .*{FAILS[mode]}"):
        engine.values(CORNER, 100)
    assert not is_running(path)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the supervisor is for Linux")
def test_an_engine_that_reads_no_more_ends_with_a_process_that_is_killed(tmp_path: Path) -> None:
    path = scripted(tmp_path, "hangs later")
    code = f"""
import chess, pathlib
from kriegbot.players.engine import Engine
engine = Engine(pathlib.Path({str(path)!r}))
print("started", flush=True)
engine.values(chess.Board(), 100)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"started\n"
        time.sleep(0.3)
        process.kill()
    assert not is_running(path)


@pytest.mark.slow
def test_the_engine_mates_in_one_and_a_seed_is_a_game() -> None:
    needs_stockfish()
    view = Referee("berkeley", start="7k/8/5KQ1/8/8/8/8/8 w - - 0 1").view(chess.WHITE)
    spec = parse_spec("engine:nodes=400,boards=5")
    assert program_of(str(spec), is_remote=True) == spec  # by its usual name anybody may ask for it
    action = make_player(parse_spec("engine:nodes=400,boards=5"), 1).choose(view).action
    assert isinstance(action, chess.Move)
    assert action.uci() in ("g6g7", "g6h7", "g6h5", "g6e8")
    seats = HereSeat("engine", lambda seed: make_player(spec, seed)), HereSeat("rand", RandPlayer)
    games = [play_game(*seats, limits=Limits(plies=12), seed=3).record.turns for _ in range(2)]
    first, second = ([(turn.move, turn.tries) for turn in turns] for turns in games)
    assert first == second
