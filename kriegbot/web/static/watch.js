// The form that sets two programs against each other.

import { leadToRules, offerSettings, specOf, title } from "./form.js";
import { make } from "./make.js";

const PACES = [["0", "As fast as they play"], ["1", "A second for each try"], ["3", "Three seconds for each try"]];

/** Fills an element with the form; send(message) sends to the server. Returns a function that shows a refusal. */
export function watchForm(root, send, hello) {
  const choices = hello.players.flatMap((one) => {
    const level = one.options.find((option) => option.name === "level");
    return (level?.takes.split("|") ?? [""]).map((name, at) => {
      const isFixed = name !== (level?.default ?? ""); // the level decides everything
      const [text, summary] = level ? [`${title(name)} bot`, title(level.words[at] ?? one.summary)] : [one.name, one.summary];
      return { ...one, value: isFixed ? `${one.name}:level=${name}` : one.name, text, summary, isFixed };
    });
  });
  const choice = (label, control, ...more) => make("div", { className: "choice" }, make("label", { htmlFor: control.id }, label), " ", ...more, control);
  const select = (id, options, chosen) => make("select", { id },
    ...options.map(([value, text]) => make("option", { value, selected: value === chosen }, text)));
  const field = (side, label, chosen) => {
    const who = select(`watch-${side}`, choices.map((one) => [one.value, one.text]), chosen);
    const places = Object.fromEntries([["time", "Its time to think"], ["depth", "How far it looks ahead"]].map(([name, text]) =>
      [name, choice(text, select(`watch-${side}-${name}`, []))]));
    const help = make("small", {});
    const player = () => choices.find((one) => one.value === who.value);
    const describe = () => {
      help.textContent = `${player().summary}.`;
      offerSettings(player(), player().isFixed, places);
    };
    who.onchange = describe;
    describe();
    const first = choice(label, who);
    first.append(help);
    return { spec: () => specOf(who.value, places), element: make("div", {}, first, ...Object.values(places)) };
  };
  const white = field("white", "White", "overconfident");
  const black = field("black", "Black", "paranoid");
  const rules = select("watch-rules", hello.rules.map((one) => [one.name, one.title]), "berkeley");
  const link = make("a", {}, "These rules explained");
  leadToRules(rules, link);
  const seed = make("input", { id: "watch-seed", inputMode: "numeric", pattern: "[0-9]{0,39}", placeholder: "a fresh one", autocomplete: "off" });
  const pace = select("watch-pace", PACES, "1");
  const failure = make("p", { className: "failure", role: "alert", id: "watch-failure" });
  const form = make("form", { className: "watch-form" }, white.element, black.element,
    make("div", {}, choice("Rules", rules, link, " "), choice("Seed", seed), choice("Pace", pace)),
    failure, make("button", { type: "submit", id: "watch-start", className: "main" }, "Watch"));
  form.onsubmit = (event) => {
    event.preventDefault();
    failure.textContent = "";
    send({ do: "watch", white: white.spec(), black: black.spec(), rules: rules.value, seed: seed.value.trim() || null, pace: Number(pace.value) });
  };
  root.replaceChildren(form);
  return (text) => { failure.textContent = text; };
}
