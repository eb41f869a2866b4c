// A review as one file for any browser: the game, its analysis, and the page's scripts and styles. It loads nothing.

import { chosen } from "./choices.js";

const MODULES = ["make.js", "diagram.js", "values.js", "sheet.js", "graph.js", "review.js"]; // each after what it imports
const STYLES = ["style.css", "review.css"];
const IMPORT = /^import \{([^}]*)\} from "\.\/([\w.]+)";$/gm;
const EXPORT = /^export (?=(?:async )?(?:function|class|const) (\w+))/gm;
const POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";

/** A module as a function of the modules before it, which returns the exports. */
export function asFunction(name, text) {
  const names = [...text.matchAll(EXPORT)].map((match) => match[1]);
  const body = text.replace(IMPORT, (_, imported, from) => `const {${imported}} = modules["${from}"];`).replace(EXPORT, "");
  return `modules["${name}"] = (() => {\n${body}\nreturn { ${names.join(", ")} };\n})();`;
}

/** The text of the file. game, over, turning: messages of the server; frames: all; looks: analyses by moment. */
export async function sharedPage({ game, over, frames, looks, turning }) {
  const read = async (name) => (await fetch(`static/${name}`)).text();
  const [scripts, styles] = await Promise.all([Promise.all(MODULES.map(read)), Promise.all(STYLES.map(read))]);
  const named = (name) => (name === "You" ? chosen("name") || "A person" : name);
  const side = game.you === "black" ? "Black" : "White"; // texts to the person are for others now
  const points = turning?.points.map((one) => ({ ...one, text: one.text.replace(/\byour\b/gi, `${side}'s`).replace(/\byou\b/gi, side) }));
  const info = { ...game, id: "", kind: "file", invitation: null, onlookers: null, white: named(game.white), black: named(game.black) };
  const data = { game: info, over: over && { ...over, saved: null }, frames, looks: [...looks.values()], turning: turning && { ...turning, points } };
  const script = [
    "const modules = {};",
    ...MODULES.map((name, number) => asFunction(name, scripts[number])),
    `const data = ${JSON.stringify(data)};`,
    'const review = modules["review.js"].startReview(document.getElementById("review"), () => {}, data.game);',
    'review.receive({ is: "frames", start: 0, frames: data.frames, live: false });',
    'for (const look of data.looks) review.receive({ ...look, is: "analysis" });',
    "for (const more of [data.turning, data.over]) if (more) review.receive(more);",
  ].join("\n").replaceAll("</", "<\\/").replaceAll("<!--", "<\\!--");
  const pieces = document.querySelector("body > svg").outerHTML;
  const title = `Kriegspiel: ${info.white} – ${info.black}`.replace(/[&<>]/g, "");
  const squares = document.documentElement.dataset.squares ?? "";
  return `<!doctype html>
<html lang="en" data-squares="${squares}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<style>${styles.join("\n")}</style></head>
<body>${pieces}<main><section id="review"></section></main><script type="module">${script}</script></body></html>
`;
}

/** Makes a link save what make() returns, a blob, which may take a while. say(text) tells what went wrong. */
function saves(link, make, say) {
  const text = link.textContent;
  link.onclick = async (event) => {
    if (link.href.startsWith("blob:")) return;
    event.preventDefault();
    if (link.ariaBusy === "true") return;
    [link.ariaBusy, link.textContent] = ["true", `${text}: working …`];
    try {
      const blob = await make();
      link.href = URL.createObjectURL(blob);
      link.download = `kriegspiel.${blob.type.match(/html|gif|svg/)[0]}`;
      link.click();
    } catch (error) {
      say(error.message);
    }
    [link.ariaBusy, link.textContent] = ["false", text];
    setTimeout(() => {
      URL.revokeObjectURL(link.href);
      link.href = "#";
    }, 1000);
  };
}

/** Makes one link save a review as a file, and another a game as a moving picture. */
export function shareLinks(file, picture, data, say) {
  saves(file, async () => new Blob([await sharedPage(data())], { type: "text/html" }), say);
  saves(picture, async () => {
    const answer = await fetch(`pictures/${data().game.id}`);
    if (!answer.ok) throw new Error((await answer.json()).error);
    return answer.blob();
  }, say);
}
