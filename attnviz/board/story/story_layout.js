// The sizes of the cells of one word's story, on a screen too narrow for the spine, and which parts share a line. They
// depend on how many words and features there are, never on a number. looks/story.css places everything.

import { follows } from "../spine/plan.js";

export const NARROW = 700; // a board narrower than this tells one word's story
export const HALL = 500; // the same limit in a lecture room
export const TARGET = 28; // pixels: the smallest cell that a finger hits
export const OF_CELLS = TARGET + 1; // including the gap of one pixel between cells
export const GUTTER = 36; // pixels left of the words' columns
export const PERCENT = 18; // pixels below the bars, for percentages
const CELL = { most: 64, readable: 38 };
export const ARCS = 44; // pixels: the height of the ribbons over the words' columns
const PLANE = 300; // pixels: the least height of the plane
const FEATURE = 52; // pixels: the largest cell of a vector
const BARS = { most: 64, least: 40, low: 26 };
const GAP = { most: 9, least: 3 };
const DOCK = 108; // pixels: the dock's height while nothing is picked
// The height of the sentence about what is read: four lines, or less on boards that aren't of the current set-up, and
// in a lecture room.
const SAYS = { whole: 78, low: 66, others: 44 };
const MIX = { letter: 6.9, line: 17, beside: 150, longest: 12, share: 9, lines: 4, low: 2 };
const WAY = { letter: 7.6, around: 20, arrow: 26 };

/**
 * Return the sizes of each part, by its matrix: how wide its cells are; how far to the right its unfolded matrices
 * stand; and how wide the way is that leads to it from the part before if both share a line, else 0. `words` is the
 * width of all words' columns if they don't fit, else 0.
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

// The width of a cell of a vector that has this room.
/** @param {number} width @param {number} columns */
export function featureOf(width, columns) {
  return Math.min(FEATURE, width / columns);
}

// The width of the button for a learned matrix, or of the arrow where there is none.
function wayWidth(/** @type {Part} */ { weight, bias }) {
  if (!weight) return WAY.arrow;
  return (weight.symbol.length + 2 + (bias ? bias.symbol.length + 3 : 0)) * WAY.letter + WAY.around;
}

/** @param {{ rows: number, columns: number }} shape @param {number} cell @returns {Box} */
export function boxOf({ rows, columns }, cell, turned = false, row = OF_CELLS) {
  const [down, across] = turned ? [columns, rows] : [rows, columns];
  return { x: 0, y: 0, cell, row, width: across * cell, height: down * row, turned, readable: cell >= OF_CELLS };
}

// Whether a column is wide enough for its word to stand over it on one line.
export function isNamed(/** @type {number} */ cell) {
  return cell >= CELL.readable;
}

// The place of the plane above all parts: half of the screen.
/** @param {number} width @param {number} high the screen's height */
export function planeIn(width, high) {
  return { x: 0, y: 0, width, height: Math.max(PLANE, high / 2) };
}

// How a word's mix is written: beside its cells if there's room, how high it is, and how many letters fit.
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
 * Fit the story into a height. On a low screen, gaps and then bars shrink; then, if that is enough, letters do.
 * @param {(low: boolean, gap: number, bars: number, says: number) => number} heightAs applies these sizes, and returns
 * how high the words and parts are then, with nothing unfolded @param {number} lines how many lines the parts take
 * @param {number} height the available height
 * @param {boolean} others whether the board isn't of the current set-up, or is in a lecture room
 */
export function fitted(heightAs, lines, height, others) {
  const saysIn = (/** @type {boolean} */ low) => (others ? SAYS.others : low ? SAYS.low : SAYS.whole);
  const missingIn = (/** @type {number} */ gap, low = false) =>
    heightAs(low, gap, BARS.most, saysIn(low)) + saysIn(low) + DOCK - height;
  const missing = Math.max(0, missingIn(GAP.most));
  const gap = Math.max(GAP.least, GAP.most - missing / lines);
  const wanted = BARS.most - Math.max(0, missing - (GAP.most - gap) * lines);
  const overLow = wanted < BARS.least ? missingIn(gap, true) : Infinity;
  const low = overLow <= BARS.most - BARS.low; // only if that is enough
  const bars = low ? Math.min(BARS.most, BARS.most - overLow) : Math.max(BARS.least, wanted);
  heightAs(low, gap, Math.floor(bars), saysIn(low));
}
