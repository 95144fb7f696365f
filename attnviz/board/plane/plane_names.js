// The names in a picture: what they are of, how large they are, and where they stand.

import { NAMED, placesOf, shortened, widthOf } from "./plane_labels.js";
import { LETTER, LINE } from "./plane_rulers.js";

/** @import { Named, Picture, Size } from "./plane_types.js" */

export const MAIN = "main";

/**
 * The places of the names in a picture; a word that is pointed at has its name, however many there are.
 * @param {Picture} picture @param {string[]} labels @param {Size} size @param {number} scale
 * @param {Map<string, number>} kept @param {number | null} pointed
 */
export function namesIn(picture, labels, size, scale, kept = new Map(), pointed = null) {
  const lines = picture.marks.map(({ at, width }) => ({ from: picture.hub, to: at, width }));
  if (picture.main) lines.push({ from: picture.hub, to: picture.main.at, width: 3 * scale });
  const named = namedIn(picture, labels, size, scale, pointed);
  return { named, ...placesOf(named, picture.rulers, lines, size, scale, kept) };
}

// What wants a name: the query or the context first, then words by what they are given.
/** @param {Picture} picture @param {string[]} labels @param {Size} size @param {number} scale @param {number | null} pointed @returns {Named[]} */
function namedIn(picture, labels, size, scale, pointed) {
  const [letter, height] = [LETTER * scale, LINE * scale];
  const inTurn = picture.marks.toSorted((a, b) => b.weight - a.weight || a.word - b.word);
  const words = inTurn.map(({ word, at, radius }, turn) => ({
    id: String(word), at, radius, height, width: Math.min(size.width, widthOf(shortened(labels[word]), letter)),
    rank: word === pointed && turn >= NAMED ? 1 : turn + 1,
  }));
  if (!picture.main) return words;
  const { at, radius, label } = picture.main;
  return [{ id: MAIN, at, radius, height, width: widthOf(cut(label, size.width, scale), letter), rank: 0 }, ...words];
}

// Cut to a width.
/** @param {string} text @param {number} width @param {number} scale */
export function cut(text, width, scale) {
  const letters = [...text];
  const whole = letters.length;
  while (letters.length > 1 && widthOf(letters.join("") + (letters.length < whole ? "…" : ""), LETTER * scale) > width) letters.pop();
  return letters.length < whole ? `${letters.join("")}…` : text;
}
