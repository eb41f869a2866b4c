"""`benchmarks/measure.py` makes the figures of its list, once."""

from pathlib import Path

import chess
import measure
import measurements
import pytest
from measurements import TABLE

from referee import GameRecord, Referee

LIST = """
[first]
play = "rand grabber shuffler --gauntlet --games 2 --seed 1 --limits plies=20"
[second]
run = "-c 'raise SystemExit(3)'"
"""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty table of measurements."""
    table = tmp_path / "table.csv"
    table.write_text(TABLE.read_text("utf-8").splitlines()[0] + "\n")
    (tmp_path / "list.toml").write_text(LIST)
    monkeypatch.setattr(measure, "LIST", tmp_path / "list.toml")
    for function in ("read", "add"):
        monkeypatch.setattr(getattr(measurements, function), "__defaults__", (table,))
    return table


def measured(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    """Run the script."""
    monkeypatch.setattr("sys.argv", ["measure.py", *map(str, arguments)])
    measure.main()


@pytest.mark.slow
@pytest.mark.usefixtures("table")
def test_a_tournament_is_played_once_and_its_results_are_added(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured(monkeypatch, tmp_path, "first")
    pooled, *each, worst = measurements.read()
    assert (pooled.key, pooled.what, pooled.games, pooled.version) == ("first", "result", "4", measurements.version())
    assert [row.what for row in each] == ["result against grabber", "result against shuffler"]
    assert [sum(int(row.drawn) for row in each), each[0].seed] == [int(pooled.drawn), "1"]
    assert (worst.key, worst.what) == ("first-worst", "result")
    assert worst.counts[::-1] == min(row.counts[::-1] for row in each)
    assert (tmp_path / "first.sqlite").exists()
    measured(monkeypatch)
    assert capsys.readouterr().out.splitlines()[-2].startswith("done first: rand")
    with pytest.raises(SystemExit, match="3"):  # only the second is left
        measured(monkeypatch, tmp_path / "other", "all")
    assert not list((tmp_path / "other").iterdir())


@pytest.mark.usefixtures("table")
def test_an_unknown_figure_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        measured(monkeypatch, tmp_path / "none", "third")
    assert "unknown figure 'third'. Figures: first, second, all.\n" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_a_lead_is_counted_in_pawns_after_each_move() -> None:
    referee = Referee()
    for uci in ["e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5a2", "c3a2"]:
        referee.try_move(chess.Move.from_uci(uci))
    record = GameRecord.of(referee, {})
    assert measurements.largest_lead(record, chess.WHITE) == 8  # a queen and a pawn for two pawns
    assert measurements.largest_lead(record, chess.BLACK) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("table")
def test_draws_after_a_lead_are_of_the_first_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lead = LIST.replace("grabber shuffler --gauntlet --games 2", "grabber --games 4").replace(
        "[second]", "lead = -40\n[second]"
    )
    (tmp_path / "list.toml").write_text(lead)
    measured(monkeypatch, tmp_path, "first")
    result, drawn = measurements.read()
    assert (drawn.key, drawn.what) == ("first-lead", "draws after a lead of -40 pawns")
    assert drawn.text == f"{result.drawn} of 4 games" != "0 of 4 games"
    assert measurements.drawn_after_lead(tmp_path / "first.sqlite", 40) == "0 of 4"
