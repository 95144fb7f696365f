// A number, or 0 where it is negative: core/rules/relu.py.

import { already, namedCell, namedWithToken } from "../cells/cell.js";
import { decimal, sign } from "../values/decimals.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings } from "../types.js" */

/** @param {Settings} _ @param {Matrix} numbers */
export function compute(_, numbers) {
  return matrixOf(numbers.rows, numbers.columns, (row, column) => Math.max(0, valueAt(numbers, row, column)));
}

/** @param {Settings} _ @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads(_, row, column) {
  return [[[row, column]]];
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} numbers */
export function bounded(_, row, column, numbers) {
  return { exact: Math.max(0, valueAt(numbers, row, column)), tolerance: 0 };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = cell.sources[0][0];
  const exact = cell.write(Math.max(0, number.value));
  const value = cell.write(cell.value);
  return {
    symbols: `max(0, ${namedCell(cell, number)})`,
    steps: [`max(0, ${cell.write(number.value)})`, `${sign(decimal(exact), value)} ${value}`],
    words: say("explanation.relu.words", { number: namedWithToken(cell, number) }),
    notes: Number.isFinite(cell.value) ? [] : [already(cell, number)],
  };
}
