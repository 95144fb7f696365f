// One matrix as a heatmap: a title with its formula, a line about it, the names of rows and columns, and the cells.

import { make, setText, toggle, write } from "../../../board/cells/elements.js";
import { shadeOf } from "../../../board/cells/colours.js";
import { bytesIn, numbersIn } from "../../../board/values/matrices.js";
import { inDigits, NEARLY, written } from "../../../board/values/numbers.js";
import { FIGURES } from "../../../scripts/sent.js";
import { say } from "../../../scripts/sentences.js";
import { LABEL, layoutOf, paint } from "./drawing.js";

/** @import { Colours, Frame, Layout, Picture } from "./types.js" */

// The kinds of cells: attnviz/figures/picture.py sends their places in this list. SIGNS has the text of a cell that
// holds no finite number, HATCHED the class that hatches it.
const KINDS = /** @type {const} */ (["finite", "masked", "negative", "positive", "nan"]);
const SIGNS = { finite: "", masked: "−∞", negative: "−∞", positive: "∞", nan: "NaN" };
const HATCHED = { finite: "", masked: "masked", negative: "undefined", positive: "undefined", nan: "undefined" };
const LOW = 14; // pixels: the height below which a row is low
const FEW_LABELS = 12; // about how many names are shown if not every row or column has room for one

export class Heatmap {
  constructor(/** @type {string} */ name) {
    this.name = name;
    this.element = make("figure");
    this.element.dataset.matrix = name;
    this.title = make("div", "title", [], { tabindex: "0" });
    this.about = make("p");
    this.columns = make("div", "columns");
    this.rows = make("div", "rows");
    this.cells = make("div", "cells");
    this.over = make("div", "over"); // frames, drawn over the cells
    this.scale = make("div", "scale");
    const caption = make("figcaption", "", [this.title, this.about]);
    const plot = make("div", "plot", [this.columns, this.rows, make("div", "area", [this.cells, this.over])]);
    this.element.append(caption, plot, this.scale);
    /** @type {Picture | null} */
    this.picture = null;
    this.drawn = ""; // a key for everything that decides how cells look; when it changes, `fill` redraws them
    this.laid = ""; // a key for the places of cells and names; when it changes, `arrange` moves them
    this.framed = ""; // a key for the places of frames; when it changes, `frame` moves them
    /** @type {Float64Array} */
    this.values = new Float64Array();
    /** @type {Uint8Array | null} */
    this.kinds = null;
    /** @type {Colours | null} */
    this.colours = null;
  }

  /** @returns {Picture} */
  get shown() {
    if (!this.picture) throw new Error(`${this.name} was not drawn yet`);
    return this.picture;
  }

  // In a large matrix, one drawn cell stands for several numbers, so no single one can be picked.
  get isPickable() {
    return Math.max(...this.shown.steps) === 1;
  }

  // Place names, cells and frames, and write the captions; `fill` puts numbers and colours into the cells.
  /** @param {Picture} picture @param {Frame[]} frames @param {Colours} colours */
  lay(picture, frames, colours) {
    this.picture = picture;
    this.colours = colours;
    this.values = numbersIn(picture.numbers);
    this.kinds = picture.kinds ? bytesIn(picture.kinds) : null;
    const layout = layoutOf(picture, this.texts());
    write(this.element, "aria-label", picture.alt);
    this.caption(picture, layout, colours);
    const laid = JSON.stringify([layout, picture.rows, picture.columns, picture.query, picture.inCell]);
    if (laid !== this.laid) this.arrange(picture, layout);
    this.laid = laid;
    this.frame(picture, frames, layout);
    this.showScale(picture, colours);
  }

  texts() {
    const { cellDigits, inCell, shares, signed } = this.shown;
    return inCell ? [...this.values]
      .map((value, at) => {
        const kind = this.kinds?.[at];
        if (kind) return kind === 1 && shares ? "–" : SIGNS[KINDS[kind]];
        return plus(rounded(value, cellDigits), value, signed);
      }) : [];
  }

  /** @param {Picture} picture @param {Layout} layout @param {Colours} colours */
  caption({ title, formula, role, plain, about }, layout, { theme }) {
    if (this.title.textContent !== (formula ? `${title} = ${formula}` : title)) this.title.replaceChildren(make("b", "",
      [title]), formula ? ` = ${formula}` : "");
    const bold = this.title.firstChild;
    this.element.style.setProperty("--role", FIGURES.ROLES[role][theme]);
    if (bold instanceof HTMLElement) bold.style.color = FIGURES.ROLES[role][theme];
    this.title.style.fontSize = `${layout.title}px`;
    write(this.title, "aria-description", plain);
    setText(this.about, about);
  }

  /** @param {Picture} picture @param {Layout} layout */
  arrange({ rows, columns, query, inCell }, { cell, left, labels, whole }) {
    const { style } = this.element;
    for (const [name, value] of Object.entries({ cell: cell.width, row: cell.height, left,
      room: labels.room })) style.setProperty(`--${name}`, `${value}px`);
    style.width = `${whole}px`;
    toggle(this.element, "narrow", whole < 216);
    const [down, across] = [cell.height * rows.length, cell.width * columns.length];
    Object.assign(this.cells.style, { width: `${across}px`, height: `${down}px`,
      gridTemplateColumns: inCell ? `repeat(${columns.length}, ${cell.width}px)` : "" });
    this.scale.style.width = `${left + across}px`;
    this.rows.replaceChildren(...named(rows, cell.height).map((row) => {
      const label = make("span", row === query ? "picked" : "", [rows[row]]);
      label.style.top = `${(row + 0.5) * cell.height}px`;
      return label;
    }));
    this.columns.className = `columns ${labels.angle === 0 ? "level" : labels.angle === -45 ? "slanted" : "upright"}`;
    this.columns.replaceChildren(...named(columns, cell.width).map((column) => {
      const label = make("span", "", [columns[column]]);
      label.style.left = `${left + (column + 0.5) * cell.width}px`;
      return label;
    }));
    this.drawn = ""; // the new cells show nothing yet
    if (inCell) this.cells.replaceChildren(...Array.from({ length: rows.length * columns.length }, () => make("span")));
    else this.cells.replaceChildren(make("canvas"));
  }

  // Frames around the row that is followed, the picked cell, and those that it is made from.
  /** @param {Picture} picture @param {Frame[]} frames @param {Layout} layout */
  frame({ query, columns, steps }, frames, { cell }) {
    const framed = JSON.stringify([query, columns.length, frames, cell]);
    if (framed === this.framed) return;
    this.framed = framed;
    const low = cell.height < LOW;
    const box = (/** @type {string} */ kind, /** @type {number[]} */ rows, /** @type {number[]} */ across) => {
      const made = make("div", kind);
      const [top, bottom, left, right] = [rows[0], rows[1] + 1, across[0], across[1] + 1];
      Object.assign(made.style, { top: `${top * cell.height}px`, height: `${(bottom - top) * cell.height}px`,
        left: `${left * cell.width}px`, width: `${(right - left) * cell.width}px` });
      return made;
    };
    const drawn = (/** @type {number[]} */ places, /** @type {number} */ step) =>
      places.map((place) => Math.floor(place / step));
    this.over.replaceChildren(
      ...(query === null ? [] : [box(low ? "followed low" : "followed", [query, query], [0, columns.length - 1])]),
      ...frames.map((each) =>
        box(each.chosen ? "chosen" : "made", drawn(each.rows, steps[0]), drawn(each.columns, steps[1]))),
    );
  }

  // Draw the cells anew if their numbers or colours changed since the last time.
  fill() {
    const { colours, picture } = this;
    if (!picture || !colours) return;
    const drawn = JSON.stringify([picture.numbers, picture.kinds, picture.limit, picture.role, picture.cellDigits,
      picture.shares, colours.theme]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const { limit, role, inCell } = picture;
    if (!inCell) {
      const canvas = this.cells.firstElementChild;
      if (canvas instanceof HTMLCanvasElement) paint(canvas, this, colours);
      return;
    }
    this.texts().forEach((text, at) => {
      const cell = this.cells.children[at];
      if (!(cell instanceof HTMLElement)) return;
      setText(cell, text);
      const kind = HATCHED[KINDS[this.kinds?.[at] ?? 0]];
      if (cell.className !== kind) cell.className = kind;
      const shade = kind ? null : shadeOf(this.values[at], limit, colours.ramps, role);
      cell.style.background = shade?.paper ?? "";
      cell.style.color = shade?.ink ?? "";
    });
  }

  // From 0 to the limit, with a tick at an even share.
  /** @param {Picture} picture @param {Colours} colours */
  showScale({ scale, role, limit }, { ramps, theme }) {
    const shown = scale ? JSON.stringify([scale, role, limit, theme]) : "";
    if ((this.scale.dataset.shown ?? "") === shown) return;
    this.scale.dataset.shown = shown;
    this.scale.replaceChildren();
    if (!scale) return;
    const stops = Array.from({ length: 18 }, (_, at) => shadeOf(at, 17, ramps, role)?.paper);
    const bar = make("div", "bar");
    bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    const says = make("div", "even");
    if (scale.even) {
      const { at, text } = scale.even;
      const [mark, told] = [make("i"), make("span", at < 1 / 3 ? "" : at < 2 / 3 ? "middle" : "end", [text])];
      for (const each of [mark, told]) each.style.left = `${100 * at}%`;
      bar.append(mark);
      says.append(told);
    }
    this.scale.append(says, bar, make("div", "ends", [make("span", "", ["0"]), make("span", "", [scale.high])]));
  }

  // ---- what a reader points at ----

  /** @param {number} x @param {number} y */
  cellAt(x, y) {
    const { rows, columns } = this.shown;
    const { left, top, width, height } = this.cells.getBoundingClientRect();
    const place = (/** @type {number} */ part, /** @type {number} */ of) =>
      Math.min(of - 1, Math.max(0, Math.floor(part * of)));
    return { row: place((y - top) / height, rows.length), column: place((x - left) / width, columns.length) };
  }

  // Returns the two lines of a cell's hint: its place, and its number.
  /** @param {number} row @param {number} column */
  saidOf(row, column) {
    const { rows, columns, axes, symbol, digits, shares, signed } = this.shown;
    const at = row * columns.length + column;
    const kind = KINDS[this.kinds?.[at] ?? 0];
    const value = kind === "finite" ? plus(written(this.values[at], digits), this.values[at], signed)
      : say(`figures.signs.${kind === "masked" && shares ? "share" : kind}`);
    return say("figures.hover",
      { rows: axes[0], row: rows[row], columns: axes[1], column: columns[column], symbol, value });
  }
}

// The rows, or columns, that show their name: all if there is room, or else some at equal distances.
/** @param {string[]} labels @param {number} size of a cell */
function named(labels, size) {
  const every = size < LABEL ? Math.ceil(labels.length / FEW_LABELS) : 1;
  return Array.from({ length: Math.ceil(labels.length / every) }, (_, at) => at * every);
}

// A number as it is written in the board's cells.
/** @param {number} value @param {number} digits */
function rounded(value, digits) {
  if (value !== 0 && Math.abs(value) * 10 ** digits < 0.5) return NEARLY;
  return inDigits(value, digits) || written(value, digits);
}

// A number's text; if it is a difference, it has its sign.
/** @param {string} text @param {number} value @param {boolean} signed */
function plus(text, value, signed) {
  return signed && value > 0 && text !== NEARLY ? `+${text}` : text;
}
