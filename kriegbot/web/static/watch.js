// The form that sets two programs against each other.

import { make } from "./make.js";

/** Fills an element with the form; send(message) asks the server. Returns what says why it was refused. */
export function watchForm(root, send, hello) {
  const programs = hello.players.filter((player) => player.name !== "human");
  const choice = (id, label, options, chosen) => {
    const select = make("select", { id }, ...options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
    return [select, make("label", { htmlFor: id }, label)];
  };
  const player = (side, label, chosen) => {
    const [select, name] = choice(`watch-${side}`, label, programs.map((one) => [one.name, one.name]), chosen);
    const settings = make("input", { id: `watch-${side}-settings`, value: "", maxLength: 200, autocomplete: "off", spellcheck: false,
      "aria-label": `${label}'s settings`, placeholder: "such as time=0.5,depth=2" });
    const help = make("small", {});
    const tell = () => {
      const known = programs.find((one) => one.name === select.value);
      help.textContent = `${known.summary}.${known.options.length ? ` Takes ${known.options.map((one) => `${one.name}=${one.takes}`).join(", ")}.` : ""}`;
    };
    select.onchange = tell;
    tell();
    return { spec: () => (settings.value.trim() ? `${select.value}:${settings.value.trim()}` : select.value), rows: [name, make("span", { className: "player-choice" }, select, settings), help] };
  };
  const white = player("white", "White", "overconfident");
  const black = player("black", "Black", "paranoid");
  const [rules, rulesName] = choice("watch-rules", "Rules", hello.rules.map((one) => [one.name, one.title]), "berkeley");
  const seed = make("input", { id: "watch-seed", inputMode: "numeric", pattern: "[0-9]{0,39}", placeholder: "a fresh one", autocomplete: "off" });
  const pace = make("input", { id: "watch-pace", type: "number", min: 0, max: 10, step: 0.1, value: 1 });
  const failure = make("p", { className: "failure", role: "alert", id: "watch-failure" });
  const form = make("form", { className: "watch-form" }, ...white.rows, ...black.rows,
    rulesName, rules, make("label", { htmlFor: "watch-seed" }, "Seed"), seed,
    make("label", { htmlFor: "watch-pace" }, "Seconds from try to try, at least"), pace, failure,
    make("button", { type: "submit", id: "watch-start", className: "main" }, "Watch"));
  form.onsubmit = (event) => {
    event.preventDefault();
    failure.textContent = "";
    send({ do: "watch", white: white.spec(), black: black.spec(), rules: rules.value, seed: seed.value.trim() || null, pace: Number(pace.value) });
  };
  root.replaceChildren(form);
  return (text) => { failure.textContent = text; };
}
