// Edits as the text that the address has of them; read by link/changes_text.py, which writes it anew.

/** @import { Edit } from "./types.js" */

const PACKED = /^z\d+\./;
const AS_DRAWN = "drawn"; // of a cell that has no edit any more

// A text of edits with more of them; what it says of the same cells is left out.
/** @param {string} text @param {Edit[]} edits */
export function partsOf(text, edits) {
  const parts = new Map((text ? text.split("*") : []).map((part) => [cellOf(part), part]));
  const packed = [...parts.keys()].some((part) => PACKED.test(part)); // what it says can't be read here
  for (const { matrix, row, column, value } of edits) {
    const cell = `${named(matrix)}.${row}.${column}`;
    if (value === null && !packed) parts.delete(cell);
    else parts.set(cell, `${cell}.${value === null ? AS_DRAWN : numberText(value)}`);
  }
  return [...parts.values()].join("*");
}

// What a part says is of a cell, or all of it.
/** @param {string} part */
function cellOf(part) {
  return /^[^.]+\.\d+\.\d+(?=\.)/.exec(part)?.[0] ?? part;
}

// A matrix of a later layer is called w_q~1.
/** @param {string} matrix */
function named(matrix) {
  const [, layer, own] = /^layers\.(\d+)\.(.+)$/.exec(matrix) ?? [];
  return layer ? `${own}~${layer}` : matrix;
}

/** @param {number} value */
function numberText(value) {
  if (value === -Infinity) return "-inf";
  const text = String(value).replace("+", "");
  return /^-?\d+$/.test(text) ? `${text}.0` : text; // as Python writes it
}
