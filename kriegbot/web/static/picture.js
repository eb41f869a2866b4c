// What Kriegspiel is, in one picture: the same moment as White, the referee and Black see it, and what was said.

import { Diagram } from "./diagram.js";
import { make } from "./make.js";

const CAPTURED = "d5";
const MEN = { white: men("RNBQKBNR", 1, "PPPP.PPP", 2), black: men("rnbqkbnr", 8, "ppp.pppp", 7) };
MEN.white[CAPTURED] = "P";

function men(pieces, home, pawns, second) {
  const placed = {};
  for (const [letters, rank] of [[pieces, home], [pawns, second]]) {
    [...letters].forEach((letter, file) => letter !== "." && (placed["abcdefgh"[file] + rank] = letter));
  }
  return placed;
}

/** Draws it into an empty element: after 1. e4 d5 2. exd5. */
export function drawPicture(element) {
  const boards = { "White sees": MEN.white, "The referee sees": { ...MEN.white, ...MEN.black }, "Black sees": MEN.black };
  for (const [label, shown] of Object.entries(boards)) {
    const place = make("div", {}, make("b", {}, label));
    new Diagram(place, { label, flipped: false }).show({ men: shown, marks: [CAPTURED] });
    element.append(place);
  }
}
