"""The first minutes on the page, in a browser: start, preparing programs, first move, small windows, kept choices."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from kriegbot.game.process import ProcessSeat
from kriegbot.narration.learning import first_game
from kriegbot.web.seats import GameClock, TimeControl
from referee import load_record
from tests.browser import Page, chromium
from tests.effort import some
from tests.page import Client, served, until

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("kernels")]

PHONE, ZOOMED = (390, 844), (720, 450)


def bottom(page: Page, selector: str) -> float:
    """Return where an element ends, in pixels from the top of the window."""
    rect = page.one(selector).rect
    return float(rect["y"] + rect["height"])


@pytest.mark.parametrize("size", some((PHONE, ZOOMED, (1440, 900)), 1))
def test_the_start_says_what_kriegspiel_is_and_offers_lesson_and_game_without_scrolling(
    size: tuple[int, int], tmp_path: Path
) -> None:
    with served(tmp_path) as server, chromium(server.address, *size, is_phone=size[0] < 1000) as page:
        places = [bottom(page, one) for one in ("#new h2", "#new .lead", "#new [href='#learn']", "#levels", "#new .go")]
        assert places == sorted(places)
        assert places[-1] <= page.run("return innerHeight")
        assert page.one("#new [href='#learn']").rect["height"] >= 40
        fields = (
            "return [...document.querySelectorAll('#new :is(select, input)')].filter((one) => one.checkVisibility())"
        )
        assert {one.get_attribute("name") for one in page.run(fields)} == {"level"}
        assert page.text("#terms") == "White, No clock, Berkeley; other programs"
        links, icons = page.run(
            "const drawn = (one) => [...one.querySelectorAll('.icon')].map(({ ariaHidden, firstChild }) => "
            "[ariaHidden, document.querySelector(firstChild.getAttribute('href'))?.tagName]);"
            "return [[...document.querySelectorAll('nav a, #to-settings')].map(drawn), drawn(document)]"
        )
        assert links == [[["true", "symbol"]]] * 7
        assert icons.count(["true", "symbol"]) == len(icons) > 15


def test_the_board_is_the_largest_thing_on_the_start_and_shows_who_sees_what(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address, 1440, 1039) as page:
        form, board = page.one("#new").rect, page.one("#picture svg").rect
        assert board["width"] * board["height"] > form["width"] * form["height"]
        assert board["width"] > 600
        for number, pieces in enumerate((16, 31, 15), 1):  # White, the referee, Black
            page.one(f"#picture label:nth-child({number})").click()
            assert page.run("return document.querySelectorAll('#picture use').length") == pieces
        page.click("nav [href='#watch']")
        form, board = page.one("#watch-form").rect, page.one("#watch #picture svg").rect  # here too
        assert board["x"] + board["width"] < form["x"]
        assert board["width"] > 600
        assert page.run("return document.querySelectorAll('#picture use').length") == 31
        assert page.run("return scrollY") == 0


def test_after_the_lesson_the_first_game_is_against_a_newcomer_whatever_was_chosen(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(f"{server.address}#learn", *PHONE, is_phone=True) as page:
        page.reload_with(opponent="rand", level="master", color="black", clock="180+2")
        for number, step in enumerate(first_game().steps, 1):
            page.until_text("#lesson-title", f"Step {number} ")
            code = next(iter(step.solutions))
            for square in (code[:2], code[2:]):
                page.click(f"#lesson-board [data-square={square}]")
            page.click("#lesson-finish" if number == len(first_game().steps) else "#lesson-next")
        page.until_text("#turn", "Your turn: move 1.")
        assert page.text("#their-name") == "Black: Newcomer bot"
        assert page.text("#about") == "Rules: Berkeley"
        assert "master" in page.run("return localStorage.getItem('kriegspiel-choices')")


def test_no_person_is_offered_as_a_program(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.reload_with(opponent="human")
        page.one("#levels")
        offered = page.run("return [...document.querySelectorAll('option')].map((one) => one.value)")
        assert "rand" in offered
        assert "human" not in offered


class Unprepared:
    """Programs that are not prepared until they are released."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.release = threading.Event()
        ready = ProcessSeat.ready

        def wait(seat: ProcessSeat) -> None:
            self.release.wait(60)
            ready(seat)

        monkeypatch.setattr(ProcessSeat, "ready", wait)


@pytest.fixture
def unprepared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Unprepared]:
    found = Unprepared(monkeypatch)
    yield found
    found.release.set()


@pytest.mark.parametrize("size", some((ZOOMED, PHONE, (1440, 1039)), 1))
def test_a_program_that_is_being_prepared_takes_no_room_and_no_time(
    size: tuple[int, int], unprepared: Unprepared, tmp_path: Path
) -> None:
    clocks = "return [...document.querySelectorAll('.clock')].map((one) => one.textContent)"
    with served(tmp_path) as server, chromium(server.address, *size, is_phone=size[0] < 1000) as page:
        page.more()
        Select(page.one("#clock")).select_by_value("300+5")
        page.start("rand", seed=2)
        before = page.square("h1").rect, page.one("#to-settings").rect
        server.registry.report_progress("rules", 3, 10)
        page.one("#preparing progress")
        assert (page.square("h1").rect, page.one("#to-settings").rect) == before
        assert page.run("return document.documentElement.scrollWidth <= innerWidth")
        assert bottom(page, "#board") <= page.run("return innerHeight")
        assert page.run("return document.querySelector('#preparing').closest('header, main') !== null")
        page.one("#try").send_keys("e4" + Keys.ENTER)
        page.until_text("#turn", "Preparing Black's program …")
        held = page.run(clocks)
        assert page.run("return document.querySelector('.clock.running')") is None
        until(
            lambda: page.run("return performance.now()") > page.run("return window.since ??= performance.now()") + 2500
        )
        assert page.run(clocks) == held
        unprepared.release.set()
        page.until_text("#turn", "Your turn: move 2.")
        theirs, yours = page.run(clocks)
        assert held[0] < theirs <= "5:05"  # what it has not used, and five seconds
        assert yours <= "5:05"
        assert held[1] <= yours


def test_preparing_counts_on_nobodys_clock_and_a_move_before_it_still_gains_its_increment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("kriegbot.web.seats.awake_time", lambda: now)
    clock = GameClock(TimeControl.of("60+5"))
    clock.switch(True)
    now = 10.0
    clock.hold()
    now = 40.0
    assert clock.left(True) == 50
    clock.switch(False)
    now = 41.0
    assert (clock.left(True), clock.left(False)) == (55, 59)


def test_a_page_that_is_loaded_again_has_the_clocks_of_now(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address) as client:
        client.send(
            {"do": "new", "opponent": "rand", "color": "white", "rules": "berkeley", "seed": "3", "clock": None}
        )
        id_ = client.until("game")["id"]
        first = client.until("view", yours=True)["clocks"]["white"]
        threading.Event().wait(1.2)
        client.send({"do": "join", "game": id_})
        assert client.until("view", yours=True)["clocks"]["white"] >= first + 1


def test_one_line_helps_at_the_first_move_alone(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        assert "A “no” costs nothing" in page.one("#first-move").text
        page.one("#try").send_keys("e4" + Keys.ENTER)
        page.until_text("#turn", "move 2")
        assert not page.driver.find_element(By.ID, "first-move").is_displayed()
        assert page.one("#try").get_attribute("value") == ""


@pytest.mark.parametrize("size", some((ZOOMED, (640, 400), (844, 390), (1280, 540)), 2))
def test_nothing_covers_clock_or_board_in_a_low_window(size: tuple[int, int], tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address, *size, is_phone=True) as page:
        page.start("rand", seed=2)
        for one in (
            "#their-clock",
            "#board [data-square=h8]",
            "#board [data-square=h1]",
            "#tray [data-man=p]",
            "#turn",
        ):
            rect = page.one(one).rect
            middle = (rect["x"] + rect["width"] / 2, rect["y"] + rect["height"] / 2)
            ends = [middle, (rect["x"] + rect["width"] - 2, rect["y"] + 2)]
            script = "return document.elementFromPoint(...arguments[0])?.closest('header') ?? null"
            assert [page.run(script, at) for at in ends] == [None, None], one
        for button in ("#again", "#to-library", "#to-settings"):
            rect = page.one(button).rect
            assert rect["x"] >= 0
            assert rect["x"] + rect["width"] <= size[0]


def test_on_a_phone_the_board_stays_where_it_is_and_the_belief_is_in_reach(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address, *PHONE, is_phone=True) as page:
        page.start("rand", seed=2)
        place = page.square("a8").rect
        assert bottom(page, "#heat-switch") <= 0.9 * PHONE[1]
        for number, text in enumerate(("e4", "Qh5", "Bc4", "Qf7"), 2):
            page.one("#try").send_keys("axb3" + Keys.ENTER)
            page.until_text("#refused", "axb3")
            assert page.square("a8").rect == place
            if number < 5:
                page.one("#try").send_keys(text + Keys.ENTER)
                page.until_text("#turn", f"move {number}")
                assert page.square("a8").rect == place
        page.run("document.querySelector('#their-men').textContent = '15 pieces; you took 1 piece or pawn'")
        for name in ("their-name", "their-men"):
            is_whole = "return arguments[0].scrollWidth <= arguments[0].clientWidth"
            assert page.run(is_whole, page.one(f"#{name}"))
        page.one("#heat").click()
        page.one("#board small")
        assert page.square("a8").rect == place


def test_a_number_on_a_shaded_square_lies_beside_its_marker(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        page.one("#tray [data-man=q]").click()
        page.square("d8").click()
        page.one("#heat").click()
        page.one("#board [data-square=d8] small")
        number, marker = (page.one(f"#board [data-square=d8] {one}").rect for one in ("small", "svg"))
        right, top = marker["x"] + marker["width"], marker["y"]
        corner = (
            number["x"] - (right - marker["width"] / 2),
            number["y"] + number["height"] - (top + marker["height"] / 2),
        )
        assert corner[0] ** 2 + corner[1] ** 2 >= (marker["width"] / 2) ** 2


def test_programs_are_set_against_each_other_in_plain_words(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.click("nav [href='#watch']")
        Select(page.one("#watch-white")).select_by_value("hs")
        Select(page.one("#watch-white-time")).select_by_visible_text("a blink (0.2 s)")
        Select(page.one("#watch-white-depth")).select_by_visible_text("its move")
        Select(page.one("#watch-black")).select_by_visible_text("Club bot")
        assert page.run("return [...document.querySelectorAll('.watch-form input')].map((one) => one.id)") == [
            "watch-seed"
        ]
        assert [page.driver.find_element(By.ID, f"watch-black-{one}").is_displayed() for one in ("time", "depth")] == [
            False,
            False,
        ]
        assert "=" not in page.one(".watch-form").text
        Select(page.one("#watch-black")).select_by_visible_text("rand")
        Select(page.one("#watch-pace")).select_by_value("0")
        page.one("#watch-start").click()
        page.one("#review h2")
        page.one("#again").click()
        page.one("#leaving [value=yes]").click()
        until(lambda: list(tmp_path.glob("*.pgn")), "the saved game")
        (path,) = tmp_path.glob("*.pgn")
        assert load_record(path).headers["White"] == "hs:depth=1,time=0.2"


def shown(page: Page) -> set[str]:
    """Return the choices in the form for a new game, the theme, and the colour of squares that have just changed."""
    page.one("#levels")
    chosen = page.run("return [...document.querySelectorAll('#new :checked')].map((one) => one.value)")
    theme = page.run("return getComputedStyle(document.documentElement).colorScheme")
    squares = page.run("return getComputedStyle(document.documentElement).getPropertyValue('--last')")
    return {*chosen, theme, squares}


def test_choices_and_colours_are_there_the_next_time(tmp_path: Path) -> None:
    with chromium("about:blank") as page:
        with served(tmp_path) as server:
            page.driver.get(server.address)
            assert {"casual", "white", "berkeley", "", "#0f4423"} <= shown(page)
            page.one("#to-settings").click()
            Select(page.one("#theme")).select_by_value("dark")
            Select(page.one("#squares")).select_by_value("green")
            page.one("#to-settings").click()
            page.more()
            page.one("#levels input[value=master]").click()
            page.one("#new input[value=black]").click()
            Select(page.one("#rules")).select_by_value("wild16")
            assert "how many pawn captures" in page.text("#rules-about")
            Select(page.one("#clock")).select_by_value("300+5")
            page.one("#new button[type=submit]").click()
            page.until_text("#about", "Clock: 5 min + 5 s")
        with served(tmp_path) as server:  # another one, at the same port
            page.driver.get(server.address)
            assert {"master", "black", "wild16", "300+5", "dark", "#4a1a6b"} <= shown(page)
        page.driver.get_log("browser")  # type: ignore[attr-defined] # as of Chrome; of attempts to connect between
