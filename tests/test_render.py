"""A game as a moving picture: its pictures, their sizes, what each side's show, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import chess
import pytest

from kriegbot.cli import games as command
from kriegbot.cli.main import main
from kriegbot.narration.pictures import Picture, pictures
from referee import WILD16, GameRecord, Limits, Referee, RuleSet, save_record
from referee.rules import BERKELEY
from tests.effort import some

SCHOLARS = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 c2d3 h5f7"
"""Scholar's mate, with one try that is refused."""


def played(tries: str, rules: RuleSet = BERKELEY, limits: Limits | None = None, **headers: str) -> GameRecord:
    referee = Referee(rules, limits or Limits())
    for move in tries.split():
        referee.try_move(chess.Move.from_uci(move))
    return GameRecord.of(referee, headers)


def texts(picture: Picture) -> list[str]:
    return [text for _, _, text, _ in picture.texts]


def of_white(record: GameRecord, *, has_belief: bool = False) -> list[Picture]:
    return list(pictures(record, [chess.WHITE], has_belief=has_belief))


@pytest.fixture
def game(tmp_path: Path) -> str:
    path = tmp_path / "game.pgn"
    save_record(played("e2e4 e7e5", limits=Limits(plies=2)), path)
    return str(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "side", "width"),
    some((("gif", "black", 507), ("webp", "both", 1014), ("gif", "both", 1014), ("webp", "black", 507)), 2),
)
def test_two_plies_are_four_pictures_at_their_times(
    game: str, kind: str, side: str, width: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    image = pytest.importorskip("PIL.Image", reason="pictures are painted with Pillow")
    pytest.importorskip("resvg_py", reason="pictures are painted with resvg")
    out = tmp_path / f"a.{kind}"
    assert main(["render", game, "--out", str(out), "--side", side]) == 0
    assert f"a.{kind}: 4 pictures, 5 s, " in capsys.readouterr().out
    with image.open(out) as made:
        assert (made.format, made.n_frames, made.size) == (kind.upper(), 4, (width, 634))


def test_an_svg_shows_each_picture_in_its_time(game: str, tmp_path: Path) -> None:
    out = tmp_path / "a.SVG"
    assert main(["render", game, "--out", str(out)]) == 0
    svg = out.read_text(encoding="utf-8")
    assert 'viewBox="0 0 780 488"' in svg
    times = [list(map(float, times.split(";"))) for times in re.findall(r'keyTimes="([0-9.;]+)"', svg)]
    assert [(at[0], len(at)) for at in times] == [(0, 2), (0, 3), (0, 3), (0, 2)]
    assert [at[-2] for at in times[1:3]] == [times[0][-1], times[1][-1]]
    assert times[3][-1] == times[2][-1] < 1
    assert "http" not in svg.replace("http://www.w3.org/", "")


def test_two_people_have_the_names_that_they_gave() -> None:
    shown = of_white(played(SCHOLARS, White="human", Black="human", WhiteName="Ann", BlackName="Bob"))
    assert texts(shown[0])[1] == "Ann - Bob. Berkeley rules."


def test_refusals_a_capture_a_check_and_the_mate_are_told_and_marked() -> None:
    shown = of_white(played(SCHOLARS, White="human", Black="rand"))
    assert texts(shown[0]) == ["White's board", "A person - rand. Berkeley rules.", "0 of 7"]
    refused, mate, true = shown[-3:]
    assert texts(refused)[1] == "4. cxd3? No."
    assert "stroke-dasharray" in refused.boards[0]
    assert "stroke-dasharray" not in mate.boards[0]
    assert texts(mate) == [
        "White's board",
        "4. Qf7: yes. Capture on f7; check on the",
        "short diagonal; checkmate, White wins.",
        "7 of 7",
    ]
    assert texts(true) == ["The true board", "1-0: checkmate, White wins, after 7 plies", "7 of 7"]
    assert "black-king" in true.boards[0]
    *_, checked, _ = pictures(played(SCHOLARS), [chess.BLACK], has_belief=False)
    marked = re.findall(r'stroke="#b00020"[^>]* d="M(\d+) (\d+)h', checked.boards[0])
    assert {(int(x) // 45, int(y) // 45) for x, y in marked} == {(2, 6), (3, 7)}  # f7 and the king, Black's side below


def test_a_side_sees_its_own_men_alone_until_the_end() -> None:
    *before, true = of_white(played(SCHOLARS))
    assert len(before) == 9
    assert not any("#black" in board for picture in before for board in picture.boards)
    assert true.boards[0].count("#black") == 15


def test_what_a_side_could_not_tell_apart_gives_the_same_pictures_with_the_belief_too() -> None:
    one, other = (of_white(played(f"e2e4 {reply} g1f3 a7a6"), has_belief=True) for reply in ("e7e5", "c7c6"))
    assert one == other
    assert "opacity" in one[-1].boards[0]


def test_refusals_that_are_not_announced_are_no_picture_of_the_other_side() -> None:
    quiet, loud = (of_white(played(f"e2e4 {tries} e7e5", WILD16)) for tries in ("", "e8e6 e8d7"))
    assert quiet == loud
    assert len(list(pictures(played("e2e4 a8a5", WILD16), [chess.BLACK], has_belief=False))) == 3


def test_a_game_that_may_go_on_has_no_true_board() -> None:
    assert texts(of_white(played("e2e4 e7e5"))[-1])[0] == "White's board"


@pytest.mark.parametrize(("white", "black", "boards"), [("human", "rand", 1), ("human", "human", 2), ("hs", "hs", 2)])
def test_a_person_who_played_a_program_gets_the_own_side(white: str, black: str, boards: int) -> None:
    record = played("e2e4", White=white, Black=black)
    assert len(command._sides_of(record)) == boards


def test_one_game_of_several_is_asked_for_by_its_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games, out = tmp_path / "games.pgn", str(tmp_path / "a.svg")
    games.write_text('[Event "a"]\n\n1. e4 e5 *\n\n[Event "b"]\n\n1. d4 *\n', encoding="utf-8")
    assert main(["render", str(games), "--out", out]) == 2
    assert "2 games; it takes one of them, such as " in capsys.readouterr().err
    assert main(["render", f"{games}#2", "--out", out]) == 0
    assert "1. d4: yes." in Path(out).read_text(encoding="utf-8")
    assert main(["render", f"{games}#3", "--out", out]) == 2
    assert "no game 3; it holds 2" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["", "#1"])
def test_a_game_is_not_overwritten(number: str, game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "game.svg"
    file.write_bytes(Path(game).read_bytes())
    assert main(["render", f"{file}{number}", "--out", str(file)]) == 2
    assert "it is the file to read; choose another." in capsys.readouterr().err
    assert file.read_bytes() == Path(game).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["GAME", "--out", "a.png"], "cannot draw 'a.png': it takes a name that ends in .gif, .webp, .svg."),
        (["GAME", "--out", "gif"], "cannot draw 'gif'"),
        (["GAME", "--out", "/no/such/place/a.svg"], "cannot save to '/no/such/place/a.svg': No such file"),
        (["GAME", "--out", "a.svg", "--side", "whit"], "unknown side 'whit'; did you mean 'white'?"),
        (["GAME", "--out", "a.webp"], "A webp needs Pillow and resvg: pip install pillow resvg_py"),
        (["GAME"], "missing option '--out'"),
        (["/no/such/game.pgn", "--out", "a.svg"], "cannot be read (No such file or directory)"),
        ([__file__, "--out", "a.svg"], "test_render.py"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_bad_input_is_refused_on_one_line(
    arguments: list[str],
    message: str,
    game: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(command, "find_spec", lambda _name: None)
    monkeypatch.chdir(tmp_path)
    assert main(["render", *(game if one == "GAME" else one for one in arguments)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["game.pgn"]
