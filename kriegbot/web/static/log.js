// Tries and announcements: the latest in large type, the log, and explanations. Screen readers read the newest alone.

import { make } from "./make.js";

export const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -Infinity, End: Infinity };
const $ = (id) => document.getElementById(id);

export class GameLog {
  /** look(squares) gets the squares of the focused log entry. */
  constructor(look) {
    [this.log, this.at, this.look] = [[], 0, look];
    $("explain").onclick = () => this.explain();
    $("log").onclick = (event) => event.target.dataset.at && this.explain([this.log[event.target.dataset.at]]);
    this.draw();
  }

  /** Takes all entries so far. Returns "capture" or the kind of the newest entry; null if there is no new one. */
  take(log) {
    const isSame = JSON.stringify(log) === JSON.stringify(this.log);
    if (isSame) return null;
    [this.log, this.at] = [log, Math.max(0, log.length - 1)];
    this.draw();
    const { kind, text } = log.at(-1) ?? { kind: null, text: "" };
    $("newest").textContent = text;
    return / took /.test(text) ? "capture" : kind;
  }

  /** The entries from the player's last move on, without refused tries before the last entry. */
  latest() {
    const since = this.log.slice(Math.max(0, this.log.findLastIndex((entry) => entry.kind === "own")));
    return since.filter((entry, at) => entry.kind !== "own_refused" || at === since.length - 1);
  }

  /** Draws a row for each move, with its entries one below the other. Tab reaches the last entry. */
  draw() {
    const latest = this.latest();
    $("announcement").replaceChildren(...latest.map((entry) => make("span", { className: entry.kind }, `${entry.text} `)));
    $("announcement").scrollTop = $("announcement").scrollHeight;
    $("explain").hidden = !latest.length;
    const rows = [];
    this.entries = this.log.map((entry, at) => {
      const handlers = { onfocus: () => this.look(entry.squares), onblur: () => this.look([]) };
      const button = make("button", { type: "button", tabIndex: at === this.at ? 0 : -1, "data-at": at, ...handlers }, entry.text);
      if (rows.at(-1)?.move !== entry.move) rows.push({ move: entry.move, entries: [] });
      rows.at(-1).entries.push(make("div", { className: entry.kind }, button));
      return button;
    });
    const isWithin = $("log").contains(document.activeElement);
    const isAtEnd = $("log").scrollHeight - $("log").scrollTop - $("log").clientHeight < 40;
    $("log").replaceChildren(...rows.map(({ move, entries }) => make("li", {}, make("b", {}, move), make("div", {}, ...entries))));
    if (isAtEnd || latest.at(-1)?.kind === "own") $("log").scrollTop = $("log").scrollHeight;
    if (isWithin) this.entries[this.at]?.focus();
  }

  /** Moves the focus to another entry, or into the log. */
  walk(step) {
    const isWithin = $("log").contains(document.activeElement);
    const next = Math.min(this.entries.length - 1, Math.max(0, this.at + (isWithin ? step : 0)));
    if (!this.entries[next]) return;
    this.entries[this.at].tabIndex = -1;
    this.entries[next].tabIndex = 0;
    this.entries[next].focus();
    this.at = next;
  }

  /** Explains entries in a popup. The sentences are on the page, among the rules. */
  explain(entries = this.latest()) {
    $("meaning-list").replaceChildren(...entries.flatMap(({ text, means }) => [make("dt", {}, text),
      ...means.map((kind) => make("dd", {}, document.querySelector(`#rules-page [data-kind="${kind}"]`).textContent))]));
    $("meaning").showPopover();
    $("meaning").focus();
  }
}
