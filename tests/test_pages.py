"""The pages say what data and code say, and `scripts/check` notices if they do not."""

import re
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import figures
import measurements
import pages
import pytest
from measurements import TABLE, Measurement
from numbers_in_text import part, word

ROW = Measurement("rook", "mated", "94.0", "89.8", "96.5", "%", games="200", command="mate", version="0.3.0")
MATCH = Measurement("rook", won="74", drawn="6", lost="20", version="0.3.0", trial="110")
ROOT = Path(__file__).parents[1]
PAGE = """
| ending | mated | points | games | remark |
|---|---|---|---|---|
| rook<!--rook--> | 1% | | 7 | stays |
"""


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> dict[str, Measurement]:
    """Return the figures of the only key of the table."""
    rows = {"mated": ROW}
    monkeypatch.setattr(figures, "table", lambda: {"rook": rows})
    return rows


PINNED = re.findall(r"^typer==(.*)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall("[0-9]+", text)]


@pytest.mark.skipif(_numbers(version("typer")) < _numbers(*PINNED), reason="an older typer prints other help")
def test_the_pages_say_what_data_and_code_say() -> None:
    assert pages.problems_of(may_write=False) == []


def test_a_row_gets_its_figures_and_keeps_the_rest(rows: dict[str, Measurement]) -> None:
    assert "| rook<!--rook--> | 94.0% (89.8 to 96.5) | | 200 | stays |" in figures.filled("a.md", PAGE, "0.3.0")
    rows["result"] = MATCH
    assert "| 94.0% (89.8 to 96.5) | 77% (68 to 84) | | stays |" in figures.filled("a.md", PAGE, "0.3.0")


def test_a_figure_of_another_version_is_refused_unless_its_row_names_it(rows: dict[str, Measurement]) -> None:
    assert rows
    with pytest.raises(figures.Wrong, match=r"'rook' is of version 0.3.0; name it in the row"):
        figures.filled("a.md", PAGE, "0.4.0")
    assert "0.3.0" in figures.filled("a.md", PAGE.replace("remark", "version"), "0.4.0")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (PAGE.replace("<!--rook-->", "<!--root-->"), "a.md:4: measurements.csv has no key 'root'."),
        (PAGE.replace("| mated | points | games |", "| a | b | c |"), "no heading names a figure of 'rook'"),
        ("\n<!--figure-9-->\n\n    1 of 2\n", "there is no block 'figure-9'"),
    ],
)
def test_what_cannot_be_written_is_named(page: str, message: str, rows: dict[str, Measurement]) -> None:
    assert rows
    with pytest.raises(figures.Wrong, match=message):
        figures.filled("a.md", page, "0.3.0")


@pytest.mark.parametrize("figure", ["12.5%", "3 - 0 - 1", "+3 ± 2", "(9 to 18)", "500 of 500"])
def test_a_figure_written_by_hand_is_found(figure: str, rows: dict[str, Measurement]) -> None:
    assert rows
    assert figures.unbacked("a.md", PAGE.replace("stays", f"it is {figure}, `5%`")) == [figure]
    assert figures.unbacked("a.md", PAGE) == []


def test_a_number_in_a_sentence_follows_its_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "NUMBERS", {"a.md": [("on {} boards, or {} of", 1200, "half")]})
    sentence = "It looks on {}\nboards, or {} of all."
    assert figures.with_numbers("a.md", sentence.format(300, "third")) == sentence.format("1,200", "half")
    with pytest.raises(figures.Wrong, match="no sentence says 'on"):
        figures.with_numbers("a.md", "It looks at 300 boards.")


@pytest.mark.parametrize(("won", "problems"), [("58", 0), ("59", 1)])
def test_a_figure_that_its_trial_has_not_is_named(won: str, problems: int, monkeypatch: pytest.MonkeyPatch) -> None:
    row = replace(MATCH, won=won, drawn="4", lost="48")
    monkeypatch.setattr(measurements, "read", lambda: [row])
    wrong = f"measurements.csv: 'rook' has {won} - 4 - 48 of trial 110, whose row has not"
    assert figures.unlike_trials() == problems * [wrong]


def test_a_benchmark_replaces_its_rows_of_the_same_version(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text(TABLE.read_text("utf-8").splitlines()[0] + "\n")
    for row in (ROW, MATCH, replace(ROW, version="0.2.0"), replace(ROW, value="95.0")):
        measurements.add([replace(row, commit="abc")], table)
    written = [(row.what, row.value, row.version) for row in measurements.read(table)]
    assert written == [("result", "", "0.3.0"), ("mated", "94.0", "0.2.0"), ("mated", "95.0", "0.3.0")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (word(10), "ten"),
        (word(1234), "1,234"),
        (part(1 / 60), "sixtieth"),
        (part(0.35), "7/20"),
    ],
)
def test_numbers_are_words_where_there_is_a_short_one(text: str, expected: str) -> None:
    assert text == expected
