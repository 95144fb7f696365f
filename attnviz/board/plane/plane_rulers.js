// The lines of the axes through a picture, and where their names stand.

import { line } from "./plane_geometry.js";
import { overlap, widthOf } from "./plane_labels.js";

/** @import { Ruler, Size, View } from "./plane_types.js" */

export const LETTER = 12; // pixels of all letters in the picture
export const LINE = 15; // and of a line of them
const GAP = 3;

// Of two axes, the one across and the one upwards; null for one that has no name, and no line of its own.
/** @param {View} view @param {Size} size @param {number} scale @param {(string | null)[]} names @returns {Ruler[]} */
export function rulersOf({ origin: [x, y] }, { width, height }, scale, [across = null, upwards = null]) {
  const box = (/** @type {string} */ text) => ({ text, width: widthOf(text, LETTER * scale), height: LINE * scale });
  const gap = GAP * scale;
  /** @type {Ruler[]} */
  const rulers = [];
  if (upwards !== null) {
    const named = box(upwards);
    const right = x + gap + named.width <= width;
    rulers.push({ ...named, x: within(right ? x + gap : x - gap - named.width, width - named.width), y: 0, path: isBetween(x, width) ? line([x, 0], [x, height]) : "" });
  }
  if (across !== null) {
    const named = box(across);
    const below = y + gap + named.height <= height;
    const stands = { ...named, x: width - named.width, y: within(below ? y + gap : y - gap - named.height, height - named.height) };
    const lies = () => rulers.some((other) => overlap(other, stands));
    if (lies()) stands.x = 0;
    if (lies()) stands.y = named.height; // the picture is narrower than both names
    rulers.push({ ...stands, path: isBetween(y, height) ? line([0, y], [width, y]) : "" });
  }
  return rulers;
}

/** @param {number} at @param {number} end */
function isBetween(at, end) {
  return at >= 0 && at <= end;
}

/** @param {number} at @param {number} most */
function within(at, most) {
  return Math.max(0, Math.min(at, most));
}
