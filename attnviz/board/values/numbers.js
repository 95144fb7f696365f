// How numbers are displayed: what attnviz/words/numbers.py does in Python. A test compares the two.

import { say } from "../../scripts/sentences.js";

// A number as the page writes it everywhere: with a fixed number of decimals, or in powers of ten if it's too small or
// too large for them.
/** @param {number} value @param {number} digits */
export function written(value, digits) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const fixed = size === 0 || size >= Number(`1e-${digits}`) ? inDigits(size, digits) : "";
  const text = fixed || toExponential(size, Math.min(digits, 2));
  return value < 0 ? `−${text}` : text;
}

// A number with a fixed number of decimals, however small it is; blank if it's too large for them.
/** @param {number} value @param {number} digits */
export function inDigits(value, digits) {
  const size = Math.abs(value);
  const fixed = size < 1e4 ? toFixed(size, digits) : "";
  if (!fixed || Number(fixed) >= 1e4) return "";
  return value < 0 ? `−${fixed}` : fixed;
}

// Written for a number that isn't 0, but would be written as 0.
export const NEARLY = "≈0";

// A number in powers of ten, with one digit.
export function short(/** @type {number} */ value) {
  return value.toExponential(0).replace("+", "").replaceAll("-", "−");
}

// The number that a text of `written` stands for.
export function numberOf(/** @type {string} */ displayed) {
  return Number(displayed.replaceAll("−", "-").replace("∞", "Infinity"));
}

// Round as Python does: halfway between two numbers to the even one, where JavaScript takes the larger.
/** @param {number} size @param {number} digits */
function toFixed(size, digits) {
  const rounded = size.toFixed(digits);
  if ((size * 10 ** digits * 2) % 1 !== 0) return rounded;
  return evenOfTie(size.toFixed(100), rounded);
}

/** @param {number} size @param {number} digits */
function toExponential(size, digits) {
  const [mantissa, power] = size.toExponential(digits).split("e");
  const [exact, exactPower] = size.toExponential(100).split("e");
  const rounded = power === exactPower ? evenOfTie(exact, mantissa) : mantissa;
  return `${rounded}e${power.replace(/\d+/, (number) => number.padStart(2, "0")).replace("-", "−")}`;
}

/** @param {string} exact @param {string} rounded */
function evenOfTie(exact, rounded) {
  const cut = exact.slice(0, rounded.length);
  const isTie = /^\.?50*$/.test(exact.slice(rounded.length)); // a whole number is followed by the point
  return isTie && "02468".includes(cut.slice(-1)) ? cut : rounded;
}

// Sum exactly, or nearly so (Neumaier 1974); infinities and NaN sum as floats do.
export function total(/** @type {Iterable<number>} */ values) {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return Number.isFinite(lost) ? sum + lost : [...values].reduce((all, value) => all + value, 0);
}

// A share in whole percent. Nothing is written as 0 % or 100 % that isn't exactly that.
export function percent(/** @type {number} */ share) {
  if (share > 0 && 100 * share < 1) return say("board.share.less"); // common among hundreds of words
  const whole = written(100 * share, 0);
  if (share < 1 && whole === "100") return say("board.share.more");
  return say("board.share.percent", { share: whole });
}

// The change of a share in percentage points, by the percentages that are displayed; blank if these are the same.
export function points(/** @type {number} */ was, /** @type {number} */ now) {
  const [before, after] = [was, now].map((share) => Math.round(numberOf(written(100 * share, 0))));
  const whole = percent(was) === percent(now) ? 0 : after - before;
  return whole === 0 ? "" : say("board.share.points", { change: whole > 0 ? `+${whole}` : `−${-whole}` });
}

// The same text with no-break spaces, so that a share's number and its percent sign stay in one line.
export function unbroken(/** @type {string} */ text) {
  return text.replaceAll(" %", "\u00a0%");
}
