// The four parts of one score where positions are added: core/rules/product.py.

import { total } from "./numbers.js";
import { valueAt } from "./matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell } from "../types.js" */

// What words and places have in a score of queries and keys that are made of a sum E + P, without biases; null of any
// other cell. Where a sentence was kept, the first keys are made of a sum of its own.
/** @param {MadeCell} cell @returns {string | null} */
export function fourParts(cell) {
  const { sources } = cell.made.stages.get(cell.stage.name);
  if (sources.length !== 2) return null;
  const [first, second] = [cell.row, cell.column].map((row, i) => partsOf(cell, sources[i], row));
  if (!first || !second) return null;
  const numbers = first.flatMap((one) => second.map((other) => cell.write(total(one.map((value, i) => value * other[i])))));
  const [ww, wp, pw, pp] = numbers;
  return say("explanation.product.parts", { ww, wp, pw, pp });
}

// What the word and the place of a row have in a query or a key; null where it isn't made of their sum.
/** @param {MadeCell} cell @param {string} name @param {number} row @returns {number[][] | null} */
function partsOf(cell, name, row) {
  const stage = cell.made.stages.get(name);
  if (!stage || stage.rule !== "product" || stage.sources.length !== 2) return null;
  const [x, w] = stage.sources;
  const summands = summandsOf(cell, x, row);
  if (!summands || !cell.made.matrices[w]) return null;
  return summands.map((summand) => rowTimes(cell, summand, { w, transposed: Boolean(stage.settings.transposed) }));
}

/** @typedef {{ name: string, row: number }} Summand */

// The rows whose sum a row of this matrix is, of a word and of its place; null where it is no such sum.
/** @param {MadeCell} cell @param {string} name @param {number} row @returns {Summand[] | null} */
function summandsOf(cell, name, row) {
  const { stages, matrices } = cell.made;
  const stage = stages.get(name);
  if (!stage || !stage.sources.every((each) => matrices[each])) return null;
  if (stage.rule === "add") {
    return stage.sources.some((each) => ["p", "p_y"].includes(each)) ? stage.sources.map((each) => ({ name: each, row })) : null;
  }
  if (stage.rule !== "concatenate") return null;
  let at = row;
  for (const source of stage.sources) {
    if (at < matrices[source].rows) return summandsOf(cell, source, at);
    at -= matrices[source].rows;
  }
  return null;
}

/** @param {MadeCell} cell @param {Summand} summand @param {{ w: string, transposed: boolean }} by @returns {number[]} */
function rowTimes({ made: { matrices } }, { name, row }, { w: by, transposed }) {
  const [vectors, w] = [matrices[name], matrices[by]];
  const at = (/** @type {number} */ i, /** @type {number} */ column) => (transposed ? valueAt(w, column, i) : valueAt(w, i, column));
  return Array.from({ length: transposed ? w.rows : w.columns }, (_, column) => total(Array.from({ length: vectors.columns }, (__, i) => valueAt(vectors, row, i) * at(i, column))));
}
