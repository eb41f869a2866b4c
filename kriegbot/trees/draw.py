"""Pictures of game trees as SVG: dashed lines join information sets, chosen alternatives are thick."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, pairwise
from xml.sax.saxutils import escape

from kriegbot.trees.tree import Chance, Decision, Leaf, Node, Number, Strategy, Tree, TreeError
from referee.text import one_line

MOST_NODES = 1000  # of a tree; a larger picture would be unreadable
COLORS = ("#1f6fb2", "#c0392b", "#2e8b57", "#8e44ad", "#b8860b", "#008b8b")
"""Colours of the players, in turn."""
INK, FAINT = "#333333", "#9a9a9a"
LEVEL = 84  # pixels from a node down to its children
MARGIN, HEAD, LINE, RADIUS, CHARACTER, NARROWEST = 36, 64, 15, 7, 6.8, 34.0
ALONG = 0.62  # position of an action's name along its edge, as a share of the edge
LONGEST = 18  # longer names are cut to this many characters


@dataclass(frozen=True, slots=True)
class Layout:
    """Places of the nodes and size of the picture, in pixels."""

    places: Mapping[Node, tuple[float, float]]
    width: float
    height: float


def svg(tree: Tree, strategy: Strategy | None = None) -> str:
    """Draw a tree, with thick lines where `strategy` chooses; raise TreeError if it has more than MOST_NODES nodes."""
    if sum(1 for _ in tree.nodes()) > MOST_NODES:
        raise TreeError(f"a picture shows at most {MOST_NODES} nodes, and this tree has more")
    layout = lay_out(tree)
    width, height = round(layout.width), round(layout.height)
    lines, labels, marks = list[str](), list[str](), list[str]()
    for node, (x, y) in layout.places.items():
        texts, color = _texts_at(node), _color(node)
        if isinstance(node, Leaf):
            for player, payoff in enumerate(texts):
                marks.append(_text(x, y + LINE * (player + 0.9), payoff, COLORS[player % len(COLORS)]))
            continue
        chosen = (strategy or {}).get(node.key) if isinstance(node, Decision) else None
        for index, child in enumerate(node.children):
            to_x, to_y = layout.places[child]
            stroke, thickness, weight = (color, 4, 'font-weight="bold"') if index == chosen else (FAINT, 1.2, "")
            ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}"'
            lines.append(f'<line {ends} stroke="{stroke}" stroke-width="{thickness}"/>')
            at_x, at_y = x + ALONG * (to_x - x), y + ALONG * (to_y - y)
            for above, text in enumerate(reversed(_labels_of(node, index))):
                labels.append(_text(at_x, at_y - LINE * above, text, color, halo=True, more=weight))
        if isinstance(node, Chance):
            corners = f"{x:.1f},{y - 8:.1f} {x + 8:.1f},{y:.1f} {x:.1f},{y + 8:.1f} {x - 8:.1f},{y:.1f}"
            marks.append(f'<polygon points="{corners}" fill="white" stroke="{INK}" stroke-width="1.5"/>')
        else:
            marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}" fill="{color}"/>')
        marks.append(_text(x, y - 12, texts[0], color, halo=True, more='font-style="italic"'))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="{width}" height="{height}" fill="white"/>'
    )
    parts = [head, *_heading(tree), *lines, *_information_sets(tree, layout), *labels, *marks, "</svg>", ""]
    return "\n".join(parts)


def lay_out(tree: Tree) -> Layout:
    """Place all nodes, first in columns and levels, then in pixels, with columns as wide as texts need."""
    levels = {node: depth for depth, node in tree.with_depth()}
    nodes = list(levels)
    columns: dict[Node, float] = dict(zip((node for node in nodes if isinstance(node, Leaf)), count(0.5), strict=False))
    for node in reversed(nodes):  # children before their parents
        if not isinstance(node, Leaf):
            columns[node] = (columns[node.children[0]] + columns[node.children[-1]]) / 2
    column = _column(nodes, columns, levels)
    places = {node: (MARGIN + column * columns[node], HEAD + LEVEL * levels[node]) for node in nodes}
    leaves = sum(isinstance(node, Leaf) for node in nodes)
    text = CHARACTER * max(len(tree.title) * 1.3, sum(len(_short(name)) + 5 for name in tree.players))
    height = HEAD + LEVEL * tree.depth + LINE * len(tree.players) + MARGIN
    return Layout(places, 2 * MARGIN + max(column * leaves, text), height)


def _column(nodes: Sequence[Node], columns: Mapping[Node, float], levels: Mapping[Node, int]) -> float:
    """Return the least width of a column at which no text touches the next one on its level."""
    column = NARROWEST
    last: dict[int, Node] = {}
    for node in nodes:
        before = last.get(levels[node])
        if before is not None:
            texts = _width(_texts_at(before)) + _width(_texts_at(node))
            column = max(column, texts / 2 / (columns[node] - columns[before]))
        last[levels[node]] = node
        if not isinstance(node, Leaf):
            for (index, child), (next_index, next_child) in pairwise(enumerate(node.children)):
                texts = _width(_labels_of(node, index)) + _width(_labels_of(node, next_index))
                column = max(column, texts / 2 / ALONG / (columns[next_child] - columns[child]))
    return column


def _width(texts: Sequence[str]) -> float:
    return CHARACTER * max((len(text) for text in texts), default=0) + 10


def _information_sets(tree: Tree, layout: Layout) -> Iterator[str]:
    """Yield a dashed line and its halo through each set of several nodes, arched over nodes that stand between them."""
    rows: dict[float, list[float]] = {}
    for x, y in layout.places.values():
        rows.setdefault(y, []).append(x)
    for (player, _), nodes in tree.information_sets.items():
        if len(nodes) == 1:
            continue
        places = sorted(layout.places[node] for node in nodes)
        path = "M {:.1f} {:.1f}".format(*places[0])
        for (x, y), (to_x, to_y) in pairwise(places):
            between = y == to_y and any(x < other < to_x for other in rows[y])
            arch = min(26.0, 0.06 * (to_x - x) + 10) if between else 0.0
            path += f" Q {(x + to_x) / 2:.1f} {(y + to_y) / 2 - 2 * arch:.1f} {to_x:.1f} {to_y:.1f}"
        color = COLORS[player % len(COLORS)]
        yield f'<path d="{path}" fill="none" stroke="{color}" stroke-width="20" opacity="0.13" stroke-linecap="round"/>'
        yield f'<path d="{path}" fill="none" stroke="{color}" stroke-width="1.6" stroke-dasharray="6 4"/>'


def _heading(tree: Tree) -> Iterator[str]:
    if tree.title:
        yield _text(MARGIN, 22, one_line(tree.title), INK, more='font-size="15" font-weight="bold"', anchor="start")
    names = [
        f'<tspan fill="{COLORS[player % len(COLORS)]}" dx="{2 * CHARACTER}">\u25cf {escape(_short(name))}</tspan>'
        for player, name in enumerate(tree.players)
    ]
    yield f'<text y="42" x="{MARGIN - 2 * CHARACTER}">{"".join(names)}</text>'


def _labels_of(node: Chance | Decision, index: int) -> list[str]:
    """Return the lines of text at an edge: the name of the action, and for chance the probability."""
    name = [_short(node.actions[index])] if node.actions else []
    return name + ([_amount(node.probabilities[index])] if isinstance(node, Chance) else [])


def _texts_at(node: Node) -> list[str]:
    """Return the lines of text at a node: payoffs, the information set, or the name of a node of chance."""
    if isinstance(node, Leaf):
        return [_amount(payoff) for payoff in node.payoffs]
    return [_short(node.name if isinstance(node, Chance) else node.information_set)]


def _amount(number: Number) -> str:
    if isinstance(number, Fraction) and len(str(number)) <= 9:
        return str(number)
    return str(number) if isinstance(number, int) and abs(number) < 10**9 else f"{float(number):.4g}"


def _short(text: str) -> str:
    return one_line(text, LONGEST)


def _color(node: Node) -> str:
    return COLORS[node.player % len(COLORS)] if isinstance(node, Decision) else INK


def _text(x: float, y: float, text: str, color: str, halo: bool = False, more: str = "", anchor: str = "middle") -> str:
    around = ' paint-order="stroke" stroke="white" stroke-width="7" stroke-linejoin="round"' if halo else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{color}"{around} {more}>{escape(text)}</text>' if text else ""
