// Sums and quotients as a page writes them, long sums shortened.

import { total } from "./numbers.js";
import { CONSTANTS } from "../../scripts/sent.js";

/** @import { Term } from "../types.js" */

/** @param {string[]} terms */
export function inSum(terms) {
  return terms[0] + terms.slice(1).map((term) => (term.startsWith("−") ? ` − ${term.slice(1)}` : ` + ${term}`)).join("");
}

/** @param {string} numerator @param {string[]} divisors */
export function quotient(numerator, divisors, joint = " · ") {
  if (divisors.length === 0) return numerator;
  return `${numerator} / ${divisors.length === 1 ? divisors[0] : `(${divisors.join(joint)})`}`;
}

const { LONG } = CONSTANTS;

// The terms, or of a long sum the largest and the remainder, in their order; the one at `keep` is always there.
/** @template Factor @param {Term<Factor>[]} terms @param {number | null} keep @returns {Term<Factor>[]} */
export function shortened(terms, keep = null) {
  if (terms.length <= LONG) return terms;
  const size = (/** @type {Term<Factor>} */ { value }) => (Number.isNaN(value) ? Infinity : Math.abs(value));
  const places = terms.map((_, place) => place).toSorted((a, b) => Math.sign(size(terms[b]) - size(terms[a]) || 0) || a - b);
  const shown = new Set(places.slice(0, LONG - 1));
  if (keep !== null) shown.add(keep);
  const rest = terms.filter((_, place) => !shown.has(place));
  if (rest.length === 1) return terms; // it takes no more room than its remainder
  const remainder = { value: total(rest.map((term) => term.value)), factors: [], count: rest.length };
  return [...terms.filter((_, place) => shown.has(place)), remainder];
}
