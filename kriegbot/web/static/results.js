// The person's results: on the start, and at the end of a game what it means for them.

import { keep } from "./choices.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);
const COUNTS = ["rating", "won", "drawn", "lost", "helped"];

/** A link to the puzzles that train a theme, and to no others. */
function puzzles({ theme, puzzles: kind }) {
  const choose = () => {
    keep({ "puzzle-kind": kind });
    if (!$("puzzle-kind").options.length) return; // they are not shown yet
    $("puzzle-kind").value = kind;
    $("puzzle-kind").onchange();
  };
  return make("a", { href: "#puzzles", title: "Puzzles that train it", onclick: choose }, theme);
}

/** Shows them, as the server tells them; game is the one on the page, if there is one. */
export function showResults({ rows, about, train, game: ended, said }, game) {
  $("results").hidden = !rows.length;
  $("results-about").textContent = about;
  $("results").querySelector("tbody").replaceChildren(...rows.map((row) => make("tr", {},
    make("th", { scope: "row" }, row.opponent), ...COUNTS.map((name) => make("td", {}, String(row[name] ?? "–"))))));
  $("results-train").hidden = !train.length;
  $("results-train").replaceChildren("Worth practising: ",
    ...train.flatMap((one, at) => [at ? ", " : "", one.puzzles ? puzzles(one) : one.theme, ` (${one.times} turning point${one.times === 1 ? "" : "s"})`]), ".");
  if (ended && ended === game?.id) $("outcome-results").textContent = said;
}
