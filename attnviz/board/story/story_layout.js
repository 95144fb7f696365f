// How large the cells of one word's story are, on a screen too narrow for the spine, and which parts share a line: from
// how many words and features there are, never from a number. Where everything stands, looks/story.css says.

import { follows } from "../spine/plan.js";

export const NARROW = 700; // a board narrower than this tells one word's story
export const HALL = 500; // one narrower than this does in a lecture room
export const TARGET = 28; // what a finger finds
export const OF_CELLS = TARGET + 1; // and the gap of one that a cell has
export const GUTTER = 36; // left of the words' columns
export const PERCENT = 18; // under the bars
const CELL = { most: 64, readable: 38 };
export const ARCS = 44; // high are the ribbons over the words' columns
const PLANE = 300; // high is the plane, at least
const FEATURE = 52; // the cells of vectors, at most
const BARS = { most: 64, least: 40, low: 26 };
const GAP = { most: 9, least: 3 };
const DOCK = 108; // nothing picked in it
const SAYS = { whole: 78, low: 66, others: 44 }; // high is what is read: four lines, of others' words less
const MIX = { letter: 6.9, line: 17, beside: 150, longest: 12, share: 9, lines: 4, low: 2 };
const WAY = { letter: 7.6, around: 20, arrow: 26 };

/**
 * How wide the cells of each part are, by its matrix; how far to the right that stands which unfolds; and whether it
 * stands in the line of the one before it, behind a way so wide.
 * @param {Part[]} parts @param {Shapes} shapes @param {number} width @param {number} keys
 */
export function cellsOf(parts, shapes, width, keys) {
  /** @type {Record<string, { cell: number, left: number, way: number }>} */
  const sizes = {};
  const word = Math.max(OF_CELLS, Math.min(CELL.most, (width - GUTTER) / keys));
  parts.forEach((part, at) => {
    const { kind, stage: { name } } = part;
    const { columns } = shapes[name];
    sizes[name] = kind === "row" ? { cell: featureOf(width, columns), left: 0, way: 0 }
      : { cell: word, left: kind === "all" ? GUTTER : 0, way: 0 };
    const before = parts[at - 1];
    if (!follows(before, part) || sizes[before.stage.name].way) return;
    const first = shapes[before.stage.name].columns;
    const way = wayWidth(part);
    if ((first + columns) * CELL.readable + way > width) return;
    const cell = featureOf(width - way, first + columns);
    sizes[before.stage.name].cell = cell;
    sizes[name] = { cell, left: first * cell + way, way };
  });
  return { sizes, words: GUTTER + keys * word > width ? GUTTER + keys * word : 0 };
}

// How wide a cell of a vector is, where there is so much room.
/** @param {number} width @param {number} columns */
export function featureOf(width, columns) {
  return Math.min(FEATURE, width / columns);
}

// How wide the button for what is learned is, or the arrow where nothing is.
function wayWidth(/** @type {Part} */ { weight, bias }) {
  if (!weight) return WAY.arrow;
  return (weight.symbol.length + 2 + (bias ? bias.symbol.length + 3 : 0)) * WAY.letter + WAY.around;
}

/** @param {{ rows: number, columns: number }} shape @param {number} cell @returns {Box} */
export function boxOf({ rows, columns }, cell, turned = false, row = OF_CELLS) {
  const [down, across] = turned ? [columns, rows] : [rows, columns];
  return { x: 0, y: 0, cell, row, width: across * cell, height: down * row, turned, readable: cell >= OF_CELLS };
}

// Whether a column is so wide that its word stands in a line over it.
export function isNamed(/** @type {number} */ cell) {
  return cell >= CELL.readable;
}

// Where the plane stands, over all parts: on half of the screen.
/** @param {number} width @param {number} high the screen is */
export function planeIn(width, high) {
  return { x: 0, y: 0, width, height: Math.max(PLANE, high / 2) };
}

// Where a word's mix stands, beside its cells where there is room, how high it is, and how many letters fit.
/** @param {string[]} labels @param {number} free @param {number} width @param {boolean} low */
export function mixIn(labels, free, width, low) {
  const beside = free >= MIX.beside;
  const room = beside ? free : width;
  const letters = labels.reduce((sum, label) => sum + Math.min(MIX.longest, [...label].length) + MIX.share, 0);
  const lines = Math.min(low ? MIX.low : MIX.lines, Math.ceil((letters * MIX.letter) / room));
  const height = Math.max(beside ? TARGET : 0, lines * MIX.line);
  return { beside, height, letters: Math.floor((room / MIX.letter) * Math.floor(height / MIX.line)) - MIX.share };
}

/**
 * On a low screen gaps and then bars give way, and then, if that is enough, the size of letters.
 * @param {(low: boolean, gap: number, bars: number, says: number) => number} heightAs how high the words and the parts
 * are then, while nothing is unfolded @param {number} lines of parts @param {number} height that there is
 * @param {boolean} others whether it is of others' words
 */
export function fitted(heightAs, lines, height, others) {
  const saysIn = (/** @type {boolean} */ low) => (others ? SAYS.others : low ? SAYS.low : SAYS.whole);
  const missingIn = (/** @type {number} */ gap, low = false) =>
    heightAs(low, gap, BARS.most, saysIn(low)) + saysIn(low) + DOCK - height;
  const missing = Math.max(0, missingIn(GAP.most));
  const gap = Math.max(GAP.least, GAP.most - missing / lines);
  const wanted = BARS.most - Math.max(0, missing - (GAP.most - gap) * lines);
  const overLow = wanted < BARS.least ? missingIn(gap, true) : Infinity;
  const low = overLow <= BARS.most - BARS.low; // where that is enough
  const bars = low ? Math.min(BARS.most, BARS.most - overLow) : Math.max(BARS.least, wanted);
  heightAs(low, gap, Math.floor(bars), saysIn(low));
}
