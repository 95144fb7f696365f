// How much a number has changed, and how long its bar in a cell is.

/** @import { Lens } from "./pixels.js" */

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
  return change && Number.isFinite(change) ? Math.sign(change) * Math.round(Math.max(LEAST_BAR,
    (50 * Math.abs(change)) / largest)) : 0;
}

// Where that is: of a background, a place in percent counts what is left beside it.
export function besideMiddle(/** @type {number} */ bar) {
  const length = Math.abs(bar);
  return `${Math.round((100 * (bar > 0 ? 50 : 50 - length)) / (100 - length))}% 100%`;
}

// Bars for what a change that is held does to a large matrix, of which each cell is a pixel: one in each changed cell
// that is seen. Cells with the room have one as the others do; in smaller ones it is a dash of a pixel's height, and
// these are set as pixels: of a thousand tokens a hundred thousand may be seen at once.

const ROOM = 4; // pixels that a cell has each way
const HIGH = 2;
const FAINT = 0.35; // the ink of the least change, where there is no room to tell by a length how large it is

/** @typedef {{ left: number, top: number, width: number, height: number }} Part of a canvas, in whole pixels */
/**
 * @typedef {{
 *   box: Box, limit: number, largest: number, told: number | null, lens: Lens | null, numbers: boolean,
 *   inkOf: (value: number) => string,
 * }} How
 */

/**
 * Draw a bar for each cell that has another number than before: to the right for more and to the left for less, from
 * the
 * middle. The row in the lens has its own where it has numbers; what is under the lens has none.
 * @param {CanvasRenderingContext2D} context @param {Matrix} matrix @param {ArrayLike<number>} before
 * @param {How} how @param {Part} seen
 */
export function drawBars(context, matrix, before, how, seen) {
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  seen = how.told === null ? seen : ofRow(how.told, how, seen);
  if (how.box.cell < ROOM || how.box.row < ROOM) {
    if (!(seen.width > 0 && seen.height > 0)) return;
    const image = context.createImageData(seen.width, seen.height);
    dash(new Uint32Array(image.data.buffer), matrix, before, how, seen);
    context.putImageData(image, seen.left, seen.top);
    return;
  }
  /** @type {Record<string, Path2D>} */
  const paths = {};
  const width = how.box.cell;
  eachChanged(matrix, before, how, seen, (x, y, change, value) => {
    const length = width * share(change, how.largest);
    const middle = (x + 0.5) * width;
    const path = (paths[how.inkOf(value)] ??= new Path2D());
    path.rect(change > 0 ? middle : middle - length, bottomOf(y, how) - HIGH - 1, length, HIGH);
  });
  for (const [ink, path] of Object.entries(paths)) {
    context.fillStyle = ink;
    context.fill(path);
  }
}

/**
 * The same in pixels, those of a part of the canvas: the lowest line of a cell, of which at least one pixel is set; the
 * larger the change, the darker.
 * @param {Uint32Array} pixels @param {Matrix} matrix @param {ArrayLike<number>} before @param {How} how @param {Part}
 * seen
 */
export function dash(pixels, matrix, before, how, seen) {
  const width = how.box.cell;
  // Where lines end doesn't depend on their cells: told once for each, not for each of thousands of cells.
  /** @type {number[]} */
  const lines = [];
  eachChanged(matrix, before, how, seen, (x, y, change, value) => {
    const line = (lines[y] ??= Math.max(Math.floor(topOf(y, how)), Math.floor(bottomOf(y, how)) - 1) - seen.top);
    if (line < 0 || line >= seen.height) return;
    const first = Math.floor(x * width);
    const end = Math.max(first + 1, Math.floor(x * width + width));
    const middle = Math.min(end - 1, Math.floor((first + end) / 2));
    const part = share(change, how.largest);
    const length = Math.max(1, Math.round((end - first) * part));
    const from = change > 0 ? middle : Math.max(first, middle + 1 - length);
    const to = change > 0 ? Math.min(end, middle + length) : middle + 1;
    const opaque = Math.round(255 * (FAINT + (1 - FAINT) * 2 * part));
    const ink = ((opaque << 24) | (how.inkOf(value) === "#fff" ? 0xffffff : 0)) >>> 0;
    const start = line * seen.width;
    for (let at = Math.max(0, from - seen.left); at < Math.min(seen.width, to - seen.left); at += 1) pixels[start
      + at] = ink;
  });
}

// The part of what is seen in which a row stands.
/** @param {number} row @param {How} how @param {Part} seen @returns {Part} */
function ofRow(row, how, seen) {
  const top = Math.max(seen.top, Math.floor(topOf(row, how)));
  return { ...seen, top, height: Math.max(0, Math.min(seen.top + seen.height, Math.ceil(bottomOf(row, how))) - top) };
}

// Where a line of cells begins and ends; a row that is in the lens is there.
/** @param {number} y @param {How} how */
function topOf(y, { box, lens }) {
  return lens && !box.turned && y === lens.row ? lens.top : y * box.row;
}

/** @param {number} y @param {How} how */
function bottomOf(y, { box, lens }) {
  return lens && !box.turned && y === lens.row ? lens.top + lens.height : y * box.row + box.row;
}

// How long a bar is, as a share of its cell's width.
/** @param {number} change @param {number} largest */
function share(change, largest) {
  return Math.abs(barOf(change, largest)) / 100;
}

/**
 * @param {Matrix} matrix @param {ArrayLike<number>} before @param {How} how @param {Part} seen
 * @param {(x: number, y: number, change: number, value: number) => void} act told where the cell is seen: of a turned
 * matrix, its row is `x`
 */
function eachChanged({ rows, columns, values }, before, { box, limit, lens, numbers, told }, seen, act) {
  const [down, across] = box.turned ? [columns, rows] : [rows, columns];
  const whole = [Math.max(0, Math.floor(seen.top / box.row)),
    Math.min(down, Math.ceil((seen.top + seen.height) / box.row))];
  const [top, bottom] = told === null ? whole : [told, told + 1]; // of rows that stand in the spine, one alone has bars
  const [left, right] = [Math.max(0, Math.floor(seen.left / box.cell)),
    Math.min(across, Math.ceil((seen.left + seen.width) / box.cell))];
  for (let y = top; y < bottom; y += 1) {
    const covered = lens && !box.turned
      && (y === lens.row ? numbers : (y + 1) * box.row > lens.top && y * box.row < lens.top + lens.height);
    if (covered) continue;
    const [from, step] = box.turned ? [y, columns] : [y * columns, 1];
    for (let x = left; x < right; x += 1) {
      const at = from + x * step;
      const change = changeOf(values[at], before[at], limit);
      if (change && Number.isFinite(change)) act(x, y, change, values[at]);
    }
  }
}
