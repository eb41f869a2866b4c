// The saved games: to look at, to play on, to delete, to download, and to add one.

import { fill } from "./form.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);

/** Makes the list work; send(message) asks the server, hello is what it said of rules. */
export function savedGames(send, { rules }) {
  const say = (text) => { $("library-failure").textContent = text; };
  fill($("upload-rules"), rules.map((one) => [one.name, one.title]));

  $("upload").onsubmit = async (event) => {
    event.preventDefault();
    const [file] = $("upload-file").files;
    const told = (text) => { $("upload-said").textContent = text; };
    if (!file) return;
    told("");
    try {
      const answer = await fetch(`upload?rules=${$("upload-rules").value}`, { method: "POST", body: file });
      const found = await answer.json();
      if (found.error) told(found.error);
      else send({ do: "open", file: found.file });
    } catch {
      told("The file could not be sent; it may be too large.");
    }
  };

  function download(file) {
    return make("a", { href: `games/${encodeURIComponent(file)}`, download: file, className: "button" }, "Download");
  }

  function row(game) {
    const button = (text, onclick) => make("button", { type: "button", onclick }, text);
    const what = `${game.white} – ${game.black}`;
    return make("tr", {},
      make("td", {}, game.date),
      make("td", {}, what, make("small", {}, [game.rules, game.help].filter(Boolean).join(" · "))),
      make("td", {}, game.result, make("small", {}, game.how)),
      make("td", {}, make("div", { className: "do" },
        ...(game.resumable ? [button("Play on", () => send({ do: "resume", file: game.file }))] : []),
        button("Look", () => (game.resumable ? ask("seeing", () => send({ do: "open", file: game.file })) : send({ do: "open", file: game.file }))),
        game.resumable ? button("Download", () => ask("seeing", () => download(game.file).click())) : download(game.file),
        button("Delete", () => {
          $("deleting-what").textContent = `${what}, ${game.date}`;
          ask("deleting", () => send({ do: "delete", file: game.file }));
        }))));
  }

  function show({ folder, games }) {
    say("");
    $("games").hidden = !games.length;
    $("no-games").hidden = games.length > 0;
    $("games").tBodies[0].replaceChildren(...games.map(row));
    $("library-folder").textContent = `They are files in ${folder}.`;
  }

  return { show, say };
}

/** Asks in a dialog; then() is called if the answer is yes. */
export function ask(id, then) {
  const dialog = $(id);
  dialog.returnValue = "";
  dialog.onclose = () => dialog.returnValue === "yes" && then();
  dialog.showModal();
}
