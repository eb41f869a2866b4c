// Two curves of a game: each side's expected score by its own search, and the share of enemy pieces that it knew.

import { shape } from "./diagram.js";
import { make } from "./make.js";

const [WIDTH, HEIGHT] = [600, 90];
const SIDES = ["white", "black"];

/** The expected score: four pawns make the odds ten to one, so a pawn up scores 0.64. */
const score = (centipawns) => 1 / (1 + 10 ** (-centipawns / 400));

const CURVES = [
  { title: "Winning chances", of: (look, side) => (look.mover === side && look.tries.length ? score(look.tries.find((one) => !one.question).value) : null) },
  { title: "Enemy pieces known", of: (look, side) => (look[side].men ? look[side].placed / look[side].men : null) },
];

/** The curves through the analysed moments, with marks at the turning points. A click calls show(at) with the number of a moment. */
export function graphs(count, looks, at, points, show) {
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
    for (const { index, side } of points) picture.append(shape("line", { x1: x(index), x2: x(index), y1: 0, y2: HEIGHT, class: `point ${side}` }));
    picture.append(shape("line", { x1: x(at), x2: x(at), y1: 0, y2: HEIGHT, class: "now-line" }));
    picture.setAttribute("aria-label", `${title}: ${ends.join(", ")}`);
    picture.onclick = (event) => {
      const { left, width } = picture.getBoundingClientRect();
      show(Math.round(((event.clientX - left) / width) * (count - 1)));
    };
    const key = SIDES.map((side) => make("span", { className: `key-of ${side}` }, side === "white" ? "White" : "Black"));
    const [top, bottom] = ["100%", "0%"].map((text) => make("span", { className: "scale", "aria-hidden": true }, text));
    return make("figure", {}, make("figcaption", {}, title, ...key), top, picture, bottom);
  });
}
