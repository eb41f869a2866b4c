"""Guests from a network: the host opens it on the page, and only their link works there; its QR code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

import pytest
from websockets.exceptions import InvalidStatus

from kriegbot.web import server as servers
from tests.page import Client, served

INVITE = {"do": "invite", "color": "white", "rules": "berkeley", "clock": None}
HERE = "127.0.0.2"
"""Stands for this machine's address in a network."""


@pytest.fixture(autouse=True)
def _in_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "addresses_here", lambda: [HERE])


def status(url: str, **headers: str) -> int:
    """Return the status of an answer."""
    try:
        with urlopen(Request(url, headers=headers)) as answer:
            return int(answer.status)
    except HTTPError as error:
        error.close()
        return error.code


def opened(host: Client) -> tuple[str, dict[str, Any]]:
    """Open the network; return the origin of links there, and a game to join."""
    host.send(INVITE)
    game = host.until("game")
    host.send({"do": "network", "address": HERE})
    return str(host.until("network")["open"]), game


def test_where_guests_are_let_in_their_link_works_and_nothing_else(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address) as host:
        assert host.until("network") == {"is": "network", "addresses": [HERE], "open": None}
        with pytest.raises(OSError, match="refused"):
            urlopen(server.address.replace("127.0.0.1", HERE))
        origin, game = opened(host)
        assert urlsplit(origin).hostname == HERE
        path, _, id_ = game["invitation"].partition("#game=")
        host_path, port = urlsplit(server.address).path, urlsplit(origin).port
        assert status(origin + path) == 200
        assert status(origin + path, Host=f"203.0.113.5:{port}") == 200  # a router forwards to us
        assert status(origin + host_path) == status(origin) == 404  # though the host's token is right
        assert status(origin + path, Host="203.0.113.5:1") == 200  # from another port of its own
        for foreign in (f"evil.example:{port}", f"localhost:{port}"):
            assert status(origin + path, Host=foreign) == 404
        assert status(origin + path, Origin="http://evil.example") == 404
        assert status(f"{origin}{path}qr.svg?link={quote(origin)}") == 404
        with pytest.raises(InvalidStatus):
            Client(origin + host_path)
        with Client(origin + path) as guest:
            for message in (INVITE, {"do": "library"}, {"do": "network", "address": None}):
                guest.send(message)
                assert guest.until("refusal")["text"] == "Your link is for one game."
            guest.send({"do": "join", "game": id_})
            assert guest.until("view")["men"]["e7"] == "p"
            assert not any('"is":"network"' in text for text in guest.heard)
            host.until("view", yours=True)
            host.send({"do": "network", "address": None})
            assert host.until("network")["open"] is None
            assert guest.closing_code() == 1012  # the service restarts: the page tries again
        with pytest.raises(OSError, match="refused"):
            urlopen(origin + path)
        assert status(server.address) == 200


def test_only_an_address_of_this_machine_can_be_opened_and_only_by_its_page(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address) as host:
        for address in ("0.0.0.0", "", "192.0.2.77", "evil.example"):
            host.send({"do": "network", "address": address})
            assert host.until("refusal")["text"].startswith("This machine no longer has that address.")
    with served(tmp_path, "0.0.0.0") as server, Client(server.address) as host:
        host.send({"do": "network", "address": HERE})
        assert host.until("refusal")["text"].startswith("Only the machine that runs the server can open it")


def test_after_a_restart_guests_get_in_only_if_their_game_is_unfinished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(tmp_path) as server, Client(server.address) as host:
        origin, game = opened(host)
    with served(tmp_path) as server, Client(server.address) as host:
        host.until("network", open=origin)  # opened soon after the server has started
        assert f"Guests can reach their games at {origin}." in capsys.readouterr().out
        path, _, id_ = game["invitation"].partition("#game=")
        with Client(origin + path) as guest:
            guest.send({"do": "join", "game": id_})
            host.send({"do": "visit", "game": game["id"]})
            host.until("view", yours=True)
            host.send({"do": "resign"})
            guest.until("over")
    with served(tmp_path) as server, Client(server.address) as host:
        assert host.until("network")["open"] is None
    assert "Guests" not in capsys.readouterr().out


def test_the_qr_code_is_a_drawing_of_the_link(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        with urlopen(f"{server.address}qr.svg?link={quote('http://192.168.0.7:8000/x/#game=y')}") as answer:
            assert answer.headers["Content-Type"] == "image/svg+xml"
            drawing = answer.read().decode()
        assert re.match(r'<svg xmlns="http://www.w3.org/2000/svg" width="\d+" height="\d+"', drawing)
        for link in ("", "javascript:x", f"http://{'x' * 200}"):
            assert status(f"{server.address}qr.svg?link={quote(link)}") == 404


def test_addresses_of_this_machine_are_no_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    named = ["127.0.1.1", "198.51.100.7"]
    monkeypatch.setattr("socket.gethostbyname_ex", lambda name: (name, [], named))
    found = servers.addresses_here()
    assert "198.51.100.7" in found
    assert not any(address.startswith("127.") for address in found)
