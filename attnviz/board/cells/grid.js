// One matrix of the board: its name, and a grid of cells, each with its number, colour and marks.

import { make, markAll, put, setText, toggle, UNSEEN } from "./elements.js";
import { ageOf, areOfOthers, asideOf, colourAs, colourByOwner, inCell, isOfOthers, ownerOf, symbolOf,
  widthOf } from "./cell.js";
import { barOf, besideMiddle, changeOf, largestChange } from "./change_bars.js";
import { shortcutsOfCells } from "../keys.js";
import { isMasked } from "../values/dependencies.js";
import { placeInWords } from "../values/explain.js";
import { lineOf } from "../values/matrices.js";
import { written } from "../values/numbers.js";
import { atOf } from "../places.js";
import { inTwo } from "./names.js";
import { LEGIBLE, ON_ITS_SIDE, READABLE } from "../spine/layout.js";
import { HEADED, inTwoLines } from "../spine/plan.js";
import { beyond } from "../spine/words.js";
import { say } from "../../scripts/sentences.js";

const ROOM = 5.3; // digits of full size in a cell that is 42 pixels wide
const HEADS = 18; // height of column names, in pixels
const LEAST = 12; // font size of column names, in pixels
const [LETTER, AROUND] = [5.6, 5]; // width of a letter in column names, and room between two, in pixels
const LINE = 16; // height of a line where column names stand in two, in pixels
// the smallest type: font size in percent, pixels of a digit, and pixels around a number
export const TIGHT = { size: 92.4, digit: 6.6, around: 0.7 };
const LEAST_MARKED = 9; // pixels: a mark is at least so large, and may cover several cells
const MARKS = ["fed", "source", "chosen"];
const LAST_BITS = 1e-6; // a relative difference that isn't worth a redraw

// The words for a matrix's size, in numbers or symbols; rows and columns swap places if it is drawn transposed.
/** @param {(number | string)[]} shape @param {boolean} turned */
export function sizeOf([rows, columns], turned) {
  return say("board.matrix.shape", turned ? { rows: columns, columns: rows } : { rows, columns });
}

// A cell's label for screen readers.
/** @param {string} where @param {string} value @param {string} age */
export function inLabel(where, value, age) {
  const label = say("board.matrix.cell", { where, value });
  return age ? say("board.matrix.aged", { label, age: say(`board.age.${age}`) }) : label;
}

export class Grid {
  /** @param {Board} board @param {string} name @param {Box} box */
  constructor(board, name, box) {
    this.board = board;
    this.stage = board.stages.get(name);
    this.box = box;
    this.inView = true;
    /** @type {BoardCell[]} */
    this.cells = [];
    /** @type {Set<BoardCell>} */
    this.lit = new Set();
    const { rows, columns } = board.torch[name];
    const { title, meaning, origin } = this.stage;
    const label = say(box.turned ? "board.matrix.turned" : "board.matrix.grid", { title, rows, columns, meaning });
    this.aside = make("span", "short");
    this.element = make("div", `grid ${origin}`, [], { role: "grid", "aria-label": label,
      "aria-keyshortcuts": shortcutsOfCells(board, board.isEditable({ matrix: name, row: 0, column: 0 })) });
    put(this.element, box);
    toggle(this.element, "tight", this.isTight);
    this.build(board.torch[name]);
    this.title = this.titled();
    const heads = this.heads();
    this.headed = heads.length ? box.y - parseFloat(heads[0].style.top) : 0; // height of the column names
    this.matrix = make("div", `matrix role-${this.stage.role}`, [this.title, ...heads, this.element]);
    this.matrix.dataset.matrix = name;
    this.ages = ["old", "now"].map(() => make("div", "age"));
    this.element.append(...this.ages);
  }

  build(/** @type {Matrix} */ { rows, columns }) {
    const { box, element } = this;
    const [down, across] = box.turned ? [columns, rows] : [rows, columns];
    for (let at = 0; at < rows * columns; at += 1) this.cells.push(this.cell(Math.floor(at / columns), at % columns));
    Object.assign(element.style,
      { gridTemplateColumns: `repeat(${across}, ${box.cell}px)`, gridTemplateRows: `repeat(${down}, ${box.row}px)` });
    element.style.setProperty("--row", `${box.row}px`);
    for (let y = 0; y < down; y += 1) {
      const cells =
        Array.from({ length: across }, (_, x) => this.cells[box.turned ? x * columns + y : y * columns + x]);
      element.append(make("div", "line", cells, { role: "row" }));
    }
  }

  // The title: the matrix's symbol and a short description, as much of it as fits.
  titled() {
    const { stage, box, board } = this;
    const { rows, columns } = board.torch[stage.name];
    const called =
      make("b", "", [box.turned ? say("board.matrix.transposed", { symbol: symbolOf(stage) }) : symbolOf(stage)]);
    const shape = make("span", "shape", [sizeOf([rows, columns], box.turned)]);
    const symbols = board.data.notes?.[stage.name];
    // split at commas, so that at least the first part fits
    const [short, ...more] = stage.short.split(/(?=, )/).map((part) => make("span", "short", [part]));
    const title = make("div", "title", [called, " ", ...(symbols ? [
      shape, " ", make("span", "note", [say("board.matrix.note", { note: sizeOf(symbols, box.turned) })]), " ", short,
      ...more] : [short, ...more, this.aside, " ", shape])]);
    title.title = stage.plain;
    title.onpointerenter = () => board.pointing.describe(stage);
    // a finger "leaves" as soon as it lifts: the description stays
    title.onpointerleave = ({ pointerType }) => pointerType === "touch" || board.pointing.explain();
    const { x, y, width, height } = board.titles[stage.name];
    Object.assign(title.style, { left: `${x}px`, top: `${y}px`, maxWidth: `${width}px`, height: `${height}px` });
    toggle(title, "two", height > board.layout.scale * HEADED);
    return title;
  }

  heads() {
    return headsOf(this.board, this.stage, this.box);
  }

  /** @param {number} row @param {number} column @returns {BoardCell} */
  cell(row, column) {
    const place = { matrix: this.stage.name, row, column };
    const called = placeInWords(this.board.trace, place);
    // One text node for the cell's life; only its characters change.
    const text = document.createTextNode("");
    const attributes = { role: "gridcell", tabindex: row + column === 0 ? "0" : "-1",
      "data-at": atOf(this.stage, place) };
    const cell = make("span", this.board.isEditable(place) ? "cell editable" : "cell", [text], attributes);
    colourByOwner(cell, this.stage, row, this.board.torch[this.stage.name].rows, this.box.turned);
    return Object.assign(cell, { called, text });
  }

  // Write only the cells whose number or colour changed. During a drag, a bar in each changed cell shows the change.
  paint() {
    const { board, stage, box } = this;
    const { columns } = board.shown[stage.name];
    const picked = isOfQueries(stage) ? board.query : -1;
    const how = this.how();
    this.cells.forEach((cell, at) => {
      const row = Math.floor(at / columns);
      this.paintCell(cell, row, at % columns,
        box.readable || (row === picked && !box.turned && box.cell >= LEGIBLE * board.layout.scale), how);
    });
  }

  // The only row with bars during a drag, the picked token's; null if all rows have them.
  get toldRow() {
    return this.isOfPicked(this.board.query) ? this.board.query : null;
  }

  // The largest change in this matrix during a drag, otherwise 0.
  get largestChange() {
    const { board, stage } = this;
    const before = board.base?.[stage.name];
    return before ? largestChange(board.shown[stage.name].values, before.values) : 0;
  }

  // The settings that all cells' looks depend on, besides their numbers, and how their changes are shown.
  how() {
    const { board, stage, toldRow: told, largestChange: largest } = this;
    const { decimals } = this;
    return { ofAll: `${board.limitOf(stage)},${decimals},${board.theme},`, told, largest, decimals };
  }

  /** @param {BoardCell} cell @param {number} row @param {number} column @param {boolean} legible
   *  @param {ReturnType<Grid["how"]>} how */
  paintCell(cell, row, column, legible, { ofAll, largest, told, decimals }) {
    const { board, stage } = this;
    const { values, columns } = board.shown[stage.name];
    const at = row * columns + column;
    const limit = board.limitOf(stage);
    const before = board.base?.[stage.name]?.values;
    const empty = Boolean(board.data.only) && board.isEmpty({ matrix: stage.name, row, column });
    const change = before && (told === null || told === row) ? changeOf(values[at], before[at], limit) : 0;
    const look = ofAll + (legible ? "legible" : "") + (empty ? "empty" : "");
    const anew = !isSame(cell.value, values[at], board.settled ? 0 : LAST_BITS);
    const bar = barOf(change, largest);
    if (!anew && cell.look === look && cell.change === change && (cell.bar ?? 0) === bar) return;
    Object.assign(cell, { value: values[at], look, empty, change });
    if (empty) delete cell.dataset.value;
    else cell.dataset.value = String(values[at]);
    const blank = values[at] === 0 || values[at] === -Infinity;
    cell.masked = blank && isMasked(board.trace, stage, row, column);
    const text = empty || !legible ? "" : cell.masked && values[at] === 0 ? "–" : this.text(values[at], decimals);
    if (cell.text.data !== text) {
      cell.text.data = text;
      this.fit(cell, text);
    }
    this.colour(cell, empty || cell.masked ? null : board.colours.of(stage.role, values[at], limit), change, bar);
    toggle(cell, "masked", cell.masked || (!empty && !Number.isFinite(values[at])));
    toggle(cell, "empty", empty);
    toggle(cell, "unread", !text);
  }

  // A number as its cell shows it.
  /** @param {number} value @param {number} digits */
  text(value, digits) {
    return inCell(value, digits, this.room, !this.isTight);
  }

  // The number of decimals that all visible numbers get: as many as the longest of them has room for.
  get decimals() {
    const { board: { digits, shown }, box, stage, toldRow, room } = this;
    if (!this.isTight) return digits;
    const now = shown[stage.name];
    const seen = (box.readable || toldRow === null ? now.values : lineOf(now, toldRow)).filter(Number.isFinite);
    const ends = [Math.min, Math.max].map((end) => seen.reduce((most, each) => end(most, each), 0));
    return Math.min(digits, ...ends.flatMap((end) => inCell(end, digits, room).split(".")[1]?.length ?? []));
  }

  // Whether cells are too narrow for all digits: they show as many as fit, and the dock shows all.
  get isTight() {
    return this.box.cell < READABLE.width * this.board.layout.scale;
  }

  // How many digits fit into a cell; in tight cells they have the smallest size.
  get room() {
    const width = this.box.cell / this.board.layout.scale;
    return this.isTight ? (width - TIGHT.around) / TIGHT.digit : Math.max(2, (width / 42) * ROOM);
  }

  // A cell's colours, and the bar of its change: from the middle to the right for an increase, to the left for a
  // decrease. The bar's gradient stands in cells.css: the first move of a drag gives half of all cells a bar, and
  // parsing a gradient for each would take longer than all the rest.
  /** @param {BoardCell} cell @param {{ paper: string, ink: string } | null} shade @param {number} _change
   *  @param {number} bar */
  colour(cell, shade, _change, bar) {
    const ink = shade?.ink ?? "";
    const paper = shade?.paper ?? "";
    if (cell.paper !== paper) cell.style.backgroundColor = cell.paper = paper;
    if (cell.ink !== ink) cell.style.color = cell.ink = ink;
    if ((cell.bar ?? 0) === bar) return;
    if (bar) Object.assign(cell.style,
      { backgroundPosition: besideMiddle(bar), backgroundSize: `${Math.abs(bar)}% 3px` });
    if (bar) cell.dataset.changed = "";
    else delete cell.dataset.changed;
    cell.bar = bar;
  }

  // Smaller type for a number that is too long for its cell, so that nothing moves when a number gets longer.
  /** @param {BoardCell} cell @param {string} text */
  fit(cell, text) {
    const [digits, whole] = [widthOf(text), this.isTight ? TIGHT.size : 100];
    const size = digits > this.room ? `${Math.floor((10 * whole * this.room) / digits) / 10}%`
      : this.isTight ? `${whole}%` : "";
    if (cell.size !== size) cell.style.fontSize = cell.size = size;
  }

  // Highlight the cells that an input feeds, the cells that the chosen cell is computed from, and the chosen cell.
  /** @param {Uint8Array | undefined} fed @param {Span[]} sources @param {Place | null} chosen */
  light(fed, sources, chosen) {
    const { columns } = this.board.torch[this.stage.name];
    /** @type {Map<BoardCell, string>} */
    const lit = new Map();
    if (fed) this.cells.forEach((cell, at) => fed[at] && lit.set(cell, "fed"));
    for (const span of sources) {
      for (let row = span.row; row < span.row + span.rows; row += 1) {
        const from = row * columns + span.column;
        for (const cell of this.cells.slice(from, from + span.columns)) lit.set(cell, "source");
      }
    }
    if (chosen) lit.set(this.cells[chosen.row * columns + chosen.column], "chosen");
    markAll(this.lit, lit, MARKS);
    this.lit = new Set(lit.keys());
  }

  /** @param {Place} place @returns {BoardCell | undefined} */
  cellAt({ row, column }) {
    return this.cells[row * this.board.torch[this.stage.name].columns + column];
  }

  focus(/** @type {Place} */ place) {
    const cell = this.cellAt(place);
    if (!cell) return;
    for (const other of this.cells) if (other.tabIndex === 0 && other !== cell) other.tabIndex = -1;
    cell.tabIndex = 0;
    cell.focus();
  }

  // A cell's place on the screen and its font size, for the box to type into.
  boxOf(/** @type {Place} */ place) {
    const cell = this.cellAt(place);
    return cell ? { box: cell.getBoundingClientRect(), letters: getComputedStyle(cell).fontSize } : null;
  }

  // Update what waits until a drag ends: marks, and labels for screen readers.
  mark() {
    const { board, stage } = this;
    const { columns, values } = board.shown[stage.name];
    const given = stage.rule === "given"; // only given numbers can be edited
    toggle(this.matrix, "fresh", Boolean(board.data.fresh?.includes(stage.name)));
    this.showAges();
    this.showAside();
    this.cells.forEach((cell, at) => {
      const row = Math.floor(at / columns);
      if (given) toggle(cell, "edited", board.isEdited({ matrix: stage.name, row, column: at % columns }));
      toggle(cell, "query", this.isOfPicked(row));
      const age = ageOf(board.data, stage.name, row);
      const said = `${values[at]},${board.data.digits},${cell.masked},${cell.empty},${age}`;
      if (cell.said === said) return;
      cell.said = said;
      const value = cell.empty ? say("board.matrix.empty") : cell.masked ? say("board.matrix.masked")
        : written(values[at], board.data.digits);
      const label = inLabel(cell.called, value, age);
      if (cell.label !== label) cell.setAttribute("aria-label", (cell.label = label));
    });
  }

  // While a model writes on, each cell of a token's row has a mark: computed now, computed at an earlier step, or read
  // from the cache. Several small cells share one mark.
  showAges() {
    const { box, stage, board: { data } } = this;
    const { rows } = this.board.torch[stage.name];
    const old = data.ages?.of[stage.name] ? Math.min(data.ages.from, rows) : 0;
    const size = box.turned ? box.cell : box.row;
    this.ages.forEach((element, at) => {
      const [from, to] = at ? [old, rows] : [0, old];
      const age = ageOf(data, stage.name, from);
      element.className = `age ${age}`;
      toggle(element, "hidden", from >= to || !age);
      Object.assign(element.style, {
        inset: box.turned ? `0 auto 0 ${from * size}px` : `${from * size}px 0 auto 0`,
        [box.turned ? "width" : "height"]: `${(to - from) * size}px`,
      });
    });
    this.element.style.setProperty("--across", `${Math.max(LEAST_MARKED, box.cell)}px`);
    this.element.style.setProperty("--down", `${Math.max(LEAST_MARKED, box.row)}px`);
  }

  // The remark beside the title: what grey means, or that rounded attention weights don't add up.
  showAside() {
    const told = asideOf(this.board, this.stage, this.cells);
    setText(this.aside, told);
    toggle(this.aside, "hidden", !told);
  }

  // Whether highlighted cells keep up with a drag.
  get lights() {
    return true;
  }

  // Mark the row of the followed token, whose numbers show even if the other rows are too low for theirs.
  markRow() {
    const { columns } = this.board.shown[this.stage.name];
    this.cells.forEach((cell, at) => toggle(cell, "query", this.isOfPicked(Math.floor(at / columns))));
    if (!this.box.readable && this.box.cell >= LEGIBLE * this.board.layout.scale) this.paint();
  }

  isOfPicked(/** @type {number} */ row) {
    const { stage } = this;
    return isOfQueries(stage) && row === this.board.query
      && this.board.layout.columns.some((column) => column.stage === stage);
  }
}

// Names above the columns: tokens above keys, and names of features if they have any. On the spine, tokens without room
// side by side alternate between two lines; so do features in narrow columns anywhere.
/** @param {Board} board @param {Stage} stage @param {Box} box */
export function headsOf(board, stage, box) {
  const { data: { keys, isCurrent }, layout: { scale, start } } = board;
  const byKey = stage.columns === "key";
  const mixed = byKey && areOfOthers(stage);
  const names = byKey ? keys.map((_, at) => keys[ownerOf(stage, at, keys.length)]) : board.featuresOf(stage);
  const over = byKey && box.y === start;
  if (!names.length || box.cell < (over ? ON_ITS_SIDE * scale : HEADED)) return [];
  const asks = stage.name === "attention_weights" && isCurrent && !mixed;
  const widths = widthsOf(names, board);
  const more = beyond(widths, box.cell, LETTER * scale);
  const free = (/** @type {number} */ at) => box.cell + 2 * more[at];
  const two = over ? widths.some((width, at) => width - 1 > free(at)) : !byKey && inTwoLines(box, scale);
  const height = (two ? LINE : HEADS) * scale;
  const places = two ? inTwo(widths, box) : null;
  return names.flatMap((name, at) => {
    const place = places?.[at];
    if (place === null) return [];
    // on the cells, the key R does the same
    const title = asks ? say("board.sentence.readers_of", { token: name }) : name;
    const head = make("span", "head", [name], { title, ...UNSEEN });
    if (asks) head.dataset.key = String(at);
    if (mixed) colourAs(head, ownerOf(stage, at, names.length));
    head.style.lineHeight = `${height}px`;
    const inside = at % (names.length - 1);
    const aside = inside ? 0 : (at ? more[at - 1] : -more[1]) || 0;
    const width = place ? widths[at] : free(at);
    const x = place ? place.x : (at + 0.5) * box.cell - width / 2 + aside / 2;
    put(head, { x: box.x + x, y: box.y - (place?.upper ? 2 : 1) * height - scale, width, height });
    return [head];
  });
}

// Whether the matrix has a row for each query, and so one for the followed token.
function isOfQueries(/** @type {Stage} */ stage) {
  return stage.rows !== "feature" && !isOfOthers(stage);
}

// Whether a cell shows its number already. The page's own numbers may differ from torch's in the last bits, which isn't
// worth a redraw.
/** @param {number | undefined} shown @param {number} value @param {number} within */
function isSame(shown, value, within) {
  return Object.is(shown, value) || (shown !== undefined && Math.abs(value - shown) <= within * Math.abs(value));
}

// Widths of names in pixels, including the room between two.
/** @param {string[]} names @param {Pick<Board, "layout" | "root">} board */
export function widthsOf(names, { layout: { scale }, root }) {
  const canvas = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  canvas.font = `${LEAST}px ${getComputedStyle(root).fontFamily}`;
  return names.map((name) => (canvas.measureText(name).width + AROUND) * scale);
}
