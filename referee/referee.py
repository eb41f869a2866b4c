"""The referee: keeps the true board, answers tries, announces moves and gives each side its view.

A side's view is built from its own tries and the announcements to it, so it cannot show more. python-chess supplies the
rules of chess. A try is accepted if it is a legal move on the true board, written as python-chess writes it (castling
is the king's move of two squares), and, while "Any?" obliges, a pawn capture. All other tries are refused.
"""

import operator

import chess

from referee.announcement import End, Reason, announce, count_pawn_tries, end_of
from referee.rules import BERKELEY, NO_LIMITS, Asking, Audience, KriegspielError, Limits, RuleSet, rule_set
from referee.text import MOST_QUOTED, one_line, quoted
from referee.view import (
    Answer,
    Event,
    GameOver,
    OpponentAsked,
    OpponentMoved,
    OpponentRefused,
    OwnQuestion,
    OwnTry,
    View,
    ViewBuilder,
)


class BadStart(KriegspielError, ValueError):
    """A game cannot begin from this position."""


class GameIsOver(KriegspielError):
    """A try, a question or another end came after the end of the game."""


class Referee:
    """One game of Kriegspiel.

    >>> referee = Referee("berkeley")
    >>> referee.try_move(chess.Move.from_uci("e2d3"))
    <Answer.ILLEGAL: 'illegal'>
    >>> referee.try_move(chess.Move.from_uci("e2e4"))
    <Answer.ACCEPTED: 'accepted'>
    >>> referee.view(chess.BLACK).events[0]
    OpponentRefused()
    >>> referee.view(chess.BLACK).last_announcement.text()
    'A move was made.'

    Both sides know the starting position. Its halfmove clock counts as quiet plies. Raises BadStart, UnknownRuleSet.
    """

    def __init__(
        self, rules: RuleSet | str = BERKELEY, limits: Limits = NO_LIMITS, start: str = chess.STARTING_FEN
    ) -> None:
        self.rules = rule_set(rules)
        self.limits = limits
        self._board = _starting_board(start, self.rules, limits)
        self.start = self._board.fen(en_passant="fen")
        self._log: list[OwnTry | OwnQuestion] = []
        self._sides = {color: ViewBuilder(color, self.rules, limits, self.start) for color in chess.COLORS}

    @property
    def turn(self) -> chess.Color:
        """The side to move."""
        return self._board.turn

    @property
    def ply(self) -> int:
        """Moves made so far, by both sides together."""
        return self._sides[chess.WHITE].ply

    @property
    def end(self) -> End | None:
        """The end of the game, or None."""
        return self._sides[chess.WHITE].end

    @property
    def log(self) -> tuple[OwnTry | OwnQuestion, ...]:
        """Every try and question of both sides with its answer, in order. It is for records, not for players."""
        return tuple(self._log)

    @property
    def last(self) -> OwnTry | OwnQuestion | None:
        """The last entry of the log; None if it is empty."""
        return self._log[-1] if self._log else None

    def board(self) -> chess.Board:
        """Return a copy of the true board, with the moves made."""
        return self._board.copy()

    def try_move(self, move: chess.Move) -> Answer:
        """Answer a try of the side to move. An accepted one is made and announced to both sides.

        Raises GameIsOver after the end, and TypeError for anything but a move between squares of the board.
        """
        move = plain_move(move)
        self._require_going_on(f"try {move.uci()}")
        mover, view = self.turn, self._sides[self.turn].view()
        has_nonsense = self.rules.nonsense or view.obliged
        if not view.is_possible(move):
            answer = Answer.IMPOSSIBLE if has_nonsense else Answer.ILLEGAL
        elif move in self._sides[mover].refused:
            answer = Answer.REPEATED if has_nonsense else Answer.ILLEGAL
        elif not self._board.is_legal(move):
            answer = Answer.ILLEGAL
        else:
            announcement = announce(self._board, move, self.rules, self.limits, ply=self.ply)
            self._board.push(move)
            self._answer(mover, OwnTry(move, Answer.ACCEPTED, announcement))
            self._sides[not mover].apply(OpponentMoved(announcement))
            return Answer.ACCEPTED
        self._answer(mover, OwnTry(move, answer))
        if answer is Answer.ILLEGAL and self.rules.illegal_to is Audience.BOTH:
            self._sides[not mover].apply(OpponentRefused())
        return answer

    def ask_any(self) -> Answer:
        """Answer "Any?" of the side to move. A YES or NO is announced to both sides. Raises GameIsOver."""
        self._require_going_on("question")
        asker = self.turn
        if self.rules.asking is Asking.NONSENSE:
            answer = Answer.IMPOSSIBLE
        elif self._sides[asker].pawn_tries is not None:
            answer = Answer.REPEATED
        else:
            answer = Answer.YES if count_pawn_tries(self._board) else Answer.NO
            self._sides[not asker].apply(OpponentAsked(answer))
        self._answer(asker, OwnQuestion(answer))
        return answer

    def resign(self, color: chess.Color) -> None:
        """End the game: a side gives up."""
        self._stop("resignation", End(Reason.RESIGNATION, not color))

    def forfeit(self, color: chess.Color, detail: str = "") -> None:
        """End the game: a side loses for another reason than chess, such as a failure."""
        self._stop("forfeit", End(Reason.FORFEIT, not color, one_line(detail)))

    def agree(self) -> None:
        """End the game: both sides want a draw."""
        self._stop("draw", End(Reason.AGREEMENT))

    def abandon(self, detail: str = "") -> None:
        """End the game without a result."""
        self._stop("abandonment", End(Reason.ABANDONED, None, one_line(detail)))

    def view(self, color: chess.Color) -> View:
        """Return everything that one side knows, and nothing else."""
        return self._sides[color].view()

    def events(self, color: chess.Color, start: int = 0) -> tuple[Event, ...]:
        """Return the `events` of a side from number `start` on, without a view."""
        return tuple(self._sides[color].events[start:])

    def _answer(self, color: chess.Color, event: OwnTry | OwnQuestion) -> None:
        self._sides[color].apply(event)
        self._log.append(event)

    def _stop(self, action: str, end: End) -> None:
        self._require_going_on(action)
        for side in self._sides.values():
            side.apply(GameOver(end))

    def _require_going_on(self, action: str) -> None:
        if self.end is not None:
            raise GameIsOver(f"{action} refused: the game has ended ({self.end.text()})")


def plain_move(move: chess.Move) -> chess.Move:
    """Return the move with plain numbers: a subclass of `chess.Move` or of int could answer differently later."""
    try:
        if not isinstance(move, chess.Move) or move.drop is not None:
            raise TypeError
        squares = (operator.index(move.from_square), operator.index(move.to_square))
        promotion = None if move.promotion is None else operator.index(move.promotion)
        if not all(0 <= square < 64 for square in squares) or promotion not in (None, *chess.PIECE_TYPES):
            raise TypeError
    except TypeError:
        name = type(move).__name__  # repr() of a move off the board raises
        raise TypeError(f"illegal argument: {name}; a try is a chess.Move between squares of the board") from None
    return chess.Move(*squares, promotion)


def _starting_board(start: str, rules: RuleSet, limits: Limits) -> chess.Board:
    try:
        board = chess.Board(start)
    except (ValueError, AttributeError, TypeError) as error:
        raise BadStart(f"illegal start: {quoted(start)} is not a FEN ({one_line(str(error), MOST_QUOTED)})") from None
    if not board.is_valid():
        faults = ", ".join(str(flag.name).lower().replace("_", " ") for flag in board.status())
        raise BadStart(f"illegal start: {quoted(start)} is not a position of chess ({faults})")
    end = end_of(board, rules, limits)
    if end is not None:
        raise BadStart(f"illegal start: {quoted(start)} is already over ({end.text()})")
    return board
