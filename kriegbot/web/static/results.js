// The person's results: on the start, and at the end of a game what it means for them.

import { make } from "./make.js";

const $ = (id) => document.getElementById(id);
const COUNTS = ["rating", "won", "drawn", "lost", "helped"];

/** Shows them, as the server tells them; game is the one on the page, if there is one. */
export function showResults({ rows, about, game: ended, said }, game) {
  $("results").hidden = !rows.length;
  $("results-about").textContent = about;
  $("results").querySelector("tbody").replaceChildren(...rows.map((row) => make("tr", {},
    make("th", { scope: "row" }, row.opponent), ...COUNTS.map((name) => make("td", {}, String(row[name] ?? "–"))))));
  $("outcome-results").textContent = ended && ended === game?.id ? said : "";
}
