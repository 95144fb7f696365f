// A number with as many digits as have room in its cell.

import { inDigits, numberOf, written } from "../values/numbers.js";

const NEARLY = "≈0";

// How wide a number is, in digits.
/** @param {string} text */
export function widthOf(text) {
  return [...text].reduce((sum, letter) => sum + (letter === "." ? 0.52 : 1), 0);
}

// A number as it stands in a cell with room for so many digits: there's always one, and what isn't 0 is never written as
// 0. One that `keeps` its digits is longer than its room, unless powers of ten make it shorter.
/** @param {number} value @param {number} digits @param {number} room */
export function inCell(value, digits, room, keeps = false) {
  const texts = waysToWrite(value, digits);
  if (keeps && !texts[0].includes("e")) return texts[0];
  return texts.find((text) => widthOf(text) <= room) ?? texts[texts.length - 1];
}

// The ways to write a number, from the most digits to the fewest.
/** @param {number} value @param {number} digits */
function waysToWrite(value, digits) {
  const whole = inDigits(value, digits);
  if (!Number.isFinite(value)) return [written(value, digits)];
  if (value !== 0 && whole && numberOf(whole) === 0) return [NEARLY];
  const fixed = whole ? Array.from({ length: digits + 1 }, (_, at) => inDigits(value, digits - at)) : [written(value, digits)];
  const telling = fixed.filter((text) => value === 0 || numberOf(text) !== 0);
  const shortest = Math.abs(value) < 1 ? NEARLY : value.toExponential(0).replace("+", "").replaceAll("-", "−");
  return [...telling.flatMap((text) => (value !== 0 && /^−?0\./.test(text) ? [text, text.replace("0.", ".")] : [text])), ...(value === 0 ? [] : [shortest])];
}
