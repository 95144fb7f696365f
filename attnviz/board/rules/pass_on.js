// A matrix as it was made, which the next layer gets: core/rules/pass_on.py.

import { already, namedCell } from "../cells/cell.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings } from "../types.js" */

/** @param {Settings} _ @param {Matrix} source */
export function compute(_, source) {
  return matrixOf(source.rows, source.columns, (row, column) => valueAt(source, row, column));
}

/** @param {Settings} _ @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads(_, row, column) {
  return [[[row, column]]];
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} source */
export function bounded(_, row, column, source) {
  return { exact: valueAt(source, row, column), tolerance: 0 };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = cell.sources[0][0];
  return {
    symbols: namedCell(cell, number),
    steps: [cell.write(cell.value)],
    words: say("explanation.pass_on.words", { title: cell.made.stages.get(number.matrix).title }),
    notes: Number.isFinite(cell.value) ? [] : [already(cell, number)],
  };
}
