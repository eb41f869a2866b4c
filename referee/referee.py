"""The referee: keeps the true board, answers tries, announces moves and tells each side what it may know.

The chess is python-chess's. A try is accepted if and only if it is a legal move on the true board, written the
way python-chess does (castling is the king's move of two squares).
"""

from __future__ import annotations

import operator

import chess

from referee.announcement import End, Reason, Told
from referee.announcing import announce, count_pawn_tries, end_of, pawn_tries_told
from referee.errors import BadStart, GameIsOver
from referee.history import Prefix
from referee.men import is_open, is_pawn_capture, men_of
from referee.rules import BERKELEY, NO_LIMITS, Asking, IllegalHeard, Limits, RuleSet
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
)


class Referee:
    """One game of Kriegspiel.

    Args:
      rules: the rule set.
      limits: when the game is drawn.
      start: FEN of the first position, known to both sides; its halfmove clock counts as quiet plies.

    Raises:
      BadStart: a ValueError; the FEN is invalid, or a game cannot begin there.
    """

    def __init__(self, rules: RuleSet = BERKELEY, limits: Limits = NO_LIMITS, start: str = chess.STARTING_FEN) -> None:
        self.rules = rules
        self.limits = limits
        self._board = _starting_board(start, rules, limits)
        self.start = self._board.fen(en_passant="fen")
        self._end: End | None = None
        self._log: list[OwnTry | OwnQuestion] = []
        self._events: dict[chess.Color, list[Event]] = {chess.WHITE: [], chess.BLACK: []}
        self._ply = 0
        self._pawn_tries: Told
        self._is_obliged: bool
        self._begin_turn(pawn_tries_told(self._board, rules.pawn_tries))

    @property
    def turn(self) -> chess.Color:
        """The side to move."""
        return self._board.turn

    @property
    def ply(self) -> int:
        """Moves made so far, both sides together."""
        return self._ply

    @property
    def end(self) -> End | None:
        """The end of the game, or None."""
        return self._end

    @property
    def log(self) -> tuple[OwnTry | OwnQuestion, ...]:
        """Every try and question of both sides in order, with its answer: for records, not for players."""
        return tuple(self._log)

    @property
    def last(self) -> OwnTry | OwnQuestion | None:
        """The last entry of the log."""
        return self._log[-1] if self._log else None

    def board(self) -> chess.Board:
        """A copy of the true board, with the moves made."""
        return self._board.copy()

    def try_move(self, move: chess.Move) -> Answer:
        """Answers a try of the side to move; an accepted one is made and announced to both sides.

        Raises:
          TypeError: the argument is not a move from one square of the board to another.
          GameIsOver: the game has ended.
        """
        move = _checked(move)
        self._must_go_on(f"try {move.uci()}")
        mover, has_nonsense = self._board.turn, self.rules.nonsense or self._is_obliged
        if not self._is_open(move):
            answer = Answer.IMPOSSIBLE if has_nonsense else Answer.ILLEGAL
        elif move in self._is_refused:
            answer = Answer.REPEATED if has_nonsense else Answer.ILLEGAL
        elif not self._board.is_legal(move):
            answer = Answer.ILLEGAL
        else:
            self._accept(mover, move)
            return Answer.ACCEPTED
        is_once = self._is_obliged and self.rules.asking is Asking.OBLIGES_ONCE
        if is_once and answer is Answer.ILLEGAL:
            self._is_obliged = False
        is_postponed = is_once and answer is Answer.IMPOSSIBLE
        if move not in self._is_refused and not is_postponed:
            self._is_refused.add(move)
            self._refused.append(move)
        self._tell(mover, OwnTry(move, answer))
        self._log.append(OwnTry(move, answer))
        if answer is Answer.ILLEGAL and self.rules.illegal_heard is IllegalHeard.BOTH:
            self._tell(not mover, OpponentRefused())
        return answer

    def ask_any(self) -> Answer:
        """Answers the side to move whether any of its pawn captures is legal; both sides hear a sensible answer.

        Raises:
          GameIsOver: the game has ended.
        """
        self._must_go_on("question")
        asker = self._board.turn
        if self.rules.asking is Asking.NONSENSE:
            answer = Answer.IMPOSSIBLE
        elif self._pawn_tries is not None:
            answer = Answer.REPEATED
        else:
            self._pawn_tries = count_pawn_tries(self._board) > 0
            self._is_obliged = self._pawn_tries
            answer = Answer.YES if self._pawn_tries else Answer.NO
            self._tell(not asker, OpponentAsked(answer))
        self._tell(asker, OwnQuestion(answer))
        self._log.append(OwnQuestion(answer))
        return answer

    def resign(self, color: chess.Color) -> None:
        """Ends the game: a side gives up."""
        self._stop("resignation", End(Reason.RESIGNATION, not color))

    def forfeit(self, color: chess.Color, detail: str = "") -> None:
        """Ends the game: a side loses for another reason than chess, such as a player that failed."""
        self._stop("forfeit", End(Reason.FORFEIT, not color, one_line(detail)))

    def agree(self) -> None:
        """Ends the game: both sides want a draw."""
        self._stop("draw", End(Reason.AGREEMENT))

    def abandon(self, detail: str = "") -> None:
        """Ends the game without a result."""
        self._stop("abandonment", End(Reason.ABANDONED, None, one_line(detail)))

    def view(self, color: chess.Color) -> View:
        """Everything that one side knows, and nothing else."""
        board = self._board
        on_turn = board.turn == color and self._end is None
        return View(
            color=color,
            rules=self.rules,
            limits=self.limits,
            start=self.start,
            men=men_of(board, color),
            kingside=board.has_kingside_castling_rights(color),
            queenside=board.has_queenside_castling_rights(color),
            turn=board.turn,
            ply=self._ply,
            opponent_men=chess.popcount(board.occupied_co[not color]),
            events=Prefix(self._events[color]),
            refused=Prefix(self._refused) if on_turn else (),
            pawn_tries=self._pawn_tries if on_turn else None,
            end=self._end,
        )

    def events(self, color: chess.Color, start: int = 0) -> tuple[Event, ...]:
        """What one side has tried and heard, from number `start` on: the end of its view's `events`."""
        return tuple(self._events[color][start:])

    def _accept(self, mover: chess.Color, move: chess.Move) -> None:
        announcement = announce(self._board, move, self.rules, self.limits, ply=self._ply)
        self._board.push(move)
        self._ply += 1
        self._end = announcement.end
        self._log.append(OwnTry(move, Answer.ACCEPTED, announcement))
        self._tell(mover, OwnTry(move, Answer.ACCEPTED, announcement))
        self._tell(not mover, OpponentMoved(announcement))
        self._begin_turn(announcement.pawn_tries)

    def _begin_turn(self, pawn_tries: Told) -> None:
        self._pawn_tries = pawn_tries
        self._is_obliged = False
        self._refused: list[chess.Move] = []  # each once
        self._is_refused: set[chess.Move] = set()

    def _is_open(self, move: chess.Move) -> bool:
        """Whether a try could be legal as far as the side to move can see."""
        board, color = self._board, self._board.turn
        kingside = board.has_kingside_castling_rights(color)
        queenside = board.has_queenside_castling_rights(color)
        men = men_of(board, color)
        if self._is_obliged and not is_pawn_capture(move, men):
            return False
        return is_open(move, color, men, kingside, queenside, self._pawn_tries)

    def _stop(self, what: str, end: End) -> None:
        self._must_go_on(what)
        self._end = end
        for color in chess.COLORS:
            self._tell(color, GameOver(end))

    def _must_go_on(self, what: str) -> None:
        if self._end is not None:
            raise GameIsOver(f"{what} refused: the game has ended ({self._end.text()})")

    def _tell(self, color: chess.Color, event: Event) -> None:
        self._events[color].append(event)


def _checked(move: chess.Move) -> chess.Move:
    """The move again with plain numbers, so that nothing odd that compares equal to a move gets in."""
    try:
        if not isinstance(move, chess.Move) or move.drop is not None:
            raise TypeError
        squares = (operator.index(move.from_square), operator.index(move.to_square))
        promotion = None if move.promotion is None else operator.index(move.promotion)
        if not all(0 <= square < 64 for square in squares) or promotion not in (None, *chess.PIECE_TYPES):
            raise TypeError
    except TypeError:
        raise TypeError(
            f"illegal argument: {_described(move)}; a try is a chess.Move between squares of the board"
        ) from None
    return chess.Move(*squares, promotion)


def _described(argument: object) -> str:
    """For messages; repr() of a move off the board raises."""
    if not isinstance(argument, chess.Move):
        return type(argument).__name__
    fields = (argument.from_square, argument.to_square, argument.promotion, argument.drop)
    return f"Move({', '.join(str(x) if isinstance(x, int) else type(x).__name__ for x in fields)})"


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
