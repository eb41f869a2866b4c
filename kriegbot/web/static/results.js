// The person's results: a table on the start page, and a sentence at the end of a game.

import { keep } from "./choices.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);
const COUNTS = ["rating", "won", "drawn", "lost", "helped"];

/** A link to the puzzles for a skill. */
function puzzles({ skill, puzzles: kind }) {
  const choose = () => {
    keep({ "puzzle-kind": kind });
    if (!$("puzzle-kind").options.length) return; // the puzzles have not been shown yet
    $("puzzle-kind").value = kind;
    $("puzzle-kind").onchange();
  };
  return make("a", { href: "#puzzles", title: "Puzzles to practise it", onclick: choose }, skill);
}

/** Shows the server's message; game is the one on the page, if there is one. */
export function showResults({ rows, about, practise, puzzles: score, game: ended, text }, game) {
  $("puzzle-streak").textContent = score;
  $("results").hidden = !rows.length;
  $("results-about").textContent = about;
  $("results").querySelector("tbody").replaceChildren(...rows.map((row) => make("tr", {},
    make("th", { scope: "row" }, row.opponent), ...COUNTS.map((name) => make("td", {}, String(row[name] ?? "–"))))));
  $("results-train").hidden = !practise.length;
  $("results-train").replaceChildren("Worth practising: ",
    ...practise.flatMap((one, at) => [at ? ", " : "", one.puzzles ? puzzles(one) : one.skill,
      ` (${one.times}${at ? "" : ` turning point${one.times === 1 ? "" : "s"}`})`]), ".");
  if (ended && ended === game?.id) $("outcome-results").textContent = text;
}
