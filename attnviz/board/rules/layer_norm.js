// A row brought to mean 0 and deviation 1, then stretched and shifted column by column: core/rules/rows.py.

import { FLOAT32, tolerance } from "../values/arithmetic.js";
import { lineOf, matrixOf } from "../values/matrices.js";
import { total } from "../values/numbers.js";

// A row's mean and deviation, and what its numbers become.
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

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} source @param {Matrix} gain
 *  @param {Matrix} offset */
export function bounded({ epsilon }, row, column, source, gain, offset) {
  return boundedIn(epsilon, lineOf(source, row), column, gain.values[column], offset.values[column]);
}

/** @param {number} epsilon @param {ArrayLike<number>} line @param {number} column @param {number} gain
 *  @param {number} offset */
function boundedIn(epsilon, line, column, gain, offset) {
  const { deviation, normed } = normedOf(line, epsilon);
  const stretched = normed[column] * gain;
  const sizes = Array.from(line, Math.abs);
  const d = sizes.length;
  const exact = total([stretched, offset]);
  if (!(total(sizes.map((size) => size * size)) <= FLOAT32.max * (1 - FLOAT32.eps)))
    return { exact, tolerance: Infinity };
  const mean = total(sizes) / d;
  const rounded = sizes.map((size) => (d + 6) * (FLOAT32.eps * (size + mean) + FLOAT32.tiny));
  const ofDeviation = Math.sqrt(total(rounded.map((error) => error * error)) / d);
  const least = Math.max(deviation - ofDeviation, Math.sqrt(epsilon));
  const moved = (rounded[column] + Math.abs(normed[column]) * ofDeviation) / least;
  return { exact, tolerance: Math.abs(gain) * moved + tolerance(Math.abs(stretched) + Math.abs(offset), d + 10) };
}
