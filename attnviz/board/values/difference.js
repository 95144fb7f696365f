// Whether torch's numbers and the page's own agree.

import { mayBe } from "./arithmetic.js";
import { boundedOf, evaluate } from "./evaluate.js";

const ALL = 40_000; // up to this many computed cells, all are compared ...
const TERMS = 500_000; // ... unless they are made from more numbers than this ...
const SOME = 200; // ... else about this many of each matrix are

/** @typedef {{ largest: number, within: number, unexplained: Place | null, looked: number, cells: number }} Found */

// How far torch's matrices are from the page's own, and the first cell whose difference the roundings of float32 don't
// explain. Each cell is judged by torch's own numbers of the cells that it's made from. If there are very many cells,
// only some are compared, spread over each matrix, and `looked` says how many.
/** @param {Trace} trace @param {Matrices} given @returns {Found} */
export function difference(trace, given) {
  const looking = matrixByMatrix(trace, given);
  let step = looking.next();
  while (!step.done) step = looking.next();
  return step.value;
}

// The same, but a matrix at a time, so that the browser can draw other things in between.
/** @param {Trace} trace @param {Matrices} given @returns {Generator<void, Found, void>} */
export function* matrixByMatrix(trace, given) {
  const stages = computedIn(trace);
  const own = isLarge(trace) ? null : evaluate(trace.stages, given);
  /** @type {Found} */
  const found = { largest: 0, within: 0, unexplained: null, looked: 0, cells: cellsOf(trace, stages) };
  for (const stage of stages) {
    const { values, columns } = trace.matrices[stage.name];
    const step = own ? 1 : stepThrough(values.length, columns);
    const folds = new Map();
    for (let at = 0; at < values.length; at += step) judge(trace, stage, at, { own, found, folds });
    yield;
  }
  return found;
}

// Whether there are so many cells, or numbers that they are made from, that only some cells are compared.
export function isLarge(/** @type {Trace} */ trace) {
  const stages = computedIn(trace);
  return cellsOf(trace, stages) > ALL || termsOf(trace, stages) > TERMS;
}

function computedIn(/** @type {Trace} */ { stages }) {
  return [...stages.values()].filter(({ rule }) => rule !== "given");
}

/** @param {Trace} trace @param {Stage[]} stages */
function cellsOf({ matrices }, stages) {
  return stages.reduce((sum, { name }) => sum + matrices[name].values.length, 0);
}

// About how many numbers all cells are made from: in a real model, a query is a sum over hundreds of them.
/** @param {Trace} trace @param {Stage[]} stages */
function termsOf({ matrices }, stages) {
  const across = (/** @type {Stage} */ { sources }) =>
    Math.max(1, ...sources.map((source) => matrices[source].columns));
  return stages.reduce((sum, stage) => sum + matrices[stage.name].values.length * across(stage), 0);
}

// How far apart the compared cells are. The distance has no factor in common with the number of columns, so that cells
// of all columns have their turn.
/** @param {number} cells @param {number} columns */
function stepThrough(cells, columns) {
  let step = Math.ceil(cells / SOME);
  while (commonOf(step, columns) > 1) step += 1;
  return step;
}

/** @param {number} one @param {number} other @returns {number} */
function commonOf(one, other) {
  return other === 0 ? one : commonOf(other, one % other);
}

/** @param {Trace} trace @param {Stage} stage @param {number} at
 *  @param {{ own: Matrices | null, found: Found, folds: import("./declared.js").Folds }} known */
function judge(trace, stage, at, { own, found, folds }) {
  const { columns, values } = trace.matrices[stage.name];
  const [row, column] = [Math.floor(at / columns), at % columns];
  const value = values[at];
  const bounded = boundedOf(stage, row, column, trace.matrices, folds);
  const gap = Math.abs(value - (own ? own[stage.name].values[at] : bounded.exact));
  const { only } = trace;
  // the other cells of that matrix are sent as 0
  if (only?.matrix === stage.name && (row !== only.row || column !== only.column)) return;
  found.looked += 1;
  if (Number.isFinite(value) && gap > found.largest) [found.largest, found.within] = [gap, value];
  if (found.unexplained || mayBe(value, bounded)) return;
  found.unexplained = { matrix: stage.name, row, column };
  if (!Number.isFinite(gap)) found.largest = Infinity; // one of the two isn't finite
}
