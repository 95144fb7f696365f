// Each row over its sum, without a softmax: core/rules/share.py.

import { tolerance } from "../values/bounds.js";
import { lineOf } from "../values/matrices.js";
import { total } from "../values/numbers.js";

/** @import { Matrix, Settings } from "../types.js" */

/** @param {Settings} _ @param {Matrix} scores @param {Matrix} [mask] */
export function compute(_, { rows, columns, values: scores }, mask) {
  const values = new Float64Array(rows * columns);
  for (let start = 0; start < values.length; start += columns) {
    let sum = 0;
    for (let at = start; at < start + columns; at += 1) {
      values[at] = mask ? Math.fround(scores[at] * Math.fround(Math.exp(mask.values[at]))) : scores[at];
      sum += values[at];
    }
    for (let at = start; at < start + columns; at += 1) values[at] = Math.fround(values[at] / Math.fround(sum));
  }
  return { rows, columns, values };
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} scores @param {Matrix} [mask] */
export function bounded(_, row, column, scores, mask) {
  const line = Array.from(lineOf(scores, row));
  return boundedOf(mask ? withMask(line, Array.from(lineOf(mask, row))) : line, column);
}

/** @param {number[]} line @param {number[]} masks */
function withMask(line, masks) {
  return line.map((score, at) => score * Math.exp(masks[at]));
}

/** @param {number[]} kept @param {number} column */
function boundedOf(kept, column) {
  const [divisor, size] = [total(kept), total(kept.map(Math.abs))];
  const exact = divisor === 0 ? NaN : kept[column] / divisor;
  if (divisor === 0 || !(tolerance(size, 1) < Infinity)) return { exact, tolerance: Infinity };
  return { exact, tolerance: tolerance(Math.abs(exact) * (size / Math.abs(divisor)), kept.length + 8) };
}
