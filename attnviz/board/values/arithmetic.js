// How far the roundings of float32 may take a result from exact arithmetic.

import { CONSTANTS } from "../../scripts/sent.js";

export const FLOAT32 = CONSTANTS.FLOAT32;

// How far a number of roundings may take a sum whose terms have this size in all; infinite if the sum may overflow.
/** @param {number} size @param {number} roundings */
export function tolerance(size, roundings) {
  if (!(size <= FLOAT32.max * (1 - FLOAT32.eps) && roundings >= 0)) return Infinity;
  return roundings * (FLOAT32.eps * size + FLOAT32.tiny);
}

// Whether the roundings of float32 explain a value that should be `exact`.
/** @param {number} value @param {Bounded} bounded */
export function mayBe(value, { exact, tolerance: most }) {
  // a NaN is right if it's expected, as when it's copied
  return Number.isFinite(value) ? Math.abs(exact - value) <= most : most === Infinity || Object.is(exact, value);
}

// The standard normal distribution, in float64.

const SERIES = 1.5; // up to this size a series is faster, beyond it a continued fraction
const TERMS = 50;
const ROOT_OF_PI = Math.sqrt(Math.PI);

// The cumulative distribution function Φ: the share of the distribution that lies below a value.
export function normalShare(/** @type {number} */ value) {
  return 0.5 * erfc(-value / Math.SQRT2);
}

// The complementary error function, 1 − erf. Source: Abramowitz and Stegun 1964, 7.1.6 and 7.1.14, computed in the
// steps that CPython's math.erfc took.
export function erfc(/** @type {number} */ x) {
  if (Number.isNaN(x)) return NaN;
  const size = Math.abs(x);
  if (size < SERIES) return 1 - erfBySeries(x);
  return x > 0 ? erfcByFraction(size) : 2 - erfcByFraction(size);
}

function erfBySeries(/** @type {number} */ x) {
  let sum = 0;
  for (let k = TERMS + 0.5; k > 1; k -= 1) sum = 2 + (x * x * sum) / k;
  return (sum * x * Math.exp(-x * x)) / ROOT_OF_PI;
}

function erfcByFraction(/** @type {number} */ x) {
  if (x > 30) return 0; // smaller than any float
  const square = x * x;
  let [a, step] = [0, 0.5];
  let [p, pBefore, q, qBefore] = [1, 0, step + square, 1];
  for (let i = 0; i < TERMS; i += 1) {
    a += step;
    step += 2;
    const b = step + square;
    [p, pBefore] = [b * p - a * pBefore, p];
    [q, qBefore] = [b * q - a * qBefore, q];
  }
  return ((p / q) * x * Math.exp(-square)) / ROOT_OF_PI;
}
