// Where what a step of the lesson tells stands: at the right of what has been reached last, over what hasn't; or, in every
// step, above the board, where nothing would have room at the right of the last. From the layout and from how many letters
// there are, never from measured text.

/** @import { Layout, TellingPlace } from "./types.js" */

const NARROW = 700; // a page as wide has no room beside anything
const LEAST = 190;
const MOST = 560; // a line as long can still be read
const GAP = 24;
const HEADS = 32; // over the spine
const LETTERS = [17, 16, 15, 14, 13, 12, 11]; // the largest that fits ...
const SMALLEST = 13; // ... as it is on the page
const LARGER = 2.2; // times at most, in a lecture room
const WIDE = 0.51; // of a letter's size, how wide one is
const LINE = 1.4;
const BETWEEN = 0.5; // lines, between paragraphs

/** So much of a page's width is left beside what is reached last. @param {number} width */
export function leftFor(width) {
  return Math.max(LEAST + GAP, Math.min(MOST, 0.28 * width));
}

/** @param {Layout} layout @param {string[]} reached @param {number} width @returns {TellingPlace | null} */
export function besideNew(layout, reached, width) {
  if (width < NARROW) return null;
  const { boxes, columns, scale, start, end, labels, height } = layout;
  const used = Math.max(0, ...columns.map(({ stage: { name } }) => boxes[name].x + boxes[name].width));
  if (width - used - GAP < LEAST) return null;
  const most = MOST * Math.min(LARGER, scale);
  const at = columns.findLastIndex(({ stage }) => reached.includes(stage.name));
  if (at < 0) return { x: labels, y: GAP / 2, width: Math.min(most, width - labels), height: end - GAP, last: false };
  const { x, width: wide } = boxes[columns[at].stage.name];
  const left = x + wide + GAP;
  const last = at === columns.length - 1;
  const y = last ? 0 : start - HEADS * scale;
  return { x: left, y, width: Math.min(most, width - left), height: (last ? end : height) - y, last };
}

// The size of letters with which texts fit a place, and how high they then are.
/** @param {string[]} texts @param {{ width: number, height: number }} place @param {number} scale */
export function letterIn(texts, { width, height }, scale) {
  const sizes = LETTERS.map((size) => size * Math.min(LARGER, scale)).filter((size) => size >= SMALLEST);
  const takes = (/** @type {number} */ size) => linesOf(texts, width - GAP, size) * LINE * size;
  const size = sizes.find((each) => takes(each) <= height) ?? sizes[sizes.length - 1];
  return { size, takes: Math.min(height, takes(size)) };
}

/** @param {string[]} texts @param {number} width */
export function aboveAll(texts, width) {
  return texts.length ? Math.ceil(linesOf(texts, width, LETTERS[1]) * LINE * LETTERS[1]) + GAP : 0;
}

/** @param {string[]} texts @param {number} width @param {number} size */
function linesOf(texts, width, size) {
  return texts.reduce((sum, text) => sum + Math.ceil((text.length * size * WIDE) / width) + BETWEEN, 0);
}
