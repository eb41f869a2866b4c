// A person's game: board, announcements, tries, markers and clocks.

import { Board, pieceImage, pieceName } from "./board.js";
import { chosen, keep } from "./choices.js";
import { clockText } from "./form.js";
import { startHelping } from "./helping.js";
import { GameLog, STEPS } from "./log.js";
import { make } from "./make.js";
import { startPeople } from "./people.js";
import { beep } from "./sounds.js";
import { Markers } from "./markers.js";

const $ = (id) => document.getElementById(id);
const PROMOTIONS = ["q", "r", "b", "n"];

const PRIVATE = ["announcement", "newest", "meaning-list", "turn", "board", "their-name", "their-men", "your-name", "your-men", "hints", "message", "refused",
  "log", "promotions", "tray", "aside-men", "about"]; // cleared so that nothing of a side stays on the page

/** Shows a game; send(message) sends to the server. */
export function startPlay(root, send, game) {
  const them = game.you === "white" ? "black" : "white";
  const names = { white: "White", black: "Black" };
  const cased = (letter) => (game.you === "white" ? letter.toUpperCase() : letter);
  let view = null;
  let chances = [];
  let received = 0;
  let isOver = false;
  let isMute = false;
  let ahead = null; // a try prepared while the opponent thinks

  const board = new Board($("board"), { label: "Board", flipped: game.you === "black", onTry, onMark: (...mark) => markers.put(...mark), onRecall: () => prepare(null) });
  const log = new GameLog((squares) => board.show({ looked: squares }));
  const helping = startHelping(game, send, attempt, say);
  const people = startPeople(game, send);
  const markers = new Markers(game.id, them, board, draw, say);
  $("their-name").textContent = `${names[them]}: ${game[them]}`;
  $("your-name").textContent = `${names[game.you]}: You`;
  $("about").replaceChildren(make("a", { href: "#rules", target: "_blank" }, `Rules: ${game.rules}`),
    ...[game.clock ? `Clock: ${clockText(game.clock)}` : "", game.seed === null ? "" : `Seed: ${game.seed}`].filter(Boolean).map((text) => ` · ${text}`));
  $("turn").textContent = game.two ? "Waiting until both of you are here …" : "Setting up the board …";
  mute(chosen("sound") === "off");
  $("refused").replaceChildren();
  $("tried").classList.add("none");
  say("");
  $("first-move").hidden = true;
  showHeat({ on: false, chances: [] });
  document.addEventListener("keydown", onKey);
  const ticking = setInterval(tick, 200);

  $("entry").onsubmit = (event) => {
    event.preventDefault();
    const text = $("try").value.trim();
    if (text) attempt(text);
    $("try").select();
  };
  $("any").onclick = () => attempt("any");
  for (const id of ["draw", "resign"]) $(id).disabled = game.two; // until both are there
  $("resign").onclick = () => $("resigning").showModal();
  $("resigning").onclose = () => $("resigning").returnValue === "yes" && send({ do: "resign" });
  $("heat").onchange = () => {
    if ($("heat").checked) work();
    send({ do: "heat", on: $("heat").checked });
  };
  $("cancel").onclick = () => prepare(null);
  $("cancel").hidden = true;
  $("flip").onclick = () => board.flip();
  $("mute").onclick = () => {
    mute(!isMute);
    keep({ sound: isMute ? "off" : "on" });
  };
  $("heat-kind").onchange = draw;

  function onTry(from, to) {
    const promotions = (view?.tries ?? []).filter((uci) => uci.startsWith(from + to));
    if (promotions.length > 1) promote(from + to);
    else attempt(from + to);
  }

  /** Handles keys that work everywhere but in fields and dialogs. */
  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, dialog, [popover]")) return;
    if (event.key === "f") board.flip();
    else if (event.key === "?") log.explain();
    else if (event.key === "Escape" && ahead && !event.defaultPrevented) prepare(null);
    else if (STEPS[event.key] && event.target.closest("#log")) log.walk(STEPS[event.key]);
    else if (/^Arrow(Left|Right)/.test(event.key) && !event.target.closest("#board")) log.walk(STEPS[event.key]);
    else return;
    event.preventDefault();
  }

  function attempt(text) {
    say("");
    if (view?.yours) send({ do: "try", text });
    else if (view && !isOver) send({ do: "prepare", text });
    else say("It is not your turn.");
  }

  /** Prepares a try that the server has found possible, for the player's turn; null: none. */
  function prepare(prepared) {
    [ahead, board.wasDragged] = [prepared, false];
    if (ahead) $("try").value = "";
    $("cancel").hidden = !ahead;
    showTurn();
    draw();
  }

  function promote(squares) {
    const dialog = $("promotion");
    $("promotions").replaceChildren(...PROMOTIONS.map((kind) => {
      const label = pieceName(cased(kind));
      return make("button", { type: "button", "aria-label": label, title: label, onclick: () => dialog.close(squares + kind) }, pieceImage(cased(kind)));
    }));
    dialog.returnValue = "";
    dialog.onclose = () => dialog.returnValue && attempt(dialog.returnValue);
    dialog.showModal();
  }

  function mute(isOn) {
    isMute = isOn;
    $("mute").setAttribute("aria-pressed", isOn);
  }

  function say(text) {
    $("message").textContent = text;
  }

  function receive(message) {
    helping.receive(message);
    people.receive(message);
    if (message.is === "view") look(message);
    else if (message.is === "heat") showHeat(message);
    else if (message.is === "checkers" && view?.check && view.ply === message.ply && message.squares.length) {
      view.check.line = message.squares;
      draw();
    }
    else if (message.is === "refusal") say(message.text);
    else if (message.is === "prepared") ready(message);
    else if (message.is === "clocks") setClocks(message.clocks);
    else if (message.is === "over") {
      [isOver, ahead, $("cancel").hidden] = [true, null, true];
      if (view) showTurn();
      for (const id of ["hint", "takeback", "draw", "resign"]) $(id).disabled = true;
      if (!isMute) beep("end");
    }
  }

  /** Keeps a prepared try, or makes it if the opponent has moved meanwhile. */
  function ready(prepared) {
    if (view.yours) send({ do: "try", text: prepared.text });
    else prepare(prepared);
  }

  function setClocks(clocks) {
    [view.clocks, received] = [clocks, performance.now()];
    showTurn();
    tick();
  }

  function look(message) {
    const before = view;
    [view, received] = [message, performance.now()];
    const news = log.take(view.log);
    if (news && news !== "end" && before && !isMute) beep(news); // another message follows at the end
    if ($("heat").checked) work();
    if (chances.length) chances = [];
    markers.take(view);
    showTurn();
    document.title = view.yours ? "Your turn – Kriegspiel" : "Kriegspiel";
    $("their-men").replaceChildren(pieces(view.enemyMen) + (view.taken ? `; you took ${view.taken}` : ""));
    $("your-men").replaceChildren(`${pieces(Object.keys(view.men).length)}${view.lost ? "; lost " : ""}`, ...lostPieces());
    $("refused").replaceChildren(...view.refused.flatMap((name) => [make("s", {}, name), " "]));
    $("any").hidden = !view.mayAsk;
    $("tried").classList.toggle("none", !view.refused.length);
    $("first-move").hidden = view.last.length > 0;
    if (before?.yours && view.ply > before.ply) $("try").value = "";
    draw();
    if (before) animate(before);
    else if (!isOver) for (const id of ["draw", "resign"]) $(id).disabled = false;
    tick();
    if (!ahead || !view.yours) return;
    send({ do: "try", text: ahead.text });
    prepare(null);
  }

  /** Animates the player's last try, if it is new. */
  function animate(before) {
    if (view.ply === before.ply) {
      const refused = view.refused.length > before.refused.length && before.tries.find((uci) => !view.tries.includes(uci));
      if (refused) board.glide(refused.slice(0, 2), refused.slice(2, 4), true);
    } else if (view.ply > before.ply && String(view.last) !== String(before.last)) {
      board.glide(...view.last, false);
    }
  }

  function showTurn() {
    $("turn").textContent = turnText();
    $("turn").classList.toggle("working", !view.yours && !isOver && !game.two); // the program is at work
  }

  function turnText() {
    if (isOver || view.ended) return "The game is over.";
    const next = ahead ? ` Prepared: ${ahead.name}.` : "";
    if (!view.yours && !view.clocks.running) return `Preparing ${names[them]}'s program …${next}`;
    if (!view.yours) return `${names[them]} ${game.two ? "to try." : "is thinking …"}${next}`;
    const pawns = view.pawnTries === null ? "" : ` You have ${view.pawnTries}.`;
    return `Your turn: move ${view.move}.${view.check ? " You are in check." : ""}${pawns}`;
  }

  function pieces(count) {
    return `${count} ${count === 1 ? "piece" : "pieces"}`;
  }

  function lostPieces() {
    const words = [...view.lost].map((letter) => pieceName(letter).split(" ")[1]).join(", ");
    return view.lost ? [make("span", { role: "img", "aria-label": words, className: "small" }, ...[...view.lost].map(pieceImage))] : [];
  }

  function showHeat(message) {
    chances = message.chances;
    $("heat").checked = message.on;
    $("heat-kind").disabled = !message.on;
    $("heat-text").classList.remove("working");
    $("heat-text").textContent = message.on && view && message.ply === view.ply ? (chances.length ? `From ${message.basis}.` : "No position is consistent with the announcements.") : "";
    draw();
  }

  function work() {
    $("heat-text").textContent = "Working it out …";
    $("heat-text").classList.add("working");
  }

  function heat() {
    if (!chances.length) return null;
    const kind = $("heat-kind").value;
    return kind ? chances[kind] : chances[0].map((_, square) => chances.reduce((sum, one) => sum + one[square], 0));
  }

  function draw() {
    const { men, marks, last, tries, check } = view ?? { men: game.men, marks: [], last: [], tries: [], check: null };
    const prepared = ahead?.text.match(/[a-h][1-8]/g) ?? [];
    board.show({ men, marks, last, targets: tries, line: check?.line ?? [], idle: check?.idle ?? [], ahead: prepared, ghosts: markers.ghosts, heat: heat(), chances });
  }

  function tick() {
    for (const [side, id] of [[them, "their-clock"], [game.you, "your-clock"]]) {
      const isRunning = view?.clocks.running === side;
      const isDown = view?.clocks.left;
      const since = isRunning && !isOver ? (performance.now() - received) / 1000 : 0;
      const time = Math.max(0, (view?.clocks[side] ?? 0) + (isDown ? -since : since));
      const [minutes, seconds] = [Math.floor(time / 60), Math.floor(time % 60)];
      $(id).textContent = `${minutes}:${String(seconds).padStart(2, "0")}`;
      $(id).title = isDown ? "Time left" : "Time used";
      $(id).classList.toggle("running", isRunning);
      $(id).classList.toggle("short", Boolean(isDown) && time < 20);
    }
  }

  function close() {
    clearInterval(ticking);
    document.removeEventListener("keydown", onKey);
    if ($("meaning").matches(":popover-open")) $("meaning").hidePopover();
    markers.close();
    for (const id of PRIVATE) $(id).replaceChildren();
    $("try").value = "";
    document.title = "Kriegspiel";
    for (const dialog of [$("promotion"), $("resigning")]) if (dialog.open) dialog.close("");
  }

  return { receive, close, isLive: () => !isOver };
}
