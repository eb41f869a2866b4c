"""A person, or a script, at a pipe, or at a terminal that shows no colours or no chessmen: plain text, line by line.

Everything is a line of its own, including the prompt ("White to try:"), and is flushed at once. After a prompt the
reader writes one line: a try, or a command. Entries begin with the move number, as in "12... Black has moved.".
At a terminal the board comes with each turn, with the map of chances beside it if there is room.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence

import chess

from kriegbot.cli.progress import progress_text
from kriegbot.cli.screen import Heat
from kriegbot.narration.diary import Diary, EvenTime
from kriegbot.narration.known import file_names, own_men, plain_board, rows
from kriegbot.narration.moments import ending
from referee import GameRecord, RuleSet, View

BESIDE, WIDE = 20, 34  # columns of a board with a gap after it, and of a map of chances


class PlainConsole:
    """Writes to stdout and reads from stdin; shows a map of chances, and the board each turn, if asked to."""

    def __init__(self, names: Mapping[chess.Color, str], heat: Heat | None = None, *, has_boards: bool = False) -> None:
        self._names, self._has_boards = names, has_boards
        self._diary, self._even = Diary(for_person=True), EvenTime()
        self._heat = heat
        self._shown: View | None = None
        self._has_said_preparing = self._has_told_seed = self._is_unheard = self._is_told = False

    def greet(self, rules: RuleSet, seed: int | None) -> None:
        """Who plays, and how; a fresh seed, from which the opponent's moves follow, is told at the end."""
        white, black = (self._names[color] for color in chess.COLORS)
        self._has_told_seed = seed is not None
        told = "" if seed is None else f" Seed: {seed}."
        self.say([f"White: {white}. Black: {black}. Rules: {rules.title}.{told} Say help for help."])

    def begin_again(self) -> None:
        """A move was taken back: what was heard before it was told already."""
        self._diary, self._even, self._shown, self._is_told = Diary(for_person=True), EvenTime(), None, True
        self.say(["Your last move and the reply are taken back."])

    def show(self, view: View) -> None:
        """What is new; the board at the beginning and when nothing is new, at a terminal in every turn."""
        self._even.hold(view)
        is_asked_for = self._shown == view
        is_new_turn = self._shown is None or self._shown.ply != view.ply
        new = self._diary.take(view)
        self.say([] if self._is_told else [entry.line() for entry in new])
        self._is_told = False
        has_board = is_asked_for or self._shown is None or (self._has_boards and is_new_turn)
        board = plain_board(own_men(view), view.color) if has_board else []
        has_heat = not view.refused and (has_board if self._has_boards else not is_asked_for)
        heat = heat_table(self._heat(view), view.color) if self._heat is not None and has_heat else []
        if self._has_boards and len(board) < len(heat) and shutil.get_terminal_size().columns >= BESIDE + WIDE:
            title, rest = "Your men, and where the opponent's may be, in per cent:", heat[1:]
            board, heat = [title, *(left.ljust(BESIDE) + right for left, right in zip(board, rest, strict=True))], []
        self.say([*board, *heat])
        self._shown = view

    def wait(self, view: View) -> None:
        """What is heard during the opponent's turn."""
        self._even.begin(view)
        self.say([entry.line() for entry in self._diary.take(view)])

    def read(self, view: View) -> str:
        """A prompt on a line of its own, and the line that answers it."""
        self.say([f"{chess.COLOR_NAMES[view.color].capitalize()} to try:"])
        line = "" if self._is_unheard else sys.stdin.readline()
        if not line:
            raise EOFError
        return line

    def say(self, lines: Sequence[str]) -> None:
        """Lines, at once. Once nobody can read them, `read` ends the game."""
        try:
            for line in lines:
                print(line, flush=True)
        except OSError:
            self._is_unheard = True

    def preparing(self, what: str, done: int, total: int) -> None:
        """Says once that kernels are compiled."""
        if not self._has_said_preparing:
            self._has_said_preparing = True
            print(progress_text(what, done, total), file=sys.stderr, flush=True)

    def busy(self, text: str) -> None:
        """Nothing: the answer will come."""

    def finish(self, record: GameRecord, view: View, truth: chess.Board | None) -> None:
        """The end: what was heard last, the result, the true board and the seed; without a board, neither of these."""
        self.say([entry.line() for entry in self._diary.take(view)])
        board = [] if truth is None else ["The board at the end:", *plain_board(truth.piece_map(), view.color)]
        self.say([*board, ending(record)])
        if truth is not None and not self._has_told_seed:
            self.say([f"Seed: {record.headers['Seed']}"])

    def close(self) -> None:
        """Nothing to put back."""


def heat_table(heat: Sequence[float], bottom: chess.Color) -> list[str]:
    """Chances in per cent, square by square."""
    if not heat:
        return ["Where the opponent's men may be is not known."]
    lines = ["Chance in per cent that a man of the opponent's stands there:"]
    for row in rows(bottom):
        percents = " ".join(f"{round(100 * heat[square]):>3}" for square in row)
        lines.append(f"{chess.square_rank(row[0]) + 1} {percents}")
    return [*lines, "  " + " ".join(f"{name:>3}" for name in file_names(bottom))]
