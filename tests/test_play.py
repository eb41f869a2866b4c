"""A person, or a script, against a program: line by line through a pipe."""

from __future__ import annotations

import errno
import io
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import chess
import pytest
from rich.console import Console

import kriegbot.web
from kriegbot.cli.main import main
from kriegbot.cli.play import DEFAULT_LEVEL
from kriegbot.players.base import Leave
from kriegbot.players.human import BadTry, HumanPlayer, read_try, try_name
from referee import Answer, Referee, Resign, View, load_record, record_from_pgn
from tests.random_games import played


class Script:
    """A console that reads from a list."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)
        self.said: list[str] = []
        self.shown = 0

    def show(self, view: View) -> None:  # noqa: ARG002 - it is a console
        """Count."""
        self.shown += 1

    def read(self, view: View) -> str:  # noqa: ARG002 - it is a console
        """Return the next line; EOFError after the last."""
        if not self.lines:
            raise EOFError
        if self.lines[0] == "^C":
            raise KeyboardInterrupt
        return self.lines.pop(0)

    def say(self, lines: Sequence[str]) -> None:
        """Keep the text."""
        self.said += lines


def play(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lines: str, *arguments: str
) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a game with these tries, separated by spaces."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines.split())))
    code = main(["play", "--opponent", "rand", *arguments])
    return (code, *capsys.readouterr())


@pytest.mark.parametrize(
    ("color", "seed", "lines"),
    [("white", "2", "e4 Qh5 Bc4 Qxf7"), pytest.param("black", "1", "e5 d8h4 Bc5 h4f2", marks=pytest.mark.slow)],
)
def test_a_script_plays_to_mate(
    color: str,
    seed: str,
    lines: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    game = tmp_path / "game.pgn"
    code, out, err = play(monkeypatch, capsys, lines, "--color", color, "--seed", seed, "--save", str(game))
    assert (code, err) == (0, "")
    plies = 7 if color == "white" else 8
    result = "1-0" if color == "white" else "0-1"
    assert f"checkmate, {color.capitalize()} wins" in out
    assert out.count(f"{color.capitalize()} to try:\n") == 4
    assert f"{result}: checkmate, {color.capitalize()} wins, after {plies} plies\n" in out
    assert out.endswith(f"Saved to {game}.\n")
    assert "\x1b" not in out
    record = load_record(game)
    assert (record.result, len(record.turns)) == (result, plies)
    assert record.headers[color.capitalize()] == "human"


@pytest.mark.slow
def test_the_board_shows_nothing_of_the_opponent_before_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = play(monkeypatch, capsys, "e4 board d4 board Qd3 board resign", "--seed", "3")
    before, after = out.split("The board at the end:")
    boards = [line[2:] for line in before.splitlines() if line[:2] in {f"{rank} " for rank in range(1, 9)}]
    assert len(boards) == 4 * 8
    assert not any(char in "pnbrqk" for line in boards for char in line)
    assert "k" in after


def test_resigning_ends_the_game(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = play(monkeypatch, capsys, "e4 resign", "--seed", "3")
    assert code == 0
    assert "0-1: resignation, Black wins, after 2 plies\n" in out
    assert "Chance in percent" not in out  # nobody has asked for it
    assert "Not saved" not in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "why"), [("e4", "end of input"), ("e4 quit", "the person left"), ("", "end of input")]
)
def test_a_game_that_is_broken_off_is_saved(
    lines: str, why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    game = tmp_path / "game.pgn"
    code, out, err = play(monkeypatch, capsys, lines, "--seed", "3", "--save", str(game))
    assert (code, err) == (0, "")
    assert f"*: abandoned, no result ({why}), after {2 if lines else 0} plies\n" in out
    assert out.endswith(f"Saved to {game}.\nTo continue: kriegbot resume {game}\n")
    record = load_record(game)
    assert record.result == "*"
    assert len(record.turns) == (2 if lines else 0)


def test_a_game_that_is_broken_off_and_not_saved_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = play(monkeypatch, capsys, "e4", "--seed", "3")
    assert code == 0
    assert out.endswith("Not saved; --save FILE also saves an abandoned game.\n")


def test_a_fault_of_the_program_leaves_a_terminal_as_it_was(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    drawn = io.StringIO()
    console = Console(file=drawn, force_terminal=True, width=100, height=40)
    monkeypatch.setattr("kriegbot.cli.play.drawing_console", lambda: console)
    monkeypatch.setattr("kriegbot.cli.console.TerminalConsole.wait", fail)
    with pytest.raises(ZeroDivisionError):
        play(monkeypatch, capsys, "e4", "--seed", "3")
    assert re.findall(r"\x1b\[\?1049.", drawn.getvalue()) == ["\x1b[?1049h", "\x1b[?1049l"]


def test_a_player_whose_file_has_gone_when_the_game_begins_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "bot.py"
    file.touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kriegbot.cli.common.try_out", lambda *_: file.unlink())
    code, out, err = play(monkeypatch, capsys, "e4", "--opponent", "bot.py:Bot", "--no-sandbox")
    assert code == 2
    assert err == "kriegbot: player 'bot.py:Bot': there is no file 'bot.py'.\n"
    assert "abandoned" not in out


@pytest.mark.slow
def test_a_game_that_cannot_be_saved_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    game = tmp_path / "game.pgn"
    code, out, err = play(monkeypatch, capsys, "e4 resign", "--seed", "3", "--save", str(game))
    said = f"kriegbot: cannot save to '{game}': No space left on device; the game is printed.\n"
    assert (code, err, list(tmp_path.iterdir())) == (1, said, [])
    record = record_from_pgn(out[out.index("[Event") :])
    assert (record.result, record.turns[0].move) == ("0-1", chess.Move.from_uci("e2e4"))


@pytest.mark.slow
def test_a_game_that_is_terminated_is_saved(tmp_path: Path) -> None:
    game = tmp_path / "game.pgn"
    command = [sys.executable, "-m", "kriegbot", "play", "--opponent", "rand", "--save", str(game)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("e4\n")
        process.stdin.flush()
        seen = 0
        while seen < 2:
            seen += process.stdout.readline() == "White to try:\n"
        process.send_signal(signal.SIGTERM)
        out = process.stdout.read()
    assert process.returncode == 130
    assert "abandoned, no result (interrupted)" in out
    assert load_record(game).turns[0].move == chess.Move.from_uci("e2e4")


@pytest.mark.slow
def test_random_colours_come_from_the_seed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def side(seed: int) -> str:
        out = play(monkeypatch, capsys, "", "--color", "random", "--seed", str(seed))[1]
        return next(line for line in out.splitlines() if line.endswith("to try:"))

    sides = [side(seed) for seed in (1, 2)]
    assert sides == ["White to try:", "Black to try:"]
    assert sides == [side(seed) for seed in (1, 2)]


@pytest.mark.slow
def test_the_belief_is_shown_from_what_the_person_knows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = play(monkeypatch, capsys, "e4 resign", "--seed", "3", "--show-belief")
    assert code == 0
    heading = (
        r"Chance in percent that an opponent's piece stands there, from (?:the only|all \d+) possible positions?:\n"
    )
    tables = re.split(heading, out)[1:]
    assert len(tables) == 2
    first, second = ([[int(word) for word in row.split()] for row in table.splitlines()[:8]] for table in tables)
    assert [row[1:] for row in first] == [[100] * 8] * 2 + [[0] * 8] * 6
    assert 1590 < sum(sum(row[1:]) for row in second) < 1610
    assert second[1][1:] != [100] * 8


def after(*moves: str, start: str = chess.STARTING_FEN) -> View:
    referee = Referee(start=start)
    for move in moves:
        referee.try_move(chess.Move.from_uci(move))
    return referee.view(referee.turn)


ROOKS = "8/4P3/6k1/8/8/3p4/4P3/R3K2R w KQ - 0 1"


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("e4", "e2e4"),
        ("e2e4", "e2e4"),
        ("E2E4", "e2e4"),
        ("e2-e4", "e2e4"),
        ("Nf3", "g1f3"),
        ("nf3", "g1f3"),
        ("Ng1f3", "g1f3"),
        ("Nf3+!", "g1f3"),
        ("Nxf3", "g1f3"),
        ("exd3", "e2d3"),
        ("ed3", "e2d3"),
        ("exd3 e.p.", "e2d3"),
        ("bxc3", "b2c3"),
    ],
)
def test_a_try_is_read_as_people_write_it(text: str, move: str) -> None:
    assert read_try(text, after()).uci() == move


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("O-O", "e1g1"),
        ("0-0-0", "e1c1"),
        ("oo", "e1g1"),
        ("e1g1", "e1g1"),
        ("e8=Q", "e7e8q"),
        ("e8N", "e7e8n"),
        ("e7e8r", "e7e8r"),
        ("exd8=B", "e7d8b"),
        ("e8", "e7e8q"),
        ("exd8", "e7d8q"),
        ("ed8+", "e7d8q"),
        ("e7e8", "e7e8q"),
        ("Rad1", "a1d1"),
        ("Rhf1", "h1f1"),
        ("Kf1", "e1f1"),
    ],
)
def test_castling_promotions_and_doubtful_men_are_read(text: str, move: str) -> None:
    view = after(start=ROOKS)
    assert read_try(text, view).uci() == move


@pytest.mark.parametrize(
    ("text", "start", "message"),
    [
        ("Nd2", "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", "'Nd2' could mean Nbd2 (b1d2), Nfd2 (f3d2). Which one?"),
        ("Qh9", ROOKS, "is not a move. Write it as e4,"),
        ("hello", ROOKS, "is not a move. Write it as e4,"),
        ("Nf3", ROOKS, "You have no knight."),
        ("d2d4", ROOKS, "You have no piece on d2."),
        ("e1e3", ROOKS, "Your king on e1 cannot reach e3."),
        ("Ke3", ROOKS, "Your king cannot reach e3."),
        ("Rd3", ROOKS, "None of your rooks can reach d3."),
        ("Rab2", ROOKS, "None of your rooks can play Rab2."),
        ("O-O", "4k3/8/8/8/8/8/8/R3K1NR w KQ - 0 1", "You cannot castle on that side."),
    ],
)
def test_what_is_no_try_is_explained(text: str, start: str, message: str) -> None:
    with pytest.raises(BadTry) as refused:
        read_try(text, after(start=start))
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_refused_try_is_not_made_again() -> None:
    referee = Referee()
    assert referee.try_move(chess.Move.from_uci("e2d3")) is Answer.ILLEGAL
    with pytest.raises(BadTry, match="You have already tried exd3 this turn"):
        read_try("exd3", referee.view(chess.WHITE))


def test_a_pawn_that_could_not_become_a_queen_will_not_become_a_knight_unasked() -> None:
    referee = Referee(start="4k3/1P6/8/8/8/8/8/4K3 w - - 0 1")
    assert referee.try_move(chess.Move.from_uci("b7a8q")) is Answer.ILLEGAL
    view = referee.view(chess.WHITE)
    with pytest.raises(BadTry, match="You have already tried bxa8=Q this turn"):
        read_try("bxa8", view)
    assert read_try("bxa8=N", view).uci() == "b7a8n"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_every_try_has_a_name_of_its_own(seed: int) -> None:
    referee = played(seed, plies=60)
    while referee.end is None and referee.ply < 90:
        view = referee.view(referee.turn)
        tries = view.tries()
        names = [try_name(move, view) for move in tries]
        assert len(set(names)) == len(names)
        assert [read_try(name, view) for name in names] == tries
        assert [read_try(move.uci(), view) for move in tries] == tries
        legal = next(iter(referee.board().legal_moves))
        if referee.try_move(legal) is not Answer.ACCEPTED:
            break


def test_a_person_is_asked_until_there_is_a_try() -> None:
    console = Script("", "help", "tries", "board", "Qh5", "e4")
    choice = HumanPlayer(console).choose(after())
    assert choice.action == chess.Move.from_uci("e2e4")
    assert console.shown == 2
    assert any("resign" in line for line in console.said)
    assert any("Nf3" in line for line in console.said)
    assert any("Your queen cannot reach h5." in line for line in console.said)


def test_a_person_may_resign_or_leave() -> None:
    assert HumanPlayer(Script("Resign")).choose(after()).action == Resign()
    for lines, why in ((("quit",), "the person left"), ((), "end of input"), (("^C",), "interrupted")):
        assert HumanPlayer(Script(*lines)).choose(after()).action == Leave(why)


def test_a_move_that_is_taken_back_was_never_made_and_the_record_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    game = tmp_path / "game.pgn"
    lines = "back e4 exd5 d4 undo exd5 Nf3 back d3 resign"
    code, out, err = play(monkeypatch, capsys, lines, "--seed", "3", "--save", str(game))
    assert (code, err) == (0, "")
    assert out.count("You have no move to take back.") == 1
    assert out.count("Your last move and the reply are taken back.\n8 . . . . . . . .") == 2
    assert out.count("1. e4: yes.") == 1  # what was heard before is not told again
    assert "You have already tried exd5 this turn." in out
    record = load_record(game)
    assert [turn.move.uci() for turn in record.turns[::2]] == ["e2e4", "d2d3"]
    assert record.headers["Help"] == "2 moves taken back, a chosen seed"


@pytest.mark.slow
@pytest.mark.usefixtures("kernels")
def test_a_hint_names_tries_and_the_record_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    game = tmp_path / "game.pgn"
    _, out, _ = play(monkeypatch, capsys, "hint e4 draw hint resign", "--seed", "3", "--save", str(game))
    basis = r"\(from (?:the only|all \d+) possible positions?, looking 2 half-moves ahead\)"
    first, second = re.split(rf"The computer's best tries, in pawns {basis}:\n", out)[1:]
    for told in (first, second):
        *tries, recorded = re.sub("(?m)^Ask first: .*\n", "", told).splitlines()[:4]
        assert all(re.fullmatch(r"\S+  [+-]\d+\.\d\d(, legal in [<>]?\d+%)?", one) for one in tries)
        assert recorded == "The saved game will note that you had help."
    assert "Programs do not agree to draws. You can resign." in out
    assert load_record(game).headers["Help"] == "2 hints, a chosen seed"


def test_a_question_mark_explains_what_was_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = play(monkeypatch, capsys, "? exd3 ? resign", "--seed", "3")
    assert "The referee has announced nothing yet.\n" in out
    assert "exd3? No.\n  Your try is illegal, so nothing changes and you try again;" in out


def test_help_lists_the_help_that_there_is() -> None:
    alone, helped = Script("help"), Script("help", "hint")
    assert isinstance(HumanPlayer(alone).choose(after()).action, Leave)
    assert not any("last move back" in line for line in alone.said)
    helper = HumanPlayer(helped, {"hint": lambda _: ["Nf3"], "back": lambda _: []})
    assert isinstance(helper.choose(after()).action, Leave)
    assert any("last move back" in line for line in helped.said)
    assert helped.said[-1] == "Nf3"


def test_the_usual_opponent_is_a_level_the_same_as_on_the_page(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    form = Path(kriegbot.web.__file__).parent / "static" / "form.js"
    assert f'names.includes("{DEFAULT_LEVEL}")' in form.read_text(encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    assert main(["play"]) == 0
    assert f"Black: {DEFAULT_LEVEL.capitalize()} bot." in capsys.readouterr().out


@pytest.mark.slow
def test_a_fresh_seed_is_shown_at_the_end_alone_and_a_given_one_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(secrets, "randbits", lambda bits: 2**bits - 1)
    _, out, err = play(monkeypatch, capsys, "e4 resign")
    *before, last = out.splitlines()
    assert last == f"Seed: {2**128 - 1}"
    assert not any("Seed" in line or str(2**128 - 1) in line for line in before)
    assert str(2**128 - 1) not in err
    _, out, _ = play(monkeypatch, capsys, "e4 resign", "--seed", "3")
    assert "Seed: 3." in out.splitlines()[0]
    assert out.count("Seed") == 1


LOOKS_FOR_THE_GAME = """
from pathlib import Path
from kriegbot import Choice
from referee import Resign

class Bot:
    def __init__(self, seed): ...

    def choose(self, view):
        return Choice(Resign() if list(Path(__file__).parent.glob("*.pgn")) else view.tries()[0])
"""


@pytest.mark.slow
def test_a_program_cannot_read_the_game_that_is_saved_in_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bot, game = tmp_path / "bot.py", tmp_path / "game.pgn"
    bot.write_text(LOOKS_FOR_THE_GAME)
    play(monkeypatch, capsys, "e4 d4 resign", "--opponent", f"{bot}:Bot", "--no-sandbox", "--save", str(game))
    assert 'Result "0-1"' in game.read_text()
