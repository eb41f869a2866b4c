"""A person's results: the rating, what counts, the file, and who is told."""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import chess
import pytest

from kriegbot.cli.main import main
from kriegbot.narration.learning import PUZZLE_KINDS
from kriegbot.narration.results import (
    LEVEL_RATINGS,
    NEW,
    THEMES,
    PersonResult,
    Rating,
    Results,
    game_text,
    practice_text,
    rate,
    rating_of,
    results_rows,
    wins_in_a_row,
)
from kriegbot.players.kriegbot import LEVELS as PLAYED
from kriegbot.web.notices import TurningPoints
from kriegbot.web.review import Analyst, Review
from referee import GameRecord, Referee
from tests.page import E4, Client, begun, served

CLUB = "kriegbot:level=club"


def game(
    winner: chess.Color | None = chess.WHITE, opponent: str = CLUB, moves: str = "e2e4 e7e5", **headers: str
) -> GameRecord:
    """Return a game of a person with White: Black or White resigns, or it is a draw."""
    referee = Referee()
    for move in moves.split():
        referee.try_move(chess.Move.from_uci(move))
    if winner is None:
        referee.agree()
    else:
        referee.forfeit(not winner, "lost on time")
    return GameRecord.of(referee, {"White": "human", "Black": opponent, **headers})


def results(*points: float, opponent: str = CLUB, help_: str = "", day: str = "2026-11-24") -> list[PersonResult]:
    return [PersonResult(date.fromisoformat(day), opponent, one, help_) for one in points]


def test_the_rating_is_that_of_the_example_in_glickmans_paper() -> None:
    opponents = [(Rating(1400, 30), 1.0), (Rating(1550, 100), 0.0), (Rating(1700, 300), 0.0)]
    after = rate(Rating(1500, 200), opponents)
    assert round(after.rating) == 1464
    assert round(after.deviation, 1) == 151.4


def test_who_scores_half_against_a_level_comes_to_have_its_rating() -> None:
    now = rating_of(results(*[1, 0] * 50, opponent="kriegbot:level=beginner"))
    assert now is not None
    assert abs(now.rating - LEVEL_RATINGS["beginner"]) < 40
    assert now.deviation < 50


def test_a_rating_grows_less_sure_while_nobody_plays() -> None:
    both = [results(*[1, 0] * 20) + results(1, day=day) for day in ("2026-11-24", "2029-11-24")]
    soon, late = (rating_of(each) for each in both)
    assert soon is not None
    assert late is not None
    assert soon.deviation < late.deviation < NEW.deviation
    assert late.rating > soon.rating


def test_only_levels_are_rated_and_only_without_help() -> None:
    assert rating_of(results(1, opponent="rand") + results(1, help_="1 hint")) is None
    assert list(LEVEL_RATINGS) == sorted(LEVEL_RATINGS, key=lambda level: LEVEL_RATINGS[level]) == list(PLAYED)


def test_what_a_game_means_is_said_in_a_line() -> None:
    def told(all_: list[PersonResult]) -> str:
        return game_text(all_, all_[-1])

    assert told(results(1)).startswith("Your record against Club bot: 1 win in 1 game. Your rating: 1")
    assert told(results(0, 0.5, 1, 1)).startswith(
        "Your record against Club bot: 2 wins and 1 draw in 4 games. That makes 2 wins in a row. Your rating: 1"
    )
    assert told(results(1, opponent="rand")) == "Your record against rand: 1 win in 1 game."
    assert told(results(1) + results(0, help_="1 hint")) == (
        "This game does not count (1 hint). Your record against Club bot: 1 win in 1 game."
    )


def test_results_are_listed_by_opponent_the_strongest_first() -> None:
    all_ = results(1, opponent="rand") + results(1, 0.5, 0, 0, opponent="kriegbot:level=beginner") + results(1, 1)
    names = ("opponent", "rating", "won", "drawn", "lost", "helped")
    assert [tuple(row[name] for name in names) for row in results_rows(all_ + results(1, help_="1 hint"))] == [  # type: ignore[literal-required]
        ("Club bot", LEVEL_RATINGS["club"], 2, 0, 0, 1),
        ("Beginner bot", LEVEL_RATINGS["beginner"], 1, 1, 2, 0),
        ("rand", None, 1, 0, 0, 0),
    ]
    assert wins_in_a_row(all_) == (2, 2)
    assert wins_in_a_row(all_ + results(0)) == (0, 2)


def test_a_game_counts_once_it_is_over_and_both_have_moved(tmp_path: Path) -> None:
    kept = Results(tmp_path / "new" / "results.jsonl")
    referee = Referee()
    referee.abandon("the person left")
    headers = {"White": "human", "Black": CLUB}
    for none in (GameRecord.of(Referee(), headers), GameRecord.of(referee, headers), game(moves="e2e4")):
        assert kept.count(none, chess.WHITE) == ""
    assert "1 win in 1 game" in kept.count(game(), chess.WHITE)
    assert "1 win in 2 games" in kept.count(game(chess.BLACK), chess.WHITE)
    assert "1 draw in 3 games" in kept.count(game(None), chess.WHITE)
    assert "(2 hints)" in kept.count(game(Help="2 hints"), chess.WHITE)
    assert "(a chosen seed)" in kept.count(game(Help="a chosen seed"), chess.WHITE)
    assert [one.points for one in kept.all()] == [1, 0, 0.5, 1, 1]


DAMAGED = [b"{", b"[" * 5000, b"\xff", b"3", b"null", b"{}", b'{"day":"2026-11-24","opponent":3,"points":1,"help":""}']
DAMAGED += [
    json.dumps({"day": day, "opponent": CLUB, "points": points, "help": ""}).encode()
    for day, points in (("yesterday", 1), ("2026-11-24", 7), ("2026-11-24", math.nan), ("2026-11-24", "1"))
]


def test_a_line_that_cannot_be_read_stays_and_does_not_count(tmp_path: Path) -> None:
    kept = Results(tmp_path / "results.jsonl")
    damaged = b"\n".join(DAMAGED)  # and the last line has no end
    kept.path.write_bytes(damaged)
    assert kept.all() == []
    assert "1 win in 1 game" in kept.count(game(), chess.WHITE)
    assert kept.path.read_bytes().startswith(damaged + b"\n{")
    assert len(kept.all()) == 1


def test_what_turning_points_were_about_counts_once_a_game_the_commonest_first(tmp_path: Path) -> None:
    kept = Results(tmp_path / "results.jsonl")
    assert kept.to_practise() == []
    kept.path.write_bytes(b'{"game": 1, "themes": [["unsafe capture"], 3, "dancing"]}\n{"game": "2", "themes": 3}\n')
    kept.add_review("7", ["mate missed", "unsafe capture", "position"])
    kept.add_review("8", ["unsafe capture", "retake missed"])
    kept.add_review("8", ["retake missed"])
    assert [(one["skill"], one["times"], one["puzzles"]) for one in kept.to_practise()] == [
        ("checking that a capture is safe", 2, "capture"),
        ("finding mates", 1, "mate"),
        ("recapturing", 1, ""),
    ]
    assert practice_text(kept.to_practise()) == (
        "Worth practising: checking that a capture is safe (2 turning points), finding mates (1), recapturing (1)."
    )
    assert kept.all() == []
    assert {kind for _, kind in THEMES.values()} <= {"", *PUZZLE_KINDS}


@pytest.mark.slow
def test_two_processes_that_end_games_at_once_lose_none(tmp_path: Path) -> None:
    code = """
import sys; from pathlib import Path; from tests.test_results import *
for _ in range(20): Results(Path(sys.argv[1])).count(game(), chess.WHITE)
"""
    path = tmp_path / "results.jsonl"
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(2)]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert len(Results(path).all()) == len(path.read_bytes().splitlines()) == 40


def test_the_command_shows_results_and_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kriegbot.narration.results.data_folder", lambda: tmp_path)
    assert main(["results"]) == 0
    assert "no results yet" in capsys.readouterr().out
    Results().count(game(), chess.WHITE)
    assert main(["results"]) == 0
    out = capsys.readouterr().out
    assert "Club bot" in out
    assert "Your rating: 1" in out
    assert out.endswith(f"Wins in a row: 1 (best: 1).\nThe results are in {tmp_path / 'results.jsonl'}.\n")


@pytest.mark.slow
def test_a_game_on_the_page_counts_for_whoever_runs_the_server(tmp_path: Path) -> None:
    with served(tmp_path) as server, Client(server.address) as client:
        assert client.until("results")["rows"] == []
        id_ = begun(client, seed=None)
        client.send(E4)
        client.until("view", yours=True, ply=2)
        client.send({"do": "resign"})
        told = client.until("results", game=id_)
        assert told["text"] == "Your record against rand: 0 wins in 1 game."
        assert told["rows"][0]["lost"] == 1
    assert [one.points for one in Results(tmp_path / "results.jsonl").all()] == [0]


@pytest.mark.slow
@pytest.mark.usefixtures("kernels")
def test_what_a_review_finds_is_told_to_whoever_runs_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def turning(review: Review, _analyst: Analyst) -> AsyncIterator[TurningPoints]:
        point = {"side": "white", "events": 0, "place": "1.", "made": "e4", "before": 0.9, "after": 0.1}
        found: Any = [{**point, "theme": theme, "text": "", "index": 0} for theme in ("mate missed", "position")]
        other: Any = {**found[0], "side": "black", "theme": "stalemate"}
        assert review.you is chess.WHITE
        yield TurningPoints([*found, other], ["white", "black"])

    monkeypatch.setattr(Review, "turning", turning)
    with served(tmp_path) as server, Client(server.address) as client:
        id_ = begun(client, seed=None)
        client.send({"do": "resign"})
        client.until("results", game=id_)
        client.send({"do": "turning"})
        client.until("turning")
        assert client.until("results")["practise"] == [{"skill": "finding mates", "times": 1, "puzzles": "mate"}]


@pytest.mark.slow
def test_who_sits_elsewhere_sees_no_results_and_changes_none(tmp_path: Path) -> None:
    """Another machine that has the address, and a guest: their sockets come from elsewhere, or by the guests' link."""
    with served(tmp_path) as server:
        server.registry.results.count(game(), chess.WHITE)
        before = server.registry.results.path.read_bytes()
        parts = urlsplit(server.address)
        there = socket.create_connection((parts.hostname, parts.port), source_address=("127.0.0.2", 0))
        guest_address = f"http://{parts.netloc}/{server.registry.guest_token}/"
        with (
            Client(server.address, sock=there) as client,
            Client(guest_address) as guest,
            Client(server.address) as own,
        ):
            begun(client, seed=None)
            client.send(E4)
            client.until("view", yours=True, ply=2)
            shared = begun(own, seed=None)
            own.send(E4)
            own.until("view", yours=True, ply=2)
            client.send({"do": "resign"})
            client.until("over")
            client.send({"do": "join", "game": shared})
            client.until("view")
            own.send({"do": "resign"})  # a game that another machine has joined is nobody's
            own.until("over")
            guest.send({"do": "library"})
            guest.until("refusal")
            client.send({"do": "library"})
            client.until("library")
            assert not any('"results"' in text for text in [*client.heard, *guest.heard])
            assert json.loads(own.heard[1])["rows"][0]["won"] == 1
    assert server.registry.results.path.read_bytes() == before


@pytest.mark.browser
def test_the_page_shows_results_at_the_start_and_what_a_game_means_at_its_end(address: str) -> None:
    from tests.browser import chromium

    with chromium(address) as page:
        page.start("rand")
        assert page.run("return document.querySelector('#results').hidden")
        page.one("#try").send_keys("e4\n")
        page.until_text("#turn", "move 2")
        page.one("#resign").click()
        page.one("#resigning [value=yes]").click()
        page.until_text("#outcome-results", "Your record against rand: 0 wins in 1 game.")
        page.driver.refresh()
        page.until_text("#outcome-results", "Your record against rand: 0 wins in 1 game.")
        page.one("#again").click()
        assert page.one("#results tbody").text.endswith(" 0 0 1 0")
        assert page.one("#results-about").text.startswith("You have no rating yet.")
