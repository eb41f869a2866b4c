// Actions in a game other than tries: hints, taking back a move, offering a draw.

import { make } from "./make.js";
import { askFirst, percent } from "./values.js";

const $ = (id) => document.getElementById(id);

/** Sets them up for a game. send(message) sends to the server, attempt(text) makes a try, say(text) shows a text. */
export function startHelping(game, send, attempt, say) {
  let view = null;
  let offer = null;
  let hinted = null; // the hint for this turn
  let hintPly = null; // the ply for which the player wants a hint
  const sides = { white: "White", black: "Black" };

  for (const id of ["hint", "takeback", "heat-switch", "heat-kind"]) $(id).hidden = game.two;
  $("draw").hidden = !game.two;
  $("hint").onclick = () => {
    if (!view?.yours) return say("It is not your turn.");
    [hinted, hintPly] = [null, view.ply];
    showHints([make("p", { className: "working" }, "Looking for good tries …")]);
    return send({ do: "hint" });
  };
  $("takeback").onclick = () => send({ do: "takeback" });
  $("draw").onclick = () => send({ do: "draw" });
  $("accept").onclick = () => send({ do: "draw" });
  clear();

  function showHints(contents) {
    $("hints").replaceChildren(...contents);
    $("hints").hidden = !contents.length;
  }

  function clear() {
    showHints([]);
    offer = null;
    $("offer").hidden = true;
  }

  function receive(message) {
    if (message.is === "view") look(message);
    else if (message.is === "hint") hint(message);
    else if (message.is === "offer") offered(message);
    else if (message.is === "refusal" && message.to === "hint") showHints([]);
    else if (message.is === "over") clear();
  }

  function look(message) {
    view = message;
    if (!view.yours || view.ply !== hintPly) showHints([]);
    else if (hinted) drawHint(hinted);
    $("takeback").disabled = !view.yours || view.ply < 2;
    $("hint").disabled = !view.yours;
    if (!offer || view.ply <= offer.ply) return;
    if (offer.by === game.you) say("Your opponent moved, which declines the draw.");
    [offer, $("offer").hidden] = [null, true];
  }

  function hint(message) {
    [hinted, hintPly] = [message, message.ply];
    drawHint(message);
  }

  /** Shows the tries of a hint; strikes out those that the referee has refused since. */
  function drawHint({ ply, text, ask, tries }) {
    if (!view?.yours || ply !== view.ply) return;
    const named = (one) => (view.tries.includes(one.uci) ? make("button", { type: "button", onclick: () => attempt(one.uci) }, one.name) : make("s", {}, one.name));
    const rows = tries.map((one) => make("li", {}, named(one),
      ` ${one.shown}${one.legal < 1 ? `, legal in ${percent(one.legal)}` : ""}`));
    showHints([make("p", {}, make("strong", {}, "Help: "), `The saved game will note the hint. ${text}`), make("ol", {}, ...rows), ...askFirst(ask)]);
  }

  function offered(message) {
    if (view && view.ply > message.ply) return;
    offer = message;
    const isMine = message.by === game.you;
    $("offer-text").textContent = isMine ? "You have offered a draw. Your opponent can accept it until they move." : `${sides[message.by]} offers a draw. Your next move declines it.`;
    $("accept").hidden = isMine;
    $("offer").hidden = false;
  }

  return { receive };
}
