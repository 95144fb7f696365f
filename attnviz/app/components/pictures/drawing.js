// The layout of a heatmap: how much room its cells, names and title take, in pixels.

import { canvasOf } from "../../../board/cells/elements.js";
import { paintPixels } from "../../../board/cells/pixels.js";
import { FIGURES } from "../../../scripts/sent.js";

/** @import { Layout, Picture, Colours } from "./types.js" */
/** @import { Hatch } from "../../../scripts/sent.js" */

const TITLE = 14;
const SMALLEST_TITLE = 12; // the smallest size of a title's letters; they shrink if a narrow matrix has a long title
export const LABEL = 13;
const NARROWEST = 170; // two pictures of this width fit side by side on a phone, with their sentences in five lines
const LARGEST = 420; // the longest side of a matrix that shows no numbers

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;
const family = () => getComputedStyle(document.body).fontFamily;

/** @param {string} text @param {number} size @param {number} [weight] */
function widthOf(text, size, weight = 400) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return text.length * size * 0.6;
  const font = `${weight} ${size}px ${family()}`;
  if (ruler.font !== font) ruler.font = font;
  return ruler.measureText(text).width;
}

/** @param {string[]} texts @param {number} size */
function longest(texts, size) {
  return Math.max(0, ...texts.map((text) => widthOf(text, size)));
}

/** @param {Picture} picture @param {string[]} texts that stand in the cells @returns {Layout} */
export function layoutOf({ rows, columns, title, formula, inCell }, texts) {
  const cell = inCell ? { width: Math.ceil(Math.max(48, longest(texts, LABEL) + 9)), height: 25 }
    : bareCell(rows.length, columns.length);
  const left = Math.ceil(14 + longest(rows, LABEL) * 1.06); // a bold name is wider
  const across = cell.width * columns.length;
  const lengths = columns.map((label) => widthOf(label, LABEL));
  const labels = labelRoom(lengths, cell.width);
  const own = widthOf(title, TITLE, 700) + (formula ? widthOf(` = ${formula}`, TITLE) : 0) + 4;
  const whole = Math.ceil(Math.max(NARROWEST, (own * SMALLEST_TITLE) / TITLE, left + across + labels.right));
  return { cell, left, labels: { angle: labels.angle, room: labels.room }, whole,
    title: Math.floor(Math.min(TITLE, (TITLE * whole) / own) * 10) / 10 };
}

// Cells without numbers are high enough for the names of rows, as long as each row has a name.
/** @param {number} rows @param {number} columns */
function bareCell(rows, columns) {
  const most = Math.max(rows, columns);
  const side = Math.min(18, Math.max(most <= FIGURES.LABELLED ? LABEL : 1, LARGEST / most));
  return { width: columns < 10 ? Math.max(24, side) : side, height: side };
}

// The angle of the columns' names, and the room that they need above the cells and to their right.
/** @param {number[]} lengths @param {number} width of a cell */
function labelRoom(lengths, width) {
  const largest = Math.max(...lengths);
  if (largest <= width - 2) return { angle: 0, room: 20, right: 10 };
  if (width < 16) return { angle: -90, room: Math.ceil(10 + largest), right: 10 };
  const ends = lengths.map((length, at) => length * 0.72 - (lengths.length - at - 0.5) * width);
  return { angle: -45, room: Math.ceil(14 + largest * 0.72), right: Math.max(10, 4 + Math.max(...ends)) };
}

// The cells of a matrix that has no room for its numbers: its colours, and hatching where it holds no finite number.

const APART = 6; // pixels between two lines of hatching, at right angles to them

/** @param {HTMLCanvasElement} canvas
 *  @param {{ shown: Picture, values: Float64Array, kinds: Uint8Array | null }} cells @param {Colours} colours */
export function paint(canvas, { shown, values, kinds }, { ramps, hatches }) {
  const [down, across] = [shown.rows.length, shown.columns.length];
  const { width, height } = canvas.getBoundingClientRect();
  [canvas.width, canvas.height] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(canvas.width / across, canvas.height / down); // in units of cells
  const masked = (/** @type {number} */ kind) => kind === 1;
  if (kinds?.some(masked)) hatch(context, placesOf(kinds, across, masked), [across, down], hatches.masked);
  if (kinds?.some((kind) => kind > 1)) hatch(context, placesOf(kinds, across, (kind) => kind > 1), [across, down],
    hatches.undefined);
  context.imageSmoothingEnabled = false;
  // Each cell is one pixel of a small canvas, drawn large; cells without a finite number stay transparent, so that the
  // hatching shows.
  const small = canvasOf("", across, down);
  const image = new ImageData(across, down);
  paintPixels(new Uint32Array(image.data.buffer), { rows: down, columns: across, values }, { turned: false,
    limit: shown.limit, inks: ramps[shown.role].inks, negative: ramps.negative.inks, hidden: null });
  small.context.putImageData(image, 0, 0);
  context.drawImage(small.canvas, 0, 0, across, down);
}

/** @param {Uint8Array} kinds @param {number} across @param {(kind: number) => boolean} isMeant */
function placesOf(kinds, across, isMeant) {
  const places = new Path2D();
  kinds.forEach((kind, at) => {
    if (isMeant(kind)) places.rect(at % across, Math.floor(at / across), 1, 1);
  });
  return places;
}

/** @param {CanvasRenderingContext2D} context @param {Path2D} places @param {[number, number]} size
 *  @param {Hatch} how */
function hatch(context, places, size, { ground, line, crossed }) {
  context.save();
  context.clip(places);
  context.fillStyle = ground;
  context.fillRect(0, 0, ...size);
  const { width, height } = context.canvas;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.strokeStyle = line;
  context.lineWidth = devicePixelRatio;
  context.beginPath();
  for (let at = 0; at < width + height; at += APART * Math.SQRT2 * devicePixelRatio) {
    context.moveTo(at, 0);
    context.lineTo(at - height, height);
    if (!crossed) continue;
    context.moveTo(width - at, 0);
    context.lineTo(width - at + height, height);
  }
  context.stroke();
  context.restore();
}
