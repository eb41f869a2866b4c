"""Reports of stores with known contents: by figures, as JSON, on a terminal, as a page."""

from __future__ import annotations

import io
import json
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from kriegbot.cli.main import main
from referee import BERKELEY, PAPER_LIMITS
from tests.stores import changed
from tournaments.plots import Plot, histograms, short
from tournaments.presentation import page_of, plots_of, show_report, tables_of
from tournaments.report import Histogram, PairingReport, TournamentReport, decision_of, pairs_in_order, report_of
from tournaments.schedule import Pairing, Shard, TournamentSettings, round_robin
from tournaments.statistics import Sprt, elo, expected_utility_interval
from tournaments.store import Store

A, B, C = "paranoid:depth=2,samples=500", "overconfident:depth=1", "rand"
ANSWERS = [  # color, ply, seconds, samples, rescue: White makes a move of two answers and one of one, Black one
    ("white", 0, 0.5, 100, ""),
    ("white", 0, 0.25, 50, "replay"),
    ("black", 1, 2.0, 0, ""),
    ("white", 2, 0.25, 0, ""),
]


@dataclass(frozen=True)
class Played:
    """A game for a store: points of its pairing's first player, or who forfeited it and why."""

    points: float = 0.5
    pairing: int = 0
    reason: str = "checkmate"
    plies: int = 3
    failure: str = ""


def stored(
    path: Path,
    games: Sequence[Played | None],
    players: Sequence[str] = (A, B),
    wanted: int = 4,
    shard: Shard | None = None,
) -> Path:
    """Return a store of those games of each pairing in turn; None for one that is missing."""
    pairings = round_robin(players) if len(players) > 1 else (Pairing(players[0], players[0]),)
    settings = TournamentSettings(pairings, BERKELEY, PAPER_LIMITS, 7)
    numbers = [0] * len(pairings)
    with Store.writing(path, settings, wanted, shard) as store, store.connection:
        store.connection.execute("BEGIN")
        for played in games:
            pairing = played.pairing if played else 0
            number, numbers[pairing] = numbers[pairing], numbers[pairing] + 1
            if played:
                _add(store, played, number)
    return path


def _add(store: Store, played: Played, number: int) -> None:
    game = store.settings.game(played.pairing, number)
    white_points = played.points if number % 2 == 0 else 1 - played.points
    result = {0: "0-1", 0.5: "1/2-1/2", 1: "1-0"}[white_points]
    row = (game.id, game.pairing, number, game.seed, game.white, game.black, result, played.reason, "", played.plies)
    execute = store.connection.execute
    record = zlib.compress(f'[Result "{result}"]\n'.encode())
    execute(
        f"INSERT INTO games VALUES ({'?, ' * 13}?)", (*row, record, "python 3.13", "2025-01-01T00:00:00+00:00", 2.5)
    )
    for color, name, lost in (("white", game.white, white_points == 0), ("black", game.black, white_points == 1)):
        moves = 2 if color == "white" else 1
        failure = played.failure if lost else ""
        side = (game.id, color, name, moves, 3, moves - 1, 0, 1, 2, "{}", failure, "")
        execute(f"INSERT INTO sides VALUES ({'?, ' * 11}?)", side)
    for place, (color, ply, seconds, samples, rescue) in enumerate(ANSWERS):
        answer = (game.id, place, color, ply, seconds, seconds, samples, 0, 0, rescue, 0, 0)
        execute(f"INSERT INTO answers VALUES ({'?, ' * 11}?)", answer)


def reported(path: Path, sprt: Sprt | None = None) -> TournamentReport:
    with Store.open(path) as store:
        return report_of(store, sprt)


def pairing_of(path: Path, sprt: Sprt | None = None) -> PairingReport:
    return reported(path, sprt).pairings[0]


def text_of(report: TournamentReport, **arguments: object) -> str:
    out = io.StringIO()
    show_report(report, Console(file=out, width=80, **arguments))  # type: ignore[arg-type]  # any of Console's
    return out.getvalue()


@pytest.fixture(
    scope="module",
    params=[
        [],
        [Played(1)],
        [Played(1)] * 4,
        pytest.param([Played(0)] * 4, marks=pytest.mark.slow),
        pytest.param([Played(0.5, reason="ply limit")] * 4, marks=pytest.mark.slow),
        [Played(0, reason="forfeit", failure="raised <script>alert(1)</script>")],
        [None, Played(1)],
    ],
    ids=["no games", "one game", "all won", "all lost", "all drawn", "a forfeit", "half a pair"],
)
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> TournamentReport:
    return reported(stored(tmp_path_factory.mktemp("report") / "games.sqlite", request.param), Sprt(0, 10))


@pytest.fixture(scope="module")
def tags(report: TournamentReport) -> _Tags:
    """Return what is in the page of the report, under a title that has to be escaped."""
    page = page_of(report, title="<b>a & b</b>")
    assert "@import" not in page
    assert "url(" not in page.replace("url(#", "")
    parser = _Tags()
    parser.feed(page)
    return parser


def test_results_are_those_of_the_first_player_whichever_colour_it_has(tmp_path: Path) -> None:
    found = pairing_of(stored(tmp_path / "games.sqlite", [Played(1), Played(1), Played(0), Played(0.5), Played(1)]))
    assert (found.first, found.second) == (A, B)
    assert (found.standing.wins, found.standing.draws, found.standing.losses) == (3, 1, 1)
    assert (found.as_white.wins, found.as_white.draws, found.as_white.losses) == (2, 0, 1)
    assert (found.as_black.wins, found.as_black.draws, found.as_black.losses) == (1, 1, 0)
    assert found.standing.utility == pytest.approx(40)
    assert found.standing.utility_interval == pytest.approx(expected_utility_interval(1, 1, 3))
    assert found.standing.elo == elo((1, 1, 3))
    assert found.standing.draw_ratio == pytest.approx(0.2)


def test_a_player_can_meet_itself(tmp_path: Path) -> None:
    found = reported(stored(tmp_path / "games.sqlite", [Played(1), Played(0)], players=[C]))
    assert (found.pairings[0].as_white.wins, found.pairings[0].as_black.losses) == (1, 1)
    assert [(player.games, player.points) for player in found.players] == [(4, 2)]


def test_pairs_are_counted_where_both_games_are_there(tmp_path: Path) -> None:
    games = [Played(1), Played(1), Played(0.5), None, Played(1), Played(0), Played(0.5), Played(1)]
    found = pairing_of(stored(tmp_path / "games.sqlite", games, wanted=8)).pairs
    assert found is not None
    assert found.counts == (0, 0, 1, 1, 1)
    assert found.score == pytest.approx((1 + 0.5 + 0.75) / 3)
    assert found.elo == elo((0, 0, 1, 1, 1))


def test_a_test_takes_pairs_up_to_the_first_that_is_missing(tmp_path: Path) -> None:
    games = [Played(1), Played(1), Played(1), Played(0.5), None, Played(0), Played(0), Played(0)]
    path = stored(tmp_path / "games.sqlite", games, wanted=8)
    found = pairing_of(path, Sprt(0, 10)).test
    assert found is not None
    assert found.counts == (0, 0, 0, 1, 1)
    assert found.ratio == pytest.approx(Sprt(0, 10).log_likelihood_ratio((0, 0, 0, 1, 1)))
    assert found.decision is None
    assert pairing_of(path).test is None


def test_a_test_passes_over_pairs_that_were_given_up_or_are_of_another_part(tmp_path: Path) -> None:
    games = [None, Played(1), Played(1), Played(1)]
    with Store.writing(stored(tmp_path / "games.sqlite", games), _settings(), 4) as store:
        assert list(pairs_in_order(store, 0)) == []
        given_up = store.settings.game(0, 0).id
        store.connection.execute("INSERT INTO incidents VALUES (1, ?, 'now', 'was killed', 1)", (given_up,))
        assert list(pairs_in_order(store, 0)) == [2]
    part = stored(tmp_path / "part.sqlite", [None, None, Played(0), Played(0)], shard=Shard(2, 2))
    with Store.open(part) as store:
        assert list(pairs_in_order(store, 0)) == [0]
        assert (report_of(store).wanted, report_of(store).done) == (2, 2)


def test_what_is_played_after_a_decision_does_not_change_it(tmp_path: Path) -> None:
    test = Sprt(0, 200)
    won = [Played(1), Played(0.5)] * 40
    then_lost = [*won, *[Played(0)] * 120]
    decided, later = (
        pairing_of(stored(tmp_path / f"{len(games)}.sqlite", games, wanted=200), test).test
        for games in (won, then_lost)
    )
    assert decided is not None
    assert decided.decision == "H1"
    assert 0 < sum(decided.counts) < 40
    assert decided.ratio > decided.bounds[1]
    assert later == decided
    with Store.open(tmp_path / "200.sqlite") as store:
        assert decision_of(store, test) == "H1"
        assert decision_of(store, Sprt(0, 1)) is None


def _settings() -> TournamentSettings:
    return TournamentSettings(round_robin([A, B]), BERKELEY, PAPER_LIMITS, 7)


def test_a_player_is_measured_in_moves_and_answers(tmp_path: Path) -> None:
    first, second = reported(stored(tmp_path / "games.sqlite", [Played(1), Played(1)])).players
    # each had White once: moves of 0.75 s and 0.25 s; and Black once: a move of 2 s
    for player in (first, second):
        assert player.moves == 3
        assert player.illegal_a_move == pytest.approx(1 / 3)
        assert player.mean_samples == 75
        assert player.move_seconds == pytest.approx((0.75, 0.75 + 0.98 * 1.25))
        assert player.answer_seconds == pytest.approx((0.375, 0.5 + 0.97 * 1.5))
        assert sum(player.times.counts) == 3
        assert player.overruns == 2
        assert player.rescues == {"replay": 1}
        assert player.rescues_a_move == pytest.approx(1 / 3)
        assert player.inconsistent_a_move == pytest.approx(4 / 3)
        assert player.forfeits == 0
    assert (first.points, second.points) == (2, 0)


def test_a_players_answers_are_those_of_its_colour(tmp_path: Path) -> None:
    found = reported(stored(tmp_path / "games.sqlite", [Played(1)]))
    white, black = found.players
    assert (white.mean_samples, white.rescues, black.mean_samples, black.rescues) == (75, {"replay": 1}, None, {})
    assert white.answer_seconds == pytest.approx((0.25, 0.495))
    assert black.answer_seconds == pytest.approx((2, 2))
    times = next(table for table in tables_of(found) if table.title.startswith("Time in ms"))
    assert times.rows[1] == ("2", "2000.0", "2000.0", "2000.0", "2000.0")


def test_a_name_beside_a_plot_is_short_and_in_plain_letters() -> None:
    assert [short("rand"), short("\u2654"), short("y" * 50)] == ["rand", "\\u2654", "y" * 29 + "..."]


def test_a_player_whose_options_had_other_names_is_measured_all_the_same(tmp_path: Path) -> None:
    path = stored(tmp_path / "games.sqlite", [Played(1), Played(1)], ("paranoid:samples=9,resample=5", B))
    changed(path, "UPDATE sides SET player = replace(player, 'resample', 'further')")
    changed(path, "UPDATE pairings SET first = replace(first, 'resample', 'further')")
    first = reported(path).players[0]
    assert (first.player, first.games, first.moves) == ("paranoid:samples=9,resample=5", 2, 3)


def test_endings_lengths_and_times_are_of_a_pairing(tmp_path: Path) -> None:
    games = [Played(1, plies=41), Played(1, plies=60), Played(reason="ply limit", plies=160)]
    found = reported(stored(tmp_path / "games.sqlite", games))
    assert found.pairings[0].endings == {"checkmate": 2, "ply limit": 1}
    assert found.pairings[0].mean_plies == pytest.approx(87)
    assert found.pairings[0].seconds == found.seconds / 3 == 2.5
    plies = found.pairings[0].plies
    assert {low: count for low, count in zip(plies.edges[:-1], plies.counts, strict=True) if count} == {
        40: 1,
        60: 1,
        160: 1,
    }
    assert (found.done, found.wanted) == (3, 4)
    assert found.versions == {"python 3.13": 3}


def test_points_of_each_against_each(tmp_path: Path) -> None:
    games = [Played(1), Played(0.5), Played(1, pairing=1), Played(0, pairing=2)]
    found = reported(stored(tmp_path / "games.sqlite", games, players=[A, B, C]))
    assert found.points == ((None, 1.5, 1), (0.5, None, 0), (0, 1, None))
    assert [player.points for player in found.players] == [2.5, 0.5, 1]
    lines = text_of(found).splitlines()
    table = lines[lines.index(next(line for line in lines if line.startswith("Points against each"))) + 1 :]
    assert [line.split() for line in table[1:4]] == [
        ["1", "-", "1.5", "1", "2.5", "3"],
        ["2", "0.5", "-", "0", "0.5", "3"],
        ["3", "0", "1", "-", "1", "2"],
    ]


def test_two_players_need_no_cross_table(tmp_path: Path) -> None:
    assert "Points against each" not in text_of(reported(stored(tmp_path / "games.sqlite", [Played(1)])))


@pytest.mark.slow
def test_forfeits_and_incidents_say_which_game_and_why(tmp_path: Path) -> None:
    games = [Played(1), Played(1, reason="forfeit", failure="raised ValueError: no such square")]
    path = stored(tmp_path / "games.sqlite", games)
    with Store.writing(path, _settings(), 4) as store:
        store.connection.execute("INSERT INTO incidents VALUES (1, 3, '2025-01-01T10:00:00', 'signal 9', 1)")
    found = reported(path)
    assert [(lost.game, lost.player, lost.color) for lost in found.forfeits] == [(2, B, "white")]
    assert [player.forfeits for player in found.players] == [0, 1]
    assert [(incident.game, incident.quarantined) for incident in found.incidents] == [(3, True)]
    for text in (text_of(found), page_of(found)):
        assert "raised ValueError: no such square" in text
        assert "signal 9 (game given up)" in text


def test_a_failure_after_the_end_is_told_and_is_no_forfeit(tmp_path: Path) -> None:
    path = stored(tmp_path / "games.sqlite", [Played(0, reason="checkmate", failure="raised OSError: read-only")])
    found = reported(path)
    assert [player.forfeits for player in found.players] == [0, 0]
    assert "raised OSError: read-only" in text_of(found)
    assert "forfeited" not in text_of(found)


def test_a_report_is_json_of_finite_numbers(report: TournamentReport) -> None:
    loaded = json.loads(json.dumps(report.as_json(), allow_nan=False))
    assert (loaded["rules"], loaded["seed"]) == ("berkeley", str(report.seed))
    assert loaded["pairings"][0]["first"] == A
    assert loaded["pairings"][0]["standing"]["wins"] == report.pairings[0].standing.wins
    assert loaded["pairings"][0]["test"]["bounds"] == pytest.approx([-2.944, 2.944], abs=0.001)


def test_a_report_fits_80_columns_in_plain_letters(report: TournamentReport) -> None:
    text = text_of(report)
    assert f"Player 1     {A}" in text
    assert "Results of the first player" in text
    assert max(map(len, text.splitlines())) <= 80
    assert text.isascii()


@pytest.mark.slow
def test_a_page_is_whole_and_asks_for_nothing_from_elsewhere(tags: _Tags) -> None:
    assert not tags.open
    assert not tags.kinds & {"script", "link", "img", "iframe", "b", "image"}
    assert not [value for value in tags.addresses if not value.startswith("#")]
    assert len(set(tags.ids)) == len(tags.ids)


def test_what_players_wrote_is_shown_and_never_obeyed(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script> [red]x[/red] $\\frac{1}{0}$ \x1b[31m"
    path = stored(tmp_path / "games.sqlite", [Played(1, reason="forfeit", failure=evil)], players=[A, f"x:{evil}"])
    page, text = page_of(reported(path)), text_of(reported(path), force_terminal=True)
    assert "<script" not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 2
    assert "[red]x[/red]" in text
    assert "\x1b[31m" not in text


def test_shares_are_shown_in_percent(tmp_path: Path) -> None:
    found = reported(stored(tmp_path / "games.sqlite", [Played(1), Played(1), Played(0.5), Played(0)]))
    results, standing = tables_of(found)[0], found.pairings[0].standing
    assert standing.superiority is not None
    expected = ("1 - 2", "2", "1", "1", "+25.0", f"{100 * standing.superiority:.1f}", "25.0")
    assert (*results.rows[0][:5], *results.rows[0][-2:]) == expected


def labels_of(plot: Plot) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(plot.svg) if element.tag.endswith("text")]


@pytest.mark.parametrize(
    ("last", "ticks"), [(4, range(5)), (10, range(0, 11, 2)), (25, range(0, 26, 5)), (40, range(0, 41, 10))]
)
def test_ticks_are_1_2_5_or_10_apart_and_at_most_7(last: int, ticks: range) -> None:
    counted = Histogram(tuple(range(last + 1)), (1,) * last)
    plot = histograms("Title", ("plies", "games"), {"1": counted}, {"1": "rand"}, is_log=False)
    assert [text for text in labels_of(plot) if text.isdecimal()] == [*map(str, ticks), "0", "1"]


def test_times_are_shown_on_a_scale_of_powers_of_ten(tmp_path: Path) -> None:
    *_, times = plots_of(reported(stored(tmp_path / "games.sqlite", [Played(1)])))
    assert times.title == "Time of moves"
    assert [text for text in labels_of(times) if text in ("0.1", "0.2", "0.5", "1", "1.5", "2", "10")] == ["1", "1"]


@pytest.mark.slow
def test_plots_are_svg_with_a_text_for_those_who_do_not_see_them(tmp_path: Path) -> None:
    games = [Played(1), Played(0.5), Played(1)]
    found = reported(stored(tmp_path / "games.sqlite", games))
    plots = plots_of(found)
    assert [plot.title for plot in plots] == [
        "Games won, drawn and lost by the first player",
        "Score of the first player, with 95% interval",
        "Length of games",
        "Time of moves",
    ]
    for plot in plots:
        element = ElementTree.fromstring(plot.svg)
        assert element.tag.endswith("svg")
        assert element.get("role") == "img"
        assert (element.get("aria-label") or "").startswith(plot.title)
    assert "1 - 2: 2 won, 1 drawn, 0 lost" in plots[0].svg
    assert plots == plots_of(found)


def test_no_games_make_no_plots(tmp_path: Path) -> None:
    found = reported(stored(tmp_path / "games.sqlite", []))
    assert plots_of(found) == []
    assert (found.done, found.seconds, found.pairings[0].standing.utility) == (0, 0, None)


def test_a_report_needs_no_plotting_library_and_explains_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = stored(tmp_path / "games.sqlite", [Played(1)]), tmp_path / "report.html"
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["report", str(path), "--html", str(out)]) == 0
    assert capsys.readouterr().out == f"Written to {out}.\n"
    page, text = out.read_text(encoding="utf-8"), text_of(reported(path))
    assert page.count("<svg") == 4
    for word in ("EU: ", "Elo: ", "(LOS, ", "rescues: ", "inconsistent: ", "late: "):
        assert word in " ".join(text.split())
        assert word in page


@pytest.mark.slow
def test_the_contents_of_a_page_lead_to_every_table_and_plot(report: TournamentReport, tags: _Tags) -> None:
    wanted = [f"part{at}" for at in range(len(tables_of(report)) + len(plots_of(report)))]
    assert len(wanted) > 0
    assert [address for address in tags.addresses if address.startswith("#part")] == [f"#{id_}" for id_ in wanted]
    assert [id_ for id_ in tags.ids if id_.startswith("part")] == wanted


@pytest.mark.slow
def test_plots_name_the_players(tmp_path: Path) -> None:
    names = ["x:$a$ <b>\u2654", "y" * 50]
    plots = plots_of(reported(stored(tmp_path / "games.sqlite", [Played(1), Played(0)], players=names)))
    assert len(plots) == 4
    for plot in plots:
        text = "".join(ElementTree.fromstring(plot.svg).itertext())
        assert "x:$a$ <b>\\u2654" in text
        assert "y" * 25 in text
        assert "y" * 35 not in text


def test_a_hundred_per_cent_is_shown_as_a_bound(tmp_path: Path) -> None:
    won, lost = (stored(tmp_path / f"{points}.sqlite", [Played(points)] * 20) for points in (1, 0))
    assert "above +287" in text_of(reported(won))
    assert "below -287" in text_of(reported(lost))


def test_a_long_list_is_cut_on_a_terminal_only(tmp_path: Path) -> None:
    found = reported(stored(tmp_path / "games.sqlite", [Played(1, reason="forfeit", failure="gave up")]))
    many = replace(found, forfeits=found.forfeits * 60)
    assert "and 10 more" in text_of(many)
    assert page_of(many).count("gave up") == 60


class _Tags(HTMLParser):
    """The parts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.kinds: set[str] = set()
        self.addresses: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.kinds.add(tag)
        if tag not in {"meta", "br"}:
            self.open.append(tag)
        self._note(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.kinds.add(tag)
        self._note(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def _note(self, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.addresses += [named[name] or "" for name in ("href", "src", "xlink:href") if name in named]
        self.ids += [named["id"] or ""] if "id" in named else []
