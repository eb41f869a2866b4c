"""Help for a person, by its own view: hints, moves taken back, and the note on them in the game's record."""

import re
from dataclasses import dataclass, replace
from typing import Self, TypedDict

import chess
import numpy as np

from kriegbot.belief.timeline import BeliefSnapshot
from kriegbot.children import usable_cores
from kriegbot.endgames import probe
from kriegbot.kernels import decode_move, to_board
from kriegbot.narration.diary import certain_text
from kriegbot.players.human import try_name
from kriegbot.players.kriegbot import LEVELS
from kriegbot.search.information_set import InformationSet, are_open
from kriegbot.search.search import search_tries
from kriegbot.search.settings import Method
from referee import GameRecord
from referee.announcement import board_after
from referee.text import counted

PARTICLES, SEED = 20_000, 0  # of the belief behind hints
HINTS, HINT_SAMPLES, MIN_LEGAL = 3, 200, 0.3
"""Tries that a hint names, histories sampled for it, and the least chance that a move is legal."""
ROUNDING = 1e-9  # of sums of weights
MASTER = LEVELS["master"]
WINNING, MATING, MOSTLY_MATING = 1_000, 4_500, 7_250
"""Centipawns from which a value may count mates, and beyond which it must, on either side: material without promotions
is worth 45 pawns at most, and a mate 100, so that beyond the last one mates have more than half of the weight."""


class TryValued(TypedDict):
    """A try with its value and the chance that it is legal."""

    name: str
    uci: str
    value: float  # centipawns
    shown: str  # the value for people
    legal: float
    question: bool  # True if it is too seldom legal for a move: it may be asked first, and is not compared with moves


class Hint(TypedDict):
    """The best moves, best first, a better question if there is one, and a sentence on them."""

    text: str
    ask: list[TryValued]
    tries: list[TryValued]


def hint(belief: BeliefSnapshot) -> Hint:
    """Return the try of a certain mate, else the best tries. The belief must sample `HINT_SAMPLES` histories."""
    if (proof := probe(belief.view)) is not None:
        mate: TryValued = {
            "name": try_name(proof.move, belief.view),
            "uci": proof.move.uci(),
            "value": 0.0,
            "shown": f"mate in {proof.moves}",
            "legal": 1.0,
            "question": False,
        }
        return {"text": certain_text(proof.moves), "ask": [], "tries": [mate]}
    tries = value_tries(belief)
    best: dict[str, TryValued] = {}  # one promotion of each pawn move
    for one in sorted(tries, key=lambda one: one["question"]):
        best.setdefault(one["uci"][:4], one)
    moves = [one for one in best.values() if not one["question"]]
    text = f"The computer's best tries, in pawns ({basis_of_values(belief)}):"
    if not tries:
        text = "No position is consistent with the announcements; there is nothing to search."
    return {"text": text, "ask": tries[: bool(tries) and tries[0]["question"]], "tries": moves[:HINTS]}


def basis_of_values(belief: BeliefSnapshot) -> str:
    """Return the boards behind the values of tries, in words."""
    part = f"{len(belief.rows)} of " * (len(belief.rows) < belief.boards)
    return f"from {part}{belief.basis}, looking {MASTER.depth} half-moves ahead"


def value_tries(belief: BeliefSnapshot) -> list[TryValued]:
    """Return all open tries that may be legal, with their values at the level `master`, best first."""
    if not len(belief.rows):
        return []
    view = belief.view
    histories = InformationSet.of(view, belief.rows, belief.counts)
    result = search_tries(histories, Method.of(replace(MASTER, threads=usable_cores())), may_prune=False)
    chosen = are_open(view, result.tries) & (result.legal > 0)
    moves = [decode_move(int(code)) for code in result.tries[chosen]]
    values = zip(moves, result.values[chosen].tolist(), result.legal[chosen].tolist(), strict=True)
    has_moves = bool(np.any(result.legal[chosen] >= MIN_LEGAL))
    valued: list[TryValued] = [
        {
            "name": try_name(move, view),
            "uci": move.uci(),
            "value": round(value, 1),
            "shown": _shown(value, belief, move),
            "legal": 1.0 if legal > 1 - ROUNDING else min(max(round(legal, 3), 0.001), 0.999),
            "question": has_moves and legal < MIN_LEGAL,
        }
        for move, value, legal in values
    ]
    return sorted(valued, key=lambda one: (-one["value"], one["question"], -one["legal"]))


def _shown(value: float, belief: BeliefSnapshot, move: chess.Move) -> str:
    """Return a value for people: pawns or, if it counts mates, words such as "mate in 40%".

    Mates that a move does not give itself come by another try after a refusal, or by the next move.
    """
    if value <= -MATING:
        return "often loses at once" if value <= -MOSTLY_MATING else "may lose at once"
    boards = [to_board(row) for row in belief.rows] if value >= WINNING else []
    legal = [(board, count) for board, count in zip(boards, belief.counts, strict=False) if board.is_legal(move)]
    mates = [count for board, count in legal if is_mate(board, move)]
    if not mates and value >= MATING:
        return "often leads to mate" if value >= MOSTLY_MATING else "may lead to mate"
    if not mates:
        return f"{value / 100:+.2f}"
    share = sum(mates) / sum(count for _, count in legal)
    return "mate" if len(mates) == len(legal) else f"mate in {percent(share)}"


def percent(chance: float) -> str:
    """Return a chance in whole percent, which is 0 or 100 only if it is certain.

    >>> percent(0.0), percent(1 / 200), percent(0.5), percent(199 / 200), percent(1.0)
    ('0%', '<1%', '50%', '>99%', '100%')
    """
    return "<1%" if 0 < chance <= 0.005 else ">99%" if 0.995 <= chance < 1 else f"{100 * chance:.0f}%"


def is_mate(board: chess.Board, move: chess.Move) -> bool:
    """Return True if a legal move mates."""
    return board.gives_check(move) and board_after(board, move).is_checkmate()


CHOSEN_SEED = "a chosen seed"


@dataclass(slots=True)
class Help:
    """The help that a person has had in a game. The record notes it in its header Help."""

    hints: int = 0
    taken_back: int = 0
    has_looked: bool = False
    has_chosen_seed: bool = False  # the person may have played the same game before

    @classmethod
    def of(cls, record: GameRecord | None) -> Self:
        """Return the help that a record notes."""
        text = "" if record is None else record.headers.get("Help", "")
        counts = [re.search(rf"([0-9]{{1,6}}) {noun}", text) for noun in ("hint", "move")]
        hints, taken_back = (int(count[1]) if count else 0 for count in counts)
        return cls(hints, taken_back, "both sides" in text, CHOSEN_SEED in text)

    def header(self) -> dict[str, str]:
        """Return the header; empty if there was no help."""
        parts = [
            counted(self.hints, "hint") if self.hints else "",
            f"{counted(self.taken_back, 'move')} taken back" if self.taken_back else "",
            "both sides were looked at when it was broken off" if self.has_looked else "",
            CHOSEN_SEED if self.has_chosen_seed else "",
        ]
        return {"Help": text} if (text := ", ".join(filter(None, parts))) else {}
