"""People are recognized: by the cookie of their browser, as host, through forwarded ports; and a seat can be freed."""

from __future__ import annotations

import contextlib
import http.client
import json
import mimetypes
import socket
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import platformdirs
import pytest

from kriegbot import children
from kriegbot.request import Refused
from kriegbot.web import registry
from kriegbot.web.app import BROWSER
from kriegbot.web.library import write_private
from kriegbot.web.registry import ServerLimits
from kriegbot.web.requests import BROKEN_LINK
from kriegbot.web.server import PageServer, opener_in
from referee import Limits, load_record
from tests.page import E4, Client, served, until

INVITE = {"do": "invite", "color": "white", "rules": "berkeley", "clock": None, "name": "Ann"}
JOINED = (
    "Somebody has already joined with this link. Open it in the browser in which you joined first, or ask your host"
)


def index(address: str, **headers: str) -> str | None:
    """Return the Set-Cookie of the page for a request with these headers."""
    parts = urlsplit(address)
    with contextlib.closing(http.client.HTTPConnection(parts.netloc, timeout=30)) as connection:
        connection.request("GET", parts.path, headers={name.replace("_", "-"): text for name, text in headers.items()})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200
        return answer.getheader("Set-Cookie")


def test_a_browser_keeps_its_cookie_whichever_link_it_followed(address: str) -> None:
    first = index(address, Sec_Fetch_Site="cross-site", Sec_Fetch_Dest="document")
    assert first is not None
    assert first.endswith("; HttpOnly; Max-Age=2592000; Path=/; SameSite=lax")
    pair = first.partition(";")[0]
    assert index(address, Cookie=pair) == first  # its thirty days begin anew
    assert index(address, Cookie=f"other=1; {pair}", Sec_Fetch_Site="cross-site") == first
    for odd in ("", "x", "a" * 65, 'é"; Path=/x' + "a" * 22):
        cookie = index(address, Cookie=f"{BROWSER}={odd.encode().decode('latin-1')}")
        assert cookie is not None
        assert len(cookie.partition(";")[0].partition("=")[2]) == 22


@pytest.mark.parametrize("what", ["iframe", "image", "empty", "script"])
def test_a_foreign_page_that_embeds_ours_sets_no_cookie(what: str, address: str) -> None:
    assert index(address, Sec_Fetch_Site="cross-site", Sec_Fetch_Dest=what) is None


def invited(server: PageServer, host: Client) -> tuple[dict[str, Any], str, str]:
    """Return the host's game, the guests' address and the id of the seat to which an invitation leads."""
    host.send(INVITE)
    mine = host.until("game")
    path, _, game = mine["invitation"].partition("#game=")
    return mine, f"http://{urlsplit(server.address).netloc}{path}", game


def answer_to(server: PageServer, path: str) -> tuple[int, str | None, str]:
    """Return the status, the place and the text of the answer to a request for a path."""
    with contextlib.closing(http.client.HTTPConnection(urlsplit(server.address).netloc, timeout=30)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Location"), answer.read().decode()


def test_a_link_that_a_chat_program_has_changed_leads_to_its_game_or_a_sentence(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address) as host:
        _, guests, game = invited(server, host)
        token = server.registry.guest_token
        for cut in ("", ".", ")", ">", "/.", "/)>", "%3E", "/%29"):
            assert answer_to(server, f"/{token}{cut}")[:2] == (307, f"/{token}/")
        for encoded in ("/%23game=", "/%23game%3D", "%2F%23game%3D", "%23game%3D", "/%2523game%253D"):
            assert answer_to(server, f"/{token}{encoded}{game}")[:2] == (307, f"/{token}/#game={game}")
            assert answer_to(server, f"/{token}{encoded}{game}%29.")[1] == f"/{token}/#game={game}"
        for wrong in ("/", f"/{token[:-1]}", f"/{token[:-1]}/%23game={game}", f"/x{token}/", "/favicon.ico"):
            assert answer_to(server, wrong) == (404, None, f"{BROKEN_LINK}\n")
        assert answer_to(server, f"/{token}/")[0] == answer_to(server, f"/{token}/static/main.js")[0] == 200
        with Client(guests, "bob") as guest:
            for text in (game, game[:-1], game[:-3], f"{game}.", f"{game}%29", f"{game}>)"):
                guest.send({"do": "visit", "game": text})
                assert guest.until("invited")["game"] == game
            for text in (game[:12], game[1:], "", f"x{game}", game.swapcase()):
                guest.send({"do": "visit", "game": text})
                assert guest.until("refusal")["text"] == BROKEN_LINK


def ways_back(client: Client) -> dict[str, str]:
    """Return the games in progress of a browser."""
    client.send({"do": "progress"})
    games: dict[str, str] = client.until("progress")["games"]
    return games


def test_who_leaves_the_page_of_a_game_finds_it_again_also_after_a_restart(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address, "ann") as host:
        mine, guests, game = invited(server, host)
        with Client(guests, "bob") as guest, Client(guests, "eve") as third:
            assert ways_back(guest) == {}
            guest.send({"do": "join", "game": game, "name": "Bob"})
            guest.until("view")
            assert ways_back(guest) == {game: "Ann"}
            assert ways_back(host) == {mine["id"]: "Bob"}
            host.send(E4)
            guest.until("view", ply=1)
            assert ways_back(third) == {}
    with served(tmp_path) as server:
        for browser, id_ in (("ann", mine["id"]), ("bob", game), ("eve", None)):
            with Client(guests, browser) as client:
                found = {} if id_ is None else {id_: "Ann – Bob"}  # noqa: RUF001
                assert ways_back(client) == found
        with Client(guests, "bob") as guest, Client(server.address, "another of the host") as host:
            guest.send({"do": "visit", "game": game})
            assert guest.until("view")["ply"] == 1
            assert ways_back(guest) == {game: "Ann"}
            assert ways_back(host) == {mine["id"]: "Bob"}
            guest.send({"do": "resign"})
            host.send({"do": "visit", "game": mine["id"]})
            host.until("view", yours=False)


@pytest.mark.parametrize(
    ("do", "result", "text"),
    [
        ("claimwin", "1-0", "Forfeit, White wins (left the game)."),
        ("claimdraw", "1/2-1/2", "Agreement, draw."),
    ],
)
@pytest.mark.parametrize("is_turn", [True, False])
def test_a_game_that_the_other_has_left_may_be_claimed(
    do: str, result: str, text: str, is_turn: bool, tmp_path: Path
) -> None:
    with served(tmp_path, limits=ServerLimits(claim_after=0.5)) as server, Client(server.address, "ann") as host:
        _, guests, game = invited(server, host)
        host.send({"do": do})
        assert host.until("refusal")["text"] == "The other person has not left the game."
        with Client(guests, "bob") as guest:
            guest.send({"do": "join", "game": game})
            host.until("view", yours=True)
            if not is_turn:
                host.send(E4)
                guest.until("view", ply=1)
            host.send({"do": do})
            assert host.until("refusal")["text"] == "The other person has not left the game."
        host.until("presence", here=False)
        host.send({"do": do})
        assert host.until("refusal")["text"] == "They have just left. You can claim the game in 1 seconds."
        time.sleep(0.6)
        host.send({"do": do})
        over = host.until("over")
        assert (over["result"], over["text"]) == (result, text)


def test_the_fifty_move_rule_is_a_term_of_a_game_and_of_its_rematch(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address, "ann") as host:
        host.send(INVITE | {"limits": "quiet=100"})
        mine = host.until("game")
        assert (mine["rules"], mine["joined"]) == ("Berkeley, 50-move rule", False)
        path, _, game = mine["invitation"].partition("#game=")
        with Client(f"http://{urlsplit(server.address).netloc}{path}", "bob") as guest:
            guest.send({"do": "visit", "game": game})
            assert guest.until("invited")["rules"] == "Berkeley, 50-move rule"
            guest.send({"do": "join", "game": game, "name": "Bob"})
            host.until("view")
            host.send({"do": "resign"})
            assert load_record(host.until("over")["saved"]).limits == Limits(quiet_plies=100)
            guest.until("over")
            guest.send({"do": "rematch"})
            guest.send({"do": "join", "game": guest.until("next")["game"]})
            assert guest.until("game", you="white")["rules"] == "Berkeley, 50-move rule"
            assert guest.until("names") == {"is": "names", "white": "Bob", "black": "Ann"}


def test_the_host_takes_back_a_seat_with_another_cookie_and_nobody_else_does(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        with Client(server.address, "one") as host:
            mine, guests, game = invited(server, host)
            with Client(guests, "bob") as guest:
                guest.send({"do": "join", "game": game})
                host.until("view")
                host.send(E4)
                guest.until("view", ply=1)
        with Client(server.address, "two") as host, Client(guests, "bob") as guest, Client(guests, "eve") as third:
            host.send({"do": "visit", "game": mine["id"]})
            assert host.until("view")["ply"] == 1
            guest.send({"do": "visit", "game": game})
            assert guest.until("view")["ply"] == 1
            for id_ in (game, mine["id"]):
                third.send({"do": "join", "game": id_})
                assert third.until("refusal")["text"].startswith(JOINED)
            host.send({"do": "join", "game": game})  # the guest's seat is not the host's
            assert host.until("refusal")["text"].startswith(JOINED)


def test_two_people_at_one_screen_have_both_seats_after_their_cookie_has_changed(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        with Client(server.address, "one") as screen:
            mine, _, game = invited(server, screen)
            screen.send({"do": "join", "game": game})
            screen.until("game", id=game)
        with Client(server.address, "two") as screen:
            for id_ in (game, mine["id"], game):
                screen.send({"do": "join", "game": id_})
                assert screen.until("game")["id"] == id_


def test_the_host_frees_the_seat_of_a_guest_who_is_away(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address) as host:
        _, guests, game = invited(server, host)
        with Client(guests, "bob") as guest:
            guest.send({"do": "join", "game": game})
            host.until("view")
            host.send({"do": "freeseat"})
            assert "is here" in host.until("refusal", to="freeseat")["text"]
            guest.send({"do": "freeseat"})
            assert guest.until("refusal")["text"] == "Your link is for one game."
        host.until("presence", here=False)
        host.send({"do": "freeseat"})
        with Client(guests, "bob's phone") as phone, Client(guests, "bob") as guest:
            phone.send({"do": "visit", "game": game})
            assert phone.until("invited")["by"] == "Ann"
            phone.send({"do": "join", "game": game})
            assert phone.until("game")["you"] == "black"
            host.until("presence", here=True)
            guest.send({"do": "visit", "game": game})
            assert guest.until("refusal")["text"].startswith(JOINED)
        seats = tmp_path / ".seats.json"
        until(lambda: seats.exists() and "bob's phone" in seats.read_text(encoding="utf-8"), "the seat")
        assert '"bob"' not in seats.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("host", "more"),
    [
        ("localhost:9000", {}),  # ssh -L 9000:localhost:PORT
        ("127.0.0.1:1", {}),
        ("localhost", {}),
        ("[::1]:8080", {}),
        ("localhost:8000", {"X-Forwarded-Host": "fuzzy-8000.app.github.dev"}),  # Codespaces
    ],
)
def test_a_forwarded_port_leads_to_the_page_and_its_socket(host: str, more: dict[str, str], address: str) -> None:
    assert index(address, Host=host, **{name.replace("-", "_"): text for name, text in more.items()}) is not None
    origins = [f"http://{host}", *(f"https://{name}" for name in more.values())]
    for origin in origins:
        there, port = address.replace(urlsplit(address).netloc, host), urlsplit(address).port or 80
        connection = socket.create_connection(("127.0.0.1", port))
        with Client(there, origin=origin, additional_headers=more, sock=connection) as client:
            assert client.receive()["is"] == "hello"


@pytest.mark.parametrize("errno", [13, 98, 10013])
def test_a_remembered_port_that_is_refused_is_replaced(
    errno: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taken, or forbidden: to users below 1024, and in ranges that Windows reserves."""
    create, asked = socket.create_server, list[int]()

    def forbidden(address: tuple[str, int], **more: Any) -> socket.socket:
        asked.append(address[1])
        if address[1]:
            raise OSError(errno, f"Refused (while attempting to bind on address {address})")
        return create(address, **more)

    monkeypatch.setattr(socket, "create_server", forbidden)
    write_private(tmp_path / ".address.json", json.dumps({"host": "127.0.0.1", "port": 80}).encode())
    with served(tmp_path) as server:
        assert (asked, server.port > 80) == ([80, 0], True)
    with pytest.raises(Refused, match=r"cannot listen on port 80 of '127.0.0.1': refused; leave out --port"):
        PageServer(server.registry, "127.0.0.1", 80)


@pytest.mark.parametrize("port", [-1, 65536, "80"])
def test_a_remembered_port_that_is_none_is_replaced(port: object, tmp_path: Path) -> None:
    write_private(tmp_path / ".address.json", json.dumps({"host": "127.0.0.1", "port": port}).encode())
    with served(tmp_path) as server:
        assert index(server.address) is not None


@pytest.mark.skipif(sys.platform != "linux", reason="snap and flatpak are Linux's")
def test_the_file_that_opens_the_page_is_where_browsers_in_a_snap_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = tmp_path / ".local/share/kriegbot/games"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(platformdirs, "user_downloads_path", lambda: tmp_path / "Downloads")
    assert opener_in(games) == tmp_path / "kriegbot-page.html"
    (tmp_path / "Downloads").mkdir()
    assert opener_in(games) == tmp_path / "Downloads/kriegbot-page.html"
    monkeypatch.setattr(platformdirs, "user_downloads_path", lambda: tmp_path / ".hidden")
    (tmp_path / ".hidden").mkdir()
    assert opener_in(games) == tmp_path / "kriegbot-page.html"
    monkeypatch.setenv("HOME", str(tmp_path / ".hidden"))
    assert opener_in(games) == games / ".open.html"


def test_types_of_the_pages_files_do_not_come_from_a_registry(tmp_path: Path) -> None:
    for ending in (".js", ".css"):
        mimetypes.add_type("text/plain", ending)
    types = set()
    with served(tmp_path) as server:
        parts = urlsplit(server.address)
        for name in ("main.js", "style.css"):
            with contextlib.closing(http.client.HTTPConnection(parts.netloc, timeout=30)) as connection:
                connection.request("GET", f"{parts.path}static/{name}")
                answer = connection.getresponse()
                answer.read()
                types.add(answer.getheader("Content-Type"))
    assert types == {"text/javascript; charset=utf-8", "text/css; charset=utf-8"}


def test_a_machine_that_slept_abandons_no_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some systems' monotonic clocks count sleep."""
    with served(tmp_path) as server:
        with Client(server.address) as host:
            invited(server, host)
        live = server.registry._live()[0]
        until(lambda: live.is_unattended, "the end of the socket")
        clock = children._awake_clock()
        lost = clock._lost
        with monkeypatch.context() as patched:
            later = SimpleNamespace(monotonic=lambda: time.monotonic() + 8 * 3600, sleep=time.sleep)
            for module in (children, registry):
                patched.setattr(module, "time", later)
            server.registry.tend()
        clock._lost = lost
        assert not live.play.is_stopping
        live.unattended_since -= 8 * 3600
        server.registry.tend()
        assert live.play.is_stopping
