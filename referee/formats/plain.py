"""Plain PGN of any game of chess: the moves, from which a referee computes what would have been announced.

The rule set is the one that whoever asks has named, or else the header RuleSet, or else Berkeley's. Comments,
sidelines and annotations are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import chess

from referee.errors import RecordError
from referee.formats.form import COMMENTS, QUESTIONS, REFUSED, TIMES, Format, Lost
from referee.formats.movetext import HIDDEN, game_text, pgn_games
from referee.formats.retelling import retelling
from referee.pgn import headers_of, pgn_text
from referee.record import GameRecord, place
from referee.rules import BERKELEY, RuleSet
from referee.view import OwnQuestion, OwnTry

_FIRST = re.compile(r"^[ \t]*(?:\[[ \t]*\w+[ \t]+\"|[0-9]+[ \t]*\.)", re.MULTILINE)


def fits(text: str) -> bool:
    """Whether there is a header or a numbered move."""
    return _FIRST.search(text) is not None


def read(text: str, rules: RuleSet | None) -> tuple[GameRecord, Lost]:
    """The moves of a game of chess, as a game of Kriegspiel without a refused try."""
    game = game_text(text)
    told = retelling(game.headers, rules, BERKELEY.name)
    for ply, said in enumerate(game.moves):
        if said.move == HIDDEN:
            raise RecordError(f"illegal move: '{HIDDEN}', {place(ply)}; one side's view is no full record")
        told.say(said.move)
    ended = told.finish(game.headers, game.result)
    has_comments = game.has_remarks or any(said.comments for said in game.moves)
    return told.record(game.headers), (*((COMMENTS,) if has_comments else ()), *game.lost, *ended)


def write(record: GameRecord, side: chess.Color | None) -> tuple[str, Lost]:
    """The moves of a game, whatever side asks."""
    del side
    headers = headers_of(record)
    del headers["KriegspielRecord"]
    events = [event for tries in (*(turn.tries for turn in record.turns), record.left) for event in tries]
    lost = {
        REFUSED: any(isinstance(event, OwnTry) for event in events),
        QUESTIONS: any(isinstance(event, OwnQuestion) for event in events),
        TIMES: any(turn.seconds is not None for turn in record.turns),
    }
    return pgn_text(headers, _movetext(record)), tuple(name for name, is_lost in lost.items() if is_lost)


def _movetext(record: GameRecord) -> Iterator[str]:
    board = chess.Board(record.start)
    for number, turn in enumerate(record.turns):
        if board.turn == chess.WHITE or not number:
            yield f"{board.fullmove_number}{'.' if board.turn == chess.WHITE else '...'}"
        yield board.san(turn.move)
        board.push(turn.move)
    yield record.result


PLAIN = Format(
    "plain", "PGN of any game of chess: moves only; --rules says what is announced", fits, pgn_games, read, write
)
