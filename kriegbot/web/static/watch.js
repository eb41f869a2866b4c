// The form that sets two programs against each other.

import { leadToRules, title } from "./form.js";
import { make } from "./make.js";

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
    const settings = make("input", { id: `watch-${side}-settings`, value: "", maxLength: 200, autocomplete: "off", spellcheck: false,
      "aria-label": `${label}'s settings`, placeholder: "such as time=0.5,depth=2" });
    const help = make("small", {});
    const player = () => choices.find((one) => one.value === who.value);
    const describe = () => {
      const { summary, options, isFixed } = player();
      settings.hidden = isFixed || !options.length;
      help.textContent = `${summary}.${settings.hidden ? "" : ` Takes ${options.map((one) => `${one.name}=${one.takes}`).join(", ")}.`}`;
    };
    who.onchange = describe;
    describe();
    const spec = () => (settings.hidden || !settings.value.trim() ? who.value : `${who.value}:${settings.value.trim()}`);
    const element = choice(label, who);
    element.append(settings, help);
    return { spec, element };
  };
  const white = field("white", "White", "overconfident");
  const black = field("black", "Black", "paranoid");
  const rules = select("watch-rules", hello.rules.map((one) => [one.name, one.title]), "berkeley");
  const link = make("a", {}, "These rules explained");
  leadToRules(rules, link);
  const seed = make("input", { id: "watch-seed", inputMode: "numeric", pattern: "[0-9]{0,39}", placeholder: "a fresh one", autocomplete: "off" });
  const pace = make("input", { id: "watch-pace", type: "number", min: 0, max: 10, step: 0.1, value: 1 });
  const failure = make("p", { className: "failure", role: "alert", id: "watch-failure" });
  const form = make("form", { className: "watch-form" }, white.element, black.element,
    make("div", {}, choice("Rules", rules, link, " "), choice("Seed", seed), choice("Least seconds per try", pace)),
    failure, make("button", { type: "submit", id: "watch-start", className: "main" }, "Watch"));
  form.onsubmit = (event) => {
    event.preventDefault();
    failure.textContent = "";
    send({ do: "watch", white: white.spec(), black: black.spec(), rules: rules.value, seed: seed.value.trim() || null, pace: Number(pace.value) });
  };
  root.replaceChildren(form);
  return (text) => { failure.textContent = text; };
}
