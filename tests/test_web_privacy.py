"""Two people at one screen, in a browser: a privacy screen between their turns, with nothing behind it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kriegbot.web.server import PageServer
from tests.browser import Page, browsing
from tests.page import served, until

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("kernels")]

LISTEN = """
const Plain = WebSocket;
window.heard = [];
window.WebSocket = class extends Plain {
  constructor(address) {
    super(address);
    this.addEventListener("message", (event) => window.heard.push(event.data));
  }
};
window.WebSocket.OPEN = Plain.OPEN;
"""


@contextmanager
def at_one_screen(server: PageServer) -> Iterator[Page]:
    """Return a game of two people at one screen, before its first turn. `window.heard` keeps what the server sends."""
    with browsing() as driver:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": LISTEN})
        page = Page(driver, server.address)
        page.one("#levels label")  # the form works
        page.one("#invite").click()
        page.one("#here").click()
        yield page


def heard(page: Page) -> list[dict[str, Any]]:
    """Return what the server has sent so far."""
    return [json.loads(text) for text in page.run("return window.heard")]


def unhide(page: Page, side: str) -> None:
    """Let the side that is next go on from the privacy screen, behind which nothing was."""
    page.until_text("#privacy-text", f"Pass the screen to {side}.")
    assert page.one("#unhide").text == f"{side}: press when nobody else is looking"
    assert page.run("return document.querySelectorAll('#board *, #log *, #announcement *, #refused *').length") == 0
    assert page.run("return document.querySelector('main').innerText").split("\n")[0] == f"Pass the screen to {side}."
    page.one("#unhide").click()
    page.until_text("#your-name", f"{side}: You")
    page.until_text("#turn", "Your turn")


def move(page: Page, start: str, end: str) -> None:
    for square in (start, end):
        page.square(square).click()
    page.until_text("#announcement", ": yes.")  # the player reads the answer first
    assert page.one("#board").is_displayed()
    page.click("#pass")
    page.one("#unhide")


def test_a_privacy_screen_goes_up_after_each_move_and_no_view_is_sent_behind_it(tmp_path: Path) -> None:
    with served(tmp_path) as server, at_one_screen(server) as page:
        unhide(page, "White")
        page.one("#try").send_keys("exd3\n")
        page.until_text("#announcement", "exd3? No.")
        move(page, "e2", "e4")
        views = [message for message in heard(page) if message["is"] == "view"]
        assert {letter for view in views for letter in view["men"].values()} == set("KQRBNP")
        unhide(page, "Black")
        assert page.text("#announcement").split(".") == ["White tries something illegal", " White has moved", " "]
        assert page.label("e4") == "e4, unseen"
        move(page, "d7", "d5")
        before = len(heard(page))
        unhide(page, "White")
        first, *others = [message["is"] for message in heard(page)[before:]]
        assert (first, set(others) - {"presence", "progress"}) == ("game", {"view"})
        assert "Black has moved." in page.text("#announcement")
        move(page, "e4", "d5")
        unhide(page, "Black")
        assert "d5" in page.text("#announcement")  # a man has fallen there
        page.driver.refresh()
        unhide(page, "Black")
        assert page.label("d5") == "d5, unseen, captured here, your last move"
        page.one("#resign").click()
        page.one("#resigning [value=yes]").click()
        page.until_text("#outcome-text", "Resignation, White wins.")
        page.one("#tab-true").click()
        page.one("#panel-true")
        assert not page.run("return document.querySelector('#rematch')")


def test_a_game_at_one_screen_that_was_broken_off_is_played_on_by_whoever_is_next(tmp_path: Path) -> None:
    with served(tmp_path) as server, at_one_screen(server) as page:
        unhide(page, "White")
        move(page, "e2", "e4")
        unhide(page, "Black")
        page.one("#again").click()
        page.one("#leaving [value=yes]").click()
        until(lambda: list(tmp_path.glob("*.pgn")), "the saved game")
        page.one("#to-library").click()
        page.click("#games button")
        page.one("#here").click()
        page.one("#unhide").click()
        page.until_text("#turn", "Black to try.")
        page.one("#pass").click()
        unhide(page, "Black")
        move(page, "e7", "e5")
        unhide(page, "White")
