// The form for a new game: levels first; other opponents, their time and depth, and the seed under "More options".

import { chosen, keep } from "./choices.js";
import { make } from "./make.js";

const TIMES = [["0.2", "a blink (0.2 s)"], ["1", "quick (1 s)"], ["3", "steady (3 s)"], ["10", "patient (10 s)"], ["30", "long (30 s)"]];
const DEPTHS = { 1: "its move", 2: "its move and your reply", 3: "its move, your reply and its next move", 4: "two moves of each side" };
const CLOCKS = ["180+2", "300+5", "600+5", "900+10", "1800+20"];
export const title = (text) => text[0].toUpperCase() + text.slice(1);
const $ = (id) => document.getElementById(id);

/** Fills a <select> with [[value, text], ...], and selects the earlier choice. */
export function fill(select, choices, before) {
  select.replaceChildren(...choices.map(([value, text]) => make("option", { value }, text)));
  if (choices.some(([value]) => value === before)) select.value = before;
}

/** "3 min + 2 s" for "180+2": seconds at the start, and for each move. */
export function clockText(clock) {
  const [base, increment] = clock.split("+").map(Number);
  return `${base % 60 ? `${base} s` : `${base / 60} min`} + ${increment} s`;
}

/** Points a link at the explanation of the selected rules. */
export function leadToRules(select, link) {
  const lead = () => { link.href = `#rules-${select.value}`; };
  select.addEventListener("change", lead);
  lead();
}

/** Sets up the form. send(message) sends to the server; players and rules come from its first message. */
export function newForm(send, { players, rules }) {
  const player = () => players.find(({ name }) => name === $("opponent").value);
  const option = (name) => player().options.find((one) => one.name === name);
  const level = () => document.querySelector("#levels input:checked")?.value;
  const say = (text) => { $("failure").textContent = text; };

  fill($("opponent"), players.map(({ name }) => [name, name]), chosen("opponent"));
  fill($("time"), TIMES, chosen("time") ?? "1");
  fill($("clock"), [["", "No clock"], ...CLOCKS.map((clock) => [clock, clockText(clock)])], chosen("clock"));
  fill($("rules"), rules.map((one) => [one.name, one.title]), chosen("rules"));
  const side = document.querySelector(`#new input[name=color][value="${CSS.escape(chosen("color") ?? "white")}"]`);
  if (side) side.checked = true;
  $("opponent").onchange = offerStrength;
  $("rules").onchange = explain;
  leadToRules($("rules"), $("rules-link"));
  offerStrength();
  explain();
  if ($("opponent").value !== players[0].name) $("more").open = true;

  /** Shows two lines on the rules. */
  function explain() {
    const { about } = rules.find((one) => one.name === $("rules").value);
    $("rules-about").replaceChildren(...about.map((line) => make("span", {}, line)));
  }

  /** Shows only the options that the opponent has. */
  function offerStrength() {
    const [depth, levels] = [option("depth"), option("level")];
    $("summary").textContent = `${player().summary}.`;
    $("level-choice").hidden = !levels;
    $("opponent-chosen").hidden = Boolean(levels);
    $("opponent-chosen").replaceChildren("Your opponent is ", make("strong", {}, player().name), ", chosen under More options.");
    const names = levels ? levels.takes.split("|") : [];
    const before = names.includes(chosen("level")) ? chosen("level") : names.includes("casual") ? "casual" : names.at(-1);
    $("levels").replaceChildren(...names.map((name) => make("label", {},
      make("input", { type: "radio", name: "level", value: name, checked: name === before, onchange: offerTime }), ` ${title(name)}`)));
    $("depth-choice").hidden = !depth;
    if (depth) {
      const [low, high] = depth.takes.split("..").map(Number);
      const plies = Array.from({ length: high - low + 1 }, (_, more) => String(low + more));
      fill($("depth"), plies.map((count) => [count, DEPTHS[count] ?? `${count} moves`]), chosen("depth") ?? depth.default);
    }
    offerTime();
  }

  /** Describes the level. Only the best one has a time: the others play the same on any machine. */
  function offerTime() {
    const levels = option("level");
    $("level-about").textContent = levels ? `${title(levels.words[levels.takes.split("|").indexOf(level())])}.` : "";
    $("time-choice").hidden = !option("time") || (levels && level() !== levels.default);
  }

  function opponent() {
    const values = { level: level(), depth: $("depth").value, time: $("time").value };
    const visible = Object.keys(values).filter((name) => !$(`${name}-choice`).hidden);
    const settings = visible.filter((name) => name !== "level" || !visible.includes("time")).map((name) => `${name}=${values[name]}`);
    return $("opponent").value + (settings.length ? `:${settings.join(",")}` : "");
  }

  function common() {
    const color = new FormData($("new")).get("color");
    const choices = { color, rules: $("rules").value, clock: $("clock").value };
    keep({ ...choices, opponent: $("opponent").value, level: level() ?? "", time: $("time").value, depth: $("depth").value });
    say("");
    return { ...choices, clock: choices.clock || null };
  }

  $("new").onsubmit = (event) => {
    event.preventDefault();
    send({ do: "new", opponent: opponent(), seed: $("seed").value.trim() || null, ...common() });
  };
  $("invite").onclick = () => send({ do: "invite", name: chosen("name") ?? "", ...common() });
  return say;
}
