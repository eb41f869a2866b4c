"""Two people on one server, each with a link: nothing of one reaches the other."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from kriegbot.narration import even_time
from kriegbot.web import seats
from kriegbot.web.notices import NotYet
from kriegbot.web.pages import SpectatorGame
from kriegbot.web.registry import ServerLimits
from kriegbot.web.requests import BROKEN_LINK
from kriegbot.web.server import PageServer
from referee import GameRecord, View, load_record
from tests.effort import many
from tests.page import Client, served, views

INVITE = {"do": "invite", "color": "white", "rules": "berkeley", "clock": None}
GAMES, PLIES = many(12, 4), 16
NEW = ("id", "clocks", "invitation", "onlookers")
"""Fields that differ from game to game."""


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(even_time, "QUANTUM", 0.001)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[PageServer]:
    with served(tmp_path, limits=ServerLimits(rate=1e6, burst=1e6)) as page:
        yield page


def address_of(server: PageServer, invitation: str) -> tuple[str, str]:
    """Return the page of a link, and the name of its game."""
    path, _, game = invitation.partition("#game=")
    return f"http://{urlsplit(server.address).netloc}{path}", game


@contextlib.contextmanager
def table(server: PageServer, **settings: object) -> Iterator[tuple[Client, Client]]:
    """Return a new game for two: the host of the server, and the guest, who has followed the link."""
    with Client(server.address) as host:
        host.send(INVITE | settings)
        address, game = address_of(server, host.until("game")["invitation"])
        with Client(address) as guest:
            guest.send({"do": "join", "game": game})
            yield host, guest


@contextlib.contextmanager
def onlooking(server: PageServer, player: Client) -> Iterator[Client]:
    """Somebody who has the link for others, of the game that a player has just begun."""
    (link,) = {message["onlookers"] for message in map(json.loads, player.heard) if message["is"] == "game"}
    address, game = address_of(server, link)
    with Client(address, "an onlooker's") as onlooker:
        onlooker.send({"do": "join", "game": game})
        yield onlooker


@dataclass(frozen=True, slots=True)
class Sent:
    """A game: what each side was sent before the end, the game itself, and what an onlooker was sent before the end."""

    messages: dict[str, list[dict[str, Any]]]
    record: GameRecord
    onlooker: list[str]


def play(server: PageServer, rules: str, seed: int) -> Sent:
    """Return a game by tries that follow from the views and a seed of each side; then the side to move resigns."""
    with table(server, rules=rules) as (host, guest), onlooking(server, host) as onlooker:
        sides = {"white": host, "black": guest}
        turn, view = "white", host.until("view", yours=True)
        while view["ply"] < PLIES:
            own = seed % 3 if turn == "white" else seed  # White repeats itself, so that there is something to compare
            choice = random.Random(f"{own} {len(view['log'])} {len(view['tries'])}").choice(view["tries"])
            sides[turn].send({"do": "try", "text": choice})
            view = sides[turn].until("view")
            if not view["yours"]:
                turn = view["turn"]
                view = sides[turn].until("view", yours=True, ply=view["ply"])
        sides[turn].send({"do": "resign"})
        over = host.until("over")
        assert guest.until("over")["saved"] is None  # a guest is told nothing of the host's folders
        messages = {side: [json.loads(text) for text in client.heard] for side, client in sides.items()}
        onlooker.until("game")
        return Sent(messages, load_record(over["saved"]), onlooker.heard[:-1])


def stripped(message: dict[str, Any]) -> str:
    """Return a message without what is new in every game: its name, the links and the clocks."""
    return json.dumps({key: value for key, value in message.items() if key not in NEW})


def leaks(games: list[Sent]) -> tuple[list[str], int]:
    """Messages that differ though all that their side knew is the same, or that bring nothing new; how many agreed."""
    told: dict[str, str] = {}
    found, agreed = [], 0
    for game in games:
        for side, color in (("white", True), ("black", False)):
            before = [message for message in game.messages[side] if message["is"] not in ("over", "frames")]
            known = list(views(game.record, color))
            shown = [stripped(message) for message in before if message["is"] == "view"]
            if len(shown) != len(known):
                found.append(f"{len(shown)} views were sent to {side}, but {len(known)} were new")
            results = {"results", "network"} if side == "white" else set()  # the host's, of games before
            kinds = {message["is"] for message in before} - {"hello", "game", "view"} - results
            found += [f"{side} was sent {kind}" for kind in kinds]
            for view, message in zip(known, shown, strict=False):
                agreed += told.setdefault(repr(view), message) == message and view.ply > 0
                if told[repr(view)] != message:
                    found.append(f"{told[repr(view)]} or {message}")
    return found, agreed


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["berkeley", "wild16"])
def test_nothing_of_one_side_reaches_the_other(rules: str, server: PageServer) -> None:
    games = [play(server, rules, seed) for seed in range(GAMES)]
    found, agreed = leaks(games)
    assert found == []
    assert agreed > GAMES
    (told,) = {tuple(game.onlooker) for game in games}
    assert [json.loads(text)["is"] for text in told] == ["hello", "later"]
    for game in games:
        for side, enemy in (("white", "KQRBNP".lower()), ("black", "KQRBNP")):
            shown = [message for message in game.messages[side] if message["is"] == "view"]
            assert not {letter for view in shown for letter in view["men"].values()} & set(enemy)


@pytest.mark.slow
def test_a_planted_leak_is_found(server: PageServer, monkeypatch: pytest.MonkeyPatch) -> None:
    wait = seats.PersonSeat.wait

    def hasty(hurried: seats.PersonSeat, view: View) -> None:
        hurried.view = None
        wait(hurried, view)

    monkeypatch.setattr(seats.PersonSeat, "wait", hasty)
    assert leaks([play(server, "wild16", seed) for seed in range(2)])[0]


def test_the_game_begins_when_both_are_there(server: PageServer) -> None:
    with Client(server.address) as host:
        host.send(INVITE | {"clock": "60+0"})
        invitation = host.until("game")["invitation"]
        host.send({"do": "try", "text": "e4"})
        assert host.until("refusal")["text"] == "It is not your turn."
        address, game = address_of(server, invitation)
        with Client(address) as guest:
            guest.send({"do": "join", "game": game})
            assert guest.until("game")["you"] == "black"
            assert host.until("view", yours=True)["clocks"]["white"] > 59
            host.send({"do": "try", "text": "e4"})
            assert guest.until("view", yours=True)["ply"] == 1


def test_behind_a_privacy_screen_nothing_is_told_and_the_game_goes_on(server: PageServer) -> None:
    with Client(server.address) as both:
        both.send(INVITE)
        white = both.until("game")
        address, black = address_of(server, white["invitation"])
        both.send({"do": "privacyscreen"})  # the game begins; nobody else is there
        both.send({"do": "try", "text": "e4"})
        assert both.until("refusal")["text"] == "There is no game yet."
        both.send({"do": "join", "game": white["id"]})
        both.until("view", yours=True)
        both.send({"do": "privacyscreen"})
        both.send({"do": "privacyscreen"})
        with Client(address) as guest:
            guest.send({"do": "join", "game": black})
            guest.send({"do": "draw"})
            guest.until("offer")
        before = len(both.heard)
        both.send({"do": "resign"})
        both.until("refusal")
        assert len(both.heard) == before + 1
        both.send({"do": "join", "game": white["id"]})
        assert both.until("game")["you"] == "white"
        assert both.until("view")["yours"]
        assert both.until("offer")["by"] == "black"


def test_a_guest_has_one_game_and_nothing_else(server: PageServer) -> None:
    with table(server) as (_host, guest):
        for message in (
            {"do": "new", "opponent": "rand", "color": "white", "rules": "berkeley", "seed": None, "clock": None},
            {"do": "watch", "white": "rand", "black": "rand", "rules": "berkeley", "seed": None, "pace": 0},
            INVITE,
            {"do": "privacyscreen"},
            {"do": "library"},
            {"do": "open", "file": "x.pgn"},
            {"do": "resume", "file": "x.pgn"},
            {"do": "delete", "file": "x.pgn"},
        ):
            guest.send(message)
            assert guest.until("refusal")["text"] == "Your link is for one game."
        assert json.loads(guest.heard[0]) == {"is": "hello", "players": [], "rules": [], "guest": True}
        assert '"invitation":null' in guest.heard[1]


def test_in_a_rematch_the_seats_belong_to_the_same_browsers(server: PageServer) -> None:
    with table(server) as (host, guest):
        host.until("view", yours=True)
        host.send({"do": "resign"})
        guest.until("over")
        guest.send({"do": "rematch"})
        host.send({"do": "join", "game": guest.until("next")["game"]})
        host.send({"do": "library"})  # an answer in any case
        kinds = []
        while "library" not in kinds:
            kinds.append(host.receive()["is"])
        assert "refusal" in kinds


def test_a_link_that_is_opened_takes_no_seat_until_somebody_joins_who_may_give_a_name(server: PageServer) -> None:
    with Client(server.address) as host:
        host.send(INVITE | {"name": " Ann\n"})
        address, game = address_of(server, host.until("game")["invitation"])
        for browser in ("a chat program's", "the guest's"):
            with Client(address, browser) as guest:
                guest.send({"do": "visit", "game": game})
                invited = {"is": "invited", "game": game, "you": "black", "clock": None, "by": "Ann"}
                assert guest.until("invited") == invited | {"rules": "Berkeley"}
                guest.send({"do": "try", "text": "e5"})
                assert guest.until("refusal")["text"] == "There is no game yet."
                if browser == "the guest's":
                    guest.send({"do": "join", "game": game, "name": "Bob"})
                    assert guest.until("names") == {"is": "names", "white": "Ann", "black": "Bob"}
                    host.send({"do": "rename", "name": "Anna"})
                    assert guest.until("names")["white"] == host.until("names", white="Anna")["white"]
        with Client(address, "the guest's") as again:
            again.send({"do": "visit", "game": game})
            again.until("view")
            host.send({"do": "resign"})
            again.until("over")
        headers = load_record(host.until("over")["saved"]).headers
        assert (headers["WhiteName"], headers["BlackName"]) == ("Anna", "Bob")
        host.send({"do": "library"})
        (listed,) = host.until("library")["games"]
        assert (listed["white"], listed["black"]) == ("Anna", "Bob")


def test_a_new_link_takes_the_place_of_a_game_that_a_stranger_has_joined(server: PageServer) -> None:
    with table(server, color="black", clock="300+5", name="Ann") as (host, stranger):
        stranger.until("view", yours=True)
        stranger.send({"do": "newlink"})
        assert stranger.until("refusal")["text"] == "Your link is for one game."
        host.send({"do": "newlink"})
        host.send({"do": "join", "game": host.until("next")["game"]})
        assert stranger.until("over")["result"] == "*"
        mine = host.until("game")
        assert (mine["you"], mine["clock"]) == ("black", "300+5")
        address, game = address_of(server, mine["invitation"])
        with Client(address, "the guest's") as guest:
            guest.send({"do": "join", "game": game})
            assert guest.until("view", yours=True)["ply"] == 0
            stranger.send({"do": "join", "game": game})
            assert stranger.until("refusal")["text"].startswith("Somebody has already joined")


@pytest.mark.slow
def test_a_guest_cannot_join_a_game_of_the_host_against_a_program(server: PageServer, kernels: None) -> None:
    del kernels
    with table(server) as (host, guest):
        new = {"do": "new", "opponent": "rand", "color": "white", "rules": "berkeley", "seed": None, "clock": None}
        host.send(new)
        id_ = host.until("game", two=False)["id"]
        guest.send({"do": "join", "game": id_})
        assert guest.until("refusal")["text"] == BROKEN_LINK


@pytest.mark.parametrize("help_", [{"do": "takeback"}, {"do": "hint"}, {"do": "heat", "on": True}])
def test_between_people_there_is_no_help(help_: dict[str, Any], server: PageServer) -> None:
    with table(server) as (host, _guest):
        host.until("view", yours=True)
        host.send(help_)
        assert host.until("refusal")["to"] == help_["do"]


def test_a_draw_is_agreed_and_an_offer_lapses_with_a_move(server: PageServer) -> None:
    with table(server) as (host, guest):
        host.until("view", yours=True)
        host.send({"do": "draw"})
        assert guest.until("offer")["by"] == "white"
        host.send({"do": "try", "text": "e4"})
        guest.until("view", yours=True)
        guest.send({"do": "try", "text": "e5"})
        host.until("view", ply=2)
        guest.until("view", ply=2)
        guest.send({"do": "draw"})  # White's offer has lapsed: this is a new one
        assert host.until("offer", by="black")["ply"] == 2
        host.send({"do": "draw"})
        over = guest.until("over")
        assert (over["result"], over["text"], over["won"]) == ("1/2-1/2", "Agreement, draw.", None)
        assert load_record(host.until("over")["saved"]).result == "1/2-1/2"


def test_an_offer_made_while_the_other_side_is_to_move_dies_with_that_move(server: PageServer) -> None:
    with table(server) as (host, guest):
        host.until("view", yours=True)
        guest.send({"do": "draw"})
        assert host.until("offer") == {"is": "offer", "by": "black", "ply": 0}
        host.send({"do": "try", "text": "e4"})
        host.until("view", ply=1)
        host.send({"do": "draw"})  # no acceptance, but an offer
        assert guest.until("offer", by="white") == {"is": "offer", "by": "white", "ply": 1}


def test_two_at_one_screen_are_both_told_where_their_game_is_kept(server: PageServer) -> None:
    with Client(server.address) as screen:
        screen.send(INVITE)
        _, other = address_of(server, screen.until("game")["invitation"])
        with Client(server.address) as same:
            same.send({"do": "join", "game": other})
            same.until("view")
            screen.send({"do": "resign"})
            assert same.until("over")["saved"] == screen.until("over")["saved"] is not None


def test_a_seat_belongs_to_the_browser_that_took_it(server: PageServer) -> None:
    with Client(server.address) as host:
        host.send(INVITE)
        mine = host.until("game")
        address, game = address_of(server, mine["invitation"])
        with Client(address, "the guest's") as guest:
            guest.send({"do": "join", "game": game})
            assert guest.until("game")["you"] == "black"
            for link, browser in ((server.address, ""), (address, ""), (address, "another")):
                with Client(link, browser) as other:
                    other.send({"do": "join", "game": game})
                    told = other.until("refusal")
                    assert told["text"].startswith("Somebody has already joined with this link. Open it in the browser")
                    other.send({"do": "try", "text": "e5"})
                    assert other.until("refusal")["text"] == "There is no game yet."
            with Client(address, "the guest's") as again, Client(address, "the guest's") as host_now:
                again.send({"do": "join", "game": game})
                assert again.until("game")["you"] == "black"
                host_now.send({"do": "join", "game": mine["id"]})
                assert host_now.until("refusal")["to"] == "join"


def test_both_see_the_whole_game_at_its_end_and_play_again_with_sides_exchanged(server: PageServer) -> None:
    with table(server) as (host, guest):
        host.until("view", yours=True)
        host.send({"do": "resign"})
        assert guest.until("frames")["frames"] == host.until("frames")["frames"]
        guest.send({"do": "rematch"})
        guest.send({"do": "join", "game": guest.until("next")["game"]})
        assert guest.until("game")["you"] == "white"
        host.send({"do": "join", "game": host.until("next")["game"]})
        game = host.until("game")
        assert game["you"] == "black"
        assert game["invitation"] is not None  # to free the seat of a guest who has lost the browser
        assert game["joined"]  # but the guest needs no link
        guest.until("view", yours=True)


def test_who_has_the_link_for_others_sees_nothing_before_the_end_and_then_the_whole_game(server: PageServer) -> None:
    with table(server) as (host, guest), onlooking(server, host) as onlooker:
        assert onlooker.until("later")["text"].startswith("The game is still on.")
        host.until("view", yours=True)
        host.send({"do": "try", "text": "e4"})
        guest.until("view", yours=True)
        held = next(one for one in server.registry.games.values() if isinstance(one, SpectatorGame))
        assert (held.record, held.review, [*held._last]) == (None, None, [NotYet])
        for text in ("try", "resign", "draw", "leave", "takeback", "rematch", "hint"):
            onlooker.send({"do": text, "text": "e5"})
        for asked in ({"do": "look", "index": 0}, {"do": "heat", "on": True}, INVITE):
            onlooker.send(asked)
        refused = [onlooker.receive()["is"] for _ in range(10)]
        assert refused == ["refusal"] * 10
        guest.send({"do": "resign"})
        whole = host.until("frames")["frames"]
        for one in (onlooker, None):
            with contextlib.ExitStack() as late:
                there = one or late.enter_context(onlooking(server, host))
                game = there.until("game")
                assert (game["kind"], game["you"], game["invitation"]) == ("replay", None, None)
                assert there.until("over")["saved"] is None
                assert there.until("frames")["frames"] == whole


def test_of_a_game_that_may_be_played_on_the_link_for_others_shows_nothing(server: PageServer) -> None:
    with table(server) as (host, _guest), onlooking(server, host) as onlooker:
        host.until("view", yours=True)
        onlooker.until("later")
        host.send({"do": "leave"})
        assert "may be continued" in onlooker.until("later")["text"]
        onlooker.send({"do": "look", "index": 0})
        assert onlooker.receive()["is"] == "refusal"


def test_one_is_told_that_the_other_has_left_and_is_back_and_nothing_else(server: PageServer) -> None:
    with table(server) as (host, guest):
        host.until("view", yours=True)
        guest.until("view")
        game = next(message["id"] for message in map(json.loads, guest.heard) if message["is"] == "game")
        address = f"{server.address.rsplit('/', 2)[0]}/{server.registry.guest_token}/"
        with Client(address) as again:  # a second tab: nobody has left
            again.send({"do": "join", "game": game})
            again.until("view")
        guest.cut()
        assert host.receive() == {"is": "presence", "here": False}
        with Client(address) as back:
            back.send({"do": "join", "game": game})
            assert host.receive() == {"is": "presence", "here": True}


def test_a_game_between_two_that_was_broken_off_is_played_on_by_two(server: PageServer) -> None:
    with table(server, color="black") as (host, guest):
        guest.until("view", yours=True)
        guest.send({"do": "try", "text": "e4"})
        host.until("view", yours=True)
        host.send({"do": "leave"})
        assert guest.until("over")["resumable"]
        over = host.until("over")
        host.send({"do": "resume", "file": Path(over["saved"]).name})
        message = host.until("game")
        assert message["you"] == "black"  # as before
        address, game = address_of(server, message["invitation"])
        with Client(address) as other:
            other.send({"do": "join", "game": game})
            assert host.until("view", yours=True)["ply"] == 1
            assert other.until("view")["men"]["e4"] == "P"
