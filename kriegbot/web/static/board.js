// A board to play on. Clicks, drags or keys move the player's pieces, and markers for enemy pieces.

import { percentOf } from "./diagram.js";
import { make } from "./make.js";
import { Sketch } from "./sketch.js";

const SVG = "http://www.w3.org/2000/svg";
const FILES = "abcdefgh";
const KINDS = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const CLICK_PIXELS = 5; // a pointer that moves less has clicked
const GLIDE = 180; // milliseconds for a piece to glide to its square
const CALM = matchMedia("(prefers-reduced-motion: reduce)");

/** An <svg> of a piece, given by its letter as in a FEN: N is a white knight. */
export function pieceImage(letter) {
  const drawing = document.createElementNS(SVG, "svg");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#${letter === letter.toUpperCase() ? "w" : "b"}${letter.toUpperCase()}`);
  drawing.setAttribute("viewBox", "0 0 45 45");
  drawing.setAttribute("aria-hidden", "true");
  drawing.append(use);
  return drawing;
}

/** "white knight" */
export function pieceName(letter) {
  return `${letter === letter.toUpperCase() ? "white" : "black"} ${KINDS[letter.toLowerCase()]}`;
}

/** The chances on a square in words: "10% pawn", the likeliest type first. */
function likely(chance, ofTypes) {
  const types = Object.values(KINDS).map((name, kind) => [ofTypes[kind] ?? 0, name]).filter(([one]) => one > 0);
  const parts = types.sort(([one], [other]) => other - one).map(([one, name]) => `${percentOf(one)}% ${name}`);
  return parts.length ? parts : [`${percentOf(chance)}%`];
}

/** The square under a pointer, or null. */
function squareAt({ clientX, clientY }) {
  return document.elementFromPoint(clientX, clientY)?.closest("[data-square]")?.dataset.square ?? null;
}

export class Board {
  /**
   * onTry(from, to): the player moved a piece. onMark(letter, from, to): the player moved a marker, from the tray if from
   * is null, off the board if to is null. onRecall(): the player clicked the prepared try.
   */
  constructor(element, { label, flipped, onTry, onMark, onRecall }) {
    Object.assign(this, { element, flipped, onTry, onMark, onRecall, hand: null, drag: null, wasDragged: false, cells: {} });
    this.onPoint = null; // (square): takes all clicks, where the player points at squares instead of moving pieces
    this.sketch = new Sketch();
    this.shown = { men: {}, ghosts: {}, marks: [], last: [], line: [], idle: [], looked: [], ahead: [], targets: [], heat: null, chances: [] };
    element.classList.add("board");
    element.setAttribute("role", "grid");
    element.setAttribute("aria-label", label);
    this.build();
    element.onkeydown = (event) => this.key(event);
    element.onpointerdown = (event) => this.grab(event, event.target.closest("[data-square]")?.dataset.square);
    element.oncontextmenu = (event) => event.preventDefault();
  }

  build(reached = this.flipped ? "e7" : "e2") {
    this.cells = {};
    this.element.replaceChildren(...Array.from({ length: 8 }, (_, row) => this.row(row)), this.sketch.layer);
    this.cells[reached].tabIndex = 0;
  }

  /** Shows the board from the other side. */
  flip() {
    const focused = this.element.contains(document.activeElement) && document.activeElement.dataset.square;
    [this.flipped, this.hand] = [!this.flipped, null];
    this.build(focused || undefined);
    this.draw();
    if (focused) this.cells[focused].focus();
  }

  /**
   * men (pieces) and ghosts (markers): {square: letter}; marks: squares; last: squares of the player's last move; line:
   * squares from which a check may come; targets: open tries (UCI); idle: those that do not answer the check; looked:
   * squares of the selected log entry; ahead: squares of the prepared try; heat: 64 chances from a1 to h8, or null;
   * chances: the same for each type from pawn to king, or [].
   */
  show(shown) {
    Object.assign(this.shown, shown);
    if (this.hand && this.hand.from && this.at(this.hand.from) !== this.hand.letter) this.hand = null;
    this.draw();
  }

  /** Takes a marker from the tray, or puts it back. */
  take(letter) {
    this.hand = this.hand && !this.hand.from && this.hand.letter === letter ? null : { letter, from: null };
    this.draw();
  }

  /** Lets a piece glide to its square, unless the player dragged it there. A refused try springs back. */
  glide(from, to, isRefused) {
    const cell = this.cells[isRefused ? from : to];
    const drawing = cell.querySelector("svg");
    const isThere = this.wasDragged && !isRefused;
    this.wasDragged = false;
    if (!drawing || isThere || CALM.matches) return;
    const [start, end] = [from, to].map((square) => this.cells[square].getBoundingClientRect());
    const share = isRefused ? 0.5 : -1; // of the path, from the square where it is
    const away = `translate(${share * (end.left - start.left)}px, ${share * (end.top - start.top)}px)`;
    cell.style.zIndex = 2; // above the squares on its path
    drawing.animate([{ transform: away }, { transform: "none" }], { duration: GLIDE, easing: "ease-out" }).onfinish = () => { cell.style.zIndex = ""; };
  }

  row(row) {
    const rank = this.flipped ? row + 1 : 8 - row;
    const element = make("div", { role: "row" });
    for (let column = 0; column < 8; column++) {
      const square = FILES[this.flipped ? 7 - column : column] + rank;
      const shade = (column + row) % 2 ? "dark" : "light";
      const cell = make("button", { type: "button", tabIndex: -1, className: shade, "data-square": square });
      if (column === 0) cell.dataset.rank = rank;
      if (row === 7) cell.dataset.file = square[0];
      cell.onclick = () => this.press(square);
      this.cells[square] = cell;
      element.append(make("div", { role: "gridcell" }, cell));
    }
    return element;
  }

  at(square) {
    return this.shown.men[square] ?? this.shown.ghosts[square];
  }

  /** Handles a click or Enter: picks a piece up, or puts it down. */
  press(square) {
    this.sketch.wipe();
    if (this.onPoint) this.onPoint(square);
    else if (this.shown.ahead.includes(square)) this.onRecall();
    else if (this.hand?.from === square) this.hand = null;
    else if (this.hand) this.drop(square);
    else if (this.at(square)) this.hand = { letter: this.at(square), from: square };
    this.draw();
  }

  /** The square to which a piece goes that is put down: the king castles by going to its rook. Null: it cannot go there. */
  goal(from, square) {
    const { men, targets } = this.shown;
    if (!(square in men)) return square;
    const castled = (square > from ? "g" : "c") + square[1];
    return men[from]?.toLowerCase() === "k" && men[square].toLowerCase() === "r" && targets.includes(from + castled) ? castled : null;
  }

  /** Puts the held piece down; null: beside the board. */
  drop(over) {
    const { letter, from } = this.hand;
    const isOwn = from !== null && from in this.shown.men;
    const square = over && this.goal(from, over);
    if (over && !square) {
      this.hand = { letter: this.shown.men[over], from: over }; // picks up another piece instead
      return;
    }
    this.hand = null;
    this.wasDragged = isOwn && this.drag !== null;
    if (isOwn && square) this.onTry(from, square);
    else if (!isOwn) this.onMark(letter, from, square);
  }

  /** Handles a pressed pointer on a square, or on the tray with a letter. */
  grab(event, square, letter = square && this.at(square)) {
    if (event.button === 2 && square) this.draft(square);
    if (event.button !== 0 || !letter || this.drag || this.onPoint) return;
    const drag = { letter, from: square ?? null, x: event.clientX, y: event.clientY, image: null };
    this.drag = drag;
    const move = (at) => {
      if (at.pointerId !== event.pointerId) return;
      if (!drag.image && Math.hypot(at.clientX - drag.x, at.clientY - drag.y) < CLICK_PIXELS) return;
      if (!drag.image) {
        this.hand = { letter, from: drag.from };
        drag.image = make("div", { className: "dragged" }, pieceImage(letter));
        drag.image.style.width = `${this.cells.a1.clientWidth}px`;
        document.body.append(drag.image);
        this.draw();
      }
      drag.image.style.transform = `translate(${at.clientX}px, ${at.clientY}px) translate(-50%, -50%)`;
    };
    const end = (at) => {
      if (at.pointerId !== event.pointerId) return;
      for (const [name, handler] of [["pointermove", move], ["pointerup", end], ["pointercancel", end]]) {
        document.removeEventListener(name, handler);
      }
      if (drag.image) drag.image.remove();
      const over = squareAt(at);
      if (drag.image && at.type === "pointerup" && this.hand && over !== drag.from && (!over || this.goal(drag.from, over))) this.drop(over);
      this.drag = null;
      if (!drag.image) return; // a click, for which the browser sends an event
      this.hand = null;
      this.draw();
      document.addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
      setTimeout(() => document.dispatchEvent(new Event("click")), 0); // for browsers that send no click after a drag
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", end);
    document.addEventListener("pointercancel", end);
  }

  /** Draws with the right button: an arrow to the square where it goes up, or a circle. */
  draft(square) {
    this.sketch.start = square;
    document.addEventListener("pointerup", (at) => {
      const end = squareAt(at);
      if (end) this.sketch.select(end);
      this.sketch.start = null;
      this.draw();
    }, { once: true });
  }

  key(event) {
    const square = event.target.dataset.square;
    const step = STEPS[event.key];
    if (step && square) {
      const sign = this.flipped ? -1 : 1;
      const file = FILES[FILES.indexOf(square[0]) + sign * step[0]];
      const next = this.cells[file + (Number(square[1]) + sign * step[1])];
      if (next) {
        this.cells[square].tabIndex = -1;
        next.tabIndex = 0;
        next.focus();
      }
    } else if (event.key === "Enter" && event.shiftKey && square) {
      this.sketch.select(square);
      this.draw();
    } else if (event.key === "Escape" && this.hand) {
      this.hand = null;
      this.draw();
    } else if ((event.key === "Delete" || event.key === "Backspace") && square in this.shown.ghosts) {
      this.onMark(this.shown.ghosts[square], square, null);
    } else {
      return;
    }
    event.preventDefault();
  }

  draw() {
    const { men, ghosts, marks, last, line, idle, looked, ahead, targets, heat, chances } = this.shown;
    const held = this.hand?.from;
    const targetsOf = (tries) => (held in men ? tries.filter((uci) => uci.startsWith(held)).map((uci) => uci.slice(2, 4)) : []);
    const [open, vain] = [targetsOf(targets), targetsOf(idle)];
    const answering = targets.filter((uci) => !idle.includes(uci)).map((uci) => uci.slice(0, 2));
    for (const [square, cell] of Object.entries(this.cells)) {
      const letter = men[square] ?? ghosts[square];
      const isGhost = !(square in men) && square in ghosts;
      const index = FILES.indexOf(square[0]) + 8 * (Number(square[1]) - 1);
      const chance = heat && !(square in men) ? heat[index] : 0;
      const percent = chance < 0.005 ? 0 : percentOf(chance);
      const content = `${letter ?? ""} ${percent || ""}`;
      if (cell.dataset.content !== content) {
        cell.dataset.content = content;
        cell.replaceChildren(...(letter ? [pieceImage(letter)] : []), ...(percent ? [make("small", {}, percent)] : []));
        cell.style.setProperty("--heat", Math.min(1, chance));
      }
      const isIdle = idle.length > 0 && square in men && !answering.includes(square);
      const states = { ghost: isGhost, own: square in men, held: square === held, open: open.includes(square), vain: vain.includes(square), idle: isIdle, line: line.includes(square), looked: looked.includes(square), ahead: ahead.includes(square), marked: marks.includes(square), last: last.includes(square) };
      for (const [name, isOn] of Object.entries(states)) cell.classList.toggle(name, isOn);
      cell.parentElement.setAttribute("aria-selected", square === held);
      const words = [square, letter ? (isGhost ? `marker: ${pieceName(letter)}` : pieceName(letter)) : "unseen"];
      if (marks.includes(square)) words.push(letter && !isGhost ? "in check" : "captured here");
      if (last.includes(square)) words.push("your last move");
      if (open.includes(square)) words.push(vain.includes(square) ? "does not answer the check" : "may be tried");
      if (isIdle) words.push("cannot answer the check");
      if (line.includes(square)) words.push("the check may come from here");
      if (ahead.includes(square)) words.push("your next try");
      if (heat && !(square in men)) words.push(...likely(chance, chances.map((one) => one[index])));
      words.push(...this.sketch.words(square));
      cell.setAttribute("aria-label", words.join(", "));
    }
    this.sketch.draw(this.flipped);
    this.element.classList.toggle("holding", this.hand !== null);
    this.onHand?.(this.hand);
  }
}
