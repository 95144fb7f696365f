// How much a number has changed, and how long its bar in a cell is.

const ROUNDING = 2e-6; // of the largest number
const LEAST_BAR = 12; // percent of a cell's width: a change that is there is seen

// How much a number has changed; what the page and torch round differently has not.
/** @param {number} value @param {number} before @param {number} limit */
export function changeOf(value, before, limit) {
  const change = value - before;
  return Math.abs(change) > ROUNDING * limit ? change : 0;
}

// How long the bar of a change is, in percent of a cell's width; below zero where it grows to the left.
/** @param {number} change @param {number} limit */
export function barOf(change, limit) {
  return Math.sign(change) * Math.round(Math.min(50, Math.max(LEAST_BAR, (100 * Math.abs(change)) / limit)));
}

// Where that is: of a background, a place in percent counts what is left beside it.
/** @param {number} bar */
export function besideMiddle(bar) {
  const length = Math.abs(bar);
  return `${Math.round((100 * (bar > 0 ? 50 : 50 - length)) / (100 - length))}% 100%`;
}
