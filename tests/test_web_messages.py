"""The page's messages: what comes is checked, and each says what it means."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import chess
import pytest

from kriegbot.game.process import ProcessSeat
from kriegbot.players.specs import parse_spec
from kriegbot.request import Refused
from kriegbot.web.notices import Clocks, Kept, Notice, side_view
from kriegbot.web.requests import MAX_MOMENTS, REQUESTS, Look, New, SetPace, Watch, WithGame, WithTry, read_request
from referee import Referee

GAME = {"do": "new", "opponent": "rand", "color": "white", "rules": "berkeley", "seed": None, "clock": None}
WATCHED = {"do": "watch", "white": "rand", "black": "hs", "rules": "berkeley", "seed": "7", "pace": 1}


def test_every_message_says_what_it_means() -> None:
    kinds = [*REQUESTS.values(), *Notice.__subclasses__(), *Kept.__subclasses__()]
    assert len(kinds) > 40
    assert all(kind.__doc__ for kind in kinds)


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        (GAME, New("rand", "white", "berkeley", None, None)),
        (WATCHED, Watch("rand", "hs", "berkeley", "7", 1)),
        ({"do": "join", "game": "x"}, WithGame("join", "x")),
        ({"do": "try", "text": "e4", "more": 1}, WithTry("try", "e4")),
        ({"do": "pace", "seconds": 0.5}, SetPace(0.5)),
    ],
)
def test_a_message_is_what_its_fields_say(message: dict[str, Any], asked: object) -> None:
    assert read_request(json.dumps(message)) == asked


@pytest.mark.parametrize("message", [GAME, WATCHED, {"do": "look", "indexes": [3]}, {"do": "heat", "on": True}])
def test_every_field_has_to_be_there_and_of_its_kind(message: dict[str, Any]) -> None:
    for name in set(message) - {"do"}:
        wrong_values: list[object] = [["3"], {}, 1.5 if name in ("indexes", "on") else True]
        for wrong in wrong_values:
            with pytest.raises(Refused, match=r"(wrong|has|Choose).*\."):
                read_request(json.dumps(message | {name: wrong}))
        with pytest.raises(Refused, match=r"(wrong|has|Choose).*\."):
            read_request(json.dumps({key: value for key, value in message.items() if key != name}))


@pytest.mark.parametrize("text", [None, "", "[]", "3", "nonsense", "[" * 9000, '{"do": "dance"}', '{"do": []}', "{}"])
def test_what_is_no_message_is_refused_in_a_sentence(text: str | None) -> None:
    with pytest.raises(Refused, match=r"^[A-Z].*\.$"):
        read_request(text)


def test_no_more_moments_are_asked_for_at_once_than_the_page_allows() -> None:
    most = list(range(MAX_MOMENTS))
    assert read_request(json.dumps({"do": "look", "indexes": most})) == Look(most)
    with pytest.raises(Refused, match=f"up to {MAX_MOMENTS} numbers"):
        read_request(json.dumps({"do": "look", "indexes": [*most, 0]}))


def test_a_pace_is_a_number_from_nought_to_ten() -> None:
    for seconds in ("-1", "11", "1e999"):
        with pytest.raises(Refused, match="from 0 to 10 seconds"):
            read_request(f'{{"do": "pace", "seconds": {seconds}}}')


def test_a_number_beyond_any_float_is_refused() -> None:
    with pytest.raises(Refused):
        read_request(json.dumps({"do": "pace", "seconds": 10**400}))


def test_a_seed_is_never_a_number_for_javascript_would_round_it() -> None:
    with pytest.raises(Refused):
        read_request(json.dumps(GAME | {"seed": 3}))
    assert read_request(json.dumps(GAME | {"seed": str(2**127 + 1)})) == New(
        "rand", "white", "berkeley", str(2**127 + 1), None
    )


@pytest.mark.parametrize(
    ("moves", "resigns", "yours", "move", "tries"),
    [
        ("", False, True, 1, {"e2e4", "a2b3"}),
        ("e2e4", False, False, 1, {"e4e5", "a2b3"}),  # those that can be prepared
        ("e2e4 e7e5", False, True, 2, {"e4e5", "a2b3"}),
        ("", True, False, 1, set()),
        ("e2e4", True, False, 1, set()),
    ],
)
def test_a_view_says_whose_turn_it_is_and_what_can_be_tried(
    moves: str, resigns: bool, yours: bool, move: int, tries: set[str]
) -> None:
    referee = Referee()
    for uci in moves.split():
        referee.try_move(chess.Move.from_uci(uci))
    if resigns:
        referee.resign(chess.BLACK)
    view = referee.view(chess.WHITE)
    clocks = Clocks(1.5, 2.5, None, False)
    seen = side_view(view, [], clocks)
    assert (seen.yours, seen.move, seen.ply, seen.clocks) == (yours, move, len(moves.split()), clocks)
    assert (set(seen.tries) >= tries) if tries else (seen.tries == [])
    assert seen.last == (["e2", "e4"] if moves else [])
    assert seen.clear == (["e3", "e4"] if moves else [])
    assert seen.moved == (1 if moves else 0)
    assert (seen.enemy_men, len(seen.men), seen.check, seen.lost) == (16, 16, None, "")


def test_a_program_keeps_its_priority_while_kernels_compile_for_a_person_who_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[object] = []
    monkeypatch.setattr("kriegbot.game.process.lower_priority", seen.append)
    seat = ProcessSeat(parse_spec("rand"), report=lambda *progress: seen.append(progress), low_priority=True)
    lines = iter(["preparing 1 9 attacks:step", "ready"])
    process: Any = SimpleNamespace(pid=7, pending_ready=1, received=lambda _wait: lines)
    seat._wait_until_ready(process)
    assert seen == [("attacks:step", 1, 9), 7]
