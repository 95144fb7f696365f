// The matrices as Python sends them, unpacked: what attnviz/board/packing.py has packed.

/** @import { Matrices, SentMatrix } from "./types.js" */

// What came `before` just so is the same matrix: another word that is picked changes none of a megabyte of numbers.
/** @param {Record<string, SentMatrix>} sent @param {{ sent: Record<string, SentMatrix>, matrices: Matrices } | null} before @returns {Matrices} */
export function unpacked(sent, before = null) {
  /** @type {Matrices} */
  const matrices = {};
  for (const [name, matrix] of Object.entries(sent)) {
    const { rows, columns } = matrix;
    if (before && isSame(matrix, before.sent[name]) && (matrix.of === undefined || isSame(sent[matrix.of], before.sent[matrix.of]))) {
      matrices[name] = before.matrices[name];
      continue;
    }
    const source = matrix.of === undefined ? null : (matrices[matrix.of] ?? unpackedOne(sent[matrix.of]));
    matrices[name] = source ? { rows, columns, values: quotients(source.values, matrix) } : unpackedOne(matrix);
  }
  return matrices;
}

// Small matrices, which are sent as numbers, are unpacked faster than compared.
/** @param {SentMatrix} matrix @param {SentMatrix | undefined} other */
function isSame({ values, ...rest }, other) {
  if (values || !other || other.values) return false;
  return Object.entries({ ...other, ...rest }).every(([key, value]) => Reflect.get(rest, key) === value && Reflect.get(other, key) === value);
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
