"""Players from outside: by file, by entry point and as programs; what reaches them, and how they lose if they cheat."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from io import StringIO
from pathlib import Path

import chess
import psutil
import pytest

from kriegbot import parts
from kriegbot.children import QUEUED, LineProcess
from kriegbot.cli.main import main
from kriegbot.game import process
from kriegbot.game.conformance import conformance
from kriegbot.game.match import play_game, player_seed
from kriegbot.game.process import ProcessSeat, budget_of, patience_of
from kriegbot.game.protocol import GREETING, BadLine, ViewReader, game_lines, read_answer, view_lines
from kriegbot.game.seat import Failure, HereSeat, PlayerFailed
from kriegbot.game.worker import Worker
from kriegbot.players.base import Choice
from kriegbot.players.rand import RandPlayer
from kriegbot.players.specs import BadSpec, parse_spec, players
from kriegbot.report import Report
from referee import BERKELEY, RULE_SETS, WILD16, Limits, Reason, Referee, RuleSet, View
from tests.effort import IS_THOROUGH, many, some
from tests.misbehaving import spec
from tests.outside import BOT, EXAMPLES, PYTHON, SHELL, against_rand, installed, needs_stockfish
from tournaments.run import ExecutorError, LocalExecutor, WarmSeats
from tournaments.schedule import Finished, Pairing, TournamentSettings


def tournament(player: str, games: int) -> list[Finished]:
    """Short games of a player against rand, half with each colour."""
    settings = TournamentSettings((Pairing(player, "rand"),), BERKELEY, Limits(plies=30), 1)
    outcomes = list(LocalExecutor(2).play(settings.schedule(games), settings))
    assert all(isinstance(outcome, Finished) for outcome in outcomes)
    return [outcome for outcome in outcomes if isinstance(outcome, Finished)]


def assert_plays(player: str) -> None:
    played = tournament(player, 8)
    assert len(played) == 8
    assert {outcome.reason for outcome in played}.isdisjoint({Reason.FORFEIT, Reason.ABANDONED})


@pytest.mark.slow
def test_a_player_in_a_python_file_plays_a_tournament() -> None:
    assert_plays(PYTHON + ":boldness=0.5")


@pytest.mark.slow
def test_a_player_of_an_installed_package_plays_a_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (EXAMPLES / "own_player.py").read_text(encoding="utf-8")
    installed(tmp_path, "some_bots", text, {"kriegbot.players": {"forward": "some_bots:Forward"}}, "2.5")
    monkeypatch.syspath_prepend(tmp_path)
    parts.entry_points.cache_clear()
    try:
        assert parse_spec("forward").is_outside
        assert_plays("forward")
        assert "version 1.0" in against_rand("forward").record.headers["WhiteProgram"]
    finally:
        parts.entry_points.cache_clear()


@pytest.mark.slow
def test_a_program_in_shell_plays_a_tournament() -> None:
    assert_plays(SHELL)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_program_in_c_plays_a_tournament(tmp_path: Path) -> None:
    bot = tmp_path / "c_bot"
    subprocess.run(["cc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", bot, EXAMPLES / "c_bot.c"], check=True)
    assert_plays(f"program:{bot}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ("sleep 60", "hung: no answer in 1 seconds"),
        ("exit 3", "died: its process ended (exit code 3)"),
        ("exec >&- 2>&-; sleep 1; exit 4", "died: its process ended (exit code 4)"),
        ("kill -9 $$", "died: its process ended (SIGKILL)"),
        ("kill -11 $$", "died: its process ended (SIGSEGV)"),
        (r"printf 'try %s\ntry %s\n' $1 $1", "answered out of turn: 'try "),  # at once, or it looks like the next
        ("echo y", "gave an invalid answer: 'y', not a try between squares of the board"),
        ("yes info", "wrote too much"),
        ("yes >&2", "wrote too much: more than 1000000 bytes in its log"),
        ("head -c 9999 /dev/zero", "wrote too much: a line of more than 4096 bytes"),
        ("echo try e9e5", "gave an invalid answer: 'try e9e5', not a try between squares of the board"),
        ("echo try resign", "gave an invalid answer: 'try resign', not a try"),
        ("echo info samples=many", "gave an invalid answer: 'samples=many', not a part of a Report"),
        ("echo info seconds=nan", "gave an invalid answer: 'seconds=nan', not a part of a Report"),
        ("echo try a1a8", "tried for ever"),
        ("printf '\\\\377\\n'", "gave an invalid answer"),
    ],
)
def test_a_program_that_misbehaves_loses_by_a_named_reason(answer: str, failure: str, tmp_path: Path) -> None:
    (tmp_path / "bot.sh").write_text(BOT.format(answer), encoding="utf-8")
    played = against_rand(f"program:sh {tmp_path / 'bot.sh'}", patience=1.0 if answer == "sleep 60" else 20.0)
    end = played.record.end
    assert end is not None
    assert (end.reason, end.winner) == (Reason.FORFEIT, chess.BLACK)
    if answer == "yes info":  # the same word for ever, until its lines or its bytes are too many
        assert "wrote too much" in end.detail or "said 1000 times" in end.detail
    else:
        assert failure in end.detail
    assert len(end.detail) < 200


@pytest.mark.slow
def test_a_program_that_reads_nothing_does_not_stop_the_game() -> None:
    talker = LineProcess([sys.executable, "-c", "import time; time.sleep(60)"])
    begun = time.monotonic()
    talker.send(["x" * 1000] * 1000, begun + 0.5)
    with pytest.raises(TimeoutError):
        talker.line(begun + 0.5)
    for _ in range(QUEUED + 1):  # one message is being written, so many more wait
        talker.send(["x" * 1000], begun + 1)
    with pytest.raises(TimeoutError):
        talker.send(["x" * 1000], begun + 1)
    talker.end()
    assert time.monotonic() - begun < 30


def test_what_a_program_said_before_it_left_is_heard() -> None:
    talker = LineProcess([sys.executable, "-c", "print('first\\nsecond')"])
    time.sleep(0.5)  # so that its words and its end are found together
    deadline = time.monotonic() + 5
    assert [talker.line(deadline) for _ in range(2)] == ["first", "second"]
    with pytest.raises(EOFError):
        talker.line(deadline)
    talker.end()


@pytest.mark.slow
def test_what_a_player_sends_is_not_executed(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    (tmp_path / "bot.py").write_text(
        "import os, pickle\n"
        "class Evil:\n"
        f"    def __reduce__(self): return os.mkdir, ({str(mark)!r},)\n"
        "class Bot:\n"
        "    def __init__(self, seed): pass\n"
        "    def choose(self, view):\n"
        "        for descriptor in range(3, 10):\n"
        "            try: os.write(descriptor, pickle.dumps(Evil()) + b'\\n')\n"
        "            except OSError: pass\n"
        "        os._exit(0)\n",
        encoding="utf-8",
    )
    played = against_rand(f"{tmp_path / 'bot.py'}:Bot")
    assert played.white.failure.startswith("gave an invalid answer")
    assert not mark.exists()


@pytest.mark.slow
def test_any_death_of_a_player_from_outside_loses_and_one_of_ours_is_told_from_it() -> None:
    view = Referee().view(chess.WHITE)
    for text, failure in (("rand", Failure.OURS), (PYTHON, Failure.DIED)):
        with ProcessSeat(parse_spec(text, sandbox=False)) as seat:
            seat.begin(1)
            assert seat.pid is not None
            killed = psutil.Process(seat.pid)
            killed.kill()
            while killed.is_running() and killed.status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.01)
            with pytest.raises(PlayerFailed) as failed:
                seat.ask(view)
        assert failed.value.failure is failure


@pytest.mark.slow
def test_a_player_from_outside_has_a_fresh_process_and_a_fresh_seed_for_every_game() -> None:
    with ProcessSeat(parse_spec(PYTHON, sandbox=False)) as outside, ProcessSeat(parse_spec("rand")) as ours:
        seen = []
        for _ in range(2):
            outside.begin(7)
            ours.begin(7)
            seen.append((outside.pid, outside.about.rpartition(" ")[2], ours.pid))
    assert len({pid for pid, _, _ in seen}) == len({seed for _, seed, _ in seen}) == 2
    assert str(player_seed(7, chess.WHITE)) not in {seed for _, seed, _ in seen}
    assert len({pid for _, _, pid in seen}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("rules", list(RULE_SETS.values()), ids=lambda rules: rules.name)
def test_views_cross_the_pipe_whole(rules: RuleSet) -> None:
    for seed in range(6):
        readers = {color: ViewReader() for color in chess.COLORS}
        told = dict.fromkeys(chess.COLORS, -1)
        player, referee = RandPlayer(seed), Referee(rules, Limits(plies=80, quiet_plies=60))

        def cross(
            view: View, readers: dict[chess.Color, ViewReader] = readers, told: dict[chess.Color, int] = told
        ) -> None:
            lines = view_lines(view, max(0, told[view.color]), has_tries=True)
            if told[view.color] < 0:
                lines = game_lines(view, 1.0) + lines
            told[view.color] = len(view.events)
            *heard, last = [readers[view.color].read(line) for line in lines]
            assert not any(heard)
            assert last == view
            assert last is not None
            assert list(last.men) == list(view.men)

        while referee.end is None:
            view = referee.view(referee.turn)
            cross(view)
            action = player.choose(view).action
            assert isinstance(action, chess.Move)
            referee.try_move(action)
            if seed % 2 and referee.ply == 20:
                referee.forfeit(chess.WHITE, "raised  LookupError: two  spaces") if seed > 1 else referee.agree()
        for color in chess.COLORS:
            cross(referee.view(color))


def test_nothing_but_a_sides_own_view_crosses_the_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    views: list[View] = []

    send = LineProcess.send

    def overhear(self: LineProcess, lines: Sequence[str], deadline: float) -> None:
        sent.extend(lines)
        send(self, lines, deadline)

    class Noted(ProcessSeat):
        def ask(self, view: View) -> Choice:
            views.append(view)
            return super().ask(view)

    monkeypatch.setattr(LineProcess, "send", overhear)
    with Noted(parse_spec(SHELL, sandbox=False)) as seat:
        play_game(seat, HereSeat("rand", RandPlayer), rules=WILD16, limits=Limits(plies=40), seed=3)
    expected: list[str] = []
    told = 0
    for view in views:
        assert view.color == chess.WHITE
        expected += (game_lines(view, process.PATIENCE) if not told and not expected else []) + view_lines(
            view, told, has_tries=True
        )
        told = len(view.events)
    greeting, seed, newgame, *rest = sent
    assert (greeting, newgame) == ("kriegspiel 1", "newgame")
    assert seed != f"seed {player_seed(3, chess.WHITE)}"
    assert rest == expected
    words = {"rules", "limit", "color", "start", "patience", "heard", "ply", "men", "castling", "opponent"}
    assert {line.split()[0] for line in rest} <= words | {"pawntries", "refused", "tries", "go"}


def test_a_player_receives_its_time_before_each_choice_and_not_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "timed.py").write_text(
        "from kriegbot import Choice\n\nclass Timed:\n    def __init__(self, seed): self.told = self.asked = 0\n"
        "    def on_time(self, seconds): self.told += 1\n"
        "    def choose(self, view):\n        self.asked += 1\n        return Choice(view.tries()[0])\n"
        "    def on_end(self, view): print(f'told {self.told}, asked {self.asked}', flush=True)\n",
        encoding="utf-8",
    )
    with ProcessSeat(parse_spec(f"{tmp_path / 'timed.py'}:Timed", sandbox=False)) as seat:
        seat.turn_seconds = 5.0
        play_game(seat, HereSeat("rand", RandPlayer), limits=Limits(plies=6), seed=1)
        words = seat.log().split()
    assert words[-4::2] == ["told", "asked"]
    assert int(words[-3].strip(",")) == int(words[-1]) >= 3


@pytest.mark.parametrize(
    "line", ["", "try", "try e2", "try 0000", "e2e4", "any?", "info x=1", "info depth=-1", "resign now"]
)
def test_an_answer_that_is_none_is_nonsense(line: str) -> None:
    with pytest.raises(BadLine):
        read_answer(line, Report())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no/such.py:Bot", "player 'no/such.py:Bot': there is no file 'no/such.py'."),
        (str(EXAMPLES / "own_player.py"), "takes the name of its class too, as in FILE.py:CLASS."),
        ("no.such.module:Bot", "player 'no.such.module:Bot': there is no module 'no.such.module'."),
        ("randd:Bot", "unknown player 'randd'; did you mean 'rand'? Known: "),
        (f"{PYTHON}:boldness", "illegal option 'boldness' of player "),
        (f"{PYTHON}:a=1,a=2", "option 'a' of player "),
        ("program:", "player 'program:' takes a command, such as program:./bot."),
        ("program:no-such-program x", "there is no program 'no-such-program' that can be run."),
        ("program:'", "illegal command of "),
    ],
)
def test_a_bad_spec_from_outside_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(BadSpec) as refused:
        parse_spec(text)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


@pytest.fixture
def odd_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Return the folder to be in, with files that nobody can play from."""
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no such files here")
    monkeypatch.chdir(tmp_path)
    for name in ("pipe.py", "pipe"):
        os.mkfifo(tmp_path / name, 0o755)
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "loop.py").symlink_to("loop.py")
    (tmp_path / "device.py").symlink_to("/dev/zero")
    (tmp_path / "secret.py").touch()
    with (tmp_path / "huge.py").open("wb") as file:
        file.truncate(2**40)
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: "secret" not in str(path) and may(path, mode))  # even for root


@pytest.mark.usefixtures("odd_files")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pipe.py:Bot", "'pipe.py' is no regular file."),
        ("folder.py:Bot", "'folder.py' is no regular file."),
        ("device.py:Bot", "'device.py' is no regular file."),
        ("loop.py:Bot", "there is no file 'loop.py'."),
        ("secret.py:Bot", "the file 'secret.py' may not be read."),
        ("huge.py:Bot", "the file 'huge.py' has 1099511627776 bytes; it takes at most 1073741824."),
        (f"{'x' * 300}.py:Bot", "there is no file "),
        ("program:./pipe", "there is no program './pipe' that can be run."),
        ("program:./secret.py", "'./secret.py' may not be executed."),
        ("program:sh secret.py", "/secret.py' may not be read."),
        ("program:sh huge.py", "/huge.py' has 1099511627776 bytes; it takes at most 1073741824."),
    ],
)
def test_a_file_that_nobody_can_play_from_is_refused_at_once(text: str, message: str) -> None:
    with pytest.raises(BadSpec) as refused:
        parse_spec(text)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_word_too_long_for_a_file_name_may_stand_in_a_command() -> None:
    assert parse_spec(f"program:true {'x' * 300}").files == (Path(str(shutil.which("true"))),)


@pytest.mark.slow
def test_a_file_that_is_gone_when_its_player_sits_down_is_refused(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import pathlib\nclass Bot:\n    def __init__(self, seed):\n        pathlib.Path(__file__).unlink()\n",
        encoding="utf-8",
    )
    spec = parse_spec(f"{bot}:Bot", sandbox=False)
    for _ in range(2):  # gone while it is loaded, and gone before
        with ProcessSeat(spec) as seat, pytest.raises(PlayerFailed, match=r"there is no file '.*bot\.py'\.") as failed:
            seat.begin(1)
        assert failed.value.failure is Failure.REFUSED


@pytest.mark.slow
def test_a_tournament_stops_when_a_players_file_is_gone(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import pathlib\nfrom kriegbot.players.rand import RandPlayer\nclass Bot(RandPlayer):\n"
        "    def choose(self, view):\n        pathlib.Path(__file__).unlink(missing_ok=True)\n"
        "        return super().choose(view)\n",
        encoding="utf-8",
    )
    settings = TournamentSettings((Pairing(f"{bot}:Bot", "rand"),), BERKELEY, Limits(plies=30), 1)
    outcomes = LocalExecutor(1, spec_of=partial(parse_spec, sandbox=False)).play(settings.schedule(4), settings)
    assert isinstance(next(outcomes), Finished)
    with pytest.raises(ExecutorError, match=r"^game 2 cannot be played: player '.*': there is no file '.*bot\.py'$"):
        next(outcomes)


@pytest.mark.parametrize(("settings", "budget"), [("level=club", None), ("samples=5", None), ("level=best", 1.0)])
def test_a_level_has_no_time_budget_but_the_best(settings: str, budget: float | None) -> None:
    assert budget_of(parse_spec(f"kriegbot:{settings}")) == budget  # else a busy machine would have it forfeit


@pytest.mark.slow
@pytest.mark.parametrize(
    ("time", "patience"), [("1e7", 2e6 + 10), ("inf", 2e6 + 10), ("nan", 300), ("-5", 300), ("blitz", 300), ("2", 14)]
)
def test_a_player_from_outside_may_take_any_time(time: str, patience: float) -> None:
    spec = parse_spec(f"{PYTHON}:time={time}")
    assert patience_of(spec) == patience
    with ProcessSeat(spec) as seat, pytest.raises(PlayerFailed, match="has no option 'time'"):
        seat.begin(1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{PYTHON}:boldnes=1", "has no option 'boldnes'; did you mean 'boldness'? It takes boldness (0..1)"),
        (f"{PYTHON}:boldness=2", "illegal boldness '2' for player"),
        (f"{EXAMPLES / 'own_player.py'}:Forwards", "has no 'Forwards'; did you mean 'Forward'?"),
    ],
)
def test_a_player_from_outside_refuses_options_before_the_game(
    text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", text, "rand"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.slow
def test_a_process_that_cannot_be_started_is_said_so_in_one_line() -> None:
    command = f"ulimit -n 12; exec {sys.executable} -m kriegbot match rand rand"
    done = subprocess.run(["bash", "-c", command], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (1, "kriegbot: cannot start player 'rand': Too many open files.\n")


SHORTER = {"plies": many(40, 12), "long_plies": many(240, 60)}
"""Shorter games, except in a thorough run."""
PLAYERS = [name for name, kind in players().items() if kind.make is not None]


@pytest.mark.slow
@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("name", PLAYERS if IS_THOROUGH else ["kriegbot", "rand"])
def test_all_of_ours_conform(name: str) -> None:
    text = f"{name}:samples=5" if any(one.name == "samples" for one in players()[name].options) else name
    if name == "engine":
        text = "engine:nodes=200,boards=3"
        needs_stockfish()
    checks = list(conformance(parse_spec(text), **SHORTER))
    assert len(checks) > 10
    assert [check for check in checks if not check.is_good] == []


@pytest.mark.slow
@pytest.mark.parametrize("player", some((SHELL, PYTHON), 1))
def test_the_examples_conform(player: str) -> None:
    assert [check for check in conformance(parse_spec(player), **SHORTER) if not check.is_good] == []


@pytest.mark.slow
@pytest.mark.parametrize("player", ["TriesTheImpossible", "Raises", "Exits"])
def test_a_player_that_misbehaves_does_not_conform(player: str) -> None:
    assert not all(check.is_good for check in conformance(spec(player)))


@pytest.mark.slow
def test_the_process_of_a_player_from_outside_serves_none_of_ours_after_it() -> None:
    with ProcessSeat(parse_spec(PYTHON, sandbox=False)) as seat:
        seat.begin(1)
        before = seat.pid
        seat.set_player(parse_spec("rand"))
        seat.begin(1)
        assert seat.pid != before


@pytest.mark.slow
def test_a_player_from_outside_has_no_process_after_its_game() -> None:
    settings = TournamentSettings((Pairing("rand", "program:sh examples/shell_bot.sh"),), BERKELEY, Limits(plies=2), 1)
    table = WarmSeats(settings)
    table.play(settings.game(0, 0))
    assert [seat.pid for seat in table._seats if seat.spec.is_outside] == [None]
    table.close()


@pytest.mark.slow
def test_two_players_at_a_table_never_share_a_process() -> None:
    settings = TournamentSettings((Pairing("rand", "rand"),), BERKELEY, Limits(plies=4), 1)
    table = WarmSeats(settings)
    seen: list[tuple[chess.Color, int | None]] = []
    original = ProcessSeat.ask

    def ask(seat: ProcessSeat, view: View) -> Choice:
        seen.append((view.color, seat.pid))
        return original(seat, view)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProcessSeat, "ask", ask)
        for game in settings.schedule(1):
            table.play(game)
    table.close()
    pids = {color: {pid for side, pid in seen if side == color} for color in chess.COLORS}
    assert pids[chess.WHITE]
    assert pids[chess.BLACK]
    assert not pids[chess.WHITE] & pids[chess.BLACK]


@pytest.mark.slow
def test_garbage_is_not_sought_among_the_kernels_of_a_player() -> None:
    gc.unfreeze()
    worker = Worker(StringIO())
    for line in (GREETING, "player rand", "seed 1", "newgame"):
        worker.take(line)
    assert gc.get_freeze_count() > 0
    gc.unfreeze()
