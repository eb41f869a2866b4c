"""The paper's experiment under a choice: what it changes; games as published; how near results come to the paper's."""

from functools import partial
from importlib import import_module
from typing import Any

import pytest

from kriegbot.game.match import play_game
from kriegbot.game.seat import HereSeat
from kriegbot.players.making import make_player
from kriegbot.players.old_names import with_current_names
from kriegbot.players.specs import BadSpec, parse_spec
from referee import BERKELEY, PAPER_LIMITS
from tests.effort import IS_THOROUGH
from tournaments.report import Standing
from tournaments.reproduce import FIGURES, TODAY, CellResult, agreement, agreement_table, cells, changed, settings_of

PUBLISHED: Any = import_module("benchmarks.published")  # by name: mypy reads scripts as modules of their own
PARANOID = "paranoid:depth=2,samples=321,resample=21,particles=20000"


@pytest.mark.parametrize(
    ("spec", "choice", "expected"),
    [
        (PARANOID, TODAY, PARANOID),
        (PARANOID, "evaluator=conservative", f"{PARANOID},evaluator=conservative"),
        (PARANOID, "resample=none", "paranoid:depth=2,samples=321,particles=20000"),
        (PARANOID, "particles=samples", "paranoid:depth=2,samples=321,resample=21,particles=321"),
        ("overconfident:depth=3,samples=67", "particles=samples", "overconfident:depth=3,samples=67,particles=100"),
        (PARANOID, "ties=first", f"{PARANOID.replace('paranoid', 'search')},backup=paranoid,ties=first"),
        (
            PARANOID,
            "ties=last,boards=last",
            f"{PARANOID.replace('paranoid', 'search')},backup=paranoid,ties=last,boards=last",
        ),
        (PARANOID, "rand.by=man", PARANOID),
        ("rand", "evaluator=conservative,rand.by=man", "rand:by=man"),
        ("hs:samples=9", "evaluator=conservative,hs.depth=1", "hs:depth=1,samples=9"),
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
        choice: sum(
            pair != usual
            for figure in FIGURES
            for pair, usual in zip(
                settings_of(figure, None, choice=choice).pairings, settings_of(figure, None).pairings, strict=True
            )
        )
        for choice in ("evaluator=material", "rand.by=man", "hs.depth=1", "rules=quiet")
    }
    assert list(touched.values()) == [33, 12, 12, 0]
    assert settings_of(2, None, choice="rules=quiet").rules != BERKELEY == settings_of(2, None).rules


@pytest.mark.slow
@pytest.mark.parametrize("choice", [TODAY, "evaluator=ks,ties=random"])
def test_a_game_of_today_comes_out_as_it_was_published(choice: str) -> None:
    rows = PUBLISHED.rows_of("games.csv.gz")
    assert len(rows) == 29 * 500
    settings = settings_of(2, None)
    for number in (0, 1):
        game = settings.game(0, number)
        names = game.white, game.black
        (row,) = (
            row
            for row in rows
            if (*map(with_current_names, (row["white"], row["black"])), row["seed"]) == (*names, str(game.seed))
        )
        specs = [parse_spec(changed(name, choice)) for name in names]
        seats = [HereSeat(str(spec), partial(make_player, spec)) for spec in specs]
        record = play_game(*seats, rules=BERKELEY, limits=PAPER_LIMITS, seed=game.seed).record
        assert (record.result, len(record.turns)) == (row["result"], int(row["plies"]))


def test_a_game_of_the_sweep_has_the_seed_that_its_page_says() -> None:
    rows = [row for row in PUBLISHED.rows_of("sweep.csv.gz") if row["cell"] != PUBLISHED.RAND]
    assert len(rows) == 8445
    for row in rows:
        choice = PUBLISHED.current(row["choice"]) if "boards=pool" in row["choice"] else TODAY
        assert PUBLISHED.scheduled(row, choice).seed == int(row["seed"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("choice", "cell"),
    [
        ("rand.by=man", PUBLISHED.RAND),
        ("rand.by=man", "overconfident 1 - rand"),
        ("boards=last,particles=100", "paranoid 1 - rand"),
        ("boards=pool,hs.sampling=los,particles=100", "overconfident 1 - rand"),
    ],
)
def test_a_game_of_the_sweep_comes_out_as_it_was_published(choice: str, cell: str) -> None:
    rows = [row for row in PUBLISHED.rows_of("sweep.csv.gz") if (row["choice"], row["cell"]) == (choice, cell)]
    assert all(map(PUBLISHED.replays, rows[: 1 + IS_THOROUGH]))


def test_results_like_the_papers_are_near_it_and_others_are_as_far_as_they_are() -> None:
    every = [cell for figure in FIGURES for cell in cells(figure)]
    same = [
        CellResult(cell, Standing.of(5 * cell.losses, 500 - 5 * (cell.wins + cell.losses), 5 * cell.wins))
        for cell in every
    ]
    near = agreement(same)
    assert near.within == 33
    assert near.distance <= 1  # the paper's EU is rounded
    assert near.alike == near.meetings == 9
    far = agreement([CellResult(one.cell, Standing.of(one.ours.wins, one.ours.draws, one.ours.losses)) for one in same])
    assert far.alike == 0
    assert far.distance == pytest.approx(sum(abs(one.cell.wins - one.cell.losses + one.cell.eu) for one in same) / 33)
    assert far.within < 33
    few = agreement([CellResult(one.cell, Standing.of(0, 4, 0)) for one in same])
    assert few.by_chance > 4 * near.by_chance


def test_agreement_is_shown_of_each_run_of_a_figure_and_of_all_cells_that_have_games() -> None:
    played = [CellResult(cell, Standing.of(0, 4, 0)) for cell in (*cells(2), *cells(5)) if cell.seconds == 30]
    rows = agreement_table([CellResult(cells(3)[0], Standing.of(0, 0, 0)), *played]).rows
    assert [row[:2] for row in rows] == [("Figure 2, 30 s", "24"), ("Figure 5, 30 s", "36"), ("all", "60")]
    assert [row[-1] for row in rows] == ["-", "0 of 9", "0 of 9"]
    assert agreement_table([CellResult(cells(3)[0], Standing.of(0, 0, 0))]).rows == []
