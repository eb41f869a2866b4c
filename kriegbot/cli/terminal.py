"""A person at a terminal: the board, what was heard, and a line to answer on.

The game is drawn on the terminal's alternate screen and redrawn for every question; at the end that screen goes away,
and the true board and the result stay on the normal one. The board is as large as the window allows.
"""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Mapping, Sequence

import chess
from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from kriegbot.cli.progress import progress_text
from kriegbot.cli.screen import GLYPHS, Heat, Picture, board, fitting, has_tints, size_of
from kriegbot.narration.diary import Diary, EvenTime, Kind, gathered
from kriegbot.narration.known import in_check, lost, marks, own_men, taken
from kriegbot.narration.moments import ending
from referee import GameRecord, RuleSet, View

STYLES = {
    Kind.OWN: "",
    Kind.OWN_REFUSED: "red",
    Kind.OPPONENT: "bold",
    Kind.OPPONENT_REFUSED: "dim",
    Kind.QUESTION: "",
    Kind.END: "bold",
}
ROWS_BESIDE = 4
"""Rows besides the board's: a title above; below it an empty row, what was heard last, and the input line."""
COLUMNS_BESIDE = 25  # columns besides the board's


class TerminalConsole:
    """Draws on a terminal, with a map of chances on the board if there is one, and reads from it."""

    def __init__(self, console: Console, names: Mapping[chess.Color, str], heat: Heat | None = None) -> None:
        self._console, self._names, self._heat = console, names, heat
        self._diary, self._even = Diary(for_person=True), EvenTime()
        self._said: Sequence[str] = ()
        self._status: Status | None = None
        self._has_second_screen = self._has_told_seed = False
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - gives input() its line editing

    def greet(self, rules: RuleSet, seed: int | None) -> None:
        """The greeting; a fresh seed, from which the opponent's moves follow, is told at the end."""
        self._has_told_seed = seed is not None
        self.say([f"Rules: {rules.title}", *([] if seed is None else [f"Seed: {seed}"])])

    def begin_again(self) -> None:
        """A move was taken back: all that was heard is heard anew."""
        self._diary, self._even = Diary(for_person=True), EvenTime()

    def show(self, view: View) -> None:
        """The board and the news; earlier lines go away, except a greeting."""
        self._even.hold(view)
        self._diary.take(view)
        self._said = () if self._has_second_screen else self._said

    def wait(self, view: View) -> None:
        """The board, and that the opponent is thinking."""
        self._even.begin(view)
        self._diary.take(view)
        self._stop_status()
        self._draw(view)
        self._said = ()
        opponent = chess.COLOR_NAMES[not view.color].capitalize()
        self.busy(f"{opponent} is thinking ...")

    def read(self, view: View) -> str:
        """The board with the pending lines; reads the answer."""
        self._stop_status()
        self._draw(view)
        check = f" ({check.text.rstrip('.').lower()})" if (check := in_check(view)) else ""
        return input(f" {chess.COLOR_NAMES[view.color].capitalize()} to try{check}: ")

    def say(self, lines: Sequence[str]) -> None:
        """Lines beside the board, until the next turn."""
        self._said = lines

    def preparing(self, what: str, done: int, total: int) -> None:
        """Shows how far kernels are compiled."""
        self.busy(progress_text(what, done, total))

    def busy(self, text: str) -> None:
        """Shows what the person waits for, until the next question."""
        if self._status is None:
            self._status = self._console.status(text, spinner="dots")
            self._status.start()
        else:
            self._status.update(text)

    def finish(self, record: GameRecord, view: View, truth: chess.Board | None) -> None:
        """Back to the normal screen: the result, the true board, and the seed; without a board, the own men alone."""
        self._diary.take(view)
        self.close()
        picture = self._picture(own_men(view) if truth is None else truth.piece_map(), view, ())
        self._console.print(board(picture, self._scale()))
        self._console.print()
        for entry in self._diary.entries[-1:]:
            if entry.kind is not Kind.END:
                self._console.print(Text(entry.line(), STYLES[entry.kind]))
        self._console.print(Text(ending(record), "bold"))
        if truth is not None and not self._has_told_seed:
            self._console.print(Text(f"Seed: {record.headers['Seed']}", "dim"))

    def close(self) -> None:
        """Puts the terminal back as it was."""
        self._stop_status()
        if self._has_second_screen:
            self._console.set_alt_screen(False)
            self._has_second_screen = False

    def _draw(self, view: View) -> None:
        if not self._has_second_screen:
            self._has_second_screen = self._console.set_alt_screen(True)
        heat = self._heat(view) if self._heat is not None else ()
        picture = self._picture(own_men(view), view, heat)
        scale = self._scale()
        wide, high = size_of(scale)
        rows = max(high, self._console.height - ROWS_BESIDE - 1)
        self._console.clear()
        title = f" Kriegspiel · {view.rules.title} · move {view.ply // 2 + 1}"
        self._console.print(Text(title, "dim"), no_wrap=True, overflow="ellipsis")
        grid = Table.grid(padding=(0, 2))
        grid.add_row(board(picture, scale), self._side(view, max(20, self._console.width - wide - 3), rows))
        self._console.print(grid)
        self._console.print()
        self._console.print(self._last(), no_wrap=True, overflow="ellipsis")

    def _side(self, view: View, width: int, rows: int) -> Text:
        """The opponent above, the person below, and what was heard and said in between."""
        you_took = f", you took {took}" if (took := taken(view)) else ""
        you_lost = f", lost {''.join(fallen)}" if (fallen := [GLYPHS[kind] for kind in lost(view)]) else ""
        opponent = self._player(not view.color, _men(view.opponent_men) + you_took, width)
        own = self._player(view.color, _men(len(view.men)) + you_lost, width)
        room = max(3, rows - len(opponent) - len(own) - 2)
        said = [Text(part, "yellow") for line in self._said for part in _wrapped(line, width)]
        if len(said) > room:
            said[room - 1 :] = [Text("...", "yellow")]
        news = self._news(width, room - len(said) - bool(said))
        between = [*news, *([Text("")] if news and said else []), *said]
        padding = [Text("")] * (room - len(between))
        return Text("\n").join([*opponent, Text(""), *between, *padding, Text(""), *own])

    def _player(self, color: chess.Color, men: str, width: int) -> list[Text]:
        sign = "○" if color == chess.WHITE else "●"
        name = Text(f"  {self._names[color]}")
        name.truncate(width, overflow="ellipsis")
        return [Text(f"{sign} {chess.COLOR_NAMES[color].capitalize()}, {men}", "bold"), name]

    def _news(self, width: int, room: int) -> list[Text]:
        """The last entries that fit; the opponent's refused tries are joined in one line."""
        lines: list[Text] = []
        for entry, text in reversed(gathered(self._diary.entries[-60:])):
            block = [Text(line, STYLES[entry.kind]) for line in _wrapped(text, width)]
            if len(lines) + len(block) > room:
                break
            lines = [*block, *lines]
        return lines

    def _last(self) -> Text:
        """What was heard since the own last move, as far as there is room, repeated just above the input line."""
        if not self._diary.entries:
            return Text(" Say help for help.", "dim")
        *before, (last, line) = gathered(self._diary.verdicts())
        text = Text(f" {line}", "bold red" if last.kind is Kind.OWN_REFUSED else "bold")
        for _, line in reversed(before):
            if len(line) + len(text) + 1 > self._console.width:
                break
            text = Text.assemble(f" {line}", text)
        return text

    def _picture(self, men: Mapping[chess.Square, chess.Piece], view: View, heat: Sequence[float]) -> Picture:
        check = in_check(view)
        return Picture(
            men,
            view.color,
            marks(view),
            heat,
            check.idlers(view) if check else frozenset(),
            has_tints=has_tints(self._console),
        )

    def _scale(self) -> int:
        return fitting(self._console.width - COLUMNS_BESIDE, self._console.height - ROWS_BESIDE)

    def _stop_status(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="   ")


def _men(count: int) -> str:
    return f"{count} {'man' if count == 1 else 'men'}"
