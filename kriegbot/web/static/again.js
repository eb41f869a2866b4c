// Turning points as puzzles: the board as the side knew it at that turn, with its belief; and those of one's last games.

import { Board } from "./board.js";
import { chosen, keep } from "./choices.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);
const GAMES = 5; // whose turning points the start page offers
const NEAR = 10; // centipawns below the best try that are as good

/** Poses a turning point. frame, look: the moment and its analysis; made: the accepted try (UCI); log: lines; next(): the next one, or null. */
export function tryAgain({ point, frame, look, made, log, next }) {
  const tries = look.tries.filter((one) => !one.question);
  const best = tries[0];
  const own = look.tries.find((one) => one.uci === made);
  const board = new Board($("retry-board"), { label: "Board", flipped: point.side === "black", onTry: answer, onMark: () => {} });
  const heat = look[point.side].chances;
  const shown = { men: frame[point.side], last: [made.slice(0, 2), made.slice(2, 4)], targets: look.tries.map((one) => one.uci) };
  const texts = { title: `${point.place} Try it again`, task: `You are ${point.side === "white" ? "White" : "Black"}, and know only this. In the game you tried ${point.made}, which is marked. What is better?`, basis: `Numbers: chances in percent, from ${look[point.side].basis}.`, comment: "", why: "" };
  for (const [name, text] of Object.entries(texts)) $(`retry-${name}`).textContent = text;
  $("retry-log").replaceChildren(...log.toReversed().map((line) => make("li", {}, line)));
  $("retry-next").hidden = !next;
  $("retry-next").onclick = () => next();
  $("retry-show").onclick = () => tell("");
  board.show({ ...shown, heat: heat.length ? heat[0].map((_, at) => heat.reduce((sum, one) => sum + one[at], 0)) : null, chances: heat });
  if (!$("retry").open) $("retry").showModal();

  function answer(from, to) {
    const tried = look.tries.filter((one) => one.uci.startsWith(from + to)).sort((one, other) => other.value - one.value)[0];
    if (!tried) say("That is legal in none of the positions searched.");
    else if (tried.question) say(`${tried.name} is legal too seldom to be a move: it is a question, which costs nothing.`);
    else if (tried.value >= best.value - NEAR) tell(`Right: ${tried.name}, ${tried.shown}.`);
    else if (tried.uci === made) say(`${tried.name} is what you tried in the game, ${tried.shown}.`);
    else say(`${tried.name}: ${tried.shown}. ${own && tried.value > own.value ? `Better than ${point.made} (${own.shown}), but there is more.` : "No better than in the game."}`);
  }

  function say(text, isRight = false) {
    $("retry-comment").textContent = text;
    $("retry-comment").classList.toggle("done", isRight);
  }

  function tell(text) {
    say(text || `${best.name}, ${best.shown}.`, Boolean(text));
    $("retry-why").textContent = `${own ? `${point.made} in the game: ${own.shown}. ` : ""}${point.text}`;
    board.show({ looked: [best.uci.slice(0, 2), best.uci.slice(2, 4)] });
  }
}

function stored() {
  try {
    return JSON.parse(chosen("moments") || "[]");
  } catch {
    return [];
  }
}

/** Remembers the turning points of a saved game for the start page. */
export function remember(file, points) {
  const others = stored().filter((one) => one.file !== file);
  if (points.length) keep({ moments: JSON.stringify([{ file, points: points.map(({ index, place, made }) => [index, `${place} ${made}`]) }, ...others].slice(0, GAMES)) });
}

/** Forgets a game that is gone. */
export function forget(file) {
  keep({ moments: JSON.stringify(stored().filter((one) => one.file !== file)) });
}

/** Offers the turning points on the start page; open(file, index) poses one. */
export function offerMoments(open) {
  $("moments").hidden = !stored().length;
  $("moments-list").replaceChildren(...stored().flatMap(({ file, points }) => points.map(([index, name]) =>
    make("button", { type: "button", title: file, onclick: () => open(file, index) }, name))));
}
