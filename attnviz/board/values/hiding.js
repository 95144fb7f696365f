// Why a mask hides a cell, told by the mask alone: core/rules/hiding.py.

import { valueAt } from "./matrices.js";

/** @import { Matrix } from "../types.js" */

/**
 * `n` are the tokens of a window; keys that are `others`, of another sentence, are neither before nor behind a query.
 * @param {Matrix} mask @param {number} row @param {number} column @param {boolean} others @returns {{ key: string, n: number }}
 */
export function reasonOf(mask, row, column, others) {
  const { rows, columns } = mask;
  const hides = (/** @type {number} */ r, /** @type {number} */ c) => valueAt(mask, r, c) === -Infinity;
  /** @param {(row: number, column: number) => boolean} holds */
  const everywhere = (holds) => {
    for (let r = 0; r < rows; r += 1) for (let c = 0; c < columns; c += 1) if (!holds(r, c)) return false;
    return true;
  };
  if (everywhere((r, c) => c !== column || hides(r, c))) return { key: "nobody", n: 0 };
  if (others) return { key: "painted", n: 0 };
  if (column > row && everywhere((r, c) => c <= r || hides(r, c))) return { key: "later", n: 0 };
  if (column === row && everywhere((r, c) => c !== r || hides(r, c))) return { key: "itself", n: 0 };
  if (row > column) {
    let n = row - column;
    everywhere((r, c) => {
      if (c <= r && hides(r, c)) n = Math.min(n, r - c);
      return true;
    });
    if (everywhere((r, c) => hides(r, c) === (c > r || r - c >= n))) return { key: "window", n };
  }
  return { key: "painted", n: 0 };
}
