"""`benchmarks/measure.py` makes the figures of its list, once."""

from pathlib import Path

import measure
import measurements
import pytest
from measurements import TABLE

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
    pooled, *each = measurements.read()
    assert (pooled.key, pooled.what, pooled.games, pooled.version) == ("first", "result", "4", measurements.version())
    assert [row.what for row in each] == ["result against grabber", "result against shuffler"]
    assert [sum(int(row.drawn) for row in each), each[0].seed] == [int(pooled.drawn), "1"]
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
