// Who reads a token: its column of the attention weights, in a sentence of the board's own numbers. Other than a row, a
// column hands out no whole: each reader gives the token a share of its own.

import { areSame, evenShare, namesOf, percent, readableFor } from "./reads_most.js";
import { say } from "../../scripts/sentences.js";

/** @import { Made } from "../types.js" */

/** @typedef {{ token: number, share: number, even: string }} Reader `even` is what it would be if all that share with it got the same; blank where there's none */

// Who reads a token most, and what an even share would be; blank where those who do have different ones.
/** @param {Made} made @param {number} key @returns {[said: string, even: string]} */
export function readBy(made, key) {
  const { names } = made;
  const token = names[key];
  const readers = readersOf(made, key);
  if (readers.some(({ share }) => Number.isNaN(share))) return [say("board.read_by.undefined", { token }), ""];
  if (!readers.length) return [say(`board.read_by.${kindOf(made, key, readers, [])}`, { token }), ""];
  const largest = Math.max(...readers.map(({ share }) => share));
  const weight = percent(largest);
  const most = readers.filter(({ share }) => areSame(largest, share) && percent(share) === weight);
  const kind = kindOf(made, key, readers, most);
  const who = namesOf(names, key, most.map((reader) => reader.token), (name) => say("board.named", { token: name }));
  const evens = new Set(most.map(({ even }) => even));
  const even = names.length > 1 && evens.size === 1 && most[0].even ? say("board.even", { even: most[0].even }) : "";
  return [say(`board.read_by.${kind}`, { token, names: who, weight, count: names.length }), even];
}

// Those who have a choice whether to read it: none that a mask hides it from, nor one that has nothing else to read.
/** @param {Made} made @param {number} key @returns {Reader[]} */
function readersOf(made, key) {
  const { columns: count, values } = made.matrices.attention_weights;
  return Array.from({ length: count }, (_, token) => token).flatMap((token) => {
    const readable = readableFor(made, token);
    if (!readable.includes(key) || (readable.length === 1 && count > 1)) return [];
    const even = evenShare(made, token, key);
    return [{ token, share: values[token * count + key], even: even === null ? "" : percent(even) }];
  });
}

/** @param {Made} made @param {number} key @param {Reader[]} readers @param {Reader[]} most */
function kindOf(made, key, readers, most) {
  const count = made.names.length;
  const each = most.length > 1 ? "_each" : "";
  if (count === 1) return "alone";
  if (!readers.length) return isRead(made, key) ? "by_rows_of_one" : "hidden";
  if (String(readableFor(made, key)) === String(key)) return `first${each}`;
  if (readers.length === 1) return readers[0].token !== key ? "one" : key === count - 1 ? "last" : "itself";
  if (readers.length === count && most.length === count) return count === 2 ? "equally_both" : "equally";
  return `most${each}`;
}

// Whether any token may read it.
/** @param {Made} made @param {number} key */
function isRead(made, key) {
  return made.names.some((_, token) => readableFor(made, token).includes(key));
}
