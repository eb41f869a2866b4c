// The saved games: review, continue, delete, download, and upload.

import { fill } from "./form.js";
import { icon, make } from "./make.js";

const $ = (id) => document.getElementById(id);

/** Sets up the list. send(message) sends to the server; rules come from its first message. */
export function savedGames(send, { rules }) {
  const say = (text) => { $("library-failure").textContent = text; };
  fill($("upload-rules"), rules.map((one) => [one.name, one.title]));

  $("upload-file").onchange = () => { $("upload-name").textContent = $("upload-file").files[0]?.name ?? ""; };
  $("upload").onsubmit = async (event) => {
    event.preventDefault();
    const [file] = $("upload-file").files;
    const report = (text) => { $("upload-text").textContent = text; };
    if (!file) return;
    report("");
    try {
      const answer = await fetch(`upload?rules=${$("upload-rules").value}`, { method: "POST", body: file });
      const { error, file: saved } = await answer.json();
      if (error) report(error);
      else send({ do: "open", file: saved });
    } catch {
      report("The file could not be sent. It may be too large.");
    }
  };

  function download(file) {
    return make("a", { href: `games/${encodeURIComponent(file)}`, download: file, className: "button" }, icon("download"), "Download");
  }

  function row(game) {
    const button = (name, text, onclick) => make("button", { type: "button", onclick }, icon(name), text);
    const players = `${game.white} – ${game.black}`;
    return make("tr", {},
      make("td", {}, game.date),
      make("td", {}, players, make("small", {}, [game.rules, game.help].filter(Boolean).join(" · "))),
      make("td", {}, game.result, make("small", {}, game.how)),
      make("td", {}, make("div", { className: "do" },
        ...(game.resumable ? [button("play", "Continue", () => send({ do: "resume", file: game.file }))] : []),
        button("watch", "Review", () => (game.resumable ? ask("seeing", () => send({ do: "open", file: game.file })) : send({ do: "open", file: game.file }))),
        game.resumable ? button("download", "Download", () => ask("seeing", () => download(game.file).click())) : download(game.file),
        button("delete", "Delete", () => {
          $("deleting-what").textContent = `${players}, ${game.date}`;
          ask("deleting", () => send({ do: "delete", file: game.file }));
        }))));
  }

  function show({ folder, games, passedOver }) {
    say("");
    $("games").hidden = !games.length;
    $("no-games").hidden = games.length > 0;
    $("games").tBodies[0].replaceChildren(...games.map(row));
    $("passed-over").replaceChildren(...passedOver.map((line) => make("li", {}, line)));
    $("not-games").hidden = !passedOver.length;
    $("library-folder").textContent = `The games are files in ${folder}.`;
  }

  return { show, say };
}

/** Opens a dialog; a yes calls then(). */
export function ask(id, then) {
  const dialog = $(id);
  dialog.returnValue = "";
  dialog.onclose = () => dialog.returnValue === "yes" && then();
  dialog.showModal();
}
