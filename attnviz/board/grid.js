// One matrix of the board: a grid of cells, each with its number, colour and marks.

import { colourOf, inkOn } from "./colours.js";
import { make, toggle } from "./elements.js";
import { isMasked } from "./evaluate.js";
import { placeInWords } from "./explain.js";
import { written } from "./numbers.js";
import { addressOf } from "./places.js";
import { say } from "../scripts/sentences.js";

/** @import { Board } from "./board.js" */
/** @import { Axis, BoardCell, Matrix } from "./types.js" */

export const MORE_CHARACTERS = 3; // than digits after the point have room in a column; a longer number has smaller letters

export class Grid {
  /** @param {Board} board @param {string} name */
  constructor(board, name) {
    this.board = board;
    this.stage = board.stages.get(name);
    this.inView = true;
    /** @type {BoardCell[]} */
    this.cells = [];
    this.element = make("div", "grid");
    this.build(board.torch[name]);
    this.matrix = make("div", `matrix ${this.stage.origin} ${this.stage.rule}`, [...this.title(), this.element, this.about()]);
  }

  /** @param {Matrix} matrix */
  build({ rows, columns }) {
    const { stage } = this;
    this.element.setAttribute("role", "grid");
    this.element.setAttribute("aria-label", say("board.matrix.grid", { title: stage.title, rows, columns, meaning: stage.meaning }));
    this.element.style.setProperty("--columns", String(columns));
    const header = make("div", "line", [make("span", "corner")]);
    for (let column = 0; column < columns; column += 1) header.append(this.label(stage.columns, column, "above"));
    header.setAttribute("aria-hidden", "true");
    this.element.append(header);
    for (let row = 0; row < rows; row += 1) {
      const line = make("div", "line", [this.label(stage.rows, row, "beside")]);
      line.setAttribute("role", "row");
      for (let column = 0; column < columns; column += 1) this.cells.push(this.cell(row, column));
      line.append(...this.cells.slice(-columns));
      this.element.append(line);
    }
  }

  // What stands over it: its name and shape, and in a line of its own what it is made of.
  title() {
    const { titles, notes } = this.board.data;
    const { name, title, colour } = this.stage;
    const called = make("b", "", [title]);
    if (colour) called.style.borderBottom = `3px solid ${colour}`;
    const { rows, columns } = this.board.torch[name];
    const shape = make("span", "shape", [say("board.matrix.shape", { rows, columns })]);
    const note = notes?.[name] ? [make("span", "note", [say("board.matrix.note", { note: notes[name] })])] : [];
    const line = make("div", "title", [called, " ", shape, " ", ...note]);
    line.dataset.new = say("board.matrix.new");
    return [line, make("div", "formula", [titles[name] === title ? "" : `= ${titles[name]}`])];
  }

  // What it is, below it; of one whose columns are keys, what its rows and columns are.
  about() {
    const { plain, axes, columns } = this.stage;
    return make("div", "about", [plain, ...(columns === "key" ? [make("div", "", [axes])] : [])]);
  }

  /** @param {number} row @param {number} column @returns {BoardCell} */
  cell(row, column) {
    const place = { matrix: this.stage.name, row, column };
    const called = placeInWords(this.board.made, place);
    // The text is one node, of which only the characters change.
    const parts = { called, text: document.createTextNode("") };
    const cell = Object.assign(make("span", this.stage.rule === "given" ? "cell editable" : "cell"), parts);
    cell.setAttribute("role", "gridcell");
    cell.tabIndex = row + column === 0 ? 0 : -1;
    cell.dataset.at = addressOf(place);
    cell.append(cell.text);
    return cell;
  }

  /** @param {Axis} kind @param {number} at @param {string} side */
  label(kind, at, side) {
    const text = kind === "feature" ? String(at) : this.board.data.labels[at];
    const label = make("span", `label ${side}`, [text]);
    label.title = text;
    label.setAttribute("aria-hidden", "true");
    return label;
  }

  // Only cells whose number or colour changed are written.
  paint() {
    const { board, cells, stage } = this;
    const { values, columns } = board.shown[stage.name];
    const { digits, settings } = board.data;
    const limits = board.data.limits[stage.name];
    const look = `${limits},${digits},${settings.causal}`;
    cells.forEach((cell, at) => {
      const [row, column] = [Math.floor(at / columns), at % columns];
      const empty = board.isEmpty({ matrix: stage.name, row, column });
      if (Object.is(cell.value, values[at]) && cell.look === look && cell.empty === empty) return;
      Object.assign(cell, { value: values[at], look, empty });
      const blank = values[at] === 0 || values[at] === -Infinity;
      cell.masked = blank && isMasked(board.made.stages, stage, row, column);
      const text = empty ? "" : cell.masked && values[at] === 0 ? "–" : written(values[at], digits);
      if (cell.text.data !== text) {
        cell.text.data = text;
        this.fit(cell, text);
      }
      const colour = empty || cell.masked ? null : colourOf(values[at], limits, board.data.scales[stage.scale], board.data.signs);
      const paper = colour ? `rgb(${colour})` : "";
      if (cell.paper !== paper) cell.style.backgroundColor = cell.paper = paper;
      const ink = colour ? inkOn(colour) : "";
      if (cell.ink !== ink) cell.style.color = cell.ink = ink;
      toggle(cell, "masked", cell.masked);
      toggle(cell, "empty", empty);
    });
  }

  // A column is as wide as the digits ask for, whatever its numbers are, so that nothing moves when one gets longer. The
  // letters of a number with no room for it are smaller.
  /** @param {BoardCell} cell @param {string} text */
  fit(cell, text) {
    const room = this.board.characters;
    const size = text.length > room ? `${Math.floor((1000 * room) / text.length) / 10}%` : "";
    if (cell.size !== size) cell.style.fontSize = cell.size = size;
  }

  // What changes with an edit, but not while a cell is dragged: marks, and what is said to a screen reader.
  mark() {
    const { board, stage } = this;
    const { columns } = board.shown[stage.name];
    toggle(this.matrix, "fresh", Boolean(board.data.fresh?.includes(stage.name)));
    this.cells.forEach((cell, at) => {
      const row = Math.floor(at / columns);
      toggle(cell, "edited", board.isEdited({ matrix: stage.name, row, column: at % columns }));
      toggle(cell, "query", stage.rows !== "feature" && row === board.data.query);
      const value = cell.empty ? say("board.matrix.empty") : cell.masked ? say("board.matrix.masked") : cell.text.data;
      const label = say("board.matrix.cell", { where: cell.called, value });
      if (cell.label !== label) cell.setAttribute("aria-label", (cell.label = label));
    });
  }
}
