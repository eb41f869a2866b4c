"""`kriegbot tournament`, `report`, `export`, `merge` and `replay FILE#N`, as typed."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest

from kriegbot.cli.main import main
from kriegbot.cli.tournament import export
from kriegbot.trees.formats import save
from referee import record_from_pgn
from tests.effort import many
from tests.game_trees import g2
from tournaments.store import Store

pytestmark = pytest.mark.slow

SHORT = ("tournament", "rand", "rand", "--limits", "plies=10", "--games", "4", "--seed", "1", "--jobs", "2")


def typed(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "from kriegbot.cli.main import main; raise SystemExit(main())", *map(str, arguments)]


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(typed(*arguments), capture_output=True, encoding="utf-8", check=False, cwd=cwd)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a finished tournament."""
    place = tmp_path_factory.mktemp("tournament")
    ran = run(*SHORT, "--out", "t.sqlite", cwd=place)
    assert ran.returncode == 0, ran.stderr
    return place / "t.sqlite"


def test_a_tournament_is_played_and_reported(tmp_path: Path) -> None:
    ran = run(*SHORT, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    (path,) = tmp_path.glob("tournament-*.sqlite")
    assert f"4 games to play, into {path.name}" in ran.stderr
    assert "4 of 4 games" in ran.stderr
    assert "Results" in ran.stdout
    again = run(*SHORT, cwd=tmp_path)
    assert "0 games to play" in again.stderr
    assert again.stdout == ran.stdout == run("report", path, cwd=tmp_path).stdout


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    arguments = [*SHORT, "--out", "t.sqlite"]
    arguments[arguments.index("4")] = "2000"
    process = subprocess.Popen(typed(*arguments), cwd=tmp_path, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stderr is not None
    assert "2000 games to play" in process.stderr.readline()
    while not (tmp_path / "t.sqlite.log").exists() or "plies" not in (tmp_path / "t.sqlite.log").read_text(
        encoding="utf-8"
    ):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "kriegbot: interrupted after" in said
    assert "Traceback" not in said
    command = said.splitlines()[-1].strip()
    assert command.startswith("kriegbot tournament rand rand --limits plies=10 --games 2000")


def test_what_forfeits_make_is_exit_code_1(played: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.sqlite"
    path.write_bytes(played.read_bytes())
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE sides SET failure = 'raised OSError' WHERE game = 1 AND color = 'white'")
    connection.close()
    ran = run(*SHORT, "--out", path, cwd=tmp_path)
    assert ran.returncode == 1
    assert "raised OSError" in ran.stdout


def test_a_fresh_tournament_has_a_seed_of_128_bits_and_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def said(*more: object) -> tuple[str, str]:
        assert main(["tournament", "rand", "rand", "--limits", "plies=4", "--jobs", "1", *map(str, more)]) == 0
        out, err = capfd.readouterr()
        return out, err

    monkeypatch.chdir(tmp_path)
    for out in ((), ("--out", "a"), ("--out", "b")):
        said("--games", 2, *out)
    seeds = []
    for path in (next(tmp_path.glob("tournament-*.sqlite")), tmp_path / "a", tmp_path / "b"):
        with Store.open(path) as store:
            seeds.append(store.settings.seed)
    assert len(set(seeds)) == 3
    assert all(2**64 < seed < 2**128 for seed in seeds)
    again, progress = said("--games", 2)
    assert "0 games to play" in progress
    assert "Seed" in again
    more, progress = said("--games", 4, "--out", "a")
    assert "2 games to play" in progress
    assert str(seeds[1]) in "".join(more.split())
    assert str(seeds[1]) not in progress + (tmp_path / "a.log").read_text(encoding="utf-8")
    assert said("--seed", seeds[1], "--games", 4, "--out", "a")[0] == more


def test_a_game_of_a_tournament_is_replayed(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", f"{played}#3"]) == 0
    assert "ply limit, draw, after 10 plies" in capsys.readouterr().out


def test_games_are_exported_as_pgn(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(played)]) == 0
    games = capsys.readouterr().out.split("\n\n[Event")
    assert len(games) == 4
    headers = record_from_pgn("[Event" + games[1] + "\n").headers
    assert headers["Round"] == "1.2"
    with Store.open(played) as store:
        days = {row.finished[:10] for row in store.game_rows()}
    assert headers["Date"].replace(".", "-") in days


def test_games_are_exported_as_csv(played: Path, tmp_path: Path) -> None:
    assert main(["export", str(played), "--format", "csv", "--out", str(tmp_path / "t.csv")]) == 0
    rows = list(csv.DictReader(StringIO((tmp_path / "t.csv").read_text(encoding="utf-8"))))
    assert [row["id"] for row in rows] == ["1", "2", "3", "4"]
    columns = {name.removeprefix("white_").removeprefix("black_") for name in rows[0]}
    assert columns <= set(re.findall(r"\w+", export.__doc__ or ""))  # which `--help` and docs/commands.md show
    assert {(row["white"], row["plies"], row["white_turns"], row["black_astray"]) for row in rows} == {
        ("rand", "10", "5", "0")
    }


def test_games_are_exported_as_lines_of_json(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(played), "--format", "jsonl"]) == 0
    games = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [game["number"] for game in games] == [0, 1, 2, 3]
    assert all(str(int(game["seed"])) == game["seed"] for game in games)
    assert all(len(record_from_pgn(game["pgn"]).turns) == game["plies"] for game in games)
    assert games[0]["white"].items() >= {"player": "rand", "turns": 5, "rescues": {}, "failure": ""}.items()


@pytest.mark.parametrize("command", [["export", "--out"], ["report", "--html"]])
def test_what_is_read_is_not_overwritten(
    command: list[str], played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.sqlite"
    file.write_bytes(played.read_bytes())
    link = tmp_path / "link"
    link.symlink_to(file)
    for out in (file, link):
        assert main([command[0], str(file), command[1], str(out)]) == 2
        assert "it is the file to read; choose another." in capsys.readouterr().err
    assert file.read_bytes() == played.read_bytes()


def test_shards_are_merged(played: Path, tmp_path: Path) -> None:
    for part in ("1/2", "2/2"):
        assert run(*SHORT, "--shard", part, "--out", part[0], cwd=tmp_path).returncode == 0
    ran = run("merge", "all.sqlite", "1", "2", cwd=tmp_path)
    assert ran.stdout.splitlines() == ["1: 2 games", "2: 2 games", "all.sqlite: 4 games, 0 missing"]
    with Store.open(played) as whole, Store.open(tmp_path / "all.sqlite") as merged:
        assert [merged.pgn(game) for game in (1, 2, 3, 4)] == [whole.pgn(game) for game in (1, 2, 3, 4)]


def test_a_decided_test_stops_the_tournament(tmp_path: Path) -> None:
    many = [*SHORT, "--out", "t.sqlite", "--sprt=-2000,-1900"]
    many[many.index("4")] = "2000"
    ran = run(*many, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    with Store.open(tmp_path / "t.sqlite") as store:
        assert 2 <= len(store.done()) < 1000
    assert "H1" in ran.stdout


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="finds processes in /proc")
def test_a_disturbed_tournament_has_the_games_of_an_undisturbed_one(tmp_path: Path) -> None:
    disturbed = import_module("benchmarks.disturbed")  # by name: mypy reads scripts as modules of their own
    length = ("--limits", f"plies={many(60, 20)}", "--games", f"{many(24, 8)}")
    common = ["tournament", "rand", "rand", *length, "--seed", "1", "--jobs", "2", "--out"]
    assert run(*common, "calm.sqlite", cwd=tmp_path).returncode == 0
    done = disturbed.play_disturbed(
        [*common, tmp_path / "disturbed.sqlite"], pause=1.5, seed=1, disturbances=disturbed.DISTURBANCES[:4]
    )[0]
    assert done.total() > 0
    assert disturbed.games(tmp_path / "disturbed.sqlite") == disturbed.games(tmp_path / "calm.sqlite")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rand"], "a tournament needs at least two players."),
        (["rand", "randd"], "unknown player 'randd'; did you mean 'rand'?"),
        (["rand", "rand", "overconfident"], "player 'rand' is named twice"),
        (["rand", "human"], "player 'human' is a person"),
        (["rand", "rand", "--games", "0"], "illegal number of games '0': it takes a whole number, 2..1000000."),
        (
            ["rand", "rand", "--games", "3"],
            "illegal number of games '3': it takes an even number",
        ),
        (["rand", "rand", "--jobs", "many"], "illegal number of jobs 'many'"),
        (["rand", "rand", "--seed", "-1"], "illegal seed '-1'"),
        (["rand", "rand", "--limits", "short"], "illegal limits 'short'"),
        (["rand", "rand", "--rules", "golf"], "unknown rule set 'golf'"),
        (["rand", "rand", "--shard", "3/2"], "illegal shard '3/2': it takes a part such as 2/5"),
        (["rand", "rand", "--shard", "1/2"], "--shard needs --seed"),
        (["rand", "rand", "--out", "x" * 300], "File name too long"),
        (["rand", "rand", "--sprt", "5,0"], "illegal sprt '5,0': it takes two numbers"),
        (["rand", "paranoid", "overconfident", "--sprt", "0,5"], "--sprt compares two players; here are 3."),
        (["rand", "rand", "--executor", "slurm"], "unknown executor 'slurm'. Known: local, dask."),
        (["rand", "rand", "--scheduler", "tcp://x"], "--scheduler goes with --executor dask."),
        (["rand", "paranoid", "--gauntlet", "--round-robin"], "choose --round-robin or --gauntlet, not both."),
        (["rand", "rand", "--patience", "0"], "illegal patience '0'"),
        (["rand", "rand", "--out", "no/such/place"], "there is no folder 'no/such'"),
        (["rand", "rand", "--out", "."], "it takes a file name."),
    ],
)
def test_a_bad_tournament_is_refused_in_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tournament", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_bad_files_are_refused_in_one_line(tmp_path: Path, played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    foreign = tmp_path / "foreign"
    foreign.write_text("no database", encoding="utf-8")
    for arguments in (
        ["report", "nowhere"],
        ["report", str(foreign)],
        ["export", str(foreign)],
        ["merge", str(tmp_path / "new"), str(foreign)],
        ["replay", f"{foreign}#1"],
        ["replay", f"{foreign}#x"],
        ["replay", str(played)],
        ["tournament", "rand", "rand", "--out", str(foreign)],
    ):
        assert main(arguments) == 2, arguments
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "STORE", "--html"),
        *(("export", "STORE", "--format", form, "--out") for form in ("pgn", "csv", "jsonl")),
        ("trees", "solve", "TREE", "--svg"),
        ("match", "rand", "rand", "--limits", "plies=2", "--quiet", "--save"),
    ],
    ids=" ".join,
)
def test_on_a_full_disk_what_was_there_stays_and_nothing_else_is_left(
    arguments: tuple[str, ...],
    played: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(_file: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    tree, out = tmp_path / "tree.json", tmp_path / "out"
    save(g2(), tree)
    out.write_text("as it was", encoding="utf-8")
    monkeypatch.setattr(os, "fsync", full)
    assert main([{"STORE": str(played), "TREE": str(tree)}.get(word, word) for word in (*arguments, str(out))]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "tree.json"]


def test_an_unknown_format_is_refused(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(played), "--format", "json"]) == 2
    assert "unknown format 'json'; did you mean 'jsonl'? Known: pgn, csv, jsonl." in capsys.readouterr().err


def test_the_page_is_written(played: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert main(["report", str(played), "--html", str(tmp_path / "t.html")]) == 0
    assert "<svg" in (tmp_path / "t.html").read_text(encoding="utf-8")
