"""The command line as a whole: what it prints, and how it refuses."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kriegbot.cli.common import seconds
from kriegbot.cli.main import COMMANDS, main
from kriegbot.players.specs import players
from kriegbot.request import Refused
from referee import RULE_SETS, Reason, load_record

GOLDEN = Path(__file__).parent / "golden"


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "kriegbot", *arguments]
    return subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=False, timeout=60)


REFUSED = [
    (
        ["pley"],
        "unknown command 'pley'; did you mean 'play'? Known: learn, play, resume, results, match, replay, ",
    ),
    (["trees", "slove"], "unknown command 'slove'; did you mean 'solve'? Known: solve, imp-model, figure6."),
    (["completion", "tcsh"], "unknown shell 'tcsh'. Known: bash, zsh, fish."),
    (["trees"], "missing command. See kriegbot trees --help."),
    (["--bogus"], "no such option: --bogus"),
    (["match", "rand"], "missing argument 'BLACK'"),
    (["match", "rand", "rand", "rand"], "unexpected extra argument"),
    (["match", "rand", "rand", "--sed", "3"], "did you mean --seed"),
    (["match", "rand", "rand", "--seed"], "requires an argument"),
    (["match", "overconfidant", "rand"], "unknown player 'overconfidant'; did you mean 'overconfident'?"),
    (["match", "rand", "overconfident:depht=2"], "has no option 'depht'; did you mean 'depth'?"),
    (["match", "human", "rand"], "player 'human' is a person"),
    (["match", "rand", "rand", "--rules", "berkley"], "unknown rule set 'berkley'; did you mean 'berkeley'?"),
    (["match", "rand", "rand", "--limits", "plies=0"], "illegal limits 'plies=0'"),
    (["match", "rand", "rand", "--limits", "plies=1,plies=2"], "illegal limits"),
    (["match", "rand", "rand", "--limits", ""], "illegal limits ''"),
    (["match", "rand", "rand", "--seed", "-1"], "illegal seed '-1'"),
    (["match", "rand", "rand", "--seed", "x"], "illegal seed 'x'"),
    (["match", "rand", "rand", "--seed", "9" * 50], "illegal seed"),
    (["match", "rand", "rand", "--patience", "nan"], "illegal patience 'nan'"),
    (["match", "rand", "rand", "--patience", "0"], "illegal patience '0'"),
    (["match", "rand", "rand", "--save", ""], "cannot save to ''"),
    (["play", "--opponent", "human"], "player 'human' is a person"),
    (["play", "--opponent", "nobody"], "unknown player 'nobody'"),
    (["play", "--color", "whit"], "unknown colour 'whit'; did you mean 'white'?"),
    (["play", "--rules", "chess"], "unknown rule set 'chess'"),
    (["play", "--time", "-1"], "illegal time '-1' for player 'kriegbot'"),
    (["play", "--time", "nan"], "illegal time 'nan'"),
    (["play", "--time", "inf"], "illegal time 'inf'"),
    (["play", "--time", "1e300"], "illegal time '1e300'"),
    (["play", "--time", "soon"], "illegal time 'soon'"),
    (["play", "--opponent", "rand", "--time", "1"], "player 'rand' has no option 'time'"),
    (["play", "--opponent", "overconfident:samples=5", "--time", "1"], "takes time or samples, not both"),
    (
        ["play", "--level", "clubb"],
        "unknown level 'clubb'; did you mean 'club'? Known: newcomer, novice, beginner, casual, ",
    ),
    (
        ["play", "--level", "club", "--opponent", "rand"],
        "--level is a level of the player kriegbot; leave out --opponent",
    ),
    (["play", "--level", "club", "--time", "1"], "takes time or level, not both"),
    (["play", "--web", "--level", "club"], "--level is chosen on the page"),
    (["play", "--save", "/"], "cannot save to '/'"),
    (["play", "--save", "/dev/null"], "not a regular file"),
    (["play", "--save", "/no/such/place/game.pgn"], "No such file or directory"),
    (["play", "--save", "x" * 300], "File name too long"),
    (["play", "--save", "\0"], "cannot save to"),
    (["replay", "/no/such/game.pgn"], "cannot be read (No such file or directory)"),
    (["replay", "/"], "cannot be read"),
    (["replay", __file__], "unknown format"),
    (["players", "rand"], "unexpected extra argument"),
    (["match", "rand\x1b[31m\nrand", "rand"], "unknown player"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=[" ".join(case[0])[:40] for case in REFUSED])
def test_a_bad_input_is_refused_on_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kriegbot: ")
    assert message in err
    assert err.count("\n") == 1
    assert err[:-1].isprintable()


@pytest.mark.slow
def test_a_refusal_is_as_good_from_outside() -> None:
    done = run("match", "overconfidant", "rand")
    known = ", ".join(players())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"kriegbot: unknown player 'overconfidant'; did you mean 'overconfident'? Known: {known}.\n")


def test_a_fault_of_the_program_is_not_taken_for_a_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kriegbot.players.specs.players", lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        main(["players"])


def test_an_empty_host_is_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = []
    monkeypatch.setattr("kriegbot.web.server.serve", lambda _folder, host, *_, **__: hosts.append(host))
    assert main(["play", "--web", "--host", "", "--save", str(tmp_path)]) == 0
    assert hosts == ["127.0.0.1"]


def test_seconds_are_a_number_within_bounds_or_a_word_for_none() -> None:
    parse = seconds("patience", 0.1, 100, "off")
    assert [parse(text) for text in ("0.1", 5, "100", "off")] == [0.1, 5.0, 100.0, None]
    for text in ("0", "101", "nan", "on"):
        with pytest.raises(Refused, match=f"illegal patience '{text}': it takes off, or 0.1..100 seconds"):
            parse(text)


@pytest.mark.parametrize("error", [BrokenPipeError(), BrokenPipeError(errno.EPIPE, "Broken pipe")])
def test_a_reader_who_has_left_is_no_failure(error: OSError, monkeypatch: pytest.MonkeyPatch) -> None:
    def left() -> None:
        raise error

    monkeypatch.setattr("kriegbot.players.specs.players", left)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert main(["players"]) == 0


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from kriegbot.cli.main import main; main(['--help']);"
        "print([name for name in ('chess', 'numpy', 'numba', 'multiprocessing') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    for command in ("play", "match", "replay", "players", "rules", "trees"):
        assert f"\n  {command} " in done.stdout


def test_a_command_is_listed_with_the_first_sentence_of_its_own_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name, (_, sentence) in COMMANDS.items():
        assert main([name, "--help"]) == 0
        paragraph = capsys.readouterr().out.split("\n\n")[1]
        assert " ".join(paragraph.split()).startswith(sentence)


def test_alone_it_says_what_to_type_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    assert len(lines) < 10
    assert max(map(len, lines)) <= 60
    shown = [re.split("  +", line.strip())[0].split() for line in lines if line.startswith("  ")]
    assert [words[:3] for words in shown] == [
        ["kriegbot", "learn"],
        ["kriegbot", "play"],
        ["kriegbot", "play", "--level"],
        ["kriegbot", "play", "--web"],
        ["kriegbot", "replay", "FILE"],
        ["kriegbot", "--help"],
    ]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("kriegbot", "pl"), ["play", "players"]),
        (("kriegbot", "play", "--le"), ["--level"]),
        (("kriegbot", "play", "--level", "c"), ["casual", "club"]),
        (("kriegbot", "play", "--color", ""), ["white", "black", "random"]),
        (("kriegbot", "play", "--opponent", "over"), ["overconfident"]),
        (("kriegbot", "match", "rand", "r"), ["rand", "rusher"]),
        (("kriegbot", "match", "rand", "rand", "--rules", "berk"), ["berkeley", "berkeley_any"]),
        (("kriegbot", "replay", ""), []),
    ],
)
def test_a_shell_completes_commands_options_and_values(
    words: tuple[str, ...], offered: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1), "_KRIEGBOT_COMPLETE": "complete_bash"}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit, match="0"):
        main([])
    assert capsys.readouterr().out.split() == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_asks_kriegbot(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert f"_KRIEGBOT_COMPLETE=complete_{shell}" in out
    if shutil.which(shell):
        subprocess.run([shell, "-n", "/dev/stdin"], input=out, encoding="utf-8", check=True)


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["play", "--help"], ["match", "-h"], ["--version"]])
def test_help_is_no_failure(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert "kriegbot" in capsys.readouterr().out


def test_players_lists_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["players"]) == 0
    out = capsys.readouterr().out
    for name, kind in players().items():
        assert f"{name}: {kind.summary}\n" in out
        assert all(f"  {option.name}={option.takes} " in out for option in kind.options if not option.is_experimental)


def test_rules_lists_every_rule_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    out = capsys.readouterr().out
    assert all(f"{rules.name}: {rules.title}\n" in out for rules in RULE_SETS.values())


@pytest.mark.parametrize(
    ("rules", "seed"),
    [
        ("berkeley", "63"),
        *(
            pytest.param(*game, marks=pytest.mark.slow)
            for game in (("wild16", "31"), ("rand", "205"), ("english", "75"))
        ),
    ],
)
def test_a_golden_game_is_played_again_word_for_word(
    rules: str, seed: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Written by `kriegbot match rand rand --rules RULES --seed SEED > tests/golden/RULES.txt`."""
    golden = (GOLDEN / f"{rules}.txt").read_text(encoding="utf-8")
    game = str(tmp_path / "game.pgn")
    assert main(["match", "rand", "rand", "--rules", rules, "--seed", seed, "--save", game]) == 0
    assert capsys.readouterr().out == golden
    assert main(["replay", game]) == 0
    assert capsys.readouterr().out == golden


@pytest.mark.slow
def test_match_prints_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["match", "rand", "overconfident:depth=1,samples=20", "--seed", "2", "--limits", "plies=20", "--json"]
    assert main(arguments) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["result"], found["reason"], found["plies"]) == ("1/2-1/2", "ply limit", 20)
    assert (found["seed"], found["rules"], found["limits"]) == ("2", "berkeley", {"plies": 20, "quiet": None})
    assert found["white"]["turns"] == found["black"]["turns"] == 10
    assert found["black"]["mean_samples"] == 20


@pytest.mark.slow
def test_match_prints_just_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "rand", "rand", "--seed", "63", "--quiet"]) == 0
    assert capsys.readouterr().out == "0-1: checkmate, Black wins, after 32 plies\n"


@pytest.mark.slow
def test_a_game_that_was_in_the_file_is_kept_beside_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.pgn"
    game.write_text('[Seed "1"]\n\n1. e4 *\n', encoding="utf-8")
    assert main(["match", "rand", "rand", "--limits", "plies=3", "--quiet", "--seed", "2", "--save", str(game)]) == 0
    assert load_record(game).headers["Seed"] == "2"
    assert (tmp_path / "game.pgn~").read_text(encoding="utf-8") == '[Seed "1"]\n\n1. e4 *\n'
    assert "game.pgn~" in capsys.readouterr().err
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
def test_a_reader_who_has_seen_enough_is_no_failure() -> None:
    command = f"{sys.executable} -m kriegbot match rand rand --seed 63 | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, encoding="utf-8", check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("White: rand\n", "")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux's full device")
def test_a_game_is_saved_though_nothing_can_be_shown_any_more(tmp_path: Path) -> None:
    command = f"{sys.executable} -m kriegbot play --opponent rand --save game.pgn > /dev/full"
    done = subprocess.run(
        command, shell=True, input="e4\n", capture_output=True, encoding="utf-8", check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (1, "kriegbot: cannot read or write: No space left on device.\n")
    end = load_record(tmp_path / "game.pgn").end
    assert end is not None
    assert end.reason is Reason.ABANDONED


@pytest.mark.slow
def test_a_damaged_game_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "game.pgn"
    main(["match", "rand", "rand", "--limits", "plies=4", "--quiet", "--seed", "1", "--save", str(game)])
    capsys.readouterr()
    game.write_text(game.read_text(encoding="utf-8").replace("[%says -]", "[%says xd5]", 1), encoding="utf-8")
    assert main(["replay", str(game)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert "illegal comment: '[%says xd5]', at ply 1" in err


@pytest.mark.slow
def test_the_program_reads_no_input_but_for_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("e4\n"))
    assert main(["match", "rand", "rand", "--limits", "plies=1", "--quiet"]) == 0
    assert sys.stdin.read() == "e4\n"


LONG = "x" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", LONG, "rand"],
        ["match", f"overconfident:{LONG}=1", "rand"],
        ["match", f"overconfident:depth={LONG}", "rand"],
        ["match", "rand", "rand", "--rules", LONG],
        ["match", "rand", "rand", "--limits", LONG],
        ["match", "rand", "rand", "--seed", "1" * 5000],
        ["match", "rand", "rand", "--save", LONG],
        ["match", "rand", "rand", LONG],
        ["play", "--color", LONG],
        ["play", "--web", "--save", LONG],
        ["play", "--web", "--host", LONG],
        ["replay", LONG],
        ["replay", f"{LONG}#3"],
        ["report", LONG],
        ["tournament", "rand", "hs", "--out", LONG],
        ["tournament", "rand", "hs", "--shard", LONG],
        ["tournament", "rand", "hs", "--sprt", LONG],
        ["trees", "solve", LONG],
        ["trees", "solve", "x.json", "--algorithm", LONG],
        [LONG],
        [f"--{LONG}"],
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_a_refusal_quotes_little_of_what_was_given(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith("kriegbot: ")
    assert err.count("\n") == 1
    assert max(len(run) for run in re.findall("x+|1+", err)) <= 200
    assert len(err) < 600


@pytest.mark.slow  # test_outside has the like
@pytest.mark.skipif(sys.platform == "win32", reason="no limit of open files")
def test_a_player_that_cannot_be_started_is_told_in_a_line() -> None:
    code = (
        "import resource; from kriegbot.cli.main import main; import kriegbot.game.match, kriegbot.game.process;"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (12, 12));"
        "raise SystemExit(main(['match', 'rand', 'rand', '--limits', 'plies=2']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("kriegbot: cannot start player 'rand'")
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="names of files are UTF-8 elsewhere")
def test_a_file_name_need_not_be_utf_8(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.pgn")
    command = [sys.executable, "-m", "kriegbot", "play", "--opponent", "rand", "--save", name]
    done = subprocess.run(
        command, input=b"resign\n", capture_output=True, check=False, env=os.environ | {"PYTHONIOENCODING": "utf-8"}
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Saved to" in done.stdout
    assert load_record(name).result == "0-1"
