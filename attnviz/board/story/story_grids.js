// The grids of one word's story: most matrices can show single rows, and attention weights are bars.

import { inCell } from "../cells/cell.js";
import { make, toggle } from "../cells/elements.js";
import { Grid } from "../cells/grid.js";
import { percent, written } from "../values/numbers.js";
import { PERCENT } from "./story_layout.js";

const LETTER = 6.8; // pixels: the width of a digit of 12 pixels
// A bar's colour is at least this part of the full one, for a contrast of 3 to 1 with the page. Its height shows the
// share, which in a cell only the shade shows.
const PALEST = 0.5;
const UNIT = 34; // pixels: a narrower bar has no room for the percent sign

// A whole matrix, whose name stands in the title of its part.
export class StoryGrid extends Grid {
  titled() {
    return make("div");
  }

  heads() {
    return [];
  }

  // Digits don't get too small to be read: a number gives up some of them instead. The dock has them all.
  /** @param {number} value @param {number} digits */
  text(value, digits) {
    return this.box.readable ? inCell(value, digits, (this.box.cell - 2) / LETTER) : "";
  }

  fit() {}
}

// A matrix of which single rows are shown.
export class RowGrid extends StoryGrid {
  /** @param {Board} board @param {string} name @param {Box} box */
  constructor(board, name, box) {
    super(board, name, box);
    const { columns } = board.torch[name];
    /** @type {NodeListOf<HTMLElement>} */
    this.lines = this.element.querySelectorAll(".line");
    /** @type {HTMLElement[]} */
    this.around = []; // names over rows, and the grids that hold rows in other places
    this.element.removeAttribute("style");
    this.element.classList.add("rows");
    for (const { style } of this.lines) style.gridTemplateColumns = `repeat(${columns}, ${box.cell}px)`;
    this.setHigh(box.row);
  }

  setHigh(/** @type {number} */ row) {
    for (const { style } of this.lines) style.setProperty("--row", `${row}px`);
  }

  // Show the row `own`, and `others` with their names above them, perhaps in other places. Tab leads to the first cell
  // of `own`.
  /** @param {number} own @param {{ row: number, name: string, place: HTMLElement | null }[]} others */
  putRows(own, others) {
    const { lines, element, stage, board } = this;
    element.append(...[...lines].filter((line) => line.parentElement !== element));
    for (const each of this.around) each.remove();
    lines.forEach((line, row) => {
      line.hidden = row !== own && !others.some((other) => other.row === row);
      line.style.order = row === own ? "-1" : "";
    });
    for (const cell of this.cells) cell.tabIndex = -1;
    this.cells[own * board.torch[stage.name].columns].tabIndex = 0;
    this.around = others.map(({ row, name, place }) => {
      const whose = make("span", "whose", [name]);
      lines[row].before(whose);
      if (!place) return whose;
      const [label, keys] = ["label", "keyshortcuts"].map((each) => element.getAttribute(`aria-${each}`) ?? "");
      const grid = make("div", `grid rows role-${stage.role}`, [whose, lines[row]],
        { role: "grid", "aria-label": label, "aria-keyshortcuts": keys });
      place.append(grid);
      return grid;
    });
  }
}

// Shares as bars, each with its percentage below it.
export class BarGrid extends RowGrid {
  /** @param {Board} board @param {string} name @param {Box} box */
  constructor(board, name, box) {
    super(board, name, { ...box, readable: true });
    this.bars = 0; // pixels: the height of the highest bar
    this.top = 1;
    this.element.classList.add("bars");
  }

  setBars(/** @type {number} */ bars) {
    this.bars = bars;
    this.setHigh(bars + PERCENT);
  }

  // The share `top` belongs to a bar of the height `bars`. It stays the same during a drag, unless a bar outgrows it.
  paint() {
    const { board, stage } = this;
    const { columns, values } = board.shown[stage.name];
    const row = values.subarray(board.query * columns, (board.query + 1) * columns);
    const top = Math.max(board.limitOf(stage), ...[...row].filter(Number.isFinite));
    if (top !== this.top) for (const cell of this.cells) cell.look = undefined;
    this.top = top;
    super.paint();
  }

  text(/** @type {number} */ value) {
    if (!Number.isFinite(value)) return written(value, 0);
    return this.box.cell < UNIT ? percent(value).replace(/\s*%$/, "") : percent(value);
  }

  // Draw a bar; during a drag, with a line where it ended before.
  /** @param {BoardCell} cell @param {Shade | null} shade @param {number} change */
  colour(cell, shade, change) {
    const { board, stage } = this;
    const limit = board.limitOf(stage);
    const share = shade ? (cell.value ?? 0) : 0;
    const paled = board.colours.of(stage.role, Math.max(share, PALEST * limit), limit)?.paper;
    const bar = share > 0 ? layer(paled ?? "", 0, this.heightOf(share)) : "";
    const before = change && Number.isFinite(change) ? layer("currentcolor", this.heightOf(share - change), 2) : "";
    const paper = [before, bar].filter(Boolean).join(", ");
    if (cell.paper !== paper) cell.style.background = cell.paper = paper;
    const changed = Boolean(before);
    if ((cell.dataset.changed === "") !== changed) cell.toggleAttribute("data-changed", changed);
    toggle(cell, "none", share === 0);
  }

  // The height of a share's bar: at least one pixel, so that it's seen if it isn't 0.
  heightOf(/** @type {number} */ share) {
    return share > 0 ? Math.max(1, Math.min(this.bars - 2, Math.round((share / this.top) * this.bars))) : 0;
  }
}

// A block of colour above the percentages, as a CSS background.
/** @param {string} colour @param {number} from @param {number} height */
function layer(colour, from, height) {
  const place = `50% calc(100% - var(--percent) - ${from}px) / calc(100% - 4px) ${height}px`;
  return `linear-gradient(${colour}, ${colour}) ${place} no-repeat`;
}
