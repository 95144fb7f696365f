// The cells of one word's story: of most matrices a row can be shown by itself, and attention weights are bars.

import { inCell } from "../cells/cell.js";
import { make, put, toggle } from "../cells/elements.js";
import { Grid } from "../cells/grid.js";
import { percent, written } from "../values/numbers.js";

const LETTER = 6.8; // the width of a digit of 12 pixels
const UNIT = 34; // a bar narrower than this has no room for the sign for percent

/** @param {Cells} cells @param {boolean} turned @returns {Box} */
export function boxOf({ x, y, width, height, cell, row, readable }, turned) {
  return { x, y, width, height, cell, row, readable, turned };
}

// A whole matrix, whose name stands in its part's title.
export class StoryGrid extends Grid {
  titled() {
    return make("div");
  }

  heads() {
    return [];
  }

  // No letter gets smaller than the smallest that can be read: a number gives up digits, which the dock has.
  /** @param {number} value @param {number} digits */
  text(value, digits) {
    return this.box.readable ? inCell(value, digits, (this.box.cell - 2) / LETTER) : "";
  }

  fit() {}

  put(/** @type {Cells | null} */ cells) {
    this.matrix.hidden = !cells;
    if (cells) put(this.element, cells);
  }
}

// A matrix whose rows stand by themselves.
export class RowGrid extends StoryGrid {
  build(/** @type {Matrix} */ matrix) {
    super.build(matrix);
    this.element.removeAttribute("style");
    this.element.classList.add("rows");
    this.element.style.setProperty("--row", `${this.box.row}px`);
  }

  get lines() {
    return [...this.element.children].filter((line) => line instanceof HTMLElement);
  }

  // Show these rows and no others; the first of them is the one that Tab leads to.
  putRows(/** @type {Map<number, Cells>} */ rows) {
    const { columns } = this.board.torch[this.stage.name];
    const first = [...rows.keys()][0];
    this.lines.forEach((line, row) => {
      const cells = rows.get(row);
      line.hidden = !cells;
      if (cells) put(line, cells);
      if (cells) line.style.gridTemplateColumns = `repeat(${columns}, ${cells.cell}px)`;
      for (const cell of this.cells.slice(row * columns, (row + 1) * columns)) cell.tabIndex = -1;
    });
    if (first !== undefined) this.cells[first * columns].tabIndex = 0;
  }
}

// Shares as bars, each with its percent below it.
export class BarGrid extends RowGrid {
  /** @param {Board} board @param {string} name @param {Box} box @param {number} bars */
  constructor(board, name, box, bars) {
    super(board, name, { ...box, readable: true });
    this.bars = bars;
    this.top = 1;
    this.element.classList.add("bars");
  }

  // The share as high as the bars' room: it stands still while a number is dragged, as long as no bar outgrows it.
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

  // A line stands where the bar ended before a change that is held.
  /** @param {BoardCell} cell @param {Shade | null} shade @param {number} change */
  colour(cell, shade, change) {
    const share = shade ? (cell.value ?? 0) : 0;
    const bar = share > 0 ? layer(shade?.paper ?? "", 0, this.heightOf(share)) : "";
    const before = change && Number.isFinite(change) ? layer("currentcolor", this.heightOf(share - change), 2) : "";
    const paper = [before, bar].filter(Boolean).join(", ");
    if (cell.paper !== paper) cell.style.background = cell.paper = paper;
    const changed = Boolean(before);
    if ((cell.dataset.changed === "") !== changed) cell.toggleAttribute("data-changed", changed);
    toggle(cell, "none", share === 0);
  }

  // A share that is there is seen.
  heightOf(/** @type {number} */ share) {
    return share > 0 ? Math.max(1, Math.min(this.bars - 2, Math.round((share / this.top) * this.bars))) : 0;
  }
}

// A block of a colour over the percents, as a background.
/** @param {string} colour @param {number} from @param {number} height */
function layer(colour, from, height) {
  const place = `50% calc(100% - var(--percent) - ${from}px) / calc(100% - 4px) ${height}px`;
  return `linear-gradient(${colour}, ${colour}) ${place} no-repeat`;
}

// The sentence over a story.

// The words in lines, above what the picked one reads.
/** @param {Board} board @param {StoryLayout} layout */
export function putSentence({ sentence, root }, { chips, read, tools, says, width, low }) {
  toggle(root, "low", low);
  const places = [...sentence.chips.map((chip, at) => ({ chip, place: chips[at] })),
    ...sentence.read.chips.map((chip, at) => ({ chip, place: read[at] }))];
  for (const { chip, place } of places) {
    chip.hidden = !place;
    chip.style.fontSize = "";
    if (place) put(chip, place);
  }
  put(sentence.strip, { x: 0, y: 0, width, height: says.y });
  put(sentence.tools.element, tools);
  sentence.tools.element.style.right = "";
  // What is read has so much room; where more is said, the parts give way.
  Object.assign(sentence.says.style, { left: "", top: "", width: "", maxHeight: "none",
    minHeight: root.classList.contains("newcomer") ? "" : `${says.height}px` });
  Object.assign(sentence.element.style, { height: "", paddingTop: `${says.y}px` });
}
