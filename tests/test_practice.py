"""Practice of mates against a hostile king: what the learner reads, at a terminal and from the server."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import chess
import pytest

from kriegbot.cli.main import main
from kriegbot.endgames import BareKing, Proof, probe_king
from kriegbot.narration.learning import StepState
from kriegbot.narration.practice import ENDINGS, Practice
from tests.page import served


def known(practice: Practice, tried: Sequence[str]) -> tuple[BareKing, StepState]:
    """Return what the learner knows of the king after tries, from the view that the practice shows."""
    state, king = practice.state(tried), practice.start[0]
    for event in state.view.events:
        king = king.after(event)
    return king, state


def proof_after(practice: Practice, tried: Sequence[str]) -> Proof:
    """Return the proof after tries."""
    proof = probe_king(known(practice, tried)[0])
    assert proof is not None
    return proof


def followed(practice: Practice) -> Iterator[tuple[Proof, StepState]]:
    """Yield each proof, and the state after its try, until the end."""
    state = practice.state()
    while not state.is_done:
        proof = probe_king(BareKing(chess.WHITE, state.view.men, state.squares))
        assert proof is not None
        state = practice.state(state.tried, proof.move.uci())
        yield proof, state


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["KQK", "KPK"])
def test_the_proofs_mate_within_the_bound_and_each_comment_names_the_bound_that_is_left(ending: str) -> None:
    practice = Practice(ending, 1)
    steps = list(followed(practice))
    first, (_, last) = steps[0][0].moves, steps[-1]
    assert f"Mate in at most {first} moves, whatever the king does." in practice.text
    moves = (last.view.ply + 1) // 2
    assert last.comment == f"Checkmate, White wins, after {moves} moves of yours."
    assert moves <= first
    for (proof, state), (later, _) in pairwise(steps):
        assert state.comment == f"Mate in at most {later.moves} move{'s' * (later.moves > 1)}, whatever the king does."
        assert later.moves <= proof.moves - (": yes" in state.answer)


def test_a_try_that_gives_the_proof_away_is_named_with_one_that_keeps_it() -> None:
    practice, kinds = Practice("KRK", 3), set()
    proof = proof_after(practice, ())
    for move in practice.state().view.tries():
        state = practice.state((), move.uci())
        if state.is_done:
            continue
        now = probe_king(known(practice, state.tried)[0])
        was_accepted = state.view.ply > 0
        if now is None:
            kinds.add("lost")
            assert state.comment.startswith("No mate is certain now. R") or "K" in state.comment
            assert state.comment.endswith("would have kept it certain.")
        elif now.moves > proof.moves - was_accepted:
            kinds.add("slow")
            assert re.fullmatch(r"Mate in at most \d+ moves, .* \w+ would have kept it shorter\.", state.comment)
        else:
            kinds.add("kept")
            assert state.comment == f"Mate in at most {now.moves} moves, whatever the king does."
    assert kinds == {"lost", "slow", "kept"}


def test_the_shading_is_on_every_square_where_the_king_may_stand() -> None:
    practice = Practice("KRK", 4)
    king, state = known(practice, [proof_after(practice, ()).move.uci()])
    shading = state.shading()
    assert {square for square in chess.SQUARES if shading[square]} == set(chess.scan_forward(king.squares))
    assert sum(shading) == pytest.approx(1)
    assert chess.popcount(king.squares) > 1


def test_the_king_stands_anywhere_and_takes_what_it_can() -> None:
    squares = set()
    for seed in range(30):
        practice = Practice("KQK", seed)
        king, fen = practice.start
        square = chess.Board(fen).king(chess.BLACK) or 0
        squares.add(square)
        assert king.squares & chess.BB_SQUARES[square]
        assert chess.popcount(king.squares) > 20
    assert len(squares) > 10
    captured = 0
    for seed in range(10):
        practice = Practice("KQK", seed)
        board = chess.Board(practice.start[1])
        for move in practice.state().view.tries():
            if board.is_legal(move) and board.piece_type_at(move.from_square) == chess.QUEEN:
                after = board.copy()
                after.push(move)
                if any(map(after.is_capture, after.legal_moves)):
                    state = practice.state((), move.uci())
                    assert state.is_done
                    assert state.comment == "Dead position, draw, after 1 move of yours."
                    captured += 1
    assert captured >= 3


@pytest.mark.parametrize("tried", [["e9e4"], ["resign"], ["a1a1"], ["0000"]])
def test_what_was_tried_must_have_been_open(tried: list[str]) -> None:
    with pytest.raises(ValueError, match=tried[-1]):
        Practice("KQK", 1).state(tried)


def test_what_is_no_try_is_explained_and_changes_nothing() -> None:
    practice = Practice("KQK", 1)
    state = practice.state((), "Ke9")
    assert (state.answer, state.tried, state.is_done, state.view) == ("", (), False, practice.state().view)
    assert "is not a move" in state.comment


def test_practice_line_by_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("help\nKe9\nquit\n"))
    assert main(["learn", "mate", "--ending", "KQK"]) == 0
    out, err = capsys.readouterr()
    said = " ".join(out.split())
    assert err == ""
    assert said.count("Mate the unseen king: a queen") == 2
    assert "whatever the king does. A refused try costs nothing." in said
    assert "'Ke9' is not a move" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--ending", "KRK"], "--ending selects an ending: kriegbot learn mate."),
        (["mate", "--ending", "KXK"], "unknown ending 'KXK'. Known: KQK, KRRK, KRK, KBBK, KBNK, KPK."),
    ],
)
def test_an_ending_goes_with_mate_and_is_known(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["learn", *given]) == 2
    assert said in capsys.readouterr().err


def test_the_page_offers_every_ending() -> None:
    page = (Path(__file__).parents[1] / "kriegbot/web/static/index.html").read_text("utf-8")
    assert dict(re.findall(r'href="#learn-(\w+)">([^<]+)', page)) == dict(ENDINGS)


@pytest.mark.slow
def test_the_server_sends_no_square_of_the_king_and_refuses_what_is_no_practice(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        tried = proof_after(Practice("KRK", 7), ()).move.uci()
        with urlopen(f"{server.address}lesson/KRK/7?try={tried}&shading=") as answer:
            sent = json.load(answer)
        assert sorted(sent["men"].values()) == ["K", "R"]
        assert len({chance for chance in sent["chances"] if chance}) == 1
        assert sent["tried"] == [tried]
        assert Practice("KRK", 7).start[1] not in json.dumps(sent)
        many = "+".join(["a1a2"] * 301)
        for path in ("KXK/7", "KRK/7?tried=a1a1", f"KRK/7?tried={many}"):
            with pytest.raises(HTTPError) as error:
                urlopen(f"{server.address}lesson/{path}")
            assert error.value.code == 404
            error.value.close()
