"""Games as other programs write them: the headers of ten and the movetext of eleven, each with each, read alike."""

from __future__ import annotations

import io
from pathlib import Path

import chess.pgn
import pytest

from kriegbot.cli.games import text_of
from kriegbot.cli.main import main
from referee import Reason
from referee.formats import FORMATS, format_of

HEADERS = {
    "icc": '[Event "ICC w16 2 12"]\n[Site "Internet Chess Club"]\n[ICCResult "{}"]\n[WhiteElo "1500"]',
    "fics": '[Event "FICS rated standard game"]\n[FICSGamesDBGameNo "1"]\n[PlyCount "5"]',
    "lichess": '[Event "Rated"]\n[Site "https://lichess.org/abcdefgh"]\n[Variant "Standard"]\n[Termination "Normal"]',
    "chess.com": '[Event "Live Chess"]\n[CurrentPosition "8/8/8/8/8/8/8/8 w - -"]\n[Termination "anna {}"]',
    "chessbase": '[Event "?"]\n[ECO "C20"]\n[EventDate "2026.??.??"]\n[SourceDate "2026.01.02"]',
    "scid": '[Event "Caf\xe9"]\n[White "M\xfcller"]\n[ScidFlags "DWB"]',
    "xboard": '[Event "Computer Chess Game"]\n[Site "pc"]\n[TimeControl "40/300"]\n[Annotator "1. +0.31"]',
    "cutechess": '[Event "?"]\n[GameDuration "00:00:05"]\n[PlyCount "5"]\n[TimeControl "40/60"]',
    "python-chess": '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[White "?"]\n[Black "?"]',
    "kriegspiel.org": '[Event "Kriegspiel"]\n[Site "https://kriegspiel.org"]\n[Variant "Berkeley"]',
}
MOVETEXT = {
    "as the standard exports": "1. e4 e5 2. Qh5 Ke7 3. Qxe5# {}",
    "without spaces": "1.e4 e5 2.Qh5 Ke7 3.Qxe5# {}",
    "with each move numbered": "1. e4 1... e5 2. Qh5 2... Ke7 3. Qxe5# {}",
    "with numbers apart": "1 . e4 1 ... e5 2 . Qh5 2 ... Ke7 3 . Qxe5# {}",
    "with numbers and points apart": "1. e4 1. ... e5 2. Qh5 2. ... Ke7 3. Qxe5# {}",
    "with clocks": "1. e4 {{[%clk 0:03:00]}} 1... e5 {{[%clk 0:02:59]}} 2. Qh5 Ke7 3. Qxe5# {}",
    "with evaluations": "1. e4 {{+0.31/12 1.2s}} e5 {{-0.20/11 1.1s}} 2. Qh5 Ke7?? $4 3. Qxe5# {{White mates}} {}",
    "with sidelines": "1. e4 e5 (1... c5 2. Nf3 (2. c3)) 2. Qh5!? Ke7 3. Qxe5# {}",
    "on many lines": "1. e4\ne5\n2. Qh5 ; a sortie\nKe7\n% a line for Scid\n3. Qxe5# {}",
    "with tabs and Windows' lines": "1. e4 e5\r\n2. Qh5\tKe7\r\n3. Qxe5# {}\r\n",
    "without a result": "1. e4 e5 2. Qh5 Ke7 3. Qxe5#",
}


@pytest.mark.parametrize("movetext", MOVETEXT)
@pytest.mark.parametrize("program", HEADERS)
def test_a_game_is_read_as_python_chess_reads_it(program: str, movetext: str, tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    text = f'{HEADERS[program].format("won by checkmate")}\n[Result "1-0"]\n\n{MOVETEXT[movetext].format("1-0")}\n'
    path.write_bytes(text.encode("latin-1" if program == "scid" else "utf-8"))
    game = text_of(str(path))
    record, _ = format_of(game).read(game, None)
    theirs = chess.pgn.read_game(io.StringIO(text))
    assert theirs is not None
    assert [turn.move for turn in record.turns] == list(theirs.mainline_moves())
    assert len(record.turns) == 5
    assert (record.result, record.end and record.end.reason) == ("1-0", Reason.CHECKMATE)
    assert record.rules.name == ("wild16" if program == "icc" else "berkeley")
    assert record.headers["Event"] == theirs.headers["Event"]


@pytest.mark.parametrize(
    ("header", "result", "reason"),
    [
        ('ICCResult "Black forfeits on time"', "1-0", Reason.FORFEIT),
        ('ICCResult "White resigns"', "0-1", Reason.RESIGNATION),
        ('ICCResult "Game drawn by mutual agreement"', "1/2-1/2", Reason.AGREEMENT),
        ('ICCResult "Game drawn by repetition"', "1/2-1/2", Reason.ABANDONED),
        ('Termination "anna won by resignation"', "1-0", Reason.RESIGNATION),
        ('Termination "Game drawn by agreement"', "1/2-1/2", Reason.AGREEMENT),
        ('Termination "Time forfeit"', "1-0", Reason.FORFEIT),
        ('Termination "Normal"', "1-0", Reason.RESIGNATION),
    ],
)
@pytest.mark.parametrize("has_result", [True, False])
def test_the_end_that_a_header_names_is_the_games(header: str, result: str, reason: Reason, has_result: bool) -> None:
    text = f'[Event "?"]\n[Result "{result}"]\n[{header}]\n\n1. e4 e5 {result if has_result else ""}\n'
    record, _ = FORMATS["plain"].read(text, None)
    recorded = "*" if reason is Reason.ABANDONED else result  # no rule set of ours knows such a draw
    assert (record.result, record.end and record.end.reason) == (recorded, reason)


BAD = '[Result "0-1"]\n\n1. e4 e5 2. Qxh8 0-1\n\n'
GOOD = '[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'


def test_a_bad_game_among_others_is_named_and_left_out_unless_strict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    source, target = Path("in.pgn"), Path("out.pgn")
    source.write_text(GOOD + BAD + GOOD, encoding="utf-8")
    assert main(["convert", str(source), str(target)]) == 0
    out, err = capsys.readouterr()
    assert (out, target.read_text(encoding="utf-8").count("Qh4#")) == (f"{target}: 2 games\n", 2)
    assert err == f"Left out: '{source}', game 2, as plain: illegal move: 'Qxh8', at ply 3.\n"
    target.unlink()
    assert main(["convert", str(source), str(target), "--strict"]) == 2
    assert capsys.readouterr().err == f"kriegbot: '{source}', game 2, as plain: illegal move: 'Qxh8', at ply 3.\n"
    assert not target.exists()
    source.write_text(BAD + BAD, encoding="utf-8")
    assert main(["convert", str(source), str(target)]) == 2
    assert not target.exists()


@pytest.mark.parametrize("form", ["icc", "umd", "plain"])
@pytest.mark.parametrize("rules", ["berkeley", "wild16", "cincinnati", "rand"])
def test_python_chess_opens_what_is_written_and_the_rules_come_back(form: str, rules: str, tmp_path: Path) -> None:
    source, target = tmp_path / "in.pgn", tmp_path / "out.pgn"
    source.write_text(f'[RuleSet "{rules}"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n', encoding="utf-8")
    assert main(["convert", str(source), str(target), "--to", form]) == 0
    theirs = chess.pgn.read_game(io.StringIO(target.read_text(encoding="utf-8")))
    assert theirs is not None
    assert (theirs.errors, len(list(theirs.mainline_moves()))) == ([], 4)
    assert FORMATS[form].read(target.read_text(encoding="utf-8"), None)[0].rules.name == rules
