// The four parts of one score where positions are added: core/rules/explaining/position_parts.py.

import { total } from "./numbers.js";
import { valueAt } from "./matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell } from "../types.js" */

// What words and places have in a score of queries and keys that are made of a sum E + P, without biases; null of any other cell.
/** @param {MadeCell} cell @returns {string | null} */
export function fourParts(cell) {
  const { sources } = cell.made.stages.get(cell.stage.name);
  if (sources.length !== 2) return null;
  const [q, k] = sources.map((name) => madeOf(cell, name));
  if (!q || !k || q.summands.join() !== k.summands.join()) return null;
  const first = q.summands.map((name) => rowOf(cell, name, cell.row, q));
  const second = k.summands.map((name) => rowOf(cell, name, cell.column, k));
  const numbers = first.flatMap((one) => second.map((other) => cell.write(total(one.map((value, i) => value * other[i])))));
  const [ww, wp, pw, pp] = numbers;
  return say("explanation.product.parts", { ww, wp, pw, pp });
}

// What the X that queries or keys are made of is the sum of, and the W that they are made with.
/** @param {MadeCell} cell @param {string} name */
function madeOf({ made: { stages, matrices } }, name) {
  const stage = stages.get(name);
  if (!stage || stage.rule !== "product" || stage.sources.length !== 2) return null;
  const [x, w] = stage.sources;
  const sum = stages.get(x);
  if (!sum || sum.rule !== "add" || !sum.sources.includes("p")) return null;
  return [...sum.sources, w].every((each) => matrices[each]) ? { summands: sum.sources, w, transposed: Boolean(stage.settings.transposed) } : null;
}

/** @param {MadeCell} cell @param {string} name @param {number} row @param {{ w: string, transposed: boolean }} by */
function rowOf({ made: { matrices } }, name, row, { w: by, transposed }) {
  const [vectors, w] = [matrices[name], matrices[by]];
  const at = (/** @type {number} */ i, /** @type {number} */ column) => (transposed ? valueAt(w, column, i) : valueAt(w, i, column));
  return Array.from({ length: transposed ? w.rows : w.columns }, (_, column) => total(Array.from({ length: vectors.columns }, (__, i) => valueAt(vectors, row, i) * at(i, column))));
}
