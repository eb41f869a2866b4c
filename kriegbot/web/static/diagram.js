// A board to look at: pieces, chances of unseen pieces, signs and an arrow. For screen readers it is one picture, whose
// label lists the pieces.

const SVG = "http://www.w3.org/2000/svg";
const SIZE = 45; // of a square, as of the pieces in the sprite
const KINDS = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
export const SIGNS = { right: "✓", wrong: "✗", missed: "!" };

/** A chance in percent, which is 0 or 100 only if it is certain. */
export const percentOf = (chance) => (chance <= 0 ? 0 : chance > 0.9995 ? 100 : Math.min(99, Math.max(1, Math.round(100 * chance))));

/** An SVG element. */
export function shape(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** An arrow between two points, on a board with squares of `SIZE`. */
export function arrowShapes([x1, y1], [x2, y2], kind) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - 16 * dx, y2 - 16 * dy];
  const head = [[x2 - 4 * dx, y2 - 4 * dy], [bx - 7 * dy, by + 7 * dx], [bx + 7 * dy, by - 7 * dx]];
  return [
    shape("line", { x1: x1 + 10 * dx, y1: y1 + 10 * dy, x2: bx, y2: by, class: kind }),
    shape("polygon", { points: head.map((at) => at.join()).join(" "), class: kind }),
  ];
}

/** The pieces in words: "white king e1, rooks a1 h1; black king e8". */
export function inWords(men) {
  const sides = ["white", "black"].map((side) => {
    const parts = Object.entries(KINDS).flatMap(([letter, name]) => {
      const wanted = side === "white" ? letter.toUpperCase() : letter;
      const squares = Object.keys(men).filter((square) => men[square] === wanted);
      return squares.length ? [`${name}${squares.length > 1 ? "s" : ""} ${squares.join(" ")}`] : [];
    });
    return parts.length ? `${side} ${parts.join(", ")}` : "";
  });
  return sides.filter(Boolean).join("; ") || "no pieces";
}

export class Diagram {
  constructor(element, { label, flipped }) {
    this.label = label;
    this.flipped = flipped;
    const names = shape("g", {});
    [this.ground, this.layer] = [shape("g", {}), shape("g", {})];
    this.svg = shape("svg", { viewBox: `0 0 ${8 * SIZE} ${8 * SIZE}`, role: "img", class: "diagram" });
    for (let square = 0; square < 64; square++) {
      const [x, y] = this.corner(square);
      const shade = ((square % 8) + Math.floor(square / 8)) % 2 ? "light" : "dark";
      this.svg.append(shape("rect", { x, y, width: SIZE, height: SIZE, class: shade }));
      if (x === 0) names.append(shape("text", { x: 2, y: y + 10, class: "name" }, 1 + Math.floor(square / 8)));
      if (y === 7 * SIZE) {
        const file = "abcdefgh"[square % 8];
        names.append(shape("text", { x: x + SIZE - 2, y: y + SIZE - 3, class: "name file" }, file));
      }
    }
    this.svg.append(this.ground, names, this.layer);
    element.append(this.svg);
  }

  /**
   * men: {square: letter of a piece}; hidden: the same, for pieces that this side does not see; marks: squares of captures;
   * heat: 64 chances or null; signs: {square: key of SIGNS}; arrow: {uci, refused} or null.
   */
  show({ men, hidden = {}, marks = [], heat = null, signs = {}, arrow = null }) {
    this.ground.replaceChildren();
    this.layer.replaceChildren();
    const square = (name) => "abcdefgh".indexOf(name[0]) + 8 * (Number(name[1]) - 1);
    const cover = (at, attributes) => {
      const [x, y] = this.corner(at);
      this.ground.append(shape("rect", { x, y, width: SIZE, height: SIZE, ...attributes }));
    };
    for (const name of marks) cover(square(name), { class: "fallen" });
    heat?.forEach((chance, at) => chance >= 0.005 && cover(at, { class: "heat", "fill-opacity": 0.9 * chance }));
    for (const [name, letter] of Object.entries(hidden)) this.place(square(name), letter, "unseen");
    for (const [name, letter] of Object.entries(men)) this.place(square(name), letter, "man");
    const occupied = new Set([...Object.keys(men), ...Object.keys(hidden)].map(square));
    heat?.forEach((chance, at) => chance >= 0.005 && this.write(at, SIZE / 2, occupied.has(at) ? 43 : 27, percentOf(chance), "chance"));
    for (const [name, key] of Object.entries(signs)) {
      const [x, y] = this.corner(square(name));
      this.layer.append(shape("circle", { cx: x + 36, cy: y + 9, r: 8, class: `sign ${key}` }));
      this.write(square(name), 36, 13.5, SIGNS[key], "sign-text");
    }
    if (arrow && arrow.uci !== "0000") this.point(square(arrow.uci.slice(0, 2)), square(arrow.uci.slice(2, 4)), arrow.refused);
    this.svg.setAttribute("aria-label", `${this.label}: ${inWords(men)}`);
  }

  /** The top left corner of a square. */
  corner(square) {
    const [file, rank] = [square % 8, Math.floor(square / 8)];
    return [SIZE * (this.flipped ? 7 - file : file), SIZE * (this.flipped ? rank : 7 - rank)];
  }

  place(square, letter, kind) {
    const [x, y] = this.corner(square);
    const name = (letter === letter.toUpperCase() ? "w" : "b") + letter.toUpperCase();
    this.layer.append(shape("use", { href: `#${name}`, x, y, width: SIZE, height: SIZE, class: kind }));
  }

  write(square, right, down, text, kind) {
    const [x, y] = this.corner(square);
    this.layer.append(shape("text", { x: x + right, y: y + down, class: kind }, text));
  }

  point(from, to, refused) {
    const ends = [from, to].map((at) => this.corner(at).map((side) => side + SIZE / 2));
    this.layer.append(...arrowShapes(...ends, refused ? "arrow refused" : "arrow"));
  }
}
