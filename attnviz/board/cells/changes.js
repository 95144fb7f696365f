// How much a number has changed, and how long its bar in a cell is.

const ROUNDING = 2e-6; // of the largest number
export const LEAST_BAR = 3; // percent of a cell's width: a change that is there is seen

// How much a number has changed; what the page and torch round differently has not.
/** @param {number} value @param {number} before @param {number} limit */
export function changeOf(value, before, limit) {
  const change = value - before;
  return Math.abs(change) > ROUNDING * limit ? change : 0;
}

// The largest change in a matrix, by which its bars are measured.
/** @param {ArrayLike<number>} values @param {ArrayLike<number>} before */
export function largestChange(values, before) {
  let largest = 0;
  for (let at = 0; at < values.length; at += 1) {
    const change = Math.abs(values[at] - before[at]);
    if (change > largest && change < Infinity) largest = change;
  }
  return largest;
}

// How long the bar of a change is, in percent of a cell's width; below zero where it grows to the left.
/** @param {number} change @param {number} largest */
export function barOf(change, largest) {
  return change && Number.isFinite(change) ? Math.sign(change) * Math.round(Math.max(LEAST_BAR, (50 * Math.abs(change)) / largest)) : 0;
}

// Where that is: of a background, a place in percent counts what is left beside it.
/** @param {number} bar */
export function besideMiddle(bar) {
  const length = Math.abs(bar);
  return `${Math.round((100 * (bar > 0 ? 50 : 50 - length)) / (100 - length))}% 100%`;
}
