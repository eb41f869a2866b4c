"""A game as an animation: the boards, beliefs and announcements of sides, and after its end the true board.

python-chess (`chess.svg`) draws boards and pieces. The pictures of one SVG take turns by SMIL, which also plays in an
<img>, where browsers run no script and load nothing.
"""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

import chess
import chess.svg

from kriegbot.belief.timeline import BeliefSnapshot, BeliefTimeline
from kriegbot.narration.diary import Entry, gathered, side_name
from kriegbot.narration.helping import PARTICLES, SEED
from kriegbot.narration.moments import Moment, ending, moments
from kriegbot.narration.names import PERSON, YOU, both_named
from referee import GameRecord, OwnTry

SIDE, HEAD, FOOT, MARGIN = 390, 30, 68, 15
"""Pixels: a board with its margin as `chess.svg` draws it, the title above, the announcements below, the margin."""
FONT, MAX_LETTERS, MAX_LINES, MAX_REFUSED = 15, 42, 3, 5
PAPER, INK, SHADE = "#faf7f1", "#23201b", "#d1450b"
LAST, BAD = (f'fill="none" stroke="{color}" stroke-width="4"' for color in ("#1d6b3a", "#b00020"))
COLORS = {"square light": "#eedfc3", "square dark": "#c9a877", "margin": PAPER, "coord": "#645d52"}
MIN_SHADING, MIN_PIECE = 0.02, 0.2  # least chances to draw: of any piece as shading, of one type as a pale piece
LAST_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Picture:
    """One of the pictures of a game."""

    boards: list[str]  # the SVG contents of each board, from left to right
    bottom: chess.Color  # the side at the bottom
    texts: list[tuple[int, int, str, str]]  # x, y (the baseline), the text, and "start" or "end": the end that is at x
    seconds: float  # duration


def pictures(record: GameRecord, sides: Sequence[chess.Color], *, has_belief: bool) -> Iterator[Picture]:
    """Yield the pictures of a game: the start, one for a turn's refused tries, one for its move. Raise RecordError.

    A side's board shows only what that side knew. The true board comes last, if the game has ended.
    """
    referee = record.referee()
    timelines = {color: BeliefTimeline(PARTICLES, SEED) for color in sides if has_belief}
    names = " - ".join(PERSON if name == YOU else name for name in both_named(record.headers))  # others look at it
    captions = {f"{side_name(color)}'s board": f"{names}. {record.rules.title} rules." for color in sides}
    ply, count, bottom = 0, len(record.turns), sides[0]
    for _, grouped in groupby(moments(record), lambda one: _is_refused(one) or object()):
        turn = list(grouped)
        moment = turn[-1]
        ply += moment.event is not None and not _is_refused(moment)
        new = [_caption([entry for one in turn for entry in one.news[side_name(color)]]) for color in sides]
        if moment.event is not None and not any(new):
            continue  # the opponent's refusals, under rules that hide them
        captions = {title: text or captions[title] for title, text in zip(captions, new, strict=True)}
        counts = moment.event_counts
        beliefs = {color: one.at(referee.view(color), counts[color]) for color, one in timelines.items()}
        boards = ["".join(_board(turn, color, bottom, beliefs.get(color))) for color in sides]
        seconds = 0.4 + 0.015 * max(map(len, captions.values()))  # to look, and to read
        bases = [f", {one.basis}" if one else "" for one in (beliefs.get(color) for color in sides)]
        shown = [(f"{title}{basis}", text) for (title, text), basis in zip(captions.items(), bases, strict=True)]
        yield Picture(boards, bottom, list(_texts(shown, f"{ply} of {count}")), seconds)
    if record.end is not None:
        pieces = "".join(_piece(square, piece, bottom) for square, piece in sorted(moment.men["referee"].items()))
        last = [("The true board", ending(record))] * len(sides)
        yield Picture([pieces] * len(sides), bottom, list(_texts(last, f"{ply} of {count}")), LAST_SECONDS)


def _is_refused(moment: Moment) -> bool:
    return moment.event is not None and (not isinstance(moment.event, OwnTry) or moment.event.announcement is None)


def _caption(entries: Sequence[Entry]) -> str:
    lines = [line.removeprefix(entry.place).strip() for entry, line in gathered(entries)]
    if len(lines) > MAX_REFUSED + 1:
        lines[MAX_REFUSED:] = [f"And {len(lines) - MAX_REFUSED} more."]
    return " ".join([*(entry.place for entry in entries[:1]), *lines]).strip()


def _texts(written: Iterable[tuple[str, str]], counter: str) -> Iterator[tuple[int, int, str, str]]:
    left = MARGIN
    for title, caption in written:
        yield left, HEAD - 9, title, "start"
        lines = textwrap.wrap(caption, MAX_LETTERS, max_lines=MAX_LINES, placeholder=" ...")
        yield from ((left, HEAD + SIDE + 14 + 20 * row, line, "start") for row, line in enumerate(lines))
        left += SIDE
    yield left - 2 * MARGIN, HEAD - 9, counter, "end"


def still(picture: Picture) -> str:
    """Return a picture as SVG, without its texts."""
    return _svg(picture, _beside(picture.boards))


def animated(shown: Sequence[Picture]) -> str:
    """Return one SVG that shows pictures one after another, again and again."""
    total, begin, groups = sum(picture.seconds for picture in shown), 0.0, []
    for number, picture in enumerate(shown):
        points = [(0.0, "hidden"), (begin / total, "visible"), ((begin := begin + picture.seconds) / total, "hidden")]
        points = points[number == 0 : 2 if picture is shown[-1] else 3]
        times, states = ";".join(f"{at:.5f}" for at, _ in points), ";".join(state for _, state in points)
        groups.append(
            f'<g visibility="{points[0][1]}"><animate attributeName="visibility" values="{states}" keyTimes="{times}" '
            f'dur="{total:.2f}s" calcMode="discrete" repeatCount="indefinite"/>{_beside(picture.boards)}'
        )
        for x, y, text, anchor in picture.texts:
            groups.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>')
        groups.append("</g>")
    return _svg(shown[0], "".join(groups))


def _svg(picture: Picture, drawn: str) -> str:
    width, height = SIDE * len(picture.boards), HEAD + SIDE + FOOT
    empty = chess.svg.board(None, orientation=picture.bottom, colors=COLORS, size=SIDE)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="system-ui, sans-serif" font-size="{FONT}" fill="{INK}"><rect width="100%" height="100%" '
        f'fill="{PAPER}"/><defs>{"".join(chess.svg.PIECES.values())}</defs>{_beside([empty] * len(picture.boards))}'
        f"{drawn}</svg>"
    )


def _beside(boards: Iterable[str]) -> str:
    return "".join(f'<g transform="translate({SIDE * at},{HEAD})">{one}</g>' for at, one in enumerate(boards))


def _board(turn: list[Moment], color: chess.Color, bottom: chess.Color, belief: BeliefSnapshot | None) -> Iterator[str]:
    """Yield a side's board after a turn's refused tries or after its move: the belief, its pieces, its tries."""
    moment, event = turn[-1], turn[-1].event
    men = moment.men[side_name(color)]
    for square, chances in enumerate([] if belief is None else belief.chances.T):
        if (chance := float(chances.sum())) >= MIN_SHADING:
            yield _square(square, bottom, f'fill="{SHADE}" opacity="{0.8 * chance:.2f}"')
        if (chance := float(chances.max())) >= MIN_PIECE:
            piece = chess.Piece(int(chances.argmax()) + 1, not color)
            yield _piece(square, piece, bottom, f' opacity="{0.6 * chance:.2f}"')
    yield from (_square(square, bottom, BAD) for square in moment.marks)
    if isinstance(event, OwnTry) and event.announcement is not None and moment.mover == color:
        yield from (_square(square, bottom, LAST) for square in (event.move.from_square, event.move.to_square))
    elif isinstance(event, OwnTry) and event.announcement is not None and event.announcement.checks:
        yield from (_square(square, bottom, BAD) for square, piece in men.items() if piece.piece_type == chess.KING)
    yield from (_piece(square, piece, bottom) for square, piece in sorted(men.items()))
    tried = [one.event.move for one in turn if isinstance(one.event, OwnTry)]
    for move in dict.fromkeys(tried) if moment.mover == color and _is_refused(moment) else ():
        (x, y), (to_x, to_y) = _corner(move.from_square, bottom), _corner(move.to_square, bottom)
        path = f"M{x + 22} {y + 22}L{to_x + 22} {to_y + 22}"
        yield f'<path {BAD} stroke-dasharray="6 5" d="{path}"/><circle {BAD} cx="{to_x + 22}" cy="{to_y + 22}" r="4"/>'


def _corner(square: chess.Square, bottom: chess.Color) -> tuple[int, int]:
    file, rank = chess.square_file(square), chess.square_rank(square)
    column, row = (file, 7 - rank) if bottom == chess.WHITE else (7 - file, rank)
    return MARGIN + 45 * column, MARGIN + 45 * row


def _square(square: chess.Square, bottom: chess.Color, style: str) -> str:
    x, y = _corner(square, bottom)
    return f'<path {style} d="M{x} {y}h45v45h-45z"/>'


def _piece(square: chess.Square, piece: chess.Piece, bottom: chess.Color, style: str = "") -> str:
    x, y = _corner(square, bottom)
    name = f"{chess.COLOR_NAMES[piece.color]}-{chess.piece_name(piece.piece_type)}"
    return f'<use href="#{name}" x="{x}" y="{y}"{style}/>'
