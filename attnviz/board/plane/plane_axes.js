// On which two axes the rows of a matrix are drawn: their own, where they have no more than two, else those along which
// they differ most, the first two principal axes.

import { lengthOf } from "./plane_geometry.js";

/** @import { Axes, Point } from "./plane_types.js" */

const SWEEPS = 30; // at most; Jacobi's method needs fewer than ten
const NOTHING = 1e-15;
const ROUNDING = 1e-13;

/** @param {number[][]} rows @param {Axes | null} before whose directions are kept @returns {Axes} */
export function axesOf(rows, before = null) {
  const size = rows[0].length;
  if (size <= 2) return { centre: rows[0].map(() => 0), axes: [[1, 0], [0, 1]].map((axis) => axis.slice(0, size)), share: 1 };
  const centre = rows[0].map((_, at) => rows.reduce((sum, row) => sum + row[at] / rows.length, 0));
  const largest = Math.max(...rows.flat().map(Math.abs)) || 1;
  const centred = rows.map((row) => row.map((each, at) => (each - centre[at]) / largest));
  const { vectors, values } = size <= rows.length ? eigen(products(columnsOf(centred))) : throughRows(centred);
  const whole = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  const axes = vectors.slice(0, 2).map((axis, at) => turned(axis, before?.axes[at]));
  return { centre, axes, share: whole > NOTHING ? (Math.max(0, values[0]) + Math.max(0, values[1] ?? 0)) / whole : null };
}

// Where a row is drawn.
/** @param {Axes} axes @param {number[]} row @returns {Point} */
export function drawnAt({ centre, axes }, row) {
  const along = (/** @type {number[] | undefined} */ axis) => (axis ? axis.reduce((sum, each, at) => sum + each * (row[at] - centre[at]), 0) : 0);
  return [along(axes[0]), along(axes[1])];
}

// An axis has two directions: that of before is kept, else its largest number is positive.
/** @param {number[]} axis @param {number[] | undefined} before */
function turned(axis, before) {
  const known = before?.length === axis.length ? before.reduce((sum, each, at) => sum + each * axis[at], 0) : 0;
  const largest = axis.reduce((most, each) => (Math.abs(each) > Math.abs(most) + 1e-9 ? each : most), 0);
  return (known || largest) < 0 ? axis.map((each) => -each) : axis;
}

/** @param {number[][]} rows */
function columnsOf(rows) {
  return rows[0].map((_, at) => rows.map((row) => row[at]));
}

/** @param {number[][]} vectors */
function products(vectors) {
  return vectors.map((a) => vectors.map((b) => a.reduce((sum, each, at) => sum + each * b[at], 0)));
}

// Of fewer rows than columns: from the products of rows.
/** @param {number[][]} rows */
function throughRows(rows) {
  const { vectors, values } = eigen(products(rows));
  const real = vectors.slice(0, 2).map((shares, at) => (values[at] > ROUNDING * values[0] ? shares : shares.map(() => 0))); // else it's no axis
  const mixed = real.map((shares) => rows[0].map((_, at) => shares.reduce((sum, share, row) => sum + share * rows[row][at], 0)));
  return { values, vectors: mixed.map((axis) => axis.map((each) => each / (lengthOf(axis) || 1))) };
}

// The eigenvectors of a symmetric matrix, the largest first (Jacobi 1846).
/** @param {number[][]} matrix */
function eigen(matrix) {
  const a = matrix.map((row) => row.slice());
  const size = a.length;
  const v = a.map((_, i) => a.map((__, j) => Number(i === j)));
  const whole = Math.max(...a.flat().map(Math.abs));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    let turns = 0;
    for (let p = 0; p < size; p += 1) {
      for (let q = p + 1; q < size; q += 1) {
        if (Math.abs(a[p][q]) <= NOTHING * whole) continue;
        turns += 1;
        turn(a, v, p, q);
      }
    }
    if (!turns) break;
  }
  const order = a.map((_, at) => at).toSorted((i, j) => a[j][j] - a[i][i]);
  return { values: order.map((at) => a[at][at]), vectors: order.map((at) => v.map((row) => row[at])) };
}

// Turn two axes so that they no longer share anything.
/** @param {number[][]} a @param {number[][]} v @param {number} p @param {number} q */
function turn(a, v, p, q) {
  const angle = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const tan = (angle < 0 ? -1 : 1) / (Math.abs(angle) + Math.hypot(angle, 1));
  const cos = 1 / Math.hypot(tan, 1);
  const sin = tan * cos;
  for (const row of a) [row[p], row[q]] = [cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]];
  for (let i = 0; i < a.length; i += 1) [a[p][i], a[q][i]] = [cos * a[p][i] - sin * a[q][i], sin * a[p][i] + cos * a[q][i]];
  for (const row of v) [row[p], row[q]] = [cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]];
}
