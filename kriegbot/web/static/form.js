// The form for a new game: the level first, everything else under "More".

import { chosen, keep } from "./choices.js";
import { make } from "./make.js";

const TIMES = [["0.2", "a blink (0.2 s)"], ["1", "quick (1 s)"], ["3", "steady (3 s)"], ["10", "patient (10 s)"], ["30", "long (30 s)"]];
const DEPTHS = { 1: "its move", 2: "its move and the reply", 3: "its move, the reply and its next move", 4: "two moves of each side" };
const FREE = "free"; // of the clock: any minutes and seconds
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

/** Offers the time and the depth of a player in <select>s, unless its level decides them. places: {time, depth}, elements with a <select>. */
export function offerSettings({ options }, isFixed, places, before = () => undefined) {
  for (const [name, place] of Object.entries(places)) {
    const option = options.find((one) => one.name === name);
    place.hidden = isFixed || !option;
    if (place.hidden) continue;
    const [low, high] = option.takes.split("..").map(Number);
    const plies = Array.from({ length: high - low + 1 }, (_, more) => String(low + more));
    const select = place.querySelector("select");
    fill(select, name === "time" ? TIMES : plies.map((count) => [count, DEPTHS[count] ?? `${count} moves`]), before(name) ?? option.default);
  }
}

/** A player as a spec: its name, with what is chosen in these places. */
export function specOf(name, places) {
  const settings = Object.entries(places).filter(([, place]) => !place.hidden).map(([option, place]) => `${option}=${place.querySelector("select").value}`);
  return name + (settings.length ? `:${settings.join(",")}` : "");
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
  const levels = () => player().options.find((one) => one.name === "level");
  const level = () => document.querySelector("#levels input:checked")?.value;
  const isFixed = () => Boolean(levels()) && level() !== levels().default; // the level decides everything
  const places = { time: $("time-choice"), depth: $("depth-choice") };
  const say = (text) => { $("failure").textContent = text; };

  fill($("opponent"), players.map(({ name }) => [name, name]), chosen("opponent"));
  fill($("clock"), [["", "No clock"], ...CLOCKS.map((clock) => [clock, clockText(clock)]), [FREE, "Another one"]]);
  const [minutes, increment] = (chosen("clock") ?? "").split("+").map(Number);
  $("clock").value = CLOCKS.includes(chosen("clock")) ? chosen("clock") : increment >= 0 ? FREE : "";
  if ($("clock").value === FREE) [$("minutes").value, $("increment").value] = [minutes / 60, increment];
  $("fifty").checked = chosen("fifty") === "yes";
  fill($("rules"), rules.map((one) => [one.name, one.title]), chosen("rules"));
  const side = document.querySelector(`#new input[name=color][value="${CSS.escape(chosen("color") ?? "white")}"]`);
  if (side) side.checked = true;
  $("opponent").onchange = offerStrength;
  $("rules").onchange = explain;
  $("new").onchange = summarize;
  leadToRules($("rules"), $("rules-link"));
  offerStrength();
  explain();

  /** Shows two lines on the rules. */
  function explain() {
    const { about } = rules.find((one) => one.name === $("rules").value);
    $("rules-about").replaceChildren(...about.map((line) => make("span", {}, line)));
  }

  /** Shows only the options that the opponent has. */
  function offerStrength() {
    $("summary").textContent = `${player().summary}.`;
    $("level-choice").hidden = !levels();
    $("opponent-chosen").hidden = Boolean(levels());
    $("opponent-chosen").replaceChildren("Your opponent is ", make("strong", {}, player().name), ", chosen under More.");
    const names = levels() ? levels().takes.split("|") : [];
    const before = names.includes(chosen("level")) ? chosen("level") : names.includes("casual") ? "casual" : names.at(-1);
    $("levels").replaceChildren(...names.map((name) => make("label", {},
      make("input", { type: "radio", name: "level", value: name, checked: name === before, onchange: offerTime }), ` ${title(name)}`)));
    offerTime();
  }

  /** Describes the level. Only the best one has a time: the others play the same on any machine. */
  function offerTime() {
    $("level-about").textContent = levels() ? `${title(levels().words[levels().takes.split("|").indexOf(level())])}.` : "";
    offerSettings(player(), isFixed(), places, chosen);
    summarize();
  }

  /** Says what is chosen under More. */
  function summarize() {
    const isFree = $("clock").value === FREE;
    for (const field of [$("minutes"), $("increment")]) field.disabled = !isFree; // a field that is not shown is not checked
    $("free-clock").hidden = !isFree;
    const rule = $("rules").selectedOptions[0].text + ($("fifty").checked ? ", 50-move rule" : "");
    $("terms").textContent = `${title(document.querySelector("#new input[name=color]:checked").value)}, ${clock() ? clockText(clock()) : "No clock"}, ${rule}; other programs`;
  }

  /** The chosen clock, as the server has it; an empty text for none. */
  function clock() {
    return $("clock").value === FREE ? `${60 * $("minutes").value}+${Number($("increment").value)}` : $("clock").value;
  }

  function common() {
    const color = new FormData($("new")).get("color");
    const choices = { color, rules: $("rules").value, clock: clock() };
    keep({ ...choices, fifty: $("fifty").checked ? "yes" : "", opponent: $("opponent").value, level: level() ?? "", time: $("time").value, depth: $("depth").value });
    say("");
    return { ...choices, limits: $("fifty").checked ? "quiet=100" : "none", clock: choices.clock || null };
  }

  $("new").onsubmit = (event) => {
    event.preventDefault();
    const opponent = isFixed() ? `${player().name}:level=${level()}` : specOf(player().name, places);
    send({ do: "new", opponent, seed: $("seed").value.trim() || null, ...common() });
  };
  $("invite").onclick = () => $("new").reportValidity() && send({ do: "invite", name: chosen("name") ?? "", ...common() });
  return say;
}
