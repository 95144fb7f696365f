// Large matrices in a page of their own. The page carries how far the bits of each float32 are `apart` from the result
// of simple arithmetic on its sources. The steps here are the same as in documents/bit_differences.py, so the bits are
// the same, too.

import { compute } from "../rules/product.js";
import { unpacked } from "./matrices.js";

const [LOWEST, PARTS, TERMS] = [-200, 1024, 9];

// Replace matrices that are carried in this way by their numbers.
/** @param {BoardData} data */
export function makeAgain({ stages, matrices }) {
  for (const { name, is, sources, settings } of stages) {
    const { rows, columns, apart } = matrices[name];
    if (!apart) continue;
    const [left, right] = sources.map((source) => unpacked(matrices)[source]);
    const values = is.shares ? shares(left)
      : (compute(/** @type {Settings} */ (settings), left, right)?.values ?? []);
    const numbers = Float32Array.from(values);
    const bits = new Int32Array(numbers.buffer);
    for (let at = 0; at < bits.length; at += 1) bits[at] += apart[at];
    matrices[name] = { rows, columns, values: Array.from(numbers) };
  }
}

function shares(/** @type {Matrix} */ { rows, columns, values }) {
  const weights = new Float64Array(values.length);
  for (let from = 0; from < rows * columns; from += columns) {
    let most = -Infinity;
    for (let at = from; at < from + columns; at += 1) most = Math.max(most, values[at]);
    let sum = 0;
    for (let at = from; at < from + columns; at += 1) sum += weights[at] = power(values[at] - most);
    for (let at = from; at < from + columns; at += 1) weights[at] /= sum;
  }
  return weights;
}

// e to the power of a number that isn't above 0, approximately. Math.exp won't do, because it differs between browsers.
function power(/** @type {number} */ number) {
  const part = Math.max(number, LOWEST) / PARTS;
  let result = 1;
  for (let term = TERMS; term > 0; term -= 1) result = 1 + (result * part) / term;
  for (let parts = 1; parts < PARTS; parts *= 2) result *= result;
  return result;
}
