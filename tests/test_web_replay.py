"""Looking back at a game in a browser: keys, slider, beliefs, values; watching two programs; on a phone."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import chess
import msgspec
import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")

if sys.platform == "win32":
    pytest.skip("needs a browser and signals as Unix has them", allow_module_level=True)

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.support.ui import Select, WebDriverWait

from kriegbot.cli.main import main
from kriegbot.web.pages import ReplayedGame
from kriegbot.web.review import Beliefs
from referee import GameRecord, load_record
from tests.browser import browsing
from tests.effort import some
from tests.page import Client, frames_of, serving

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kernels")]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a short game that ends in mate."""
    path = tmp_path_factory.mktemp("games") / "game.pgn"
    assert main(["match", "rand", "rand", "--seed", "75", "--quiet", "--save", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def address(path: Path) -> Iterator[str]:
    """Return the place where the page shows that game."""
    with serving(path.parent) as (registry, page):
        game = ReplayedGame(registry, load_record(path), str(path))
        registry.add(game)
        yield f"{page}#game={game.id}"


@pytest.fixture(scope="module")
def record(path: Path) -> GameRecord:
    return load_record(path)


def wait(driver: WebDriver, what: Any) -> Any:
    """Until a function of the driver is true."""
    return WebDriverWait(driver, 120, 0.02).until(what)


def open_game(driver: WebDriver, address: str) -> None:
    driver.get(address)
    wait(driver, lambda _: count(driver).startswith("0 of "))


def text(driver: WebDriver, selector: str) -> str:
    return driver.find_element(By.CSS_SELECTOR, selector).text


def count(driver: WebDriver) -> str:
    return "".join(element.text for element in driver.find_elements(By.CSS_SELECTOR, ".count"))


def press(driver: WebDriver, *keys: str) -> None:
    for key in keys:
        driver.find_element(By.TAG_NAME, "body").send_keys(key)


def men(driver: WebDriver, side: str) -> dict[str, str]:
    """Return the pieces on a board, read from the label for screen readers."""
    label = driver.find_element(By.CSS_SELECTOR, f"#panel-{side} svg").get_attribute("aria-label")
    assert label is not None
    found: dict[str, str] = {}
    for color, named in re.findall(r"(white|black) ([^;]*)", label.split(": ")[1]):
        for kind, squares in re.findall(r"([a-z]+?)s? ((?:[a-h][1-8] ?)+)", named):
            letter = chess.piece_symbol(chess.PIECE_NAMES.index(kind))
            found |= dict.fromkeys(squares.split(), letter.upper() if color == "white" else letter)
    return found


def shown_men(driver: WebDriver, side: str) -> int:
    return len(driver.find_elements(By.CSS_SELECTOR, f"#panel-{side} svg use.man"))


def looked_at(record: GameRecord, index: int) -> dict[str, Any]:
    """Return what the page is to say of a moment."""
    *_, last = record.replay()
    views = {color: last.referee.view(color) for color in chess.COLORS}
    heard = dict.fromkeys(chess.COLORS, 0)
    for number, step in enumerate(record.replay()):
        if number == index:
            heard = {color: len(step.referee.view(color).events) for color in chess.COLORS}
    beliefs = Beliefs()
    found = None
    while found is None:
        found = beliefs.look("game", views, heard)
    analysis: dict[str, Any] = msgspec.to_builtins(found)
    return analysis


def test_keys_and_slider_go_through_the_game(address: str, record: GameRecord) -> None:
    frames = frames_of(record)
    last = len(frames) - 1
    with browsing() as driver:
        open_game(driver, address)
        ways = [
            (Keys.ARROW_RIGHT, 1),
            (Keys.ARROW_RIGHT, 2),
            (Keys.ARROW_LEFT, 1),
            (Keys.PAGE_DOWN, 11),
            (Keys.PAGE_UP, 1),
        ]
        for key, at in [*ways, (Keys.END, last), (Keys.ARROW_RIGHT, last), (Keys.HOME, 0), (Keys.ARROW_LEFT, 0)]:
            press(driver, key)
            assert count(driver) == f"{at} of {last}"
            assert text(driver, ".frame-title") == frames[at]["title"]
            for side in ("white", "true", "black"):
                assert men(driver, side) == frames[at][side]
                assert shown_men(driver, side) == len(frames[at][side])
        moves = [at for at, frame in enumerate(frames) if frame["answer"] == "accepted"]
        down, up = Keys.ARROW_DOWN, Keys.ARROW_UP
        for key, at in [(down, moves[0]), (down, moves[1]), (up, moves[0]), (Keys.HOME, 0)]:
            press(driver, key)
            assert count(driver) == f"{at} of {last}"
        kind = driver.find_element(By.ID, "kind")
        kind.send_keys(down, Keys.ARROW_RIGHT)
        assert (Select(kind).first_selected_option.text, count(driver)) == ("pawns", f"1 of {last}")
        kind.send_keys(up, Keys.ARROW_LEFT)
        assert (Select(kind).first_selected_option.text, count(driver)) == ("all pieces", f"0 of {last}")
        slider = driver.find_element(By.ID, "moment")
        slider.send_keys(Keys.ARROW_RIGHT)
        slider.send_keys(Keys.ARROW_RIGHT)
        assert count(driver) == f"2 of {last}"
        assert slider.get_attribute("aria-valuetext") == f"2 of {last}: {frames[2]['title']}"
        driver.find_element(By.CSS_SELECTOR, "[aria-label=Last]").click()
        assert text(driver, ".ending").startswith("0-1: Checkmate, Black wins. Saved to ")
        assert not driver.find_element(By.CSS_SELECTOR, "[aria-label=Last]").is_enabled()
        driver.find_element(By.CSS_SELECTOR, ".sheet [data-at='7']").click()
        assert count(driver) == f"7 of {last}"
        runs = [
            (line, len(list(run)))
            for line, run in groupby(line for frame in frames[:8] for line in frame["news"]["black"])
        ]
        heard = [line if times == 1 else f"{line.rstrip('.')} ({times} times)." for line, times in runs]
        told = "return [...document.querySelectorAll('.notes.black .list li')].map((item) => item.innerText)"
        assert driver.execute_script(told) == heard


def test_beliefs_and_values_are_shown_where_they_are_asked_for(address: str, record: GameRecord) -> None:
    at = 20
    found = looked_at(record, at)
    made = frames_of(record)[at + 1]
    with browsing() as driver:
        open_game(driver, address)
        press(driver, *[Keys.PAGE_DOWN] * 2)

        def chances(side: str) -> list[str]:
            return [one.text for one in driver.find_elements(By.CSS_SELECTOR, f"#panel-{side} .chance")]

        def expected(side: str, kinds: slice) -> list[str]:
            sums = [sum(column) for column in zip(*found[side]["chances"][kinds], strict=True)]
            return [str(min(99, int(100 * chance + 0.5)) if chance < 1 else 100) for chance in sums if chance >= 0.005]

        wait(driver, lambda _: driver.find_elements(By.CSS_SELECTOR, ".values tbody tr"))
        for side in ("white", "black"):
            assert chances(side) == expected(side, slice(0, 6))
            signs = len(driver.find_elements(By.CSS_SELECTOR, f"#panel-{side} .sign"))
            assert signs == sum(len(found[side][key]) for key in ("right", "wrong", "missed"))
            said, sure = text(driver, f".notes.{side} .knows"), found[side]
            assert f"on average {sure['placed']:.1f} of {sure['men']} pieces placed correctly" in said
            assert said.lower().startswith(sure["basis"])
            assert ("occupied, and wrong" in said) == bool(sure["wrong"])
        Select(driver.find_element(By.ID, "kind")).select_by_visible_text("kings")
        assert chances("white") == expected("white", slice(5, 6))
        boxes = driver.find_elements(By.CSS_SELECTOR, ".belief input")
        boxes[0].click()
        assert (chances("white"), chances("black")) == ([], expected("black", slice(5, 6)))
        boxes[2].click()
        unseen = driver.find_elements(By.CSS_SELECTOR, "#panel-white use.unseen")
        assert len(unseen) == len(frames_of(record)[at]["black"])

        assert found["by"] in text(driver, ".values caption")
        more = driver.find_elements(By.CSS_SELECTOR, ".values > button")
        if more and more[0].is_displayed():
            more[0].click()
        rows = driver.find_elements(By.CSS_SELECTOR, ".values tbody tr")
        moves = [one["name"] for one in found["tries"] if not one["question"]]
        assert [row.text.split()[1] for row in rows][: len(moves)] == moves
        marked = [row.text.split()[1] for row in rows if "tried" in row.text]
        assert marked == [one["name"] for one in found["tries"] if one["uci"] == made["move"]]


def test_the_turning_points_of_both_sides_are_told_and_lead_to_their_moments(address: str, record: GameRecord) -> None:
    frames = frames_of(record)
    with browsing() as driver:
        open_game(driver, address)
        wait(driver, lambda _: driver.find_elements(By.CSS_SELECTOR, "#walk[hidden] + .turning li"))
        headings = [one.text for one in driver.find_elements(By.CSS_SELECTOR, ".turning h3")]
        assert headings == ["White's turning points", "Black's turning points"]
        points = driver.find_elements(By.CSS_SELECTOR, ".turning li")
        assert 0 < len(points) <= 6
        for point in points:
            place, made = point.find_element(By.TAG_NAME, "button").text.split()
            point.find_element(By.TAG_NAME, "button").click()
            after = frames[int(count(driver).split()[0]) + 1]
            assert (after["place"], after["name"]) == (place, made)
            assert after["answer"] == "accepted"


def test_the_large_board_and_the_first_turning_point_are_seen_without_scrolling(address: str) -> None:
    where = "return arguments[0].getBoundingClientRect().toJSON()"
    with browsing(1440, 900) as driver:
        open_game(driver, address)
        point = wait(driver, lambda _: driver.find_elements(By.CSS_SELECTOR, ".turning li"))[0]
        height = driver.execute_script("return innerHeight")
        for side in ("true", "white", "black"):
            driver.find_element(By.ID, f"panel-{side}").click()
            boards = {
                one: driver.execute_script(where, driver.find_element(By.CSS_SELECTOR, f"#panel-{one} svg"))
                for one in ("white", "true", "black")
            }
            assert max(boards, key=lambda one: boards[one]["width"]) == side
            assert boards[side]["width"] > 500
            assert all(one["bottom"] <= height for one in boards.values())
            assert driver.execute_script(where, point)["bottom"] <= height
            assert driver.execute_script(where, point)["left"] > max(one["right"] for one in boards.values())


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_the_board_stays_where_it_is_whatever_is_said_of_a_moment(width: int, height: int, address: str) -> None:
    tops = """
        const [slider, board] = ["#moment", "#panel-true svg"].map((one) => document.querySelector(one));
        const top = (at) => { slider.value = at; slider.oninput(); return board.getBoundingClientRect().top; };
        return [...Array(Number(slider.max)).keys()].map(top);
    """
    with browsing(width, height, is_phone=width < 500) as driver:
        open_game(driver, address)
        assert len(set(driver.execute_script(tops))) == 1


def test_the_page_asks_for_the_turning_points_first(address: str) -> None:
    log = "window.sent = []; const send = WebSocket.prototype.send;"
    log += "WebSocket.prototype.send = function (text) { sent.push(JSON.parse(text).do); send.call(this, text); }"
    with browsing(1200, 900) as driver:
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": log})
        open_game(driver, address)
        wait(driver, lambda _: driver.find_elements(By.CSS_SELECTOR, ".values tbody tr"))
        sent = driver.execute_script("return window.sent")
        assert [one for one in sent if one in ("turning", "look")][:2] == ["turning", "look"]


def test_two_programs_are_watched_to_the_end(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, page), browsing() as driver:
        driver.get(page)
        wait(driver, lambda _: driver.find_element(By.CSS_SELECTOR, "nav [href='#watch']").is_displayed())
        driver.find_element(By.CSS_SELECTOR, "nav [href='#watch']").click()
        wait(driver, lambda _: driver.find_elements(By.ID, "watch-start"))
        for side in ("white", "black"):
            Select(driver.find_element(By.ID, f"watch-{side}")).select_by_value("rand")
        driver.find_element(By.ID, "watch-seed").send_keys("63")
        Select(driver.find_element(By.ID, "watch-pace")).select_by_value("3")
        driver.find_element(By.ID, "watch-start").click()
        wait(driver, lambda _: count(driver).startswith("0 of 0"))
        pause = driver.find_element(By.ID, "pause")
        pause.click()
        wait(driver, lambda _: pause.text == "Continue")
        driver.execute_script("const pace = document.getElementById('pace'); pace.value = 0; pace.onchange()")
        pause.click()
        wait(driver, lambda _: text(driver, ".ending").startswith("0-1: Checkmate, Black wins. Saved to "))
        assert not pause.is_displayed()
        saved = load_record(text(driver, ".ending").split("Saved to ")[1].rstrip("."))
        last = len(frames_of(saved)) - 1
        assert count(driver) == f"{last} of {last}"
        driver.refresh()
        wait(driver, lambda _: count(driver) == f"{last} of {last}")
        assert men(driver, "true") == frames_of(saved)[-1]["true"]


def test_after_a_game_the_truth_is_shown_beside_what_was_known(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, page), browsing() as driver:
        driver.get(page)
        wait(driver, lambda _: driver.find_elements(By.CSS_SELECTOR, "#opponent option"))
        driver.find_element(By.CSS_SELECTOR, "#more summary").click()
        Select(driver.find_element(By.ID, "opponent")).select_by_value("rand")
        driver.find_element(By.CSS_SELECTOR, "#new button.main").click()
        wait(driver, lambda _: driver.find_element(By.ID, "turn").text.startswith("Your turn"))
        driver.find_element(By.ID, "try").send_keys("e4" + Keys.ENTER)
        wait(driver, lambda _: len(driver.find_elements(By.CSS_SELECTOR, "#log li")) >= 2)
        wait(driver, lambda _: driver.find_element(By.ID, "turn").text.startswith("Your turn"))
        assert not driver.find_elements(By.CSS_SELECTOR, "#review .diagram")
        driver.find_element(By.ID, "resign").click()
        driver.find_element(By.CSS_SELECTOR, "#resigning [value=yes]").click()
        wait(driver, lambda _: driver.find_elements(By.CSS_SELECTOR, "#review .diagram"))
        assert len(men(driver, "true")) == 32
        assert len(men(driver, "white")) == 16
        press(driver, Keys.HOME)
        wait(driver, lambda _: "tried: yes" in text(driver, ".values"))
        assert "White to try" in text(driver, ".values")


def test_on_a_phone_the_end_of_a_game_shows_ones_own_view_and_the_true_board_at_a_click(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, page), browsing(390, 844, is_phone=True) as driver, Client(page) as client:
        client.send(
            {"do": "new", "opponent": "rand", "color": "white", "rules": "berkeley", "seed": "3", "clock": None}
        )
        id_ = client.until("game")["id"]
        client.until("view", yours=True)
        driver.get(f"{page}#game={id_}")
        wait(driver, lambda _: driver.find_element(By.ID, "turn").text.startswith("Your turn"))
        client.send({"do": "resign"})
        wait(driver, lambda _: driver.find_elements(By.CSS_SELECTOR, "#review .diagram"))
        assert driver.find_element(By.CSS_SELECTOR, "#panel-white svg").is_displayed()
        driver.find_element(By.ID, "tab-true").click()
        board = driver.find_element(By.CSS_SELECTOR, "#panel-true svg")
        assert board.is_displayed()
        shown = driver.execute_script("return arguments[0].getBoundingClientRect().toJSON()", board)
        assert 0 <= shown["top"] < shown["bottom"] <= 844


@pytest.mark.parametrize("width", some((360, 390), 1))
def test_a_phone_shows_one_board_at_a_time_and_nothing_beyond_its_edge(address: str, width: int) -> None:
    with browsing(width, 844, is_phone=True) as driver:
        open_game(driver, address)
        press(driver, Keys.PAGE_DOWN)
        wait(driver, lambda _: driver.find_elements(By.CSS_SELECTOR, ".values tbody tr"))
        wait(driver, lambda _: driver.find_elements(By.CSS_SELECTOR, ".turning .fell"))
        for side in ("white", "true", "black"):
            driver.find_element(By.ID, f"tab-{side}").click()
            panels = driver.find_elements(By.CSS_SELECTOR, ".panel")
            assert [panel.get_attribute("id") for panel in panels if panel.is_displayed()] == [f"panel-{side}"]
            assert driver.execute_script("return document.documentElement.scrollWidth") == width
        before = int(count(driver).split()[0])
        driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
        assert int(count(driver).split()[0]) == before + 1


# The command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/no/such/game.pgn", "--web"], "cannot be read (No such file or directory)"),
        ([__file__, "--web"], "unknown format"),
        (["/no/such.sqlite#1", "--web"], "there is no such file"),
        (["GAME", "--web", "--port", "x"], "illegal port 'x'"),
        (["GAME", "--port", "8080"], "--port goes with --web; add that."),
        (["GAME", "--no-browser"], "--no-browser goes with --web; add that."),
    ],
)
def test_what_cannot_be_shown_is_refused_before_a_server_starts(
    arguments: list[str], message: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", *(str(path) if one == "GAME" else one for one in arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_the_command_serves_a_game_of_a_tournament_until_ctrl_c(tmp_path: Path) -> None:
    store = tmp_path / "games.sqlite"
    assert main(["tournament", "rand", "rand", "--games", "2", "--jobs", "1", "--out", str(store)]) == 0
    command = [sys.executable, "-m", "kriegbot", "replay", f"{store}#2", "--web", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", cwd=tmp_path) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = line.removeprefix("The page is at ").strip()
        assert "#game=" in address
        with urllib.request.urlopen(address.split("#")[0]) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(30) in (0, 130)
