// What was tried and heard: the last verdicts in large type, the log, and what each of them means.

import { make } from "./make.js";

export const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity };
const $ = (id) => document.getElementById(id);

export class Heard {
  /** look(squares) is called with the squares of the entry of the log that has the focus. */
  constructor(look) {
    [this.log, this.at, this.look] = [[], 0, look];
    $("explain").onclick = () => this.explain();
    $("log").onclick = (event) => event.target.dataset.at && this.explain([this.log[event.target.dataset.at]]);
    this.draw();
  }

  /** All entries so far. Returns what the newest is about, "capture" or its kind; null if it was there already. */
  take(log) {
    const isSame = JSON.stringify(log) === JSON.stringify(this.log);
    if (isSame) return null;
    [this.log, this.at] = [log, Math.max(0, log.length - 1)];
    this.draw();
    const { kind, text } = log.at(-1) ?? { kind: null, text: "" };
    return / took /.test(text) ? "capture" : kind;
  }

  /** What was said since the own last move, that included; of the tries refused since, the last at most. */
  verdicts() {
    const since = this.log.slice(Math.max(0, this.log.findLastIndex((entry) => entry.kind === "own")));
    return since.filter((entry, at) => entry.kind !== "own_refused" || at === since.length - 1);
  }

  /** The log is a row for each move, what happened in it one below the other; Tab reaches its last entry. */
  draw() {
    const said = this.verdicts();
    $("announcement").replaceChildren(...said.map((entry) => make("span", { className: entry.kind }, `${entry.text} `)));
    $("explain").hidden = !said.length;
    const rows = [];
    this.entries = this.log.map((entry, at) => {
      const looking = { onfocus: () => this.look(entry.squares), onblur: () => this.look([]) };
      const button = make("button", { type: "button", tabIndex: at === this.at ? 0 : -1, "data-at": at, ...looking }, entry.text);
      if (rows.at(-1)?.move !== entry.move) rows.push({ move: entry.move, entries: [] });
      rows.at(-1).entries.push(make("div", { className: entry.kind }, button));
      return button;
    });
    const isWithin = $("log").contains(document.activeElement);
    const isAtEnd = $("log").scrollHeight - $("log").scrollTop - $("log").clientHeight < 40;
    $("log").replaceChildren(...rows.map(({ move, entries }) => make("li", {}, make("b", {}, move), make("div", {}, ...entries))));
    if (isAtEnd || said.at(-1)?.kind === "own") $("log").scrollTop = $("log").scrollHeight;
    if (isWithin) this.entries[this.at]?.focus();
  }

  /** The focus goes to another entry, from outside to the one that Tab reaches. */
  walk(step) {
    const isWithin = $("log").contains(document.activeElement);
    const next = Math.min(this.entries.length - 1, Math.max(0, this.at + (isWithin ? step : 0)));
    if (!this.entries[next]) return;
    this.entries[this.at].tabIndex = -1;
    this.entries[next].tabIndex = 0;
    this.entries[next].focus();
    this.at = next;
  }

  /** Opens what entries mean, sentence by sentence; the texts stand on the page, among the rules. */
  explain(entries = this.verdicts()) {
    $("meaning-list").replaceChildren(...entries.flatMap(({ text, means }) => [make("dt", {}, text),
      ...means.map((kind) => make("dd", {}, document.querySelector(`#rules-page [data-kind="${kind}"]`).textContent))]));
    $("meaning").showPopover();
    $("meaning").focus();
  }
}
