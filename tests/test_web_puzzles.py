"""The puzzles in a browser, and as the server answers."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import chess
import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")
from kriegbot.narration import learning
from kriegbot.narration.learning import PUZZLE_KINDS, Puzzle, puzzle_of, puzzles
from tests.browser import Page, chromium
from tests.page import served, until

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
    page.until_text("#puzzle-title", f"number {number})")
    page.until_text("#puzzle-about", puzzle.about)
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
        page.click("nav [href='#puzzles']")
        page.until_text("#puzzle-task", ALL[0].task)
        for kind in PUZZLE_KINDS:
            choose(page, kind)
            number = first_of(kind)
            assert page.text("#puzzle-comment") == ""
            assert not page.driver.find_elements("css selector", "#puzzle-board small")
            answer(page, number)
            page.until_text("#puzzle-comment", "Right.")
            page.until_text("#puzzle-solution", ALL[number - 1].solution)
            proof = page.driver.find_elements("css selector", "#puzzle-proof li")
            assert [line.text for line in proof] == ALL[number - 1].proof
            page.until_text("#puzzle-score", "Your puzzle rating: ")
            page.one("#puzzle-board small")
            marked = page.driver.find_elements("css selector", "#puzzle-log .proof")
            log = ALL[number - 1].log()
            assert sorted(line.text for line in marked) == sorted(log[line] for line in ALL[number - 1].lines)
            assert page.run("return document.documentElement.scrollWidth <= innerWidth")
            assert page.nameless("#puzzles :is(button, input, select):not([hidden])") == []
            page.click("#puzzle-next")
            page.until_text("#puzzle-title", f"number {first_of(kind, number)})")
        page.driver.refresh()  # what was solved, and the kind, are kept
        page.until_text("#puzzle-title", f"number {first_of('capture', first_of('capture'))})")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "height"), [(360, 800), (1440, 900)])
def test_choices_of_puzzles_stand_in_one_row_and_so_do_the_answers(width: int, height: int, tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address, width, height, is_phone=width < 500) as page:
        page.click("nav [href='#puzzles']")
        page.one("#puzzle-yes")
        for row in ("#puzzles .choose > *", "#puzzles .go > *"):
            script = "return [...document.querySelectorAll(arguments[0])].map((one) => one.offsetTop)"
            assert len(set(page.run(script, row))) == 1


def test_what_to_train_leads_to_puzzles_of_that_kind(tmp_path: Path) -> None:
    played = {"day": "2026-01-01", "opponent": "kriegbot:level=club", "points": 1, "help": ""}
    looked_at = {"game": "7", "themes": ["mate missed"]}
    (tmp_path / "results.jsonl").write_text(f"{json.dumps(played)}\n{json.dumps(looked_at)}\n", encoding="utf-8")
    with served(tmp_path) as server, chromium(server.address) as page:
        page.until_text("#results-train", "finding mates (1 turning point)")
        page.click("#results-train a")
        page.until_text("#puzzle-title", PUZZLE_KINDS["mate"])


@pytest.mark.browser
def test_a_wrong_answer_may_be_tried_again_or_the_solution_shown(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(f"{server.address}#puzzles") as page:
        page.until_text("#puzzle-task", ALL[0].task)
        choose(page, "king")
        number = first_of("king")
        puzzle = ALL[number - 1]
        page.until_text("#puzzle-title", f"number {number})")
        men = puzzle.view().men
        wrong = next(
            s for s in ("a8", "h1", "d5", "e4") if s not in puzzle.answers and chess.parse_square(s) not in men
        )
        page.click(f"#puzzle-board [data-square={wrong}]")
        page.until_text("#puzzle-comment", f"No. The king cannot be on {wrong}.")
        assert page.text("#puzzle-solution") == ""
        answer(page, number)
        page.until_text("#puzzle-comment", "Right.")
        page.click("#puzzle-next")
        page.until_text("#puzzle-title", f"number {first_of('king', number)})")
        page.click("#puzzle-show")
        page.until_text("#puzzle-solution", ALL[first_of("king", number) - 1].solution)
        page.until_text("#puzzle-score", "Your puzzle rating: ")
        page.click("#puzzle-today")
        page.until_text("#puzzle-title", f"number {puzzle_of(date.today())})")


@pytest.mark.browser
def test_days_in_a_row_on_which_the_puzzle_of_the_day_was_solved_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = first_of("capture")
    monkeypatch.setattr(learning, "puzzle_of", lambda _day: number)
    with served(tmp_path) as server, chromium(server.address) as page:
        page.one("#today")
        for passed, before, after in ((0, 0, 1), (0, 1, 1), (1, 1, 2), (1, 2, 3), (2, 0, 1)):
            page.run("const now = Date.now() + 864e5 * arguments[0]; Date.now = () => now", passed)
            page.click("nav [href='#watch']")
            page.click("#again")
            page.one("#today")
            texts = [f"Solved {days} day{'s' * (days > 1)} in a row." for days in (before, after)]
            assert page.text("#puzzle-days") == (texts[0] if before else "")
            page.click("#today .button")
            until(lambda: page.text("#puzzle-title") and not page.text("#puzzle-comment"), "the puzzle")
            answer(page, number)
            page.until_text("#puzzle-comment", "Right.")
            page.until_text("#puzzle-place", f"Puzzle of the day. {texts[1]}")
        page.driver.refresh()
        page.click("#again")
        page.one("#today")
        assert page.text("#puzzle-days") == ""  # those days are in the future


def asked(address: str, path: str, **query: str) -> dict[str, object]:
    with urlopen(f"{address}{path}?{urlencode(query)}") as answer:
        found: dict[str, object] = json.load(answer)
        return found


def refused_in(puzzle: Puzzle) -> list[str]:
    """Return the tries that are no answers, and that the referee refuses."""
    board = puzzle.referee().board()
    codes = [move.uci() for move in puzzle.view().tries() if not board.is_legal(move)]
    return [code for code in codes if code not in puzzle.answers]


def test_a_try_that_the_referee_refuses_is_refused_and_does_not_count(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        puzzle, illegal = next((one, codes) for one in ALL if one.kind == "mate" and (codes := refused_in(one)))
        number = ALL.index(puzzle) + 1
        told = asked(server.address, f"puzzle/{number}", answer=illegal[0])
        assert (told["right"], told["refused"], told["score"]) == (None, [illegal[0]], "")
        assert "solution" not in told
        again = asked(server.address, f"puzzle/{number}", refused=illegal[0], show="")
        assert again["solution"] == puzzle.solution
        assert again["log"] == puzzle.log([illegal[0]])
        assert server.registry.results.puzzles_text() == again["score"] != ""


def test_the_server_tells_no_man_of_the_other_side_and_the_solution_only_when_it_is_time(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        listed = asked(server.address, "puzzles")
        assert set(listed) == {"kinds", "grades", "puzzles", "today"}
        for kind in PUZZLE_KINDS:
            puzzle = ALL[first_of(kind) - 1]
            told = asked(server.address, f"puzzle/{first_of(kind)}")
            assert set(told) == {"about", "task", "log", "refused", "side", "men", "marks", "tries", "score"}
            men = told["men"]
            assert isinstance(men, dict)
            assert len({man.isupper() for man in men.values()}) == 1
            judged = asked(server.address, f"puzzle/{first_of(kind)}", answer=puzzle.answers[0])
            assert judged["right"] is True
            assert set(judged) - set(told) == {
                *("right", "comment", "solution", "proof", "squares", "lines", "numbers", "chances")
            }
            assert judged["men"] == men
        guests = server.address.replace(server.address.split("/")[3], server.registry.guest_token)
        paths = ["puzzle/0", f"puzzle/{len(ALL) + 1}", f"puzzle/{first_of('king')}?answer=i9"]
        for path in ("puzzles", "puzzle/1"):
            with urlopen(guests + path) as answer:
                assert "score" not in json.load(answer)  # that of whoever runs the server
        for address in [server.address + path for path in paths]:
            with pytest.raises(HTTPError) as error:
                urlopen(address)
            assert error.value.code in (400, 404)
            assert json.load(error.value)["error"]
            error.value.close()
