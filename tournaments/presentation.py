"""A report as tables at a terminal and as one page with plots. Players have numbers, because their specs are long."""

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from string import Template
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from referee.text import one_line
from tournaments.plots import DRAWN, LOST, WON, Plot, Row, histograms, rows_plot, short
from tournaments.report import PairingReport, Standing, TournamentReport
from tournaments.statistics import Elo

NOTHING = "-"  # stands for a missing figure
MOST_ROWS = 50  # rows shown of each table at a terminal; the page and the JSON have all


class Table(NamedTuple):
    """A table. prose: True if the last column is text instead of numbers. notes: what its figures mean, a line each."""

    title: str
    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    prose: bool = False
    notes: Sequence[str] = ()


def show_report(report: TournamentReport, console: Console | None = None) -> None:
    """Write a report to a console, by default on stdout."""
    console = console or Console(highlight=False)
    settings = Grid.grid(padding=(0, 2))
    for name, value in settings_of(report):
        settings.add_row(Text(name, "bold"), Text(one_line(value)))
    console.print(settings)
    for table in tables_of(report):
        console.print()
        show_table(table, console)


def show_table(table: Table, console: Console) -> None:
    """Write a table with its title to a console."""
    edges = box.SIMPLE_HEAD if console.is_terminal else None
    grid = Grid(box=edges, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    last = len(table.headings) - 1
    for place, heading in enumerate(table.headings):
        is_text = place == 0 or (table.prose and place == last)
        grid.add_column(Text(heading), justify="left" if is_text else "right", no_wrap=not is_text, overflow="fold")
    for row in table.rows[:MOST_ROWS]:
        grid.add_row(*(Text(one_line(cell)) for cell in row))
    console.print(Text(table.title, "bold"))
    console.print(grid)
    if len(table.rows) > MOST_ROWS:
        console.print(f"  and {len(table.rows) - MOST_ROWS} more")
    for note in table.notes:
        console.print(Text(note, "dim"))


def page_of(report: TournamentReport, title: str = "Kriegspiel tournament") -> str:
    """Return the page, in HTML."""
    parts = {}  # by title
    for number, table in enumerate(tables_of(report)):
        head = "".join(f"<th scope=col>{escape(heading)}</th>" for heading in table.headings)
        kind = ' class="prose"' if table.prose else ""
        notes = "".join(f"<br>{escape(note)}" for note in table.notes).removeprefix("<br>")
        parts[table.title] = (
            f'<h2 id="part{number}">{escape(table.title)}</h2>\n<div class="wide"><table{kind}><thead><tr>{head}</tr>'
            f"</thead>\n<tbody>\n{_rows(table.rows)}</tbody></table></div>\n{f'<p>{notes}</p>' * bool(notes)}\n"
        )
    for plot in plots_of(report):
        caption = f"<figcaption>{escape(plot.title)}</figcaption>"
        parts[plot.title] = f'<figure id="part{len(parts)}">{caption}\n{plot.svg}</figure>\n'
    template = files("tournaments").joinpath("report.html").read_text("utf-8")
    return Template(template).substitute(
        title=escape(title),
        settings=_rows(settings_of(report)),
        contents="".join(f'<li><a href="#part{at}">{escape(name)}</a></li>\n' for at, name in enumerate(parts)),
        parts="".join(parts.values()),
    )


def _rows(rows: Sequence[tuple[str, ...]]) -> str:
    return "".join(
        f"<tr><th scope=row>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>\n"
        for name, *cells in rows
    )


def settings_of(report: TournamentReport) -> list[tuple[str, str]]:
    """Return settings, games done and versions as pairs of name and value."""
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
    """Return all tables that have rows."""
    makers = _results, _cross_table, _pairs, _tests, _colors, _endings, _players, _times, _forfeits, _incidents
    return [table for make in makers if (table := make(report)).rows]


def numbers_of(report: TournamentReport) -> dict[str, str]:
    """Return the number of each player by its spec."""
    return {player.player: str(number) for number, player in enumerate(report.players, 1)}


def pairings_by_title(report: TournamentReport, are_played: bool = True) -> dict[str, PairingReport]:
    """Return the pairings that have games, or all, by their players' numbers such as "1 - 2"."""
    names, pairings = numbers_of(report), report.pairings
    titles = {f"{names[pairing.first]} - {names[pairing.second]}": pairing for pairing in pairings}
    return {title: one for title, one in titles.items() if one.standing.games or not are_played}


def _results(report: TournamentReport) -> Table:
    rows = []
    for title, pairing in pairings_by_title(report, are_played=False).items():
        standing = pairing.standing
        score = (standing.wins + standing.draws / 2) / max(1, standing.games)
        counts = map(str, (standing.wins, standing.draws, standing.losses))
        interval = " ".join(_number(end, "+.1f") for end in standing.utility_interval or (None,))
        shares = _number(standing.superiority, ".1f", 100), _number(standing.draw_ratio, ".1f", 100)
        rows.append((title, *counts, _number(standing.utility, "+.1f"), interval, _elo(standing.elo, score), *shares))
    headings = ("", "won", "drawn", "lost", "EU %", "95%", "Elo", "stronger %", "draws %")
    notes = (
        "EU: expected utility, 100 (wins - losses) / games; 95%: its 95% interval.",
        "Elo: the difference in strength that the score means, +- half the width of its 95% interval.",
        "stronger: the chance that the first player is the stronger one (LOS, likelihood of superiority).",
    )
    return Table("Results of the first player", headings, rows, notes=notes)


def _elo(difference: Elo | None, score: float) -> str:
    """Format Elo with its error; if all games were won or lost, its lower or upper bound."""
    if difference is None:
        return NOTHING
    if score in (0, 1):
        return f"above {difference.low:+.0f}" if score else f"below {difference.high:+.0f}"
    return f"{difference.difference:+.1f} +- {difference.error:.1f}"


def _cross_table(report: TournamentReport) -> Table:
    numbers = numbers_of(report).values()
    rows = [
        (number, *(_number(cell, "g") for cell in points), f"{player.points:g}", str(player.games))
        for number, player, points in zip(numbers, report.players, report.points, strict=True)
        if len(numbers) > 2
    ]
    return Table("Points against each", ("", *numbers, "all", "games"), rows)


def _pairs(report: TournamentReport) -> Table:
    rows = [
        (title, *map(str, pairs.counts), f"{pairs.score:.3f}", f"{pairs.variance:.4f}", _elo(pairs.elo, pairs.score))
        for title, pairing in pairings_by_title(report).items()
        if (pairs := pairing.pairs)
    ]
    headings = ("", "0", "1/2", "1", "3/2", "2", "score", "variance", "Elo")
    return Table("Pairs of games with exchanged colours, by points", headings, rows)


def _tests(report: TournamentReport) -> Table:
    rows, hypotheses = [], ""
    for title, pairing in pairings_by_title(report, are_played=False).items():
        if test := pairing.test:
            hypotheses = f"H0 {test.elo0:g} against H1 {test.elo1:g}, alpha {test.alpha:g}, beta {test.beta:g}"
            bounds = "{:+.2f} {:+.2f}".format(*test.bounds)
            rows.append((title, str(sum(test.counts)), f"{test.ratio:+.2f}", bounds, test.decision or "neither yet"))
    return Table(f"SPRT in normalized Elo, {hypotheses}", ("", "pairs", "LLR", "bounds", "accepted"), rows)


def _colors(report: TournamentReport) -> Table:
    rows = []
    for title, pairing in pairings_by_title(report).items():
        by_color = pairing.as_white, pairing.as_black
        cells = [(f"{one.wins} - {one.draws} - {one.losses}", _number(one.utility, "+.1f")) for one in by_color]
        rows.append((title, *cells[0], *cells[1]))
    return Table("By colour: won - drawn - lost", ("", "with White", "EU %", "with Black", "EU %"), rows)


def _endings(report: TournamentReport) -> Table:
    rows = [
        (title, _number(pairing.mean_plies, ".1f"), _number(pairing.seconds, ".1f"), _listed(pairing.endings))
        for title, pairing in pairings_by_title(report).items()
    ]
    return Table("How games ended", ("", "mean plies", "s a game", "endings"), rows, prose=True)


def _players(report: TournamentReport) -> Table:
    rows = []
    for number, player in enumerate(report.players, 1):
        if player.games:
            row = [str(number), str(player.moves), _number(player.illegal_a_move, ".3f")]
            row += [_number(player.mean_samples, ".1f"), _number(player.rescues_a_move, ".4f")]
            row += [_number(player.inconsistent_a_move, ".4f"), str(player.overruns), str(player.forfeits)]
            rows.append((*row, _listed(player.rescues)))
    headings = ("", "moves", "illegal", "samples", "rescues", "inconsistent", "late", "forfeits", "rescues by")
    title = "Players: illegal tries, rescues and inconsistent beliefs a move, samples an answer, late answers"
    notes = (
        "rescues: answers before which the player's sampled belief had run empty and was filled anew, by means of:",
        "  replay: earlier boards with more samples; perturbed, blind: boards that fit the last announcements.",
        "inconsistent: answers from boards that may contradict an announcement, as after the last two.",
        "late: answers after the time allowed for them.",
    )
    return Table(title, headings, rows, prose=True, notes=notes)


def _times(report: TournamentReport) -> Table:
    rows = [
        (str(number), *(_number(value, ".1f", 1000) for span in spans for value in span or (None, None)))
        for number, player in enumerate(report.players, 1)
        if (spans := (player.move_seconds, player.answer_seconds)) and player.games
    ]
    headings = ("", "median move", "99%", "median answer", "99%")
    return Table("Time in ms, of a move and of each answer", headings, rows)


def _forfeits(report: TournamentReport) -> Table:
    names = numbers_of(report)
    rows = [(str(lost.game), names[lost.player], lost.failure) for lost in report.forfeits]
    return Table("Failures", ("game", "player", "failure"), rows, prose=True)


def _incidents(report: TournamentReport) -> Table:
    rows = [(str(one.game), one.at, one.what + " (game given up)" * one.quarantined) for one in report.incidents]
    return Table("Processes that died", ("game", "when", "cause"), rows, prose=True)


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _number(value: float | None, form: str, factor: float = 1) -> str:
    return NOTHING if value is None else format(factor * value, form)


def plots_of(report: TournamentReport) -> list[Plot]:
    """Return all plots that have data; the same figures give the same SVG."""
    played, plots = pairings_by_title(report), list[Plot]()
    names = {title: f"{short(pairing.first)} - {short(pairing.second)}" for title, pairing in played.items()}
    names |= {number: short(player) for player, number in numbers_of(report).items()}
    if played:
        standings = {title: pairing.standing for title, pairing in played.items()}
        lengths = {title: pairing.plies for title, pairing in played.items()}
        plots += [_results_plot(standings, names), _scores_plot(standings, names)]
        plots.append(histograms("Length of games", ("plies", "games"), lengths, names, is_log=False))
    times = {str(at): player.times for at, player in enumerate(report.players, 1) if sum(player.times.counts)}
    if times:
        labels = "seconds, all answers of a move together", "moves"
        plots.append(histograms("Time of moves", labels, times, names, is_log=True))
    return plots


def _results_plot(results: dict[str, Standing], names: Mapping[str, str]) -> Plot:
    rows, texts = [], []
    for title, standing in results.items():
        texts.append(f"{title}: {standing.wins} won, {standing.draws} drawn, {standing.losses} lost")
        counts = zip(reversed(standing.counts), (WON, DRAWN, LOST), strict=True)
        bars = [(100 * count / standing.games, color, str(count)) for count, color in counts]
        rows.append(Row(title, names[title], bars))
    title, legend = "Games won, drawn and lost by the first player", {"won": WON, "drawn": DRAWN, "lost": LOST}
    return rows_plot(title, "% of games", rows, range(0, 101, 20), texts, legend)


def _scores_plot(results: dict[str, Standing], names: Mapping[str, str]) -> Plot:
    rows, texts = [], []
    for title, standing in results.items():
        score, (low, high) = standing.utility or 0.0, standing.utility_interval or (0.0, 0.0)
        texts.append(f"{title}: {score:+.1f}, {low:+.1f} to {high:+.1f}")
        rows.append(Row(title, names[title], points=[(score, low, high, WON)]))
    label = "EU, 100 (wins - losses) / games, in %"
    return rows_plot("Score of the first player, with 95% interval", label, rows, range(-100, 101, 50), texts, {})
