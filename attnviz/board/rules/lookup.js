// Some rows of a table, how tokens and places get their vectors: core/rules/lookup.py.

import { already, namedCell, tokenOf } from "../cells/cell.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Span } from "../types.js" */

/** @param {Settings} settings @param {Matrix} table */
export function compute({ ids }, table) {
  return matrixOf(ids.length, table.columns, (row, column) => valueAt(table, ids[row], column));
}

/** @param {Settings} settings @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads({ ids }, row, column) {
  return [[[ids[row], column]]];
}

/** @param {Settings} settings @returns {(row: number, column: number) => Span} */
export function reach({ ids }) {
  return (row, column) => ({ row: ids[row], column, rows: 1, columns: 1 });
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} table */
export function bounded({ ids }, row, column, table) {
  return { exact: valueAt(table, ids[row], column), tolerance: 0 };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = cell.sources[0][0];
  const table = cell.made.stages.get(number.matrix).symbol;
  const entry = tokenOf(cell, number);
  const words =
    entry === null ? say("explanation.lookup.words", { row: number.row, table }) : say("explanation.lookup.of_entry", { table, entry });
  return {
    symbols: namedCell(cell, number),
    steps: [cell.write(cell.value)],
    words,
    notes: Number.isFinite(cell.value) ? [] : [already(cell, number)],
  };
}
