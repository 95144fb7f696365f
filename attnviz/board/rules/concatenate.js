// Matrices side by side, the results of all heads; or one below the other, as under a sentence that was kept:
// core/rules/concatenate.py.

import { already, namedCell } from "../cells/cell.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Span } from "../types.js" */

/** @param {Settings} settings @param {Matrix[]} sources */
export function compute({ axis }, ...sources) {
  const [{ rows, columns }] = sources;
  const sum = (/** @type {"rows" | "columns"} */ size) => sources.reduce((all, source) => all + source[size], 0);
  const value = (/** @type {number} */ row, /** @type {number} */ column) => valueIn(axis, row, column, sources);
  return axis === "rows" ? matrixOf(sum("rows"), columns, value) : matrixOf(rows, sum("columns"), value);
}

// Which source a cell is of, and where it stands there.
/** @param {string} axis @param {number} row @param {number} column @param {Matrix[]} sources */
function placeIn(axis, row, column, sources) {
  let i = 0;
  if (axis === "rows") for (; row >= sources[i].rows; i += 1) row -= sources[i].rows;
  else for (; column >= sources[i].columns; i += 1) column -= sources[i].columns;
  return { i, row, column };
}

/** @param {string} axis @param {number} row @param {number} column @param {Matrix[]} sources */
function valueIn(axis, row, column, sources) {
  const place = placeIn(axis, row, column, sources);
  return valueAt(sources[place.i], place.row, place.column);
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix[]} sources @returns {[number, number][][]} */
export function reads({ axis }, row, column, ...sources) {
  const place = placeIn(axis, row, column, sources);
  return sources.map((_source, i) => (i === place.i ? [[place.row, place.column]] : []));
}

// Of one of the sources, what a cell reads: of all but its own, nothing. Where it would stand there goes on from cell to
// cell all the same: see spans.js.
/** @param {Settings} settings @param {number} i @param {Matrix[]} sources @returns {(row: number, column: number) => Span} */
export function reach({ axis }, i, ...sources) {
  const size = axis === "rows" ? "rows" : "columns";
  const before = sources.slice(0, i).reduce((all, source) => all + source[size], 0);
  return (row, column) => {
    const own = placeIn(axis, row, column, sources).i === i ? 1 : 0;
    return { row: axis === "rows" ? row - before : row, column: axis === "rows" ? column : column - before, rows: own, columns: own };
  };
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix[]} sources */
export function bounded({ axis }, row, column, ...sources) {
  return { exact: valueIn(axis, row, column, sources), tolerance: 0 };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const [number] = cell.sources.flat();
  const matrix = cell.made.stages.get(number.matrix).title;
  return {
    symbols: namedCell(cell, number),
    steps: [cell.write(cell.value)],
    words: say(`explanation.concatenate.${cell.stage.settings.axis}`, { matrix }),
    notes: Number.isFinite(cell.value) ? [] : [already(cell, number)],
  };
}
