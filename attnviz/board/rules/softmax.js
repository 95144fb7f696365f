// The exponentials of each row, over their sum: core/rules/softmax.py.

/** @param {Settings} settings @param {Matrix} scores @param {Matrix} [mask] */
export function compute({ shared, axis, sink }, { rows, columns, values: scores }, mask) {
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
  if (mask) for (let start = 0; start < values.length; start += columns) layOver(values, mask, start, start + columns,
    shared);
  return { rows, columns, values };
}

// What shares are made over: how many lines, of how many cells, how far they and their cells are apart.
/** @param {string} axis @param {number} rows @param {number} columns */
function linesOf(axis, rows, columns) {
  if (axis === "whole") return { n: 1, count: rows * columns, from: 0, step: 1 };
  return axis === "columns" ? { n: columns, count: rows, from: 1, step: columns }
    : { n: rows, count: columns, from: columns, step: 1 };
}

// Multiply shares by the exponentials of a mask, and share out again what is left of them.
/** @param {Float64Array} values @param {Matrix} mask @param {number} start @param {number} end
 *  @param {boolean} shared */
function layOver(values, mask, start, end, shared) {
  let left = 0;
  for (let at = start; at < end; at += 1) left += values[at] =
    Math.fround(values[at] * Math.fround(Math.exp(mask.values[at])));
  if (!shared) return;
  for (let at = start; at < end; at += 1) values[at] = Math.fround(values[at] / left);
}
