// The person's choices on the page, settings for colours and board included. The server stores them, because it has
// another port each time, which to a browser is another site.

const $ = (id) => document.getElementById(id);
let stored = {};
let send = () => {};
const SETTINGS = { theme: ["light", "dark"], squares: ["blue", "green"] }; // besides the default

/** Reads stored choices; ignores anything else in the text. */
export function recall(text, sending) {
  send = sending;
  try {
    const found = JSON.parse(text || "{}");
    stored = typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
  } catch {
    stored = {};
  }
  show();
}

/** A stored choice, or undefined. */
export function chosen(name) {
  return typeof stored[name] === "string" ? stored[name] : undefined;
}

/** Stores choices: {name: text}. */
export function keep(choices) {
  stored = { ...stored, ...choices };
  send({ do: "remember", choices: JSON.stringify(stored) });
}

function show() {
  for (const [name, others] of Object.entries(SETTINGS)) {
    $(name).value = others.includes(stored[name]) ? stored[name] : "";
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
