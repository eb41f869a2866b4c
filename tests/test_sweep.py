"""The sweep of what the paper leaves open: how a choice changes players, and its file of games."""

import gzip
from pathlib import Path

import pytest

from kriegbot.players.specs import BadSpec
from tournaments.agreement import GROUPS, agreement, group_of
from tournaments.choices import TODAY, changed
from tournaments.figures import Standing
from tournaments.reproduce import Result
from tournaments.sweep import Played, changes, every_cell, gain, play, published, read, standing, write
from tournaments.sweep_report import contrasts_under, gains_table

PARANOID = "paranoid:depth=2,samples=321,further=21,particles=20000"


@pytest.mark.parametrize(
    ("spec", "choice", "expected"),
    [
        (PARANOID, TODAY, PARANOID),
        (PARANOID, "evaluator=ks:shield=30", f"{PARANOID},evaluator=ks:shield=30"),
        (PARANOID, "further=none", "paranoid:depth=2,samples=321,particles=20000"),
        (PARANOID, "particles=samples", "paranoid:depth=2,samples=321,further=21,particles=321"),
        ("overconfident:depth=3,samples=67", "particles=samples", "overconfident:depth=3,samples=67,particles=100"),
        (PARANOID, "ties=first", f"{PARANOID.replace('paranoid', 'search')},backup=paranoid,ties=first"),
        (
            PARANOID,
            "ties=last,boards=last",
            f"{PARANOID.replace('paranoid', 'search')},backup=paranoid,ties=last,boards=last",
        ),
        (PARANOID, "rand.by=man", PARANOID),
        ("rand", "evaluator=ks:shield=30,rand.by=man", "rand:by=man"),
        ("hs:samples=9", "evaluator=ks:shield=30,hs.depth=1", "hs:depth=1,samples=9"),
    ],
)
def test_a_choice_changes_the_players_that_it_is_about(spec: str, choice: str, expected: str) -> None:
    assert changed(spec, choice) == expected


@pytest.mark.parametrize("choice", ["ties", "ties=third", "sties=first", "evaluator=k5", "depth", "rules=loud"])
def test_a_choice_that_no_player_has_is_refused(choice: str) -> None:
    with pytest.raises(BadSpec):
        changed(PARANOID, choice)


def test_a_choice_matters_where_its_players_sit() -> None:
    touched = {
        choice: [name for name, cell in every_cell().items() if changes(choice, cell)]
        for choice in (TODAY, "evaluator=material", "rand.by=man", "hs.depth=1", "rules=quiet")
    }
    assert [len(names) for names in touched.values()] == [34, 33, 13, 12, 33]


def test_games_of_today_are_those_that_were_published() -> None:
    games = published(Path(__file__).parents[1] / "docs/reproduction/games.csv.gz")
    assert len({game[:3] for game in games}) == len(games) == 29 * 500
    of_cell = [game for game in games if game.cell == "overconfident 1 - paranoid 2"]
    assert (standing(of_cell).wins, standing(of_cell).draws, standing(of_cell).losses) == (4, 133, 363)


@pytest.mark.slow
def test_a_game_of_today_comes_out_as_it_was_published() -> None:
    games = published(Path(__file__).parents[1] / "docs/reproduction/games.csv.gz")
    cell = every_cell()["overconfident 1 - rand"]
    for number in (0, 1):
        assert play(TODAY, cell, number) in games
        again = play("evaluator=ks:shield=0:protected=4,ties=random", cell, number)
        assert again._replace(choice=TODAY) in games


def test_what_a_choice_adds_comes_from_games_with_the_same_seeds() -> None:
    today = [Played(TODAY, "c", number, 7, result, 9) for number, result in enumerate((-1, -1, 0, 1, -1))]
    games = [Played("x", "c", number, 7, result, 9) for number, result in enumerate((0, 1, 0, 0))]
    mean, half = gain(games, today) or (0.0, 0.0)
    assert mean == pytest.approx(50)  # 1, 2, 0 and -1 more
    assert half == pytest.approx(1.96 * 100 * (5 / 3) ** 0.5 / 2, rel=1e-3)
    assert gain(games[:1], today) is None


def test_the_table_of_gains_has_a_row_for_each_choice_with_games_beside_todays() -> None:
    cells = ["overconfident 1 - rand", "paranoid 2 - rand"]
    results = {TODAY: (0, 1), "x": (1, 0), "y": (1,)}
    games = [
        Played(choice, cells[0], number, 7, result, 9)
        for choice, of_choice in results.items()
        for number, result in enumerate(of_choice)
    ]
    table = gains_table(games, [TODAY, "x", "y"], cells)
    assert table.headings == ("choice", "o1 - rand", "p2 - rand")
    assert [row[0] for row in table.rows] == ["x"]  # one game is too few
    assert table.rows[0][1].startswith("+0 ±")
    assert table.rows[0][2] == "-"


def test_the_papers_conclusions_are_shown_of_figures_that_are_played_in_full() -> None:
    results = {(name, "x"): Standing(9, 0, 1) for name, cell in every_cell().items() if cell.figure == 5}
    against, *steps = contrasts_under(results, "x")
    assert against.says == "Figure 5: overconfident against paranoid (9 of 9)"
    assert against.ours is not None
    assert against.ours[0] == pytest.approx(80)
    assert [step.ours[0] if step.ours else None for step in steps] == pytest.approx([0, 0])
    del results["overconfident 1 - paranoid 1", "x"]
    assert contrasts_under(results, "x") == []


def test_a_file_of_games_holds_them_whatever_their_order(tmp_path: Path) -> None:
    path, other = tmp_path / "games.csv.gz", tmp_path / "other.csv.gz"
    games = [Played("a,b", "overconfident 1 - rand", number, 7, result, 9) for number, result in enumerate((1, 0, -1))]
    assert read(path) == []
    write(path, games)
    write(other, reversed(games))
    assert read(path) == games
    assert path.read_bytes() == other.read_bytes()
    assert gzip.decompress(path.read_bytes()).startswith(b"choice,cell,game,seed,result,plies\n")


def test_results_like_the_papers_are_near_it_and_others_are_as_far_as_they_are() -> None:
    cells = [cell for name, cell in every_cell().items() if name != "rand - rand"]
    assert [[group_of(cell) for cell in cells].count(group) for group in GROUPS] == [15, 18]
    same = [
        Result(cell, Standing.of(5 * cell.losses, 500 - 5 * (cell.wins + cell.losses), 5 * cell.wins)) for cell in cells
    ]
    near = agreement(same)
    assert near.cells == near.within == 33
    assert near.distance <= 1  # the paper's EU is rounded
    assert near.alike == near.meetings == 9
    far = agreement([Result(one.cell, Standing.of(one.ours.wins, one.ours.draws, one.ours.losses)) for one in same])
    assert far.alike == 0
    assert far.distance == pytest.approx(sum(abs(one.cell.wins - one.cell.losses + one.cell.eu) for one in same) / 33)
    assert far.within < 33
    few = agreement([Result(one.cell, Standing.of(0, 4, 0)) for one in same])
    assert few.by_chance > 4 * near.by_chance
