// Puzzles from games, one at a time. The server poses them and judges answers; only then does it send the solution.

import { Board } from "./board.js";
import { chosen, keep } from "./choices.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);
const ALL = "all";

/** Sets up the page's section; returns a function that starts the puzzles, or continues them. */
export function puzzleBook() {
  const board = new Board($("puzzle-board"), { label: "Board", flipped: false, onTry: (from, to) => answer(from + to), onMark: () => {} });
  let book = null;
  let number = 0; // of the puzzle that is shown, from 1
  let now = null;
  let requests = 0; // an answer to any but the last one is ignored

  /** Fetches JSON from the server; null if that failed, or if it was overtaken. */
  async function load(path) {
    requests += 1;
    const request = requests;
    let answer;
    try {
      answer = await (await fetch(path)).json();
    } catch {
      answer = { error: "The server does not answer. Is it still running?" };
    }
    if (request !== requests) return null;
    $("puzzle-failure").textContent = answer.error ?? "";
    return answer.error ? null : answer;
  }

  /** The solved puzzles as a bit set, stored in hexadecimal. */
  function solved() {
    const stored = chosen("puzzles") ?? "";
    return BigInt(/^[0-9a-f]{1,200}$/.test(stored) ? `0x${stored}` : 0);
  }

  async function begin() {
    if (now) return;
    book = await load("puzzles");
    if (!book) return;
    offer($("puzzle-kind"), "puzzle-kind", { [ALL]: "All kinds", ...book.kinds });
    offer($("puzzle-grade"), "puzzle-grade", { [ALL]: "All", ...Object.fromEntries(book.grades.map((grade) => [grade, grade])) });
    await next();
  }

  function offer(select, name, texts) {
    select.replaceChildren(...Object.entries(texts).map(([value, text]) => make("option", { value }, text)));
    select.value = chosen(name) in texts ? chosen(name) : ALL;
    select.onchange = () => {
      keep({ [name]: select.value });
      number = 0;
      next();
    };
  }

  /** Shows the next unsolved puzzle, after the current one if possible. */
  async function next() {
    const [kind, grade, done] = [$("puzzle-kind").value, $("puzzle-grade").value, solved()];
    const matches = ([itsKind, itsGrade]) => [ALL, itsKind].includes(kind) && [ALL, itsGrade].includes(grade);
    const left = book.puzzles.flatMap((one, i) => (matches(one) && !(done >> BigInt(i) & 1n) ? [i + 1] : []));
    const chosenNumber = left.find((one) => one > number) ?? left[0];
    if (!chosenNumber) {
      $("puzzle-failure").textContent = book.puzzles.some(matches) ? "You have solved all of these." : "There are no puzzles of this kind and level.";
      return;
    }
    const posed = await load(`puzzle/${chosenNumber}`);
    if (!posed) return;
    [number, now] = [chosenNumber, posed];
    draw(left.length);
    $("puzzle-title").focus();
  }

  async function answer(text) {
    if (!now || "right" in now) return;
    const judged = await load(`puzzle/${number}?${new URLSearchParams({ answer: text })}`);
    if (!judged) return;
    now = judged;
    if (now.right) keep({ puzzles: (solved() | (1n << BigInt(number - 1))).toString(16) });
    draw();
  }

  function draw(left) {
    const [kind, grade] = book.puzzles[number - 1];
    const isOver = "right" in now;
    if (left) $("puzzle-about").textContent = `${now.rules} rules, ${grade} level, number ${number}. ${left} to solve.`;
    if (isOver) $("puzzle-about").textContent = now.numbers;
    $("puzzle-title").textContent = book.kinds[kind];
    $("puzzle-task").textContent = now.task;
    $("puzzle-comment").textContent = now.comment ?? "";
    $("puzzle-comment").classList.toggle("done", now.right === true);
    $("puzzle-log").replaceChildren(...now.log.toReversed().map((line) => make("li", {}, line)));
    for (const id of ["puzzle-yes", "puzzle-no"]) $(id).hidden = isOver || kind !== "capture";
    $("puzzle-next").textContent = isOver ? "Next" : "Another";
    $("puzzle-next").classList.toggle("main", isOver);
    board.onPoint = kind === "king" ? answer : null;
    if (board.flipped !== (now.side === "black")) board.flip();
    board.show({ men: now.men, marks: now.marks, targets: now.tries, heat: now.chances ?? null, looked: now.squares ?? [] });
  }

  $("puzzle-yes").onclick = () => answer("yes");
  $("puzzle-no").onclick = () => answer("no");
  $("puzzle-next").onclick = () => next();
  return begin;
}
