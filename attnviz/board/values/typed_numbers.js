// Reads a number as a person writes it; attnviz/typed_numbers.py does the same in Python, and
// tests/typed_numbers.json tests both. The last part computes what a step by a key or a drag makes of a number.

import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/**
 * What was read, or why nothing was.
 * @template Value
 * @typedef {{ value?: Value, reason?: string }} Read
 */

export const LONGEST_TYPED = CONSTANTS.LONGEST_TYPED;
const SHOWN_OF_TYPED = 40;

// Minus signs, and the dashes and hyphens that people type instead.
const MINUS = /[\u2212\u2010-\u2015\u207b\u02d7\ufe63\uff0d\u2796]/g;
const FULL_WIDTH = /[０-９．，＋／％ｅＥ]/g;
const RAISED = /10([⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g;
const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺";
const VULGAR = /([0-9]?)\s*([¼-¾⅐-⅞])/g;

const TYPED_DIGITS = String.raw`([0-9.,'’]+)`;
const TEN_TO = String.raw`10\s*(?:\^|\*\*)\s*\{?\s*([-+]?[0-9]{1,5})\s*\}?`;
const TIMES = String.raw`\s*(?:[·⋅∙×*xX]|\\cdot|\\times)\s*`;
const DECIMAL = whole(String.raw`${TYPED_DIGITS}(?:[eE]([-+]?[0-9]{1,5})|${TIMES}${TEN_TO})?(\s*\\?%)?`);
const POWER = whole(TEN_TO);
// Thousands may be separated by a blank, a no-break space or a thin space, the same each time.
const BLANKS = whole(String.raw`([1-9][0-9]{0,2}(?=([ \u00a0\u2009\u202f]))(?:\2[0-9]{3})+(?:[.,][0-9]*)?)(\s*\\?%)?`);
const FRACTION = whole(String.raw`(?:([0-9]+)\s+)?${TYPED_DIGITS}\s*/\s*${TYPED_DIGITS}`);

// The decimal signs, each with the sign that then separates thousands.
/** @type {["." | ",", string][]} */
const SIGNS = [[".", ","], [",", "."]];
// decimal sign -> the form of a number with it
const PLAIN = { ".": whole(String.raw`[0-9]+\.?[0-9]*|\.[0-9]+`), ",": whole("[0-9]+,?[0-9]*|,[0-9]+") };
const THOUSANDS = {
  ".": whole(String.raw`[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+\.[0-9]*|(?:,[0-9]{3}){2,}|(?:['’][0-9]{3})+(?:\.[0-9]*)?)`),
  ",": whole(String.raw`[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]*|(?:\.[0-9]{3}){2,}|(?:['’][0-9]{3})+,[0-9]*)`),
};
const HIDES = /^-\s*(?:inf|infinity|∞)$/i;
const TWO_WAYS = whole("[1-9][0-9]{0,2},[0-9]{3}");

function whole(/** @type {string} */ pattern) {
  return new RegExp(`^(?:${pattern})$`);
}

// Return { value } with a number that float32 can hold, or { reason } why the text is none: empty, no_number, two_ways,
// zero (a division by it), too_large. `blanks` allows blanks between thousands; in a pasted table they separate
// columns.
/** @param {string} text @param {{ blanks?: boolean }} [options] @returns {Read<number>} */
export function readNumber(text, { blanks = false } = {}) {
  if (text.length > LONGEST_TYPED) return { reason: "no_number" };
  const plain = inAscii(text);
  if (!plain) return { reason: "empty" };
  const unsigned = "+-".includes(plain[0]) ? plain.slice(1).trimStart() : plain;
  const bare = blanks ? unsigned.replace(BLANKS,
    (_, digits, blank, percent) => digits.replaceAll(blank, "") + (percent ?? "")) : unsigned;
  const { reason, value } = sizeOf(bare);
  if (value === undefined) return { reason };
  if (!Number.isFinite(Math.fround(value))) return { reason: "too_large" };
  return { value: plain[0] === "-" ? -value : value };
}

// Read what is typed into a cell. A cell of a mask may be −∞, too.
/** @param {string} matrix @param {string} text @param {{ blanks?: boolean }} [options] @returns {Read<number>} */
export function readCell(matrix, text, options) {
  const hides = matrix === CONSTANTS.MASK && text.length <= LONGEST_TYPED && HIDES.test(inAscii(text));
  return hides ? { value: -Infinity } : readNumber(text, options);
}

// The text with plain digits and signs instead of typographic ones.
function inAscii(/** @type {string} */ text) {
  const lowered = (/** @type {string} */ digits) => [...digits]
    .map((digit) => "0123456789-+"[SUPERSCRIPT.indexOf(digit)]).join("");
  return text
    .trim()
    .replace(RAISED, (_, digits) => `10^${lowered(digits)}`)
    .replace(FULL_WIDTH, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0))
    .replace(MINUS, "-")
    .replace(VULGAR, (_, digit, vulgar) => `${digit} ${vulgar.normalize("NFKC")}`.trimStart())
    .replace(/[⁄∕]/g, "/");
}

/** @param {string} bare @returns {Read<number>} */
function sizeOf(bare) {
  const power = POWER.exec(bare);
  if (power) return { value: Number(`1e${power[1]}`) };
  const decimal = DECIMAL.exec(bare);
  if (decimal) {
    const exponent = decimal[2] ?? decimal[3];
    const { reason, value } = withPoint(decimal[1], exponent === undefined);
    return reason ? { reason } : { value: Number(`${value}e${Number(exponent ?? 0) - (decimal[4] ? 2 : 0)}`) };
  }
  const fraction = FRACTION.exec(bare);
  if (!fraction) return { reason: "no_number" };
  const [above, below] = [withPoint(fraction[2], true), withPoint(fraction[3], true)];
  const divisor = Number(below.value);
  const reason = above.reason ?? below.reason ?? (divisor === 0 ? "zero" : undefined);
  return reason ? { reason } : { value: (Number(fraction[1] ?? 0) * divisor + Number(above.value)) / divisor };
}

// Digits with a point before the decimals. If thousands may be separated, "1,234" could be two numbers.
/** @param {string} digits @param {boolean} grouped @returns {Read<string>} */
function withPoint(digits, grouped) {
  for (const [sign, other] of SIGNS) {
    if (THOUSANDS[sign].test(digits))
      return { value: digits.replaceAll(other, "").replace(/['’]/g, "").replace(sign, ".") };
    if (!PLAIN[sign].test(digits)) continue;
    return grouped && sign === ","
      && TWO_WAYS.test(digits) ? { reason: "two_ways" } : { value: digits.replace(sign, ".") };
  }
  return { reason: "no_number" };
}

// Say why a text is no number, and what would be one.
/** @param {string} text @param {string} reason */
export function whyNoNumber(text, reason) {
  const shown = `“${text.trim().length > SHOWN_OF_TYPED ? `${text.trim().slice(0, SHOWN_OF_TYPED)}…` : text.trim()}”`;
  const plain = inAscii(text);
  const [small, large] = [plain.replaceAll(",", "."), plain.replace(/[,.]/g, "")];
  return say(`typed.${reason}`, reason === "empty" ? {} : { text: shown, small, large });
}

// Steps: how a key press or a drag changes a number.

const FINEST = 4; // decimals that a step leaves of a number below ten

// Return the original number if steps have led back to it: they round away further decimals, and a number that is back
// at its start counts as unchanged.
/** @param {number} start @param {number} value */
export function backAt(start, value) {
  return Math.abs(value - start) < 0.51 * 10 ** (powerOf(start) - FINEST) ? start : value;
}

function powerOf(/** @type {number} */ value) {
  return Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)));
}

// Move a value by so many steps of a hundredth, or of a tenth if they're `large`; numbers beyond ten have larger steps.
/** @param {number} value @param {number} steps */
export function stepped(value, steps, large = false) {
  if (steps === 0) return value;
  const size = powerOf(value);
  const power = size - (large ? 1 : 2);
  if (power > 15) return value + steps * 10 ** power;
  return Number((value + steps * Number(`1e${power}`)).toFixed(Math.max(0, FINEST - size)));
}
