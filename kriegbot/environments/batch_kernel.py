"""One step in a batch of games: the fast twin of the referee, `View`, `spaces`, all at once.

A game is a position and some notes of what was heard. Its mask and its observation are those of the side to move, and
are kept up to date: a refused try changes three bytes; only a new turn, or an answer to "Any?", writes them anew.
"""

from kriegbot import kernels as kb
from kriegbot.environments import layout as at
from kriegbot.environments import spaces as seen
from kriegbot.environments.spaces import ACTIONS, ASK, UNDERPROMOTIONS

ILLEGAL, ACCEPTED, ANSWERED_NO, ANSWERED_YES = 0, 1, 2, 3
TRIES_MASK = 31 << kb.TRIES_SHIFT


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
    own, other = kb.men_of(position, side)
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
    ours, theirs, last = notes[at.SAID + side], notes[at.SAID + 1 - side], notes[at.LAST + side]
    if last != 0:
        planes[64 * seen.ORIGIN + (last & 63)] = 1
        planes[64 * seen.TARGET + (last >> 6 & 63)] = 1
    write_said(planes, ours, seen.TAKEN, seen.CHECKING)
    write_said(planes, theirs, seen.LOST, seen.CHECKED)
    flood(planes, seen.EN_PASSANT, 1 if theirs & kb.EN_PASSANT_BIT else 0)
    flood(planes, seen.PROMOTION, 1 if theirs & kb.PROMOTION_BIT else 0)
    flood(planes, seen.TOLD, notes[at.TOLD_NOW] >> kb.TRIES_SHIFT & 31)
    flood(planes, seen.IS_WHITE, 1 - side)
    flood(planes, seen.PLY, kb.plies_played(position))
    flood(planes, seen.ENEMIES, kb.popcount(other))
    flood(planes, seen.REFUSALS, notes[at.HEARD_BEFORE])
    flood(planes, seen.THEIR_ANSWER, notes[at.ASKED_BEFORE])
    flood(planes, seen.ANSWER, notes[at.ASKED])


@kb.kernel
def list_actions(tables: kb.Words, position: kb.Position, game: at.Game, terms: kb.Terms, asking: int) -> None:
    """Write the open actions to the list and to the mask, which is empty; those refused this turn are not open."""
    notes, tries, mask = game.notes, game.tries, game.mask
    capturing = kb.EVERYWHERE
    if notes[at.TOLD_NOW] >> kb.TRIES_SHIFT & 31 == 1:
        capturing = kb.NONE
    elif terms.tries_told == kb.SQUARES:
        capturing = kb.pawns_to_try(tables, position, terms)
    count = 0
    for i in range(kb.open_tries(tables, position, capturing, tries)):
        move = tries[i]
        is_capture = kb.bit(move & 63) & position.pawns != kb.NONE and (move ^ move >> 6) & 7 != 0
        is_open = notes[at.ASKED] != kb.YES or is_capture
        for j in range(notes[at.REFUSED]):
            is_open = is_open and game.refused[j] != move
        if is_open:
            tries[count] = number_of(move)
            mask[tries[count]] = 1
            count += 1
    if asking != 0 and notes[at.ASKED] == kb.NOT_ASKED:
        tries[count] = ASK
        mask[ASK] = 1
        count += 1
    notes[at.OPEN] = count


@kb.kernel
def show(tables: kb.Words, position: kb.Position, game: at.Game, terms: kb.Terms, asking: int) -> None:
    """Write mask and observation anew."""
    for i in range(game.notes[at.OPEN]):
        game.mask[game.tries[i]] = 0
    list_actions(tables, position, game, terms, asking)
    observe(position, kb.side_to_move(position), game.notes, game.planes)
    flood(game.planes, seen.IS_TURN, 1)
    if terms.tries_told == kb.SQUARES:
        mark(game.planes, seen.TOLD_SQUARES, kb.pawns_to_try(tables, position, terms))
    for i in range(game.notes[at.REFUSED]):
        count_refused(game.planes, game.refused[i])


@kb.kernel
def show_end(position: kb.Position, game: at.Game) -> None:
    """Write what both sides see at the end; the side that has moved has heard nothing since."""
    notes, other = game.notes, kb.side_to_move(position)
    notes[at.TOLD_NOW] = 0
    observe(position, other, notes, kb.advance(game.lasts, 64 * seen.PLANES * other))
    notes[at.SAID + other], notes[at.HEARD_BEFORE], notes[at.ASKED_BEFORE] = 0, 0, 0
    observe(position, 1 - other, notes, kb.advance(game.lasts, 64 * seen.PLANES * (1 - other)))


@kb.kernel
def refuse(game: at.Game, action: int, move: int) -> None:
    """Strike a try that was refused off list and mask, and note it."""
    notes, tries = game.notes, game.tries
    game.refused[notes[at.REFUSED]] = move
    notes[at.REFUSED] += 1
    notes[at.OPEN] -= 1
    for i in range(notes[at.OPEN]):
        if tries[i] == action:
            tries[i] = tries[notes[at.OPEN]]
            break
    game.mask[action] = 0
    count_refused(game.planes, move)


@kb.kernel
def begin(tables: kb.Words, game: at.Game, start: kb.Words, terms: kb.Terms, manners: at.Manners) -> None:
    """Begin a game."""
    notes, position = game.notes, kb.load(start, 0)
    kb.store(game.row, 0, position)
    for i in range(at.REPLY):
        if i != at.OPEN:
            notes[i] = 0
    notes[at.TURN] = 1 - kb.side_to_move(position)
    notes[at.TOLD_NOW] = kb.situation(tables, position, terms, at.scratch_in(start)) & TRIES_MASK
    show(tables, position, game, terms, manners.asking)


@kb.kernel
def ask(tables: kb.Words, position: kb.Position, game: at.Game, terms: kb.Terms, asking: int) -> None:
    """Answer whether any pawn capture is legal."""
    checkers, pinned = kb.check_info(tables, position)
    count, _, _ = kb.pawn_tries(tables, position, checkers, pinned)
    notes = game.notes
    notes[at.ASKED] = kb.YES if count > 0 else kb.NO
    notes[at.TOLD_NOW] = notes[at.ASKED] << kb.TRIES_SHIFT
    notes[at.REPLY] = ANSWERED_YES if count > 0 else ANSWERED_NO
    show(tables, position, game, terms, asking)


@kb.kernel
def step_one(
    tables: kb.Words, game: at.Game, action: int, start: kb.Words, terms: kb.Terms, manners: at.Manners
) -> None:
    """Answer an open action of the side to move."""
    notes, scratch = game.notes, at.scratch_in(start)
    position = kb.load(game.row, 0)
    side = kb.side_to_move(position)
    notes[at.REPLY], notes[at.ENDED], notes[at.REWARD], notes[at.REWARD + 1] = ILLEGAL, 0, 0, 0
    if action == ASK:
        ask(tables, position, game, terms, manners.asking)
        return
    move = move_of(position, action)
    if not kb.is_legal_try(tables, position, move):
        notes[at.HEARD] += manners.hears
        refuse(game, action, move)
        if notes[at.ASKED] == kb.YES and manners.asking == 2:
            notes[at.ASKED] = kb.TRIED
            show(tables, position, game, terms, manners.asking)
        return
    after, captured = kb.make_move(tables, position, move)
    said = kb.announcement(tables, position, after, captured, terms, scratch)
    notes[at.REPLY], notes[at.ANNOUNCED] = ACCEPTED, said
    end = kb.end_said(said)
    notes[at.ENDED], notes[at.TURN] = end, side
    notes[at.SAID + side], notes[at.LAST + side] = said, move
    notes[at.HEARD_BEFORE], notes[at.ASKED_BEFORE] = notes[at.HEARD], min(notes[at.ASKED], kb.YES)
    notes[at.HEARD], notes[at.ASKED], notes[at.REFUSED] = 0, kb.NOT_ASKED, 0
    if end != 0:
        if kb.is_won(end):
            notes[at.REWARD + side], notes[at.REWARD + 1 - side] = 1, -1
        show_end(after, game)
        begin(tables, game, start, terms, manners)
        return
    kb.store(game.row, 0, after)
    notes[at.TOLD_NOW] = said & TRIES_MASK
    show(tables, after, game, terms, manners.asking)


@kb.entry
def begin_some(tables: kb.WordArray, batch: kb.WordArray, games: int, which: kb.IntArray) -> None:
    """Begin some of the games."""
    start = kb.pointer(batch)
    terms, manners = at.rules_of(start)
    for i in which:
        begin(kb.pointer(tables), at.game_at(start, games, i), start, terms, manners)


@kb.entry
def step_all(tables: kb.WordArray, batch: kb.WordArray, actions: kb.IntArray) -> int:
    """Answer one action in each game; if one is not open, nothing, and return the number of its game; else -1."""
    start, games = kb.pointer(batch), len(actions)
    terms, manners = at.rules_of(start)
    for i in range(games):
        if not 0 <= actions[i] < ACTIONS or at.mask_at(start, games, i)[actions[i]] == 0:
            return i
    for i in range(games):
        step_one(kb.pointer(tables), at.game_at(start, games, i), actions[i], start, terms, manners)
    return -1


@kb.entry
def draw_all(batch: kb.WordArray, actions: kb.IntArray) -> None:
    """Write an open action for each game, uniformly at random; advance its state of SplitMix64."""
    for i in range(len(actions)):
        row = kb.advance(kb.pointer(batch), at.ROW * (i + 1))
        row[at.STATE] += kb.GAMMA
        drawn = kb.mixed(row[at.STATE]) >> kb.word(33)  # 31 bits, so that the product below fits
        count = kb.as_ints(row)[at.NOTED + at.OPEN]
        actions[i] = kb.as_moves(kb.advance(row, at.LISTED))[kb.number(drawn * kb.word(count) >> kb.word(31))]
