"""The tables of a report, cell by cell as text, the same at a terminal, where it is shown from here, and on a page.

Players are numbered, as in chess cross tables, because their specs are long.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from referee.text import one_line
from tournaments.report import PairingReport, Standing, Tested, TournamentReport
from tournaments.statistics import Elo

NOTHING = "-"  # stands for a missing figure
MOST_ROWS = 50  # rows shown of each table at a terminal; the page and the JSON have all


@dataclass(frozen=True, slots=True)
class Table:
    """A title, column headings, rows of cells; `prose`: whether the last column is text instead of numbers."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    prose: bool = False


def show_report(report: TournamentReport, console: Console | None = None) -> None:
    """Writes a report to a console, by default on stdout."""
    console = console or Console(highlight=False)
    settings = Grid.grid(padding=(0, 2))
    for name, value in settings_of(report):
        settings.add_row(Text(name, "bold"), Text(one_line(value)))
    console.print(settings)
    for table in tables_of(report):
        console.print()
        show_table(table, console)


def show_table(table: Table, console: Console) -> None:
    """Writes a table with its title to a console."""
    console.print(Text(table.title, "bold"))
    console.print(_grid(table, console.is_terminal))
    if len(table.rows) > MOST_ROWS:
        console.print(f"  and {len(table.rows) - MOST_ROWS} more")


def _grid(table: Table, is_ruled: bool) -> Grid:
    """A table for rich; its text comes from players, and is shown without markup."""
    grid = Grid(box=box.SIMPLE_HEAD if is_ruled else None, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    last = len(table.headings) - 1
    for place, heading in enumerate(table.headings):
        is_text = place == 0 or (table.prose and place == last)
        grid.add_column(Text(heading), justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
    for row in table.rows[:MOST_ROWS]:
        grid.add_row(*(Text(one_line(cell)) for cell in row))
    return grid


def settings_of(report: TournamentReport) -> list[tuple[str, str]]:
    """What was played, as pairs of name and text."""
    limits = [f"{report.plies} plies"] if report.plies else []
    limits += [f"{report.quiet} without pawn move or capture"] if report.quiet else []
    part = "" if report.shard == "1/1" else f", part {report.shard} of the tournament"
    mean = f", {report.seconds / report.done:.1f} s of play a game" if report.done else ""
    return [
        ("Rules", report.rules),
        ("Drawn after", " or ".join(limits) or "no limit"),
        ("Seed", str(report.seed)),
        ("Games", f"{report.done} of {report.wanted}{part}{mean}"),
        *(("Played with", f"{versions} ({games} games)") for versions, games in report.versions.items()),
        *((f"Player {number}", player.player) for number, player in enumerate(report.players, 1)),
    ]


def tables_of(report: TournamentReport) -> list[Table]:
    """All tables that have something to show."""
    every = [
        _results(report),
        _cross_table(report),
        _pairs(report),
        _tests(report),
        _colors(report),
        _endings(report),
        _thinking(report),
        _times(report),
        _forfeits(report),
        _incidents(report),
    ]
    return [table for table in every if table and table.rows]


def names_of(report: TournamentReport) -> dict[str, str]:
    """Spec -> the player's number."""
    return {player.player: str(number) for number, player in enumerate(report.players, 1)}


def titled(report: TournamentReport, are_played: bool = True) -> dict[str, PairingReport]:
    """The pairings that have been played, or all, by their players' numbers."""
    names = names_of(report)
    pairings = [pairing for pairing in report.pairings if pairing.standing.games or not are_played]
    return {f"{names[pairing.first]} - {names[pairing.second]}": pairing for pairing in pairings}


def _results(report: TournamentReport) -> Table:
    rows = [(title, *_standing(pairing.standing)) for title, pairing in titled(report, are_played=False).items()]
    headings = ("", "won", "drawn", "lost", "EU %", "95 %", "Elo", "LOS %", "draws %")
    return Table("Results of the first player", headings, rows)


def _standing(standing: Standing) -> tuple[str, ...]:
    return (
        str(standing.wins),
        str(standing.draws),
        str(standing.losses),
        _number(standing.utility, "+.1f"),
        " ".join(_number(end, "+.1f") for end in standing.utility_interval or (None,)),
        _elo(standing.elo, (standing.wins + standing.draws / 2) / max(1, standing.games)),
        _number(standing.superiority, ".1f", 100),
        _number(standing.draw_ratio, ".1f", 100),
    )


def _elo(difference: Elo | None, score: float) -> str:
    """Elo with its error; where all games were won or lost, its lower or upper bound."""
    if difference is None:
        return NOTHING
    if score in (0, 1):
        return f"above {difference.low:+.0f}" if score else f"below {difference.high:+.0f}"
    return f"{difference.difference:+.1f} +- {difference.error:.1f}"


def _cross_table(report: TournamentReport) -> Table:
    rows = [
        (str(number), *(_number(cell, "g") for cell in points), f"{player.points:g}", str(player.games))
        for number, (player, points) in enumerate(zip(report.players, report.points, strict=True), 1)
        if len(report.players) > 2
    ]
    return Table("Points against each", ("", *names_of(report).values(), "all", "games"), rows)


def _pairs(report: TournamentReport) -> Table:
    rows = []
    for title, pairing in titled(report).items():
        if pairs := pairing.pairs:
            figures = f"{pairs.score:.3f}", f"{pairs.variance:.4f}", _elo(pairs.elo, pairs.score)
            rows.append((title, *map(str, pairs.counts), *figures))
    headings = ("", "0", "1/2", "1", "3/2", "2", "score", "variance", "Elo")
    return Table("Pairs of games with exchanged colours, by points", headings, rows)


def _tests(report: TournamentReport) -> Table | None:
    tests = {title: pairing.test for title, pairing in titled(report, are_played=False).items() if pairing.test}
    for test in tests.values():
        hypotheses = f"H0 {test.elo0:g} against H1 {test.elo1:g}, alpha {test.alpha:g}, beta {test.beta:g}"
        headings = ("", "pairs", "LLR", "bounds", "accepted")
        return Table(f"SPRT in normalized Elo, {hypotheses}", headings, [(t, *_test(one)) for t, one in tests.items()])
    return None


def _test(test: Tested) -> tuple[str, ...]:
    low, high = test.bounds
    return str(sum(test.counts)), f"{test.ratio:+.2f}", f"{low:+.2f} {high:+.2f}", test.decision or "neither yet"


def _colors(report: TournamentReport) -> Table:
    rows = [
        (title, *_counts_and_utility(pairing.as_white), *_counts_and_utility(pairing.as_black))
        for title, pairing in titled(report).items()
    ]
    return Table("By colour: won - drawn - lost", ("", "with White", "EU %", "with Black", "EU %"), rows)


def _counts_and_utility(standing: Standing) -> tuple[str, str]:
    return f"{standing.wins} - {standing.draws} - {standing.losses}", _number(standing.utility, "+.1f")


def _endings(report: TournamentReport) -> Table:
    rows = [
        (title, _number(pairing.mean_plies, ".1f"), _number(pairing.seconds, ".1f"), _listed(pairing.endings))
        for title, pairing in titled(report).items()
    ]
    return Table("How games ended", ("", "mean plies", "s a game", "endings"), rows, prose=True)


def _thinking(report: TournamentReport) -> Table:
    rows = [
        (
            str(number),
            str(player.moves),
            _number(player.illegal_a_move, ".3f"),
            _number(player.mean_samples, ".1f"),
            _number(player.rescues_a_move, ".4f"),
            _number(player.astray_a_move, ".4f"),
            str(player.overruns),
            str(player.forfeits),
            _listed(player.rescues),
        )
        for number, player in enumerate(report.players, 1)
        if player.games
    ]
    headings = ("", "moves", "illegal", "samples", "rescues", "astray", "late", "forfeits", "rescues by")
    title = "Players: illegal tries a move, samples an answer, rescues and astray answers a move, late answers"
    return Table(title, headings, rows, prose=True)


def _times(report: TournamentReport) -> Table:
    rows = []
    for number, player in enumerate(report.players, 1):
        if player.games:
            spans = (player.move_seconds or (None, None)), (player.answer_seconds or (None, None))
            rows.append((str(number), *(_number(value, ".1f", 1000) for span in spans for value in span)))
    headings = ("", "median move", "99 %", "median answer", "99 %")
    return Table("Time in ms, of a move and of each answer", headings, rows)


def _forfeits(report: TournamentReport) -> Table:
    names = names_of(report)
    rows = [(str(lost.game), names.get(lost.player, lost.player), lost.failure) for lost in report.forfeits]
    return Table("Failures", ("game", "player", "what it did"), rows, prose=True)


def _incidents(report: TournamentReport) -> Table:
    rows = [
        (str(incident.game), incident.at, incident.what + " (game given up)" * incident.quarantined)
        for incident in report.incidents
    ]
    return Table("Processes that died", ("game", "when", "what"), rows, prose=True)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _number(value: float | None, form: str, factor: float = 1) -> str:
    return NOTHING if value is None else format(factor * value, form)
