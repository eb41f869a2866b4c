// What was chosen on the page, which the server keeps for the next time; and the colours, which are one of the choices.

const $ = (id) => document.getElementById(id);
let kept = {};
let send = () => {};

/** Reads what is kept; whatever is not a choice of this page is ignored. */
export function recall(text, sending) {
  send = sending;
  try {
    const found = JSON.parse(text || "{}");
    kept = typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
  } catch {
    kept = {};
  }
  show(kept.theme);
}

/** A choice of an earlier time, if there is one. */
export function chosen(name) {
  return typeof kept[name] === "string" ? kept[name] : undefined;
}

/** Keeps choices: {name: text}. */
export function keep(choices) {
  kept = { ...kept, ...choices };
  send({ do: "remember", choices: JSON.stringify(kept) });
}

function show(theme) {
  const known = ["light", "dark"].includes(theme) ? theme : "";
  $("theme").value = known;
  if (known) document.documentElement.dataset.theme = known;
  else delete document.documentElement.dataset.theme;
}

$("theme").onchange = () => {
  show($("theme").value);
  keep({ theme: $("theme").value });
};
