// The review of a game, or of a live game between two programs: the true board, both sides' views, announcements and
// beliefs, and the values of tries.

import { Diagram, SIGNS } from "./diagram.js";
import { graphs } from "./graph.js";
import { make } from "./make.js";
import { Sheet } from "./sheet.js";
import { tryTable, turningPoints, UNPOSED } from "./values.js";

const SIDES = ["white", "true", "black"];
const TABS = { white: "White", true: "True board", black: "Black" };
const TITLES = { white: "White's view", true: "The true board", black: "Black's view" };
const KINDS = ["all pieces", "pawns", "knights", "bishops", "rooks", "queens", "kings"];
const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
const MOVES = { ArrowUp: -1, ArrowDown: 1 };
const NEWS = 60; // entries shown below a board
const [RATE, BURST] = [18, 40]; // requests a second in the long run, and at once; the server allows a few more
const COARSE = [9, 3, 1]; // every ninth moment first, so that curves appear soon; odd, so that both sides have turns
const AT_ONCE = 8; // moments in one request
const HEAD_START = 2000; // milliseconds in which the turning points alone are analysed
const PAUSE = 300; // least milliseconds between two drawings of curves and lists
let isLegendClosed = false;
const budget = { left: BURST, at: 0 }; // of requests, shared by all reviews

/**
 * Shows a game in an element. send(message) sends to the server. tools, if there are any: share(file, picture, data, say)
 * makes links save the game; again(moment) poses a turning point, `wanted` the number of the first one to pose, and
 * remember(file, points) notes those of the person.
 */
export function startReview(root, send, game, tools = null) {
  const state = { frames: [], at: 0, live: false, looks: new Map(), requested: new Set(), requestedAt: 0, soon: 0, later: 0, turning: null, isTurningRequested: false, turningAt: 0, isTurningRefused: false, over: null, paused: false, posed: null };
  const flipped = game.you === "black";
  const isFile = game.kind === "file";

  // The page
  const line = make("p", { role: "status", "aria-live": "polite", className: "frame-title" });
  const slider = make("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Moment of the game", id: "moment" });
  const count = make("span", { className: "count" });
  const buttons = [["|◀", "First", -Infinity], ["◀", "Back", -1], ["▶", "Forward", 1], ["▶|", "Last", Infinity]].map(
    ([sign, label, step]) => make("button", { type: "button", "aria-label": label, title: label, onclick: () => go(step) }, sign));
  const kind = make("select", { id: "kind", onchange: draw }, ...KINDS.map((name, value) => make("option", { value }, name)));
  const boxes = {
    white: tick("White's", true), black: tick("Black's", true), hidden: tick("also show the hidden pieces, faintly", false),
  };
  const values = make("section", { className: "values", "aria-label": "Tries" });
  const progress = make("p", { id: "walk", className: "working", hidden: true });
  const turning = make("section", { className: "turning", "aria-label": "Turning points" });
  const curves = make("section", { className: "curves", "aria-label": "Curves of the game" });
  const sheet = new Sheet(show);
  const links = [["share", "kriegspiel.html", "Save as one file to share"], ["share-picture", "kriegspiel.gif", "Share as picture"]].map(
    ([id, download, words]) => make("a", { className: "button", id, href: "#", download, hidden: true }, words));
  const ending = make("p", { className: "ending" });
  const notice = make("p", { className: "ending", role: "alert" });
  tools?.share(...links, () => ({ game, over: state.over, frames: state.frames, looks: state.looks, turning: state.turning }), (text) => { notice.textContent = text; });
  const tabs = make("div", { role: "tablist", "aria-label": "Boards", className: "tabs" });
  const panels = Object.fromEntries(SIDES.map((side) => [side, panel(side)]));
  const live = game.kind === "watch" ? liveControls() : null;
  root.classList.add("review");
  root.replaceChildren(
    make("div", { className: "heading" }, make("h2", {}, `${game.white} – ${game.black}`),
      make("p", { className: "about", title: game.seed ? `Seed ${game.seed}` : "" }, game.rules)),
    ...(live ? [live] : []),
    make("div", { className: "steps" }, buttons[0], buttons[1], slider, buttons[2], buttons[3], count),
    make("div", { className: "now" }, line, ending, notice,
      make("fieldset", { className: "belief" }, make("legend", {}, "Beliefs:"), boxes.white.label, boxes.black.label,
        make("label", {}, "of ", kind), boxes.hidden.label)),
    make("div", { className: "columns" },
      make("div", {}, tabs, make("div", { className: "boards" }, ...SIDES.map((side) => panels[side].element)),
        legend(),
        make("div", { className: "under" }, values, panels.white.notes, panels.black.notes)),
      make("div", { className: "aside" }, progress, turning, sheet.element, curves)),
    make("p", { className: "keys" }, ...links, " Keys: ← → one try, ↑ ↓ one move, Page Up and Page Down ten tries, Home and End."));
  line.textContent = "Setting up the board, and starting the programs …";
  line.classList.add("working");
  if (game.kind === "watch") for (const side of SIDES) panels[side].diagram.show({ men: ofSide(game.men, side) });
  slider.oninput = () => show(Number(slider.value));
  document.addEventListener("keydown", onKey);
  const clock = setInterval(ask, 1000); // repeats a request whose answer another tab has displaced
  select(game.you ?? "true");
  root.classList.toggle("one-side", Boolean(game.you));
  window.scrollTo(0, 0);

  function tick(text, checked) {
    const box = make("input", { type: "checkbox", checked, onchange: draw });
    return { box, label: make("label", {}, box, ` ${text}`) };
  }

  function panel(side) {
    const element = make("section", { className: "panel", id: `panel-${side}`, role: "tabpanel", "aria-label": TITLES[side] });
    const tab = make("button", { type: "button", role: "tab", id: `tab-${side}`, "aria-controls": element.id, onclick: () => select(side) },
      TABS[side]);
    tabs.append(tab);
    element.append(make("h3", {}, TITLES[side]));
    element.onclick = () => select(side);
    const diagram = new Diagram(element, { label: TITLES[side], flipped });
    const belief = make("p", { className: "knows" });
    const news = make("ol", { className: "list", "aria-label": `Tries and announcements of ${side}`, tabIndex: 0 });
    const notes = make("section", { className: `notes ${side}`, "aria-label": `What ${side} knows` }, make("h3", {}, `What ${TABS[side]} knows`), belief, news);
    return { element, tab, diagram, belief, news, notes };
  }

  /** Makes one board the large one. */
  function select(chosen) {
    root.dataset.chosen = chosen;
    for (const side of SIDES) {
      panels[side].element.classList.toggle("chosen", side === chosen);
      panels[side].tab.setAttribute("aria-selected", side === chosen);
    }
  }

  function liveControls() {
    const pause = make("button", { type: "button", id: "pause", onclick: () => send({ do: "pause", on: !state.paused }) }, "Pause");
    const pace = make("input", { type: "number", min: 0, max: 10, step: 0.1, id: "pace" });
    pace.onchange = () => send({ do: "pace", seconds: Number(pace.value) });
    const stop = make("button", { type: "button", id: "stop", onclick: () => send({ do: "leave" }) }, "End the game");
    const element = make("p", { className: "live" }, pause, make("label", {}, "At least ", pace, " seconds per try"), stop);
    return Object.assign(element, { pause, pace });
  }

  // Moving through the game
  function onKey(event) {
    const isBusy = event.target.closest?.("input:not([type=checkbox], [type=range]), textarea, dialog");
    const isChoosing = event.target.closest?.("select") && !["ArrowLeft", "ArrowRight"].includes(event.key); // keys of the list itself
    if (!state.frames.length || isBusy || isChoosing || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key in MOVES) show(nextMove(MOVES[event.key]));
    else if (event.key in STEPS) go(STEPS[event.key]);
    else return;
    event.preventDefault();
  }

  /** The moment after the next or the last move. */
  function nextMove(step) {
    let at = state.at + step;
    while (state.frames[at] && state.frames[at].answer !== "accepted") at += step;
    return Math.min(Math.max(at, 0), state.frames.length - 1);
  }

  function go(step) {
    show(Math.min(Math.max(state.at + step, 0), state.frames.length - 1));
  }

  function show(at) {
    state.at = at;
    notice.textContent = "";
    draw();
    ask();
  }

  // Analysis
  /** Moments without an analysis, in the order of requests. */
  function missing() {
    const rank = (at) => COARSE.findIndex((step) => at % step === 0);
    return [...state.frames.keys()].filter((at) => !state.looks.has(at)).sort((one, other) => rank(one) - rank(other) || one - other);
  }

  /** After the end: whether the turning points are there that the page shows first. */
  function hasTurning() {
    return state.isTurningRefused || Boolean(state.turning && (game.you ? state.turning.sides.includes(game.you) : state.turning.sides.length === 2));
  }

  /** Requests the turning points after the end, then the analysis of this moment, those beside it and all others. */
  function ask() {
    const isWaiting = state.isTurningRequested && !hasTurning();
    if (isFile || !state.frames.length || (isWaiting && Date.now() - state.turningAt < HEAD_START)) return;
    const isFirst = !state.live && !state.isTurningRequested;
    const left = missing();
    const near = [0, 1, -1, 2].map((step) => state.at + step).filter((at) => left.includes(at));
    const wanted = [...new Set([...near, ...(state.live || isWaiting ? [] : left)])].slice(0, AT_ONCE);
    const isUrgent = wanted[0] === state.at && !state.requested.has(state.at);
    const since = Date.now() - state.requestedAt;
    if (!isFirst && (!wanted.length || (state.requested.size && !isUrgent && since < 5000))) return;
    clearTimeout(state.soon);
    const now = Date.now();
    const allowed = Math.min(BURST, budget.left + (RATE * (now - budget.at)) / 1000);
    if (allowed < 1) {
      state.soon = setTimeout(ask, (1000 * (1 - allowed)) / RATE + 1);
      return;
    }
    [budget.left, budget.at] = [allowed - 1, now];
    if (isFirst) {
      [state.isTurningRequested, state.turningAt] = [true, now];
      send({ do: "turning" });
    } else {
      [state.requested, state.requestedAt] = [new Set(wanted), now];
      send({ do: "look", indexes: wanted });
    }
  }

  function draw() {
    const frame = state.frames[state.at];
    if (!frame) return;
    const look = state.looks.get(state.at);
    if (line.textContent !== frame.title) line.textContent = frame.title;
    line.classList.remove("working");
    const last = state.frames.length - 1;
    [slider.max, slider.value] = [last, state.at];
    slider.setAttribute("aria-valuetext", `${state.at} of ${last}: ${frame.title}`);
    count.textContent = `${state.at} of ${last}`;
    [0, 1].forEach((one) => { buttons[one].disabled = state.at === 0; });
    [2, 3].forEach((one) => { buttons[one].disabled = state.at === last; });
    const arrow = frame.move && { uci: frame.move, refused: frame.answer !== "accepted" };
    for (const side of SIDES) drawSide(side, frame, look, side === "true" || side === frame.mover ? arrow : null);
    values.replaceChildren(...tryTable(frame, look, state.frames[state.at + 1], isFile));
    sheet.draw(state.frames, state.at);
    ending.textContent = state.over && game.kind !== "play" && state.at === last ? howEnded(state.over, frame) : "";
    drawGrowing();
  }

  function drawSide(side, frame, look, arrow) {
    const isShown = look && boxes[side]?.box.checked && look[side].chances.length > 0;
    const chances = isShown ? look[side].chances : null;
    const heat = chances && (Number(kind.value) ? chances[kind.value - 1] : chances[0].map((_, at) => chances.reduce((sum, one) => sum + one[at], 0)));
    const signs = {};
    if (chances) for (const key of Object.keys(SIGNS)) for (const square of look[side][key]) signs[square] = key;
    const other = { white: "black", black: "white" }[side];
    const hidden = other && boxes.hidden.box.checked ? frame[other] : {};
    panels[side].diagram.show({ men: frame[side], hidden, marks: frame.marks, heat, signs, arrow });
    if (!other) return;
    panels[side].belief.replaceChildren(...(look || !isFile ? knowledge(look?.[side]) : []));
    const news = merged(state.frames.slice(0, state.at + 1).flatMap(({ news }, at) => news[side].map((text) => ({ text, at }))));
    panels[side].news.replaceChildren(...news.slice(-NEWS).map(({ text, at }) => make("li", { className: at === state.at ? "new" : "" }, text)));
    panels[side].news.scrollTop = panels[side].news.scrollHeight;
  }

  function shownPoints() {
    return (state.turning?.points ?? []).filter(({ side }) => side === (game.you ?? side));
  }

  /** Poses a turning point, as soon as its moment is analysed. */
  function pose(point) {
    state.posed = point;
    if (state.at !== point.index) show(point.index);
    const [frame, look] = [state.frames[point.index], state.looks.get(point.index)];
    if (!look?.tries.length) return;
    const all = shownPoints().filter(({ theme }) => !UNPOSED.includes(theme));
    const later = all[all.findIndex(({ index }) => index === point.index) + 1];
    const log = state.frames.slice(0, point.index + 1).flatMap(({ news }) => news[point.side]);
    state.posed = null;
    tools.again({ point, frame, look, made: state.frames[point.index + 1].move, log, next: later ? () => pose(later) : null });
  }

  /** Notes the person's turning points for the start page, and poses the one that they chose there. */
  function noteMoments() {
    if (!tools || !game.you || !state.turning?.sides.includes(game.you)) return;
    const points = shownPoints().filter(({ theme }) => !UNPOSED.includes(theme));
    if (state.over?.saved) tools.remember(state.over.saved.split(/[\\/]/).at(-1), points);
    const wanted = points.find(({ index }) => index === tools.wanted);
    tools.wanted = null;
    if (wanted) pose(wanted);
    tools.offer(points.length ? () => pose(points[0]) : null);
  }

  function drawCurves() {
    curves.hidden = state.looks.size < 2 || state.frames.length < 3;
    if (!curves.hidden) curves.replaceChildren(...graphs(state.frames.length, state.looks, state.at, shownPoints(), show));
  }

  /** Draws curves and lists, which grow with each analysis. */
  function drawGrowing() {
    state.later = 0;
    drawCurves();
    const left = state.frames.length - state.looks.size;
    const isEmpty = state.live || state.frames.length < 2;
    for (const link of links) link.hidden = !tools || state.live;
    progress.hidden = isEmpty || isFile || Boolean(!left && hasTurning());
    progress.textContent = hasTurning() ? `Analysing the game: ${left} moments left …` : "Looking for the turning points …";
    if (isEmpty) return;
    const parts = state.turning ? turningPoints(state.turning, game.you, show, tools && pose) : [];
    if (turning.textContent !== parts.map((part) => part.textContent).join("")) turning.replaceChildren(...parts);
  }

  function receive(message) {
    if (message.is === "frames") {
      const before = state.frames.length;
      const isFollowing = before ? state.at === before - 1 : !["replay", "file"].includes(game.kind);
      state.frames.splice(message.start, Infinity, ...message.frames);
      state.live = message.live;
      state.isTurningRequested &&= hasTurning(); // after a lost connection, ask again
      if (live) live.hidden = !message.live;
      show(isFollowing ? state.frames.length - 1 : Math.min(state.at, state.frames.length - 1));
    } else if (message.is === "analysis") {
      const isNew = !state.looks.has(message.index); // another tab may have asked for it
      state.looks.set(message.index, message);
      state.requested.delete(message.index);
      if (message.index === state.posed?.index) pose(state.posed);
      if (isNew && message.index === state.at) draw();
      else if (isNew) state.later ||= setTimeout(drawGrowing, PAUSE);
      if (!state.requested.size || isNew) ask();
    } else if (message.is === "turning") {
      state.turning = message;
      drawGrowing();
      ask();
      noteMoments();
    } else if (message.is === "over") {
      state.over = message;
      draw();
      noteMoments();
    } else if (message.is === "refusal") {
      notice.textContent = message.text;
      state.isTurningRefused ||= message.to === "turning";
    } else if (message.is === "pace" && live) {
      state.paused = message.paused;
      live.pause.textContent = message.paused ? "Continue" : "Pause";
      live.pace.value = message.seconds;
    }
  }

  function close() {
    clearInterval(clock);
    clearTimeout(state.soon);
    clearTimeout(state.later);
    document.removeEventListener("keydown", onKey);
  }

  return { receive, close };
}

/** Explains what stands on the boards, until the person closes it. */
function legend() {
  const key = (name, words) => [make("span", { className: `key ${name}`, "aria-hidden": true }, SIGNS[name]), ` ${words}. `];
  const element = make("details", { className: "legend", open: !isLegendClosed }, make("summary", {}, "Signs"), make("p", {},
    "Numbers: the chance in percent that an enemy piece stands there, as that side knew it. Sure, and right: ", ...key("right", "a piece"),
    "Sure, and wrong: ", ...key("wrong", "no piece is there"), ...key("missed", "a piece where there should be none"), "Arrow: the try."));
  element.ontoggle = () => { isLegendClosed = !element.open; };
  return element;
}

/** The pieces of a side; "true": all of them. */
function ofSide(men, side) {
  return Object.fromEntries(Object.entries(men).filter(([, letter]) => side === "true" || (letter === letter.toUpperCase()) === (side === "white")));
}

/** News, with repetitions merged into one. */
function merged(news) {
  const runs = [];
  for (const one of news) {
    if (runs.at(-1)?.first === one.text) [runs.at(-1).times, runs.at(-1).at] = [runs.at(-1).times + 1, one.at];
    else runs.push({ first: one.text, times: 1, at: one.at });
  }
  return runs.map(({ first, times, at }) => ({ text: times > 1 ? `${first.replace(/\.$/, "")} (${times} times).` : first, at }));
}

/** The result, the reason unless the last frame shows it, and the file. */
function howEnded({ result, text, saved }, frame) {
  return `${result}${text === frame.title ? "." : `: ${text}`}${saved ? ` Saved to ${saved}.` : ""}`;
}

/** A side's knowledge of the enemy, in words. */
function knowledge(side) {
  if (!side) return [make("span", { className: "working" }, "Calculating the belief …")];
  if (!side.chances.length) return ["No position is consistent with the announcements."];
  const list = (key, words) => (side[key].length ? [make("span", { className: "sure" },
    make("span", { className: `key ${key}`, "aria-hidden": true }, SIGNS[key]), ` ${words}: ${side[key].join(" ")}`)] : []);
  const sure = [...list("right", "occupied, and right"), ...list("wrong", "occupied, and wrong"), ...list("missed", "empty, and wrong")];
  return [`${side.basis[0].toUpperCase()}${side.basis.slice(1)}; on average ${side.placed.toFixed(1)} of ${side.men} pieces placed correctly.`,
    ...(sure.length ? [" Sure, since they all agree:", ...sure] : [])];
}
