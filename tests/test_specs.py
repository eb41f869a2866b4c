"""Specs name players; whatever is wrong with one is said on one line with what would do."""

from __future__ import annotations

import hashlib
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import chess
import pytest

from kriegbot import kernels
from kriegbot.options import Option
from kriegbot.players.making import make_player
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import BadSpec, parse_spec, players, versions_of
from kriegbot.request import Refused, program_in, program_of
from referee import BERKELEY, GameRecord, Referee

KNOWN = "engine, grabber, hs, human, kriegbot, overconfident, paranoid, rand, rusher, search, shuffler"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("rand", "rand"),
        ("human", "human"),
        ("overconfident", "overconfident"),
        ("overconfident:depth=2,time=1", "overconfident:depth=2,time=1"),
        ("overconfident:time=1.0,depth=02", "overconfident:depth=2,time=1"),
        ("overconfident:time=.25,extra=2.5e0", "overconfident:time=0.25,retry_time=2.5"),
        ("paranoid:samples=1683,depth=1", "paranoid:depth=1,samples=1683"),
        ("search:backup=mixed:worst=0.3", "search:backup=mixed"),
        ("paranoid:evaluator=material,particles=+100", "paranoid:particles=100,evaluator=material"),
    ],
)
def test_a_spec_is_written_in_one_way(text: str, canonical: str) -> None:
    spec = parse_spec(text)
    assert str(spec) == canonical
    assert parse_spec(canonical) == spec
    assert hash(parse_spec(canonical)) == hash(spec)
    assert pickle.loads(pickle.dumps(spec)) == spec


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "overconfidant",
            f"unknown player 'overconfidant'; did you mean 'overconfident'? Known: {KNOWN}.",
        ),
        ("", f"unknown player ''. Known: {KNOWN}."),
        (
            "RAND",
            f"unknown player 'RAND'; did you mean 'rand'? Known: {KNOWN}.",
        ),
        ("xyz", f"unknown player 'xyz'. Known: {KNOWN}."),
        (
            "overconfident:depht=2",
            "player 'overconfident' has no option 'depht'; did you mean 'depth'? It takes depth (1..4), "
            "time (0.01..3600 seconds), samples (1..1000000), particles (100..1000000), threads (1..256), "
            "evaluator (conservative|ks|material|sound).",
        ),
        ("rand:depth=2", "player 'rand' has no option 'depth'. It takes by (try|man)."),
        ("rand:", "illegal option '' of player 'rand': it takes name=value; it takes by (try|man)."),
        ("overconfident:depth=2,", "illegal option '' of player 'overconfident': it takes name=value; it takes depth"),
        (
            "overconfident:depth",
            "illegal option 'depth' of player 'overconfident': it takes name=value; it takes depth",
        ),
        ("overconfident:depth=1,depth=2", "option 'depth' of player 'overconfident' is given twice."),
        ("overconfident:time=1,samples=5", "player 'overconfident' takes time or samples, not both."),
        (
            "paranoid:evaluator=stockfish",
            "player 'paranoid': unknown evaluator 'stockfish'. "
            "Known: conservative, ks, material, sound; or your own: FILE.py:NAME or MODULE:NAME.",
        ),
        (
            "search:backup=mixed:worst=7",
            "player 'search': there is no module 'mixed'.",
        ),
    ],
)
def test_a_bad_spec_is_refused_with_what_would_do(text: str, message: str) -> None:
    with pytest.raises(BadSpec) as refused:
        parse_spec(text)
    assert str(refused.value).startswith(message)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("value", ["0", "5", "-1", "1.5", "two", "", "1_0", "٢", "9" * 5000, "nan", "0x2", "2\n"])
def test_a_depth_is_a_whole_number_in_range(value: str) -> None:
    with pytest.raises(BadSpec, match=r"^illegal depth .* it takes a whole number, 1\.\.4\.$") as refused:
        parse_spec(f"overconfident:depth={value}")
    assert len(str(refused.value)) < 160


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "1e400", "3601", "", "1s", "1,5", "--1", "1__0"])
def test_a_time_is_a_number_in_range(value: str) -> None:
    with pytest.raises(BadSpec, match="overconfident"):
        parse_spec(f"overconfident:time={value}")


def test_an_option_can_be_set_anew() -> None:
    spec = parse_spec("overconfident:time=1,depth=3").with_option("time", "0.5")
    assert str(spec) == "overconfident:depth=3,time=0.5"
    with pytest.raises(BadSpec, match="takes time or samples, not both"):
        parse_spec("overconfident:samples=5").with_option("time", "1")


@pytest.mark.slow
def test_every_player_but_a_person_can_be_made_and_answers() -> None:
    view = Referee().view(True)
    for name, kind in players().items():
        if kind.make is None or name == "engine":  # a person, or a program that may be missing
            continue
        text = f"{name}:samples=10" if any(option.name == "samples" for option in kind.options) else name
        assert make_player(parse_spec(text), 1).choose(view).action in view.tries()


@pytest.mark.slow
def test_listing_the_players_imports_no_kernels() -> None:
    program = (
        "import sys; from kriegbot.players.specs import parse_spec, players; print(*players());"
        "parse_spec('search:backup=mixed'); print('numba' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert answer.stdout == KNOWN.replace(",", "") + "\nFalse\n"


@pytest.mark.slow
def test_a_player_is_made_without_importing_the_others() -> None:
    program = (
        "import sys; from kriegbot.players.making import make_player; from kriegbot.players.specs import parse_spec;"
        "make_player(parse_spec('rand'), 1);"
        "print(*(name for name in sys.modules if name.startswith('kriegbot.players.')));"
        "print(*{'asyncio', 'numba', 'numpy'}.intersection(sys.modules))"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)
    assert set(answer.stdout.split()) == {  # and no kernels
        f"kriegbot.players.{name}" for name in ("base", "making", "old_names", "rand", "specs")
    }


def test_a_person_is_not_made_from_a_spec() -> None:
    with pytest.raises(BadSpec, match="player 'human' is only for `kriegbot play`"):
        make_player(parse_spec("human"), 1)


@pytest.mark.slow
def test_rand_tries_everything_that_is_open_about_equally_often() -> None:
    view = Referee().view(True)
    player = RandPlayer(1)
    counts = dict.fromkeys(view.tries(), 0)
    for _ in range(200 * len(counts)):
        move = player.choose(view).action
        assert isinstance(move, chess.Move)
        counts[move] += 1
    assert all(140 < count < 260 for count in counts.values())


def test_the_files_of_a_player_are_its_own_and_those_of_its_parts(tmp_path: Path) -> None:
    own, net = tmp_path / "own.py", tmp_path / "my bot.py"
    for path in (own, net):
        path.write_text(path.name, encoding="utf-8")
    part, hashes = f"{own}:part", {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (own, net)}
    assert parse_spec("search:evaluator=conservative,backup=mixed").files == ()
    ours = parse_spec(f"search:evaluator={part},backup={part}")
    assert ours.files == (own,)
    outside = parse_spec(f"{net}:Bot:evaluator={part},depth=2")
    assert outside.files == (net, own)
    assert versions_of([ours, outside]) == f"my_bot.py={hashes['my bot.py']} own.py={hashes['own.py']}"
    script = parse_spec(f"program:sh '{own}'")
    assert len(script.files) == 2
    assert versions_of([script]) == f"own.py={hashes['own.py']}", "not what is on the PATH"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("fear", float, "", 1.0), "option 'fear' takes no value; give it low and high"),
        (("style", str, "", "quiet"), "option 'style' takes no value; give it choices"),
        (("deep", bool, "", True), "option 'deep' is of <class 'bool'>; it takes int, float or str"),
        (("depth", int, "", 9, 1, 3), "option 'depth': its default 9 is not a whole number, 1..3"),
        (("depth", int, "", 9, 0, 3), "option 'depth': its default 9 is not a whole number, 0..3"),
        (("style", str, "", "quiet", 0, 0, ("loud",)), "option 'style': its default 'quiet' is not one of loud"),
    ],
)
def test_an_option_that_no_spec_could_set_is_refused_where_it_is_made(option: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        Option(*option)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("search:samples=5,opponent=kinds", "search:samples=5,opponent=opponent_types"),
        (
            "search:samples=5,opponent=retaking,filtering=kinds",
            "search:samples=5,opponent=recapturing,belief_model=opponent_types",
        ),
        ("search:evaluator=ks:threat=20,free=1", "search:evaluator=evaluators.ks:threat_20,free_refusals=1"),
        ("overconfident:samples=9,further=3", "overconfident:samples=9,resample=3"),
    ],
)
def test_a_spec_of_an_earlier_version_names_the_same_player(old: str, new: str) -> None:
    assert str(parse_spec(old)) == new


def test_people_are_refused_options_for_experiments() -> None:
    assert parse_spec("hs:sampling=los").get("sampling") == "los"
    with pytest.raises(BadSpec, match=r"^option .sampling. of player .hs. is for experiments"):
        parse_spec("hs:sampling=los", experimental=False)
    with pytest.raises(Refused, match="is for experiments"):
        program_of("overconfident:samples=9,further=3")


def test_a_saved_game_may_name_options_for_experiments() -> None:
    headers = {"White": "human", "Black": "overconfident:samples=9,further=3"}
    program, people = program_in(GameRecord(BERKELEY, headers=headers))
    assert (str(program), people) == ("overconfident:samples=9,resample=3", [chess.WHITE])


@pytest.mark.parametrize(
    ("spec", "is_early", "called"),
    [
        ("kriegbot:samples=9", True, ["prepare_first"]),
        ("kriegbot:samples=9", False, ["prepare"]),
        ("hs:samples=9", True, ["prepare"]),
        ("rand", True, []),
    ],
)
def test_a_player_is_made_before_all_kernels_are_compiled_if_it_can_begin_and_shall(
    spec: str, is_early: bool, called: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for name in ("prepare", "prepare_first"):
        monkeypatch.setattr(kernels, name, lambda _report, name=name: found.append(name))
    make_player(parse_spec(spec), 1, is_early=is_early)
    assert found == called


def test_two_files_of_one_name_both_count(tmp_path: Path) -> None:
    texts = []
    for folder in ("new", "old"):
        (tmp_path / folder).mkdir()
        bot = tmp_path / folder / "bot.py"
        bot.write_text(f"# {folder}")
        texts.append(f"{bot}:Bot")
    first = versions_of(map(parse_spec, texts))
    assert first.count("bot.py=") == 2
    (tmp_path / "new" / "bot.py").write_text("# newer")
    assert versions_of(map(parse_spec, texts)) != first
