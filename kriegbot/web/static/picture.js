// Kriegspiel in one picture: the same moment as White, the referee and Black see it.

import { Diagram } from "./diagram.js";
import { make } from "./make.js";

const CAPTURED = "d5";
const PIECES = { white: placed("RNBQKBNR", 1, "PPPP.PPP", 2), black: placed("rnbqkbnr", 8, "ppp.pppp", 7) };
PIECES.white[CAPTURED] = "P";

function placed(pieces, home, pawns, second) {
  const squares = {};
  for (const [letters, rank] of [[pieces, home], [pawns, second]]) {
    [...letters].forEach((letter, file) => letter !== "." && (squares["abcdefgh"[file] + rank] = letter));
  }
  return squares;
}

/** Draws the board after 1. e4 d5 2. exd5, and buttons for who looks, into an empty element. */
export function drawPicture(element) {
  const boards = { "White sees": PIECES.white, "The referee sees": { ...PIECES.white, ...PIECES.black }, "Black sees": PIECES.black };
  const place = make("div", {});
  const look = (label) => {
    place.replaceChildren();
    new Diagram(place, { label, flipped: false }).show({ men: boards[label], marks: [CAPTURED] });
  };
  element.append(place, make("div", { className: "segments", role: "group", "aria-label": "Who looks" }, ...Object.keys(boards).map((label, at) =>
    make("label", {}, make("input", { type: "radio", name: "picture", checked: !at, onchange: () => look(label) }), ` ${label}`))));
  look("White sees");
}
