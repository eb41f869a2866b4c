"""`kriegbot convert`: what it prints, what it writes, and how it refuses."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from kriegbot.cli import games as converting
from kriegbot.cli.main import main
from referee import BERKELEY, WILD16, load_record, record_from_pgn, save_record
from referee.formats import FORMATS
from tests.test_formats import SAVED, saved
from tests.test_records import recorded


@pytest.fixture
def game(tmp_path: Path) -> str:
    """Return the file of a game with refused tries, times and an end."""
    path = tmp_path / "game.pgn"
    save_record(next(one for one in map(recorded, range(99)) if one.turns and one.turns[0].tries and one.end), path)
    return str(path)


def convert(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """Return what a conversion prints, on standard output and standard error."""
    assert main(["convert", *arguments]) == 0
    out, err = capsys.readouterr()
    return out, err


def test_a_game_goes_out_and_comes_back(game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there, back = str(tmp_path / "there.pgn"), str(tmp_path / "back.pgn")
    for name in ("icc", "umd", "plain"):
        assert convert(game, there, "--to", name, capsys=capsys)[0] == f"{there}: 1 game\n"
        convert(there, back, capsys=capsys)
        assert [turn.move for turn in load_record(back).turns] == [turn.move for turn in load_record(game).turns]


@pytest.mark.slow
def test_what_is_lost_is_one_line_on_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "game.pgn")
    assert main(["match", "rand", "rand", "--seed", "1", "--limits", "plies=6", "--quiet", "--save", path]) == 0
    capsys.readouterr()
    assert (
        convert(path, "-", "--to", "plain", capsys=capsys)[1]
        == "Not kept in this format: refused tries, thinking times.\n"
    )
    err = convert(path, str(tmp_path / "game.json"), capsys=capsys)[1]
    assert (
        err == "Not kept in this format: all headers, thinking times, an end that the position does not show, limits.\n"
    )
    assert convert(path, "-", capsys=capsys) == (Path(path).read_text(encoding="utf-8"), "")


def test_several_games_of_a_file_are_converted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [saved(seed) for seed in range(5)]
    source, there, back = (str(tmp_path / name) for name in ("a.pgn", "b.json", "c.pgn"))
    Path(source).write_text("\n".join(FORMATS["kriegbot"].write(record)[0] for record in records), encoding="utf-8")
    assert convert(source, there, capsys=capsys)[0] == f"{there}: 5 games\n"
    assert convert(there, back, capsys=capsys)[0] == f"{back}: 5 games\n"
    read = [record_from_pgn(text) for text in FORMATS["kriegbot"].games(Path(back).read_text(encoding="utf-8"))]
    assert [[turn.move for turn in one.turns] for one in read] == [[turn.move for turn in one.turns] for one in records]


def test_the_rules_may_be_named_for_a_game_of_chess(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "chess.pgn", tmp_path / "krieg.pgn"
    source.write_text("1. e4 d5 2. exd5 1-0\n", encoding="utf-8")
    for options, rules in (((), BERKELEY), (("--rules", "wild16"), WILD16)):
        convert(str(source), str(target), *options, capsys=capsys)
        assert load_record(target).rules == rules


def test_one_sides_view_is_written_for_that_side(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    for side in ("white", "black"):
        out, _ = convert(game, "-", "--to", "filtered", "--side", side, capsys=capsys)
        assert f'[Filtered "{side}"]' in out


@pytest.mark.slow
def test_games_come_from_standard_input_and_go_to_standard_output() -> None:
    text = (SAVED / "wild16.json").read_text(encoding="utf-8")
    command = [sys.executable, "-m", "kriegbot", "convert", "-", "-", "--to", "icc"]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=True, timeout=60)
    assert done.stdout.endswith(
        "\n\n1. f3 {(:)} 1... e6 {(:)} 2. g4 {(:)} 2... Qh4# {(CS:Qa5)} 0-1\n".replace(":Qa5", ":")
    )
    assert done.stderr == "Not kept in this format: tries that the side's own pieces rule out.\n"


def test_help_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"\n    {name:10}  " in out for name in FORMATS)


def test_progress_is_shown(game: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[tuple[str, int]] = []

    def track(items: Iterable[str], what: str, total: int, **_: object) -> Iterable[str]:
        shown.append((what, total))
        return items

    monkeypatch.setattr("kriegbot.cli.common.track", track)
    source = Path(game).with_name("two.pgn")
    source.write_text(Path(game).read_text(encoding="utf-8") * 2, encoding="utf-8")
    out, _ = convert(str(source), "-", capsys=capsys)
    assert shown == [("Converting", 2)]
    assert len(FORMATS["kriegbot"].games(out)) == 2


REFUSED = [
    (["no-such-file.pgn", "-"], "'no-such-file.pgn': cannot be read (No such file or directory)."),
    (["GAME", "-", "--to", "pgn"], "unknown format 'pgn'"),
    (["GAME", "-", "--from", "iccc"], "unknown format 'iccc'; did you mean 'icc'? Known: kriegbot, kriegspiel"),
    (["GAME", "-", "--rules", "chess"], "unknown rule set 'chess'"),
    (["GAME", "GAME"], "it is the file to read; choose another."),
    (["GAME", "/no/such/place/x.pgn"], "No such file or directory"),
    (["GAME", "-", "--to", "filtered"], "--to filtered needs a side: add --side white or --side black."),
    (["GAME", "-", "--to", "filtered", "--side", "whit"], "unknown side 'whit'; did you mean 'white'?"),
    (["GAME", "-", "--to", "filtered", "--side", "random"], "unknown side 'random'. Known: white, black."),
    (["GAME", "-", "--side", "white"], "--side goes with --to filtered; add that."),
    (["GAME", "-", "--from", "kriegspiel"], "as kriegspiel: not JSON"),
    (["EMPTY", "-"], "unknown format: ''; it takes games in one of kriegbot, kriegspiel, filtered, umd, icc, plain."),
    (["EMPTY", "-", "--from", "plain"], "no game in it."),
    (["BINARY", "-"], "unknown format"),
    (["VIEW", "-"], "as filtered: one side's view is no full record"),
    (["BAD", "-", "--strict"], ", game 2, as plain: illegal move: 'e5', at ply 3."),
    (["PROSE", "-"], "unknown format: 'no game here\\n'; it takes games in one of"),
    (["/", "-"], "cannot be read (Is a directory)."),
]


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=[" ".join(case[0])[:40] for case in REFUSED])
def test_a_bad_input_is_refused_on_one_line(
    arguments: list[str], message: str, game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    contents = {
        "EMPTY": b"",
        "PROSE": b"no game here\n",
        "BINARY": b"\x89PNG\r\n",
        "VIEW": b"1. e4 {(:)} ?? {(:1)} *\n",
        "BAD": b'[White "a"]\n\n1. e4 *\n\n[White "b"]\n\n1. e4 e5 2. e5 *\n',
    }
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    names = {name: str(tmp_path / name) for name in contents} | {"GAME": game}
    before = sorted(tmp_path.iterdir())
    assert main(["convert", *(names.get(argument, argument) for argument in arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kriegbot: ")
    assert message in err
    assert err.count("\n") == 1
    assert err[:-1].isprintable()
    assert sorted(tmp_path.iterdir()) == before


def test_nothing_is_written_where_one_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "a.pgn", tmp_path / "b.pgn"
    source.write_text('[White "a"]\n\n1. e4 *\n\n[White "b"]\n\n1. e5 *\n', encoding="utf-8")
    target.write_text("as it was", encoding="utf-8")
    assert main(["convert", str(source), str(target), "--strict"]) == 2
    assert "game 2" in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == "as it was"


def test_what_would_be_too_large_to_read_back_is_not_written(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    size = Path(game).stat().st_size
    monkeypatch.setattr(converting, "MAX_BYTES", size)
    assert main(["convert", game, str(tmp_path / "same.pgn")]) == 0
    assert main(["convert", game, str(tmp_path / "larger.json")]) == 2
    assert f"bytes; it takes at most {size}." in capsys.readouterr().err
    assert not (tmp_path / "larger.json").exists()
