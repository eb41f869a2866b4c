// The page. The address decides what it shows: the form for a new game, saved games, a game, or texts.

import { forget, offerMoments, remember, tryAgain } from "./again.js";
import { atOneScreen, makePrivacyScreen } from "./privacy.js";
import { newForm } from "./form.js";
import { guidedGame } from "./learn.js";
import { askToJoin, showNetwork, showProgress } from "./people.js";
import { savedGames } from "./library.js";
import { offerNext, offerTrying, showOutcome } from "./outcome.js";
import { drawPicture } from "./picture.js";
import { startPlay } from "./play.js";
import { daysText, puzzleBook } from "./puzzles.js";
import { showResults } from "./results.js";
import { startReview } from "./review.js";
import { shareLinks } from "./share.js";
import { connect } from "./socket.js";
import { watchForm } from "./watch.js";

const LIBRARY = "#library";
const SECTIONS = { "#watch": "watch", "#learn": "learn", "#rules": "rules", "#puzzles": "puzzles" }; // sections without a game; "#rules-wild16" is a part of one, "#learn-KRK" an ending
const ASIDE = ["#learn", "#rules", "#puzzles"]; // they open beside a game in progress
const FORM_REQUESTS = ["new", "invite", "watch", "visit", "join", "library", "open", "resume", "delete", "rematch"];
const FIRST_GAME = { do: "new", opponent: "kriegbot:level=newcomer", color: "white", rules: "berkeley", seed: null, clock: null };
const $ = (id) => document.getElementById(id);
const $nav = document.querySelector("nav");
const places = { start: $("start"), welcome: $("welcome"), invited: $("invited"), later: $("later"), watch: $("watch"), learn: $("learn"), puzzles: $("puzzles"), rules: $("rules-page"), library: $("library"), play: $("play"), privacy: $("privacy"), review: $("review") };
const say = { start: () => {}, watch: () => {} };

let isGuest = false;
let isSetUp = false; // with the players and rules of the server
let wantsRematch = false;
let library = null;
let game = null;
let play = null;
let review = null;
let over = null;
let wanted = null; // the turning point that the person has chosen on the start page
let levels = [];

const send = connect({ isGuest: () => isGuest, onOpen: rejoin, onMessage: receive, onState: (text) => {
  $("lost").hidden = !text;
  $("lost").textContent = text;
} });
const teach = guidedGame(() => {
  if (isGuest) location.hash = "";
  else send(FIRST_GAME);
});
const pose = puzzleBook();
const privacy = makePrivacyScreen(send, () => {
  leave();
  show("privacy");
});

function gameInAddress() {
  return location.hash.match(/game(?:=|%3d)([\w-]+)/i)?.[1] ?? null; // whatever a chat program has put around it
}

function rejoin() {
  const id = gameInAddress();
  if (atOneScreen()) privacy.raise();
  else if (id) send({ do: "visit", game: id });
  else if (location.hash === LIBRARY) openLibrary();
  else showSection();
}

/** Shows a section without a game, at the part that the address names. */
function showSection() {
  show(SECTIONS[location.hash.split("-")[0]] ?? "start");
  const part = location.hash.includes("-") && document.getElementById(location.hash.slice(1));
  if (part) part.scrollIntoView();
  else scrollTo(0, 0);
}

function show(name) {
  const shown = name === "start" && isGuest ? "welcome" : name;
  for (const [other, element] of Object.entries(places)) element.hidden = other !== shown;
  $nav.hidden = name === "privacy";
  for (const link of $nav.children) {
    link.hidden = isGuest && "host" in link.dataset;
    link.ariaCurrent = (link.hash.slice(1) || "start") === name ? "page" : null;
  }
  document.body.dataset.place = name;
  if (["start", "watch"].includes(name)) { // the picture stands beside either form
    places[name].append($("picture").parentElement);
    $("picture").querySelectorAll("input")[name === "watch" ? 1 : 0].click();
  }
  if (name !== "privacy" && $("lost").hidden) send({ do: "progress" });
  if (name === "learn") teach(location.hash.split("-")[1]);
  if (name === "puzzles") pose(location.hash.endsWith("-today"));
  $("puzzle-days").textContent = daysText();
  if (name === "start") offerMoments((file, moment) => {
    wanted = { file, moment };
    send({ do: "open", file });
  });
}

function leave() {
  play?.close();
  review?.close();
  [game, play, review, over, wantsRematch] = [null, null, null, null, false];
  $("outcome").hidden = true;
  $("outcome-results").textContent = "";
}

function receive(message) {
  if (privacy.holds(message)) return;
  if (message.is === "hello") offer(message);
  else if (message.is === "network") showNetwork(message);
  else if (message.is === "preparing") prepare(message);
  else if (message.is === "game") enter(message);
  else if (message.is === "library") listGames(message);
  else if (message.is === "progress") showProgress(message, game);
  else if (message.is === "results") showResults(message, game);
  else if (message.is === "invited") answerInvitation(message);
  else if (message.is === "next") goOn(message);
  else if (message.is === "later") wait(message);
  else if (message.is === "over" && !game) openLater();
  else if (message.is === "refusal" && (!game || FORM_REQUESTS.includes(message.to))) refuse(message);
  else if (game && !(message.is === "presence" && atOneScreen())) {
    if (message.is === "over") end(message);
    if (message.is === "view") privacy.look(message);
    if (message.is === "frames" && !review) look();
    play?.receive(message);
    review?.receive(message);
  }
}

function enter(message) {
  const isNew = message.id !== game?.id;
  if (!isNew && (play || review) && !over?.resumable) return; // joined again: keep the board; news follow
  leave();
  game = atOneScreen() ? { ...message, invitation: null, white: "A person", black: "A person" } : message;
  $("pass").hidden = true;
  for (const clear of [say.start, say.watch]) clear("");
  if (gameInAddress() !== game.id) location.hash = `game=${game.id}`;
  if (game.kind === "play") {
    show("play");
    play = startPlay(places.play, send, game);
    if (atOneScreen()) document.querySelector("#board [tabindex='0']").focus();
  } else {
    look();
  }
}

function look() {
  play?.close();
  play = null;
  show("review");
  review = startReview(places.review, send, game, { share: shareLinks, again: tryAgain, remember, offer: offerTrying, wanted: wanted?.moment });
  wanted = null;
  if (over) review.receive(over);
}

/** Shows nothing of a game between others before its end. */
function wait({ text }) {
  leave();
  show("later");
  $("later-text").textContent = text;
}

/** Shows an invitation. The seat stays free until the person joins. */
function answerInvitation(invitation) {
  leave();
  show("invited");
  askToJoin(invitation, send);
}

/** Shows how a person's game has ended; the review does that for other games. */
function end(message) {
  over = message;
  if (game.kind !== "play") return;
  const ask = (request) => {
    wantsRematch = request.do === "rematch";
    send(request);
  };
  showOutcome(game, over, ask, { isGuest, startAgain, levels, isForTwo: atOneScreen() !== null });
}

function goOn({ game: id }) {
  const join = () => send({ do: "join", game: id });
  if (wantsRematch || !over || over.resumable) join(); // a new link, or a rematch that was asked for
  else offerNext(game, join);
}

/** Shows a refusal beside the form that it answers. */
function refuse({ text, to }) {
  if (to === "open" && wanted) {
    forget(wanted.file);
    wanted = null;
    show("start");
    say.start(text);
  } else if (["library", "open", "resume", "delete"].includes(to) && !places.library.hidden) library.say(text);
  else if (to === "watch") say.watch(text);
  else if (to === "visit" && over) return; // a new server does not know the game; the review stays
  else if (["visit", "join"].includes(to) || !game) {
    leave(); // the address stays: the link may work in another browser, or later
    $("welcome-why").textContent = text;
    show("start");
    say.start(text);
  } else {
    $("outcome-results").textContent = text;
  }
}

function prepare({ done, total }) {
  const text = done < total ? `Preparing, once: ${Math.floor((100 * done) / total)}%.` : "";
  $("prepared").textContent = text;
  document.body.style.setProperty("--prepared", JSON.stringify(text && ` ${text}`)); // beside whatever the person waits for
  $("preparing").hidden = !text;
  $("progress").value = done;
  $("progress").max = total;
}

function offer(hello) {
  isGuest = hello.guest;
  if (isGuest && document.body.dataset.place) show(document.body.dataset.place); // now as a guest's
  if (isSetUp || isGuest) return; // a new connection
  isSetUp = true;
  say.start = newForm(send, hello);
  say.watch = watchForm($("watch-form"), send, hello);
  library = savedGames(send, hello);
  levels = hello.players.find(({ name }) => name === "kriegbot").options.find(({ name }) => name === "level").takes.split("|");
  if (document.body.dataset.place === "start") show("start"); // with the person's turning points
}

function isPlaying() {
  return play?.isLive() || (game?.kind === "watch" && !over);
}

drawPicture($("picture"));

$("here").onclick = () => privacy.gather(game);

/** A link to another page leaves a game in progress only if the person says so. */
$nav.onclick = (event) => {
  const link = event.target.closest("a");
  if (!link || !isPlaying() || (game.two && !atOneScreen() && !ASIDE.includes(link.hash))) return; // a game of two goes on
  event.preventDefault();
  if (ASIDE.includes(link.hash)) {
    open(link.href, "_blank", "noopener");
    return;
  }
  $("leaving").returnValue = "";
  $("leaving").onclose = () => {
    if ($("leaving").returnValue !== "yes") return;
    send({ do: "leave" });
    location.hash = link.hash;
  };
  $("leaving").showModal();
};

for (const button of document.querySelectorAll("dialog > button, #retry-close")) {
  button.onclick = () => button.closest("dialog").close(button.value);
}

function startAgain() {
  leave();
  history.pushState(null, "", location.pathname);
  show("start");
  $("new").querySelector("button.main").focus();
}

function openLibrary() {
  leave();
  if (location.hash !== LIBRARY) history.pushState(null, "", location.pathname + LIBRARY);
  show("library");
  send({ do: "library" });
}

/** Lists the saved games again: the game that the person has just left is one now. */
function openLater() {
  if (!places.library.hidden) send({ do: "library" });
}

function listGames(message) {
  if (!places.library.hidden) library.show(message);
}

window.onhashchange = () => {
  const id = gameInAddress();
  if (id && id !== game?.id) send({ do: "visit", game: id });
};

window.onpopstate = () => {
  if (location.hash === LIBRARY) {
    openLibrary();
  } else if (!gameInAddress()) {
    leave();
    showSection();
  }
};
