// One matrix below another, the vectors of a sentence under those of one that was kept: core/rules/below.py.

import { already, namedCell } from "../cells/cell.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Span } from "../types.js" */

/** @param {Settings} _ @param {Matrix} above @param {Matrix} below */
export function compute(_, above, below) {
  return matrixOf(above.rows + below.rows, above.columns, (row, column) => (row < above.rows ? valueAt(above, row, column) : valueAt(below, row - above.rows, column)));
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} above @returns {[number, number][][]} */
export function reads(_, row, column, above) {
  return row < above.rows ? [[[row, column]], []] : [[], [[row - above.rows, column]]];
}

// Of one of the sources, what a cell reads: of all but its own, nothing.
/** @param {Settings} _ @param {number} i @param {Matrix} above @returns {(row: number, column: number) => Span} */
export function reach(_, i, above) {
  return (row, column) => {
    const own = Number(row >= above.rows) === i ? 1 : 0;
    return { row: row - i * above.rows, column, rows: own, columns: own };
  };
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} above @param {Matrix} below */
export function bounded(_, row, column, above, below) {
  return { exact: row < above.rows ? valueAt(above, row, column) : valueAt(below, row - above.rows, column), tolerance: 0 };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const [number] = cell.sources.flat();
  const matrix = cell.made.stages.get(number.matrix).title;
  return {
    symbols: namedCell(cell, number),
    steps: [cell.write(cell.value)],
    words: say("explanation.below.words", { matrix }),
    notes: Number.isFinite(cell.value) ? [] : [already(cell, number)],
  };
}
