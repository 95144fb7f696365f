// A slider in the dock, with which a finger changes the number of the cell that the dock speaks of.

import { make, toggle } from "../cells/elements.js";
import { explain } from "../values/explain.js";
import { addressOf } from "../places.js";

/** @import { Board } from "../board.js" */
/** @import { Place } from "../types.js" */

const BEYOND = 1.5; // times as far as the largest number of its matrix it leads

export class Slider {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {Place | null} */
    this.place = null;
    this.before = 0; // what it was when it was taken hold of
    this.input = make("input", "slider");
    this.input.type = "range";
    this.input.oninput = () => this.slide();
    for (const type of ["change", "pointercancel", "blur"]) this.input.addEventListener(type, () => this.release());
  }

  // For the cell that the dock speaks of; of a computed one there is nothing to change.
  /** @param {Place | null} place */
  show(place) {
    const { board, input } = this;
    if (board.drag) return; // it leads the number, and doesn't follow it
    const editable = place !== null && board.isEditable(place);
    input.hidden = !editable;
    if (!editable) return void (this.place = null);
    const value = board.givenAt(place);
    if (addressOf(place) !== addressOf(this.place)) {
      const { most, step } = rangeOf(value, board.limitOf(board.stage(place)));
      Object.assign(input, { min: String(-most), max: String(most), step: String(step) });
      input.setAttribute("aria-label", explain(board.made, place).where);
    }
    this.place = place;
    input.value = String(value);
  }

  slide() {
    const { board, place } = this;
    if (!place) return;
    if (!board.drag) {
      board.undo.hide();
      toggle(board.root, "sliding", true); // what the dock says of how it was made has no room now
      this.before = board.givenAt(place);
    }
    board.drag = { ...place, value: Number(this.input.value) };
    board.editing.change(place, board.drag.value);
  }

  release() {
    const { board, place } = this;
    const edit = board.drag;
    if (!edit || !place || addressOf(edit) !== addressOf(place)) return;
    board.drag = null;
    toggle(board.root, "sliding", false);
    if (Math.fround(edit.value) === this.before) board.editing.restore(place, this.before);
    else board.editing.commit([edit]);
    board.base = null;
  }
}

// How far a slider leads from 0 to either side, in round numbers, and in what steps.
/** @param {number} value @param {number} limit */
export function rangeOf(value, limit) {
  const size = Math.max(1, Number.isFinite(limit) ? Math.abs(limit) : 1, Number.isFinite(value) ? Math.abs(value) : 1) * BEYOND;
  const power = 10 ** Math.floor(Math.log10(size));
  return { most: Math.ceil(size / power) * power, step: power / 100 };
}
