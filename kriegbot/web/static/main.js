// The page: asks for a new game, and shows the game that the address names.

import { make } from "./make.js";
import { startPlay } from "./play.js";
import { startReview } from "./review.js";
import { connect } from "./socket.js";
import { watchForm } from "./watch.js";

const TIMES = [["0.2", "a blink (0.2 s)"], ["1", "quick (1 s)"], ["3", "steady (3 s)"], ["10", "patient (10 s)"], ["30", "long (30 s)"]];
const DEPTHS = { 1: "its move", 2: "its move and your answer", 3: "its move, your answer and its next", 4: "two moves of each side" };
const $ = (id) => document.getElementById(id);
const places = { start: $("start"), play: $("play"), review: $("review") };

let players = [];
let game = null;
let play = null;
let review = null;
let over = null;

const send = connect({ onOpen: rejoin, onMessage: receive, onState: (isOpen) => { $("lost").hidden = isOpen; } });

function gameInAddress() {
  return new URLSearchParams(location.hash.slice(1)).get("game");
}

function rejoin() {
  const id = gameInAddress();
  if (id) send({ do: "join", game: id });
  else show("start");
}

function show(name) {
  for (const [other, element] of Object.entries(places)) element.hidden = other !== name;
  $("again").hidden = name === "start";
}

function leave() {
  play?.close();
  review?.close();
  [game, play, review, over] = [null, null, null, null];
  $("outcome").hidden = true;
}

function receive(message) {
  if (message.is === "hello") offer(message);
  else if (message.is === "preparing") prepare(message);
  else if (message.is === "game") enter(message);
  else if (message.is === "refusal" && !game) refuse(message);
  else if (game) {
    if (message.is === "over") end(message);
    if (message.is === "frames" && !review) look();
    play?.receive(message);
    review?.receive(message);
  }
}

function enter(message) {
  const isNew = message.id !== game?.id;
  if (!isNew && (play || review)) return; // joined again: the board stays, and what is new follows
  leave();
  game = message;
  $("failure").textContent = "";
  if (gameInAddress() !== game.id) location.hash = `game=${game.id}`;
  if (game.kind === "play") {
    show("play");
    play = startPlay(places.play, send, game);
  } else {
    look();
  }
}

function look() {
  play?.close();
  play = null;
  show("review");
  review = startReview(places.review, send, game);
  if (over) review.receive(over);
}

/** How a person's game has ended; of others, the review tells. */
function end(message) {
  over = message;
  if (game.kind !== "play") return;
  const won = { true: "You have won", false: "You have lost", null: over.result === "*" ? "Broken off" : "A draw" }[over.won];
  $("outcome").replaceChildren(make("strong", {}, `${won}. ${over.text}`), over.saved ? ` Saved to ${over.saved}.` : "", ` Seed: ${over.seed}.`);
  $("outcome").hidden = false;
}

function refuse(message) {
  if (gameInAddress()) history.replaceState(null, "", location.pathname);
  show("start");
  $("failure").textContent = message.text;
}

function prepare({ done, total }) {
  $("preparing").hidden = done >= total;
  $("progress").value = done;
  $("progress").max = total;
}

// The form for a new game

function offer(hello) {
  if (players.length) return; // connected again
  players = hello.players;
  fill($("opponent"), players.map((player) => [player.name, player.name]));
  fill($("time"), TIMES);
  $("time").value = "1";
  fill($("rules"), hello.rules.map((rules) => [rules.name, rules.title]));
  $("opponent").onchange = offerStrength;
  $("level").onchange = offerTime;
  offerStrength();
  watchForm($("watch"), send, hello);
}

function fill(select, choices) {
  select.replaceChildren(...choices.map(([value, text]) => make("option", { value }, text)));
}

/** Asks only for what the opponent takes. */
function offerStrength() {
  const { options, summary } = players.find((player) => player.name === $("opponent").value);
  $("summary").textContent = `${summary}.`;
  const [depth, level] = ["depth", "level"].map((name) => options.find((option) => option.name === name));
  $("level-choice").hidden = !level;
  if (level) {
    fill($("level"), level.takes.split("|").map((name) => [name, name]));
    $("level").value = level.default;
  }
  offerTime();
  $("depth-choice").hidden = !depth;
  if (!depth) return;
  const [low, high] = depth.takes.split("..").map(Number);
  fill($("depth"), Array.from({ length: high - low + 1 }, (_, more) => low + more).map((plies) => [plies, DEPTHS[plies] ?? `${plies} moves`]));
  $("depth").value = depth.default;
}

/** Only the best level takes time: the others are the same on any machine. */
function offerTime() {
  const { options } = players.find((player) => player.name === $("opponent").value);
  const level = options.find((option) => option.name === "level");
  $("time-choice").hidden = !options.some((option) => option.name === "time") || (level && $("level").value !== level.default);
}

$("new").onsubmit = (event) => {
  event.preventDefault();
  const shown = ["level", "depth", "time"].filter((name) => !$(`${name}-choice`).hidden);
  const settings = shown.filter((name) => name !== "level" || !shown.includes("time")).map((name) => `${name}=${$(name).value}`);
  const opponent = $("opponent").value + (settings.length ? `:${settings.join(",")}` : "");
  const color = new FormData(event.target).get("color");
  const seed = $("seed").value.trim();
  $("failure").textContent = "";
  send({ do: "new", opponent, color, rules: $("rules").value, seed: seed || null });
};

$("again").onclick = () => {
  if (play?.isLive() || (game?.kind === "watch" && !over)) $("leaving").showModal();
  else startAgain();
};

for (const button of document.querySelectorAll("dialog > button")) {
  button.onclick = () => button.closest("dialog").close(button.value);
}

$("leaving").onclose = () => {
  if ($("leaving").returnValue !== "yes") return;
  send({ do: "leave" });
  startAgain();
};

function startAgain() {
  leave();
  history.pushState(null, "", location.pathname);
  show("start");
  $("opponent").focus();
}

window.onhashchange = () => {
  const id = gameInAddress();
  if (id && id !== game?.id) send({ do: "join", game: id });
};

window.onpopstate = () => {
  if (!gameInAddress() && game) {
    leave();
    show("start");
  }
};
