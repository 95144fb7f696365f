// How far the roundings of float32 may be from exact arithmetic.

import { CONSTANTS } from "../../scripts/sent.js";

export const FLOAT32 = CONSTANTS.FLOAT32;

// How far so many roundings may take a sum of terms of this size in all; infinite where it may overflow.
/** @param {number} size @param {number} roundings */
export function tolerance(size, roundings) {
  if (!(size <= FLOAT32.max * (1 - FLOAT32.eps))) return Infinity;
  return roundings * (FLOAT32.eps * size + FLOAT32.tiny);
}

// Whether the roundings of float32 explain a value that should be `exact`.
/** @param {number} value @param {import("../types.js").Bounded} bounded */
export function mayBe(value, { exact, tolerance: most }) {
  return Number.isFinite(value) ? Math.abs(exact - value) <= most : most === Infinity || Object.is(exact, value); // a NaN may be copied as it is
}
