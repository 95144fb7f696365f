// How wide the words over the matrices are, by their letters, and what has room beside them.

/** @import { BoardData } from "../types.js" */

export const LETTER = { size: 20, width: 11 }; // pixels at most
const AROUND = 34; // of a chip, beside its letters
export const BETWEEN = 14;
const SAYS = 350; // the room that what is read takes beside the words
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f000}-\u{1faff}]/u;

// How wide a word's chip is, by its letters.
/** @param {string} label @param {number} by */
export function widthOf(label, by) {
  const letters = [...label].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);
  return by * (Math.min(letters, 24) * LETTER.width + AROUND);
}

/** @param {string[]} labels @param {number} by */
export function lengthOf(labels, by) {
  return labels.reduce((sum, label) => sum + widthOf(label, by), 0) + by * BETWEEN * (labels.length - 1);
}

// All words over the matrices: those that read, and behind them those that are read, where these are others.
/** @param {Pick<BoardData, "labels" | "keys" | "others">} data */
export function wordsOf({ labels, keys, others }) {
  return others ? [...labels, "", ...keys] : labels;
}

// Whether what is read has no room beside the words.
/** @param {string[]} labels @param {number} width */
export function saysBelow(labels, width) {
  return lengthOf(labels, 1) + SAYS > width;
}
