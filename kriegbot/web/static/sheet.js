// The moves of a game as a score sheet: White's and Black's side by side, refused tries in small print.

import { make } from "./make.js";

const COLUMN = { white: 1, black: 2 };

export class Sheet {
  /** A click calls show(at) with the number of a moment. */
  constructor(show) {
    this.show = show;
    this.cells = [];
    this.body = make("tbody", {});
    const head = ["Move", "White", "Black"].map((name) => make("th", { scope: "col" }, name));
    this.table = make("table", {}, make("thead", {}, make("tr", {}, ...head)), this.body);
    this.element = make("div", { className: "list sheet", tabIndex: 0, role: "region", "aria-label": "The game, move by move" }, this.table);
    this.element.addEventListener("click", (event) => {
      const at = event.target.closest("[data-at]")?.dataset.at;
      if (at !== undefined) show(Number(at));
    });
  }

  /** Draws all frames so far; at: the number of the current one. */
  draw(frames, at) {
    if (this.cells.length > frames.length) [this.cells, this.last] = [[], null, this.body.replaceChildren()];
    for (let next = this.cells.length; next < frames.length; next++) this.cells.push(this.write(frames[next], next));
    this.element.querySelector(".new")?.classList.remove("new");
    const cell = this.cells[at];
    if (!cell) return;
    cell.classList.add("new");
    const row = cell.closest("tr");
    const [top, height] = [row.offsetTop, this.element.clientHeight];
    if (this.element.scrollTop > top || this.element.scrollTop < top - height + row.offsetHeight) this.element.scrollTop = top - height / 2;
  }

  write(frame, at) {
    if (!frame.mover) return this.line(frame.title, at);
    const number = frame.place.replace(/\.+$/, ".");
    const isMove = frame.answer === "accepted";
    if (this.last?.dataset.number !== number) {
      this.last = make("tr", { "data-number": number }, make("th", { scope: "row" }, number), make("td", {}), make("td", {}));
      this.body.append(this.last);
    }
    const cell = this.last.children[COLUMN[frame.mover]];
    const entry = make(isMove ? "b" : "s", { "data-at": at, title: frame.title }, frame.name);
    cell.append(entry, " ");
    return entry;
  }

  /** Adds a line: the beginning, or an end without a move. */
  line(text, at) {
    const entry = make("span", { "data-at": at }, text);
    this.body.append(make("tr", {}, make("td", { colSpan: 3 }, entry)));
    this.last = null;
    return entry;
  }
}
