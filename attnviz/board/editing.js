// Numbers that a hand changes: shown at once, by evaluating the table of stages, and told to Python once they are taken.

import { evaluateWithin, MOST_STEPS } from "./values/evaluate.js";

/** @import { Board } from "./board.js" */
/** @import { Edit, Place } from "./types.js" */

export class Editing {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {number | null} */
    this.next = null; // the frame in which a change is drawn
  }

  // Show what a cell's new number does to every matrix, with the next frame.
  /** @param {Place} place @param {number} value */
  change(place, value) {
    const { board } = this;
    if (!board.fits(place)) return;
    board.play.stop();
    if (board.drag && !board.base) {
      board.base = board.shown;
      board.held = this.place();
    }
    const { columns, values } = board.given[place.matrix];
    values[place.row * columns + place.column] = Math.fround(value);
    board.at = place;
    board.settled = false;
    this.next ??= requestAnimationFrame(() => {
      this.next = null;
      if (board.settled) return;
      const { matrices, older } = evaluateWithin([...board.stages.values()], board.given, board.torch, MOST_STEPS);
      board.older = older;
      board.display.show(matrices);
    });
  }

  // Where the spine is in the window, and how much larger than it is laid out.
  place() {
    const { board } = this;
    const { left, top, width } = board.spine.getBoundingClientRect();
    return width ? { left, top, by: width / board.spine.offsetWidth } : null; // a story has no spine
  }

  // Take a number into the hand, before anything changes.
  /** @param {Place & { value: number }} held */
  hold(held) {
    const { board } = this;
    board.undo.hide();
    board.drag = held;
    board.pointing.explain();
  }

  // Give a number back that was changed, but is not to be edited.
  /** @param {Place} place @param {number} value */
  restore(place, value) {
    this.change(place, value);
    this.board.intake.settle();
  }

  // Take edits, { matrix, row, column, value } with null for a cell that is to be reset. With `replaces`, those before
  // that still wait to be sent are on the way to these.
  /** @param {Edit[]} edits */
  commit(edits, replaces = false) {
    const { board } = this;
    edits = edits.map((edit) => this.withoutChange(edit));
    board.hints.done("drag");
    board.panel.say("");
    board.undo.note(edits);
    board.host.tellEdits(edits, replaces);
    for (const edit of edits) {
      const value = edit.value ?? board.uneditedAt(edit);
      if (Math.fround(value) !== board.givenAt(edit)) this.change(edit, value); // else it is shown, as after a drag
    }
    if (!board.settled) board.panel.report();
  }

  // A number that is as it was drawn is no edit.
  /** @param {Edit} edit @returns {Edit} */
  withoutChange(edit) {
    const { board } = this;
    return edit.value !== null && board.fits(edit) && Math.fround(edit.value) === Math.fround(board.uneditedAt(edit)) ? { ...edit, value: null } : edit;
  }

  /** @param {Place} place */
  reset(place) {
    this.commit([{ ...place, value: null }]);
  }
}
