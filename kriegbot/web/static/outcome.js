// The end of a person's game, and what the person can do then.

import { title } from "./form.js";
import { icon, make } from "./make.js";
import { onlookersLink } from "./people.js";

const $ = (id) => document.getElementById(id);

/** Shows the end to one person, or at one screen to both. game, over: the server's messages; ask(message) answers. */
export function showOutcome(game, over, ask, { isGuest, startAgain, isForTwo, levels }) {
  const verdict = { true: "You won", false: "You lost", null: over.result === "*" ? "Broken off" : "A draw" }[over.won];
  const file = over.saved?.split(/[\\/]/).at(-1);
  const button = (text, onclick, className = "") => make("button", { type: "button", onclick, className }, text);
  const rematch = button(`Rematch: ${sidesNext(game)}`, () => ask({ do: "rematch" }), "main");
  rematch.id = "rematch";
  rematch.prepend(icon("again"));
  $("outcome-text").textContent = isForTwo ? over.text : sentence(verdict, over);
  $("outcome-about").replaceChildren(over.saved && !isGuest ? `Saved as ${file}. ` : "",
    ...(over.seed && !game.two ? [make("label", {}, "Seed ", make("input", { value: over.seed, readOnly: true, size: 10 }))] : []));
  $("outcome").querySelector("details").hidden = !$("outcome-about").textContent;
  const level = nextLevel(game, over, levels);
  $("outcome-do").replaceChildren(
    ...(over.resumable && !isGuest ? [button("Continue", () => ask({ do: "resume", file }), "main")] : isForTwo ? [] : [rematch]),
    ...(level ? [button(level.text, () => ask({ do: "new", opponent: `kriegbot:level=${level.name}`, color: game.you, rules: $("rules").value, limits: $("fifty").checked ? "quiet=100" : "none", seed: null, clock: game.clock }))] : []),
    ...(over.resumable && !isGuest ? [button("Look at both sides", () => ask({ do: "open", file }))] : []),
    ...(game.two && !over.resumable ? [onlookersLink(game)] : []),
    ...(isGuest || level ? [] : [button("New game", startAgain)]));
  $("outcome").hidden = false;
}

/** Offers to try the person's turning points again; start() begins; null: there are none. */
export function offerTrying(start) {
  $("try-moments")?.remove();
  if (start) $("outcome-do").append(make("button", { type: "button", id: "try-moments", onclick: start }, icon("moments"), "Try your moments"));
}

/** The level to play next, and the reason; null unless the person has won or lost against a level beside one. */
function nextLevel(game, over, levels) {
  const last = game[game.you === "white" ? "black" : "white"].match(/^(\w+) bot$/)?.[1].toLowerCase();
  const name = over.won !== null && levels.includes(last) && levels[levels.indexOf(last) + (over.won ? 1 : -1)];
  return name ? { name, text: `${title(name)} next, since ${over.won ? `you beat ${title(last)}` : `${title(last)} was too strong`}` } : null;
}

/** The end in the person's words: "You lost on time. Black wins." for "Forfeit, Black wins (lost on time)." */
function sentence(verdict, { text, won: isWin }) {
  const [, how, winner, detail, more] = text.match(/^(\w+), (White|Black) wins(?: \((.*?)\))?\.(.*)$/) ?? [];
  const loser = winner === "White" ? "Black" : "White";
  if (how === "Resignation") return (isWin ? `You won: ${loser} resigned.` : `You resigned. ${winner} wins.`) + more;
  if (["lost on time", "left the game"].includes(detail)) return (isWin ? `You won: ${loser} ${detail}.` : `You ${detail}. ${winner} wins.`) + more;
  return `${verdict}. ${text}`;
}

/** The side that the person plays in a rematch. */
function sidesNext(game) {
  return `you play ${game.you === "white" ? "Black" : "White"}`;
}

/** Offers the opponent's rematch, which join() joins. */
export function offerNext(game, join) {
  const button = make("button", { type: "button", className: "main", onclick: join }, `Your opponent wants a rematch: ${sidesNext(game)}`);
  button.id = "accept-rematch";
  $("outcome-do").querySelector("#rematch")?.replaceWith(button);
}
