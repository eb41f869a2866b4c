// Two curves of a game: the score that each side could expect by its own search, and how much of the enemy it knew.

import { make } from "./make.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [600, 90];
const SIDES = ["white", "black"];

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Pawns become points as in ratings: a pawn up is 0.64 of a point, since ten times the odds are four pawns. */
const score = (centipawns) => 1 / (1 + 10 ** (-centipawns / 400));

const CURVES = [
  { title: "Expected score", of: (look, side) => (look.mover === side && look.tries.length ? score(look.tries[0].value) : null) },
  { title: "Enemy pieces known", of: (look, side) => (look[side].men ? look[side].placed / look[side].men : null) },
];

/** The curves as far as moments were looked at; show(at) is called with the number of a moment that is clicked. */
export function graphs(count, looks, at, show) {
  const x = (moment) => (WIDTH * moment) / Math.max(1, count - 1);
  return CURVES.map(({ title, of }) => {
    const picture = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "graph", role: "img" });
    picture.append(shape("line", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2, class: "middle" }));
    const ends = [];
    for (const side of SIDES) {
      const points = [];
      for (let moment = 0; moment < count; moment++) {
        const value = looks.has(moment) ? of(looks.get(moment), side) : null;
        if (value !== null) points.push([x(moment), HEIGHT * (1 - value), value]);
      }
      picture.append(shape("polyline", { points: points.map(([right, down]) => `${right.toFixed(1)},${down.toFixed(1)}`).join(" "), class: `curve ${side}` }));
      if (points.length) ends.push(`${side} from ${Math.round(100 * points[0][2])} to ${Math.round(100 * points.at(-1)[2])}%`);
    }
    picture.append(shape("line", { x1: x(at), x2: x(at), y1: 0, y2: HEIGHT, class: "now-line" }));
    picture.setAttribute("aria-label", `${title}: ${ends.join(", ")}`);
    picture.onclick = (event) => {
      const { left, width } = picture.getBoundingClientRect();
      show(Math.round(((event.clientX - left) / width) * (count - 1)));
    };
    const key = SIDES.map((side) => make("span", { className: `key-of ${side}` }, side === "white" ? "White" : "Black"));
    return make("figure", {}, make("figcaption", {}, `${title} (percent) `, ...key), picture);
  });
}
