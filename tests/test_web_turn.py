"""A person's turn on the page, in a browser: verdicts and what they mean, the check to be answered, keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chess
import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from referee import GameRecord, Referee, save_record
from tests.browser import Page, chromium
from tests.effort import some
from tests.page import Client, served, until

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("kernels")]

CHECK = "e2e4 e7e5 d2d4 e5d4 g1f3 f8b4"


@contextmanager
def playing(folder: Path, tries: str = "", *, width: int = 1280, height: int = 900) -> Iterator[Page]:
    """Return the page with a game of White against `rand`, played on after these tries."""
    referee = Referee()
    for code in tries.split():
        referee.try_move(chess.Move.from_uci(code))
    referee.abandon()
    save_record(GameRecord.of(referee, {"White": "human", "Black": "rand", "Seed": "3"}), folder / "game.pgn")
    with served(folder) as server, chromium(server.address, width, height, is_phone=width < 1000) as page:
        page.one("#to-library").click()
        page.click("#games .do button")
        page.until_text("#turn", "Your turn")
        yield page


def click(page: Page, *squares: str) -> None:
    for square in squares:
        page.square(square).click()


def test_the_own_verdict_stays_beside_the_reply_and_a_capture_names_what_fell(tmp_path: Path) -> None:
    with playing(tmp_path, "e2e4 d7d5 e4d5 d8d5") as page:
        assert page.text("#announcement").strip() == "exd5: yes. Your pawn took on d5. Black took your pawn on d5."
        click(page, "a2", "b3")
        page.until_text("#refused", "axb3")
        assert "took on d5. " in page.text("#announcement")
        assert page.text("#announcement").endswith("axb3? No. ")
        colors = "return [...document.querySelectorAll('#announcement span')].map((one) => getComputedStyle(one).color)"
        own, reply, refused = page.run(colors)
        assert own == reply != refused
        click(page, "a2", "a3")
        page.until_text("#turn", "move 4")
        assert page.text("#announcement").startswith("a3: yes. Black ")


def test_a_check_is_shown_on_the_board_as_long_as_it_lasts(tmp_path: Path) -> None:
    with playing(tmp_path, CHECK) as page:
        for is_refused in (False, True):
            if is_refused:
                click(page, "h2", "g3")
                page.until_text("#refused", "hxg3")
            assert "Check on the long diagonal." in page.text("#announcement")
            assert page.label("b4") == "b4, unseen, the check may come from here"
            assert page.label("a1") == "a1, white rook, cannot answer the check"
            assert page.label("b1") == "b1, white knight"
        click(page, "b1")
        assert page.label("a3") == "a3, unseen, does not answer the check"
        assert str(page.label("c3")).startswith("c3, unseen, may be tried")  # no black piece can be there by now
        click(page, "c3")
        page.until_text("#turn", "move 5")
        assert "check" not in "".join(str(page.label(square)) for square in ("a1", "b4", "e1"))


def press(page: Page, *keys: str) -> None:
    ActionChains(page.driver).send_keys(*keys).perform()


def test_every_announcement_is_explained_by_click_and_by_keys(tmp_path: Path) -> None:
    with playing(tmp_path, CHECK) as page:
        page.one("#explain").click()
        meant = page.one("#meaning").text
        assert "your opponent learns that you have moved, but not what" in meant
        assert "A queen, bishop or pawn attacks the king along the longer of the two diagonals" in meant
        assert page.run("return document.activeElement.id") == "meaning"
        press(page, Keys.ESCAPE)
        assert not page.driver.find_element("id", "meaning").is_displayed()
        assert page.run("return document.activeElement.id") == "explain"
        press(page, Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_UP)  # into the log, and back to what fell
        assert page.run("return document.activeElement.textContent") == "Black took your pawn on d4."
        assert page.run("return document.querySelector('#board .looked').dataset.square") == "d4"
        press(page, Keys.ENTER)
        assert "The capturing piece is on that square now" in page.one("#meaning").text
        press(page, Keys.ESCAPE, "?")
        assert "longer of the two diagonals" in page.one("#meaning").text


def test_f_turns_the_board_and_keeps_the_focus_but_not_where_a_try_is_written(tmp_path: Path) -> None:
    with playing(tmp_path) as page:
        is_turned = "return document.querySelector('#board button').dataset.square === 'h1'"
        page.one("#try").send_keys("f?")
        assert not page.run(is_turned)
        page.run("document.querySelector('#board [data-square=e2]').focus()")
        press(page, Keys.ARROW_LEFT, "f")
        assert page.run(is_turned)
        assert page.run("return document.activeElement.dataset.square") == "d2"


def test_a_hint_stays_until_a_try_is_legal(tmp_path: Path) -> None:
    with playing(tmp_path) as page:
        page.one("#hint").click()
        name = page.one("#hints li button").text
        page.one("#try").send_keys("exd3" + Keys.ENTER)
        page.until_text("#refused", "exd3")
        assert page.one("#hints li button").text == name
        page.one("#hints li button").click()
        page.until_text("#turn", "move 2")
        assert page.text("#hints") == ""


COUNT_BEEPS = """
    window.beeps = 0;
    const create = AudioContext.prototype.createOscillator;
    AudioContext.prototype.createOscillator = function () { window.beeps += 1; return create.call(this); };
"""


def test_sounds_are_on_until_they_are_muted_and_that_is_remembered(tmp_path: Path) -> None:
    with playing(tmp_path) as page:
        page.run(COUNT_BEEPS)
        click(page, "e2", "e4")
        page.until_text("#turn", "move 2")
        until(lambda: page.run("return window.beeps"), "a beep")
        page.one("#mute").click()
        page.driver.refresh()
        page.one("#mute[aria-pressed=true]")
        page.run(COUNT_BEEPS)
        click(page, "d2", "d3")
        page.until_text("#turn", "move 3")
        assert page.run("return window.beeps") == 0


@pytest.mark.parametrize(("width", "height"), some(((844, 390), (390, 844)), 1))
def test_the_tray_and_all_ranks_are_in_sight_together_on_a_phone(width: int, height: int, tmp_path: Path) -> None:
    with playing(tmp_path, width=width, height=height) as page:
        for one in ("#tray [data-man=p]", "#tray [data-man=k]", "#board [data-square=a8]", "#board [data-square=h1]"):
            rect = page.one(one).rect
            assert min(rect["width"], rect["height"]) >= 40
            assert rect["y"] + rect["height"] <= height, one
            assert rect["x"] + rect["width"] <= width
        page.one("#tray [data-man=q]").click()
        click(page, "d8")
        assert page.label("d8") == "d8, marker: black queen"


@contextmanager
def against(folder: Path) -> Iterator[tuple[Page, Client]]:
    """Return the page with White's side of a game for two, and a client that plays Black's."""
    with served(folder) as server, chromium(server.address) as page:
        page.one("#invite").click()
        address, _, game = str(page.one("#link").get_attribute("value")).partition("#game=")
        with Client(address) as black:
            black.send({"do": "join", "game": game})
            page.until_text("#turn", "Your turn")
            yield page, black


def reply(black: Client, text: str) -> None:
    """Black's try, as soon as it is Black's turn."""
    black.until("view", yours=True)
    black.send({"do": "try", "text": text})


def test_a_try_is_prepared_while_the_other_side_thinks_and_is_made_in_its_turn(tmp_path: Path) -> None:
    with against(tmp_path) as (page, black):
        click(page, "e2", "e4")
        page.until_text("#turn", "Black to try.")
        click(page, "d2")
        assert page.label("d4") == "d4, unseen, may be tried"
        click(page, "d4")
        page.until_text("#turn", "Prepared: d4.")
        assert page.label("d2") == "d2, white pawn, your next try"
        reply(black, "e5")
        page.until_text("#log", "d4: yes.")
        assert not page.driver.find_element("id", "cancel").is_displayed()
        page.one("#try").send_keys("Nf3" + Keys.ENTER)
        page.until_text("#turn", "Prepared: Nf3.")
        assert page.one("#try").get_attribute("value") == ""
        assert page.label("f3") == "f3, unseen, your next try"
        reply(black, "exd4")
        page.until_text("#log", "Nf3: yes.")


def test_a_prepared_try_that_can_never_be_is_refused_at_once_but_a_recapture_is_not(tmp_path: Path) -> None:
    with against(tmp_path) as (page, black):
        click(page, "e2", "e4")
        page.until_text("#turn", "Black to try.")
        for text, why in (("Ke3", "Your king cannot reach e3."), ("Nb3", "None of your knights can reach b3.")):
            page.one("#try").send_keys(text + Keys.ENTER)
            page.until_text("#message", why)
            assert "Prepared" not in page.text("#turn")
            page.one("#try").clear()
        page.run("document.querySelector('#board [data-square=b1]').click()")
        click(page, "b5")
        page.until_text("#message", "Your knight on b1 cannot reach b5.")
        page.one("#try").send_keys("exf5" + Keys.ENTER)
        page.until_text("#turn", "Prepared: exf5.")
        page.one("#try").send_keys("bxc3" + Keys.ENTER)
        page.until_text("#turn", "Prepared: bxc3.")
        page.one("#try").send_keys("Nxe4" + Keys.ENTER)
        page.until_text("#message", "None of your knights can reach e4.")
        page.one("#try").clear()
        page.one("#try").send_keys("Qxd2" + Keys.ENTER)  # where a pawn of White's stands, until Black takes it
        page.until_text("#turn", "Prepared: Qd2.")
        reply(black, "d5")
        page.until_text("#turn", "Your turn: move 2.")
        page.until_text("#message", "Your queen on d1 cannot reach d2.")


@pytest.mark.parametrize("way", ["click", "drag"])
def test_the_king_castles_by_going_to_its_rook(way: str, tmp_path: Path) -> None:
    with playing(tmp_path, "e2e4 a7a6 g1f3 b7b6 f1c4 c7c6") as page:
        if way == "click":
            click(page, "e1", "a1")  # where it cannot castle: another piece is picked up
            assert page.run("return document.querySelector('#board .held').dataset.square") == "a1"
            click(page, "e1", "h1")
        else:
            ActionChains(page.driver).drag_and_drop(page.square("e1"), page.square("h1")).perform()
        page.until_text("#log", "O-O: yes.")
        assert page.label("g1") == "g1, white king, your last move"


def test_a_prepared_try_is_taken_back_by_a_click_or_a_key(tmp_path: Path) -> None:
    with against(tmp_path) as (page, black):
        click(page, "e2", "e4")
        page.until_text("#turn", "Black to try.")
        for back in ("square", "button", "key"):
            click(page, "g1", "f3")
            page.until_text("#turn", "Prepared: Nf3.")
            if back == "square":
                click(page, "f3")
            elif back == "button":
                page.one("#cancel").click()
            else:
                press(page, Keys.ESCAPE)
            assert "Prepared" not in page.text("#turn")
            assert page.label("f3") == "f3, unseen"
        reply(black, "e5")
        page.until_text("#turn", "Your turn: move 2.")
        assert page.label("g1") == "g1, white knight"


def test_arrows_and_circles_are_drawn_by_the_right_button_or_by_keys_and_wiped_by_a_click(tmp_path: Path) -> None:
    with playing(tmp_path) as page:
        draw = ActionChains(page.driver)
        mouse: Any = draw.w3c_actions.pointer_action
        draw.move_to_element(page.square("g8"))
        mouse.pointer_down(button=2)
        draw.move_to_element(page.square("f6"))
        mouse.pointer_up(button=2)
        draw.context_click(page.square("d5")).perform()
        page.run("document.querySelector('#board [data-square=a1]').focus()")
        draw.key_down(Keys.SHIFT).send_keys(Keys.ENTER, Keys.ARROW_UP, Keys.ENTER).key_up(Keys.SHIFT).perform()
        assert page.label("g8") == "g8, unseen, arrow to f6"
        assert page.label("d5") == "d5, unseen, circled"
        assert page.label("a1") == "a1, white rook, arrow to a2"
        shapes = (
            "return [...document.querySelectorAll('#board .sketch > *')].map((one) => one.tagName).sort().join(' ')"
        )
        assert page.run(shapes) == "circle line line polygon polygon"
        draw.context_click(page.square("d5")).perform()
        assert page.label("d5") == "d5, unseen"
        click(page, "e2")
        assert page.run(shapes) == ""
