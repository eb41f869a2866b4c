"""Two consoles for a person: lines of plain text, and a drawn terminal.

Plain text is for pipes, and for terminals without colours or chess symbols. After a prompt ("White to try:") the person
enters one line. A drawn terminal uses the alternate screen; at the end the last board stays on the normal one.
"""

import contextlib
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence

import chess
from rich.console import Console
from rich.text import Text

from kriegbot.cli import screen
from kriegbot.cli.common import progress_text
from kriegbot.cli.screen import BoardPicture
from kriegbot.narration import glance
from kriegbot.narration.diary import Diary, Subject, gathered, side_name
from kriegbot.narration.even_time import EvenTime
from kriegbot.narration.glance import check_to_answer, own_men, plain_board
from kriegbot.narration.moments import ending
from referee import GameRecord, RuleSet, View
from referee.text import counted

HELP = "Type help for the commands."
BOARD_WIDTH, MAP_WIDTH = 20, 34  # columns of a plain board with a gap after it, and of a map of chances
STYLES = {
    Subject.OWN: "",
    Subject.OWN_REFUSED: "red",
    Subject.OPPONENT: "bold",
    Subject.OPPONENT_REFUSED: "dim",
    Subject.QUESTION: "",
    Subject.END: "bold",
}
ROWS_BESIDE = 4  # rows besides the board's: a title above; an empty row, the last announcements and the input below
COLUMNS_BESIDE = 25  # columns besides the board's


class PlainConsole:
    """Plain text on stdout and stdin: the chances of `heat` at each turn and, at a terminal, the board beside them."""

    def __init__(self, names: Mapping[chess.Color, str], heat: screen.Heat | None = None) -> None:
        self._names, self._heat, self._has_boards = names, heat, screen.is_terminal()
        self._diary, self._even = Diary(for_person=True), EvenTime()
        self._shown: View | None = None
        self._has_shown_progress = self._has_shown_seed = self._is_closed = self._is_restart = False

    def greet(self, rules: RuleSet, seed: int | None) -> None:
        """Print the players, the rules, and a seed that the person chose."""
        self._has_shown_seed = seed is not None
        players = " ".join(f"{side_name(color)}: {self._names[color]}." for color in chess.COLORS)
        seed_text = "" if seed is None else f" Seed: {seed}."
        self.say([f"{players} Rules: {rules.title}.{seed_text} {HELP}"])

    def begin_again(self) -> None:
        """Go back to an earlier turn, whose past has been printed already."""
        self._diary, self._even, self._shown, self._is_restart = Diary(for_person=True), EvenTime(), None, True
        self.say(["Your last move and the reply are taken back."])

    def show(self, view: View) -> None:
        """Print what is new, and the board: at first, if nothing is new, and at a terminal at each turn."""
        self._even.hold(view)
        is_repeated, is_first = self._shown == view, self._shown is None
        is_new_turn = self._shown is None or self._shown.ply != view.ply
        new = self._diary.take(view)
        self.say([entry.line() for entry in new if not self._is_restart])
        self._shown, self._is_restart = view, False
        has_board = is_repeated or is_first or (self._has_boards and is_new_turn)
        board = plain_board(own_men(view), view.color) if has_board else []
        has_heat = not view.refused and (has_board if self._has_boards else not is_repeated)
        chances, basis = self._heat(view) if self._heat is not None and has_heat else ((), "")
        heat = heat_table(chances, basis, view.color) if basis else []
        is_wide = shutil.get_terminal_size().columns >= BOARD_WIDTH + MAP_WIDTH
        if self._has_boards and len(board) < len(heat) and is_wide:
            pairs = zip(board, heat[1:], strict=True)
            board = ["Your pieces, and where the opponent's may be, in percent,", f"from {basis}:"]
            board += [left.ljust(BOARD_WIDTH) + right for left, right in pairs]
            heat = []
        self.say([*board, *heat])

    def wait(self, view: View) -> None:
        """Print the announcements during the opponent's turn."""
        self._even.begin(view)
        self.say([entry.line() for entry in self._diary.take(view)])

    def read(self, view: View) -> str:
        """Prompt for a line and return it. Raise EOFError at the end of input."""
        self.say([f"{side_name(view.color)} to try:"])
        line = "" if self._is_closed else sys.stdin.readline()
        if not line:
            raise EOFError
        return line

    def say(self, lines: Sequence[str]) -> None:
        """Print lines at once. If nobody can read them, the next `read` ends the game."""
        try:
            for line in lines:
                print(line, flush=True)
        except OSError:
            self._is_closed = True

    def preparing(self, what: str, done: int, total: int) -> None:
        """Print once that kernels are being compiled."""
        if not self._has_shown_progress:
            self._has_shown_progress = True
            print(progress_text(what, done, total), file=sys.stderr, flush=True)

    def busy(self, text: str) -> None:
        """Do nothing."""

    def finish(self, record: GameRecord, view: View, truth: chess.Board | None) -> None:
        """Print the last announcements and the result; with the true board, if given, also the seed."""
        self.say([entry.line() for entry in self._diary.take(view)])
        board = [] if truth is None else ["The board at the end:", *plain_board(truth.piece_map(), view.color)]
        self.say([*board, ending(record)])
        if truth is not None and not self._has_shown_seed:
            self.say([f"Seed: {record.headers['Seed']}"])

    def close(self) -> None:
        """Do nothing."""


def heat_table(heat: Sequence[float], basis: str, bottom: chess.Color) -> list[str]:
    """Return the lines of a map of chances, in percent, below a heading."""
    if not heat:
        return ["The places of the opponent's pieces are not known."]
    lines = [f"Chance in percent that an opponent's piece stands there, from {basis}:"]
    for row in glance.rows(bottom):
        percents = " ".join(f"{screen.whole_percent(heat[square]):>3}" for square in row)
        lines.append(f"{chess.square_rank(row[0]) + 1} {percents}")
    return [*lines, "  " + " ".join(f"{name:>3}" for name in glance.file_names(bottom))]


class TerminalConsole:
    """A console drawn on a terminal, with chances on the board if `heat` is given."""

    def __init__(self, names: Mapping[chess.Color, str], heat: screen.Heat | None, console: Console) -> None:
        self._names, self._heat, self._console = names, heat, console
        self._diary, self._even = Diary(for_person=True), EvenTime()
        self._lines: Sequence[str] = ()
        self._status = console.status("", spinner="dots")
        self._has_second_screen = self._has_shown_seed = False
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - gives input() its line editing

    def greet(self, rules: RuleSet, seed: int | None) -> None:
        """Show the rules, and a seed that the person chose."""
        self._has_shown_seed = seed is not None
        self.say([f"Rules: {rules.title}", *([] if seed is None else [f"Seed: {seed}"])])

    def begin_again(self) -> None:
        """Go back to an earlier turn; its view brings everything that led to it."""
        self._diary, self._even = Diary(for_person=True), EvenTime()

    def show(self, view: View) -> None:
        """Take in what is new; drop older lines, except the greeting."""
        self._even.hold(view)
        self._diary.take(view)
        self._lines = () if self._has_second_screen else self._lines

    def wait(self, view: View) -> None:
        """Draw the board while the opponent is thinking."""
        self._even.begin(view)
        self._diary.take(view)
        self._status.stop()
        self._draw(view)
        self._lines = ()
        opponent = side_name(not view.color)
        self.busy(f"{opponent} is thinking ...")

    def read(self, view: View) -> str:
        """Draw the board and return the person's next line."""
        self._status.stop()
        self._draw(view)
        check = f" ({check.text.rstrip('.').lower()})" if (check := check_to_answer(view)) else ""
        return input(f" {side_name(view.color)} to try{check}: ")

    def say(self, lines: Sequence[str]) -> None:
        """Show lines beside the board until the next try."""
        self._lines = lines

    def preparing(self, what: str, done: int, total: int) -> None:
        """Show the progress of compilation."""
        self.busy(progress_text(what, done, total))

    def busy(self, text: str) -> None:
        """Show a reason to wait until the next question."""
        self._status.update(text)
        self._status.start()

    def finish(self, record: GameRecord, view: View, truth: chess.Board | None) -> None:
        """Show the result, the true board (else the person's own pieces) and the seed on the normal screen."""
        self._diary.take(view)
        self.close()
        picture = self._picture(own_men(view) if truth is None else truth.piece_map(), view, ())
        self._console.print(screen.board(picture, self._scale()))
        self._console.print()
        for entry in self._diary.entries[-1:]:
            if entry.subject is not Subject.END:
                self._console.print(Text(entry.line(), STYLES[entry.subject]))
        self._console.print(Text(ending(record), "bold"))
        if truth is not None and not self._has_shown_seed:
            self._console.print(Text(f"Seed: {record.headers['Seed']}", "dim"))

    def close(self) -> None:
        """Put the terminal back as it was."""
        self._status.stop()
        if self._has_second_screen:
            self._console.set_alt_screen(False)
            self._has_second_screen = False

    def _draw(self, view: View) -> None:
        if not self._has_second_screen:
            self._has_second_screen = self._console.set_alt_screen(True)
        heat, basis = self._heat(view) if self._heat is not None else ((), "")
        picture = self._picture(own_men(view), view, heat)
        scale = self._scale()
        width, height = screen.size_of(scale)
        height = max(height, self._console.height - ROWS_BESIDE - 1)
        title = Text(f" Kriegspiel · {view.rules.title} · move {view.ply // 2 + 1}", "dim")
        title.append(f" · chances from {basis}" * bool(heat))
        side = self._side(view, max(20, self._console.width - width - 3), height)
        screen.draw_beside(self._console, title, screen.board(picture, scale), side)
        self._console.print(self._last(), no_wrap=True, overflow="ellipsis")

    def _side(self, view: View, width: int, height: int) -> Text:
        you_took = f", you took {text}" if (text := glance.captures_text(view)) else ""
        lost = screen.no_emoji("".join(map(screen.GLYPHS.__getitem__, glance.lost_pieces(view))))
        you_lost = f", lost {lost}" if lost else ""
        opponent = self._player(not view.color, counted(view.opponent_men, "piece") + you_took, width)
        own = self._player(view.color, counted(len(view.men), "piece") + you_lost, width)
        room = max(3, height - len(opponent) - len(own) - 2)
        lines = [Text(part, "yellow") for line in self._lines for part in _wrapped(line, width)]
        if len(lines) > room:
            lines[room - 1 :] = [Text("...", "yellow")]
        news = self._news(width, room - len(lines) - bool(lines))
        between = [*news, *([Text("")] if news and lines else []), *lines]
        padding = [Text("")] * (room - len(between))
        return Text("\n").join([*opponent, Text(""), *between, *padding, Text(""), *own])

    def _player(self, color: chess.Color, pieces: str, width: int) -> list[Text]:
        sign = "○" if color == chess.WHITE else "●"
        name = Text(f"  {self._names[color]}")
        name.truncate(width, overflow="ellipsis")
        return [Text(f"{sign} {side_name(color)}, {pieces}", "bold"), name]

    def _news(self, width: int, room: int) -> list[Text]:
        """Return the last entries that fit. The opponent's refused tries share one line."""
        lines: list[Text] = []
        for entry, text in reversed(gathered(self._diary.entries[-60:])):
            block = [Text(line, STYLES[entry.subject]) for line in _wrapped(text, width)]
            if len(lines) + len(block) > room:
                break
            lines = [*block, *lines]
        return lines

    def _last(self) -> Text:
        """Return the announcements since the person's last move, as many as fit just above the input."""
        if not self._diary.entries:
            return Text(f" {HELP}", "dim")
        *before, (last, line) = gathered(self._diary.latest())
        text = Text(f" {line}", "bold red" if last.subject is Subject.OWN_REFUSED else "bold")
        for _, line in reversed(before):
            if len(line) + len(text) + 1 > self._console.width:
                break
            text = Text.assemble(f" {line}", text)
        return text

    def _picture(self, men: Mapping[chess.Square, chess.Piece], view: View, heat: Sequence[float]) -> BoardPicture:
        check = check_to_answer(view)
        faint = check.idle_pieces(view) if check else frozenset[chess.Square]()
        return BoardPicture(men, view.color, glance.marks(view), heat, faint, has_tints=screen.has_tints(self._console))

    def _scale(self) -> int:
        return screen.fitting(self._console.width - COLUMNS_BESIDE, self._console.height - ROWS_BESIDE)


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="   ")
