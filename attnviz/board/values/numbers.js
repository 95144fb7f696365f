// How numbers are displayed: what attnviz/words/numbers.py does, done in the page. A test holds the two together.

import { say } from "../../scripts/sentences.js";

// A number as the page writes it everywhere: fixed digits, or powers of ten where these would not do.
/** @param {number} value @param {number} digits */
export function written(value, digits) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const fixed = size === 0 || size >= Number(`1e-${digits}`) ? inDigits(size, digits) : "";
  const text = fixed || toExponential(size, Math.min(digits, 2));
  return value < 0 ? `−${text}` : text;
}

// The same with so many digits, however small the number is; blank for one that is too large.
/** @param {number} value @param {number} digits */
export function inDigits(value, digits) {
  const size = Math.abs(value);
  const fixed = size < 1e4 ? toFixed(size, digits) : "";
  if (!fixed || Number(fixed) >= 1e4) return "";
  return value < 0 ? `−${fixed}` : fixed;
}

// What isn't 0 but would be written so.
export const NEARLY = "≈0";

// In powers of ten alone, with one digit.
export function short(/** @type {number} */ value) {
  return value.toExponential(0).replace("+", "").replaceAll("-", "−");
}

// The number that stands there, with the signs of `written`.
export function numberOf(/** @type {string} */ displayed) {
  return Number(displayed.replaceAll("−", "-").replace("∞", "Infinity"));
}

// As Python rounds: what lies halfway between two numbers becomes the even one, where JavaScript takes the larger.
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
  const isTie = /^\.?50*$/.test(exact.slice(rounded.length)); // of a whole number, behind its point
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

// A share in whole percent; nothing is said to be all or none that isn't.
export function percent(/** @type {number} */ share) {
  if (share > 0 && 100 * share < 1) return say("board.share.less"); // of hundreds of words most
  const whole = written(100 * share, 0);
  if (share < 1 && whole === "100") return say("board.share.more");
  return say("board.share.percent", { share: whole });
}

// A change of a share in percentage points, between the two that are seen; blank where these are the same.
export function points(/** @type {number} */ was, /** @type {number} */ now) {
  const [before, after] = [was, now].map((share) => Math.round(numberOf(written(100 * share, 0))));
  const whole = percent(was) === percent(now) ? 0 : after - before;
  return whole === 0 ? "" : say("board.share.points", { change: whole > 0 ? `+${whole}` : `−${-whole}` });
}

// The same text, each share's number and sign in one line.
export function unbroken(/** @type {string} */ text) {
  return text.replaceAll(" %", "\u00a0%");
}
