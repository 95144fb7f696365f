// How much numbers change during a drag, and the bars in cells that show it.

/** @import { Lens } from "./pixels.js" */

const ROUNDING = 2e-6; // share of the largest number
export const LEAST_BAR = 3; // percent of a cell's width, so that even the smallest change is visible

// A number's change; 0 if it is so small that it may only come from rounding, in which the page and torch differ.
/** @param {number} value @param {number} before @param {number} limit */
export function changeOf(value, before, limit) {
  const change = value - before;
  return Math.abs(change) > ROUNDING * limit ? change : 0;
}

// The largest change in a matrix; the lengths of its bars are relative to it.
/** @param {ArrayLike<number>} values @param {ArrayLike<number>} before */
export function largestChange(values, before) {
  let largest = 0;
  for (let at = 0; at < values.length; at += 1) {
    const change = Math.abs(values[at] - before[at]);
    if (change > largest && change < Infinity) largest = change;
  }
  return largest;
}

// The length of a change's bar in percent of a cell's width, at most half of it; negative if it grows to the left.
/** @param {number} change @param {number} largest */
export function barOf(change, largest) {
  return change && Number.isFinite(change) ? Math.sign(change) * Math.round(Math.max(LEAST_BAR,
    (50 * Math.abs(change)) / largest)) : 0;
}

// The bar's CSS background-position, which counts percentages of the room that the bar leaves in the cell.
export function besideMiddle(/** @type {number} */ bar) {
  const length = Math.abs(bar);
  return `${Math.round((100 * (bar > 0 ? 50 : 50 - length)) / (100 - length))}% 100%`;
}

// ---- bars in large matrices ----

// A large matrix is drawn on a canvas, and during a drag each visible changed cell gets a bar. In cells of at least
// ROOM pixels it is a rectangle; in smaller ones a dash, one pixel high, written into the image directly, because with
// a thousand tokens a hundred thousand cells may be in view.

const ROOM = 4; // pixels, both ways
const HIGH = 2;
const FAINT = 0.35; // opacity of the smallest change's dash: dashes are too short to show the size by their length

/** @typedef {{ left: number, top: number, width: number, height: number }} Part area of a canvas, in whole pixels */
/**
 * @typedef {{
 *   box: Box, limit: number, largest: number, told: number | null, lens: Lens | null, numbers: boolean,
 *   inkOf: (value: number) => string,
 * }} How
 */

/**
 * Draw a bar for each cell whose number has changed: from the middle to the right for an increase, to the left for a
 * decrease. If the enlarged row shows numbers, its cells draw bars of their own; cells below the lens get none.
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
 * Write the dashes into the pixels of a part of the canvas: each in the lowest line of its cell, at least one pixel
 * long, and the more opaque the larger the change.
 * @param {Uint32Array} pixels @param {Matrix} matrix @param {ArrayLike<number>} before @param {How} how @param {Part}
 * seen
 */
export function dash(pixels, matrix, before, how, seen) {
  const width = how.box.cell;
  // All dashes in a line of cells lie equally high, which is computed once per line, not for each of thousands of
  // cells.
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

// The part of the visible area that a row covers.
/** @param {number} row @param {How} how @param {Part} seen @returns {Part} */
function ofRow(row, how, seen) {
  const top = Math.max(seen.top, Math.floor(topOf(row, how)));
  return { ...seen, top, height: Math.max(0, Math.min(seen.top + seen.height, Math.ceil(bottomOf(row, how))) - top) };
}

// The upper and the lower edge of a line of cells; the enlarged row has those of the lens.
/** @param {number} y @param {How} how */
function topOf(y, { box, lens }) {
  return lens && !box.turned && y === lens.row ? lens.top : y * box.row;
}

/** @param {number} y @param {How} how */
function bottomOf(y, { box, lens }) {
  return lens && !box.turned && y === lens.row ? lens.top + lens.height : y * box.row + box.row;
}

// A bar's length as a share of its cell's width.
/** @param {number} change @param {number} largest */
function share(change, largest) {
  return Math.abs(barOf(change, largest)) / 100;
}

/**
 * @param {Matrix} matrix @param {ArrayLike<number>} before @param {How} how @param {Part} seen
 * @param {(x: number, y: number, change: number, value: number) => void} act gets the place on screen: of a transposed
 * matrix, the cell's row is `x`
 */
function eachChanged({ rows, columns, values }, before, { box, limit, lens, numbers, told }, seen, act) {
  const [down, across] = box.turned ? [columns, rows] : [rows, columns];
  const whole = [Math.max(0, Math.floor(seen.top / box.row)),
    Math.min(down, Math.ceil((seen.top + seen.height) / box.row))];
  const [top, bottom] = told === null ? whole : [told, told + 1]; // on the spine, only the picked row has bars
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
