// Bars for what a change that is held does to a large matrix, of which each cell is a pixel: one in each changed cell, as
// far as cells have room for one.

import { changeOf } from "./grid.js";
import { rectOf } from "./pixels.js";

/** @import { Matrix } from "../types.js" */
/** @import { Box } from "../spine/types.js" */
/** @import { Lens } from "./pixels.js" */

const ROOM = 4; // pixels that a cell has each way
const HIGH = 2;
const LEAST = 0.12; // of a cell's width: a change that is there is seen

/**
 * Draw a bar for each cell that has another number than before: to the right for more and to the left for less, from the
 * middle. The row in the lens has its own where it has numbers; what is under the lens has none.
 * @param {CanvasRenderingContext2D} context @param {Matrix} matrix @param {ArrayLike<number>} before
 * @param {{ box: Box, limit: number, lens: Lens | null, numbers: boolean, inkOf: (value: number) => string }} how
 */
export function drawBars(context, { rows, columns, values }, before, { box, limit, lens, numbers, inkOf }) {
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  if (box.cell < ROOM || box.row < ROOM) return;
  /** @type {Record<string, Path2D>} */
  const paths = {};
  for (let row = 0, at = 0; row < rows; row += 1) {
    const [top, bottom] = [row * box.row, (row + 1) * box.row];
    const covered = lens && !box.turned && (row === lens.row ? numbers : bottom > lens.top && top < lens.top + lens.height);
    for (let column = 0; column < columns; column += 1, at += 1) {
      const change = covered ? 0 : changeOf(values[at], before[at], limit);
      if (!change || !Number.isFinite(change)) continue;
      const cell = rectOf({ row, column, rows: 1, columns: 1 }, box, lens);
      const length = cell.width * Math.min(0.5, Math.max(LEAST, Math.abs(change) / limit));
      const middle = cell.left + cell.width / 2;
      const path = (paths[inkOf(values[at])] ??= new Path2D());
      path.rect(change > 0 ? middle : middle - length, cell.top + cell.height - HIGH - 1, length, HIGH);
    }
  }
  for (const [ink, path] of Object.entries(paths)) {
    context.fillStyle = ink;
    context.fill(path);
  }
}
