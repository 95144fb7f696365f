// The matrices as Python sends them, unpacked: what attnviz/board/packing.py has packed.

/** @import { Matrices, SentMatrix } from "./types.js" */

/** @param {Record<string, SentMatrix>} sent @returns {Matrices} */
export function unpacked(sent) {
  /** @type {Matrices} */
  const matrices = {};
  for (const [name, matrix] of Object.entries(sent)) {
    const { rows, columns } = matrix;
    const source = matrix.of === undefined ? null : (matrices[matrix.of] ?? unpackedOne(sent[matrix.of]));
    matrices[name] = source ? { rows, columns, values: quotients(source.values, matrix) } : unpackedOne(matrix);
  }
  return matrices;
}

/** @param {SentMatrix} matrix */
function unpackedOne({ rows, columns, values, float32 }) {
  // JSON has no infinities and no NaN: these travel as words.
  return { rows, columns, values: values ? Float64Array.from(values, Number) : numbersIn(float32 ?? "") };
}

// The numbers of a text that has the bits of their float32, the lowest byte first, as all browsers have them.
/** @param {string} text */
export function numbersIn(text) {
  const bytes = atob(text);
  const bits = new Uint8Array(bytes.length);
  for (let at = 0; at < bits.length; at += 1) bits[at] = bytes.charCodeAt(at);
  return new Float64Array(new Float32Array(bits.buffer));
}

// Scaled scores, which torch has made bit by bit so; Python has looked.
/** @param {Float64Array} scores @param {SentMatrix} matrix */
function quotients(scores, { rows, columns, dividedBy = 1, hides = false }) {
  const values = new Float64Array(rows * columns);
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, at += 1) {
      values[at] = hides && column > row ? -Infinity : Math.fround(scores[at] / dividedBy);
    }
  }
  return values;
}
