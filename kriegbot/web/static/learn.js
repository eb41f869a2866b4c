// The guided first game, one task at a time, and practice of endings. The server has all texts, and its referee answers every try.

import { Board } from "./board.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);

/** Sets up the page's section; onEnd() follows the last step. Returns a function that starts the lesson or an ending, or continues it. */
export function guidedGame(onEnd) {
  const board = new Board($("lesson-board"), { label: "Board", flipped: false, onTry: (from, to) => ask(from + to), onMark: () => {} });
  let ending = ""; // of practice, empty in the guided game
  let number = 1; // of the step, or of the start of practice
  let now = null;
  let requests = 0; // an answer to any but the last one is ignored

  /** Fetches the step after a try (or before any), and then the shading, which may take long at first. */
  async function ask(text = "") {
    if (now?.done && text) return;
    requests += 1;
    const [request, tried] = [requests, text && now ? now.tried.join(" ") : ""];
    for (const more of [{}, { shading: "" }]) {
      const answer = await answered(new URLSearchParams({ tried, try: text, ...more }));
      if (request !== requests) return;
      $("lesson-failure").textContent = answer.error ?? "";
      if (answer.error) return;
      now = answer;
      draw();
    }
    if (!text) $("lesson-title").focus();
  }

  async function answered(query) {
    try {
      return await (await fetch(`lesson/${ending && `${ending}/`}${number}?${query}`)).json();
    } catch {
      return { error: "The server does not answer. Is it still running?" };
    }
  }

  function go(to) {
    [number, now] = [to, null];
    ask();
  }

  function draw() {
    const { words } = now;
    $("lesson-name").textContent = words.title;
    $("lesson-title").textContent = now.title;
    $("lesson-task").hidden = now.done;
    $("lesson-task").textContent = now.text;
    $("lesson-answer").textContent = now.answer;
    $("lesson-comment").textContent = now.comment;
    $("lesson-comment").classList.toggle("done", now.done || ending !== "");
    $("lesson-log-title").textContent = now.log.length ? words.log : "";
    $("lesson-log").replaceChildren(...now.log.map((line) => make("li", {}, line)));
    $("lesson-shading").textContent = now.chances ? words.shading : words.wait;
    $("lesson-how").textContent = words.page;
    [$("lesson-back").textContent, $("lesson-next").textContent] = [words.back, words.next];
    $("lesson-back").hidden = number === 1 || ending !== "";
    $("lesson-next").hidden = !now.done || now.is_last;
    $("lesson-finish").textContent = words.finish;
    $("lesson-finish").hidden = !now.done || !now.is_last;
    $("lesson-rules").textContent = words.rules;
    if (board.flipped !== (now.side === "black")) board.flip();
    board.show({ men: now.men, marks: now.marks, targets: now.tries, heat: now.chances });
  }

  $("lesson-back").onclick = () => go(number - 1);
  $("lesson-next").onclick = () => go(number + 1);
  $("lesson-finish").onclick = onEnd;
  return (wanted = "") => {
    if (now && wanted === ending) return;
    ending = wanted;
    go(ending ? Math.floor(2 ** 31 * Math.random()) : 1);
  };
}
