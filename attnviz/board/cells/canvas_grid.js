// A matrix with too many cells for an element each: a canvas with a pixel per cell, scaled up to the cells' size. Over
// it lie a few elements: the cell with the keyboard focus, frames around highlighted cells, the picked row enlarged.
// Pointing, keys, typing and dragging work as they do on elements.

import { BrightLayer, cellAt, paintPixels, rectOf } from "./pixels.js";
import { drawBars } from "./change_bars.js";
import { canvasOf, make, put, toggle, write } from "./elements.js";
import { hiddenIn } from "../values/dependencies.js";
import { placeInWords } from "../values/explain.js";
import { Grid, inLabel } from "./grid.js";
import { ageOf, stripeOfOwners } from "./cell.js";
import { valueAt } from "../values/matrices.js";
import { written } from "../values/numbers.js";
import { addressOf, atOf } from "../places.js";
import { LEGIBLE } from "../spine/layout.js";
import { say } from "../../scripts/sentences.js";

/** @import { Lens } from "./pixels.js" */

const ENLARGED = 24; // height of the picked row, in pixels
const TYPED = { width: 64, height: 24, letters: "13px" }; // the box to type into
const MOST_EDITED = 200; // edited cells that get a mark

export class CanvasGrid extends Grid {
  // A function that says whether a cell is masked, given the numbers shown; null if none can be.
  get hidden() {
    return hiddenIn(this.board.trace, this.stage);
  }

  /** @param {Board} board @param {string} name @param {Box} box */
  constructor(board, name, box) {
    super(board, name, box);
    const { rows, columns } = board.torch[name];
    const [width, height] = box.turned ? [rows, columns] : [columns, rows];
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.look = "";
    /** @type {Matrix | null} */
    this.painted = null;
    /** @type {Lens | null} */
    this.lens = null;
    /** @type {Place} */
    this.place = { matrix: name, row: 0, column: 0 }; // the cell that the keyboard is at
    this.colours = canvasOf("colours", width, height);
    this.bright = new BrightLayer(this.image, box.turned);
    this.bars = canvasOf("bars hidden", Math.ceil(box.width), Math.ceil(box.height)); // changes during a drag
    this.barred = false;
    this.enlarged = make("div", "lens");
    this.stripe = canvasOf("stripe", width, 1);
    this.marks = make("div", "marks");
    this.frames = make("div", "frames-lit");
    this.current = make("span", "cell current", [], { role: "gridcell", tabindex: "0" });
    const line = make("div", "line", [this.current], { role: "row" });
    const owners = stripeOfOwners(this.stage, rows, box.turned);
    this.element.append(this.colours.canvas, ...(owners ? [owners] : []), this.bright.canvas, this.marks, this.enlarged,
      this.bars.canvas, this.frames, line);
    this.element.addEventListener("pointermove", (event) => this.pointAt(event));
    this.element.addEventListener("pointerdown", (event) => this.pointAt(event));
    // the browser would move the focus after the press; the board's own handlers set it
    this.element.addEventListener("mousedown", (event) => event.preventDefault());
    this.element.addEventListener("pointerleave", () => this.stay());
    this.arrive(this.place);
  }

  build(/** @type {Matrix} */ { rows, columns }) {
    const { stage, box, element, board } = this;
    element.classList.add("canvas");
    toggle(element, "strip", Math.min(box.cell, box.row) < 1);
    toggle(element, "editable", board.isEditable({ matrix: stage.name, row: 0, column: 0 }));
    write(element, "aria-rowcount", String(rows));
    write(element, "aria-colcount", String(columns));
  }

  // ---- drawing ----

  paint() {
    const { board, stage, box } = this;
    const { ramps, data: { only } } = board;
    // Where only one number is filled in so far, Python sends 0 for all others; the page's own numbers would show them.
    const matrix = (only?.matrix === stage.name ? board.torch : board.shown)[stage.name];
    const limit = board.limitOf(stage);
    const look = `${limit},${board.theme}`;
    // Edits change given matrices in place, so that the same object may hold other numbers.
    if (this.painted !== matrix || this.look !== look || stage.rule === "given") {
      const how = { turned: box.turned, limit, inks: ramps[stage.role].inks, negative: ramps.negative.inks,
        hidden: this.hidden };
      paintPixels(this.pixels, matrix, how);
      this.colours.context.putImageData(this.image, 0, 0);
      [this.painted, this.look] = [matrix, look];
    }
    this.enlarge();
    this.showChange();
  }

  // During a drag, draw a bar in each changed cell.
  showChange() {
    const { board, stage, box, lens } = this;
    const before = board.base?.[stage.name]?.values;
    if (!before && !this.barred) return;
    const matrix = board.shown[stage.name];
    const limit = board.limitOf(stage);
    const { colours } = board; // a getter that builds a new object each time
    const inkOf = (/** @type {number} */ value) => colours.of(stage.role, value, limit)?.ink ?? "#000";
    const { largestChange: largest, toldRow: told } = this;
    drawBars(this.bars.context, matrix, before ?? matrix.values,
      { box, limit, largest, told, lens, numbers: box.cell >= LEGIBLE * board.layout.scale, inkOf }, this.seen);
    this.barred = Boolean(before);
    toggle(this.bars.canvas, "hidden", !this.barred);
  }

  // The part of the matrix in the window, and up to a window's size around it, since the page may be scrolled during a
  // drag.
  get seen() {
    const { box, bars: { canvas }, board: { held } } = this;
    if (!held) return { left: 0, top: 0, width: canvas.width, height: canvas.height };
    const part = (/** @type {number} */ start, /** @type {number} */ window, /** @type {number} */ whole) => {
      const from = Math.min(whole, Math.max(0, Math.floor((-window - start) / held.by)));
      return [from, Math.max(0, Math.min(whole, Math.ceil((2 * window - start) / held.by)) - from)];
    };
    const view = this.board.host.view();
    const [left, width] = part(held.left + box.x * held.by, view.width, canvas.width);
    const [top, height] = part(held.top + box.y * held.by, view.bottom, canvas.height);
    return { left, top, width, height };
  }

  // Draw the picked row high enough to be read, with its numbers if its cells are wide enough.
  enlarge() {
    const { board, box, stage, enlarged } = this;
    const row = board.query;
    const high = ENLARGED * board.layout.scale;
    // The enlarged row stays within the matrix, because names stand above that.
    const top = Math.max(0, Math.min(box.height - high, (row + 0.5) * box.row - high / 2));
    this.lens = this.isOfPicked(row) && box.row < high ? { row, top, height: high } : null;
    toggle(enlarged, "hidden", !this.lens);
    if (!this.lens) return;
    Object.assign(enlarged.style, { top: `${this.lens.top}px`, height: `${high}px` });
    // Cells too narrow for numbers become a strip of colours; wider ones become elements, which screen readers read as
    // a row.
    if (box.cell < LEGIBLE * board.layout.scale) {
      enlarged.removeAttribute("role");
      this.stripe.context.putImageData(this.image, 0, -row, 0, row, this.image.width, 1);
      if (!this.stripe.canvas.isConnected) enlarged.replaceChildren(this.stripe.canvas);
      return;
    }
    const { columns } = board.shown[stage.name];
    const [first] = this.cells;
    if (first?.dataset.at !== atOf(stage, { row, column: 0 })) {
      const cells = Array.from({ length: columns }, (_, column) => this.cell(row, column));
      this.cells.length = 0;
      this.cells.push(...cells);
      for (const cell of cells) {
        cell.tabIndex = -1; // the keyboard uses `current`
        put(cell, { width: box.cell - 1, height: high - 1 });
      }
      enlarged.setAttribute("role", "row");
      enlarged.style.setProperty("--row", `${high}px`);
      enlarged.replaceChildren(...cells);
    }
    const how = this.how();
    this.cells.forEach((cell, column) => this.paintCell(cell, row, column, true, how));
  }

  mark() {
    const { board, stage } = this;
    toggle(this.matrix, "fresh", Boolean(board.data.fresh?.includes(stage.name)));
    this.showAges();
    this.enlarged.dataset.age = ageOf(board.data, stage.name, this.lens?.row ?? 0);
    this.say();
    this.cells.forEach((cell, column) => {
      toggle(cell, "edited", board.isEdited({ matrix: stage.name, row: this.lens?.row ?? 0, column }));
      toggle(cell, "query", true);
      cell.setAttribute("aria-label", this.labelOf({ matrix: stage.name, row: this.lens?.row ?? 0, column }));
    });
    const addresses = [...Object.keys(board.data.before), ...board.pending.keys()]
      .filter((address) => address.startsWith(`${stage.name},`));
    this.marks.replaceChildren(...addresses.slice(0, MOST_EDITED).map((address) => {
      const [, row, column] = address.split(",").map(Number);
      return this.over("changed", { row, column, rows: 1, columns: 1 });
    }));
  }

  markRow() {
    this.enlarge();
    this.mark();
  }

  // An element that covers some cells.
  /** @param {string} className @param {Span} span */
  over(className, span) {
    const element = make("div", className);
    put(element, rectOf(span, this.box, this.lens));
    return element;
  }

  get lights() {
    return false;
  }

  /** @param {Uint8Array | undefined} feeds @param {Span[]} sources @param {Place | null} chosen */
  light(feeds, sources, chosen) {
    const fed = this.board.drag ? undefined : feeds; // the bright copy doesn't follow the colours during a drag
    const own = chosen ? [{ row: chosen.row, column: chosen.column, rows: 1, columns: 1 }] : [];
    if (!fed && !sources.length && !chosen && !this.frames.childElementCount && !this.bright.isLit) return;
    this.bright.show(fed, [...sources, ...own], this.board.torch[this.stage.name]);
    const frames = [...sources.map((span) => this.over("source", span)),
      ...own.map((span) => this.over("chosen", span))];
    if (chosen) frames[frames.length - 1].dataset.of = addressOf(chosen);
    this.frames.replaceChildren(...frames);
    const { lens } = this;
    const holds = (/** @type {Span} */ span, /** @type {number} */ column) =>
      lens !== null && lens.row >= span.row && lens.row < span.row + span.rows && column >= span.column
        && column < span.column + span.columns;
    this.cells.forEach((cell, column) => {
      toggle(cell, "fed", lens !== null && (Boolean(fed?.[lens.row * this.cells.length + column])
        || [...sources, ...own].some((span) => holds(span, column))));
    });
  }

  // ---- single cells ----

  // Give the whole matrix the address of the cell under the pointer, which the board's listeners read.
  pointAt(/** @type {PointerEvent} */ event) {
    if (event.target !== this.element || this.board.drag) return;
    const { left, top, width, height } = this.element.getBoundingClientRect();
    const cell = cellAt((event.clientX - left) / width, (event.clientY - top) / height,
      this.board.torch[this.stage.name], this.box, this.lens);
    const address = atOf(this.stage, cell);
    if (this.element.dataset.at === address) return;
    this.element.dataset.at = address;
    if (event.type === "pointermove") this.board.input.pointerover(event);
  }

  // When the pointer leaves, give the matrix the address of the cell that the keyboard is at.
  stay() {
    this.element.dataset.at = atOf(this.stage, this.place);
  }

  arrive(/** @type {Place} */ place) {
    this.place = place;
    this.current.dataset.at = atOf(this.stage, place);
    this.current.setAttribute("aria-rowindex", String(place.row + 1));
    this.current.setAttribute("aria-colindex", String(place.column + 1));
    put(this.current, rectOf({ ...place, rows: 1, columns: 1 }, this.box, this.lens));
    this.say();
  }

  say() {
    this.current.setAttribute("aria-label", this.labelOf(this.place));
  }

  labelOf(/** @type {Place} */ place) {
    const { board } = this;
    const value = valueAt(board.shown[place.matrix], place.row, place.column);
    const masked = (value === 0 || value === -Infinity) && this.hidden?.(place.row, place.column);
    const text = board.isEmpty(place) ? say("board.matrix.empty") : masked ? say("board.matrix.masked")
      : written(value, board.data.digits);
    return inLabel(placeInWords(board.trace, place), text, ageOf(board.data, place.matrix, place.row));
  }

  /** @param {Place} place @returns {BoardCell | undefined} */
  cellAt({ row, column }) {
    return this.lens?.row === row ? this.cells[column] : undefined;
  }

  focus(/** @type {Place} */ place) {
    const { board, current } = this;
    const root = current.getRootNode();
    const there = root instanceof ShadowRoot && root.activeElement === current;
    this.arrive(place);
    if (!there) return current.focus();
    // The focused element stays the same and only moves to another cell: no focus event would report that.
    current.scrollIntoView({ block: "nearest", inline: "nearest" });
    board.panel.arriveAt(place);
    board.pointing.choose(place);
  }

  boxOf(/** @type {Place} */ place) {
    const whole = this.element.getBoundingClientRect();
    const by = whole.width / this.box.width;
    const { x, y, width, height } = rectOf({ ...place, rows: 1, columns: 1 }, this.box, this.lens);
    const [wide, high] = [Math.max(width, TYPED.width), Math.max(height, TYPED.height)];
    return { box: new DOMRect(whole.left + by * x, whole.top + by * (y + (height - high) / 2), by * wide, by * high),
      letters: TYPED.letters };
  }
}
