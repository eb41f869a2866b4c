"""The page's answers to requests that need no socket: puzzles and saved games; and whose requests are answered."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import pytest
from starlette.requests import Request
from starlette.responses import Response

from kriegbot.narration.learning import puzzles
from kriegbot.request import Refused
from kriegbot.web import app
from kriegbot.web.catalogue import learning_routes
from kriegbot.web.library import Library
from kriegbot.web.registry import Registry
from kriegbot.web.requests import IS_GUEST
from kriegbot.web.server import LOOPBACK, MAX_LOGGED, Guard
from referee import GameRecord, Referee, record_to_pgn

NAMED = ("solution", "proof", "squares", "lines", "numbers", "chances")
KINDS = {puzzle.kind: puzzle for puzzle in puzzles()}


def request(path: str = "/", data: bytes = b"", is_guest: bool = False, **headers: str) -> Request:
    """Return a request as it comes from the guard; `number` is in the path of a puzzle."""
    path, _, query = path.partition("?")

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": data, "more_body": False}

    scope: dict[str, Any] = {"type": "http", "method": "POST" if data else "GET", "query_string": query.encode()}
    scope |= {"headers": [(name.encode(), text.encode()) for name, text in headers.items()], IS_GUEST: is_guest}
    return Request(scope | {"path": path, "path_params": {"number": int(path.rpartition("/")[2] or 0)}}, receive)


def body(response: Response) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bytes(response.body))
    return found


# Puzzles


class Puzzles(NamedTuple):
    """The answers to requests about a puzzle."""

    registry: Registry

    def ask(self, kind: str, is_guest: bool = False, **query: str) -> dict[str, Any]:
        """Return the answer about the first puzzle of a kind."""
        route = learning_routes(self.registry)[-1]
        number = puzzles().index(KINDS[kind]) + 1
        return body(asyncio.run(route.endpoint(request(f"/puzzle/{number}?{urlencode(query)}", is_guest=is_guest))))


def solved(reply: dict[str, Any]) -> bool:
    """Return True if a reply has the whole solution, False if it has nothing of it."""
    assert len({name in reply for name in NAMED}) == 1
    return "solution" in reply


def test_a_puzzle_is_posed_without_its_solution(tmp_path: Path) -> None:
    reply = Puzzles(Registry(tmp_path)).ask("king")
    assert not solved(reply)
    assert "right" not in reply
    assert reply["task"] == KINDS["king"].task
    assert reply["score"] == ""


def test_a_right_answer_brings_the_solution_and_counts_unless_a_guest_gives_it(tmp_path: Path) -> None:
    asked, right = Puzzles(Registry(tmp_path)), KINDS["king"].answers[0]
    reply = asked.ask("king", is_guest=True, answer=right)
    assert (reply["right"], solved(reply), "score" in reply) == (True, True, False)
    assert asked.registry.results.puzzles_text() == ""
    reply = asked.ask("king", answer=right)
    assert reply["score"] == asked.registry.results.puzzles_text() != ""
    assert reply["chances"] == [percent / 100 for percent in KINDS["king"].heat]


def test_a_wrong_answer_may_be_tried_again_but_one_of_yes_and_no_may_not(tmp_path: Path) -> None:
    asked = Puzzles(Registry(tmp_path))
    wrong = next(square for square in ("a1", "h8", "e4") if square not in KINDS["king"].answers)
    reply = asked.ask("king", answer=wrong)
    assert (reply["right"], solved(reply)) == (False, False)
    wrong = "no" if "yes" in KINDS["capture"].answers else "yes"
    reply = asked.ask("capture", answer=wrong)
    assert (reply["right"], solved(reply)) == (False, True)


def test_a_solution_that_is_shown_counts_as_a_wrong_answer(tmp_path: Path) -> None:
    asked = Puzzles(Registry(tmp_path))
    reply = asked.ask("king", show="", answer=KINDS["king"].answers[0])
    assert (reply["right"], solved(reply)) == (False, True)
    assert reply["score"] == asked.registry.results.puzzles_text() != ""


def test_an_answer_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="is not an answer"):
        Puzzles(Registry(tmp_path)).ask("king", answer="i9")


# Files and links


def test_only_the_page_uploads_and_no_guest(tmp_path: Path) -> None:
    library = Library(tmp_path)
    _, upload = app.file_routes(library, 1.0)
    referee = Referee()
    referee.resign(referee.turn)
    data = record_to_pgn(GameRecord.of(referee, {"White": "human", "Black": "rand"})).encode()
    with pytest.raises(Refused, match="Only the page"):
        asyncio.run(upload.endpoint(request(data=data)))
    with pytest.raises(Refused, match="for one game"):
        asyncio.run(upload.endpoint(request(data=data, is_guest=True, origin="http://here")))
    name = body(asyncio.run(upload.endpoint(request(data=data, origin="http://here"))))["file"]
    assert [path.name for path in tmp_path.glob("*.pgn")] == [name]
    assert [game.file for game in library.games().games] == [name]


def test_an_upload_has_a_limit_of_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MAX_UPLOADED", 1024)
    _, upload = app.file_routes(Library(tmp_path), 1.0)
    with pytest.raises(Refused, match=r"too large\. A game has at most 1 kB"):
        asyncio.run(upload.endpoint(request(data=b"x" * 1025, origin="http://here")))
    with pytest.raises(Refused, match="The file is refused"):
        asyncio.run(upload.endpoint(request(data=b"x" * 1024, origin="http://here")))


def test_the_newest_saved_games_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kriegbot.web.library.MAX_SHOWN", 2)
    library = Library(tmp_path)
    data = record_to_pgn(GameRecord.of(Referee(), {"White": "human", "Black": "rand"}))
    for number in range(3):
        path = tmp_path / f"{number}.pgn"
        path.write_text(data, encoding="utf-8")
        os.utime(path, (number * 1000, number * 1000))
    assert [game.file for game in library.games().games] == ["2.pgn", "1.pgn"]


# Who is let in


def knock(guard: Guard, path: str, **headers: str) -> tuple[int, dict[str, Any]]:
    """Return the status of the answer to a request, and what the application got."""
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    async def send(message: Any) -> None:
        sent.append(message)

    named = [(name.encode(), text.encode()) for name, text in ({"host": "localhost:80"} | headers).items()]
    scope = {"type": "http", "method": "GET", "path": path, "headers": named, "client": ("192.0.2.1", 9)}
    asyncio.run(guard(scope, receive, send))
    return sent[0]["status"], sent[0].get("scope", {})


async def application(scope: Any, _receive: Any, send: Any) -> None:
    """Answer with the scope of the request."""
    await send({"type": "http.response.start", "status": 200, "headers": [], "scope": scope})


def test_a_request_passes_the_guard_without_its_token() -> None:
    guard = Guard(application, {"own": False, "guests": True}, LOOPBACK[0])
    for token, is_guest in (("own", False), ("guests", True)):
        status, scope = knock(guard, f"/{token}/static/main.js")
        assert (status, scope["path"], scope["raw_path"]) == (200, "/static/main.js", b"/static/main.js")
        assert scope[IS_GUEST] is is_guest


def test_refused_requests_are_logged_with_their_sender_and_reason_up_to_a_limit(
    caplog: pytest.LogCaptureFixture,
) -> None:
    guard = Guard(application, {"own": False}, LOOPBACK[0])
    assert knock(guard, "/other/x")[0] == 404
    assert knock(guard, "/own/x", host="evil.example")[0] == 404
    assert knock(guard, "/own/x", origin="http://evil.example")[0] == 404
    assert caplog.messages == [
        f"refused http from 192.0.2.1: {why}"
        for why in ("wrong token", "foreign Host 'evil.example'", "foreign Origin 'http://evil.example'")
    ]
    for _ in range(MAX_LOGGED):
        knock(guard, "/other/x")
    assert len(caplog.messages) == MAX_LOGGED + 1
    assert caplog.messages[-1] == "further refusals are not shown"
