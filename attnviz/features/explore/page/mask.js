// A mask to paint: each cell is a button, and dragging paints all cells like the first one.
// Tokens are only ever set as text, never as HTML.

import { button, make } from "../../../board/cells/elements.js";
import { focusedBeside, stateOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ rows: string[], columns: string[], hidden: number[][], turned: boolean, label: string }} Data */

export default function maskPainter(/** @type {Drawing<Data>} */ { parentElement, data, setStateValue }) {
  stateOf(parentElement, ".painter", (root) => new Painter(root))
    .receive(data, (hidden) => setStateValue("hidden", hidden));
}

class Painter {
  constructor(/** @type {HTMLElement} */ root) {
    this.root = root;
    this.send = (/** @type {number[][]} */ _hidden) => {};
    /** @type {HTMLButtonElement[][]} */
    this.cells = [];
    /** @type {boolean | null} what is painted while the pointer is down */
    this.paints = null;
    root.addEventListener("pointerdown", (event) => this.begin(event));
    root.addEventListener("pointermove", (event) => this.move(event));
    for (const type of ["pointerup", "pointercancel"]) root.addEventListener(type, () => this.end());
    root.addEventListener("click", (event) => event.detail === 0 && this.press(event.target)); // from the keyboard
  }

  /** @param {Data} data @param {(hidden: number[][]) => void} send */
  receive({ rows, columns, hidden, turned, label }, send) {
    this.send = send;
    if (this.paints !== null) return;
    this.root.setAttribute("aria-label", label);
    const held = this.cells.flat().indexOf(/** @type {HTMLButtonElement} */ (focusedBeside(this.root)));
    this.root.classList.toggle("turned", turned);
    this.root.style.setProperty("--columns", String(columns.length));
    this.cells = rows.map((row, i) => columns.map((column, j) => button("", "", () => {},
      { "aria-label": `${row}, ${column}`, "aria-pressed": String(hidden[i][j] === 1) })));
    const heads = columns.map((column) => named("columnheader", column));
    this.root.replaceChildren(rowOf([named("presentation", ""), ...heads]),
      ...rows.map((row, i) =>
        rowOf([named("rowheader", row), ...this.cells[i].map((cell) => named("gridcell", cell))])));
    this.cells.flat()[held]?.focus();
  }

  press(/** @type {EventTarget | null} */ target) {
    if (!(target instanceof HTMLButtonElement)) return;
    paint(target, !isHidden(target));
    this.say();
  }

  begin(/** @type {PointerEvent} */ event) {
    if (!(event.target instanceof HTMLButtonElement) || event.button) return;
    event.preventDefault();
    this.root.setPointerCapture(event.pointerId);
    this.paints = !isHidden(event.target);
    paint(event.target, this.paints);
  }

  move(/** @type {PointerEvent} */ { clientX, clientY }) {
    if (this.paints === null) return;
    const over = this.cells.flat().find((cell) => {
      const { left, right, top, bottom } = cell.getBoundingClientRect();
      return clientX >= left && clientX < right && clientY >= top && clientY < bottom;
    });
    if (over) paint(over, this.paints);
  }

  end() {
    if (this.paints === null) return;
    this.paints = null;
    this.say();
  }

  say() {
    this.send(this.cells.map((row) => row.map((cell) => Number(isHidden(cell)))));
  }
}

const isHidden = (/** @type {HTMLElement} */ cell) => cell.getAttribute("aria-pressed") === "true";

/** @param {HTMLElement} cell @param {boolean} hidden */
const paint = (cell, hidden) => cell.setAttribute("aria-pressed", String(hidden));

/** @param {string} role @param {(HTMLElement | string)[]} parts */
const named = (role, ...parts) => make("span", "", parts, { role });

const rowOf = (/** @type {HTMLElement[]} */ parts) => named("row", ...parts);
