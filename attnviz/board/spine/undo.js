// The chip beside an edited cell that says what changed, with the button Undo.

import { button, make, overlap } from "../cells/elements.js";
import { written } from "../values/numbers.js";
import { say } from "../../scripts/sentences.js";

const MOST = 100; // edits that can be undone
const GAP = 6;
const HEADS = 20;

/**
 * The place for a chip: beside, below or above the cell's matrix, so that it covers no area in `taken` and that its
 * button is as near to the cell as possible; if there is none, directly below the cell. The button reaches from `from`
 * to `to` within the chip.
 * @param {Rect} cell @param {Rect} matrix @param {{ width: number, height: number, from: number, to: number }} size
 * @param {Rect[]} taken @param {{ width: number, height: number }} within
 */
export function placeBeside(cell, matrix, { width, height, from, to }, taken, within) {
  const inside = (/** @type {number} */ x) => Math.max(0, Math.min(within.width - width, x));
  const under = inside(cell.x + cell.width / 2 - (from + to) / 2);
  const places = [
    { x: matrix.x - GAP - width, y: cell.y + (cell.height - height) / 2 },
    { x: matrix.x + matrix.width + GAP, y: cell.y + (cell.height - height) / 2 },
    { x: under, y: matrix.y + matrix.height + GAP },
    { x: under, y: matrix.y - GAP - HEADS - height },
  ];
  const farOf = (/** @type {{ x: number, y: number }} */ { x, y }) =>
    gapBetween({ x: x + from, y, width: to - from, height }, cell);
  const free = places.toSorted((one, other) => farOf(one) - farOf(other)).find(({ x, y }) => {
    const isIn = x >= 0 && y >= 0 && x + width <= within.width && y + height <= within.height;
    return isIn && taken.every((each) => !overlap({ x, y, width, height }, each));
  });
  return free ?? { x: inside(cell.x - 20), y: cell.y + cell.height + 2 };
}

/** @param {Rect} one @param {Rect} other */
function gapBetween(one, other) {
  const across = Math.max(one.x, other.x) - Math.min(one.x + one.width, other.x + other.width);
  const down = Math.max(one.y, other.y) - Math.min(one.y + one.height, other.y + other.height);
  return Math.hypot(Math.max(across, 0), Math.max(down, 0));
}

export class Undo {
  /** @param {Pick<Board, "base" | "data" | "editing" | "fits" | "focus" | "isEdited" | "layout" | "root"
   *  | "sentence" | "uneditedAt" | "valueAt">} board */
  constructor(board) {
    this.board = board;
    /** @type {Edit[][]} */
    this.steps = []; // the edits that undo each change
    this.undoing = false;
    /** @type {Edit | null} */
    this.at = null; // the last change ...
    this.now = 0; // ... and the cell's number after it
    this.said = make("span");
    this.button = button("", say("board.undo.undo"), () => this.undo());
    this.element = make("div", "undo", [this.said, " · ", this.button], { role: "status", hidden: "" });
  }

  // Remember the cells' numbers before edits are applied, and show the chip.
  note(/** @type {Edit[]} */ edits) {
    const { board } = this;
    if (!board.base) board.sentence.changed = null;
    if (this.undoing) return;
    const numberBefore = (/** @type {Edit} */ edit) => board.base
      ? board.base[edit.matrix].values[edit.row * board.base[edit.matrix].columns + edit.column]
      : board.valueAt(edit);
    const before = edits.filter((edit) => board.fits(edit))
      .map((edit) => ({ ...edit, value: board.isEdited(edit) ? numberBefore(edit) : null, was: numberBefore(edit) }));
    if (!before.length) return;
    const [edit] = edits;
    const [first] = before;
    const now = edit.value ?? board.uneditedAt(edit);
    if (before.length === 1 && Math.fround(now) === Math.fround(first.was)) return this.hide();
    this.steps = [...this.steps.slice(1 - MOST),
      before.map(({ matrix, row, column, value }) => ({ matrix, row, column, value }))];
    const digits = written(first.was, 2) === written(now, 2) ? board.data.digits : 2; // enough to show the change
    const places = { before: written(first.was, digits), now: written(now, digits), n: before.length };
    this.said.textContent =
      before.length > 1 ? say("board.undo.several", { n: before.length }) : say("board.undo.change", places);
    this.now = Math.fround(now);
    this.place(first);
  }

  // Drop the last change if the cell no longer has its number, as after the browser's Back.
  check() {
    if (!this.at || this.element.hidden || Math.fround(this.board.valueAt(this.at)) === this.now) return;
    this.steps.pop();
    this.hide();
  }

  // Move the chip along when the board is laid out again.
  follow() {
    if (this.at && !this.element.hidden) this.place(this.at);
  }

  // Place the chip near the cell, within the board and, if there is room, over no numbers.
  place(/** @type {Edit} */ edit) {
    this.at = edit;
    const { matrix, row, column } = edit;
    const { element, button: own, board: { layout, data, root } } = this;
    const { boxes, scale, height } = layout;
    const box = boxes[matrix];
    if (!box) return;
    const [across, down] = box.turned ? [row, column] : [column, row];
    element.hidden = false;
    const cell = { x: box.x + across * box.cell, y: box.y + down * box.row, width: box.cell, height: box.row };
    const named = HEADS * scale; // there may be names above each matrix
    const taken = Object.values(boxes)
      .map(({ x, y, ...size }) => ({ x, y: y - named, width: size.width, height: size.height + named }));
    const names = { x: 0, y: layout.start, width: layout.labels, height: layout.row * data.labels.length };
    const size = { width: element.offsetWidth, height: element.offsetHeight, from: own.offsetLeft,
      to: own.offsetLeft + own.offsetWidth };
    const beside = placeBeside(cell, box, size, [...taken, names], { width: root.offsetWidth, height });
    Object.assign(element.style, { left: `${beside.x}px`, top: `${beside.y}px` });
  }

  // Another head is in view: rename the matrices of the edits.
  turn(/** @type {(name: string) => string} */ named) {
    this.hide();
    this.steps = this.steps.map((step) => step.map((edit) => ({ ...edit, matrix: named(edit.matrix) })));
  }

  forget() {
    this.hide();
    this.steps = [];
  }

  hide() {
    this.element.hidden = true;
  }

  undo() {
    const step = this.steps.pop();
    this.hide();
    if (!step) return;
    this.undoing = true;
    this.board.editing.commit(step);
    this.undoing = false;
    this.board.focus(step[0]);
  }
}
