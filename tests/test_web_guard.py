"""The guard of the page's server: who may talk to it, and what is refused."""

from __future__ import annotations

import contextlib
import http.client
import logging
import os
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn
from starlette.applications import Starlette
from websockets.exceptions import ConnectionClosed, InvalidStatus

from kriegbot.cli.main import main
from kriegbot.web.registry import LIMITS, ServerLimits
from kriegbot.web.server import Guard, PageServer
from referee import GameRecord, Referee, save_record
from tests.page import E4, RAND, Client, begun, served, until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kernels")]


def fetched(address: str, path: str = "", **headers: str) -> http.client.HTTPResponse:
    """Return the answer to a request; the path is one beside the page's unless it begins with a slash."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    connection.putrequest("GET", path if path.startswith("/") else parts.path + path, skip_host="Host" in headers)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def test_the_page_is_there_and_nothing_of_it_goes_elsewhere(address: str) -> None:
    answer = fetched(address)
    assert answer.status == 200
    policy = answer.getheader("Content-Security-Policy") or ""
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    assert "unsafe" not in policy
    assert answer.getheader("X-Content-Type-Options") == "nosniff"
    assert answer.getheader("Referrer-Policy") == "no-referrer"
    assert answer.getheader("Cache-Control") == "no-store"
    for name in ("main.js", "style.css", "review.js", "review.css"):
        assert fetched(address, f"static/{name}").status == 200
    assert answer.getheader("Cross-Origin-Opener-Policy") == "same-origin"
    assert fetched(address.replace("127.0.0.1", "localhost")).status == 200


@pytest.mark.parametrize(
    "path",
    ["/", "/static/main.js", "/ws", "//", "/wrong/", "/%00/", "static/../../app.py", "static/%2e%2e/app.py", "static/"],
)
def test_nothing_is_there_without_the_token_or_beside_the_static_files(path: str, address: str) -> None:
    assert fetched(address, path).status == 404


def test_a_token_must_be_whole(address: str) -> None:
    token = urlsplit(address).path.strip("/")
    for wrong in (token[:-1], token + "x", token.swapcase(), f"{token}/x{token}"):
        assert fetched(address, f"/{wrong}/").status == 404


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "localhost.evil.example", "evil.example:80:1", "127.0.0.2:{port}", ""],
)
def test_a_foreign_host_is_refused(host: str, address: str, caplog: pytest.LogCaptureFixture) -> None:
    host = host.format(port=urlsplit(address).port)
    assert fetched(address, Host=host).status == 404
    assert "foreign Host" in caplog.text


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://localhost:{port}", None]
)
def test_a_socket_of_a_foreign_origin_or_of_none_is_refused(
    origin: str | None, address: str, caplog: pytest.LogCaptureFixture
) -> None:
    origin = origin and origin.format(port=urlsplit(address).port)
    with pytest.raises(InvalidStatus) as refused:
        Client(address, origin=origin)
    assert refused.value.response.status_code == 403
    assert "Origin" in caplog.text
    if origin is not None:
        assert fetched(address, Origin=origin).status == 404


def test_a_socket_needs_the_token_and_the_host(address: str) -> None:
    wrong = address.replace(urlsplit(address).path, "/wrong/")
    for where, headers in ((wrong, {}), (address, {"Host": "evil.example"})):
        with pytest.raises(InvalidStatus) as refused:
            Client(where, additional_headers=headers)
        assert refused.value.response.status_code in (400, 403)


MALFORMED: list[object] = [
    "",
    "hello",
    "[]",
    "17",
    "null",
    "[" * 2000,
    b'{"do":"resign"}',
    b"\xff\xfe",
    {},
    {"do": None},
    {"do": ["try"]},
    {"do": "dance"},
    {"do": "try"},
    {"do": "try", "text": 4},
    {"do": "try", "text": "e" * 1000},
    {"do": "heat", "on": "yes"},
    {"do": "look", "indexes": [0]},
    {"do": "turning"},
    {"do": "join", "game": "nobody"},
    {"do": "join", "game": ["nobody"]},
    {"do": "new"},
    RAND | {"opponent": "human"},
    RAND | {"opponent": "rand:depth=9"},
    RAND | {"opponent": {}},
    RAND | {"color": "green"},
    RAND | {"rules": "chess960"},
    RAND | {"seed": "-1"},
    RAND | {"seed": 2**70},
    RAND | {"seed": str(2**200)},
    RAND | {"seed": 3},
    RAND | {"seed": True},
    RAND | {"seed": 1.5},
    {"do": "watch", "white": "rand", "black": "rand", "rules": "berkeley", "seed": None, "pace": -1},
    {"do": "watch", "white": "rand", "black": "rand", "rules": "berkeley", "seed": None, "pace": 10**400},
    '{"do":"watch","white":"rand","black":"rand","rules":"berkeley","seed":null,"pace":NaN}',
]


def test_malformed_messages_are_refused_and_logged_and_games_go_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with served(tmp_path, limits=ServerLimits(refusals=1000)) as page, Client(page.address) as client:
        begun(client)
        for message in MALFORMED:
            before = caplog.text.count("refused a message")
            client.send(message)
            text = client.until("refusal")["text"]
            assert text
            assert "\n" not in text
            assert caplog.text.count("refused a message") == before + 1, message
        client.send(E4)
        assert client.until("view", ply=2)["men"]["e4"] == "P"


def test_a_name_that_is_too_long_for_a_file_is_not_found(address: str) -> None:
    assert fetched(address, f"games/{'x' * 300}.pgn").status == 404


def test_a_socket_that_ends_without_a_close_frame_leaves_no_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with served(tmp_path) as page:
        with Client(page.address) as client:
            client.receive()
            client.cut()
        until(lambda: not page.server_state.tasks, "the end of the socket")
    assert "Traceback" not in caplog.text


def test_a_frame_of_text_that_is_not_utf_8_is_refused_in_a_line(address: str, caplog: pytest.LogCaptureFixture) -> None:
    with Client(address) as client:
        begun(client)
        client.send_raw_text(b'{"do": "resign\xff\xfe"}')
        assert client.until("refusal")["text"] == "That message cannot be read."
        client.send(E4)
        client.until("view", ply=2)
    assert {one.message for one in caplog.records} == {"refused a message: That message cannot be read."}


def test_a_saved_game_with_a_link_elsewhere_is_not_served_changed_or_deleted(address: str, tmp_path: Path) -> None:
    abandoned = Referee()
    abandoned.abandon()
    save_record(GameRecord.of(abandoned, {"White": "human", "Black": "rand", "Seed": "3"}), tmp_path / "own.pgn")
    text = (tmp_path / "own.pgn").read_bytes()
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("hard.pgn", "soft.pgn"):
        (outside / name).write_bytes(text)
    os.link(outside / "hard.pgn", tmp_path / "hard.pgn")
    (tmp_path / "soft.pgn").symlink_to(outside / "soft.pgn")
    with Client(address) as client:
        client.send({"do": "library"})
        assert [game["file"] for game in client.until("library")["games"]] == ["own.pgn"]
        for name in ("hard.pgn", "soft.pgn"):
            assert fetched(address, f"games/{name}").status == 404
            for do in ("open", "resume", "delete"):
                client.send({"do": do, "file": name})
                assert "is a link, or has a link elsewhere" in client.until("refusal")["text"]
            assert (tmp_path / name).exists()
            assert (outside / name).read_bytes() == text
    assert fetched(address, "games/own.pgn").status == 200


def test_who_sends_too_much_that_is_refused_is_closed_and_may_come_back(address: str) -> None:
    with Client(address) as client:
        id_ = begun(client)
        for _ in range(LIMITS.refusals):
            client.send("nonsense")
        assert client.closing_code() == 1008
    with Client(address) as client:
        client.send({"do": "join", "game": id_})
        assert client.until("view")["yours"]
        client.send(E4)
        client.until("view", ply=2)


def test_a_message_that_is_too_long_closes_its_socket_alone(address: str, caplog: pytest.LogCaptureFixture) -> None:
    with Client(address) as bystander, Client(address) as client:
        begun(bystander)
        client.send({"do": "try", "text": "e" * 5000})
        assert client.closing_code() == 1009
        bystander.send(E4)
        bystander.until("view", ply=2)
    until(lambda: "more than 4096 bytes" in caplog.text, "the log")


def test_a_flood_is_stopped_and_other_games_go_on(address: str, caplog: pytest.LogCaptureFixture) -> None:
    with Client(address) as bystander, Client(address) as client:
        begun(bystander)
        begun(client)
        with contextlib.suppress(ConnectionClosed):
            for _ in range(2000):
                client.send({"do": "try", "text": "Qh9"})
        assert client.closing_code() == 1008
        assert "Too many messages" in caplog.text
        bystander.send(E4)
        bystander.until("view", ply=2)


def test_an_address_that_others_can_reach_is_warned_of_and_takes_no_foreign_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **__: None)
    assert main(["play", "--web", "--no-browser", "--save", str(tmp_path), "--host", "0.0.0.0"]) == 0
    out, err = capsys.readouterr()
    assert "other machines can reach this server at 0.0.0.0, which is every address of this machine." in err
    assert "http://0.0.0.0" not in out  # no address for a browser elsewhere
    guard = Guard(Starlette(), {"token": False, "guest": True}, "0.0.0.0")
    assert guard.is_host("192.168.0.7:80")
    assert guard.is_host("[fe80::1]:80")
    assert guard.is_host(socket.gethostname())
    assert not guard.is_host("evil.example:80")


def test_messages_of_the_log_have_no_line_of_the_sender(address: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    with Client(address) as client:
        client.send(RAND | {"opponent": "rand\nkriegbot: all is well"})
        client.until("refusal")
    assert all("\n" not in record.getMessage() for record in caplog.records)


def raw(page: PageServer) -> socket.socket:
    """Return a connection that has said nothing yet."""
    return socket.create_connection(("127.0.0.1", page.port), 30)


def test_a_connection_beyond_the_limit_is_answered_and_others_go_on(tmp_path: Path) -> None:
    with served(tmp_path, limits=ServerLimits(connections=3)) as page, Client(page.address) as client:
        with raw(page):
            until(lambda: len(page.server_state.connections) == 2, "the silent connection")
            assert fetched(page.address).status == 503
        begun(client)
        until(lambda: len(page.server_state.connections) == 1, "its end")
        assert fetched(page.address).status == 200


def test_who_does_not_know_the_token_is_answered_and_cut_off(tmp_path: Path) -> None:
    with served(tmp_path) as page, raw(page) as stranger:
        stranger.sendall(f"GET /x/ HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n\r\n".encode())
        answer = b""
        while piece := stranger.recv(1000):
            answer += piece
        assert answer.startswith(b"HTTP/1.1 404")
