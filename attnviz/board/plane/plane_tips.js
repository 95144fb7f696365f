// The tips of the plane's arrows. Pointing at a tip is like pointing at its score. Where queries and keys have two
// features, a tip can be moved: that changes the row of X which it's made from, by as little as possible.

import { allFinite, pointAt, rounded, smallestChange, within } from "./plane_geometry.js";
import { keyNamed, rowNamed } from "./plane_pictures.js";
import { lineOf } from "../values/matrices.js";
import { written } from "../values/numbers.js";
import { isUndo } from "../keys.js";
import { make, toggle, write } from "../cells/elements.js";
import { say } from "../../scripts/sentences.js";
import { shortcutsOf } from "../../scripts/shortcuts.js";

/** @import { Plane } from "./plane.js" */

const DRAG_STARTS = 4; // pixels
const STEP = 6; // pixels, about, for each press of a key
/** @type {Record<string, Point>} */
const ARROWS = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** @typedef {{ matrix: string, row: number, from: number[], rows: number[][], start: Point }} Grip what a tip moves: a
 *  row, and the rows of the projection that makes the tip from it */

export class Tips {
  constructor(/** @type {Plane} */ plane) {
    this.plane = plane;
    this.element = make("div", "tips");
    /** @type {HTMLElement[]} */
    this.keys = [];
    this.query = make("div", "tip q");
  }

  build(/** @type {number} */ count) {
    this.keys = Array.from({ length: count }, () => make("div", "tip k"));
    this.query = make("div", "tip q");
    [...this.keys, this.query].forEach((tip, at) => this.listen(tip, at < count ? at : null));
    this.element.replaceChildren(...this.keys, this.query);
  }

  /** @param {HTMLElement} tip @param {number | null} word the key's, or null for the query's own tip */
  listen(tip, word) {
    tip.addEventListener("pointerenter", () => this.enter(word));
    tip.addEventListener("pointerleave", () => this.leave());
    tip.addEventListener("focus", () => this.enter(word));
    tip.addEventListener("blur", () => this.leave());
    tip.addEventListener("pointerdown", (event) => this.pointerdown(event, tip, word));
    tip.addEventListener("keydown", (event) => this.keydown(event, word));
  }

  enter(/** @type {number | null} */ word) {
    const { plane } = this;
    const { board } = plane;
    if (board.drag) return;
    plane.hint = this.gripOf(word) ? say("board.plane.drag",
      { symbol: board.stages.get(this.gripOf(word)?.matrix ?? "x").symbol }) : "";
    if (word === null) plane.emphasize();
    else board.pointing.choose(plane.cellOf(word));
  }

  leave() {
    const { plane } = this;
    if (plane.board.drag) return;
    plane.hint = "";
    plane.board.pointing.choose(plane.board.input.focused);
    plane.emphasize();
  }

  // Place the tips, and turn those that can be moved into sliders.
  show(/** @type {Picture} */ picture) {
    const marks = new Map(picture.marks.map((mark) => [mark.word, mark.at]));
    this.keys.forEach((tip, word) => this.put(tip, word, marks.get(word) ?? null));
    this.put(this.query, null, this.plane.tab === "scores" ? (picture.main?.at ?? null) : null);
  }

  /** @param {HTMLElement} tip @param {number | null} word @param {Point | null} at */
  put(tip, word, at) {
    toggle(tip, "gone", !at);
    if (!at) return;
    tip.style.transform = `translate(${at[0].toFixed(2)}px, ${at[1].toFixed(2)}px)`;
    const { board } = this.plane;
    if (board.drag) return;
    const grip = this.gripOf(word);
    toggle(tip, "moves", Boolean(grip));
    if (grip) {
      const { trace } = board;
      const token = word === null ? rowNamed(trace, this.plane.query) : keyNamed(trace, word);
      const places = { token, x: written(grip.start[0], board.digits), y: written(grip.start[1], board.digits),
        symbol: board.stages.get(grip.matrix).symbol };
      const texts = {
        role: "slider", "aria-roledescription": say("board.plane.kind"),
        "aria-valuenow": String(grip.start[0]), "aria-valuetext": `(${places.x}, ${places.y})`,
        "aria-label": say(word === null ? "board.plane.tip_q" : "board.plane.tip_k", places), tabindex: "0",
        "aria-keyshortcuts": shortcutsOf("undo"),
      };
      for (const [name, text] of Object.entries(texts)) write(tip, name, text);
    } else {
      for (const name of ["role", "aria-roledescription", "aria-valuenow", "aria-valuetext", "aria-label",
        "tabindex", "aria-keyshortcuts"]) tip.removeAttribute(name);
    }
  }

  // The row that a tip moves; null if the tip can't be moved: in the second picture, if queries and keys don't have two
  // features, or if X is made from something that can't be edited.
  /** @param {number | null} word @returns {Grip | null} */
  gripOf(word) {
    const { board, tab, picture } = this.plane;
    if (tab !== "scores" || !picture) return null;
    const found = gripOf(board.trace, word === null ? "q" : "k", word ?? this.plane.query);
    if (!found) return null;
    const from = found.rows.map((_, column) => board.givenAt({ matrix: found.matrix, row: found.row, column }));
    const drawn = word === null && picture.main ? pointAt(picture.view, picture.main.at) : found.start;
    // a query that is drawn shorter than it is has no tip to move
    const isWhole = Math.hypot(...drawn) > 0.99 * Math.hypot(...found.start);
    return isWhole ? { ...found, from } : null;
  }

  /** @param {PointerEvent} pressed @param {HTMLElement} tip @param {number | null} word */
  pointerdown(pressed, tip, word) {
    const { plane } = this;
    const { board, picture, size } = plane;
    const grip = this.gripOf(word);
    if (!grip || !picture || !size || pressed.button !== 0 || board.input.held) return;
    pressed.preventDefault();
    tip.focus();
    // in a presentation, everything is drawn larger than it's laid out
    const zoom = board.root.getBoundingClientRect().width / board.root.offsetWidth;
    const start = /** @type {Point} */ ([picture.view.origin[0] + grip.start[0] * picture.view.unit,
      picture.view.origin[1] - grip.start[1] * picture.view.unit]);
    /** @type {Edit[]} */
    let edits = [];
    const move = (/** @type {PointerEvent} */ moved) => {
      const way = [moved.clientX - pressed.clientX, moved.clientY - pressed.clientY].map((each) => each / zoom);
      if (!board.drag && Math.hypot(...way) < DRAG_STARTS) return;
      const wished = pointAt(picture.view, within([start[0] + way[0], start[1] + way[1]], { x: 0, y: 0, ...size }));
      edits = editsOf(grip, wished);
      if (!board.drag) board.undo.hide();
      [plane.held, plane.pointed] = [true, word];
      board.drag = { ...edits[0], value: edits[0].value ?? 0, rest: edits.slice(1) };
      for (const edit of edits) board.editing.change(edit, edit.value ?? 0);
    };
    board.input.follow(pressed, move, (take) => {
      plane.held = false;
      board.at = null; // a tip was dragged, not a cell
      const before = edits.map((edit) => ({ ...edit, value: grip.from[edit.column] }));
      board.editing.release(take ? changed(edits, grip.from) : [], before);
      board.at = null;
    });
  }

  /** @param {KeyboardEvent} event @param {number | null} word */
  keydown(event, word) {
    const { board, picture } = this.plane;
    if (isUndo(event)) {
      event.preventDefault();
      board.undo.undo();
      return;
    }
    const [right, up] = ARROWS[event.key] ?? [0, 0];
    const grip = this.gripOf(word);
    if (!(right || up) || !grip || !picture || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const step = 10 ** Math.round(Math.log10(STEP / picture.view.unit)) * (event.shiftKey ? 10 : 1);
    const edits = changed(editsOf(grip, [grip.start[0] + right * step, grip.start[1] + up * step]), grip.from);
    if (edits.length) board.editing.commit(edits, event.repeat);
    board.at = null;
  }
}

// The row that a query or key with two features is made from, the projection that makes it, and its tip. Null if that
// can't be moved.
/** @param {Trace} trace @param {"q" | "k"} name @param {number} row */
export function gripOf({ stages, matrices }, name, row) {
  const [source, projection] = stages.get(name).sources;
  const stage = stages.get(source);
  const [op, first] = stage.declared[0]?.value ?? []; // if X = E + P, only E is moved
  const matrix = stage.rule === "given" ? source : op === "+" && first[0] === "at" ? stage.sources[first[1]] : null;
  if (!matrix || stages.get(matrix).rule !== "given" || matrices[name].columns !== 2) return null;
  const start = Array.from(lineOf(matrices[name], row));
  const { values } = matrices[projection];
  if (!allFinite(start) || !allFinite(values) || !allFinite(lineOf(matrices[matrix], row))
    || values.every((value) => value === 0)) return null;
  const rows = Array.from({ length: matrices[projection].rows },
    (_, at) => Array.from(lineOf(matrices[projection], at)));
  return { matrix, row, rows, start: /** @type {Point} */ ([start[0], start[1]]) };
}

// The edits of the row that move the tip to a point, or as near to it as possible.
/** @param {Pick<Grip, "matrix" | "row" | "from" | "rows" | "start">} grip @param {Point} wished @returns {Edit[]} */
export function editsOf({ matrix, row, from, rows, start }, [x, y]) {
  const change = smallestChange(rows, [x - start[0], y - start[1]]);
  return rounded(from, change).map((value, column) => ({ matrix, row, column, value }));
}

/** @param {Edit[]} edits @param {number[]} from */
function changed(edits, from) {
  return edits.filter(({ value, column }) => Math.fround(value ?? 0) !== Math.fround(from[column]));
}
