// What was chosen on the page, which the server keeps for the next time; and the settings, colours and board, which are
// choices, too. The server keeps them because it has another port each time, which to a browser is another site.

const $ = (id) => document.getElementById(id);
let kept = {};
let send = () => {};
const SETTINGS = { theme: ["light", "dark"], squares: ["blue", "green"] }; // beside the usual one

/** Reads what is kept; whatever is not a choice of this page is ignored. */
export function recall(text, sending) {
  send = sending;
  try {
    const found = JSON.parse(text || "{}");
    kept = typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
  } catch {
    kept = {};
  }
  show();
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

function show() {
  for (const [name, others] of Object.entries(SETTINGS)) {
    $(name).value = others.includes(kept[name]) ? kept[name] : "";
    if ($(name).value) document.documentElement.dataset[name] = $(name).value;
    else delete document.documentElement.dataset[name];
  }
}

for (const name of Object.keys(SETTINGS)) {
  $(name).onchange = () => {
    keep({ [name]: $(name).value });
    show();
  };
}
