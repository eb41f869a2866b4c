"""Turning points of one's own games as puzzles, from the review and from the start page; what follows a game."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

pytest.importorskip("selenium", reason="the page in a browser is tested with selenium")
from referee import GameRecord, Referee, record_to_pgn
from tests.browser import chromium
from tests.page import served, until

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.usefixtures("kernels")]


def saved(folder: Path) -> None:
    """Save a game in which White, a person, gives the queen away."""
    referee = Referee()
    for code in ["e2e4", "e7e5", "d1h5", "b8c6", "h5f7", "e8f7"]:
        referee.try_move(chess.Move.from_uci(code))
    referee.resign(chess.WHITE)
    headers = {"White": "human", "Black": "kriegbot:level=casual", "Seed": str(2**128 - 1)}
    (folder / "a.pgn").write_text(record_to_pgn(GameRecord.of(referee, headers)), encoding="utf-8")


def test_a_turning_point_is_tried_again_from_the_review_and_from_the_start_page(tmp_path: Path) -> None:
    saved(tmp_path)
    with served(tmp_path) as server, chromium(server.address) as page:
        assert not page.run("return document.querySelector('#moments-list').children.length")
        page.click("#to-library")
        page.click("#games .do button")
        page.one("#review .turning button")
        assert page.run("return document.querySelector('#review').dataset.chosen") == "white"
        page.until_text("#review .turning", "3. Qxf7+")
        page.click("#review .again")
        page.one("#retry-board")
        assert page.run("return document.querySelector('#retry-board [data-square=f7]').ariaLabel").startswith(
            "f7, unseen, your last move, "
        )
        for square in ("h5", "f7"):
            page.click(f"#retry-board [data-square={square}]")
        page.until_text("#retry-comment", "is what you tried in the game")
        assert page.text("#retry-why") == ""
        page.click("#retry-show")
        page.until_text("#retry-why", "Qxf7+ in the game: -")
        page.click("#retry-close")
        page.click("#again")
        page.until_text("#moments-list", "3. Qxf7+")
        page.click("#moments-list button")
        page.until_text("#retry-title", "3. Try it again")
        page.click("#retry-close")
        (tmp_path / "a.pgn").unlink()
        page.click("#again")
        page.click("#moments-list button")
        page.until_text("#failure", "There is no saved game with that name any more.")
        assert page.run("return document.querySelector('#moments').hidden")


def test_the_review_of_ones_own_game_as_a_file_begins_at_its_beginning_and_names_sides(tmp_path: Path) -> None:
    saved(tmp_path)
    with served(tmp_path) as server, chromium(server.address) as page:
        page.click("#to-library")
        page.click("#games .do button")
        page.one("#review .turning button")
        page.until_text("#review .turning", "Your queen captured a pawn on f7.")
        until(lambda: page.run("return document.querySelector('#walk').hidden"), "the analysis")
        page.run(
            "const create = URL.createObjectURL;"
            "URL.createObjectURL = (blob) => {"
            "  blob.text().then((text) => { window.saved = text; }); return create(blob); };"
        )
        page.click("#share")
        until(lambda: page.run("return window.saved"), "the file")
        (tmp_path / "review.html").write_text(page.run("return window.saved"), encoding="utf-8")
        page.driver.get((tmp_path / "review.html").as_uri())
        page.one("#review .turning button")
        page.until_text("#review h2", "A person – Casual bot")  # noqa: RUF001
        page.until_text("#review .count", "0 of ")
        page.until_text("#review .turning", "White's queen captured a pawn on f7.")
        assert "costs White" in page.text("#review .turning")
        assert "you" not in page.text("#review .turning").lower().split()


def test_after_a_game_the_next_level_and_the_reason_are_offered_and_the_seed_is_a_detail(tmp_path: Path) -> None:
    with served(tmp_path) as server, chromium(server.address) as page:
        page.click("#levels input[value=novice]")
        page.click("#new button[type=submit]")
        page.until_text("#turn", "Your turn")
        page.click("#resign")
        page.click("#resigning [value=yes]")
        page.until_text("#outcome-do", "Newcomer next, since Novice was too strong")
        assert not page.run("return document.querySelector('#outcome details').open")
        assert page.run("return document.querySelector('#outcome-about input').value.length") > 30
        page.click("#outcome-do button:nth-of-type(2)")
        page.until_text("#their-name", "Newcomer bot")
