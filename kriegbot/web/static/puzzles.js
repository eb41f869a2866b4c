// Puzzles from games, one at a time. The server poses them, judges answers, and sends the solution when it is time for it.

import { Board } from "./board.js";
import { chosen, keep } from "./choices.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);
const ALL = "all";

/** Days in a row, up to today or yesterday, on which the day's puzzle was solved, in words; isSolved: today's has just been. */
export function daysText(isSolved = false) {
  const today = Math.floor(Date.now() / 86400000 - new Date().getTimezoneOffset() / 1440); // number of the local day
  const [last, stored] = (chosen("days") ?? "").split("+").map(Number); // the last such day, and the days in a row until then
  const before = (Math.abs(today - last) <= 1 && stored) || 0;
  const days = isSolved && last !== today ? before + 1 : before;
  if (days > before) keep({ days: `${today}+${days}` });
  return days ? `Solved ${days} day${days === 1 ? "" : "s"} in a row.` : "";
}

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
    const stored = chosen("solved") ?? "";
    return BigInt(/^[0-9a-f]{1,200}$/.test(stored) ? `0x${stored}` : 0);
  }

  /** Starts or continues; isToday: with the puzzle of the day. */
  async function begin(isToday) {
    if (now && !isToday) return;
    const fetched = await load("puzzles"); // each time: there may be a new day
    if (!fetched) return;
    book = fetched;
    offer($("puzzle-kind"), "puzzle-kind", { [ALL]: "All kinds", ...book.kinds });
    offer($("puzzle-grade"), "puzzle-grade", { [ALL]: "All levels", ...Object.fromEntries(book.grades.map((grade) => [grade, grade])) });
    await (isToday ? pose(book.today) : next());
  }

  /** Shows a puzzle by its number. */
  async function pose(which) {
    const posed = await load(`puzzle/${which}`);
    if (!posed) return;
    [number, now] = [which, posed];
    draw();
    $("puzzle-title").focus();
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
    $("puzzle-place").textContent = `${left.length} to solve.`;
    await pose(chosenNumber);
  }

  /** Sends an answer, or asks for the solution. */
  async function ask(query) {
    if (!now || "solution" in now) return;
    const judged = await load(`puzzle/${number}?${new URLSearchParams({ refused: now.refused.join(" "), ...query })}`);
    if (!judged) return;
    now = judged;
    if (now.right) keep({ solved: (solved() | (1n << BigInt(number - 1))).toString(16) });
    draw();
    if (now.right && number === book.today) $("puzzle-place").textContent = `Puzzle of the day. ${daysText(true)}`;
  }

  function answer(text) {
    ask({ answer: text });
  }

  function draw() {
    const [kind, grade] = book.puzzles[number - 1];
    const isOver = "solution" in now;
    const texts = { title: `${book.kinds[kind]} (${grade}, number ${number})`, about: now.about, task: now.task, comment: now.comment, solution: now.solution, numbers: now.numbers, score: now.score };
    for (const [name, text] of Object.entries(texts)) $(`puzzle-${name}`).textContent = text ?? "";
    $("puzzle-proof").replaceChildren(...(now.proof ?? []).map((line) => make("li", {}, line)));
    $("puzzle-comment").classList.toggle("done", now.right === true);
    const lines = now.log.map((line, i) => make("li", (now.lines ?? []).includes(i) ? { className: "proof" } : {}, line));
    $("puzzle-log").replaceChildren(...lines.toReversed());
    for (const id of ["puzzle-yes", "puzzle-no"]) $(id).hidden = isOver || kind !== "capture";
    $("puzzle-show").hidden = isOver;
    $("puzzle-next").textContent = isOver ? "Next" : "Another";
    $("puzzle-next").classList.toggle("main", isOver);
    board.onPoint = kind === "king" ? answer : null;
    if (board.flipped !== (now.side === "black")) board.flip();
    board.show({ men: now.men, marks: now.marks, targets: now.tries, heat: now.chances ?? null, looked: now.squares ?? [] });
  }

  $("puzzle-show").onclick = () => ask({ show: "" });
  $("puzzle-today").onclick = () => begin(true);
  $("puzzle-yes").onclick = () => answer("yes");
  $("puzzle-no").onclick = () => answer("no");
  $("puzzle-next").onclick = () => next();
  return begin;
}
