"""The guided first game and the rules in plain words, in a browser and as the server answers."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")
from selenium.webdriver.common.keys import Keys

from kriegbot.narration.learning import first_game
from referee import RULE_SETS
from tests.browser import Page, chromium
from tests.effort import some
from tests.page import served, until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kernels")]
LESSON = first_game()


def go(page: Page, code: str) -> None:
    """Return a try by two clicks on the lesson's board."""
    for square in (code[:2], code[2:]):
        page.click(f"#lesson-board [data-square={square}]")


@pytest.mark.browser
@pytest.mark.parametrize("is_phone", some((True, False), 1))
def test_the_guided_game_in_a_browser(is_phone: bool, tmp_path: Path) -> None:
    size = (390, 844) if is_phone else (1280, 900)
    with served(tmp_path) as server, chromium(server.address, *size, is_phone=is_phone) as page:
        page.click("#new a[href='#learn']")
        for number, step in enumerate(LESSON.steps, 1):
            page.until_text("#lesson-title", f"Step {number} of 8: {step.title}")
            page.until_text("#lesson-task", step.text)
            if number == 1:
                page.one("#lesson-board [data-square=e7] small")
                go(page, "g1f3")
                page.until_text("#lesson-answer", "Nf3: yes.")
                page.until_text("#lesson-comment", step.hint)
            if number == 6:
                go(page, "e4f5")
                page.until_text("#lesson-comment", step.hints["e4f5"])
                page.one("#lesson-board [data-square=d5] small")
            code, told = next(iter(step.solutions.items()))
            go(page, code)
            page.until_text("#lesson-answer", told)
            page.until_text("#lesson-comment", step.success)
            assert page.run("return document.documentElement.scrollWidth <= innerWidth")
            assert page.nameless("#learn :is(button, input, select):not([hidden])") == []
            if number < 8:
                page.click("#lesson-next")
        page.click("#lesson-back")
        page.until_text("#lesson-title", "Step 7 of 8")
        page.click("#lesson-back")
        page.until_text("#lesson-title", "Step 6 of 8")
        page.driver.back()
        page.one("#new")
        page.driver.forward()
        page.until_text("#lesson-title", "Step 6 of 8")  # where it was left


@pytest.mark.browser
def test_the_guided_game_by_keys_ends_in_a_first_game_and_the_rules_name_every_set(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(f"{server.address}#learn", 390, 844, is_phone=True) as page:
        page.until_text("#lesson-title", "Step 1 of 8")
        page.one("#lesson-board [data-square=e2]").send_keys(Keys.ENTER, Keys.ARROW_UP, Keys.ARROW_UP)
        page.one("#lesson-board [data-square=e4]").send_keys(Keys.ENTER)
        page.until_text("#lesson-answer", "e4: yes.")
        page.run("document.querySelector('#learn').style.minHeight = '200vh'; scrollTo(0, 200);")
        page.click("#lesson-rules")
        page.one("#rules-page")
        until(lambda: page.run("return scrollY === 0"), "the top of the rules")
        titles = [title.text for title in page.driver.find_elements("css selector", "#rules-page h3")]
        assert titles == [rules.title for rules in RULE_SETS.values()]
        page.click("#rules-page a")
        page.click("#lesson-next")
        for step in LESSON.steps[1:]:
            page.until_text("#lesson-task", step.text)
            go(page, next(iter(step.solutions)))
            page.click("#lesson-finish" if step is LESSON.steps[-1] else "#lesson-next")
        page.until_text("#their-name", "Black: Newcomer bot")


def asked(address: str, number: int, **query: str) -> dict[str, object]:
    with urlopen(f"{address}lesson/{number}?{urlencode(query)}") as answer:
        found: dict[str, object] = json.load(answer)
        return found


def test_the_server_tells_no_man_of_the_other_side_and_refuses_what_is_no_step(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        told = asked(server.address, 2, tried="e4e5", **{"try": "Nf3"})
        men = told["men"]
        assert isinstance(men, dict)
        assert set(men.values()) == set("PNBRQK")
        assert (told["tried"], told["answer"], told["done"], told["chances"]) == (["e4e5"], "Nf3: yes.", False, None)
        guests = server.address.replace(server.address.split("/")[3], server.registry.guest_token)
        assert asked(guests, 1)["title"]
        for address, number, tried in [
            (server.address, 0, ""),
            (server.address, 9, ""),
            (server.address, 2, "e4d3"),
            (server.address, 2, "@@@@"),
        ]:
            with pytest.raises(HTTPError) as error:
                asked(address, number, tried=tried)
            assert error.value.code in (400, 404)
            assert json.load(error.value)["error"]
            error.value.close()


@pytest.mark.browser
def test_practice_in_a_browser_names_the_bound_and_offers_another_start(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(f"{server.address}#learn-KQK") as page:
        page.until_text("#lesson-title", "Mate the unseen king: a queen")
        page.until_text("#lesson-task", "whatever the king does.")
        first = page.text("#lesson-task")
        page.one("#lesson-board [data-square] small")  # the shading
        white = page.run(
            "return [...document.querySelectorAll('#lesson-board [data-square]')]"
            ".filter((one) => one.querySelector('use, img, svg')).map((one) => one.dataset.square)"
        )
        assert len(white) == 2
        page.click("#learn a[href='#learn-KRK']")
        page.until_text("#lesson-title", "Mate the unseen king: a rook")
        assert page.text("#lesson-task") != first
        page.driver.back()
        page.until_text("#lesson-title", "Mate the unseen king: a queen")
