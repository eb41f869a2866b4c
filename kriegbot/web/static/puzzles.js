// Puzzles from games, one at a time: the server poses them, judges an answer, and only then sends what shows it.

import { Board } from "./board.js";
import { chosen, keep } from "./choices.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);
const ALL = "all";

/** Makes it work; returns what begins it, or goes on where it was left. */
export function puzzleBook() {
  const board = new Board($("puzzle-board"), { label: "Board", flipped: false, onTry: (from, to) => answer(from + to), onMark: () => {} });
  let book = null;
  let number = 0; // of the puzzle that is shown, from 1
  let now = null;
  let asked = 0; // what was asked last; older answers are not shown

  async function fetched(what) {
    asked += 1;
    const mine = asked;
    let told;
    try {
      told = await (await fetch(what)).json();
    } catch {
      told = { error: "The server does not answer; is it still there?" };
    }
    if (mine !== asked) return null;
    $("puzzle-failure").textContent = told.error ?? "";
    return told.error ? null : told;
  }

  /** The numbers that were solved, as the bits of a number in hexadecimal. */
  function solved() {
    const kept = chosen("puzzles") ?? "";
    return BigInt(/^[0-9a-f]{1,200}$/.test(kept) ? `0x${kept}` : 0);
  }

  async function begin() {
    if (now) return;
    book = await fetched("puzzles");
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

  /** The next that is not solved, of those after this one or else of all. */
  async function next() {
    const [kind, grade, done] = [$("puzzle-kind").value, $("puzzle-grade").value, solved()];
    const fits = ([itsKind, itsGrade]) => [ALL, itsKind].includes(kind) && [ALL, itsGrade].includes(grade);
    const left = book.puzzles.flatMap((one, i) => (fits(one) && !(done >> BigInt(i) & 1n) ? [i + 1] : []));
    const wanted = left.find((one) => one > number) ?? left[0];
    if (!wanted) {
      $("puzzle-failure").textContent = book.puzzles.some(fits) ? "You have solved all of these." : "There are none of this kind and level.";
      return;
    }
    const posed = await fetched(`puzzle/${wanted}`);
    if (!posed) return;
    [number, now] = [wanted, posed];
    draw(left.length);
    $("puzzle-title").focus();
  }

  async function answer(text) {
    if (!now || "right" in now) return;
    const judged = await fetched(`puzzle/${number}?${new URLSearchParams({ answer: text })}`);
    if (!judged) return;
    now = judged;
    if (now.right) keep({ puzzles: (solved() | (1n << BigInt(number - 1))).toString(16) });
    draw();
  }

  function draw(left) {
    const [kind, grade] = book.puzzles[number - 1];
    const isOver = "right" in now;
    if (left) $("puzzle-about").textContent = `${now.rules} rules, ${grade} level; number ${number}, ${left} to solve.`;
    if (isOver) $("puzzle-about").textContent = now.numbers.replace(":", ".");
    $("puzzle-title").textContent = book.kinds[kind];
    $("puzzle-task").textContent = now.task;
    $("puzzle-said").textContent = now.said ?? "";
    $("puzzle-said").classList.toggle("done", now.right === true);
    $("puzzle-heard").replaceChildren(...now.heard.toReversed().map((line) => make("li", {}, line)));
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
