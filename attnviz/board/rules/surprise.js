// Minus the logarithm of the softmax at what really comes next: core/rules/surprise.py.

import { tolerance } from "../values/bounds.js";
import { lineOf, matrixOf } from "../values/matrices.js";
import { total } from "../values/numbers.js";
import { CONSTANTS } from "../../scripts/sent.js";

/** @import { Matrix, Settings } from "../types.js" */

/** @param {Settings} settings @param {Matrix} logits */
export function compute({ targets }, logits) {
  return matrixOf(targets.length, 1, (row) => surprise(lineOf(logits, row), targets[row]).exact);
}

// Of a row of logits: what is subtracted from each, their exps then, the logarithm of their sum, and what comes out.
/** @param {ArrayLike<number>} line @param {number} target */
function surprise(line, target) {
  const values = Array.from(line);
  const largest = Math.max(...values);
  const shift = Math.abs(largest) <= CONSTANTS.READABLE ? 0 : largest;
  const powers = values.map((value) => Math.exp(value - shift));
  const sum = total(powers);
  const summed = sum > 0 ? Math.log(sum) : NaN;
  return { shift, powers, summed, exact: summed - (values[target] - shift) };
}

/** @param {Settings} settings @param {number} row @param {number} _ @param {Matrix} logits */
export function bounded({ targets }, row, _, logits) {
  const line = Array.from(lineOf(logits, row));
  const isUndefined = line.some((value) => Number.isNaN(value) || value === Infinity);
  const finite = line.filter((value) => value > -Infinity).map(Math.abs);
  const size = isUndefined ? Infinity : 4 * Math.max(0, ...finite) + line.length + 8;
  return { exact: surprise(line, targets[row]).exact, tolerance: tolerance(size, 2) };
}
