"""The puzzles in a browser, and as the server answers."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")
from kriegbot.narration.learning import PUZZLE_KINDS, puzzles
from tests.browser import Page, chromium
from tests.page import served

pytestmark = pytest.mark.slow
ALL = puzzles()


def first_of(kind: str, after: int = 0) -> int:
    """Return the number of the first puzzle of a kind after another."""
    return next(number for number, puzzle in enumerate(ALL, 1) if puzzle.kind == kind and number > after)


def choose(page: Page, kind: str) -> None:
    page.click(f"#puzzle-kind option[value={kind}]")
    page.until_text("#puzzle-title", PUZZLE_KINDS[kind])


def answer(page: Page, number: int) -> None:
    puzzle = ALL[number - 1]
    code = puzzle.answers[0]
    page.until_text("#puzzle-about", f"number {number}.")
    page.until_text("#puzzle-task", puzzle.task)
    if puzzle.kind == "capture":
        page.click(f"#puzzle-{code}")
        return
    for square in (code,) if puzzle.kind == "king" else (code[:2], code[2:4]):
        page.click(f"#puzzle-board [data-square={square}]")


@pytest.mark.browser
@pytest.mark.parametrize("is_phone", [False, True])
def test_puzzles_of_each_kind_are_solved_in_a_browser_and_stay_so(is_phone: bool, tmp_path: Path) -> None:
    size = (390, 844) if is_phone else (1280, 757)
    with served(tmp_path) as server, chromium(server.address, *size, is_phone=is_phone) as page:
        page.click("#new a[href='#puzzles']")
        page.until_text("#puzzle-task", ALL[0].task)
        for kind in PUZZLE_KINDS:
            choose(page, kind)
            number = first_of(kind)
            assert page.text("#puzzle-comment") == ""
            assert not page.driver.find_elements("css selector", "#puzzle-board small")
            answer(page, number)
            page.until_text("#puzzle-comment", ALL[number - 1].judge(ALL[number - 1].answers[0]).explanation)
            page.one("#puzzle-board small")
            assert page.run("return document.documentElement.scrollWidth <= innerWidth")
            assert page.nameless("#puzzles :is(button, input, select):not([hidden])") == []
            page.click("#puzzle-next")
            page.until_text("#puzzle-about", f"number {first_of(kind, number)}.")
        page.driver.refresh()  # what was solved, and the kind, are kept
        page.until_text("#puzzle-about", f"number {first_of('capture', first_of('capture'))}.")


@pytest.mark.browser
def test_what_to_train_leads_to_puzzles_of_that_kind(tmp_path: Path) -> None:
    played = {"day": "2026-01-01", "opponent": "kriegbot:level=club", "points": 1, "help": ""}
    looked_at = {"game": "7", "themes": ["mate missed"]}
    (tmp_path / "results.jsonl").write_text(f"{json.dumps(played)}\n{json.dumps(looked_at)}\n")
    with served(tmp_path) as server, chromium(server.address) as page:
        page.until_text("#results-train", "finding mates (1 turning point)")
        page.click("#results-train a")
        page.until_text("#puzzle-title", PUZZLE_KINDS["mate"])


@pytest.mark.browser
def test_a_wrong_answer_is_told_and_its_puzzle_comes_again(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(f"{server.address}#puzzles") as page:
        page.until_text("#puzzle-task", ALL[0].task)
        choose(page, "king")
        number = first_of("king")
        page.until_text("#puzzle-about", f"number {number}.")
        wrong = next(square for square in ("a8", "h1") if square not in ALL[number - 1].answers)
        page.click(f"#puzzle-board [data-square={wrong}]")
        page.until_text(
            "#puzzle-comment", f"Wrong. {ALL[number - 1].judge(ALL[number - 1].answers[0]).explanation[7:]}"
        )
        page.driver.refresh()
        page.until_text("#puzzle-about", f"number {number}.")


def test_the_server_tells_no_man_of_the_other_side_and_the_solution_only_after_an_answer(tmp_path: Path) -> None:
    with served(tmp_path) as server:

        def asked(path: str, **query: str) -> dict[str, object]:
            with urlopen(f"{server.address}{path}?{urlencode(query)}") as told:
                found: dict[str, object] = json.load(told)
                return found

        listed = asked("puzzles")
        assert set(listed) == {"kinds", "grades", "puzzles"}
        for kind in PUZZLE_KINDS:
            puzzle = ALL[first_of(kind) - 1]
            told = asked(f"puzzle/{first_of(kind)}")
            assert set(told) == {"task", "rules", "log", "side", "men", "marks", "tries"}
            men = told["men"]
            assert isinstance(men, dict)
            assert len({man.isupper() for man in men.values()}) == 1
            judged = asked(f"puzzle/{first_of(kind)}", answer=puzzle.answers[0])
            assert judged["right"] is True
            assert set(judged) - set(told) == {"right", "comment", "squares", "numbers", "chances"}
            assert judged["men"] == men
        guests = server.address.replace(server.address.split("/")[3], server.registry.guest_token)
        paths = ["puzzle/0", f"puzzle/{len(ALL) + 1}", f"puzzle/{first_of('king')}?answer=i9"]
        for path in ("puzzles", "puzzle/1"):
            with urlopen(guests + path) as answer:
                assert json.load(answer)
        for address in [server.address + path for path in paths]:
            with pytest.raises(HTTPError) as error:
                urlopen(address)
            assert error.value.code in (400, 404)
            assert json.load(error.value)["error"]
            error.value.close()
