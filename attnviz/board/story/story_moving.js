// A slider in the dock, by which a finger changes the number of the cell that the dock describes.

import { make, toggle } from "../cells/elements.js";
import { explain } from "../values/explain.js";
import { addressOf } from "../places.js";

/** @import { StoryPart } from "./story_part.js" */

const BEYOND = 1.5; // the slider goes this many times as far as the largest number of the matrix

export class Slider {
  /** @param {Pick<Board, "drag" | "editing" | "givenAt" | "isEditable" | "limitOf" | "trace" | "root" | "stage"
   *  | "undo">} board */
  constructor(board) {
    this.board = board;
    /** @type {Place | null} */
    this.place = null;
    this.before = 0; // the number when the drag began
    this.input = make("input", "slider", [], { type: "range" });
    this.input.oninput = () => this.slide();
    for (const type of ["change", "pointercancel", "blur"]) this.input.addEventListener(type, () => this.release());
  }

  // Show the slider for the cell that the dock describes; a computed one has none, because it can't be changed.
  show(/** @type {Place | null} */ place) {
    const { board, input } = this;
    if (board.drag) return; // the slider leads the number then, and doesn't follow it
    const editable = place !== null && board.isEditable(place);
    input.hidden = !editable;
    if (!editable) return void (this.place = null);
    const value = board.givenAt(place);
    if (addressOf(place) !== addressOf(this.place)) {
      const { most, step } = rangeOf(value, board.limitOf(board.stage(place)));
      Object.assign(input, { min: String(-most), max: String(most), step: String(step) });
      input.setAttribute("aria-label", explain(board.trace, place).where);
    }
    this.place = place;
    input.value = String(value);
  }

  slide() {
    const { board, place } = this;
    if (!place) return;
    if (!board.drag) {
      board.undo.hide();
      toggle(board.root, "sliding", true); // hides how the number was made, for lack of room
      this.before = board.givenAt(place);
    }
    board.drag = { ...place, value: Number(this.input.value) };
    board.editing.change(place, board.drag.value);
  }

  release() {
    const { board, place } = this;
    const edit = board.drag;
    if (!edit || !place || addressOf(edit) !== addressOf(place)) return;
    toggle(board.root, "sliding", false);
    board.editing.release(Math.fround(edit.value) === this.before ? [] : [edit], [{ ...place, value: this.before }]);
  }
}

// How far from 0 a slider goes to either side, in round numbers, and its step.
/** @param {number} value @param {number} limit */
function rangeOf(value, limit) {
  const size = Math.max(1, Number.isFinite(limit) ? Math.abs(limit) : 1,
    Number.isFinite(value) ? Math.abs(value) : 1) * BEYOND;
  const power = 10 ** Math.floor(Math.log10(size));
  return { most: Math.ceil(size / power) * power, step: power / 100 };
}

// The columns of a story's words, from K to V. If they're wider than the screen, those of all parts scroll sideways
// together, and an edge shows that there are more.

const EDGE = 28; // pixels between a revealed cell and the end of the view

export class WordColumns {
  constructor() {
    /** @type {StoryPart[]} */
    this.parts = [];
    this.left = 0; // how far they're scrolled
  }

  build(/** @type {StoryPart[]} */ parts) {
    this.parts = parts;
    for (const { across } of parts) across.onscroll = () => this.move(across.scrollLeft);
  }

  // Set the width of all columns if they're wider than the screen; 0 if they aren't.
  spread(/** @type {number} */ width) {
    for (const part of this.parts) part.spread(width);
    if (width) this.move(this.left);
  }

  move(/** @type {number} */ to) {
    this.left = to;
    for (const { across, edge } of this.parts) {
      if (Math.abs(across.scrollLeft - to) >= 1) across.scrollLeft = to;
      toggle(edge, "end", to + across.clientWidth >= across.scrollWidth - 1);
    }
  }

  // Scroll the columns until the chosen one of these cells, or the only one, is in view.
  reveal(/** @type {Element[]} */ cells) {
    const inColumns = cells.filter((cell) => cell.closest(".across.wide"));
    const cell = inColumns.find((each) => each.classList.contains("chosen"))
      ?? (inColumns.length === 1 ? inColumns[0] : undefined);
    const across = cell?.closest(".across");
    if (!cell || !across) return;
    const [own, room] = [cell.getBoundingClientRect(), across.getBoundingClientRect()];
    const by = Math.max(0, own.right + EDGE - room.right) || Math.min(0, own.left - EDGE - room.left);
    if (by) this.move(across.scrollLeft + by);
  }
}

// Keeps what matters in view, on a screen that is narrow and low.

// Keep a cell under the finger while `act` unfolds or folds something above it.
/** @param {Host} host @param {HTMLElement | null | undefined} cell @param {() => void} act */
export function steady(host, cell, act) {
  const before = cell?.getBoundingClientRect();
  act();
  const after = cell?.getBoundingClientRect();
  if (before?.height && after?.height) scroll(host, after.top - before.top);
}

// Scroll until all these cells are in view, above what stands at the foot of the screen.
/** @param {Host} host @param {Element[]} cells @param {Element} foot */
export function bringIntoView(host, cells, foot) {
  const boxes = cells.map((cell) => cell.getBoundingClientRect()).filter(({ height }) => height > 0);
  if (!boxes.length) return;
  const top = Math.min(...boxes.map((box) => box.top)) - 8;
  const bottom = Math.max(...boxes.map((box) => box.bottom)) + 8;
  const view = host.view();
  const lowest = Math.min(view.bottom, foot.getBoundingClientRect().top);
  if (bottom > lowest) scroll(host, Math.min(bottom - lowest, top - view.top));
  else if (top < view.top) scroll(host, top - view.top);
}

/** @param {Host} host @param {number} by */
function scroll(host, by) {
  if (Math.abs(by) >= 1) host.scroll(by);
}
