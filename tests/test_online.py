"""The parts of the online bot: the calls it makes, its token, its settings, its time."""

from __future__ import annotations

import json
import re
import socket
import stat
import threading
import tomllib
from collections.abc import Iterator
from datetime import time
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import chess
import pytest

from kriegbot.cli.main import main
from kriegbot.online import Bot, BotSettings, load_settings, read_settings
from kriegbot.online.game import HURRY, LEAST, RESERVE, OnlineGame, patience_for, seconds_for
from kriegbot.online.site import (
    CALLS,
    Site,
    SiteRefusal,
    Stopped,
    Uncertain,
    address_of,
    check_free,
    load_token,
    save_token,
    token_path,
)
from kriegbot.players.specs import parse_spec
from kriegbot.request import Refused
from referee import Referee
from tests.fake_http import serving
from tests.fake_site import KEY, TOKEN, FakeSite

DOCS = Path(__file__).parent.parent / "docs" / "online.md"


@pytest.fixture
def fake() -> Iterator[FakeSite]:
    with serving(FakeSite()) as site:
        yield site


@pytest.fixture
def site(fake: FakeSite) -> Iterator[Site]:
    client = Site(fake.address, TOKEN, threading.Event())
    yield client
    client.close()


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "kriegbot"


# Calls


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/game/ABCDEF/moves"),
        ("GET", "/game/ABCDEF/review"),
        ("GET", "/game/ABCDEF/events"),
        ("GET", "/game/ABCDEF"),
        ("GET", "/game/recent"),
        ("GET", "/game/mine"),
        ("GET", "/game/ABCDEF/state/../moves"),
        ("GET", "/game/ABCDEF/moves?/state"),
        ("GET", "/game/../game/ABCDEF/moves"),
        ("GET", "//evil.example/game/ABCDEF/state"),
        ("POST", "/game/ABCDEF/state"),
        ("DELETE", "/game/ABCDEF/state"),
        ("GET", "https://evil.example/auth/me"),
        ("GET", "/auth/me\n"),
    ],
)
def test_a_call_that_is_not_listed_is_never_sent(method: str, path: str, site: Site, fake: FakeSite) -> None:
    with pytest.raises(ValueError, match="is not a call that this bot makes"):
        site.command(method, path) if method != "GET" else site.ask(path)
    assert fake.counts == {}


def test_no_listed_call_asks_for_moves_of_the_opponent() -> None:
    words = {word for call in CALLS for word in re.findall("[a-z-]{3,}", call)}
    assert words.isdisjoint({"moves", "review", "transcript", "events", "recent", "replay"})


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["drop before", "drop after", "500 before", "500 after", "429"])
def test_a_question_is_asked_until_it_is_answered(fault: str, site: Site, fake: FakeSite) -> None:
    fake.forced = [fault, fault, ""]
    assert site.ask("/auth/me")["username"] == "kriegbot"
    assert fake.counts == {fault: 2, "requests": 1}


@pytest.mark.parametrize("fault", ["drop before", "drop after", "500 before", "500 after"])
def test_a_command_that_was_not_answered_is_not_sent_again(fault: str, site: Site, fake: FakeSite) -> None:
    fake.forced = [fault]
    with pytest.raises(Uncertain):
        site.command("POST", "/bots/profile", {})
    assert fake.counts == {fault: 1}


@pytest.mark.slow
def test_a_command_that_is_put_off_is_sent_again(site: Site, fake: FakeSite) -> None:
    fake.forced = ["429", ""]
    assert site.command("POST", "/bots/profile", {}) == {"ok": True}


def test_a_command_that_was_never_sent_is_sent_again() -> None:
    reports: list[str] = []
    stop = threading.Event()

    def report(line: str) -> None:
        reports.append(line)
        if len(reports) == 3:
            stop.set()

    site = Site("http://127.0.0.1:9", TOKEN, stop, report)
    with pytest.raises(Stopped):
        site.command("POST", "/bots/profile", {})
    site.close()
    assert all("no connection to http://127.0.0.1:9" in line for line in reports)


def test_a_connection_that_is_made_while_the_site_is_left_is_closed(
    fake: FakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop, made, connect = threading.Event(), [], socket.create_connection

    def slowly(*args: Any, **given: Any) -> socket.socket:
        stop.set()
        sleep(0.2)
        made.append(connect(*args, **given))
        return made[0]

    monkeypatch.setattr(socket, "create_connection", slowly)
    site = Site(fake.address, TOKEN, stop)
    with pytest.raises(Stopped):
        site.ask("/auth/me")
    site.close()
    assert [one.fileno() for one in made] == [-1]


def test_a_refusal_says_what_the_site_says(site: Site) -> None:
    with pytest.raises(SiteRefusal, match="GAME_NOT_FOUND: game not found") as caught:
        site.ask("/game/ABCDEF/state")
    assert caught.value.status == 404


@pytest.mark.parametrize(
    "address", ["http://example.org", "ftp://x", "", "https://", "https://a@b", "https://x?y", "x" * 99]
)
def test_a_token_goes_by_https_or_to_this_machine(address: str) -> None:
    with pytest.raises(Refused, match="illegal site"):
        address_of(address)


def test_addresses_that_a_token_may_go_to() -> None:
    assert address_of("https://api.kriegspiel.org/") == "https://api.kriegspiel.org"
    assert address_of("http://127.0.0.1:8017") == "http://127.0.0.1:8017"


# The token


def test_a_token_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "token"
    check_free(path)
    save_token(path, "ksbot_1.x")
    assert load_token(path) == "ksbot_1.x"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "token"
    save_token(path, "x")
    path.chmod(0o640)
    with pytest.raises(Refused, match="can be read by others"):
        load_token(path)


@pytest.mark.parametrize("text", ["", "two words", "\n\n", "ä"])
def test_a_file_without_a_token_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(Refused, match="holds no token"):
        load_token(path)


def test_each_site_has_its_own_token(config: Path) -> None:
    assert token_path("https://api.kriegspiel.org") == config / "token-api.kriegspiel.org"
    assert token_path("http://127.0.0.1:8017") == config / "token-127.0.0.1-8017"


def test_a_bot_is_registered_once(
    fake: FakeSite, config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    settings = tmp_path / "s.toml"
    settings.write_text(f'site = "{fake.address}"\n', encoding="utf-8")
    command = ["online", "register", "kriegbot", "--email", "me@example.org", "--settings", str(settings)]
    monkeypatch.setenv("KRIEGSPIEL_REGISTRATION_KEY", "wrong")
    assert main(command) == 2
    assert "does not register 'kriegbot': FORBIDDEN" in capsys.readouterr().err
    monkeypatch.setenv("KRIEGSPIEL_REGISTRATION_KEY", KEY)
    assert main(command) == 0
    out = capsys.readouterr().out
    assert TOKEN not in out
    assert load_token(token_path(fake.address)) == TOKEN
    assert main(command) == 2
    assert "already holds a token" in capsys.readouterr().err
    assert config.exists()


@pytest.mark.parametrize("wants_key", [True, False])
def test_a_registration_key_is_asked_for_only_where_the_site_wants_one(
    wants_key: bool, fake: FakeSite, config: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def prompt(text: str, **_: object) -> str:
        prompts.append(text)
        return KEY

    prompts: list[str] = []
    monkeypatch.delenv("KRIEGSPIEL_REGISTRATION_KEY", raising=False)
    monkeypatch.setattr("typer.prompt", prompt)
    fake.wants_key = wants_key
    (tmp_path / "s.toml").write_text(f'site = "{fake.address}"\n', encoding="utf-8")
    command = ["online", "register", "kriegbot", "--email", "me@example.org", "--settings", str(tmp_path / "s.toml")]
    assert main(command) == 0
    assert prompts == ["Registration key"] * wants_key
    assert load_token(token_path(fake.address)) == TOKEN
    assert config.exists()


@pytest.mark.parametrize("token", [None, "", 7, ["x"], "a\nb", "\N{SNOWMAN}"])
def test_an_answer_without_a_token_is_no_registration(
    token: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KRIEGSPIEL_REGISTRATION_KEY", KEY)
    monkeypatch.setattr("kriegbot.online.site.Site.command", lambda *_: {"api_token": token})
    assert main(["online", "register", "kriegbot", "--email", "me@example.org"]) == 2
    assert capsys.readouterr().err.endswith(" has registered 'kriegbot' without sending a token.\n")


def test_a_site_that_is_not_there_is_not_asked_for_ever(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("KRIEGSPIEL_REGISTRATION_KEY", KEY)
    monkeypatch.setattr("kriegbot.cli.online.REGISTERING", 0.1)
    (tmp_path / "s.toml").write_text('site = "http://127.0.0.1:9"\n', encoding="utf-8")
    command = ["online", "register", "kriegbot", "--email", "me@example.org", "--settings", str(tmp_path / "s.toml")]
    assert main(command) == 2
    assert "http://127.0.0.1:9 accepted no request in 0.1 seconds; try again later." in capsys.readouterr().err


def test_a_bot_without_a_token_is_told_how_to_get_one(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["online", "run"]) == 2
    assert "there is no token in" in capsys.readouterr().err
    assert not (config / "online.toml").exists()


def test_without_its_library_a_bot_is_told_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kriegbot.cli.online.find_spec", lambda _: None)
    assert main(["online", "run"]) == 2
    assert capsys.readouterr().err == "kriegbot: playing online needs httpx: pip install httpx.\n"


@pytest.mark.slow
def test_a_player_that_cannot_play_is_refused_before_the_site_hears_of_the_bot(
    config: Path, fake: FakeSite, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Bot, "run", lambda _: pytest.fail("the bot plays"))
    config.mkdir()
    (config / "bot.py").write_text(
        "class Lost:\n    def __init__(self, seed): ...\n    def choose(self, view): nothing\n",
        encoding="utf-8",
    )
    (config / "online.toml").write_text(f'site = "{fake.address}"\nplayer = "{config}/bot.py:Lost"\n', encoding="utf-8")
    save_token(token_path(fake.address), TOKEN)
    assert main(["online", "run"]) == 2
    error = capsys.readouterr().err
    assert error.endswith("/bot.py:Lost' raised NameError: name 'nothing' is not defined.\n")
    assert error.count("\n") == 1
    assert fake.counts == {}


# Settings


def test_the_settings_in_the_docs_are_the_defaults() -> None:
    block = DOCS.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]
    data = tomllib.loads(block)
    assert set(data) == set(BotSettings.__struct_fields__) - {"records"}
    assert read_settings(data, "docs") == BotSettings()
    assert "records" in block


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("palyer = 'rand'", "'{}': unknown setting 'palyer'; did you mean 'player'? Known: site, player, rules,"),
        ("player = 'rnad'", "unknown player 'rnad'; did you mean 'rand'?"),
        ("player = 'human'", "player 'human' is a person"),
        ("player = 3", "illegal player = 3: it takes a text in quotation marks."),
        ("rules = ['berkley']", "illegal setting rules: unknown rule set 'berkley'; did you mean 'berkeley'?"),
        ("rules = []", "illegal rules = []: it takes a list with at least one of berkeley,"),
        ("games = 0", "illegal games = 0: it takes a whole number, 1..20."),
        ("games = true", "illegal games = True: it takes a whole number, 1..20."),
        ("opponents = 'all'", "illegal opponents = 'all': it takes one of humans, bots, anyone, nobody."),
        ("allow = 'anna'", "illegal allow = 'anna': it takes a list of names"),
        ("hours = '8-22'", "illegal hours = '8-22': it takes two times, such as '08:00-22:30'."),
        ("hours = '08:00-24:30'", "it takes two times"),
        ("join = 1", "illegal join = 1: it takes true or false."),
        ("site = 'http://x.org'", "a token goes only by https"),
        ("site = ", " as settings: Invalid value"),
        ("#" * 100_001, " as settings: more than 100000 bytes."),
    ],
    ids=lambda text: text[:40],
)
def test_a_bad_setting_is_refused_in_one_line(
    line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "online.toml"
    path.write_text(line, encoding="utf-8")
    assert main(["online", "run", "--settings", str(path)]) == 2
    error = capsys.readouterr().err
    assert message.replace("{}", str(path)) in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("name", ["none.toml", "x" * 5000])
def test_settings_that_are_not_there_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="as settings: cannot be read") as refused:
        load_settings(tmp_path / name)
    assert len(str(refused.value)) < 400


def test_a_bot_that_no_message_can_describe_is_not_registered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["online", "register", "bot", "--email", "a@b.c", "--description", "\udc80"]) == 2
    assert capsys.readouterr().err == "kriegbot: illegal description '\\udc80': it takes printable characters.\n"


@pytest.mark.parametrize(
    ("given", "opponent", "role", "why"),
    [
        ({}, "anna", "user", ""),
        ({"opponents": "humans"}, "otherbot", "bot", "opponents are humans, not bots"),
        ({"opponents": "bots"}, "anna", "user", "opponents are bots, not humans"),
        ({"opponents": "nobody"}, "anna", "guest", "opponents are nobody, not humans"),
        ({"block": ["Anna"]}, "anna", "user", "anna is blocked"),
        ({"allow": ["boris"]}, "anna", "user", "anna is not among those allowed"),
        ({"allow": ["ANNA"]}, "anna", "user", ""),
    ],
)
def test_who_is_played(given: dict[str, Any], opponent: str, role: str, why: str) -> None:
    assert read_settings(given, "here").why_not(opponent, role) == why


@pytest.mark.parametrize(
    ("hours", "open_at", "closed_at"),
    [
        ("08:00-22:30", [(8, 0), (22, 29)], [(7, 59), (22, 30), (0, 0)]),
        ("22:00-06:00", [(22, 0), (0, 0), (5, 59)], [(6, 0), (12, 0), (21, 59)]),
        ("20:00-24:00", [(20, 0), (23, 59)], [(0, 0), (19, 59)]),
        ("00:00-24:00", [(0, 0), (12, 0), (23, 59)], []),
    ],
)
def test_hours(hours: str, open_at: list[tuple[int, int]], closed_at: list[tuple[int, int]]) -> None:
    settings = read_settings({"hours": hours}, "here")
    assert all(settings.is_open(time(*at)) for at in open_at)
    assert not any(settings.is_open(time(*at)) for at in closed_at)


# Time


@pytest.mark.parametrize("tries", [1, 2, 5, 40])
def test_no_flag_falls_though_every_try_takes_all_its_time(tries: int) -> None:
    left, lowest = 1500.0, 1500.0
    for _ in range(400):
        for _ in range(tries):
            left -= seconds_for(left) + 0.2  # and the way to the site and back
        lowest, left = min(lowest, left), left + 10
    assert lowest > HURRY


def test_a_clock_settles_where_a_turn_takes_what_it_is_given() -> None:
    left = 1500.0
    for _ in range(400):
        left += 10 - seconds_for(left)
    assert 190 < left < 260
    assert 9 < seconds_for(left) < 11


@pytest.mark.slow
def test_a_player_gets_less_time_on_a_low_clock(site: Site, tmp_path: Path) -> None:
    """As on the page (tests/test_turn_budget.py): it receives the seconds, and does not start again."""
    game = OnlineGame(site, "rand", tmp_path, {"code": "abc", "rules": "berkeley"}, print)
    with game._seat as seat:
        for left in (1500, 400, 100, 31, 5):
            game._flag = monotonic() + left
            game._ask(Referee().view(chess.WHITE), can_ask=False)
            assert seat.turn_seconds is not None
            assert seconds_for(game._flag - monotonic()) <= seat.turn_seconds <= seconds_for(left)
    assert seconds_for(1500) > seconds_for(400) > seconds_for(100) > seconds_for(31) == pytest.approx(0.05)
    assert seconds_for(0) == seconds_for(RESERVE) == LEAST


def test_nobody_is_waited_for_longer_than_half_the_clock() -> None:
    assert patience_for(parse_spec("rand"), 1500) == 300
    assert patience_for(parse_spec("rand"), 110) == 50
    assert patience_for(parse_spec("kriegbot:time=5"), 1500) == 20
    assert patience_for(parse_spec("kriegbot:time=5"), 5) == 0.5


def test_an_answer_that_is_no_object_is_asked_for_again(site: Site, fake: FakeSite, monkeypatch: Any) -> None:
    answers = iter([(200, ["a list"]), (200, {"username": "x"})])
    monkeypatch.setattr(fake, "serve", lambda *_: next(answers))
    assert site.ask("/auth/me") == {"username": "x"}
    assert json.dumps(fake.wrong) == "[]"
