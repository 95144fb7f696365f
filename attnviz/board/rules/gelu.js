// A number times the probability that a standard normal one is smaller: core/rules/gelu.py.

import { tolerance } from "../values/bounds.js";
import { already, grouped, namedCell, namedWithToken } from "../cells/cell.js";
import { decimal, decimalOf, productOf, sign } from "../values/decimals.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { normalShare } from "../values/normal.js";
import { numberOf } from "../values/numbers.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings } from "../types.js" */

/** @param {Settings} _ @param {Matrix} numbers */
export function compute(_, numbers) {
  return matrixOf(numbers.rows, numbers.columns, (row, column) => gelu(valueAt(numbers, row, column)));
}

/** @param {number} value */
function gelu(value) {
  return value * normalShare(value);
}

/** @param {Settings} _ @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads(_, row, column) {
  return [[[row, column]]];
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} numbers */
export function bounded(_, row, column, numbers) {
  const value = valueAt(numbers, row, column);
  return { exact: gelu(value), tolerance: tolerance(Math.abs(value), CONSTANTS.GELU_ROUNDINGS) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = cell.sources[0][0];
  const name = namedCell(cell, number);
  const [before, share, value] = [number.value, normalShare(number.value), cell.value].map(cell.write);
  const displayed = decimalOf(normalShare(numberOf(before)));
  return {
    symbols: `${name} · Φ(${name})`,
    steps: [
      `${grouped(before)} × Φ(${before})`,
      `${sign(displayed, share)} ${grouped(before)} × ${share}`,
      `${sign(productOf([decimal(before), decimal(share)]), value)} ${value}`,
    ],
    words: say("explanation.gelu.words", { number: namedWithToken(cell, number) }),
    notes: [
      ...(Number.isFinite(cell.value) ? [] : [already(cell, number)]),
      ...(number.value === -Infinity ? [say("explanation.trouble.product")] : []),
    ],
  };
}
