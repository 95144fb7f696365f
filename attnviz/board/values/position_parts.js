// The four parts of one score where positions are added: core/rules/position_parts.py.

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
  const first = q.summands.map((name) => rowOf(cell, name, cell.row, q.w));
  const second = k.summands.map((name) => rowOf(cell, name, cell.column, k.w));
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
  return [...sum.sources, w].every((each) => matrices[each]) ? { summands: sum.sources, w } : null;
}

/** @param {MadeCell} cell @param {string} name @param {number} row @param {string} by */
function rowOf({ made: { matrices } }, name, row, by) {
  const [vectors, w] = [matrices[name], matrices[by]];
  return Array.from({ length: w.columns }, (_, column) => total(Array.from({ length: w.rows }, (__, i) => valueAt(vectors, row, i) * valueAt(w, i, column))));
}
