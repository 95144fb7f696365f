// Matrices side by side, the results of all heads: core/rules/concatenate.py.

import { already, namedCell } from "../cells/cell.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Span } from "../types.js" */

/** @param {Settings} _ @param {Matrix[]} sources */
export function compute(_, ...sources) {
  const [{ rows, columns }] = sources;
  return matrixOf(rows, columns * sources.length, (row, column) =>
    valueAt(sources[Math.floor(column / columns)], row, column % columns),
  );
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix[]} sources @returns {[number, number][][]} */
export function reads(_, row, column, ...sources) {
  const { columns } = sources[0];
  return sources.map((_source, i) => (i === Math.floor(column / columns) ? [[row, column % columns]] : []));
}

// Of one of the sources, what a cell reads: of all but its own, nothing.
/** @param {Settings} _ @param {number} i @param {Matrix[]} sources @returns {(row: number, column: number) => Span} */
export function reach(_, i, ...sources) {
  const { columns } = sources[0];
  return (row, column) => {
    const own = Math.floor(column / columns) === i ? 1 : 0;
    return { row, column: column - i * columns, rows: own, columns: own };
  };
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix[]} sources */
export function bounded(_, row, column, ...sources) {
  const { columns } = sources[0];
  return { exact: valueAt(sources[Math.floor(column / columns)], row, column % columns), tolerance: 0 };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const [number] = cell.sources.flat();
  const matrix = cell.made.stages.get(number.matrix).title;
  return {
    symbols: namedCell(cell, number),
    steps: [cell.write(cell.value)],
    words: say("explanation.concatenate.words", { matrix }),
    notes: Number.isFinite(cell.value) ? [] : [already(cell, number)],
  };
}
