"""The same browser is the same person: by a link on another site, clicked twice, and after a restart of the server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")

from selenium.webdriver.common.by import By

from kriegbot.web.app import BROWSER
from kriegbot.web.registry import ServerLimits
from kriegbot.web.server import page_to
from tests.browser import Page, browsing
from tests.page import served

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@contextmanager
def other_site(link: str) -> Iterator[str]:
    """Return the address of a page of another site, a web chat for example, with a link."""

    class Chat(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f'<!doctype html><link rel="icon" href="data:,"><a href="{link}">Play!</a>'.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Chat) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://localhost:{server.server_port}/"  # not the site 127.0.0.1
        server.shutdown()
        thread.join()


def cookie(page: Page) -> str:
    """Return the cookie that recognizes a browser."""
    found = page.driver.get_cookie(BROWSER)
    assert found is not None
    assert (found["sameSite"], found["httpOnly"]) == ("Lax", True)
    return str(found["value"])


def move(page: Page, text: str) -> None:
    """Type a try."""
    page.one("#try").send_keys(f"{text}\n")


def test_two_browsers_a_link_clicked_twice_a_restart_and_a_third_person(tmp_path: Path) -> None:
    """Each step is printed: `pytest -s` shows the transcript."""
    with browsing() as one, browsing() as two, browsing() as three:
        with served(tmp_path) as server:
            host = Page(one, page_to(server.address, tmp_path / "open.html"))
            host.more()
            host.click("#invite")
            link = str(host.one("#link").get_attribute("value"))
            mine, first = one.current_url, cookie(host)
            print(f"host: opened by a file, invites; seat {mine.partition('#')[2]}, cookie {first}")
            with other_site(link) as chat:
                guest = Page(two, chat)
                guest.click("a")
                guest.click("#join button")
                host.until_text("#turn", "Your turn")
                seat, name = two.current_url, cookie(guest)
                print(f"guest: came from {chat}, joins; cookie {name}")
                for board, text in ((host, "e4"), (guest, "e5")):
                    board.until_text("#turn", "Your turn")
                    move(board, text)
                two.get(chat)
                guest.click("a")
                guest.square("e5")
                guest.until_text("#turn", "White to try.")
                assert (two.current_url, cookie(guest)) == (seat, name)
                print(f"guest: went back and clicked again; the same seat, cookie {cookie(guest)}")
                stranger = Page(three, chat)
                stranger.click("a")
                stranger.until_text("#welcome-why", "Somebody has already joined with this link.")
                before = cookie(stranger)
                assert three.current_url == seat
                three.refresh()
                stranger.until_text("#welcome-why", "or ask your host to free the seat.")
                assert (three.current_url, cookie(stranger)) == (seat, before)
                print(f"third: {stranger.text('#welcome-why')} Address and cookie {before} are as before.")
            for driver in (one, two, three):
                driver.get("about:blank")
        with served(tmp_path) as server:
            print("the server was stopped and started again")
            host = Page(one, page_to(f"{server.address}#{mine.partition('#')[2]}", tmp_path / "open.html"))
            host.until_text("#turn", "Your turn")
            assert (one.current_url, cookie(host)) == (mine, first)
            with other_site(link) as chat:
                guest = Page(two, chat)
                guest.click("a")
                guest.until_text("#turn", "White to try.")
                assert cookie(guest) == name
                move(host, "d4")
                guest.until_text("#turn", "Your turn")
                print("host and guest: the game goes on; 2. d4 was played")
            for driver in (one, two):
                driver.get("about:blank")


def test_an_evening_with_a_friend_away_from_the_game_and_back_left_claimed_and_again(tmp_path: Path) -> None:
    with served(tmp_path, limits=ServerLimits(claim_after=0)) as server, browsing() as one, browsing() as two:
        host = Page(one, server.address)
        host.more()
        host.click("#clock option[value=free]")
        host.one("#minutes").clear()
        host.one("#minutes").send_keys("7")
        host.click("#fifty")
        assert "White, 7 min + 0 s, Berkeley, 50-move rule" in host.text("#terms")
        host.click("#invite")
        link = str(host.one("#link").get_attribute("value"))
        guest = Page(two, link.replace("#", "%23") + ")")
        guest.until_text("#invited-terms", "Rules: Berkeley, 50-move rule. Clock: 7 min + 0 s.")
        guest.one("#guest-name").send_keys("Bob")
        guest.click("#join button")
        host.until_text("#turn", "Your turn")
        host.click("#to-library")
        host.until_text("#in-progress", "Game in progress: go back to")
        host.click("#in-progress a")
        move(host, "e4")
        guest.until_text("#turn", "Your turn")
        two.get(link.partition("#")[0])
        guest.click("#in-progress a")
        guest.until_text("#turn", "Your turn")
        two.get("about:blank")
        host.until_text("#away-text", "Bob has left. After a minute you may claim the game.")
        host.run("document.querySelector('#claim').hidden = false")
        host.click("#claim-win")
        host.until_text("#outcome-text", "You won: Black left the game.")
        host.click("#rematch")
        host.until_text("#their-name", "White: Bob")
        assert not [name for name in ("invitation", "stranger") if one.find_element(By.ID, name).is_displayed()]
        guest = Page(two, link)
        guest.until_text("#outcome-text", "You left the game. White wins.")
        guest.click("#accept-rematch")
        host.until_text("#turn", "White to try.")
        assert guest.text("#your-name") == "White: You"
        for driver in (one, two):
            driver.get("about:blank")
