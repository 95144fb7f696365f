// Some columns of a matrix that stand beside each other, what one head gets: core/rules/slice.py.

import { already, namedCell } from "../cells/cell.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings } from "../types.js" */

/** @param {Settings} settings @param {Matrix} source */
export function compute({ start, stop }, source) {
  return matrixOf(source.rows, stop - start, (row, column) => valueAt(source, row, start + column));
}

/** @param {Settings} settings @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads({ start }, row, column) {
  return [[[row, start + column]]];
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} source */
export function bounded({ start }, row, column, source) {
  return { exact: valueAt(source, row, start + column), tolerance: 0 };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = cell.sources[0][0];
  const { start, stop } = cell.stage.settings;
  const head = cell.stage.head ?? "";
  const told = head === "" ? "cut" : stop - start === 1 ? "one" : "words";
  const matrix = cell.made.stages.get(number.matrix).symbol;
  return {
    symbols: namedCell(cell, number),
    steps: [cell.write(cell.value)],
    words: say(`explanation.slice.${told}`, { head, matrix, first: start, last: stop - 1 }),
    notes: Number.isFinite(cell.value) ? [] : [already(cell, number)],
  };
}
