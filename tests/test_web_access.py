"""axe-core, a checker of accessibility, finds on the page nothing but trifles, in light and in dark.

axe-core comes in the package axe-core-python, and runs in the browser.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from kriegbot.web import server as servers
from tests.browser import Page, chromium
from tests.page import served

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.usefixtures("kernels")]

RUN = """
const done = arguments[0];
axe.run(document).then((found) => done(found), (error) => done({ failed: String(error) }));
"""


@pytest.fixture(scope="module")
def axe() -> str:
    """Return the script of axe-core."""
    spec = importlib.util.find_spec("axe_core_python")
    if spec is None or spec.origin is None:
        pytest.skip("there is no axe-core-python")
    return (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def check(page: Page, axe: str) -> None:
    """Check that axe-core finds only trifles on the page as it is, in either theme."""
    page.driver.set_script_timeout(60)
    still = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}  # no colour is half way to another
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", still)
    page.driver.execute_script(axe)
    for theme in ("light", "dark"):
        page.one("#to-settings").click()
        page.one(f"#theme option[value={theme}]").click()
        page.one("#to-settings").click()
        found: dict[str, Any] = page.driver.execute_async_script(RUN)
        assert len(found["passes"]) > 20
        assert [told(rule) for rule in found["violations"] if rule["impact"] != "minor"] == [], theme


def told(rule: dict[str, Any]) -> str:
    """Return what is wrong, and where."""
    return "\n".join([rule["help"], *(f"{node['html']}: {node['failureSummary']}" for node in rule["nodes"])])


def test_the_start_and_its_forms(axe: str, tmp_path: Path) -> None:
    result = {"day": "2026-11-24", "opponent": "kriegbot:level=club", "points": 1, "help": ""}
    looked = {"game": "7", "themes": ["mate missed"]}
    (tmp_path / "results.jsonl").write_text(f"{json.dumps(result)}\n{json.dumps(looked)}", encoding="utf-8")
    with served(tmp_path) as server, chromium(server.address) as page:
        page.more()
        page.until_text("#results-about", "Your rating: 1")
        white = page.one("#picture [aria-label^='White sees']")
        assert str(white.get_attribute("aria-label")).endswith("knights b1 g1, pawns a2 b2 c2 d2 f2 g2 h2 d5")
        check(page, axe)
        page.click("nav [href='#watch']")
        page.one("#watch-start")
        check(page, axe)


def test_a_game_its_review_and_the_saved_games(axe: str, tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        page.one("#try").send_keys("e4" + Keys.ENTER)
        page.until_text("#turn", "move 2")
        page.one("#try").send_keys("exd5" + Keys.ENTER)
        page.until_text("#refused", "exd5")
        page.click("#tray [data-man=q]")
        page.square("d8").click()
        ActionChains(page.driver).context_click(page.square("d5")).perform()
        page.one("#heat").click()
        page.one("#board small")
        page.one("#hint").click()
        page.one("#hints li")
        check(page, axe)
        page.one("#resign").click()
        page.one("#resigning button[value=yes]").click()
        page.click("#review .sheet [data-at='2']")
        page.one("#review .values table")
        page.one("#walk[hidden] + .turning :is(ol, p)")
        check(page, axe)
        page.one("#to-library").click()
        page.one("#games .do")
        check(page, axe)


def test_two_people_and_who_looks_on(axe: str, tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.one("#invite").click()
        page.one("#onlookers button").click()
        link = str(page.one("#onlookers input").get_attribute("value"))
        check(page, axe)
        page.run("document.querySelector('#presence').textContent = 'has left'")
        check(page, axe)
        page = Page(page.driver, link)
        page.one("#later")
        check(page, axe)


def test_a_guest_and_an_open_invitation(axe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "addresses_here", lambda: ["127.0.0.2"])
    with served(tmp_path) as server, chromium(server.address) as page:
        page.one("#invite").click()
        page.click("#network button")
        page.one("#qr")
        page.one("#network summary").click()
        link = str(page.one("#link").get_attribute("value"))
        assert link.startswith("http://127.0.0.2:")
        check(page, axe)
        page = Page(page.driver, link)
        page.one("#join")
        check(page, axe)
        page = Page(page.driver, link.split("#")[0] + "?")
        page.one("#welcome")
        check(page, axe)


def test_the_guided_game_and_the_rules(axe: str, tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(f"{server.address}#learn") as page:
        for square in ("e2", "e4"):
            page.click(f"#lesson-board [data-square={square}]")
        page.until_text("#lesson-answer", "yes")
        page.click("#lesson-next")
        page.one("#lesson-board [data-square=e5] small")
        page.click("#lesson-board [data-square=e4]")
        check(page, axe)
        page.click("#lesson-rules")
        page.one("#rules-page")
        check(page, axe)


def test_a_puzzle_and_its_solution(axe: str, tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(f"{server.address}#puzzles", 390, 844, is_phone=True) as page:
        page.one("#puzzle-log li")
        check(page, axe)
        page.click("#puzzle-kind option[value=king]")
        page.until_text("#puzzle-title", "king")
        page.click("#puzzle-show")
        page.one("#puzzle-board small")
        check(page, axe)


def test_a_violation_is_found(axe: str, tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.one("#new")
        page.run("document.querySelector('label[for=clock]').remove()")
        with pytest.raises(AssertionError, match="Select element must have an accessible name"):
            check(page, axe)
