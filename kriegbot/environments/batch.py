"""Thousands of games side by side on kernels, for programs that learn by playing.

Answers and announcements equal those of `Referee`, and observations those of `kriegbot.environments.spaces`;
tests/test_environments.py compares them. A game is a position and notes of the announcements. Its mask and observation
belong to the side to move. A refused try changes three bytes of them, unless it ends an obligation.

A batch is one array of words, since each array that Python passes costs 0.1 us. First come rows: a position, the state
of the random numbers, notes, and two lists of tries. Row 0 belongs to no game: it holds the starting position, rules
instead of notes, and scratch memory. Then come bytes: the observations of all games, the last observations of White and
Black in the game before, and the masks.
"""

from typing import NamedTuple

import chess
import numpy as np
import numpy.typing as npt

from kriegbot import kernels as kb
from kriegbot.environments import spaces
from kriegbot.environments.spaces import ACTIONS, ASK, PLANES, UNDERPROMOTIONS
from referee import BERKELEY, PAPER_LIMITS, Asking, Audience, Limits, Referee, RuleSet, rule_set

INT64 = np.dtype(np.int64)
ASKING = {Asking.NONSENSE: 0, Asking.OBLIGES: 1, Asking.OBLIGES_ONCE: 2}

ILLEGAL, ACCEPTED, ANSWERED_NO, ANSWERED_YES = 0, 1, 2, 3
TRIES_MASK = 31 << kb.TRIES_SHIFT

# Indexes of the notes of a game. First for each side: the announcement of its last move, and that move; 0 for none.
ANNOUNCEMENTS, LAST_MOVES = 0, 2
OPEN, REFUSED, ANNOUNCED_REFUSALS, ANSWER = 4, 5, 6, 7
"""This turn: numbers of open actions, refused tries and announced refusals, and the answer to "Any?"."""
THEIR_REFUSALS, THEIR_ANSWER, PAWN_TRIES = 8, 9, 10
"""The opponent's last turn: announced refusals and answer to "Any?"; then our announced pawn tries."""
REPLY, STEP_ANNOUNCEMENT, ENDED, REWARD, TURN = 11, 12, 13, 14, 16
"""The last step: the referee's answer, the announcement of a move, the end of the game, two rewards, and the side to
move (1 for White, as `chess.WHITE`)."""
NOTE_COUNT = 17

# Offsets in a row, in words; the position is at 0.
STATE = 8
NOTES = STATE + 1
TRIES = NOTES + NOTE_COUNT
REFUSED_TRIES = TRIES + kb.MAX_MOVES // 2
ROW = REFUSED_TRIES + kb.MAX_MOVES // 2
PLANES_WORDS = 8 * PLANES


class Game(NamedTuple):
    """One game of a batch: what all games share, and pointers to what is its own."""

    tables: kb.Words
    rules: kb.KernelRules
    announces_refusals: int  # 1 if the opponent learns of illegal tries
    asking: int  # 0 if "Any?" is not allowed; 1 if a yes obliges to capture with a pawn, 2 to try it once
    start: kb.Words  # row 0, with its scratch memory
    scratch: kb.Moves
    row: kb.Words
    notes: kb.Ints
    tries: kb.Moves  # open actions
    refused: kb.Moves  # the moves refused this turn
    mask: kb.Bytes
    planes: kb.Bytes
    last_planes: kb.Bytes


@kb.inlined
def game_at(tables: kb.Words, batch: kb.Words, games: int, i: int) -> Game:
    """Return game `i` of a batch."""
    row, planes = kb.advance(batch, ROW * (i + 1)), kb.advance(batch, ROW * (games + 1))
    ints = kb.as_ints(kb.advance(batch, NOTES))
    return Game(
        tables,
        kb.KernelRules(ints[0], ints[1], ints[2], ints[3], ints[4], ints[5], ints[6], ints[7], ints[8]),
        ints[9],
        ints[10],
        batch,
        kb.as_moves(kb.advance(batch, TRIES)),
        row,
        kb.as_ints(kb.advance(row, NOTES)),
        kb.as_moves(kb.advance(row, TRIES)),
        kb.as_moves(kb.advance(row, REFUSED_TRIES)),
        kb.advance(kb.as_bytes(kb.advance(planes, 3 * PLANES_WORDS * games)), ACTIONS * i),
        kb.as_bytes(kb.advance(planes, PLANES_WORDS * i)),
        kb.as_bytes(kb.advance(planes, PLANES_WORDS * (games + 2 * i))),
    )


@kb.inlined
def number_of(move: int) -> int:
    """Return the action of a move: see `spaces`."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12
    if promotion in (0, kb.QUEEN):
        return origin << 6 | target
    return UNDERPROMOTIONS + 9 * (origin & 7) + 3 * ((target & 7) - (origin & 7) + 1) + promotion - 1


@kb.inlined
def move_of(position: kb.Position, action: int) -> int:
    """Return the move of an open action."""
    if action < UNDERPROMOTIONS:
        origin, target = action >> 6, action & 63
        promotes = kb.bit(origin) & position.pawns != kb.NONE and kb.bit(target) & kb.LAST_RANKS != kb.NONE
        return origin | target << 6 | (kb.QUEEN << 12 if promotes else 0)
    rest = action - UNDERPROMOTIONS
    file, aside, piece = rest // 9, rest % 9 // 3, rest % 3
    ahead = kb.side_to_move(position) == kb.WHITE
    origin, target = file + (48 if ahead else 8), file + aside - 1 + (56 if ahead else 0)
    return origin | target << 6 | (piece + 1) << 12


@kb.kernel
def put_squares(planes: kb.Bytes, plane: int, squares: kb.Word) -> None:
    """Write ones on squares of a plane."""
    while squares:
        planes[64 * plane + kb.lsb(squares)] = 1
        squares &= squares - kb.ONE


@kb.kernel
def flood(planes: kb.Bytes, plane: int, value: int) -> None:
    """Fill a plane of zeros with one number."""
    if value != 0:
        for i in range(64 * plane, 64 * plane + 64):
            planes[i] = min(value, spaces.MAX_BYTE)


@kb.kernel
def write_announcement(planes: kb.Bytes, code: int, capture: int, checks: int) -> None:
    """Write the capture and the checks of an announcement."""
    if kb.captured_on(code) >= 0:
        planes[64 * capture + kb.captured_on(code)] = 2 if code & kb.CAPTURED_PAWN_BIT else 1
    for bit in range(spaces.CHECKS):
        flood(planes, checks + bit, code >> (kb.CHECK_SHIFT + bit) & 1)


@kb.kernel
def count_refused(planes: kb.Bytes, move: int) -> None:
    """Add a refused try to the planes."""
    planes[64 * spaces.REFUSED_FROM + (move & 63)] += 1
    planes[64 * spaces.REFUSED_TO + (move >> 6 & 63)] += 1


@kb.kernel
def observe(position: kb.Position, side: int, notes: kb.Ints, planes: kb.Bytes) -> None:
    """Write the planes of a side, except those of its refused tries, IS_TURN and TRY_SQUARES."""
    own, other = kb.pieces_of(position, side)
    for i in range(64 * PLANES):
        planes[i] = 0
    diagonals, orthogonals = position.diagonals & own, position.orthogonals & own
    put_squares(planes, 0, position.pawns & own)
    put_squares(planes, 1, position.knights & own)
    put_squares(planes, 2, diagonals & ~orthogonals)
    put_squares(planes, 3, orthogonals & ~diagonals)
    put_squares(planes, 4, diagonals & orthogonals)
    put_squares(planes, 5, position.kings & own)
    rights = kb.number(position.meta >> kb.word(1 + 2 * side))
    planes[64 * spaces.CASTLING + 56 * side + 7] = rights & 1
    planes[64 * spaces.CASTLING + 56 * side] = rights >> 1 & 1
    ours, theirs, last = notes[ANNOUNCEMENTS + side], notes[ANNOUNCEMENTS + 1 - side], notes[LAST_MOVES + side]
    if last != 0:
        planes[64 * spaces.ORIGIN + (last & 63)] = 1
        planes[64 * spaces.TARGET + (last >> 6 & 63)] = 1
    write_announcement(planes, ours, spaces.OWN_CAPTURE, spaces.OWN_CHECKS)
    write_announcement(planes, theirs, spaces.THEIR_CAPTURE, spaces.THEIR_CHECKS)
    flood(planes, spaces.EN_PASSANT, 1 if theirs & kb.EN_PASSANT_BIT else 0)
    flood(planes, spaces.PROMOTION, 1 if theirs & kb.PROMOTION_BIT else 0)
    flood(planes, spaces.PAWN_TRIES, notes[PAWN_TRIES] >> kb.TRIES_SHIFT & 31)
    flood(planes, spaces.IS_WHITE, 1 - side)
    flood(planes, spaces.PLY, kb.plies_played(position))
    flood(planes, spaces.ENEMIES, kb.popcount(other))
    flood(planes, spaces.REFUSALS, notes[THEIR_REFUSALS])
    flood(planes, spaces.THEIR_ANSWER, notes[THEIR_ANSWER])
    flood(planes, spaces.ANSWER, notes[ANSWER])


@kb.kernel
def show(position: kb.Position, game: Game) -> None:
    """Write the open actions, without those refused this turn, to list and mask; write the observation."""
    notes, tries, planes = game.notes, game.tries, game.planes
    for i in range(notes[OPEN]):
        game.mask[tries[i]] = 0
    capturing = kb.EVERYWHERE
    if notes[PAWN_TRIES] >> kb.TRIES_SHIFT & 31 == 1:
        capturing = kb.NONE
    elif game.rules.tries_announced == kb.SQUARES:
        capturing = kb.pawns_to_try(game.tables, position, game.rules)
    count = 0
    for i in range(kb.open_tries(game.tables, position, capturing, tries)):
        move = tries[i]
        is_capture = kb.bit(move & 63) & position.pawns != kb.NONE and (move ^ move >> 6) & 7 != 0
        is_open = notes[ANSWER] != kb.YES or is_capture
        for j in range(notes[REFUSED]):
            is_open = is_open and game.refused[j] != move
        if is_open:
            tries[count] = number_of(move)
            count += 1
    if game.asking != 0 and notes[ANSWER] == kb.NOT_ASKED:
        tries[count] = ASK
        count += 1
    notes[OPEN] = count
    for i in range(count):
        game.mask[tries[i]] = 1
    observe(position, kb.side_to_move(position), notes, planes)
    flood(planes, spaces.IS_TURN, 1)
    if game.rules.tries_announced == kb.SQUARES:
        put_squares(planes, spaces.TRY_SQUARES, kb.pawns_to_try(game.tables, position, game.rules))
    for i in range(notes[REFUSED]):
        count_refused(planes, game.refused[i])


@kb.kernel
def show_end(position: kb.Position, game: Game) -> None:
    """Write the last observations of both sides; the side that has moved has no announcement since."""
    notes, other = game.notes, kb.side_to_move(position)
    notes[PAWN_TRIES] = 0
    observe(position, other, notes, kb.advance(game.last_planes, 64 * PLANES * other))
    notes[ANNOUNCEMENTS + other], notes[THEIR_REFUSALS], notes[THEIR_ANSWER] = 0, 0, 0
    observe(position, 1 - other, notes, kb.advance(game.last_planes, 64 * PLANES * (1 - other)))


@kb.kernel
def begin(game: Game) -> None:
    """Begin a game."""
    notes, position = game.notes, kb.load(game.start, 0)
    kb.store(game.row, 0, position)
    for i in range(REPLY):
        if i != OPEN:
            notes[i] = 0
    notes[TURN] = 1 - kb.side_to_move(position)
    notes[PAWN_TRIES] = kb.situation(game.tables, position, game.rules, game.scratch) & TRIES_MASK
    show(position, game)


@kb.kernel
def ask(position: kb.Position, game: Game) -> None:
    """Answer "Any?"."""
    notes, (checkers, pinned) = game.notes, kb.check_info(game.tables, position)
    has_tries = kb.pawn_tries(game.tables, position, checkers, pinned)[0] > 0
    notes[ANSWER], notes[REPLY] = (kb.YES, ANSWERED_YES) if has_tries else (kb.NO, ANSWERED_NO)
    notes[PAWN_TRIES] = notes[ANSWER] << kb.TRIES_SHIFT
    show(position, game)


@kb.kernel
def refuse(position: kb.Position, game: Game, action: int, move: int) -> None:
    """Refuse a try: add it to notes and planes, remove it from list and mask, and end an obligation to try once."""
    notes, tries = game.notes, game.tries
    notes[ANNOUNCED_REFUSALS] += game.announces_refusals
    game.refused[notes[REFUSED]] = move
    notes[REFUSED] += 1
    notes[OPEN] -= 1
    for i in range(notes[OPEN]):
        if tries[i] == action:
            tries[i] = tries[notes[OPEN]]
            break
    game.mask[action] = 0
    count_refused(game.planes, move)
    if notes[ANSWER] == kb.YES and game.asking == 2:
        notes[ANSWER] = kb.TRIED
        show(position, game)


@kb.kernel
def accept(position: kb.Position, game: Game, move: int) -> None:
    """Play a legal move, and begin the next game if it ends this one."""
    notes, side = game.notes, kb.side_to_move(position)
    after, captured = kb.make_move(game.tables, position, move)
    code = kb.announcement(game.tables, position, after, captured, game.rules, game.scratch)
    end = kb.announced_end(code)
    notes[REPLY], notes[STEP_ANNOUNCEMENT], notes[ENDED], notes[TURN] = ACCEPTED, code, end, side
    notes[ANNOUNCEMENTS + side], notes[LAST_MOVES + side] = code, move
    notes[THEIR_REFUSALS], notes[THEIR_ANSWER] = notes[ANNOUNCED_REFUSALS], min(notes[ANSWER], kb.YES)
    notes[ANNOUNCED_REFUSALS], notes[ANSWER], notes[REFUSED] = 0, kb.NOT_ASKED, 0
    if end != 0:
        if kb.is_won(end):
            notes[REWARD + side], notes[REWARD + 1 - side] = 1, -1
        show_end(after, game)
        begin(game)
        return
    kb.store(game.row, 0, after)
    notes[PAWN_TRIES] = code & TRIES_MASK
    show(after, game)


@kb.entry
def begin_some(tables: kb.WordArray, batch: kb.WordArray, games: int, which: kb.IntArray) -> None:
    """Begin some of the games."""
    for i in which:
        begin(game_at(kb.pointer(tables), kb.pointer(batch), games, i))


@kb.entry
def step_all(tables: kb.WordArray, batch: kb.WordArray, actions: kb.IntArray) -> int:
    """Play one action in each game and return -1. If one is not open, play none and return the number of its game."""
    start, games = kb.pointer(batch), len(actions)
    for i in range(games):
        if not 0 <= actions[i] < ACTIONS or game_at(kb.pointer(tables), start, games, i).mask[actions[i]] == 0:
            return i
    for i in range(games):
        game = game_at(kb.pointer(tables), start, games, i)
        notes, position = game.notes, kb.load(game.row, 0)
        notes[REPLY], notes[ENDED], notes[REWARD], notes[REWARD + 1] = ILLEGAL, 0, 0, 0
        if actions[i] == ASK:
            ask(position, game)
            continue
        move = move_of(position, actions[i])
        if kb.is_legal_try(game.tables, position, move):
            accept(position, game, move)
        else:
            refuse(position, game, actions[i], move)
    return -1


@kb.entry
def draw_all(batch: kb.WordArray, actions: kb.IntArray) -> None:
    """Draw an open action for each game, uniformly at random, and advance its state of SplitMix64."""
    for i in range(len(actions)):
        row = kb.advance(kb.pointer(batch), ROW * (i + 1))
        row[STATE] += kb.GAMMA
        drawn = kb.mix64(row[STATE]) >> kb.word(33)  # 31 bits, so that the product below fits
        count = kb.as_ints(row)[NOTES + OPEN]
        actions[i] = kb.as_moves(kb.advance(row, TRIES))[kb.number(drawn * kb.word(count) >> kb.word(31))]


class Batch:
    """Games side by side, each waiting for an action of its side to move.

    A game that ends begins again at once. The next step may overwrite every array, so copy what you keep. Every game
    has the same rules, limits and starting position (`start`, a FEN). `seed` is that of `random_actions`.

    Attributes:
      observations: [games, 34, 8, 8] bytes, for the side to move: see `spaces`.
      masks: [games, 4169] booleans, its open actions: see `spaces`.
      turns: [games] booleans, the side to move: `chess.WHITE` (True) or `chess.BLACK`.
      answers: [games] answers to the last step: 0 illegal, 1 accepted, 2 no, 3 yes (to "Any?").
      announcements: [games] codes of the last move's announcement: see `kernels.announcements`.
      ended: [games] 0 if the game goes on after the last step, otherwise the code of its end: see
        `kernels.announcements`.
      rewards: [games, 2] of White and Black in the last step: 1 for a win, -1 for a loss, otherwise 0.
      last_observations: [games, 2, 34, 8, 8] bytes, for White and Black, at the end of the last game.
      boards: [games, 8] words, the true positions, for critics only; `kernels.to_board` reads one.

    Raises ValueError if `games` is below 1, the start impossible (BadStart), or the rule set unknown (UnknownRuleSet).
    """

    def __init__(
        self,
        games: int,
        rules: RuleSet | str = BERKELEY,
        limits: Limits = PAPER_LIMITS,
        *,
        start: str = chess.STARTING_FEN,
        seed: int = 0,
    ) -> None:
        if games < 1:
            raise ValueError(f"illegal number of games {games}: it takes a whole number from 1")
        rules = rule_set(rules)
        asking = ASKING[rules.asking] if rules.has_any else 0
        rule_numbers = *kb.kernel_rules(rules, limits), int(rules.illegal_to is Audience.BOTH), asking
        rows, planes = ROW * (games + 1), 64 * PLANES * games
        self._memory = np.zeros(rows + -(-(3 * planes + ACTIONS * games) // 8), np.uint64)
        table, octets = self._memory[:rows].reshape(games + 1, ROW), self._memory[rows:].view(np.uint8)
        notes = table[:, NOTES : NOTES + NOTE_COUNT].view(np.int64)
        table[0, :8] = kb.from_board(Referee(rules, limits, start).board())
        notes[0, : len(rule_numbers)] = rule_numbers
        self._states, self.boards = table[1:, STATE], table[1:, :8]
        self.observations = octets[:planes].reshape(games, PLANES, 8, 8)
        self.last_observations = octets[planes : 3 * planes].reshape(games, 2, PLANES, 8, 8)
        self.masks = octets[3 * planes :][: ACTIONS * games].view(np.bool_).reshape(games, ACTIONS)
        self.turns = notes.view(np.bool_)[1:, notes.itemsize * TURN]  # its lowest byte
        self.answers = notes[1:, REPLY]
        self.announcements, self.ended = notes[1:, STEP_ANNOUNCEMENT], notes[1:, ENDED]
        self.rewards = notes[1:, REWARD : REWARD + 2]
        self._shape = (games,)
        self.reset(seed=seed)

    def reset(self, games: npt.ArrayLike | None = None, *, seed: int | None = None) -> None:
        """Begin new games: `games` are their numbers, or [games] booleans; None for all.

        `seed` is a new seed of their `random_actions`; None continues with the old one.
        """
        which = np.arange(*self._shape)[slice(None) if games is None else np.atleast_1d(games)]
        if seed is not None:
            self._states[which] = [kb.subseed(seed, game) for game in which.tolist()]
        for array in (self.answers, self.announcements, self.ended, self.rewards):
            array[which] = 0
        begin_some(kb.TABLES, self._memory, *self._shape, which)

    def step(self, actions: npt.ArrayLike) -> None:
        """Play one action in every game, and update all arrays.

        Raise ValueError, and change nothing, if an action is not open or there is not one for each game.
        """
        numbers = np.asarray(actions)
        if numbers.shape != self._shape or numbers.dtype.kind not in "iu":
            takes = f"it takes a whole number for each game, {self._shape}"
            raise ValueError(f"illegal actions of shape {numbers.shape} and type {numbers.dtype}: {takes}")
        numbers = np.ascontiguousarray(numbers, INT64)
        wrong = step_all(kb.TABLES, self._memory, numbers)
        if wrong >= 0:
            raise ValueError(f"illegal action {numbers[wrong]} in game {wrong}: it takes one of masks[{wrong}]")

    def random_actions(self) -> npt.NDArray[np.int64]:
        """Return an open action for every game, uniformly at random."""
        actions = np.empty(self._shape, INT64)
        draw_all(self._memory, actions)
        return actions
