// Layer norm: each row gets mean 0 and standard deviation 1, and is then multiplied by a gain and shifted by an offset
// for each column; see core/rules/rows.py.

import { lineOf, matrixOf } from "../values/matrices.js";
import { total } from "../values/numbers.js";

// A row's mean and standard deviation, and its normalized numbers.
/** @param {ArrayLike<number>} line @param {number} epsilon */
function normedOf(line, epsilon) {
  const values = Array.from(line);
  const mean = total(values) / values.length;
  const apart = values.map((value) => value - mean);
  const deviation = Math.sqrt(total(apart.map((value) => value * value)) / values.length + epsilon);
  return { mean, deviation, normed: apart.map((value) => value / deviation) };
}

/** @param {Settings} settings @param {Matrix} source @param {Matrix} gain @param {Matrix} offset */
export function compute({ epsilon }, source, gain, offset) {
  const rows = Array.from({ length: source.rows }, (_, row) => normedOf(lineOf(source, row), epsilon).normed);
  return matrixOf(source.rows, source.columns,
    (row, column) => rows[row][column] * gain.values[column] + offset.values[column]);
}
