"""`kriegbot reproduce`: the paper's cells as tournaments, and ours beside the paper's."""

import csv
import re
from itertools import islice
from pathlib import Path

import chess
import pytest

from kriegbot.cli.main import main
from kriegbot.players.specs import parse_spec
from referee import BERKELEY, Referee, View
from tournaments import sample_sizes
from tournaments.report import Standing
from tournaments.reproduce import (
    FIGURES,
    GAMES,
    SAMPLES,
    CellResult,
    cells,
    contrasts_of,
    games_of,
    plot_of,
    settings_of,
    table_of,
    write_csv,
)

WON, LOST = "#2b6cb0", "#c05621"  # colours of ours and the paper's


def as_in_the_paper(figure: int) -> list[CellResult]:
    """Results of ours that are the paper's."""
    made = []
    for cell in cells(figure):
        losses, draws, wins = CellResult(cell, Standing.of(0, 0, 0)).paper
        made.append(CellResult(cell, Standing.of(losses, draws, wins)))
    return made


def test_the_paper_has_33_cells_whose_eu_is_wins_less_losses() -> None:
    assert [len(cells(figure)) for figure in FIGURES] == [12, 12, 9]
    assert all(abs(cell.wins - cell.losses - cell.eu) <= 1 for figure in FIGURES for cell in cells(figure))


@pytest.mark.parametrize("budget", [None, 0.1])
@pytest.mark.parametrize("figure", FIGURES)
def test_a_cell_is_a_pairing_of_players_as_a_tournament_writes_them(figure: int, budget: float | None) -> None:
    settings = settings_of(figure, budget)
    for spec in (spec for one in settings.pairings for spec in (one.first, one.second)):
        assert str(parse_spec(spec)) == spec
    assert len(set(settings.pairings)) == len(settings.pairings)


def test_under_a_choice_both_searching_players_have_it_and_hs_keeps_its_own() -> None:
    for figure in FIGURES:
        under = settings_of(figure, None, choice="evaluator=conservative")
        for cell, pair, usual in zip(cells(figure), under.pairings, settings_of(figure, None).pairings, strict=True):
            assert pair.first == f"{usual.first},evaluator=conservative"
            searches = cell.opponent == "paranoid"
            assert pair.second == usual.second + (",evaluator=conservative" if searches else "")
        assert under.rules == BERKELEY != settings_of(figure, None, choice="rules=quiet").rules


def test_players_have_the_papers_sample_sizes() -> None:
    for cell, pairing in zip(cells(5), settings_of(5, None).pairings, strict=True):
        first, second = map(parse_spec, (pairing.first, pairing.second))
        assert first.get("samples") == SAMPLES[30, cell.depth]
        assert second.get("samples") == SAMPLES[30, cell.opponent_depth]
        assert first.get("resample") == round(SAMPLES[30, cell.depth] / 15)


def test_games_of_a_cell_stand_together() -> None:
    games = games_of(settings_of(2, None), (0, 3), 4)
    assert [(game.pairing, game.number) for game in games] == [
        (0, 0),
        (0, 1),
        (0, 2),
        (0, 3),
        (3, 0),
        (3, 1),
        (3, 2),
        (3, 3),
    ]


@pytest.mark.parametrize("figure", FIGURES)
def test_where_ours_are_the_papers_so_are_the_differences(figure: int) -> None:
    for contrast in contrasts_of(as_in_the_paper(figure)):
        assert contrast.ours == pytest.approx(contrast.paper)


def test_a_difference_is_what_it_says() -> None:
    of_claim = {contrast.claim: contrast.paper for contrast in contrasts_of(as_in_the_paper(2))}
    eu = {(cell.player, cell.depth): cell.eu for cell in cells(2) if cell.seconds == 30}
    expected = sum(eu["overconfident", depth] - eu["paranoid", depth] for depth in (1, 2, 3)) / 3
    assert of_claim["overconfident less paranoid, against rand (3 of 3)"][0] == pytest.approx(expected)
    step = of_claim["overconfident, depth 3 less depth 2"]
    assert step[0] == pytest.approx(27 - 49)
    variance = sum((wins + losses) / 100 - ((wins - losses) / 100) ** 2 for wins, losses in ((32, 5), (50, 1))) / GAMES
    assert step[1] == pytest.approx(196 * variance**0.5, rel=0.01)
    mean = [contrast for contrast in contrasts_of(as_in_the_paper(5)) if "against paranoid (9 of 9)" in contrast.claim]
    assert mean[0].paper[0] == pytest.approx(sum(cell.eu for cell in cells(5)) / 9)


def test_a_difference_is_of_the_cells_that_have_games() -> None:
    results = [one if one.cell.depth == 1 else CellResult(one.cell, Standing.of(0, 0, 0)) for one in as_in_the_paper(2)]
    sides, *steps = contrasts_of(results)
    assert sides.claim.endswith("(1 of 3)")
    assert sides.ours == pytest.approx(sides.paper)
    assert sides.paper[0] == pytest.approx(47 - 3)
    assert all(step.ours is None for step in steps)


def test_a_difference_waits_for_games() -> None:
    results = [CellResult(cell, Standing.of(0, 0, 0)) for cell in cells(3)]
    assert all(contrast.ours is None for contrast in contrasts_of(results))
    assert "-" in table_of(3, results).rows[0]
    assert "<svg" in plot_of(3, results)


def test_a_plot_has_a_row_for_each_cell_with_the_papers_eu_and_ours_if_there_are_games() -> None:
    cell = cells(2)[0]
    played, unplayed = CellResult(cell, Standing.of(5, 5, 10)), CellResult(cell, Standing.of(0, 0, 0))
    plots = [plot_of(2, results) for results in ([unplayed], [played])]
    assert plots[0].count(LOST) == plots[1].count(LOST)
    assert plots[1].count(WON) > plots[0].count(WON)
    assert [f"{cell}: the paper {cell.eu:+d}, kriegbot +25" in plot for plot in plots] == [False, True]
    assert all(f">{tick}</text>" in plots[1] for tick in (-100, -50, 0, 50, 100))


def test_a_table_of_cells_is_csv_with_nothing_where_nothing_is_known(tmp_path: Path) -> None:
    cell = cells(2)[0]
    for standing, ours in (
        (Standing.of(0, 0, 0), ["0", "0", "0", "0", "", "", ""]),
        (Standing.of(5, 5, 10), ["20", "10", "5", "5", "25.00"]),
    ):
        write_csv(tmp_path / "figure.csv", [CellResult(cell, standing)])
        (row,) = csv.DictReader((tmp_path / "figure.csv").read_text(encoding="utf-8").splitlines())
        assert list(row.values())[6 : 6 + len(ours)] == ours
        assert (row["player"], row["opponent_depth"]) == (cell.player, str(cell.opponent_depth or ""))
        assert (row["paper_eu"], row["paper_is_legible"]) == (str(cell.eu), "yes" if cell.legible else "no")


def test_a_figure_without_games_is_shown_and_saved_with_the_papers_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kriegbot.cli.reproduce.play_missing", lambda *_: None)
    assert main(["reproduce", "figure2", "--budget", "0.01", "--out", str(tmp_path)]) == 0
    table, differences, *rest = re.split(r"\n{2,}", capsys.readouterr().out.strip())
    assert table.startswith("Figure 2: EU against rand")
    assert differences.startswith("Differences")
    assert not rest  # no game, so no distance from the paper
    rows = list(csv.DictReader((tmp_path / "figure2-0.01s.csv").read_text(encoding="utf-8").splitlines()))
    assert {row["games"] for row in rows} == {"0"}
    assert len(rows) == 6
    assert (tmp_path / "figure2-0.01s.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.slow
def test_a_figure_is_played_shown_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["reproduce", "figure2", "--budget", "0.01", "--depths", "1", "--jobs", "2", "--out", str(tmp_path)]
    assert main([*command, "--games", "2"]) == 0
    first = capsys.readouterr()
    assert "Figure 2: EU against rand" in first.out
    assert "Mean distance from the paper's EU" in first.out
    assert "4 games to play" in first.err
    assert main([*command, "--games", "2"]) == 0
    again = capsys.readouterr()
    assert again.out == first.out
    assert "games to play" not in again.err
    rows = list(csv.DictReader((tmp_path / "figure2-0.01s.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["games"] for row in rows] == ["2", "2", "0", "0", "0", "0"]
    assert [row["paper_eu"] for row in rows] == ["47", "3", "49", "26", "27", "18"]
    assert (tmp_path / "figure2-0.01s.svg").read_text(encoding="utf-8").startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["figure1"],
            "Known: figure2, figure3, figure4, figure5, all.",
        ),
        (
            ["figure2", "--budget", "much"],
            "illegal budget 'much': it takes samples, or 0.01..3600 seconds.",
        ),
        (["figure2", "--games", "3"], "illegal number of games '3': it takes an even number"),
        (["figure2", "--depths", "4"], "illegal depth '4': it takes a whole number, 1..3."),
        (["figure2", "--run", "middle"], "unknown run 'middle'. Known: short, long, both."),
        (
            ["figure2", "--choice", "evaluator=k5"],
            "unknown evaluator 'k5'. Known: conservative, ks, material, sound;",
        ),
        (["figure2", "--choice", "evaluator"], "illegal choice 'evaluator': it takes option=value, "),
        (["figure2", "--choice", "boards=first"], "unknown boards 'first'"),
        (["figure2", "--choice", ""], "illegal choice '': it takes option=value, "),
        (["figure2", "--choice", "paranoyd.particles=9"], "illegal choice 'paranoyd.particles=9': it takes "),
        (["figure2", "--out", "/dev/null/x"], "cannot write to '/dev/null/x': "),
        (["figure2", "--out", "x" * 300], "File name too long."),
    ],
)
def test_what_cannot_be_is_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_measurements_are_written_line_by_line_and_only_their_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_sizes, "positions", lambda _: [Referee().view(chess.WHITE)] * sample_sizes.POSITIONS)
    monkeypatch.setattr(sample_sizes, "sample_size", lambda _view, depth, seconds, _seed: 100 * depth + seconds)
    path = tmp_path / "figure4.csv"
    assert [*islice(sample_sizes.measure_sizes(path, 1), 3)] == [(1, 60), (2, 60), (3, 60)]
    assert sample_sizes.read_sizes(path) == dict.fromkeys([(0, 1, 1), (1, 1, 1), (2, 1, 1)], 101)
    assert [*sample_sizes.measure_sizes(path, 1)][-1] == (60, 60)
    sizes = sample_sizes.read_sizes(path)
    assert (len(sizes), {key[1:]: size for key, size in sizes.items()}) == (
        60,
        {(depth, seconds): 100 * depth + seconds for depth in (1, 2, 3) for seconds in (1, 30)},
    )
    (tmp_path / "killed.csv").touch()
    assert sample_sizes.read_sizes(tmp_path / "killed.csv") == {}
    path.write_text(path.read_text(encoding="utf-8").replace("histories", "boards"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"does not hold measurements of Figure 4 \(other columns\)"):
        sample_sizes.read_sizes(path)


@pytest.mark.slow
def test_figure_4_is_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_sizes, "SECONDS", (1,))
    monkeypatch.setattr(sample_sizes, "POSITIONS", 2)
    taken = []
    measure_one = sample_sizes.sample_size

    def hurried(view: View, depth: int, seconds: float, seed: int) -> int:
        taken.append((depth, seconds))
        return measure_one(view, depth, 0.1, seed)

    monkeypatch.setattr(sample_sizes, "sample_size", hurried)
    path = tmp_path / "figure4.csv"
    assert list(sample_sizes.measure_sizes(path, 1))[-1] == (6, 6)
    sizes = sample_sizes.read_sizes(path)
    assert sorted(sizes) == [(position, depth, 1) for position in range(2) for depth in (1, 2, 3)]
    assert sizes[0, 1, 1] > 0  # how many more than at depth 2 is a question of speed
    assert list(sample_sizes.measure_sizes(path, 1))[-1] == (6, 6)
    assert len(taken) == 6
    assert [row[0] for row in sample_sizes.sizes_table(sizes).rows] == ["1", "2", "3"]
    for content in (b"something else\n", b"\xff\n", b"x" * 200_000):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="does not hold"):
            sample_sizes.read_sizes(path)


def test_a_part_that_does_not_load_is_refused_before_the_first_game(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part, out = tmp_path / "part.py", tmp_path / "out"
    part.write_text("raise ValueError('none')")
    command = ["reproduce", "figure2", "--choice", f"evaluator={part}:part", "--out", str(out)]
    assert main(command) == 2
    err = capsys.readouterr().err
    assert "part.py': ValueError: none." in err
    assert err.count("\n") == 1
    assert not out.exists()
