// The values of a turn's tries, and the turning points.

import { percentOf } from "./diagram.js";
import { make } from "./make.js";

const SHOWN = 8; // tries of a table
export const UNPOSED = ["lucky", "surprise", "mate certain"]; // themes of turning points that are no puzzles
let showsAll = false; // tables show all tries from the first time that the person asks for it

export const percent = (chance) => (chance > 0 && chance <= 0.005 ? "<1%" : chance >= 0.995 && chance < 1 ? ">99%" : `${percentOf(chance)}%`);

/** Tries that are mostly refused, and better than any move if they are not: free questions. */
export function askFirst(questions) {
  const names = questions.map((one) => `${one.name} (legal in ${percent(one.legal)}, then ${one.shown})`);
  return names.length ? [make("p", {}, `Better asked first, since a refusal costs no turn: ${names.join(", ")}.`)] : [];
}

/** The table of a turn's moves, best first, with a mark on the try that the side made; free questions stand apart. */
export function tryTable(frame, look, next, isFile = false) {
  if (!frame.turn) return [];
  const side = frame.turn === "white" ? "White" : "Black";
  const heading = make("h3", {}, `${side} to try`);
  if (!look) return [heading, make("p", { className: isFile ? "" : "working" }, isFile ? "Not analysed before this file was saved." : "Analysing …")];
  if (!look.tries.length) return [heading, make("p", {}, "No position is consistent with the announcements; there is nothing to search.")];
  const made = next && next.mover === frame.turn ? next : null;
  const moves = look.tries.filter((one) => !one.question);
  const questions = look.tries.filter((one) => one.question && one.value > moves[0].value).slice(0, SHOWN);
  const isKnown = made && look.tries.some((one) => one.uci === made.move);
  const listed = look.tries.filter((one) => !one.question || one.uci === made?.move).sort((one, other) => one.question - other.question);
  const rows = listed.map((one, number) => {
    const isMade = one.uci === made?.move;
    const name = isMade ? [one.name, make("span", { className: `made ${made.answer}` }, made.answer === "accepted" ? " ◀ tried: yes" : " ◀ tried: no")] : [one.name];
    const row = make("tr", isMade ? { className: "made-row" } : {}, make("td", {}, one.question ? "" : String(number + 1)), make("th", { scope: "row" }, ...name),
      make("td", {}, one.shown), make("td", {}, percent(one.legal)));
    row.hidden = number >= SHOWN && !isMade && !showsAll;
    return row;
  });
  const more = rows.filter((row) => row.hidden);
  const button = make("button", { type: "button", hidden: !more.length }, `All ${rows.length} tries`);
  button.onclick = () => {
    showsAll = button.hidden = true;
    for (const row of more) row.hidden = false;
  };
  const table = make("table", {}, make("caption", {}, `Values in pawns for ${side}, ${look.by}.`),
    make("thead", {}, make("tr", {}, ...["Rank", "Try", "Value", "Legal"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows));
  const unlikely = made && !isKnown ? [make("p", {}, `${made.title} It is legal in none of the positions searched.`)] : [];
  return [heading, ...askFirst(questions), table, ...unlikely, button];
}

/** The turning points of one side or of all that are analysed, in words; again(point) poses one as a puzzle, if given. */
export function turningPoints({ points, sides }, side, show, again) {
  return ["white", "black"].filter((one) => sides.includes(one) && one === (side ?? one)).flatMap((one) => {
    const title = side ? "Turning points" : `${one === "white" ? "White" : "Black"}'s turning points`;
    const items = points.filter((point) => point.side === one).map((point) => make("li", {},
      make("button", { type: "button", onclick: () => show(point.index) }, `${point.place} ${point.made}`),
      make("span", { className: "fell" }, point.theme === "lucky" ? " lucky" : ` ${point.theme}, winning chances ${point.before}% → ${point.after}%`),
      ...(again && !UNPOSED.includes(point.theme) ? [" ", make("button", { type: "button", className: "again", onclick: () => again(point) }, "Try it again")] : []),
      make("p", {}, point.text)));
    const none = make("p", {}, "None: by what was known, no move certainly lost much.");
    return [make("h3", {}, title), items.length ? make("ol", {}, ...items) : none];
  });
}
