"""A person plays on the page, in a browser."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from kriegbot.players.kriegbot import WORDS
from kriegbot.web.server import PageServer
from referee import load_record
from tests.browser import Page, chromium
from tests.effort import some
from tests.page import served, until

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("kernels")]

STATIC = Path("kriegbot/web/static")
MATE = [("e2", "e4"), ("d1", "h5"), ("f1", "c4"), ("h5", "f7")]
"""White's moves to mate against the random player of seed 2."""


def click(page: Page, *squares: str) -> None:
    for square in squares:
        page.square(square).click()


def drag(page: Page, start: str, end: str) -> None:
    ActionChains(page.driver).drag_and_drop(page.square(start), page.square(end)).perform()


def move(page: Page, number: int, *squares: str) -> None:
    """One move by clicks, and the opponent's."""
    click(page, *squares)
    page.until_text("#turn", f"move {number}")


def saved(folder: Path) -> Path:
    """Return the one game that is saved, as soon as it is."""
    until(lambda: list(folder.glob("*.pgn")), "a saved game")
    (path,) = folder.glob("*.pgn")
    return path


@pytest.mark.parametrize("way", some((drag, click), 1))
def test_a_game_is_played_to_mate_by_clicks_and_by_drags(way, tmp_path: Path) -> None:  # type: ignore[no-untyped-def] # a function
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        for number, squares in enumerate(MATE, 1):
            page.until_text("#turn", f"move {number}")
            way(page, *squares)
        page.until_text("#outcome", "You won. Checkmate, White wins.")
        record = load_record(saved(tmp_path))
    assert (record.result, len(record.turns), record.headers["Seed"]) == ("1-0", 7, "2")


def test_a_level_is_chosen_by_name_and_needs_no_time(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        is_hidden = "return document.querySelector('#time-choice').hidden"
        page.one("#levels input[value=best]").click()
        assert page.run(is_hidden) is False
        assert WORDS["best"][1:] in page.one("#level-choice").text
        page.one("#levels input[value=casual]").click()
        assert page.run(is_hidden) is True
        page.one("#new button[type=submit]").click()
        page.until_text("#turn", "Your turn")
        page.until_text("body", "Black: Casual bot")


def test_black_plays_from_the_other_side_of_the_board(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", color="black", seed=1)
        assert page.square("h1").location["x"] < page.square("a1").location["x"]
        for number, squares in enumerate([("e7", "e5"), ("d8", "h4"), ("f8", "c5"), ("h4", "f2")], 1):
            page.until_text("#turn", f"move {number}")
            drag(page, *squares)
        page.until_text("#outcome", "You won. Checkmate, Black wins.")


def test_a_pawn_that_promotes_asks_to_what(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        for number, squares in enumerate([("h2", "h4"), ("h4", "h5"), ("h5", "h6"), ("h6", "g7")], 2):
            move(page, number, *squares)
        click(page, "g7", "h8")
        page.click("#promotion > button")  # Cancel
        assert page.label("g7") == "g7, white pawn, your last move"
        click(page, "g7", "h8")
        page.one("#promotions button")
        ActionChains(page.driver).move_by_offset(5, 5).click().perform()  # beside the dialog
        until(lambda: not page.run("return document.querySelector('#promotion').open"), "the end of the question")
        click(page, "g7", "h8")
        page.one("#promotion button[aria-label='white knight']").click()
        page.until_text("#turn", "move 6")
        page.until_text("#log", "gxh8=N: yes.")
        assert page.label("h8") == "h8, white knight, your last move"


def test_the_board_is_played_by_keys_alone(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        page.run("document.querySelector('#board [tabindex=\"0\"]').focus()")
        keys = ActionChains(page.driver)
        keys.send_keys(Keys.ENTER, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ENTER).perform()
        page.until_text("#turn", "move 2")
        assert page.label("e4") == "e4, white pawn, your last move"
        assert page.run("return document.activeElement.dataset.square") == "e4"


def test_tries_are_written_and_refused_as_the_referee_does(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        entry = page.one("#try")
        entry.send_keys("Qh9" + Keys.ENTER)
        page.until_text("#message", "'Qh9' is not a move")
        entry.send_keys("exd3" + Keys.ENTER)
        page.until_text("#announcement", "exd3? No.")
        assert page.text("#message") == ""
        entry.send_keys("exf3" + Keys.ENTER)
        page.until_text("#announcement", "exf3? No.")
        assert page.text("#refused") == "exd3 exf3 "
        entry.send_keys("Nf3" + Keys.ENTER)
        page.until_text("#turn", "move 2")
        assert page.text("#refused") == ""
        page.until_text("#log", "Nf3: yes.")


def test_a_page_that_is_loaded_again_or_loses_its_connection_is_back_in_its_game(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        move(page, 2, "e2", "e4")
        page.one("#tray [data-man=q]").click()
        click(page, "d8")
        before = page.text("#log")
        page.driver.refresh()
        page.until_text("#turn", "Your turn: move 2.")
        assert page.text("#log") == before
        assert page.label("d8") == "d8, marker: black queen"
        cut(server)
        page.one("#lost")
        until(lambda: not page.run("return document.getElementById('lost').checkVisibility()"), "the connection")
        move(page, 3, "d2", "d3")


def cut(server: PageServer) -> None:
    """Cuts all connections."""

    async def close() -> None:
        for connection in list(server.server_state.connections):
            connection.transport.abort()

    loop = next(iter(server.servers)).get_loop()
    asyncio.run_coroutine_threadsafe(close(), loop).result()


def test_markers_move_aside_where_no_enemy_man_can_be(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        for kind, square in (("n", "e3"), ("p", "e4"), ("q", "d8"), ("b", "a3")):
            page.one(f"#tray [data-man={kind}]").click()
            click(page, square)
        drag(page, "a3", "b3")
        assert page.label("b3") == "b3, marker: black bishop"
        page.square("b3").send_keys(Keys.DELETE)
        assert page.label("b3") == "b3, unseen"
        click(page, "e2", "e4")
        page.until_text("#turn", "move 2")
        assert page.label("e3") == "e3, unseen"
        assert page.label("e4") == "e4, white pawn, your last move"
        assert page.label("d8") == "d8, marker: black queen"
        aside = page.one("#aside [role=img]").get_attribute("aria-label")
        assert sorted(str(aside).split(", ")) == ["black knight", "black pawn"]
        assert "1 of 16" in page.text("#markers legend")


def test_the_heat_map_shows_all_men_or_one_kind(tmp_path: Path) -> None:
    def percents() -> dict[str, str]:
        found: dict[str, str] = page.run(
            "return Object.fromEntries([...document.querySelectorAll('#board small')]"
            ".map((one) => [one.parentElement.dataset.square, one.textContent]))"
        )
        return found

    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        page.one("#heat").click()
        until(percents, "a heat map")
        assert percents() == {f"{file}{rank}": "100" for file in "abcdefgh" for rank in "78"}
        page.one("#heat-kind option[value='4']").click()
        assert percents() == {"d8": "100"}
        assert page.label("d8") == "d8, unseen, 100% queen"
        page.one("#heat").click()
        until(lambda: not percents(), "the end of the heat map")


def test_resigning_and_leaving_are_confirmed(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        page.one("#resign").click()
        page.one("#resigning [value=no]").click()
        move(page, 2, "e2", "e4")
        page.one("#resign").click()
        page.one("#resigning [value=yes]").click()
        page.until_text("#outcome", "You resigned. Black wins.")
        page.one("#again").click()
        page.start("rand")
        page.one("#again").click()
        page.one("#leaving [value=yes]").click()
        page.one("#start")
        until(lambda: len(list(tmp_path.glob("*.pgn"))) == 2, "the second game")
        assert sorted(load_record(path).result for path in tmp_path.glob("*.pgn")) == ["*", "0-1"]


@pytest.mark.parametrize("width", some((360, 390), 1))
def test_nothing_is_wider_than_a_phone(width: int, tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address, width, 800, is_phone=True) as page:
        page.one("#new button[type=submit]")
        assert page.run("return document.documentElement.scrollWidth") <= width
        page.start("overconfident")
        assert page.run("return document.documentElement.scrollWidth") <= width
        assert page.square("e2").size["width"] >= 40


def test_everything_that_can_be_used_has_a_name(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        assert page.nameless(":is(button, input, select):not(#learn *, #puzzles *)") == []
        assert page.run("return document.querySelectorAll('[aria-live=assertive]').length") == 1
        page.one("#try").send_keys("exd3" + Keys.ENTER)
        page.until_text("#newest", "exd3? No.")
        page.one("#try").send_keys("Nf3" + Keys.ENTER)
        page.until_text("#turn", "move 2")
        assert page.text("#newest") == "Black has moved."  # and nothing that was read before
        assert "Nf3: yes." in page.text("#announcement")
        assert min(entry.size["height"] for entry in page.driver.find_elements("css selector", "#log button")) >= 24
        board = page.one("#board")
        assert board.get_attribute("role") == "grid"
        assert (
            page.run(
                "return document.querySelectorAll('#board > [role=row] > [role=gridcell] > button:not([role])').length"
            )
            == 64
        )
        assert page.run("return document.querySelectorAll('#board [tabindex=\"0\"]').length") == 1


def luminance(color: str) -> float:
    """Relative luminance of #rgb or #rrggbb, as WCAG 2 defines it."""
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_text_stands_out_in_light_and_in_dark() -> None:
    (both,) = re.findall(r":root \{(.*?)\}", (STATIC / "style.css").read_text(encoding="utf-8"), re.DOTALL)
    pairs_of_colors = re.findall(r"--([a-z-]+): light-dark\((#\w+), (#\w+)\)", both)
    for theme in (0, 1):
        colors = {name: shades[theme] for name, *shades in pairs_of_colors}
        pairs = [(text, ground) for text in ("ink", "soft", "accent", "bad") for ground in ("paper", "sheet")]
        for text, ground in [*pairs, ("on-accent", "accent"), ("paper", "bad")]:
            assert contrast(colors[text], colors[ground]) >= 4.5, (text, ground, theme)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as WCAG 2 defines it."""
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def mixed(top: str, share: float, ground: str) -> str:
    """Return a colour that covers a share of another one."""
    pairs = ((int(top[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(share * above + (1 - share) * below):02x}" for above, below in pairs)


def test_men_marks_and_chances_stand_out_on_every_board() -> None:
    text = (STATIC / "style.css").read_text(encoding="utf-8")
    boards = re.findall(
        r"--light: light-dark\((#\w+), (#\w+)\); --dark: light-dark\((#\w+), (#\w+)\); --last: (#\w+);", text
    )
    assert len(boards) == 3
    sheet = (STATIC / "play.css").read_text(encoding="utf-8")
    heat, open_, captured = "#d1450b", "#10489a", "#8f0019"
    assert "rgb(209 69 11 / calc(var(--heat, 0) * 0.8))" in sheet
    assert f"background: {open_}" in sheet
    assert f"4px {captured}" in sheet
    for *squares, last in boards:
        for square in squares:
            assert contrast("#000000", square) >= 7  # men
            assert contrast("#000000", mixed(heat, 0.8, square)) >= 4.5  # the number of a chance
            assert contrast("#3f2a10", square) >= 4.5  # the square's name
            assert min(contrast(mark, square) for mark in (last, open_, captured)) >= 3
            assert contrast(mixed(heat, 0.8, square), square) >= 1.5  # shades tell more from less; numbers say how much


def test_the_page_asks_nothing_of_the_outside() -> None:
    for path in STATIC.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//[a-z]+\.[a-z]|innerHTML|eval\(|document\.write", text), path
