// The feature map of linear attention, elu(z) + 1: core/rules/feature_map.py.

import { tolerance } from "../values/bounds.js";
import { already, namedCell, namedWithToken } from "../cells/cell.js";
import { decimal, decimalOf, sign, sumOf } from "../values/decimals.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { numberOf } from "../values/numbers.js";
import { inSum } from "../values/terms.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings } from "../types.js" */

/** @param {number} value */
function mapped(value) {
  return value > 0 ? value + 1 : Math.exp(value);
}

/** @param {Settings} _ @param {Matrix} numbers */
export function compute(_, numbers) {
  return matrixOf(numbers.rows, numbers.columns, (row, column) => mapped(valueAt(numbers, row, column)));
}

/** @param {Settings} _ @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads(_, row, column) {
  return [[[row, column]]];
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} numbers */
export function bounded(_, row, column, numbers) {
  const exact = mapped(valueAt(numbers, row, column));
  return { exact, tolerance: tolerance(Math.abs(exact), CONSTANTS.MAP_ROUNDINGS) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = cell.sources[0][0];
  const name = namedCell(cell, number);
  const above = number.value > 0;
  const [before, value] = [cell.write(number.value), cell.write(cell.value)];
  const displayed = above ? sumOf([decimal(before), decimal("1")]) : decimalOf(Math.exp(numberOf(before)));
  return {
    symbols: above ? `${name} + 1` : `exp(${name})`,
    steps: [above ? inSum([before, "1"]) : `exp(${before})`, `${sign(displayed, value)} ${value}`],
    words: say(`explanation.feature_map.${above ? "above" : "below"}`, { number: namedWithToken(cell, number) }),
    notes: Number.isFinite(number.value) ? [] : [already(cell, number)],
  };
}
