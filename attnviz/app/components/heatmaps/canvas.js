// The cells of a matrix that has no room for its numbers: its colours, and hatching where it holds no finite number.

import { stepOf } from "../../../board/cells/colours.js";

/** @import { Colours, Picture } from "./types.js" */
/** @import { Hatch } from "../../../scripts/sent.js" */

const APART = 6; // pixels between two lines of hatching, at right angles to them

/** @param {HTMLCanvasElement} canvas @param {{ shown: Picture, values: Float64Array, kinds: Uint8Array | null }} cells @param {Colours} colours */
export function paint(canvas, { shown, values, kinds }, { ramps, hatches }) {
  const [down, across] = [shown.rows.length, shown.columns.length];
  const { width, height } = canvas.getBoundingClientRect();
  [canvas.width, canvas.height] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(canvas.width / across, canvas.height / down); // in units of cells
  const masked = (/** @type {number} */ kind) => kind === 1;
  if (kinds?.some(masked)) hatch(context, placesOf(kinds, across, masked), [across, down], hatches.masked);
  if (kinds?.some((kind) => kind > 1)) hatch(context, placesOf(kinds, across, (kind) => kind > 1), [across, down], hatches.undefined);
  context.imageSmoothingEnabled = false;
  context.drawImage(coloured(values, down, across, shown, ramps), 0, 0, across, down);
}

// One pixel for each cell; those that hold no number stay open.
/** @param {Float64Array} values @param {number} rows @param {number} columns @param {Picture} picture @param {Colours["ramps"]} ramps */
function coloured(values, rows, columns, { role, limit }, ramps) {
  const small = Object.assign(document.createElement("canvas"), { width: columns, height: rows });
  const context = small.getContext("2d");
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const [up, below] = [ramps[role].inks, ramps.negative.inks];
  values.forEach((value, at) => {
    pixels[at] = Number.isFinite(value) ? (value < 0 ? below : up)[stepOf(value, limit)] : 0;
  });
  context?.putImageData(image, 0, 0);
  return small;
}

/** @param {Uint8Array} kinds @param {number} across @param {(kind: number) => boolean} isMeant */
function placesOf(kinds, across, isMeant) {
  const places = new Path2D();
  kinds.forEach((kind, at) => {
    if (isMeant(kind)) places.rect(at % across, Math.floor(at / across), 1, 1);
  });
  return places;
}

/** @param {CanvasRenderingContext2D} context @param {Path2D} places @param {[number, number]} size @param {Hatch} how */
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
