// What was changed last, beside its cell, and the way back.

import { make } from "../cells/elements.js";
import { written } from "../values/numbers.js";
import { say } from "../../scripts/sentences.js";

/** @import { Board } from "../board.js" */
/** @import { Edit } from "../types.js" */

const MOST = 100; // steps back

export class Undo {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {Edit[][]} */
    this.steps = []; // what takes each change back
    this.undoing = false;
    this.said = make("span");
    this.button = make("button", "", [say("board.undo.undo")]);
    this.button.type = "button";
    this.button.onclick = () => this.undo();
    this.element = make("div", "undo", [this.said, " · ", this.button]);
    this.element.hidden = true;
    this.element.setAttribute("role", "status");
  }

  // Before edits are taken: what these cells have now.
  /** @param {Edit[]} edits */
  note(edits) {
    if (this.undoing) return;
    const { board } = this;
    const numberBefore = (/** @type {Edit} */ edit) => board.base ? board.base[edit.matrix].values[edit.row * board.base[edit.matrix].columns + edit.column] : board.valueAt(edit);
    const before = edits.filter((edit) => board.fits(edit)).map((edit) => ({ ...edit, value: board.isEdited(edit) ? numberBefore(edit) : null, was: numberBefore(edit) }));
    if (!before.length) return;
    this.steps = [...this.steps.slice(1 - MOST), before.map(({ matrix, row, column, value }) => ({ matrix, row, column, value }))];
    const [edit] = edits;
    const [first] = before;
    const now = edit.value ?? board.uneditedAt(edit);
    const places = { before: written(first.was, 2), now: written(now, 2), n: before.length };
    this.said.textContent = before.length > 1 ? say("board.undo.several", { n: before.length }) : say("board.undo.change", places);
    this.place(first);
  }

  // Beside the cell, inside of the board.
  /** @param {Edit} edit */
  place({ matrix, row, column }) {
    const { boxes, scale } = this.board.layout;
    const box = boxes[matrix];
    if (!box) return;
    const [across, down] = box.turned ? [row, column] : [column, row];
    this.element.hidden = false;
    const y = box.y + (down + 1) * box.row + 2;
    Object.assign(this.element.style, { left: `${Math.max(0, box.x + across * box.cell - 20 * scale)}px`, top: `${y}px` });
  }

  hide() {
    this.element.hidden = true;
  }

  undo() {
    const step = this.steps.pop();
    this.hide();
    if (!step) return;
    this.undoing = true;
    this.board.commit(step);
    this.undoing = false;
    this.board.focus(step[0]);
  }
}
