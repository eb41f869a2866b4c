// Arrows and circles that a person draws over the board, with the right button or with Shift and Enter. They never leave
// the page; a click removes them.

import { arrowShapes, shape } from "./diagram.js";

const SIZE = 45; // of a square

export class Sketch {
  constructor() {
    this.arrows = []; // as "e2e4"; a circle is an arrow from a square to itself
    this.start = null; // of the next arrow
    this.layer = shape("svg", { viewBox: `0 0 ${8 * SIZE} ${8 * SIZE}`, class: "sketch", "aria-hidden": "true" });
  }

  /** Selects a square; the second one ends an arrow, or removes an arrow that is there. */
  select(square) {
    if (this.start === null) {
      this.start = square;
      return;
    }
    const arrow = this.start + square;
    this.arrows = this.arrows.includes(arrow) ? this.arrows.filter((other) => other !== arrow) : [...this.arrows, arrow];
    this.start = null;
  }

  wipe() {
    [this.arrows, this.start] = [[], null];
  }

  draw(isFlipped) {
    const centre = (square) => [square.charCodeAt(0) - 97, 8 - square[1]].map((at) => SIZE * ((isFlipped ? 7 - at : at) + 0.5));
    this.layer.replaceChildren(...this.arrows.flatMap((arrow) => {
      const [from, to] = [centre(arrow.slice(0, 2)), centre(arrow.slice(2))];
      const isCircle = arrow.slice(0, 2) === arrow.slice(2);
      return isCircle ? [shape("circle", { cx: from[0], cy: from[1], r: 20, class: "circle" })] : arrowShapes(from, to, "arrow");
    }));
  }

  /** The arrows from a square, in words. */
  words(square) {
    const ends = this.arrows.filter((arrow) => arrow.startsWith(square)).map((arrow) => arrow.slice(2));
    const words = ends.map((end) => (end === square ? "circled" : `arrow to ${end}`));
    return this.start === square ? [...words, "an arrow begins here"] : words;
  }
}
