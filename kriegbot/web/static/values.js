// The values of a turn's tries, the turns in which another try was better, and the turning points.

import { make } from "./make.js";

const SHOWN = 8; // tries of a table, and turns of the list
let showsAll = false; // tables show all tries from the first time that the person asks for it

export const pawns = (centipawns) => `${centipawns < 0 ? "−" : "+"}${(Math.abs(centipawns) / 100).toFixed(2)}`;
const percent = (chance) => `${chance > 0 && chance < 0.005 ? "<1" : Math.round(100 * chance)}%`;

/** The table of a turn's tries, best first, with a mark on the one that the side made. */
export function tryTable(frame, look, next, isFile = false) {
  if (!frame.turn) return [];
  const side = frame.turn === "white" ? "White" : "Black";
  const heading = make("h3", {}, `${side} to try`);
  if (!look) return [heading, make("p", { className: isFile ? "" : "working" }, isFile ? "Not analysed before this file was saved." : "Analysing …")];
  if (!look.tries.length) return [heading, make("p", {}, "No position is consistent with the announcements; there is nothing to search.")];
  const made = next && next.mover === frame.turn ? next : null;
  const rank = made ? look.tries.findIndex((one) => one.uci === made.move) : -1;
  const rows = look.tries.map((one, number) => {
    const isMade = number === rank;
    const name = isMade ? [one.name, make("span", { className: `made ${made.answer}` }, made.answer === "accepted" ? " ◀ tried: yes" : " ◀ tried: no")] : [one.name];
    const row = make("tr", isMade ? { className: "made-row" } : {}, make("td", {}, String(number + 1)), make("th", { scope: "row" }, ...name),
      make("td", {}, pawns(one.value)), make("td", {}, percent(one.legal)));
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
  const unlikely = made && rank < 0 ? [make("p", {}, `${made.title} It is legal in none of the positions searched.`)] : [];
  return [heading, table, ...unlikely, button];
}

/** The turning points of one side or of all that are analysed, in words. */
export function turningPoints({ points, sides }, side, show) {
  return ["white", "black"].filter((one) => sides.includes(one) && one === (side ?? one)).flatMap((one) => {
    const title = side ? "Turning points" : `${one === "white" ? "White" : "Black"}'s turning points`;
    const items = points.filter((point) => point.side === one).map((point) => make("li", {},
      make("button", { type: "button", onclick: () => show(point.index) }, `${point.place} ${point.made}`),
      make("span", { className: "fell" }, point.theme === "lucky" ? " lucky" : ` ${point.theme}, chance ${percent(point.before)} → ${percent(point.after)}`),
      make("p", {}, point.text)));
    const none = make("p", {}, "None: no turn lost much while the game was open.");
    return [make("h3", {}, title), items.length ? make("ol", {}, ...items) : none];
  });
}

/** The turns of one side or both in which the best try was most better than the move made, among those analysed. */
export function worstMoves(frames, looks, side, show, isPart) {
  const worst = missed(frames, looks, side).sort((one, other) => other.loss - one.loss).slice(0, SHOWN);
  if (!worst.length) return isPart ? [] : [make("p", {}, "Every move was the best one."), make("table", { hidden: true })];
  const rows = worst.map(({ at, first, last, best, loss }) => make("tr", {},
    make("th", { scope: "row" }, make("button", { type: "button", onclick: () => show(at) }, first === last ? first : `${first} to ${last}`)),
    make("td", {}, best), make("td", {}, pawns(loss))));
  return [make("h3", {}, "Where another try was better"), make("table", {},
    make("thead", {}, make("tr", {}, ...["Tried", "Best", "Better by"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...rows))];
}

/** The turns that lost half a pawn or more. Turns in a row in which a side missed the same try are one, with the greatest loss. */
function missed(frames, looks, side) {
  const runs = [];
  const open = {}; // the run of each side that may go on
  frames.forEach((frame, at) => {
    const [next, tries] = [frames[at + 1], looks.get(at)?.tries ?? []];
    const made = tries.find((one) => one.uci === next?.move);
    if (!made || (side && frame.turn !== side)) return;
    const [best, loss, name] = [tries[0], tries[0].value - made.value, `${next.place} ${next.name}`];
    const run = open[frame.turn];
    open[frame.turn] = null;
    if (loss < 50) return;
    if (run?.uci === best.uci) {
      Object.assign(run, { last: name, loss: Math.max(run.loss, loss) });
      open[frame.turn] = run;
    } else {
      runs.push(open[frame.turn] = { at, first: name, last: name, best: best.name, uci: best.uci, loss });
    }
  });
  return runs;
}
