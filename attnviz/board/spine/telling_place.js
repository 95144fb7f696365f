// Where what a step of the lesson tells stands: beside the words, as long as no matrix has been reached; then at the right
// of what has been reached last, over what hasn't; or, in every step, above the board, where nothing would have room at the
// right of the last. From the layout and from how many letters there are, never from measured text.

/** @import { Layout, TellingPlace } from "./types.js" */

const NARROW = 700; // a page as wide has no room beside anything
const LEAST = 190;
const MOST = 560; // a line as long can still be read
const GAP = 24;
const HEADS = 32; // over the spine
const TITLE = 22; // of what stands above it
const LETTERS = [17, 16, 15, 14, 13, 12, 11]; // the largest that fits ...
const SMALLEST = 13; // ... as it is on the page
const TOOLS = 7; // under what is done with the words
const EASE = 14; // beside the words ...
const CLOSER = 0.44; // ... where what is told has few letters that are wide
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

// Beside the words that end at `end`, over nothing that has its place below them: as wide as all that is left, or up to a
// matrix. Null where it has no room there in letters that can be read.
/** @param {Layout} layout @param {string[]} texts @param {number} end @param {number} width @returns {TellingPlace | null} */
export function besideWords({ boxes, columns, scale, arcs, chips, shares }, texts, end, width) {
  if (!columns.length) return null;
  const x = end + GAP;
  const all = Object.values(boxes);
  const edges = [width, ...all.map((box) => box.x - GAP)].map((edge) => Math.min(MOST * Math.min(LARGER, scale), edge - x));
  const places = edges.filter((wide) => wide >= LEAST).map((wide) => {
    const free = all.filter((box) => box.x < x + wide && x < box.x + box.width).map(({ y }) => y - TITLE * scale);
    return { x, y: arcs + TOOLS * scale, width: wide, height: chips + shares + Math.max(0, Math.min(...free, ...(free.length ? [] : [0]))), last: false };
  });
  const sizes = lettersOf(scale).filter((size) => size >= EASE * Math.min(LARGER, scale));
  const found = sizes.map((size) => places.find((place) => heightOf(texts, place.width, size, CLOSER) <= place.height)).find(Boolean);
  // A low screen has a few pixels less than that: what is told there has the smallest letters, and nothing to spare.
  return found ?? places.find((place) => closely(texts, place.width, SMALLEST * scale) <= place.height) ?? null;
}

// The size of letters with which texts fit a place, and how high they then are.
/** @param {string[]} texts @param {{ width: number, height: number }} place @param {number} scale */
export function letterIn(texts, { width, height }, scale, byWords = false) {
  const sizes = lettersOf(scale);
  const size = sizes.find((each) => heightOf(texts, width, each, byWords ? CLOSER : WIDE) <= height) ?? sizes[sizes.length - 1];
  return { size, takes: Math.min(height, heightOf(texts, width, size)) };
}

/** @param {number} scale */
function lettersOf(scale) {
  return LETTERS.map((size) => size * Math.min(LARGER, scale)).filter((size) => size >= SMALLEST);
}

/** @param {string[]} texts @param {number} width @param {number} size */
function heightOf(texts, width, size, wide = WIDE) {
  return linesOf(texts, width - GAP, size, wide) * LINE * size;
}

// The same to the pixel: half a letter between paragraphs.
/** @param {string[]} texts @param {number} width @param {number} size */
function closely(texts, width, size) {
  return heightOf(texts, width, size, CLOSER) - BETWEEN * size * (LINE * texts.length - (texts.length - 1));
}

/** @param {string[]} texts @param {number} width */
export function aboveAll(texts, width) {
  return texts.length ? Math.ceil(linesOf(texts, width, LETTERS[1]) * LINE * LETTERS[1]) + GAP : 0;
}

/** @param {string[]} texts @param {number} width @param {number} size */
function linesOf(texts, width, size, wide = WIDE) {
  return texts.reduce((sum, text) => sum + Math.ceil((text.length * size * wide) / width) + BETWEEN, 0);
}
