// The exponentials of each row, over their sum: core/rules/softmax.py. A mask that comes later is rare.

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

// What shares are made over: how many lines, of how many cells, how far they and their cells are apart.
/** @param {string} axis @param {number} rows @param {number} columns */
function linesOf(axis, rows, columns) {
  if (axis === "whole") return { n: 1, count: rows * columns, from: 0, step: 1 };
  return axis === "columns" ? { n: columns, count: rows, from: 1, step: columns }
    : { n: rows, count: columns, from: columns, step: 1 };
}
