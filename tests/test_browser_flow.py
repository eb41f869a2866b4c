"""Around a game, in a browser: help, clocks, rematch, saved games, two people, sharing."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import Select

from kriegbot.web.live import LiveGame
from referee import load_record
from tests.browser import Page, browsing, chromium
from tests.effort import some
from tests.page import served, until

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("kernels")]


def move(page: Page, number: int, *squares: str) -> None:
    """One move by clicks, and the opponent's."""
    for square in squares:
        page.square(square).click()
    page.until_text("#turn", f"move {number}")


def resign(page: Page) -> None:
    page.one("#resign").click()
    page.one("#resigning [value=yes]").click()
    page.until_text("#outcome-text", "You resigned.")


def leave(page: Page, place: str) -> None:
    page.one(place).click()
    page.one("#leaving [value=yes]").click()


def games(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.pgn"))


def test_a_move_is_taken_back_and_another_one_made(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        assert not page.one("#takeback").is_enabled()
        move(page, 2, "e2", "e4")
        page.one("#takeback").click()
        page.until_text("#turn", "move 1")
        assert page.label("e2") == "e2, white pawn"
        assert page.text("#log") == ""
        move(page, 2, "d2", "d4")
        resign(page)
        (path,) = games(tmp_path)
    record = load_record(path)
    assert [turn.move.uci() for turn in record.turns][::2] == ["d2d4"]
    assert record.headers["Help"] == "1 move taken back, a chosen seed"


WATCH_GLIDES = """
    window.glides = [];
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (steps, how) {
      const square = this.closest("[data-square]")?.dataset.square;
      if (square) window.glides.push(`${square} ${steps[0].transform}`);
      return animate.call(this, steps, how);
    };
"""


def test_a_man_glides_where_it_goes_and_springs_back_where_it_is_refused(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        page.run(WATCH_GLIDES)
        move(page, 2, "e2", "e4")
        for text, where in (("d4", "#turn"), ("exd5", "#refused")):
            page.one("#try").clear()
            page.one("#try").send_keys(text, Keys.ENTER)
            page.until_text(where, "move 3" if where == "#turn" else text)
        side = page.one("#board [data-square=e4]").rect["width"]
        glides = [glide.split(maxsplit=1) for glide in page.run("return window.glides")]
    found = [(at, [round(2 * float(part[:-2]) / side) / 2 for part in way[10:-1].split(", ")]) for at, way in glides]
    assert found == [("e4", [0, 2]), ("d4", [0, 2]), ("e4", [-0.5, -0.5])]  # from how far to the right and down


def test_a_hint_names_tries_that_can_be_made_by_a_click(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        page.one("#hint").click()
        page.one("#hints .working, #hints ol")
        until(lambda: page.driver.find_elements(By.CSS_SELECTOR, "#hints li"), "a hint")
        assert "The saved game will note the hint" in page.text("#hints")
        tries = page.driver.find_elements(By.CSS_SELECTOR, "#hints li button")
        assert len(tries) == 3
        name = tries[0].text
        tries[0].click()
        page.until_text("#log", f"{name}: yes.")
        page.until_text("#turn", "move 2")
        assert not page.driver.find_elements(By.CSS_SELECTOR, "#hints li")


def test_a_flag_falls_in_sight(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.more()
        page.run("document.querySelector('#clock').append(new Option('two seconds', '2+0'))")
        Select(page.one("#clock")).select_by_value("2+0")
        page.one("#new button[type=submit]").click()
        page.one("#your-clock.short.running")
        page.until_text("#outcome", "You lost on time. Black wins.")
        assert page.text("#your-clock") == "0:00"


def test_a_rematch_changes_sides(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        resign(page)
        page.one("#rematch").click()
        page.until_text("#your-name", "Black: You")
        page.until_text("#turn", "Your turn")
        assert page.text("#their-name") == "White: rand"


def test_a_game_is_left_and_played_on_from_the_saved_games(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        move(page, 2, "e2", "e4")
        before = page.text("#log")
        leave(page, "#to-library")
        page.click("#games .do button")  # the first is: play on
        page.one("#turn")
        page.until_text("#turn", "move 2")
        assert page.text("#log") == before
        assert not page.driver.find_elements(By.CSS_SELECTOR, "#review .diagram")
        move(page, 3, "d2", "d4")
        resign(page)
        (path,) = games(tmp_path)
    assert len(load_record(path).turns) == 4


def test_saved_games_are_looked_at_and_deleted_once_that_is_confirmed(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        resign(page)
        page.one("#to-library").click()
        page.one("#games a")
        assert page.run("return document.querySelector('#games a').download") == games(tmp_path)[0].name
        drawn = "return [...document.querySelectorAll('#games .do [aria-hidden=true] use')].filter(shows).length"
        assert page.run("const shows = (use) => document.querySelector(use.getAttribute('href'));" + drawn) == 3
        page.click("#games .do button:last-child")
        page.one("#deleting [value=no]").click()
        page.click("#games .do button")
        page.one(".sheet")
        page.one("#to-library").click()
        page.click("#games .do button:last-child")
        page.one("#deleting [value=yes]").click()
        page.one("#no-games")
    assert games(tmp_path) == []


def test_a_file_is_uploaded_and_one_that_is_no_game_is_refused_beside_the_form(tmp_path: Path) -> None:
    folder, chess_game, letter = tmp_path / "games", tmp_path / "game.pgn", tmp_path / "letter.txt"
    chess_game.write_text('[White "Ann"]\n[Black "Bob"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n', encoding="utf-8")
    letter.write_text("Dear Ann", encoding="utf-8")
    with served(folder) as server, chromium(server.address) as page:
        page.one("#to-library").click()
        page.one("#upload .button")
        page.run("document.querySelector('#to-settings').focus()")
        page.driver.switch_to.active_element.send_keys(Keys.TAB)
        chooser = page.driver.switch_to.active_element
        assert (chooser.get_attribute("id"), chooser.accessible_name) == ("upload-file", "Add a game (PGN)")
        assert page.run("return getComputedStyle(document.querySelector('#upload .button')).outlineStyle") == "solid"
        chooser.send_keys(str(letter))
        assert page.text("#upload-name") == "letter.txt"
        page.one("#upload button").click()
        page.until_text("#upload-text", "unknown format")
        page.one("#upload-file").send_keys(str(chess_game))
        page.one("#upload button").click()
        page.one(".sheet")
        page.until_text("#review h2", "Ann")
        assert "Qxe5#" in page.text(".sheet")
        page.driver.get_log("browser")  # type: ignore[attr-defined] # as of Chrome; the refusal is no fault of the page
    assert load_record(games(folder)[0]).result == "1-0"


def test_two_people_play_by_two_links(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as ann, browsing() as driver:
        ann.one("#invite").click()
        link = str(ann.one("#link").get_attribute("value"))
        assert [ann.label(square) for square in ("e2", "e7")] == ["e2, white pawn", "e7, unseen"]  # while one waits
        bob = Page(driver, link)
        bob.until_text("#invited-terms", "You play Black. Rules: Berkeley. No clock.")
        assert not ann.one("#draw").is_enabled()
        assert not ann.one("#resign").is_enabled()
        bob.one("#guest-name").send_keys("Bob" + Keys.ENTER)
        for page, side in ((ann, "White"), (bob, "Black")):
            page.until_text("#your-name", f"{side}: You")
        ann.until_text("#their-name", "Black: Bob")
        ann.until_text("#turn", "Your turn")
        assert not ann.driver.find_element(By.ID, "invitation").is_displayed()
        for square in ("e2", "e4"):
            ann.square(square).click()
        bob.until_text("#turn", "Your turn")
        assert bob.label("e4") == "e4, unseen"
        assert [bob.driver.find_element(By.ID, name).is_displayed() for name in ("hint", "takeback", "to-library")] == [
            False
        ] * 3
        ann.one("#draw").click()
        bob.until_text("#offer", "White offers a draw")
        for square in ("e7", "e5"):
            bob.square(square).click()
        ann.until_text("#message", "Your opponent moved, which declines the draw.")
        bob.one("#draw").click()
        ann.until_text("#offer", "Black offers a draw")
        ann.one("#accept").click()
        for page in (ann, bob):
            page.until_text("#outcome-text", "A draw. Agreement, draw.")
        ann.until_text("#review h2", "Bob")
        ann.driver.refresh()
        ann.until_text("#review h2", "Bob")
        assert bob.one("#rematch").text == "Rematch: you play White"
        bob.one("#rematch").click()
        bob.until_text("#your-name", "White: You")
        assert ann.one("#accept-rematch").text == "Your opponent wants a rematch: you play Black"
        ann.one("#accept-rematch").click()
        ann.until_text("#your-name", "Black: You")
        bob.until_text("#turn", "Your turn")
        bob.driver.get("about:blank")
        ann.until_text("#presence", "has left")
        bob.driver.back()
        ann.until_text("#presence", "is back")
        bob.until_text("#turn", "Your turn")
        for square in ("e2", "e4"):
            bob.square(square).click()
        until(lambda: ann.text("#presence") == "", "the game to go on")


def test_others_look_at_a_game_of_two_people_once_it_has_ended(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as ann, browsing() as driver:
        ann.one("#invite").click()
        ann.one("#onlookers button").click()
        link = str(ann.one("#onlookers input").get_attribute("value"))
        eve = Page(driver, link)
        eve.until_text("#later-text", "The game is still on.")
        assert driver.find_elements(By.CSS_SELECTOR, "#board *, #review *, #log *") == []
        server.registry.get(ann.run("return location.hash.split('=')[1]")).play.stop("the test wants it to end")
        ann.until_text("#outcome-text", "Broken off")
        eve.until_text("#later-text", "may be continued")
        ann.click("#again")
        ann.one("#invite").click()
        ann.one("#link")
        ann.one("#here").click()
        ann.one("#unhide").click()
        ann.one("#resign").click()
        ann.one("#resigning [value=yes]").click()
        ann.one("#outcome-do button:not(.main)").click()
        eve = Page(driver, str(ann.one("#outcome-do input").get_attribute("value")))
        eve.one("#review .sheet")
        assert not driver.find_element(By.ID, "to-library").is_displayed()


def test_a_link_without_a_game_tells_a_guest_so(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        address = server.address.replace(server.address.split("/")[3], server.registry.guest_token)
        with chromium(address + "#game=none") as page:
            page.until_text("#welcome", "This link is incomplete or no longer valid. Ask for the whole link")
            assert not page.driver.find_element(By.ID, "new").is_displayed()
        with chromium(address) as page:
            page.until_text(
                "#welcome", "To play, open the whole link that you were sent. It ends in #game= and 16 characters."
            )
            page.click("nav [href='#puzzles']")
            page.one("#puzzle-log li")


def test_an_open_tab_says_that_the_server_has_stopped_and_goes_on_by_itself(tmp_path: Path) -> None:
    with browsing(390, 844, is_phone=True) as driver:
        with served(tmp_path) as server:
            page = Page(driver, server.address)
            page.start("rand", seed=2)
            move(page, 2, "e2", "e4")
            place, port = page.square("h1").rect, server.port
        page.until_text(
            "#lost", "The server has stopped. Once kriegbot play --web runs again, this page goes on by itself."
        )
        assert page.label("e4") == "e4, white pawn, your last move"
        assert page.square("h1").rect == place

        def is_unsent() -> bool:
            page.one("#try").send_keys("d4", Keys.ENTER)
            return driver.find_element(By.ID, "lost").text.startswith("That was not sent")  # until it tries again

        until(is_unsent, "a line about a try that was not sent")
        driver.get_log("browser")  # type: ignore[no-untyped-call] # as of Chrome; of attempts to connect
        with served(tmp_path):
            until(lambda: not driver.find_element(By.ID, "lost").is_displayed(), "the connection")
            move(page, 3, "d2", "d4")
        (tmp_path / ".address.json").write_text(
            f'{{"host":"127.0.0.1","port":{port}}}', encoding="utf-8"
        )  # with other tokens
        (tmp_path / ".address.json").chmod(0o600)
        with served(tmp_path):
            page.until_text(
                "#lost", "This address is no longer valid. Open the one that kriegbot prints when it starts."
            )
        driver.get_log("browser")  # type: ignore[no-untyped-call]


def test_the_page_works_at_an_address_of_the_network(tmp_path: Path) -> None:
    """Browsers trust it less than 127.0.0.1: no clipboard by script, no opener policy."""
    with served(tmp_path, "0.0.0.0") as server, chromium(server.address) as page:
        page.one("#invite").click()
        assert str(page.one("#link").get_attribute("value")).startswith(f"http://{urlsplit(server.address).netloc}/")
        page.one("#copy").click()
        page.until_text("#copy", "Copied")
        page.one("#again").click()  # a game of two people goes on
        page.start("rand", seed=2)
        move(page, 2, "e2", "e4")


def test_the_board_is_turned(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        page.one("#flip").click()
        assert page.square("h1").location["x"] < page.square("a1").location["x"]
        move(page, 2, "e2", "e4")
        assert page.label("e2") == "e2, unseen, your last move"


def test_a_refusal_stands_beside_the_form_that_has_asked(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.click("nav [href='#watch']")
        page.one("#watch-seed")
        page.run("document.querySelector('#watch-seed').removeAttribute('pattern')")
        page.one("#watch-seed").send_keys("x")
        page.one("#watch-start").click()
        page.until_text("#watch-failure", "illegal seed 'x'")
        assert page.text("#failure") == ""
        page.click("#again")
        page.more()
        page.run("document.querySelector('#seed').removeAttribute('pattern')")
        page.one("#seed").send_keys("x")
        page.one("#new button[type=submit]").click()
        page.until_text("#failure", "illegal seed 'x'")


@pytest.mark.parametrize(("width", "height"), some(((390, 844), (1440, 900)), 1))
def test_the_same_bar_leads_from_every_page_to_every_page(width: int, height: int, tmp_path: Path) -> None:
    pages = ["", "#watch", "#learn", "#puzzles", "#rules", "#library"]
    with served(tmp_path) as server, chromium(server.address, width, height, is_phone=width < 500) as page:
        for name in ["", "#rules", "#puzzles", "#library", "#learn", "#watch", ""]:
            page.click(f"nav [href='{name or '#'}']")
            page.one(f"nav [aria-current][href='{name or '#'}']")
            links = page.driver.find_elements(By.CSS_SELECTOR, "nav a")
            assert [urlsplit(str(one.get_attribute("href"))).fragment for one in links] == [one[1:] for one in pages]
            assert len({one.location["y"] for one in links if one.is_displayed()}) == 1
        page.start("rand", seed=3)
        page.click("nav [href='#puzzles']")  # beside a game in progress
        until(lambda: len(page.driver.window_handles) == 2, "another tab")
        own, other = page.driver.window_handles
        page.driver.switch_to.window(other)
        page.one("#puzzle-title")
        page.driver.close()
        page.driver.switch_to.window(own)
        page.click("nav [href='#watch']")
        page.click("#leaving [value=yes]")
        page.one("#watch-start")


def test_the_rules_that_are_chosen_are_a_click_away_in_plain_words(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.more()
        Select(page.one("#rules")).select_by_value("cincinnati")
        page.one("#rules-link").click()
        page.one("#rules-page")
        top = page.run("return document.querySelector('#rules-cincinnati').getBoundingClientRect().top")
        assert 0 <= top < 100
        page.driver.back()
        page.more()
        assert page.one("#rules").get_attribute("value") == "cincinnati"


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 757), (1920, 941)])
def test_the_start_is_aligned_and_nothing_on_it_is_cut_off(width: int, height: int, tmp_path: Path) -> None:
    is_phone = width < 500
    with (
        served(tmp_path) as server,
        chromium(server.address, width, height if is_phone else height + 139, is_phone=is_phone) as page,
    ):
        page.one("#new .go")
        script = (
            "return arguments[0].map((one) => document.querySelector(one).getBoundingClientRect())"
            ".map(({left, right}) => [left, right])"
        )
        figure, form = page.run(script, ["#start figure", "#new"])
        assert page.run("return document.documentElement.scrollWidth") <= width
        page.click("nav [href='#watch']")
        page.one("#watch-start")
        player, rules = page.run(script, ["#watch-white", "#watch-rules"])
        assert figure[0] == form[0] if is_phone else figure[1] < form[0]
        assert form[1] - form[0] > 330
        assert min(player[1] - player[0], rules[1] - rules[0]) > 200
        assert page.run("return document.documentElement.scrollWidth") <= width


def test_levels_can_be_watched_by_their_names(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.click("nav [href='#watch']")
        Select(page.one("#watch-white")).select_by_visible_text("Club bot")
        Select(page.one("#watch-black")).select_by_visible_text("rand")
        assert "Considers your reply" in page.text(".watch-form small")
        page.one("#watch-start").click()
        page.one("#review h2")
        page.until_text("#review h2", "Club bot")


def test_all_men_stand_on_the_boards_until_the_watched_programs_have_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LiveGame, "begin", lambda _game: None)
    with served(tmp_path) as server, chromium(server.address) as page:
        page.click("nav [href='#watch']")
        page.one("#watch-start").click()
        assert "starting the programs" in page.one(".frame-title").text
        script = "return ['white', 'true', 'black'].map((one) => document.querySelectorAll(`#panel-${one} use`).length)"
        assert page.run(script) == [16, 32, 16]


def download(driver: WebDriver, folder: Path) -> None:
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})


def test_a_review_is_one_file_that_needs_no_server(tmp_path: Path) -> None:
    with served(tmp_path / "games") as server, chromium(server.address) as page:
        page.start("rand", seed=2)
        move(page, 2, "e2", "e4")
        page.one("#try").send_keys("exd5" + Keys.ENTER)
        page.until_text("#refused", "exd5")
        resign(page)
        until(
            lambda: page.driver.find_elements(By.CSS_SELECTOR, "#walk[hidden] + .turning :is(ol, p)"), "all of the game"
        )
        download(page.driver, tmp_path)
        page.one("#share").click()
        until(lambda: (tmp_path / "kriegspiel.html").exists(), "the file")
        until(lambda: (tmp_path / "kriegspiel.html").read_text(encoding="utf-8").endswith("</html>\n"), "all of it")
    with chromium((tmp_path / "kriegspiel.html").as_uri()) as page:
        page.one(".sheet")
        assert page.driver.find_elements(By.CSS_SELECTOR, ".sheet s")[0].text == "exd5"
        assert len(page.driver.find_elements(By.CSS_SELECTOR, ".curve")) == 4
        page.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.HOME)
        page.until_text(".values", "White to try")
        assert len(page.driver.find_elements(By.CSS_SELECTOR, "#panel-true use.man")) == 32


@pytest.mark.parametrize(("width", "height"), some(((390, 844), (1280, 661), (844, 390), (1920, 941)), 2))
def test_the_whole_board_is_in_sight_and_nothing_overlaps_it(width: int, height: int, tmp_path: Path) -> None:
    """The last two are the insides of windows of 1280x800 and 1920x1080."""
    is_phone = min(width, height) < 500
    with (
        served(tmp_path) as server,
        chromium(server.address, width, height if is_phone else height + 139, is_phone=is_phone) as page,
    ):
        assert page.one("#new button.main").rect["y"] + 40 < height  # Play is above the fold
        page.start("rand", seed=2)
        rects = page.run(
            "return ['#board', '.announcements', '#entry', 'header'].map((one) => {"
            "const {left, top, right, bottom} = document.querySelector(one).getBoundingClientRect();"
            "return [left, top, right, bottom]})"
        )
        left, top, right, bottom = rects[0]
        assert left >= 0
        assert right <= width
        assert bottom <= height
        for other in rects[1:]:
            is_apart = other[0] >= right or other[2] <= left or other[1] >= bottom or other[3] <= top
            is_apart = is_apart or other[2] - other[0] > width - 40  # a header's row, not what is in it
            assert is_apart or other[3] <= top + 1
        assert page.run("return document.documentElement.scrollWidth") <= width
        if width > height:
            assert page.run("return document.documentElement.scrollHeight") <= page.run("return innerHeight") + 1


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390)])
def test_the_large_board_of_a_review_is_in_sight_on_a_phone(width: int, height: int, tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address, width, height, is_phone=True) as page:
        page.start("rand", seed=2)
        resign(page)
        page.one("#review .sheet")
        bottom = page.run("return document.querySelector('.panel.chosen .diagram').getBoundingClientRect().bottom")
        assert 150 < bottom <= height
        assert page.run("return document.documentElement.scrollWidth") <= width
