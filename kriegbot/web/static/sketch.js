// Arrows and circles that a person draws over the board, with the right button or with Shift and Enter: notes that never
// leave the page, and are wiped off by a click.

import { arrowShapes, shape } from "./diagram.js";

const SIZE = 45; // of a square

export class Sketch {
  constructor() {
    this.ways = []; // as "e2e4"; a circle is an arrow from a square to itself
    this.start = null; // where the next one begins
    this.layer = shape("svg", { viewBox: `0 0 ${8 * SIZE} ${8 * SIZE}`, class: "sketch", "aria-hidden": "true" });
  }

  /** A square is named; the second one ends an arrow, or takes away one that is there. */
  name(square) {
    if (this.start === null) {
      this.start = square;
      return;
    }
    const way = this.start + square;
    this.ways = this.ways.includes(way) ? this.ways.filter((other) => other !== way) : [...this.ways, way];
    this.start = null;
  }

  wipe() {
    [this.ways, this.start] = [[], null];
  }

  draw(isFlipped) {
    const centre = (square) => [square.charCodeAt(0) - 97, 8 - square[1]].map((at) => SIZE * ((isFlipped ? 7 - at : at) + 0.5));
    this.layer.replaceChildren(...this.ways.flatMap((way) => {
      const [from, to] = [centre(way.slice(0, 2)), centre(way.slice(2))];
      const isCircle = way.slice(0, 2) === way.slice(2);
      return isCircle ? [shape("circle", { cx: from[0], cy: from[1], r: 20, class: "circle" })] : arrowShapes(from, to, "arrow");
    }));
  }

  /** What is drawn from a square, in words. */
  words(square) {
    const ends = this.ways.filter((way) => way.startsWith(square)).map((way) => way.slice(2));
    const words = ends.map((end) => (end === square ? "circled" : `arrow to ${end}`));
    return this.start === square ? [...words, "an arrow begins here"] : words;
  }
}
