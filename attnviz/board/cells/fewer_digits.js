// A number with as many digits as have room in its cell.

import { written } from "../values/numbers.js";

// How wide a number is, in digits.
/** @param {string} text */
export function widthOf(text) {
  return [...text].reduce((sum, letter) => sum + (letter === "." ? 0.52 : 1), 0);
}

// A number that has no room in its cell in powers of ten has the shortest of these.
/** @param {number} value @param {number} digits @param {number} room */
export function shortened(value, digits, room) {
  const text = written(value, digits);
  if (widthOf(text) <= room || !text.includes("e")) return text;
  return value.toExponential(0).replace("+", "").replaceAll("-", "−");
}

/** @param {number} value @param {number} digits @param {number} room */
export function fewerDigits(value, digits, room) {
  const texts = Array.from({ length: digits + 1 }, (_, at) => written(value, digits - at));
  const fixed = texts.find((text) => widthOf(text) <= room && !text.includes("e"));
  const power = shortened(value, digits, 0);
  return fixed ?? (widthOf(power) <= room ? power : "");
}
