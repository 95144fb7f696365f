// How much room everything of a heatmap takes.

import { FIGURES } from "../../../scripts/sent.js";

/** @import { Layout, Picture } from "./types.js" */

const TITLE = 14;
const SMALLEST_TITLE = 12; // of its letters, which shrink where a narrow matrix has a long title
export const LABEL = 13;
const NARROWEST = 170; // two stand beside each other on a telephone, and their sentences in five lines
const LARGEST = 420; // of a side of cells without numbers

/** @type {CanvasRenderingContext2D | null} */
let context = null;
const family = () => getComputedStyle(document.body).fontFamily;

/** @param {string} text @param {number} size @param {number} [weight] */
function widthOf(text, size, weight = 400) {
  context ??= document.createElement("canvas").getContext("2d");
  if (!context) return text.length * size * 0.6;
  const font = `${weight} ${size}px ${family()}`;
  if (context.font !== font) context.font = font;
  return context.measureText(text).width;
}

/** @param {string[]} texts @param {number} size */
function longest(texts, size) {
  return Math.max(0, ...texts.map((text) => widthOf(text, size)));
}

/** @param {Picture} picture @param {string[]} texts that stand in the cells @returns {Layout} */
export function layoutOf({ rows, columns, title, formula, inCell }, texts) {
  const cell = inCell ? { width: Math.ceil(Math.max(38, longest(texts, LABEL) + 9)), height: 25 } : bareCell(rows.length, columns.length);
  const left = Math.ceil(14 + longest(rows, LABEL) * 1.06); // one may be bold
  const across = cell.width * columns.length;
  const lengths = columns.map((label) => widthOf(label, LABEL));
  const labels = labelRoom(lengths, cell.width);
  const own = widthOf(title, TITLE, 700) + (formula ? widthOf(` = ${formula}`, TITLE) : 0) + 4;
  const whole = Math.ceil(Math.max(NARROWEST, (own * SMALLEST_TITLE) / TITLE, left + across + labels.right));
  return { cell, left, labels: { angle: labels.angle, room: labels.room }, whole, title: Math.floor(Math.min(TITLE, (TITLE * whole) / own) * 10) / 10 };
}

// The names of rows have room beside each other, as far as each row has its own.
/** @param {number} rows @param {number} columns */
function bareCell(rows, columns) {
  const most = Math.max(rows, columns);
  const side = Math.min(18, Math.max(most <= FIGURES.LABELLED ? LABEL : 1, LARGEST / most));
  return { width: columns < 10 ? Math.max(24, side) : side, height: side };
}

// How the names of columns stand, and the room that they need above the cells and to their right.
/** @param {number[]} lengths @param {number} width of a cell */
function labelRoom(lengths, width) {
  const largest = Math.max(...lengths);
  if (largest <= width - 2) return { angle: 0, room: 20, right: 10 };
  if (width < 16) return { angle: -90, room: Math.ceil(10 + largest), right: 10 };
  const ends = lengths.map((length, at) => length * 0.72 - (lengths.length - at - 0.5) * width);
  return { angle: -45, room: Math.ceil(14 + largest * 0.72), right: Math.max(10, 4 + Math.max(...ends)) };
}
