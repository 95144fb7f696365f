// What a cell should be: what its rule gives in float64 from the numbers it is made from, and how far the roundings of
// float32 may be from it. Each cell of a board is judged after each change, so these take numbers, not cells.

import { total } from "./numbers.js";

const READABLE = 9; // exp of up to this stands in fixed digits; a row beyond it is shifted by its largest
const FAR = 1000; // exp of this far below is 0 at every precision
export const FLOAT32 = { name: "float32", max: (2 - 2 ** -23) * 2 ** 127, eps: 2 ** -23, tiny: 2 ** -126 };

// A sum of products, with the bias, if there is one.
export function expectedSum(products, bias = []) {
  const terms = [...products, ...bias];
  return { exact: total(terms), tolerance: tolerance(total(terms.map(Math.abs)), products.length + 2) };
}

export function expectedQuotient(score, { row, column }, { divisor, causal }) {
  const unmasked = score / divisor;
  if (causal && column > row) return { exact: -Infinity, unmasked, tolerance: 0 };
  return { exact: unmasked, unmasked, tolerance: tolerance(Math.abs(unmasked), 4) };
}

// A softmax of these scores, at one column.
export function expectedShare(scores, column) {
  const largest = Math.max(...scores);
  const shift = Math.abs(largest) <= READABLE ? 0 : largest;
  const powers = scores.map((score) => Math.exp(score - shift));
  const divisor = total(powers);
  const exact = divisor === 0 ? NaN : powers[column] / divisor;
  // The error of an exponent is relative to the exponent: far below the largest it counts more, and weighs less.
  const distances = scores.map((score) => Math.min(Math.abs(score - shift), FAR));
  const spread = total(powers.map((power, i) => power * distances[i])) / (divisor || 1);
  const roundings = distances[column] + spread + scores.length + 8;
  return { powers, shift, divisor, exact, tolerance: tolerance(exact, roundings) };
}

function tolerance(size, roundings) {
  if (!(size <= FLOAT32.max * (1 - FLOAT32.eps))) return Infinity;
  return roundings * (FLOAT32.eps * size + FLOAT32.tiny);
}

// Whether the roundings of float32 explain a value that should be `exact`.
export function mayBe(value, { exact, tolerance: most }) {
  return Number.isFinite(value) ? Math.abs(exact - value) <= most : most === Infinity || exact === value;
}
