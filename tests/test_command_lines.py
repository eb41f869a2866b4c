"""Commands that are interrupted, and thousands of command lines: no traceback, no hang, and one line for a refusal.

The command lines are drawn with a seed from all commands and options, with values good and bad, under odd locales,
sizes of terminals and inputs. Most run in this process. What waits for people, clusters, sites or hours is replaced.
"""

from __future__ import annotations

import io
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import chess
import pytest

from kriegbot.cli import online as online_commands
from kriegbot.cli import programs, reproduce
from kriegbot.cli.main import COMMANDS, _loaded, main
from kriegbot.game.conformance import PlayerCheck
from kriegbot.web import server
from referee import GameRecord, Referee, save_record
from tests.effort import many
from tournaments import leaves_examined, sample_sizes
from tournaments import reproduce as figures

CODES = (0, 1, 2, 130)
LINES, STREAMS = many(3000, 80), many(150, 3)
SECONDS = 60  # for a command line, which takes less than one on a quiet machine

FILES = ["game.pgn", "two.pgn", "part.pgn", "binary", "empty", "damaged.pgn", "folder", "missing", "huge", "t.sqlite"]
FILES += ["damaged.sqlite", "tree.efg", "tree.json", "bot.py", "no/such/folder/file", "/dev/null", "-", "game.pgn#1"]
FILES += ["two.pgn#2", "two.pgn#99", "t.sqlite#1", "#1", "x" * 300, "folder/new", "new.svg", "new.gif", "new"]
BAD = [
    "",
    " ",
    "0",
    "-1",
    "1.5",
    "9" * 40,
    "1e999",
    "nan",
    "x",
    "\0",
    "\udcff",
    "é",
    "a\nb",
    "\x1b[31m",
    "--",
    "-",
    ":",
]
BAD += [
    "x=1",
    "rand:",
    "rand:bold",
    ",",
    "1/0",
    "*",
    "'",
    "%s",
    "{}",
    "[bold]x[/]",
    "٣",
    "1_0",
    "y" * 5000,
    "None",
    *FILES,
]
PLAYERS = ["rand", "rand", "rand", "shuffler", "rusher", "grabber", "human", "bot.py:Bot", "bot.py:Nothing"]
PLAYERS += [
    "kriegbot:level=newcomer",
    "kriegbot:level=x",
    "overconfident:depth=9",
    "engine:command=no-such",
    "program:false",
]
SIDES, RULES = ["white", "black", "both", "random"], ["berkeley", "wild16", "rand", "bot.py:Rules", "chess"]
NUMBERS = ["1", "2", "3"]
GOOD: dict[str, list[str]] = {
    "what": ["puzzles", "today", "figure2", "figure4", "all"],
    "kind": ["king", "tells", "mate", "capture"],
    "level": ["newcomer", "casual", "best", "easy", "hard"],
    "rules": RULES,
    "limits": ["plies=2", "plies=4", "plies=9,quiet=2"],
    "time": ["0.1"],
    "patience": ["5", "0.5"],
    "save": ["new.pgn", "folder", "game.pgn"],
    "port": ["8000", "0", "65536"],
    "host": ["127.0.0.1", "nowhere.invalid"],
    "out": ["new.svg", "new", "folder", "game.pgn", "t.sqlite"],
    "target": ["new.pgn", "new.json", "-", "game.pgn"],
    "form_in": ["kriegbot", "kriegspiel", "icc", "umd", "plain", "filtered"],
    "form_out": ["kriegbot", "kriegspiel", "icc", "umd", "plain", "filtered"],
    "games": ["2"],
    "jobs": ["1", "2"],
    "executor": ["local"],
    "shard": ["1/2", "2/2", "3/2"],
    "sprt": ["0,5", "5,0", "-1,1"],
    "form": ["pgn", "csv", "jsonl"],
    "budget": ["samples", "1"],
    "depths": ["1", "4"],
    "run": ["short", "long", "both"],
    "choice": ["today", "boards=last", "boards=x"],
    "shell": ["bash", "zsh", "fish"],
    "algorithm": ["imp-minimax", "brute-force", "best-responses", "alphabeta", "expectimax"],
    "settings": ["settings.toml", "damaged.toml"],
    "username": ["bot"],
    "email": ["a@b.example"],
}
GOOD |= dict.fromkeys(["color", "side"], SIDES) | dict.fromkeys(["opponent", "white", "black", "player"], PLAYERS)
GOOD |= dict.fromkeys(["players"], PLAYERS) | dict.fromkeys(["seed", "k", "b", "d", "trials"], NUMBERS)
GOOD |= dict.fromkeys(["file", "game", "source", "parts", "html", "svg"], FILES)
INPUTS = ["", "\n", "e4\nquit\n", "help\ntries\nboard\nNf3\nresign\n", "\udcff\0\n", "show\n" * 3, "x" * 10_000]
ENVIRONMENTS = [{}, {}, {"COLUMNS": "0"}, {"COLUMNS": "x"}, {"COLUMNS": "1"}, {"COLUMNS": "-7", "LINES": "0"}]
ENVIRONMENTS += [
    {"TERM": "dumb"},
    {"LC_ALL": "tlh_KLI"},
    {"NO_COLOR": "1"},
    {"FORCE_COLOR": "1"},
    {"HOME": "/nonexistent"},
]
ENCODINGS = ["utf-8", "utf-8", "ascii", "latin-1", "cp1252", "cp437"]


def commands() -> dict[tuple[str, ...], list[Any]]:
    """Return the parameters of each command."""
    found: dict[tuple[str, ...], list[Any]] = {}
    for name in COMMANDS:
        command = _loaded(name)
        if hasattr(command, "commands"):
            found |= {(name, sub): one.params for sub, one in command.commands.items()}
        else:
            found[name,] = command.params
    return found


def command_lines(count: int, seed: int = 1) -> Iterator[tuple[list[str], str, dict[str, str], str]]:
    """Yield command lines, each with an input, changes of the environment and an encoding."""
    rng, known = random.Random(seed), commands()
    for _ in range(count):
        words, params = rng.choice([*known.items()])
        line, arguments = list(words), list[str]()
        for param in params:
            is_short = param.name in ("limits", "games")  # whole games take long
            if rng.random() > (1 if is_short else 0.95 if param.required else 0.25):
                continue
            repeats = rng.choice([0, 1, 2, 2, 3]) if param.nargs == -1 else 1
            values = [rng.choice(GOOD.get(param.name, BAD) if rng.random() < 0.8 else BAD) for _ in range(repeats)]
            if param.param_type_name == "argument":
                arguments += values
            elif param.is_flag:
                line.append(rng.choice([*param.opts, *param.secondary_opts]))
            else:
                line += [f"{param.opts[0]}={values[0]}"] if rng.random() < 0.3 else [param.opts[0], values[0]]
        line[len(words) : len(words)] = arguments if rng.random() < 0.5 else []
        line += [] if line[len(words) : len(words) + len(arguments)] == arguments else arguments
        if rng.random() < 0.1:
            line.insert(rng.randint(0, len(line)), rng.choice([*BAD, "--help", "--hepl", "-h", "--version", "-q"]))
        if rng.random() < 0.03:
            rng.shuffle(line)
        yield line, rng.choice(INPUTS), rng.choice(ENVIRONMENTS), rng.choice(ENCODINGS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with files of all kinds."""
    folder = tmp_path_factory.mktemp("files")
    referee = Referee()
    for move in ("e2e4", "e4d5", "a7a5", "d2d4"):
        referee.try_move(chess.Move.from_uci(move))
    part = GameRecord.of(referee, {"White": "human", "Black": "rand", "Seed": "3"})
    save_record(part, folder / "part.pgn")
    referee.resign(chess.BLACK)
    save_record(GameRecord.of(referee, {"White": "human", "Black": "rand"}), folder / "game.pgn")
    game = (folder / "game.pgn").read_bytes()
    (folder / "two.pgn").write_bytes(game + b"\n" + game)
    (folder / "damaged.pgn").write_bytes(game[:-40] + b"\xff" + game[-40:-20])
    (folder / "binary").write_bytes(random.Random(1).randbytes(5000))
    (folder / "empty").touch()
    (folder / "folder").mkdir()
    (folder / "tree.json").write_text('{"players": ["one"], "root": {"payoffs": [1]}}', encoding="utf-8")
    (folder / "tree.efg").write_text('EFG 2 R "a tree" { "One" "Two" }\nt "" 1 "" { 1, -1 }\n', encoding="utf-8")
    (folder / "bot.py").write_text("from kriegbot.players.rand import RandPlayer as Bot\nRules = 1\n", encoding="utf-8")
    (folder / "settings.toml").write_text('site = "http://127.0.0.1:9"\n', encoding="utf-8")
    (folder / "damaged.toml").write_text("site = \0", encoding="utf-8")
    arguments = ["tournament", "rand", "shuffler", "--games", "2", "--seed", "1", "--limits", "plies=4"]
    assert main([*arguments, "--out", str(folder / "t.sqlite")]) == 0
    data = (folder / "t.sqlite").read_bytes()
    (folder / "damaged.sqlite").write_bytes(data[:2000] + b"x" * 2000 + data[4000:])
    return folder


@pytest.fixture
def replaced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Replace whatever waits for people, clusters, sites or hours."""
    monkeypatch.setattr(server, "serve", lambda *_arguments, **_options: None)
    monkeypatch.setattr(reproduce, "play_missing", lambda *_arguments: None)
    monkeypatch.setattr(sample_sizes, "measure_sizes", lambda *_arguments: iter(()))
    monkeypatch.setattr(leaves_examined, "figure6", lambda: iter([leaves_examined.measured(2, 2, 2, 2, 1)]))
    monkeypatch.setattr(figures, "plot_of", lambda *_arguments: "")
    monkeypatch.setattr(leaves_examined, "save", lambda *_arguments: None)
    checks = [PlayerCheck("one", True, "well"), PlayerCheck("two", False, "not well")]
    monkeypatch.setattr(programs, "conformance", lambda *_arguments: iter(checks))
    monkeypatch.setattr(online_commands, "REGISTERING", 0.1)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv(online_commands.KEY, "key")
    config = tmp_path / "XDG_CONFIG_HOME" / "kriegbot"
    config.mkdir(parents=True)
    (config / "online.toml").write_text('site = "http://127.0.0.1:9"\n', encoding="utf-8")


def complaint(line: list[str], code: object, output: str, errors: str) -> str:
    """Return why the end of a command line is not as it should be; empty if it is."""
    if code not in CODES or "Traceback" in output + errors:
        return f"exit code {code}"
    last = errors.splitlines()[-1:] if code == 2 else []
    if code == 2 and not (last and last[0].startswith("kriegbot: ") and last[0].endswith((".", "?"))):
        return f"{line}: the refusal is {errors[-300:]!r}"
    if sum(one.startswith("kriegbot: ") for one in errors.splitlines()) > 1 or not all(
        one.isprintable() for one in last
    ):
        return "more than one line"
    return ""


class TooLong(BaseException):
    """A command line has not ended in time."""


def too_long(*_: object) -> None:
    raise TooLong


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no alarm")
@pytest.mark.usefixtures("kernels", "replaced")
def test_thousands_of_command_lines_end_as_they_should(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for number, (line, text, settings, encoding) in enumerate(command_lines(LINES)):
        here = tmp_path / str(number)
        shutil.copytree(folder, here)
        with (here / "huge").open("wb") as huge:
            huge.truncate(2**40)
        streams = [io.TextIOWrapper(io.BytesIO(), encoding, errors) for errors in ("strict", "backslashreplace")]
        with monkeypatch.context() as changed:
            changed.chdir(here)
            for name, value in settings.items():
                changed.setenv(name, value)
            stdin = io.BytesIO(text.encode(errors="surrogateescape"))
            changed.setattr(sys, "stdin", io.TextIOWrapper(stdin, encoding))
            changed.setattr(sys, "stdout", streams[0])
            changed.setattr(sys, "stderr", streams[1])
            before = signal.signal(signal.SIGALRM, too_long)
            signal.alarm(SECONDS)
            try:
                code: object = main(line)
            except BaseException as error:  # noqa: BLE001 - none may come
                code = f"{type(error).__name__}: {error}"
            finally:
                signal.alarm(0)
                signal.signal(signal.SIGALRM, before)
        for stream in streams:
            stream.flush()
        output, errors = (stream.buffer.getvalue().decode(encoding, "replace") for stream in streams)
        if why := complaint(line, code, output, errors):
            found.append(f"{number}: {line} {settings} {encoding}: {why}")
        shutil.rmtree(here)
    assert not found, "\n".join(found)


STREAM_COMMANDS = ("learn", "resume", "results", "match", "replay", "render", "convert", "report", "export", "players")
REDIRECTIONS = (
    "<&-",
    ">&-",
    "2>&-",
    "<&- >&- 2>&-",
    "</dev/null",
    ">/dev/full",
    "2>/dev/full",
    "| true",
    "| head -n 1",
)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no shell for these")
def test_closed_full_and_broken_streams_print_no_traceback(folder: Path, tmp_path: Path) -> None:
    lines = (one for one in command_lines(10**6, seed=2) if one[0][:1] and one[0][0] in STREAM_COMMANDS)
    rng, found = random.Random(3), []
    usable = (line for line, *_ in lines if "--web" not in line and not any("\0" in word for word in line))
    for number, line in enumerate(islice(usable, STREAMS)):
        shutil.copytree(folder, tmp_path / str(number))
        shell = f'"{sys.executable}" -m kriegbot "$@" {rng.choice(REDIRECTIONS)}; echo "exit code $?" >&3'
        settings = {"LC_ALL": rng.choice(["C", "C.UTF-8", "tlh_KLI", ""]), "PYTHONUTF8": rng.choice(["0", "1"])}
        with (tmp_path / "code").open("w+") as code:
            done = subprocess.run(
                ["sh", "-c", f"exec 3>{code.name}; {shell}", "sh", *line],
                cwd=tmp_path / str(number),
                env={**os.environ, **settings, "XDG_DATA_HOME": str(tmp_path)},
                input=b"",
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
            ended = code.read().strip()
        if b"Traceback" in done.stdout + done.stderr or ended not in [f"exit code {one}" for one in CODES]:
            found.append(f"{number}: {line} {shell} {settings}: {ended} {done.stderr[-500:]!r}")
    assert not found, "\n".join(found)


INTERRUPTED = [
    ("learn",),
    ("play", "--opponent", "rand"),
    ("tournament", "search:depth=4,time=60", "rand", "--games", "2", "--out", "t.sqlite"),
    ("check-player", "rand"),
    ("trees", "figure6"),
]
PAUSES = [0.0, 0.02, 0.2]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no signals between processes")
@pytest.mark.parametrize(
    ("arguments", "pause"),
    [
        pytest.param(arguments, pause, id=f"{' '.join(arguments)}-{pause}")
        for row, arguments in enumerate(INTERRUPTED)
        for place, pause in enumerate(PAUSES)
        if (row + place) % many(1, len(PAUSES)) == 0
    ],
)
def test_ctrl_c_three_times_prints_no_traceback(arguments: tuple[str, ...], pause: float, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "kriegbot", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, cwd=tmp_path) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        for _ in range(3):
            process.send_signal(signal.SIGINT)
            time.sleep(pause)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    assert b"Traceback" not in first + output
