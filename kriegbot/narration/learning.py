"""The guided first game and the puzzles, for terminal and page alike. The referee answers every try.

`first_game.toml` has the texts and positions of the first game. `puzzles.jsonl.gz` has the puzzles, one a line.
`benchmarks/puzzles.py` made it from all possible positions, so no answer rests on a sample.
"""

import gzip
import json
import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, cached_property
from pathlib import Path
from zlib import crc32

import chess

from kriegbot.belief.timeline import BeliefTimeline
from kriegbot.narration.diary import Diary, gathered, side_name
from kriegbot.players.human import BadTry, read_try, try_name
from referee import Answer, Referee, RuleSet, View, announce, parse_action
from referee.announcement import board_after
from referee.text import listed, quoted

FIRST_GAME = Path(__file__).parent / "first_game.toml"
PUZZLES = Path(__file__).parent / "puzzles.jsonl.gz"
PUZZLE_KINDS = {
    "king": "Where is the king?",
    "tells": "Which try will tell you most?",
    "mate": "Mate, wherever the king is",
    "capture": "Was that capture safe?",
}
GRADES = ("easy", "medium", "hard")


def _referee(task: "LessonStep | Puzzle", refused: Sequence[str] = ()) -> Referee:
    """Return a referee after what was played, and more tries. Raise ValueError unless each of these is illegal."""
    referee = Referee(task.rules, start=task.start)
    for code in task.played.split():
        referee.try_move(chess.Move.from_uci(code))
    for code in refused:
        move = parse_action(code)
        if not isinstance(move, chess.Move) or referee.try_move(move) is not Answer.ILLEGAL:
            raise ValueError(f"{code!r} is not refused here; give refused tries such as 'e4e5', each once")
    return referee


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One task of the first game. `first_game.toml` explains the fields."""

    title: str
    text: str
    solutions: Mapping[str, str]
    success: str
    hint: str
    hints: Mapping[str, str] = field(default_factory=dict)
    rules: str = "berkeley"
    start: str = chess.STARTING_FEN
    played: str = ""
    announcement: str = ""
    claims: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    referee = _referee

    def state(self, tried: Sequence[str] = (), text: str = "") -> "StepState":
        """Return the step after refused tries in UCI notation and one more try as people write it (empty: none).

        Raise ValueError unless each of `tried` is illegal.
        """
        referee = self.referee(tried)
        before = referee.view(referee.turn)
        if not text:
            return StepState(before, tried)
        try:
            move = read_try(text, before)
        except BadTry as error:
            return StepState(before, tried, comment=str(error))
        answer, code = referee.try_move(move), move.uci()
        after = referee.view(before.color)
        answer_text = Diary().take(after)[-1].text
        if code in self.solutions:
            return StepState(after, tried, answer_text, self.success, is_done=True)
        hint = self.hints.get(code, self.hint)
        if answer is Answer.ACCEPTED:
            return StepState(before, tried, answer_text, hint)
        return StepState(after, [*tried, code], answer_text, hint)


@dataclass(frozen=True, slots=True)
class Lesson:
    """The steps in order, and the words around them by name."""

    words: Mapping[str, str]
    steps: Sequence[LessonStep]

    def heading(self, number: int) -> str:
        """Return the heading of a step, by its number from 1."""
        return f"{self.words['step']} {number} {self.words['of']} {len(self.steps)}: {self.steps[number - 1].title}"


@dataclass(frozen=True, slots=True)
class StepState:
    """A step after the learner's tries. A legal try that does not end the step is taken back."""

    view: View
    tried: Sequence[str]  # the tries in UCI notation that led to it
    answer: str = ""  # the referee's to the last try; empty before the first, and if the text was no try
    comment: str = ""  # the lesson's on the try
    is_done: bool = False  # True if the try ends the step
    squares: chess.Bitboard = chess.BB_EMPTY  # of a lone king, in practice

    @property
    def log(self) -> list[str]:
        """The tries and announcements of the step's game, one a line."""
        return [entry.line() for entry in Diary().take(self.view)]

    def shading(self) -> list[float]:
        """Return for each of the 64 squares the chance of an enemy piece there. Compiles kernels at first."""
        if self.squares:
            share = 1 / chess.popcount(self.squares)
            return [share if chess.BB_SQUARES[square] & self.squares else 0.0 for square in chess.SQUARES]
        belief = BeliefTimeline().at(self.view)
        assert belief is not None  # for mypy: there was no limit of time
        return [float(chance) for chance in belief.chances.sum(axis=0)]


@cache
def first_game() -> Lesson:
    """Return the lesson in `FIRST_GAME`."""
    data = tomllib.loads(FIRST_GAME.read_text(encoding="utf-8"))
    steps = [LessonStep(**step) for step in data["steps"]]
    unwrapped = [replace(one, text=" ".join(one.text.split()), success=" ".join(one.success.split())) for one in steps]
    return Lesson(data["words"], unwrapped)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of an answer. `is_right` is None for a try that the referee refuses: it does not count."""

    is_right: bool | None
    text: str
    refused: Sequence[str]  # tries in UCI notation, the last one too if the referee refuses it


@dataclass(frozen=True)
class Puzzle:
    """A moment of a game, and a question to one side."""

    kind: str  # one of `PUZZLE_KINDS`
    rules: str  # name of the rule set
    start: str  # FEN of a position that both sides know
    played: str  # tries of both sides since, refused ones too, in UCI notation
    answers: Sequence[str]  # all right ones: a square, tries in UCI notation, "yes" or "no"
    facts: Sequence[float]
    """For "tells" the information in bits of the best try and of the next; for "mate" the number of moves."""
    parts: Sequence[tuple[str, int]]
    """For "tells" the referee's answers, for "capture" the squares from which a piece may recapture, with percent."""
    boards: int  # number of all positions that are consistent with the announcements
    heat: Sequence[int]  # [64] chances in percent of an enemy piece from a1 to h8, at least 1 where one may be
    grade: str  # one of `GRADES`
    chain: Sequence[tuple[int, str]] = ()
    """The fewest lines of `log` that force the answer, each with what it says and leaves."""
    why: str = ""  # what the chain proves or, if there is none, what nearly all positions have in common
    meaning: str = ""  # for "tells" what stands where, by the referee's answers

    @property
    def key(self) -> str:
        """A name that stays when the order of the puzzles changes."""
        return f"{crc32(f'{self.kind} {self.rules} {self.start} {self.played}'.encode()):08x}"

    referee = _referee

    def view(self, refused: Sequence[str] = ()) -> View:
        """Return the view of the side that answers."""
        referee = self.referee(refused)
        return referee.view(not referee.turn if self.kind == "capture" else referee.turn)

    def log(self, refused: Sequence[str] = ()) -> list[str]:
        """Return the tries of that side and the announcements, one a line."""
        return [line for _, line in gathered(Diary().take(self.view(refused)))]

    @property
    def lines(self) -> list[int]:
        """The lines of `log` in the chain."""
        return [line for line, _ in self.chain]

    @property
    def proof(self) -> list[str]:
        """The chain, a line of the log with what it leaves in each sentence, and `why`."""
        log = self.log()
        return [*[f"{log[line]} {text}" for line, text in self.chain], *[self.why] * bool(self.why)]

    @cached_property
    def squares(self) -> list[str]:
        """The squares of the answer and of the lines in the chain."""
        found = [code[i : i + 2] for code in self.answers for i in (0, 2) if self.kind != "capture" and code[i:]]
        groups = gathered(Diary().take(self.view()))
        found += [chess.square_name(square) for line in self.lines for square in groups[line][0].squares]
        return list(dict.fromkeys(found))

    @cached_property
    def opponent(self) -> str:
        """Name of the other side: White or Black."""
        return side_name(not self.view().color)

    @property
    def about(self) -> str:
        """The rules, what is left of the opponent, and where it began."""
        view = self.view()
        text = f"{view.rules.title} rules. You play {side_name(view.color)}."
        count = "only the king" if view.opponent_men == 1 else f"{view.opponent_men} pieces and pawns"
        text += f" {self.opponent} has {count} left."
        if self.start != chess.STARTING_FEN:
            pieces = chess.Board(self.start).piece_map()
            theirs = [(-one.piece_type, s, one) for s, one in pieces.items() if one.color != view.color]
            names = [one.symbol().upper().replace("P", "") + chess.square_name(s) for _, s, one in sorted(theirs)]
            text += f" When you last saw the whole board, {self.opponent} had {listed(names)}."
        return text

    @property
    def task(self) -> str:
        """The question."""
        if self.kind == "king":
            return f"On which square is {self.opponent}'s king?"
        if self.kind == "tells":
            least = "Find the try whose answer you can predict least: it tells you most."
            return f"{least} How good a move it is does not matter."
        if self.kind == "capture":
            return f"You have just captured on {self.played.split()[-1][2:4]}. Is your piece safe from recapture?"
        which = "mates at once" if self.facts[0] == 1 else "begins a mate in two"
        return f"Find the try that {which}, wherever the king may be. A refused try costs nothing."

    @property
    def numbers(self) -> str:
        """The meaning of the numbers on the board."""
        return f"Numbers: chance in percent of a {self.opponent.lower()} piece there."

    def judge(self, text: str, refused: Sequence[str] = ()) -> Verdict:
        """Return the verdict on an answer, after tries that the referee refused; raise BadTry if it is none."""
        answer, view = text.strip().lower().rstrip("."), self.view(refused)
        if self.kind in ("tells", "mate"):
            move = read_try(text, view)
            name = try_name(move, view)
            if self.kind == "tells":
                why_not = f"Another try's answer is harder to predict than that to {name}."
                return _verdict(move.uci() in self.answers, why_not, refused)
            illegal = [chess.Move.from_uci(code) for code in refused]
            boards = [board for board in self._mate_boards() if not any(map(board.is_legal, illegal))]
            is_right = leads_to_mate(boards, move, int(self.facts[0]), view.rules)
            if is_right or self.referee(refused).board().is_legal(move):
                goal = "mate" if self.facts[0] == 1 else "begin a mate in two"
                return _verdict(is_right, f"{name} does not {goal} wherever the king may be.", refused)
            return Verdict(None, f"{name}? No. The referee refuses it. That costs nothing.", [*refused, move.uci()])
        if self.kind == "king" and answer[-2:] in chess.SQUARE_NAMES and answer[:-2] in ("", "k"):
            return _verdict(answer[-2:] in self.answers, f"The king cannot be on {answer[-2:]}.", refused)
        if self.kind == "capture" and answer in ("yes", "no", "y", "n"):
            return _verdict({"y": "yes", "n": "no"}[answer[0]] in self.answers, "", refused)
        form = "a square such as g8" if self.kind == "king" else "yes or no"
        raise BadTry(f"{quoted(text)} is not an answer. Give {form}.")

    @property
    def solution(self) -> str:
        """The answer, the numbers behind it, and on how many possible positions it was counted."""
        moves = [chess.Move.from_uci(code) for code in self.answers if len(code) > 3]
        names = [try_name(move, self.view()) for move in moves]
        if self.kind == "king":
            text = f"The king is on {self.answers[0]}."
        elif self.kind == "capture":
            squares = listed([f"{square} ({percent or 'under 1'}%)" for square, percent in self.parts])
            text = f"Not safe: {self.opponent} can recapture, from {squares}." if squares else "Safe."
        elif self.kind == "tells":
            likely = ", ".join(f"{answer.rstrip('.')} ({percent}%)" for answer, percent in self.parts[:4])
            best, second = (2**bits for bits in self.facts)
            text = (
                f"{listed(names)} tells you most. {self.meaning} The referee's answers: {likely}, if {self.opponent} "
                f"moves at random. That is as hard to predict as one of {best:.1f} equally likely answers; for the "
                f"next best try, one of {second:.1f}."
            )
        else:
            ends = "begin{} a mate in two" if self.facts[0] == 2 else "mate{}"
            text = f"{listed(names)} {ends.format('s' * (len(names) == 1))}."
            if any(not all(board.is_legal(move) for move in moves) for board in self._mate_boards()):
                text += " If the referee refuses a try, another one mates."
        all_ = "both" if self.boards == 2 else f"all {self.boards:,}"
        counted = "There is only one possible position" if self.boards == 1 else f"Counted on {all_} possible positions"
        return f"{text} {counted}."

    def _mate_boards(self) -> list[chess.Board]:
        """Return the possible positions of a mate: our pieces and the king on each of its squares."""
        board, boards = self.referee().board(), []
        for square in (square for square in chess.SQUARES if self.heat[square]):
            board.remove_piece_at(board.king(not board.turn) or 0)
            board.set_piece_at(square, chess.Piece(chess.KING, not board.turn))
            boards.append(board.copy(stack=False))
        return boards


def leads_to_mate(boards: Sequence[chess.Board], move: chess.Move, moves: int, rules: RuleSet) -> bool:
    """Return True if a try is legal on a board, and mates in `moves` on each; after a refusal, by another try."""
    legal, refusing = ([board for board in boards if board.is_legal(move) == accepts] for accepts in (True, False))
    groups = defaultdict[object, list[chess.Board]](list)
    for board in legal:
        if moves == 1 and not board.gives_check(move):
            return False
        after = board_after(board, move)
        if after.is_checkmate():
            continue
        if moves == 1 or not any(after.legal_moves):
            return False
        ours = announce(board, move, rules).code()
        for reply in after.legal_moves:
            groups[ours, announce(after, reply, rules).code()].append(board_after(after, reply))
    followed = [*((group, moves - 1) for group in groups.values()), *[(refusing, moves)] * bool(refusing)]
    return bool(legal) and all(
        any(leads_to_mate(group, move, left, rules) for move in {move for board in group for move in board.legal_moves})
        for group, left in followed
    )


def _verdict(is_right: bool, why_not: str, refused: Sequence[str]) -> Verdict:
    return Verdict(is_right, "Right." if is_right else f"No. {why_not}" if why_not else "Wrong.", refused)


@cache
def puzzles() -> tuple[Puzzle, ...]:
    """Return all puzzles, in the order of their numbers."""
    with gzip.open(PUZZLES, "rt", encoding="utf-8") as lines:
        return tuple(Puzzle(**json.loads(line)) for line in lines)


def puzzle_of(day: date) -> int:
    """Return the number of the puzzle of a day, from 1."""
    return day.toordinal() * 7919 % len(puzzles()) + 1
