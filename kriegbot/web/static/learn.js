// The guided first game: a task at a time, answered by the referee on the server, which has all texts.

import { Board } from "./board.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);

/** Makes it work; returns what begins it, or goes on where it was left. */
export function guidedGame() {
  const board = new Board($("lesson-board"), { label: "Board", flipped: false, onTry: (from, to) => ask(from + to), onMark: () => {} });
  let number = 1;
  let now = null;
  let asked = 0; // what was asked last; older answers are not shown

  /** Asks how the step stands after a try, or before any; then, since it may take long at first, for the shading. */
  async function ask(text = "") {
    if (now?.done && text) return;
    asked += 1;
    const [mine, refused] = [asked, text && now ? now.refused.join(" ") : ""];
    for (const more of [{}, { shading: "" }]) {
      const answer = await answered(new URLSearchParams({ refused, try: text, ...more }));
      if (mine !== asked) return;
      $("lesson-failure").textContent = answer.error ?? "";
      if (answer.error) return;
      now = answer;
      draw();
    }
    if (!text) $("lesson-title").focus();
  }

  async function answered(query) {
    try {
      return await (await fetch(`lesson/${number}?${query}`)).json();
    } catch {
      return { error: "The server does not answer; is it still there?" };
    }
  }

  function go(to) {
    [number, now] = [to, null];
    ask();
  }

  function draw() {
    const { words, steps } = now;
    $("lesson-name").textContent = words.title;
    $("lesson-title").textContent = `${words.step} ${number} ${words.of} ${steps}: ${now.title}`;
    $("lesson-task").hidden = now.done;
    $("lesson-task").textContent = now.text;
    $("lesson-answer").textContent = now.answer;
    $("lesson-said").textContent = now.said;
    $("lesson-said").classList.toggle("done", now.done);
    $("lesson-heard-title").textContent = now.heard.length ? words.heard : "";
    $("lesson-heard").replaceChildren(...now.heard.map((line) => make("li", {}, line)));
    $("lesson-shading").textContent = now.chances ? words.shading : words.wait;
    $("lesson-how").textContent = words.page;
    [$("lesson-back").textContent, $("lesson-next").textContent] = [words.back, words.next];
    $("lesson-back").hidden = number === 1;
    $("lesson-next").hidden = !now.done || number === steps;
    $("lesson-finish").textContent = words.finish;
    $("lesson-finish").hidden = !now.done || number < steps;
    $("lesson-rules").textContent = words.rules;
    if (board.flipped !== (now.side === "black")) board.flip();
    board.show({ men: now.men, marks: now.marks, targets: now.tries, heat: now.chances });
  }

  $("lesson-back").onclick = () => go(number - 1);
  $("lesson-next").onclick = () => go(number + 1);
  $("lesson-finish").onclick = () => {
    location.hash = "";
    document.querySelector("#levels input")?.click(); // the weakest
  };
  return () => { if (!now) ask(); };
}
