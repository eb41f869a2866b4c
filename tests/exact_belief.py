"""The exact belief: every position consistent with a view, with its probability, by plain enumeration.

The opponent moves uniformly at random, as in Parker, Nau and Subrahmanian, "Overconfidence or Paranoia? Search in
Imperfect-Information Games" (AAAI 2006), section "Statistical sampling", or as another model says. Where they draw
histories at random, this keeps them all. It walks python-chess boards through the referee's own `announce`, one event
after the other, and is meant for small cases: endings, first moves, and tests of sampled beliefs.

Departs from the paper in one point: histories that lead to the same position are one entry with the sum of their
probabilities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import chess

import referee
from kriegbot.belief.belief import EmptyBelief
from referee.announcement import count_pawn_tries, pawn_try_info
from referee.pieces import is_pawn_capture, men_of
from tests.plain_opponents import Replies, equally_likely

PositionKey: TypeAlias = tuple[int | bool | None, ...]

DEFAULT_MAX_POSITIONS = 100_000


class TooManyPositions(Exception):
    """More positions are consistent with the view than the caller allowed."""


def position_key(board: chess.Board) -> PositionKey:
    """Return the key of a position for the rest of the game.

    It has pieces, side to move, castling rights, the en passant square if a pawn could capture there (pseudo-legally),
    and the halfmove clock, on which the quiet limit depends, but not the move number.
    """
    return (
        board.pawns,
        board.knights,
        board.bishops,
        board.rooks,
        board.queens,
        board.kings,
        board.occupied_co[chess.WHITE],
        board.occupied_co[chess.BLACK],
        board.turn,
        board.clean_castling_rights(),
        board.ep_square if board.has_pseudo_legal_en_passant() else None,
        board.halfmove_clock,
    )


class ExactBelief:
    """The posterior over positions given one side's view.

        belief = ExactBelief(referee.view(chess.WHITE))
        ...                                               # tries and announcements
        belief.update(referee.view(chess.WHITE))          # only the new events count
        for board, probability in belief.positions: ...

    Args:
      view: its start is the one position that both sides know.
      max_positions: maximum number of positions.
      replies: probability of each move of the opponent.

    Raises:
      TooManyPositions: more than `max_positions` positions are consistent.
      EmptyBelief: no position is; the view contradicts itself.
    """

    _events: Sequence[referee.Event]  # taken in so far
    evidence = 1.0
    """Probability of the announcements since the start, given the side's own tries and the model of the replies."""

    def __init__(
        self, view: referee.View, *, max_positions: int = DEFAULT_MAX_POSITIONS, replies: Replies = equally_likely
    ) -> None:
        self._replies_of = replies
        self._begin([(chess.Board(view.start), 1.0)], view, 0, (), max_positions)
        self.update(view)

    @classmethod
    def from_positions(
        cls,
        prior: Iterable[tuple[chess.Board, float]],
        view: referee.View,
        *,
        max_positions: int = DEFAULT_MAX_POSITIONS,
        replies: Replies = equally_likely,
    ) -> ExactBelief:
        """Return a belief that starts from given positions, for instance an ending with unknown enemy pieces.

        Args:
          prior: positions possible at the moment of `view`, with positive weights of any sum, which include everything
            that was announced before.
          view: the view of that moment; later views go to `update`.
          max_positions: as for the class.
          replies: as for the class.

        Raises:
          ValueError: a weight is not positive, or a position contradicts the view in side to move, own pieces, own
            castling rights or number of enemy pieces.
        """
        positions = [(board.copy(stack=False), weight) for board, weight in prior]
        for board, weight in positions:
            _check_prior(board, weight, view)
        belief = cls.__new__(cls)
        belief._replies_of = replies
        belief._begin(positions, view, view.ply, view.events, max_positions)
        return belief

    @property
    def positions(self) -> list[tuple[chess.Board, float]]:
        """Consistent positions and their probabilities, which sum to 1; the boards are copies."""
        return [(self._boards[key].copy(stack=False), mass) for key, mass in self._masses.items()]

    def __len__(self) -> int:
        return len(self._masses)

    def probability(self, board: chess.Board) -> float:
        """Return the probability of a position, 0 if it is inconsistent."""
        return self._masses.get(position_key(board), 0.0)

    def update(self, view: referee.View) -> None:
        """Update the positions for all new events of a view.

        Raises:
          ValueError: the view is not a later one of the same side of the same game.
          TooManyPositions, EmptyBelief: as for the class. The belief is then unusable.
        """
        known = len(self._events)
        if view.color != self._color or view.start != self._start or view.events[:known] != self._events:
            raise ValueError(
                f"illegal view: {len(view.events)} events of {chess.COLOR_NAMES[view.color]} from "
                f"{view.start!r} do not go on from the {known} taken in; "
                "it takes a later view of the same side and game"
            )
        for event in view.events[known:]:
            self._take_in(event)
            self._note(event)
        self._events = view.events

    def _begin(
        self,
        prior: Iterable[tuple[chess.Board, float]],
        view: referee.View,
        ply: int,
        events: Sequence[referee.Event],
        max_positions: int,
    ) -> None:
        self._color = view.color
        self._start = view.start
        self._rules = view.rules
        self._limits = view.limits
        self._ply = ply
        self._events = events
        self._max_positions = max_positions
        # of our last move, of the opponent's last
        self._announced: dict[type[referee.Event], referee.Announcement | None] = {}
        for event in events:
            self._note(event)
        # what was heard of the opponent's turn that is on
        self._turn: list[referee.OpponentRefused | referee.OpponentAsked] = []
        if view.turn != view.color:
            for event in reversed(events):
                if not isinstance(event, referee.OpponentRefused | referee.OpponentAsked):
                    break
                self._turn.insert(0, event)
        self._replace(prior, "the start")
        self.evidence = 1.0

    def _take_in(self, event: referee.Event) -> None:
        if isinstance(event, referee.OwnTry) and event.answer is referee.Answer.ACCEPTED:
            move, announcement = event.move, event.announcement
            self._replace(
                (
                    (_after(board, move), mass)
                    for board, mass in self._held()
                    if board.is_legal(move) and self._heard(board, move) == announcement
                ),
                event,
            )
            self._ply += 1
        elif isinstance(event, referee.OwnTry) and event.answer is referee.Answer.ILLEGAL:
            illegal = event.move
            self._keep(lambda board: not board.is_legal(illegal), event)
        elif isinstance(event, referee.OwnQuestion) and event.answer in (referee.Answer.YES, referee.Answer.NO):
            has_any = event.answer is referee.Answer.YES
            self._keep(lambda board: (count_pawn_tries(board) > 0) == has_any, event)
        elif isinstance(event, referee.OpponentRefused | referee.OpponentAsked):
            self._turn.append(event)
            self._keep(self._fits_turn, event)
        elif isinstance(event, referee.OpponentMoved):
            self._replace(self._replies(event.announcement), event)
            self._ply += 1
            self._turn = []
        # What remains says nothing about the position: impossible and repeated tries of one's own, and the
        # end of the game by resignation, forfeit or abandonment.

    def _held(self) -> list[tuple[chess.Board, float]]:
        return [(self._boards[key], mass) for key, mass in self._masses.items()]

    def _heard(self, board: chess.Board, move: chess.Move) -> referee.Announcement:
        return referee.announce(board, move, self._rules, self._limits, ply=self._ply)

    def _replies(self, announcement: referee.Announcement) -> Iterable[tuple[chess.Board, float]]:
        """Return the positions after every move of the opponent with this announcement, weighted by the model."""
        ours, theirs = self._announced.get(referee.OwnTry), self._announced.get(referee.OpponentMoved)
        yes = referee.OpponentAsked(referee.Answer.YES)
        is_freed = self._rules.asking is referee.Asking.OBLIGES_ONCE and self._turn[-1:] != [yes]
        must_capture = yes in self._turn and not is_freed
        for board, mass in self._held():
            men = men_of(board, board.turn)
            legal = [move for move in board.legal_moves if not must_capture or is_pawn_capture(move, men)]
            weights = self._replies_of(board, legal, ours, theirs)
            total = sum(weights)
            for move, weight in zip(legal, weights, strict=True):
                if self._heard(board, move) == announcement:
                    yield _after(board, move), mass * weight / total

    def _note(self, event: referee.Event) -> None:
        if isinstance(event, referee.OwnTry | referee.OpponentMoved) and event.announcement is not None:
            self._announced[type(event)] = event.announcement

    def _fits_turn(self, board: chess.Board) -> bool:
        """Return True if a position allows the answer to "Any?" and as many illegal tries as were refused.

        Where the opponent cannot tell nonsense from an illegal try, only the first refusal after a yes is surely none.
        """
        answer = next((event.answer for event in self._turn if isinstance(event, referee.OpponentAsked)), None)
        if answer is not None and (count_pawn_tries(board) > 0) != (answer is referee.Answer.YES):
            return False
        men = men_of(board, board.turn)
        tries = referee.open_tries(
            board.turn,
            men,
            board.has_kingside_castling_rights(board.turn),
            board.has_queenside_castling_rights(board.turn),
            pawn_try_info(board, self._rules.pawn_tries),
        )
        illegal = [is_pawn_capture(move, men) for move in tries if not board.is_legal(move)]
        refused = sum(isinstance(event, referee.OpponentRefused) for event in self._turn)
        if answer is None:
            return refused <= len(illegal) or not self._rules.nonsense
        since = len(self._turn) - 1 - self._turn.index(referee.OpponentAsked(answer))
        if not self._rules.nonsense:
            return answer is referee.Answer.NO or since == 0 or any(illegal)
        return refused <= len(illegal) and since <= illegal.count(answer is referee.Answer.YES)

    def _keep(self, fits: Callable[[chess.Board], bool], event: referee.Event) -> None:
        self._replace(((board, mass) for board, mass in self._held() if fits(board)), event)

    def _replace(self, positions: Iterable[tuple[chess.Board, float]], why: referee.Event | str) -> None:
        """Replace the positions: merge equal ones and normalise."""
        boards: dict[PositionKey, chess.Board] = {}
        masses: dict[PositionKey, float] = {}
        for board, mass in positions:
            key = position_key(board)
            if key not in boards:
                if len(boards) == self._max_positions:
                    raise TooManyPositions(
                        f"more than {self._max_positions} positions fit at ply {self._ply}; "
                        "exact beliefs are for small cases: give a higher max_positions, or sample"
                    )
                boards[key] = board
            masses[key] = masses.get(key, 0.0) + mass
        total = sum(masses.values())
        if not total > 0.0:
            raise EmptyBelief(
                f"no position fits {why} at ply {self._ply}; "
                "it takes events as the referee gives them in one game from this start"
            )
        self.evidence *= total
        self._boards = boards
        self._masses = {key: mass / total for key, mass in masses.items()}


def _after(board: chess.Board, move: chess.Move) -> chess.Board:
    after = board.copy(stack=False)
    after.push(move)
    after.clear_stack()
    return after


def _check_prior(board: chess.Board, weight: float, view: referee.View) -> None:
    own = men_of(board, view.color)
    rights = (
        board.has_kingside_castling_rights(view.color),
        board.has_queenside_castling_rights(view.color),
    )
    if not 0.0 < weight < float("inf"):
        fault = f"weight {weight!r}; it takes a positive number"
    elif board.turn != view.turn:
        fault = f"{chess.COLOR_NAMES[board.turn]} to move; in the view it is {chess.COLOR_NAMES[view.turn]}"
    elif own != dict(view.men):
        fault = "own men that are not those of the view"
    elif rights != (view.kingside, view.queenside):
        fault = "own castling rights that are not those of the view"
    elif chess.popcount(board.occupied_co[not view.color]) != view.opponent_men:
        fault = f"a number of opponent's men other than the view's {view.opponent_men}"
    else:
        return
    raise ValueError(f"illegal prior position: {board.fen()!r} with {fault}")
