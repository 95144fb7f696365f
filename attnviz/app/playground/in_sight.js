// After a click on a heatmap's cell its explanation opens at the lower edge of the window. Where it would cover that
// cell, the page scrolls until the cell stands above it.

const GAP = 8; // pixels between the cell and the explanation
const LOOKS = 15; // the explanation grows, and the heatmaps are drawn anew, within about so many looks
const PAUSE = 100; // ms between them

/** @import { Drawing } from "../../scripts/types.js" */

/** @typedef {{ cell: string, matrix: string, row: number }} Data the address of the picked cell, if there is one, and its place */

/** @type {WeakMap<object, string>} */
const shown = new WeakMap();

/** @param {Drawing<Data>} drawing */
export default function keepInSight({ parentElement, data }) {
  const before = shown.get(parentElement);
  shown.set(parentElement, data.cell);
  if (before === undefined || before === data.cell || !data.cell) return;
  look(data, LOOKS);
}

/** @param {Data} cell @param {number} left */
function look(cell, left) {
  const scrolled = uncover(document, cell);
  if (left > 0) setTimeout(() => look(cell, left - 1), scrolled ? 2 * PAUSE : PAUSE);
}

// Scroll as far as the cell is covered; say whether it was.
/** @param {ParentNode} page @param {Data} cell */
function uncover(page, { matrix, row }) {
  const panel = page.querySelector(".st-key-picked_cell");
  /** @type {HTMLElement & { _fullLayout?: any } | null} */
  const plot = page.querySelector(`.st-key-playground-${matrix} .js-plotly-plot`);
  const main = page.querySelector("[data-testid=stMain]");
  const axis = plot?._fullLayout?.yaxis;
  if (!panel || !main || !axis) return false;
  const bottom = plot.getBoundingClientRect().top + axis._offset + axis.l2p(row + 0.5);
  const covered = bottom + GAP - panel.getBoundingClientRect().top;
  if (covered <= 0 || bottom > innerHeight) return false;
  main.scrollBy(0, covered);
  return true;
}
