// On a first visit: what can be done here, one hint after the other, each gone when it's done or dismissed. They stand
// where nothing else does, and move nothing.

import { make } from "../cells/elements.js";
import { written } from "../values/numbers.js";
import { say } from "../../scripts/sentences.js";

/** @import { Board } from "../board.js" */
/** @import { Box } from "./types.js" */

const REMEMBERED = "attnviz.hints";
const ORDER = ["pick", "point", "drag"];
const LETTER = 7.5; // pixels at most
const HIGH = 30;
const AROUND = 58; // a hint's arrow, its button and edges
const TITLE = 24; // over or under a matrix

/** @typedef {{ x: number, y: number, width: number, height: number }} Rect */
/** @typedef {{ text: string, arrow: "←" | "→" | "↓", at: Rect, within: HTMLElement }} Hint */

export class Hints {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.wanted = isFirstVisit() ? ORDER.filter((each) => !remembered().includes(each)) : [];
    this.text = make("span");
    this.arrow = make("span", "arrow");
    this.arrow.setAttribute("aria-hidden", "true");
    this.close = make("button", "close", ["×"]);
    this.close.type = "button";
    this.close.setAttribute("aria-label", say("board.hint.dismiss"));
    this.close.onclick = () => this.done(this.shown);
    this.element = make("div", "hint", [this.arrow, this.text, this.close]);
    this.element.setAttribute("role", "note");
    this.shown = "";
  }

  // What a hint speaks of has been done, or the hint was dismissed.
  /** @param {string} name */
  done(name) {
    if (!this.wanted.includes(name)) return;
    this.wanted = this.wanted.filter((each) => each !== name);
    remember(ORDER.filter((each) => !this.wanted.includes(each)));
    if (name === this.shown) this.show();
  }

  // After everything has its place: the first hint that has one, too.
  show() {
    const { board } = this;
    this.element.remove();
    this.shown = "";
    if (!board.data.sentence || !board.data.ofNow || board.data.tells) return; // a lesson tells what to do itself
    for (const name of this.wanted) {
      const hint = this.hintOf(name);
      if (!hint) continue;
      this.shown = name;
      this.text.textContent = hint.text;
      this.arrow.textContent = hint.arrow;
      this.element.classList.toggle("after", hint.arrow === "→");
      Object.assign(this.element.style, { left: `${hint.at.x}px`, top: `${hint.at.y}px`, width: `${hint.at.width}px`, height: `${hint.at.height}px`, lineHeight: `${hint.at.height}px` });
      hint.within.append(this.element);
      return;
    }
  }

  /** @param {string} name @returns {Hint | null} */
  hintOf(name) {
    if (name === "pick") return this.besideChips();
    if (name === "point") return this.overWeights();
    return this.besideNumber();
  }

  /** @param {string} text */
  sizeOf(text) {
    const { scale } = this.board.layout;
    return { width: (text.length * LETTER + AROUND) * scale, height: HIGH * scale };
  }

  // At the right of the words, over what is read.
  /** @returns {Hint | null} */
  besideChips() {
    const { board } = this;
    const { style } = board.sentence.tools.element;
    const text = say("board.hint.pick");
    const [x, under] = [Number.parseFloat(style.left), Number.parseFloat(style.top) - 4];
    const whole = this.sizeOf(text);
    const size = { ...whole, height: Math.min(whole.height, under) };
    const y = under - size.height;
    if (board.data.labels.length < 2 || !(x > 0) || size.height < 0.8 * whole.height || x + size.width > board.root.offsetWidth) return null;
    return { text, arrow: "←", at: { x, y, ...size }, within: board.sentence.element };
  }

  /** @returns {Hint | null} */
  overWeights() {
    const { board } = this;
    const weights = board.frame.weights();
    if (!weights) return null;
    const { boxes, above, scale } = board.layout;
    const text = say(window.matchMedia("(hover: none)").matches ? "board.hint.tap" : "board.hint.point");
    const size = this.sizeOf(text);
    // As near as there is room.
    for (let up = 0; up <= above; up += 10 * scale) for (const left of [0, 40, 80, 120]) {
      const at = { x: boxes[weights.name].x - left * scale, y: above - 66 * scale - size.height - up, ...size };
      if (this.isFree(at)) return { text, arrow: "↓", at, within: board.spine };
    }
    return null;
  }

  // Beside the largest number of the first matrix that is multiplied with.
  /** @returns {Hint | null} */
  besideNumber() {
    const { board } = this;
    const factor = board.layout.columns.map((column) => column.factor).find((each) => each?.rule === "given" && board.grids.has(each.name));
    if (!factor) return null;
    const { values, columns } = board.shown[factor.name];
    const largest = values.reduce((most, value, at) => (Math.abs(value) > Math.abs(values[most]) ? at : most), 0);
    const box = board.layout.boxes[factor.name];
    const text = say("board.hint.drag", { value: written(values[largest], board.digits) });
    const size = this.sizeOf(text);
    const y = box.y + (Math.floor(largest / columns) + 0.5) * box.row - size.height / 2;
    const left = { x: box.x - size.width - 8, y, ...size };
    const right = { x: box.x + box.width + 8, y, ...size };
    if (this.isFree(left)) return { text, arrow: "→", at: left, within: board.spine };
    return this.isFree(right) ? { text, arrow: "←", at: right, within: board.spine } : null;
  }

  // Whether no matrix and no title stands there.
  /** @param {Rect} at */
  isFree(at) {
    const { layout } = this.board;
    if (at.x < 0 || at.y < 0 || at.x + at.width > Math.max(layout.width, this.board.root.offsetWidth) || at.y + at.height > layout.height) return false;
    const title = TITLE * layout.scale;
    const around = (/** @type {Box} */ { x, y, width, height }) => ({ x, y: y - title, width, height: height + title });
    return [...Object.values(layout.boxes).map(around), ...(layout.plane ? [layout.plane] : [])].every((box) => apart(at, box));
  }
}

/** @param {Rect} one @param {Rect} other */
function apart(one, other) {
  return one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y;
}

// Whether the page was opened as such: not with somebody's link, and not to be shown to others.
function isFirstVisit() {
  const opened = performance.getEntriesByType("navigation")[0]?.name ?? location.href;
  return !new URL(opened).search;
}

/** @returns {string[]} */
function remembered() {
  try {
    const kept = JSON.parse(localStorage.getItem(REMEMBERED) ?? "[]");
    return Array.isArray(kept) ? kept.filter((each) => ORDER.includes(each)) : [];
  } catch {
    return []; // no storage, or something else in it
  }
}

/** @param {string[]} names */
function remember(names) {
  try {
    localStorage.setItem(REMEMBERED, JSON.stringify(names));
  } catch {
    // no storage: the next visit is a first one again
  }
}
