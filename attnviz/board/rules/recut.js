// A part of a matrix as one view alone cuts it, a mistake: core/rules/recut.py.

import { already, namedCell, tokenOf } from "../cells/cell.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Span } from "../types.js" */

// Where in the source the number of a cell is, in the order in which its numbers lie.
/** @param {Settings} settings @param {Matrix} source @param {number} row @param {number} column @returns {[row: number, column: number]} */
function placeIn({ parts, part }, { rows, columns }, row, column) {
  const at = (part * rows + row) * (columns / parts) + column;
  return [Math.floor(at / columns), at % columns];
}

/** @param {Settings} settings @param {Matrix} source */
export function compute(settings, source) {
  return matrixOf(source.rows, source.columns / settings.parts, (row, column) => valueAt(source, ...placeIn(settings, source, row, column)));
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} source @returns {[number, number][][]} */
export function reads(settings, row, column, source) {
  return [[placeIn(settings, source, row, column)]];
}

/** @param {Settings} settings @param {number} _ @param {Matrix} source @returns {(row: number, column: number) => Span} */
export function reach(settings, _, source) {
  return (row, column) => {
    const [r, c] = placeIn(settings, source, row, column);
    return { row: r, column: c, rows: 1, columns: 1 };
  };
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} source */
export function bounded(settings, row, column, source) {
  return { exact: valueAt(source, ...placeIn(settings, source, row, column)), tolerance: 0 };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = cell.sources[0][0];
  const matrix = cell.made.stages.get(number.matrix).symbol;
  const token = tokenOf(cell, number);
  return {
    symbols: namedCell(cell, number),
    steps: [cell.write(cell.value)],
    words: token === null ? say("explanation.recut.words", { matrix, row: number.row }) : say("explanation.recut.of_token", { matrix, row: number.row, token }),
    notes: Number.isFinite(cell.value) ? [] : [already(cell, number)],
  };
}
