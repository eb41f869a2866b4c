"""What a person meets who plays whole games against the levels, at the terminal and on the page.

    python benchmarks/person.py --door terminal --level casual club strong --games 4
    python benchmarks/person.py --door page --level casual club strong --games 2

A script plays as a person does: it sees what the door shows (`benchmarks/doors.py`), keeps its own notes, develops,
castles, takes back where it has been taken, tries pawn captures, tries something else when it is refused, and now and
then slips. It checks that the board shown is the board noted, and complains of what a person would not understand.
Reported: how games ended; the manners of the level (see `benchmarks/manners.py`), where a turn's seconds are those from
one's own try to one's next turn, on the screen; seconds until a refusal; different openings; and every oddity.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import chess
import numpy as np
from doors import Door, page, terminal
from manners import HEADINGS, Manners
from rich.console import Console
from rich.progress import Progress

from kriegbot.players.notation import try_name
from kriegbot.players.scripted import ScriptedPlayer, Turn, prowl
from referee import (
    BERKELEY,
    Announcement,
    Answer,
    Check,
    GameRecord,
    OpponentMoved,
    OwnTry,
    load_record,
)
from referee.announcement import NO_CHECK
from referee.history import Listener
from referee.men import is_castling
from tournaments.report_tables import Table
from tournaments.report_text import show_table

OPENING = 6
SLIP = 0.03
MOST_MOVES = 200
"""Own moves after which a person has had enough."""
CHECKS = [NO_CHECK, *(one | other for one, other in itertools.combinations_with_replacement(Check, 2))]
HEARD = {
    Announcement(capture, checks=checks).text(): Announcement(capture, checks=checks)
    for capture in (None, *chess.SQUARES)
    for checks in CHECKS
}
"""What the referee may say under Berkeley rules before the end, by its words."""


class Casual(ScriptedPlayer):
    """Plays as people begin to: minor pieces out, castling, the middle, and a pawn capture where one may be."""

    def taste(self, turn: Turn, move: chess.Move) -> float:
        """How much it likes a try; chance does the rest."""
        man, chance = turn.man(move), 30 * self._rng.random()
        if move.promotion:
            return 300.0
        if man == chess.KING:
            return 60.0 if is_castling(move, turn.view.men) else chance - 40.0
        if turn.is_pawn_capture(move):
            return chance + 5.0
        if man in (chess.KNIGHT, chess.BISHOP) and turn.height(move.from_square) == 0:
            return chance + 15.0
        if man == chess.PAWN and turn.gain(move) == 2 and chess.square_file(move.from_square) in (3, 4):
            return chance + 20.0
        return chance + prowl(turn, move)


class Notes(Listener):
    """What a person has noted of a game, from what was shown and said."""

    def __init__(self, color: chess.Color) -> None:
        super().__init__(color, BERKELEY)

    @property
    def place(self) -> str:
        """The number of the move, as it stands before a line."""
        return f"{self.ply // 2 + 1}{'...' if self.ply % 2 else '.'} "

    def listen(self, lines: list[str]) -> None:
        """The opponent's move, if it is his turn and among these lines."""
        if self.turn == self.color:
            return
        for text in [line.removeprefix(self.place) for line in lines if line.startswith(self.place)]:
            if text in HEARD or text == f"{chess.COLOR_NAMES[not self.color].capitalize()} has moved.":
                said = HEARD.get(text, Announcement())
                self.hear(OpponentMoved(said))
                return


class Figures:
    """What was met in the games against one level through one door."""

    def __init__(self) -> None:
        self.manners = Manners()
        self.seconds: list[float] = []
        self.refusals: list[float] = []
        self.ends: Counter[str] = Counter()
        self.plies: list[int] = []
        self.odd: list[str] = []

    def play(self, door: Door, color: chess.Color, seed: int) -> None:
        """Plays one."""
        notes, player, rng = Notes(color), Casual(seed), random.Random(seed)
        notes.listen(door.lines)
        while not door.is_over:
            if door.men() != notes.men:
                raise AssertionError(f"the board shows {door.men()}, and should {notes.men}: {door.lines}")
            if rng.random() < SLIP:
                door.slip()
            if notes.ply > 2 * MOST_MOVES:
                self.odd.append(f"no end in sight after {MOST_MOVES} moves, {notes.view().opponent_men} enemy men left")
                door.resign()
                break
            move = player.choose(notes.view()).action
            assert isinstance(move, chess.Move)
            name, before = try_name(move, notes.view()), len(door.lines)
            took = door.attempt(move, name)
            new = door.lines[before:]
            if f"{notes.place}{name}? No." in new:
                notes.hear(OwnTry(move, Answer.ILLEGAL))
                self.refusals.append(took)
                continue
            self.seconds.append(took)
            if door.is_over:
                break
            yes = f"{notes.place}{name}: yes."
            (said,) = [line.removeprefix(yes).strip() for line in new if line.startswith(yes)]
            notes.hear(OwnTry(move, Answer.ACCEPTED, HEARD[said] if said else Announcement()))
            notes.listen(new)
        self.odd += door.odd

    def read(self, record: GameRecord, end: str) -> None:
        """Reads a saved game, of which the door has said how it ended."""
        color = chess.WHITE if record.headers["White"] != "human" else chess.BLACK
        self.manners.add(record, color)
        self.plies.append(len(record.turns))
        won = {None: "drawn", color: "the level has won", not color: "the person has won"}
        assert record.end is not None
        self.ends[f"{won[record.end.winner]}, {record.end.reason.value}"] += 1
        if record.end.text() not in end.lower().replace("white", "White").replace("black", "Black"):
            self.odd.append(f"saved as {record.end.text()!r}, shown as {end!r}")

    def said(self) -> str:
        """In words, what the table of manners has no room for."""
        ends = "; ".join(f"{end}: {times}" for end, times in self.ends.most_common())
        p50, p99 = (np.percentile(self.refusals, share) for share in (50, 99))
        return (
            f"  {len(self.refusals) / len(self.seconds):.1f} own tries a turn refused, each after {p50:.3f} s "
            f"(99 %: {p99:.3f} s); {self.manners.openings(OPENING)} openings of {OPENING} moves\n"
            f"  {ends}; {min(self.plies)} to {max(self.plies)} plies\n"
            f"  odd: {'; '.join(self.odd) or 'nothing'}"
        )


def main() -> None:
    """Play and report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--door", nargs="+", choices=("terminal", "page"), default=["terminal", "page"])
    parser.add_argument("--level", nargs="+", default=["casual", "club", "strong"])
    parser.add_argument("--games", type=int, default=2, help="through each door against each level")
    parser.add_argument("--seed", type=int, default=1, help="of the person; the levels take fresh ones, as for people")
    options = parser.parse_args()
    console, rows, words = Console(highlight=False, width=140), [], []
    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("games", total=len(options.door) * len(options.level) * options.games)
        for name in options.door:
            door = {"terminal": terminal, "page": page}[name]
            for level in options.level:
                figures = Figures()
                with TemporaryDirectory() as folder, door(Path(folder)) as begin:
                    for number in range(options.games):
                        color, seed = chess.COLORS[number % 2], options.seed + number
                        with begin(level, chess.COLOR_NAMES[color], random.Random(seed)) as game:
                            figures.play(game, color, seed)
                        newest = max(Path(folder).glob("*.pgn"), key=lambda path: path.stat().st_mtime_ns)
                        figures.read(load_record(newest), game.end)
                        progress.advance(task)
                rows.append((f"{level}, {name}", *figures.manners.row(figures.seconds)))
                words.append(f"{level}, {name}:\n{figures.said()}")
                print(words[-1], file=sys.stderr, flush=True)
    show_table(Table("The levels as a person meets them", HEADINGS, rows), console)
    console.print("\n".join(words), markup=False)


if __name__ == "__main__":
    main()
