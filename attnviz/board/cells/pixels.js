// A large matrix as pixels, one for each cell, and which cell of it a point of the screen is.

import { stepOf } from "./colours.js";

/** @import { Matrix, Span } from "../types.js" */
/** @import { Box } from "../spine/types.js" */

/**
 * Paint each cell; what is no number, or hidden, stays open, and what is hatched behind it is seen.
 * @param {Uint32Array} pixels @param {Matrix} matrix
 * @param {{ turned: boolean, limit: number, inks: Uint32Array, negative: Uint32Array, hidden: ((row: number, column: number) => boolean) | null }} how
 */
export function paintPixels(pixels, { rows, columns, values }, { turned, limit, inks, negative, hidden }) {
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, at += 1) {
      const value = values[at];
      const open = !Number.isFinite(value) || (value === 0 && hidden?.(row, column));
      pixels[turned ? column * rows + row : at] = open ? 0 : (value < 0 ? negative : inks)[stepOf(value, limit)];
    }
  }
}

/** @typedef {{ row: number, top: number, height: number }} Lens a row that is drawn higher than the others, over them */

/**
 * The cell at a point of a matrix's box, as shares of its width and height; in the lens, one of its row.
 * @param {number} right @param {number} down @param {Pick<Matrix, "rows" | "columns">} matrix
 * @param {Box} box @param {Lens | null} lens @returns {{ row: number, column: number }}
 */
export function cellAt(right, down, { rows, columns }, { turned, height }, lens) {
  const [across, along] = turned ? [rows, columns] : [columns, rows];
  const index = (/** @type {number} */ share, /** @type {number} */ count) => Math.min(count - 1, Math.max(0, Math.floor(share * count)));
  const [x, y] = [index(right, across), index(down, along)];
  if (turned) return { row: x, column: y };
  const inLens = lens && down * height >= lens.top && down * height < lens.top + lens.height;
  return { row: inLens ? lens.row : y, column: x };
}

// Where cells are in their matrix's box, in pixels; a row that is in the lens is there.
/** @param {Span} span @param {Box} box @param {Lens | null} lens */
export function rectOf({ row, column, rows, columns }, { cell, row: high, turned }, lens) {
  if (turned) return { left: row * cell, top: column * high, width: rows * cell, height: columns * high };
  const inLens = lens && rows === 1 && row === lens.row;
  return { left: column * cell, width: columns * cell, top: inLens ? lens.top : row * high, height: inLens ? lens.height : rows * high };
}
