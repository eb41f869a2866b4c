// The person's choices on the page, settings for colours and board included. The browser stores them.

const $ = (id) => document.getElementById(id);
const KEY = "kriegspiel-choices";
const SETTINGS = { theme: ["light", "dark"], squares: ["blue", "green"] }; // besides the default
let choices = stored();

/** Reads stored choices; ignores anything else. */
function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return typeof found === "object" && found !== null && !Array.isArray(found) ? found : {};
  } catch {
    return {}; // also where a browser forbids storing
  }
}

/** A stored choice, or undefined. */
export function chosen(name) {
  return typeof choices[name] === "string" ? choices[name] : undefined;
}

/** Stores choices, {name: text}, beside those that another tab has stored meanwhile. */
export function keep(more) {
  choices = { ...choices, ...stored(), ...more };
  try {
    localStorage.setItem(KEY, JSON.stringify(choices));
  } catch {
    // they last as long as the page
  }
}

function show() {
  for (const [name, others] of Object.entries(SETTINGS)) {
    $(name).value = others.includes(choices[name]) ? choices[name] : "";
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
show();
