"""One step in a batch of games: the fast twin of the referee, `View`, `spaces`, all at once.

A game is a position and some notes of what was heard. Its mask and its observation are those of the side to move, and
are kept up to date: a refused try changes three bytes; only a new turn, or an answer to "Any?", writes them anew.

A batch keeps everything in one array of words, since each array that Python passes costs 0.1 us. First come rows: a
position, the state of the random numbers, notes, two lists of tries. Row 0 is of no game: it holds the position that
games begin with, the terms and the manners instead of notes, and scratch for a list. Each game has one of the others.
Then come bytes: the planes of all games, those that White and Black saw last of the game before, and the masks.
"""

from typing import NamedTuple

from kriegbot import kernels as kb
from kriegbot.environments import spaces as seen
from kriegbot.environments.spaces import ACTIONS, ASK, UNDERPROMOTIONS

ILLEGAL, ACCEPTED, ANSWERED_NO, ANSWERED_YES = 0, 1, 2, 3
TRIES_MASK = 31 << kb.TRIES_SHIFT

# What is noted of a game. Of each side, what was announced of its last move, and that move; 0 for none.
SAID, LAST = 0, 2
OPEN, REFUSED, HEARD, ASKED = 4, 5, 6, 7
"""Of this turn: how many tries are open, how many were refused, how many the opponent heard of, what "Any?" found."""
HEARD_BEFORE, ASKED_BEFORE, TOLD_NOW = 8, 9, 10
"""What was heard of the opponent's last turn; what was announced of the position."""
REPLY, ANNOUNCED, ENDED, REWARD, TURN = 11, 12, 13, 14, 16
"""Of the last step: the referee's answer, the announcement of a move, the end of the game, two rewards, whose turn (1
is White's, as `chess.WHITE` is)."""
NOTES = 17

# Where a row has what, in words; the position is at 0.
STATE = 8
NOTED = STATE + 1
LISTED = NOTED + NOTES
STRUCK = LISTED + kb.MAX_MOVES // 2
ROW = STRUCK + kb.MAX_MOVES // 2
PLANES_WORDS = 8 * seen.PLANES


class Manners(NamedTuple):
    """Rules that `KernelRules` leaves out, as int64.

    hears: 1 if the opponent hears of illegal tries. asking: the effect of "Any?": 0 it may not be asked, 1 a yes
    obliges to capture with a pawn, 2 to try it once.
    """

    hears: int
    asking: int


class Game(NamedTuple):
    """Where one game is kept: see `Batch`. `tries` are its open actions, `refused` the moves refused this turn."""

    row: kb.Words
    notes: kb.Ints
    tries: kb.Moves
    refused: kb.Moves
    mask: kb.Bytes
    planes: kb.Bytes
    lasts: kb.Bytes


@kb.inlined
def scratch_in(start: kb.Words) -> kb.Moves:
    """Room for a list of moves, in row 0."""
    return kb.as_moves(kb.advance(start, LISTED))


@kb.inlined
def mask_at(batch: kb.Words, games: int, i: int) -> kb.Bytes:
    """Where the mask of game `i` of a batch is kept."""
    return kb.advance(kb.as_bytes(kb.advance(batch, ROW * (games + 1) + 3 * PLANES_WORDS * games)), ACTIONS * i)


@kb.inlined
def game_at(batch: kb.Words, games: int, i: int) -> Game:
    """Where game `i` of a batch is kept."""
    row = kb.advance(batch, ROW * (i + 1))
    return Game(
        row,
        kb.as_ints(kb.advance(row, NOTED)),
        kb.as_moves(kb.advance(row, LISTED)),
        kb.as_moves(kb.advance(row, STRUCK)),
        mask_at(batch, games, i),
        kb.as_bytes(kb.advance(batch, ROW * (games + 1) + PLANES_WORDS * i)),
        kb.as_bytes(kb.advance(batch, ROW * (games + 1) + PLANES_WORDS * (games + 2 * i))),
    )


@kb.inlined
def rules_of(batch: kb.Words) -> tuple[kb.KernelRules, Manners]:
    """What a batch is played by."""
    rules = kb.as_ints(kb.advance(batch, NOTED))
    terms = kb.KernelRules(rules[0], rules[1], rules[2], rules[3], rules[4], rules[5], rules[6], rules[7], rules[8])
    return terms, Manners(rules[9], rules[10])


@kb.inlined
def number_of(move: int) -> int:
    """The action of a move: see `spaces`."""
    origin, target, promotion = move & 63, move >> 6 & 63, move >> 12
    if promotion in (0, kb.QUEEN):
        return origin << 6 | target
    return UNDERPROMOTIONS + 9 * (origin & 7) + 3 * ((target & 7) - (origin & 7) + 1) + promotion - 1


@kb.inlined
def move_of(position: kb.Position, action: int) -> int:
    """The move of an action that is open."""
    if action < UNDERPROMOTIONS:
        origin, target = action >> 6, action & 63
        promotes = kb.bit(origin) & position.pawns != kb.NONE and kb.bit(target) & kb.LAST_RANKS != kb.NONE
        return origin | target << 6 | (kb.QUEEN << 12 if promotes else 0)
    rest = action - UNDERPROMOTIONS
    file, aside, kind = rest // 9, rest % 9 // 3, rest % 3
    ahead = kb.side_to_move(position) == kb.WHITE
    origin, target = file + (48 if ahead else 8), file + aside - 1 + (56 if ahead else 0)
    return origin | target << 6 | (kind + 1) << 12


@kb.kernel
def mark(planes: kb.Bytes, plane: int, squares: kb.Word) -> None:
    """Write ones on squares of a plane."""
    while squares:
        planes[64 * plane + kb.lsb(squares)] = 1
        squares &= squares - kb.ONE


@kb.kernel
def flood(planes: kb.Bytes, plane: int, value: int) -> None:
    """Write one number everywhere on a plane that is 0."""
    if value != 0:
        for i in range(64 * plane, 64 * plane + 64):
            planes[i] = min(value, seen.MOST)


@kb.kernel
def write_said(planes: kb.Bytes, said: int, capture: int, checks: int) -> None:
    """Write the capture and the checks of an announcement."""
    if kb.captured_on(said) >= 0:
        planes[64 * capture + kb.captured_on(said)] = 2 if said & kb.CAPTURED_PAWN_BIT else 1
    for place in range(seen.CHECKS):
        flood(planes, checks + place, said >> (kb.CHECK_SHIFT + place) & 1)


@kb.kernel
def count_refused(planes: kb.Bytes, move: int) -> None:
    """Write that a try was refused this turn."""
    planes[64 * seen.REFUSED_FROM + (move & 63)] += 1
    planes[64 * seen.REFUSED_TO + (move >> 6 & 63)] += 1


@kb.kernel
def observe(position: kb.Position, side: int, notes: kb.Ints, planes: kb.Bytes) -> None:
    """Write the planes of a side, less those that tell of its own turn alone."""
    own, other = kb.pieces_of(position, side)
    for i in range(64 * seen.PLANES):
        planes[i] = 0
    diagonals, orthogonals = position.diagonals & own, position.orthogonals & own
    mark(planes, 0, position.pawns & own)
    mark(planes, 1, position.knights & own)
    mark(planes, 2, diagonals & ~orthogonals)
    mark(planes, 3, orthogonals & ~diagonals)
    mark(planes, 4, diagonals & orthogonals)
    mark(planes, 5, position.kings & own)
    rights = kb.number(position.meta >> kb.word(1 + 2 * side))
    planes[64 * seen.CASTLING + 56 * side + 7] = rights & 1
    planes[64 * seen.CASTLING + 56 * side] = rights >> 1 & 1
    ours, theirs, last = notes[SAID + side], notes[SAID + 1 - side], notes[LAST + side]
    if last != 0:
        planes[64 * seen.ORIGIN + (last & 63)] = 1
        planes[64 * seen.TARGET + (last >> 6 & 63)] = 1
    write_said(planes, ours, seen.TAKEN, seen.CHECKING)
    write_said(planes, theirs, seen.LOST, seen.CHECKED)
    flood(planes, seen.EN_PASSANT, 1 if theirs & kb.EN_PASSANT_BIT else 0)
    flood(planes, seen.PROMOTION, 1 if theirs & kb.PROMOTION_BIT else 0)
    flood(planes, seen.TOLD, notes[TOLD_NOW] >> kb.TRIES_SHIFT & 31)
    flood(planes, seen.IS_WHITE, 1 - side)
    flood(planes, seen.PLY, kb.plies_played(position))
    flood(planes, seen.ENEMIES, kb.popcount(other))
    flood(planes, seen.REFUSALS, notes[HEARD_BEFORE])
    flood(planes, seen.THEIR_ANSWER, notes[ASKED_BEFORE])
    flood(planes, seen.ANSWER, notes[ASKED])


@kb.kernel
def list_actions(tables: kb.Words, position: kb.Position, game: Game, terms: kb.KernelRules, asking: int) -> None:
    """Write the open actions to the list and to the mask, which is empty; those refused this turn are not open."""
    notes, tries, mask = game.notes, game.tries, game.mask
    capturing = kb.EVERYWHERE
    if notes[TOLD_NOW] >> kb.TRIES_SHIFT & 31 == 1:
        capturing = kb.NONE
    elif terms.tries_announced == kb.SQUARES:
        capturing = kb.pawns_to_try(tables, position, terms)
    count = 0
    for i in range(kb.open_tries(tables, position, capturing, tries)):
        move = tries[i]
        is_capture = kb.bit(move & 63) & position.pawns != kb.NONE and (move ^ move >> 6) & 7 != 0
        is_open = notes[ASKED] != kb.YES or is_capture
        for j in range(notes[REFUSED]):
            is_open = is_open and game.refused[j] != move
        if is_open:
            tries[count] = number_of(move)
            mask[tries[count]] = 1
            count += 1
    if asking != 0 and notes[ASKED] == kb.NOT_ASKED:
        tries[count] = ASK
        mask[ASK] = 1
        count += 1
    notes[OPEN] = count


@kb.kernel
def show(tables: kb.Words, position: kb.Position, game: Game, terms: kb.KernelRules, asking: int) -> None:
    """Write mask and observation anew."""
    for i in range(game.notes[OPEN]):
        game.mask[game.tries[i]] = 0
    list_actions(tables, position, game, terms, asking)
    observe(position, kb.side_to_move(position), game.notes, game.planes)
    flood(game.planes, seen.IS_TURN, 1)
    if terms.tries_announced == kb.SQUARES:
        mark(game.planes, seen.TOLD_SQUARES, kb.pawns_to_try(tables, position, terms))
    for i in range(game.notes[REFUSED]):
        count_refused(game.planes, game.refused[i])


@kb.kernel
def show_end(position: kb.Position, game: Game) -> None:
    """Write what both sides see at the end; the side that has moved has heard nothing since."""
    notes, other = game.notes, kb.side_to_move(position)
    notes[TOLD_NOW] = 0
    observe(position, other, notes, kb.advance(game.lasts, 64 * seen.PLANES * other))
    notes[SAID + other], notes[HEARD_BEFORE], notes[ASKED_BEFORE] = 0, 0, 0
    observe(position, 1 - other, notes, kb.advance(game.lasts, 64 * seen.PLANES * (1 - other)))


@kb.kernel
def refuse(game: Game, action: int, move: int) -> None:
    """Strike a try that was refused off list and mask, and note it."""
    notes, tries = game.notes, game.tries
    game.refused[notes[REFUSED]] = move
    notes[REFUSED] += 1
    notes[OPEN] -= 1
    for i in range(notes[OPEN]):
        if tries[i] == action:
            tries[i] = tries[notes[OPEN]]
            break
    game.mask[action] = 0
    count_refused(game.planes, move)


@kb.kernel
def begin(tables: kb.Words, game: Game, start: kb.Words, terms: kb.KernelRules, manners: Manners) -> None:
    """Begin a game."""
    notes, position = game.notes, kb.load(start, 0)
    kb.store(game.row, 0, position)
    for i in range(REPLY):
        if i != OPEN:
            notes[i] = 0
    notes[TURN] = 1 - kb.side_to_move(position)
    notes[TOLD_NOW] = kb.situation(tables, position, terms, scratch_in(start)) & TRIES_MASK
    show(tables, position, game, terms, manners.asking)


@kb.kernel
def ask(tables: kb.Words, position: kb.Position, game: Game, terms: kb.KernelRules, asking: int) -> None:
    """Answer whether any pawn capture is legal."""
    checkers, pinned = kb.check_info(tables, position)
    count, _, _ = kb.pawn_tries(tables, position, checkers, pinned)
    notes = game.notes
    notes[ASKED] = kb.YES if count > 0 else kb.NO
    notes[TOLD_NOW] = notes[ASKED] << kb.TRIES_SHIFT
    notes[REPLY] = ANSWERED_YES if count > 0 else ANSWERED_NO
    show(tables, position, game, terms, asking)


@kb.kernel
def step_one(
    tables: kb.Words, game: Game, action: int, start: kb.Words, terms: kb.KernelRules, manners: Manners
) -> None:
    """Answer an open action of the side to move."""
    notes, scratch = game.notes, scratch_in(start)
    position = kb.load(game.row, 0)
    side = kb.side_to_move(position)
    notes[REPLY], notes[ENDED], notes[REWARD], notes[REWARD + 1] = ILLEGAL, 0, 0, 0
    if action == ASK:
        ask(tables, position, game, terms, manners.asking)
        return
    move = move_of(position, action)
    if not kb.is_legal_try(tables, position, move):
        notes[HEARD] += manners.hears
        refuse(game, action, move)
        if notes[ASKED] == kb.YES and manners.asking == 2:
            notes[ASKED] = kb.TRIED
            show(tables, position, game, terms, manners.asking)
        return
    after, captured = kb.make_move(tables, position, move)
    said = kb.announcement(tables, position, after, captured, terms, scratch)
    notes[REPLY], notes[ANNOUNCED] = ACCEPTED, said
    end = kb.announced_end(said)
    notes[ENDED], notes[TURN] = end, side
    notes[SAID + side], notes[LAST + side] = said, move
    notes[HEARD_BEFORE], notes[ASKED_BEFORE] = notes[HEARD], min(notes[ASKED], kb.YES)
    notes[HEARD], notes[ASKED], notes[REFUSED] = 0, kb.NOT_ASKED, 0
    if end != 0:
        if kb.is_won(end):
            notes[REWARD + side], notes[REWARD + 1 - side] = 1, -1
        show_end(after, game)
        begin(tables, game, start, terms, manners)
        return
    kb.store(game.row, 0, after)
    notes[TOLD_NOW] = said & TRIES_MASK
    show(tables, after, game, terms, manners.asking)


@kb.entry
def begin_some(tables: kb.WordArray, batch: kb.WordArray, games: int, which: kb.IntArray) -> None:
    """Begin some of the games."""
    start = kb.pointer(batch)
    terms, manners = rules_of(start)
    for i in which:
        begin(kb.pointer(tables), game_at(start, games, i), start, terms, manners)


@kb.entry
def step_all(tables: kb.WordArray, batch: kb.WordArray, actions: kb.IntArray) -> int:
    """Answer one action in each game; if one is not open, nothing, and return the number of its game; else -1."""
    start, games = kb.pointer(batch), len(actions)
    terms, manners = rules_of(start)
    for i in range(games):
        if not 0 <= actions[i] < ACTIONS or mask_at(start, games, i)[actions[i]] == 0:
            return i
    for i in range(games):
        step_one(kb.pointer(tables), game_at(start, games, i), actions[i], start, terms, manners)
    return -1


@kb.entry
def draw_all(batch: kb.WordArray, actions: kb.IntArray) -> None:
    """Write an open action for each game, uniformly at random; advance its state of SplitMix64."""
    for i in range(len(actions)):
        row = kb.advance(kb.pointer(batch), ROW * (i + 1))
        row[STATE] += kb.GAMMA
        drawn = kb.mixed(row[STATE]) >> kb.word(33)  # 31 bits, so that the product below fits
        count = kb.as_ints(row)[NOTED + OPEN]
        actions[i] = kb.as_moves(kb.advance(row, LISTED))[kb.number(drawn * kb.word(count) >> kb.word(31))]
