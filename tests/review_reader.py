"""Reads the sentences of turning points back, against the true board and the positions drawn from a side's belief.

It shares nothing with what writes them: it knows python-chess, the record, the drawn positions and the values of tries.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import chess

from kriegbot.belief.timeline import BeliefSnapshot, BeliefTimeline
from kriegbot.narration.helping import HINT_SAMPLES, PARTICLES, SEED, TryValued, value_tries
from kriegbot.narration.turning import TurningPoint
from referee import GameRecord, OwnTry, View

NAMES = {name: kind for kind, name in enumerate(chess.PIECE_NAMES) if name}
POINTS = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9, chess.KING: 20}
SIDE, OWNER, SQUARE = r"(?:White|Black|[Yy]ou)", r"(?:White's|Black's|[Yy]our)", r"[a-h][1-8]"
KIND, TRY, PAWNS = "|".join(NAMES), r"[^\s,;]+?", r"-?\d+\.\d"
ONE = f"(?:a (?:{KIND})|the king|something else)"
LIST = f"{ONE}(?:, {ONE})*(?: or {ONE})?"
HOW_MANY = (
    r"(?:in (?:the only|no) (?:possible position|sampled position|sample)(?: that allows [^\s,;]+?)?"
    r"|in every possible position"
    r"|in (?:none|\d+) of (?:the )?\d+ (?:possible positions|sampled positions|samples)(?: that allow [^\s,;]+?)?)"
)
FEWEST = 30  # positions by which anything may be called an error or a surprise
Fact = Callable[[chess.Board, chess.Move], bool]


def drawn(belief: BeliefSnapshot) -> list[chess.Board]:
    """Return a hundred different drawn positions, or all if they are fewer."""
    boards = []
    for row in belief.rows:
        board = chess_board([int(field) for field in row])
        boards += [board] * (board not in boards)  # rows may differ in clocks that are of no interest here
    return boards if len(boards) <= 100 else [boards[number * len(boards) // 100] for number in range(100)]


def chess_board(row: Sequence[int]) -> chess.Board:
    """Return a drawn position as python-chess has it."""
    pawns, knights, diagonal, straight, kings, white, black, meta = row
    board = chess.Board(None)
    of_kind = [pawns, knights, diagonal & ~straight, straight & ~diagonal, diagonal & straight, kings]
    for kind, squares in enumerate(of_kind, chess.PAWN):
        for square in chess.SquareSet(squares):
            board.set_piece_at(square, chess.Piece(kind, bool(white >> square & 1)))
    assert board.occupied_co[chess.WHITE] == white
    assert board.occupied_co[chess.BLACK] == black
    board.turn = not meta & 1
    board.castling_rights = chess.BB_EMPTY
    for bit, corner in enumerate((chess.H1, chess.A1, chess.H8, chess.A8), 1):
        board.castling_rights |= chess.BB_SQUARES[corner] * (meta >> bit & 1)
    board.ep_square = (meta >> 5 & 63) or None
    return board


def pushed(board: chess.Board, move: chess.Move) -> chess.Board:
    """Return the board after a move."""
    board = board.copy(stack=False)
    board.push(move)
    return board


def loot(board: chess.Board, move: chess.Move) -> tuple[int, chess.Square]:
    """Return the type and the square of what a move captures; type 0 for nothing."""
    after = pushed(board, move)
    lost = board.occupied_co[not board.turn] & ~after.occupied_co[not board.turn]
    square = chess.msb(lost) if lost else move.to_square
    return board.piece_type_at(square) if lost else 0, square  # type: ignore[return-value]


def price(board: chess.Board, move: chess.Move, square: chess.Square) -> dict[int, int]:
    """Return the pawns that captures on a square after a move win net, by the type of the capturing piece."""
    after, wins = pushed(board, move), dict[int, int]()
    taken, _ = loot(board, move)
    for reply in after.legal_moves:
        kind, where = loot(after, reply)
        if kind and where == square:
            by = after.piece_type_at(reply.from_square) or 0
            final = pushed(after, reply)
            is_recaptured = any(one.to_square == reply.to_square for one in final.legal_moves)
            net = POINTS[kind] - is_recaptured * POINTS[by] - (POINTS.get(taken, 0) if move.to_square == square else 0)
            wins[by] = max(net, wins.get(by, 0))
    return {by: net for by, net in wins.items() if net > 0}


def mates(board: chess.Board) -> bool:
    """Return True if the side to move can mate at once."""
    return any(pushed(board, move).is_checkmate() for move in board.legal_moves)


class Reader:
    """One side of a game. `faults` says of a turning point what is false in it."""

    def __init__(self, record: GameRecord, color: chess.Color, you: chess.Color | None = None) -> None:
        *_, last = record.replay()
        self.view: View = last.referee.view(color)
        self.color, self.you = color, you
        self.timeline = BeliefTimeline(PARTICLES, SEED, HINT_SAMPLES)
        self.turns: dict[int, tuple[chess.Board, chess.Move, chess.Move | None]] = {}
        board, known = chess.Board(record.start), 0
        plies = [turn.move for turn in record.turns]
        accepted = [
            number for number, event in enumerate(self.view.events) if isinstance(event, OwnTry) and event.announcement
        ]
        for number, move in enumerate(plies):
            if board.turn == color:
                reply = plies[number + 1] if number + 1 < len(plies) else None
                self.turns[accepted[known]] = (board.copy(stack=False), move, reply)
                known += 1
            board.push(move)

    def belief(self, events: int) -> BeliefSnapshot:
        """Return the side's belief after so many events."""
        belief = self.timeline.at(self.view, events)
        assert belief is not None
        return belief

    def faults(self, point: TurningPoint) -> list[str]:
        """Return what is false in a turning point; a sentence that cannot be read is false."""
        return Page(self, point).faults


class Page:
    """One turning point, read from its first sentence to its last."""

    def __init__(self, reader: Reader, point: TurningPoint) -> None:
        self.reader, self.point, self.faults = reader, point, list[str]()
        self.board, self.move, self.reply = reader.turns[point["events"]]
        self.after = pushed(self.board, self.move)
        self.belief = reader.belief(point["events"])
        self.boards = drawn(self.belief)
        self.tries = {one["name"]: one for one in value_tries(self.belief)}
        is_all = self.belief.is_exact and len(self.belief.rows) == self.belief.boards <= 100
        self.kind = "possible position" if is_all else "sampled position" if len(self.boards) == 100 else "sample"
        self.is_all = is_all
        me, enemy = ("White", "Black") if reader.color else ("Black", "White")
        self.me, self.my = ("you", "your") if reader.you == reader.color else (me, f"{me}'s")
        self.enemy, self.enemys = ("you", "your") if reader.you == (not reader.color) else (enemy, f"{enemy}'s")
        self.square = self.move.to_square
        self.better: chess.Move | None = None
        self.read()
        self.judge(reader)

    def claim(self, is_true: bool, what: str) -> None:
        """Note what is false."""
        if not is_true:
            self.faults.append(what)

    def read(self) -> None:
        """Read sentence after sentence."""
        text = self.point["text"]
        while text:
            for pattern, read in SENTENCES:
                if found := re.match(pattern + r"(?: |$)", text):
                    read(self, **found.groupdict())
                    text = text[found.end() :]
                    break
            else:
                self.faults.append(f"cannot read: {text}")
                return
        if self.better is not None and not self.board.is_legal(self.better):
            self.claim("illegal" in self.point["text"] or "though not in" in self.point["text"], "it was illegal")

    def find(self, name: str) -> chess.Move:
        """Return the move of a try's name."""
        if name not in self.tries:
            self.faults.append(f"no try {name}")
            return chess.Move.null()
        self.better = chess.Move.from_uci(self.tries[name]["uci"])
        return self.better

    def count(self, words: str, move: chess.Move, fact: Fact, name: str = "it", *, of_all: bool = False) -> None:
        """Check a number of positions: those in which a try is legal, or all of them."""
        words = words[0].lower() + words[1:]
        legal = [board for board in self.boards if of_all or board.is_legal(move)]
        number = sum(board.is_legal(move) and fact(board, move) for board in legal)
        self.claim("possible" not in words or self.is_all, f"these are not all positions: {words}")
        self.claim("of 100" not in words or len({board.fen() for board in self.boards}) == 100, "not a hundred")
        if len(legal) == 1 and "every" not in words:
            expected = f"in {'the only' if number else 'no'} {self.kind}"
            expected += f" that allows {name}" if len(self.boards) > 1 else ""
        elif "every" in words:
            expected = "in every possible position" if number == len(legal) == len(self.boards) else "not in all"
        else:
            expected = f"in {number or 'none'} of {'the ' if len(legal) < len(self.boards) else ''}{len(legal)}"
            expected += f" {self.kind}s" + (f" that allow {name}" if len(legal) < len(self.boards) else "")
        self.claim(words == expected, f"{words!r} should be {expected!r}")

    def mean(self, words: str, of: Callable[[chess.Board], float], boards: Sequence[chess.Board]) -> None:
        """Check a number of pawns, on average over boards."""
        value = sum(map(of, boards)) / max(1, len(boards))
        self.claim(abs(float(words) - value) < 0.051, f"{words} pawns should be {value:.2f}")

    def judge(self, reader: Reader) -> None:
        """Check the winning chances, and what the turn is called."""
        theme, tries = self.point["theme"], list(self.tries.values())
        made = next((one for one in tries if one["uci"] == self.move.uci()), None)
        self.claim(self.board.parse_san(self.point["made"]) == self.move, f"{self.point['made']} was not played")
        for mark in "x+#" if self.belief.view.rules.checks_announced else "x#":  # the sheet shows what was announced
            is_marked = mark in self.board.san(self.move)
            self.claim((mark in self.point["made"]) == is_marked, f"{self.point['made']} without {mark}")
        self.claim(theme == "lucky" or not self.after.is_checkmate(), "a mate is called an error")
        won = POINTS.get(loot(self.board, self.move)[0], 0)
        lost = 0 if self.reply is None else POINTS.get(loot(self.after, self.reply)[0], 0)
        self.claim(theme != "lucky" or self.after.is_checkmate() or won > lost, "lucky without a gain")
        if theme == "surprise":
            later = [events for events in reader.turns if events > self.point["events"]]
            next_tries: list[TryValued] = value_tries(reader.belief(later[0])) if later else []
            moves = [one for one in next_tries if not one["question"]]
            before, after = chance(made or tries[0]), chance(moves[0]) if moves else 0.0
            self.claim(
                bool(next_tries) or (self.reply is not None and pushed(self.after, self.reply).is_checkmate()), "?"
            )
        else:
            self.claim(self.belief.is_consistent, "judged by positions that do not fit")
            best = next(one for one in tries if not one["question"])
            self.claim(all(one["question"] == (one["legal"] < 0.3) for one in tries), "questions")
            self.claim(self.better is None or self.better.uci() == best["uci"], "another try is better in the table")
            before = chance(best)
            after = chance(made) if made else -1.0
        shown = (self.point["before"], self.point["after"])
        differences = abs(100 * before - shown[0]), abs(100 * after - shown[1])
        self.claim(max(differences) < 0.501, f"chances {shown}, not {before}, {after}")
        self.claim(shown[0] > shown[1], "nothing was lost")
        self.claim(theme == "lucky" or not self.after.is_checkmate(), "a mate is called worse")
        legal = sum(board.is_legal(self.move) for board in self.boards)
        self.claim(self.belief.is_exact or self.belief.boards >= FEWEST, "an error by too few samples")
        self.claim(self.is_all or self.after.is_checkmate() or legal >= FEWEST, "an error by too few positions")
        self.judge_limits(reader)

    def judge_limits(self, reader: Reader) -> None:
        """Check that no limit was in sight: at most four plies away, with the next turn's search."""
        limits = reader.view.limits
        ply = self.board.ply() - chess.Board(reader.view.start).ply()
        reach = 2 if self.point["theme"] != "surprise" else 4
        self.claim(limits.plies is None or ply + reach < limits.plies, "the limit was in sight")

    # The sentences

    def _castled(self, me: str) -> None:
        self.claim(me.lower() == self.me.lower() and self.board.is_castling(self.move), "did not castle")

    def _went(self, my: str, piece: str, square: str) -> None:
        self._moved(my, piece)
        self.claim(square == chess.square_name(self.move.to_square) and not loot(self.board, self.move)[0], "not there")

    def _captured(self, my: str, piece: str, taken: str, square: str, words: str | None) -> None:
        self._moved(my, piece)
        self.claim(loot(self.board, self.move) == (NAMES[taken], chess.parse_square(square)), "another capture")
        if words:
            self.count(words, self.move, lambda board, move: bool(loot(board, move)[0]))

    def _moved(self, my: str, piece: str) -> None:
        self.claim(my.lower() == self.my.lower(), f"not {my}")
        self.claim(self.board.piece_type_at(self.move.from_square) == NAMES[piece], f"no {piece}")

    def _lucky_mate(self, words: str) -> None:
        self.claim(self.after.is_checkmate(), "no mate")
        self.count(words, self.move, lambda board, move: pushed(board, move).is_checkmate())
        self.claim("better" not in self.point["text"], "a mate is called worse than another move")

    def _lucky(self) -> None:
        legal = [board for board in self.boards if board.is_legal(self.move)]
        rare = sum(bool(loot(board, self.move)[0]) for board in legal) * 2 <= len(legal)
        risky = sum(bool(price(board, self.move, self.move.to_square)) for board in legal) * 2 >= len(legal)
        self.claim(rare or risky, "no luck needed")

    def _gave(self, enemy: str, check: str | None, promoted: str | None) -> None:
        self.claim(enemy.lower() == self.enemy.lower() and self.reply is not None, enemy)
        if self.reply is not None:
            self.claim(not check or self.after.gives_check(self.reply), "no check")
            self.claim(not promoted or self.reply.promotion is not None, "no promotion")

    def _refused(self, number: str, my: str) -> None:
        events = self.reader.view.events[self.point["events"] + 1 :]
        own = [one for one in events if isinstance(one, OwnTry)]
        refused = next((at for at, one in enumerate(own) if one.announcement is not None), len(own))
        self.claim(int(number) == refused and my == self.my, f"{refused} refused")

    def _looked_better(self, me: str, name: str) -> None:
        made = next((one["value"] for one in self.tries.values() if one["uci"] == self.move.uci()), 0.0)
        self.find(name)
        self.claim(me == self.me and name in self.tries and self.tries[name]["value"] > made, f"{name} was no better")

    def _could_take(self, words: str, takers: str, piece: str, square: str, came: str) -> None:
        self.square = at = chess.parse_square(square)
        own = self.after.piece_at(at)
        self.claim(own is not None and own == chess.Piece(NAMES[piece], self.board.turn), f"no {piece} on {square}")
        self.count(words, self.move, lambda board, move: bool(price(board, move, at)))
        legal = [board for board in self.boards if board.is_legal(self.move)]
        self._kinds(takers, Counter(by for board in legal for by in price(board, self.move, at)))
        kind, where = (0, at) if self.reply is None else loot(self.after, self.reply)
        if kind and where == at and self.reply is not None:
            by = chess.piece_name(self.after.piece_type_at(self.reply.from_square) or 0)
            self.claim(came == f"{self.enemys} {by} took it", f"{came}?")
        else:
            self.claim(came == f"{self.enemy} did not", f"{came}?")

    def _kinds(self, words: str, counts: Counter[int]) -> None:
        """Check a list of types: it names all there are, or says that there are others."""
        named = [re.sub("^(?:a|the) ", "", one) for one in re.split(", | or ", words)]
        known = {NAMES[one] for one in named if one != "something else"}
        self.claim(known <= set(counts), f"{words}: not among {dict(counts)}")
        self.claim("something else" in named or known == set(counts), f"{words} leaves out some of {dict(counts)}")
        self.claim("something else" not in named or known < set(counts), f"{words}: nothing else")

    def _costs(self, me: str, cost: str, name: str, other: str) -> None:
        self.claim(me == self.me, me)
        best = self.find(name)
        mine = [board for board in self.boards if board.is_legal(self.move)]
        self.mean(cost, lambda board: max(price(board, self.move, self.square).values(), default=0), mine)
        origin = self.move.from_square if self.square == self.move.to_square else self.square
        at = best.to_square if origin == best.from_square else origin
        for corner, rook in ((chess.H1, chess.F1), (chess.A1, chess.D1), (chess.H8, chess.F8), (chess.A8, chess.D8)):
            if self.board.is_castling(best) and origin == corner and abs(best.to_square - corner) <= 2:
                at = rook
        theirs = [board for board in self.boards if board.is_legal(best)]
        self.mean(other, lambda board: max(price(board, best, at).values(), default=0), theirs)
        self.claim(float(cost) > float(other), "not dearer")

    def _illegal(self, name: str) -> None:
        self.claim(not self.board.is_legal(self.find(name)), f"{name} was legal")

    def _stalemate(self, words: str, real: str) -> None:
        self.count(words, self.move, lambda board, move: pushed(board, move).is_stalemate())
        self.claim((real == "including the real one") == self.after.is_stalemate(), real)

    def _better_stalemate(self, name: str, words: str) -> None:
        self.count(words, self.find(name), lambda board, move: pushed(board, move).is_stalemate(), name)

    def _would_mate(self, name: str, words: str, real: str) -> None:
        best = self.find(name)
        self.count(words, best, lambda board, move: pushed(board, move).is_checkmate(), of_all=True)
        is_real = self.board.is_legal(best) and pushed(self.board, best).is_checkmate()
        self.claim((real == "including the real one") == is_real, real)

    def _could_mate(self, enemy: str, words: str, came: str) -> None:
        self.claim(enemy.lower() == self.enemy.lower(), enemy)
        self.count(words, self.move, lambda board, move: mates(pushed(board, move)))
        did = self.reply is not None and pushed(self.after, self.reply).is_checkmate()
        self.claim((came == "did") == did, f"mate: {came}")

    def _better_mated(self, name: str, enemy: str, words: str) -> None:
        self.claim(enemy == self.enemy, enemy)
        self.count(words, self.find(name), lambda board, move: mates(pushed(board, move)), name)

    def _could_promote(self, enemy: str, words: str, came: str) -> None:
        self.claim(enemy.lower() == self.enemy.lower(), enemy)
        self.count(words, self.move, lambda board, move: any(one.promotion for one in pushed(board, move).legal_moves))
        self.claim((came == "did") == bool(self.reply and self.reply.promotion), f"promotion: {came}")

    def _better_promoted(self, name: str, enemy: str, words: str) -> None:
        self.claim(enemy == self.enemy, enemy)
        best = self.find(name)
        self.count(words, best, lambda board, move: any(one.promotion for one in pushed(board, move).legal_moves), name)

    def _just_captured(self, enemy: str, square: str) -> None:
        last = self.belief.view.last_announcement
        self.claim(enemy.lower() == self.enemy.lower() and last is not None, enemy)
        self.claim(last is not None and last.capture == chess.parse_square(square), f"no capture on {square}")

    def _would_win(self, name: str, kinds: str, words: str, real: str) -> None:
        best = self.best = self.find(name)
        self.count(words, best, lambda board, move: bool(loot(board, move)[0]), of_all=True)
        legal = [board for board in self.boards if board.is_legal(best)]
        self._kinds(kinds, Counter(kind for board in legal if (kind := loot(board, best)[0])))
        if not self.board.is_legal(best):
            expected = "though in the game it was illegal"
        else:
            kind = loot(self.board, best)[0]
            expected = f"and in the game a {chess.piece_name(kind)}" if kind else "though in the game nothing"
        self.claim(real == expected, f"{real!r} should be {expected!r}")

    def _wins(self, gain: str, other: str) -> None:
        for words, move in ((gain, self.best), (other, self.move)):
            self.mean(
                words,
                lambda board, move=move: POINTS.get(loot(board, move)[0], 0) if board.is_legal(move) else 0,  # type: ignore[misc]
                self.boards,
            )
        self.claim(float(gain) > float(other), "no gain")

    def _then_taken(self, enemy: str, piece: str, words: str) -> None:
        best = self.best
        self.claim(enemy == self.enemy, enemy)
        name = next((name for name, one in self.tries.items() if one["uci"] == best.uci()), "")
        self.claim((best.promotion or self.board.piece_type_at(best.from_square)) == NAMES[piece], f"no {piece}")
        self.count(words, best, lambda board, move: bool(price(board, move, move.to_square)), name)

    def _would_promote(self, name: str, words: str, real: str) -> None:
        best = self.find(name)
        self.claim(best.promotion is not None, "no promotion")
        self.count(words, best, lambda *_: True, of_all=True)
        self.claim((real == "and in the game, too") == self.board.is_legal(best), real)

    def _ahead(self, name: str, pawns: str) -> None:
        self.find(name)
        made = next(one["value"] for one in self.tries.values() if one["uci"] == self.move.uci())
        gained = (self.tries[name]["value"] - made) / 100
        is_right = gained >= 9 if pawns == "more than a queen" else abs(gained - float(pawns.split()[0])) < 0.051
        self.claim(is_right, f"{name} is not {pawns} better")

    def _then_mated(self, enemys: str, piece: str, square: str, words: str | None) -> None:
        self._replied(enemys, piece)
        assert self.reply is not None
        self.claim(pushed(self.after, self.reply).is_checkmate(), "no mate")
        self.claim(self.reply.to_square == chess.parse_square(square), square)
        if words:
            self.claim(self.belief.is_consistent, "counted on positions that do not fit")
            self.count(words, self.move, lambda board, move: mates(pushed(board, move)))

    def _then_took(self, enemys: str, piece: str, taken: str, square: str, words: str | None) -> None:
        self._replied(enemys, piece)
        assert self.reply is not None
        at = chess.parse_square(square)
        self.claim(loot(self.after, self.reply) == (NAMES[taken], at), "another capture")
        if words:
            self.claim(self.belief.is_consistent, "counted on positions that do not fit")
            self.count(words, self.move, lambda board, move: takes_on(pushed(board, move), at))

    def _replied(self, enemys: str, piece: str) -> None:
        self.claim(enemys.lower() == self.enemys.lower() and self.reply is not None, enemys)
        by = self.reply and self.after.piece_type_at(self.reply.from_square)
        self.claim(by == NAMES[piece], f"no {piece} of {enemys}")


def chance(one: TryValued) -> float:
    """Return the winning chance of a try's value."""
    return float(1 / (1 + 10 ** (-one["value"] / 400)))


def takes_on(board: chess.Board, square: chess.Square) -> bool:
    """Return True if the side to move can capture what stands on a square."""
    return any(loot(board, move) == (board.piece_type_at(square), square) for move in board.legal_moves)


def named(pattern: str) -> str:
    """Return a pattern with groups for <name:sort of word>."""
    words = {
        "side": SIDE, "owner": OWNER, "kind": KIND, "square": SQUARE, "try": TRY, "pawns": PAWNS, "list": LIST,
        "many": HOW_MANY, "Many": HOW_MANY.replace("in ", "[Ii]n "),
    }  # fmt: skip
    return re.sub(r"<(\w+):(\w+)>", lambda found: f"(?P<{found[1]}>{words[found[2]]})", pattern)


INCLUDING = "(?P<real>including the real one|though not in the real one)"
CAME = "(?P<came>did not|did)"
IN_GAME = f"(?P<real>though in the game it was illegal|though in the game nothing|and in the game a (?:{KIND}))"
FORMS: list[tuple[str, Callable[..., None]]] = [
    (r"<me:side> castled\.", Page._castled),
    (r"<my:owner> <piece:kind> went to <square:square>\.", Page._went),
    (
        r"<my:owner> <piece:kind> captured a <taken:kind> on <square:square>"
        r"(?:; there was something to capture <words:many>)?\.",
        Page._captured,
    ),
    (r"That was mate, and lucky: it was mate <words:many>\.", Page._lucky_mate),
    (r"That was lucky\.", Page._lucky),
    (r"By what <me:side> knew, <name:try> was better\.", Page._looked_better),
    (r"In the game <name:try> was illegal\.", Page._illegal),
    (
        rf"<words:Many>, <takers:list> could take the <piece:kind> on <square:square> and come out ahead; "
        rf"(?P<came>{SIDE} did not|{OWNER} (?:{KIND}) took it)\.",
        Page._could_take,
    ),
    (
        r"On average that costs <me:side> <cost:pawns> pawns?; with <name:try> it would be <other:pawns> pawns?\.",
        Page._costs,
    ),
    (rf"That was stalemate <words:many>, {INCLUDING}\.", Page._stalemate),
    (r"After <name:try> it would be stalemate <words:many>\.", Page._better_stalemate),
    (rf"<name:try> would have mated <words:many>, {INCLUDING}\.", Page._would_mate),
    (rf"<enemy:side> could mate at once <words:many>, and {CAME}\.", Page._could_mate),
    (r"After <name:try> <enemy:side> could mate <words:many>\.", Page._better_mated),
    (rf"<enemy:side> could promote a pawn at once <words:many>, and {CAME}\.", Page._could_promote),
    (r"After <name:try> <enemy:side> could promote <words:many>\.", Page._better_promoted),
    (r"<enemy:side> had just captured on <square:square>\.", Page._just_captured),
    (rf"<name:try> would have (?:recaptured|won) <kinds:list> <words:many>, {IN_GAME}\.", Page._would_win),
    (r"On average it wins <gain:pawns> pawns?, and the move made <other:pawns> pawns?\.", Page._wins),
    (r"Then <enemy:side> could take the <piece:kind> and come out ahead <words:many>\.", Page._then_taken),
    (
        r"<name:try> was legal <words:many>, (?P<real>and in the game, too|though not in the game)\.",
        Page._would_promote,
    ),
    (
        r"Looking one move of each side ahead, <name:try> comes out better, by "
        rf"(?P<pawns>{PAWNS} pawns?|more than a queen)\.",
        Page._ahead,
    ),
    (
        r"<enemy:side> then (?P<check>gave check)?(?: and )?(?P<promoted>promoted a pawn)?\.",
        Page._gave,
    ),
    (r"Then the referee refused (?P<number>\d+) of <my:owner> tries\.", Page._refused),
    (
        r"<enemys:owner> <piece:kind> then mated on <square:square>"
        r"(?:; (?:White|Black|you) could mate <words:many>)?\.",
        Page._then_mated,
    ),
    (
        r"<enemys:owner> <piece:kind> then took the <taken:kind> on <square:square>"
        r"(?:; (?:White|Black|you) could take it <words:many>)?\.",
        Page._then_took,
    ),
]
SENTENCES = [(named(pattern), read) for pattern, read in FORMS]
