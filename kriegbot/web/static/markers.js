// Markers for enemy pieces, as people place them at a real Kriegspiel table. The server knows nothing of them.

import { pieceImage, pieceName } from "./board.js";
import { make } from "./make.js";

const $ = (id) => document.getElementById(id);

export class Markers {
  /** For the game of this id. them: the enemy's colour; changed() draws the board again; say(text) shows a text. */
  constructor(id, them, board, changed, say) {
    Object.assign(this, { key: `markers ${id}`, board, changed, say, ghosts: {}, aside: [], cleared: 0, enemyMen: 16 });
    Object.assign(this, JSON.parse(sessionStorage.getItem(this.key) ?? "{}"));
    const letters = [..."pnbrqk"].map((letter) => (them === "white" ? letter.toUpperCase() : letter));
    $("tray").replaceChildren(...letters.map((letter) => {
      const name = pieceName(letter);
      const properties = { type: "button", "aria-label": `Place a ${name}`, title: name, "aria-pressed": false, "data-man": letter };
      const button = make("button", { ...properties, onclick: () => board.take(letter) }, pieceImage(letter));
      button.onpointerdown = (event) => board.grab(event, null, letter);
      return button;
    }));
    board.onHand = (hand) => {
      for (const button of $("tray").children) {
        button.setAttribute("aria-pressed", hand !== null && hand.from === null && hand.letter === button.dataset.man);
      }
    };
    $("clear-markers").onclick = () => {
      [this.ghosts, this.aside] = [{}, []];
      this.store();
    };
    this.draw();
  }

  /** Moves a marker: from the tray if from is null, off the board if to is null. */
  put(letter, from, to) {
    if (from) delete this.ghosts[from];
    else if (this.aside.includes(letter)) this.aside.splice(this.aside.indexOf(letter), 1);
    if (to) this.ghosts[to] = letter;
    this.store();
  }

  /** Takes a new view, and moves markers aside where no enemy piece can be. */
  take(view) {
    this.enemyMen = view.enemyMen;
    const free = view.moved > this.cleared ? view.clear : [];
    const wrong = Object.keys(this.ghosts).filter((square) => free.includes(square) || square in view.men);
    for (const square of wrong) {
      this.aside.push(this.ghosts[square]);
      delete this.ghosts[square];
    }
    this.cleared = Math.max(this.cleared, view.moved);
    if (wrong.length) this.say(`No enemy piece can be on ${wrong.join(" or ")}: the marker moved aside.`);
    this.store();
  }

  store() {
    sessionStorage.setItem(this.key, JSON.stringify({ ghosts: this.ghosts, aside: this.aside, cleared: this.cleared }));
    this.draw();
    this.changed();
  }

  draw() {
    const placed = Object.keys(this.ghosts).length;
    $("markers").firstElementChild.textContent = `Markers: ${placed} of ${this.enemyMen} pieces`;
    $("aside").hidden = !this.aside.length;
    const names = this.aside.map((letter) => pieceName(letter)).join(", ");
    const pile = make("span", { role: "img", "aria-label": names, className: "small" }, ...this.aside.map(pieceImage));
    $("aside-men").replaceChildren(pile);
    $("clear-markers").disabled = !placed && !this.aside.length;
  }

  close() {
    this.board.onHand = null;
    $("markers").firstElementChild.textContent = "Markers";
  }
}
