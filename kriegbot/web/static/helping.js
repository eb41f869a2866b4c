// What else can be done in a game than to try: hints, taking back, offering a draw.

import { make } from "./make.js";

const $ = (id) => document.getElementById(id);
const pawns = (centipawns) => `${centipawns < 0 ? "−" : "+"}${(Math.abs(centipawns) / 100).toFixed(2)}`;

/** Of a game; send(message) asks the server, attempt(text) tries a try, say(text) tells the player. */
export function startHelping(game, send, attempt, say) {
  let view = null;
  let offer = null;
  let hinted = null; // the last hint, as long as it holds
  let asked = null; // the ply at which it was asked for
  const sides = { white: "White", black: "Black" };

  for (const id of ["hint", "takeback", "heat-switch", "heat-kind"]) $(id).hidden = game.two;
  $("draw").hidden = !game.two;
  $("hint").onclick = () => {
    if (!view?.yours) return say("It is not your turn.");
    [hinted, asked] = [null, view.ply];
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
    if (!view.yours || view.ply !== asked) showHints([]);
    else if (hinted) drawHint(hinted);
    $("takeback").disabled = !view.yours || view.ply < 2;
    $("hint").disabled = !view.yours;
    if (offer && view.ply > offer.ply) [offer, $("offer").hidden] = [null, true];
  }

  function hint(message) {
    [hinted, asked] = [message, message.ply];
    drawHint(message);
  }

  /** The tries of a hint; those that were refused since are struck out. */
  function drawHint({ ply, by, tries }) {
    if (!view?.yours || ply !== view.ply) return;
    const named = (one) => (view.tries.includes(one.uci) ? make("button", { type: "button", onclick: () => attempt(one.uci) }, one.name) : make("s", {}, one.name));
    const rows = tries.map((one) => make("li", {}, named(one),
      ` ${pawns(one.value)}${one.legal < 0.995 ? `, legal with ${Math.round(100 * one.legal)}%` : ""}`));
    const list = rows.length ? make("ol", {}, ...rows) : make("p", {}, "No position is consistent with the announcements, so there is nothing to search.");
    showHints([make("p", {}, make("strong", {}, "Help: "), `the computer's best tries, in pawns (${by}). The saved game will note the hint.`), list]);
  }

  function offered(message) {
    if (view && view.ply > message.ply) return;
    offer = message;
    const isMine = message.by === game.you;
    $("offer-said").textContent = isMine ? "You offer a draw; it stands until the other side has moved." : `${sides[message.by]} offers a draw; your next move declines it.`;
    $("accept").hidden = isMine;
    $("offer").hidden = false;
  }

  return { receive };
}
