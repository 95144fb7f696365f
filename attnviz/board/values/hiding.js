// Why a mask hides a cell: as its kind says, or where that is not known, told by the mask alone. See core/masks.py.

import { valueAt } from "./matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix } from "../types.js" */

// Why a mask hides a cell, in words.
/** @param {MadeCell} cell */
export function whyHidden({ made, stage, row, column, ofRow, ofColumn }) {
  const { key, n } = reasonOf(made.matrices[stage.sources[1]], row, column, stage.own_from);
  return say(`explanation.hidden.${key}`, { key: ofColumn, query: ofRow, n });
}

/**
 * `n` are the tokens of a window. The first query's own key is `from`, and those before it were kept; where it's null,
 * keys are of another sentence, and neither before nor behind a query.
 * @param {Matrix} mask @param {number} row @param {number} column @param {number | null} from @returns {{ key: string, n: number }}
 */
function reasonOf(mask, row, column, from) {
  const { rows, columns } = mask;
  const hides = (/** @type {number} */ r, /** @type {number} */ c) => valueAt(mask, r, c) === -Infinity;
  /** @param {(row: number, column: number) => boolean} holds */
  const everywhere = (holds) => {
    for (let r = 0; r < rows; r += 1) for (let c = 0; c < columns; c += 1) if (!holds(r, c)) return false;
    return true;
  };
  if (everywhere((r, c) => c !== column || hides(r, c))) return { key: "nobody", n: 0 };
  if (mask.whys) {
    const holds = (/** @type {Float64Array} */ cells) => cells.every((own, at) => !own || mask.values[at] === -Infinity);
    return mask.whys.find(({ cells, placed }) => !(placed && from === null) && cells[row * columns + column] && holds(cells)) ?? { key: "painted", n: 0 };
  }
  if (from === null) return { key: "painted", n: 0 };
  const before = (/** @type {number} */ r, /** @type {number} */ c) => from + r - c;
  if (before(row, column) < 0 && everywhere((r, c) => before(r, c) >= 0 || hides(r, c))) return { key: "later", n: 0 };
  if (before(row, column) === 0 && everywhere((r, c) => before(r, c) !== 0 || hides(r, c))) return { key: "itself", n: 0 };
  if (before(row, column) > 0) {
    let n = before(row, column);
    everywhere((r, c) => {
      if (before(r, c) >= 0 && hides(r, c)) n = Math.min(n, before(r, c));
      return true;
    });
    if (everywhere((r, c) => hides(r, c) === (before(r, c) < 0 || before(r, c) >= n))) return { key: "window", n };
  }
  return { key: "painted", n: 0 };
}
