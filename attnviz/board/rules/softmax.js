// Softmax: exponentials of scores, divided by the sum of their line; see core/rules/softmax.py. `compute` returns null
// if a mask comes after the softmax, which is rare: then evaluate.js computes cell by cell.

/** @param {Settings} settings @param {Matrix} scores @param {Matrix} [mask] */
export function compute({ axis, sink }, { rows, columns, values: scores }, mask) {
  if (mask) return null;
  const values = new Float64Array(rows * columns);
  const { n, count, from, step } = linesOf(axis, rows, columns);
  for (let line = 0; line < n; line += 1) {
    const start = line * from;
    const end = start + count * step;
    let largest = sink ?? -Infinity;
    for (let at = start; at < end; at += step) largest = Math.max(largest, scores[at]);
    let sum = sink === null ? 0 : Math.exp(sink - largest);
    for (let at = start; at < end; at += step) sum += values[at] = Math.exp(scores[at] - largest);
    for (let at = start; at < end; at += step) values[at] = Math.fround(values[at] / sum);
  }
  return { rows, columns, values };
}

// The lines over which shares are made: `n` lines of `count` cells. Neighbouring lines begin `from` cells apart, and
// the cells of a line are `step` apart.
/** @param {string} axis @param {number} rows @param {number} columns */
function linesOf(axis, rows, columns) {
  if (axis === "whole") return { n: 1, count: rows * columns, from: 0, step: 1 };
  return axis === "columns" ? { n: columns, count: rows, from: 1, step: columns }
    : { n: rows, count: columns, from: columns, step: 1 };
}
