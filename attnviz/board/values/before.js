// The numbers that changed cells had before they were changed.

import { valueAt } from "./matrices.js";
import { addressOf } from "../places.js";

/** @import { Edit, Matrices } from "../types.js" */

// What Python sends once it has answered these edits too: `before` are the numbers that it sent last, `torch` the
// matrices, in which a cell that isn't in `before` has the number that it had from the start.
/** @param {Record<string, number | string>} before @param {Matrices} torch @param {Iterable<Edit>} edits */
export function beforeEdits(before, torch, edits) {
  const after = { ...before };
  for (const { matrix, row, column, value } of edits) {
    const address = addressOf({ matrix, row, column });
    if (value === null) delete after[address];
    else after[address] ??= valueAt(torch[matrix], row, column);
  }
  return after;
}
