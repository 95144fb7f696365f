// Who reads a token: its column of the attention weights, in a sentence of the board's own numbers. Other than a row, a
// column hands out no whole: each reader gives the token a share of its own.

import { areSame, namesOf, percent } from "./reads_most.js";
import { say } from "../../scripts/sentences.js";

/** @import { Made } from "../types.js" */

/** @typedef {{ token: number, share: number, even: string }} Reader `even` is what a reader would give each token that it may read, if all got the same */

// Who reads a token most, and what an even share would be; blank where those who do have different ones.
/** @param {Made} made @param {number} key @returns {[said: string, even: string]} */
export function readBy(made, key) {
  const { names } = made;
  const token = names[key];
  const readers = readersOf(made, key);
  if (readers.some(({ share }) => Number.isNaN(share))) return [say("board.read_by.undefined", { token }), ""];
  const largest = Math.max(...readers.map(({ share }) => share));
  const weight = percent(largest);
  const most = readers.filter(({ share }) => areSame(largest, share) && percent(share) === weight);
  const kind = kindOf(made, key, readers.length, most);
  const who = namesOf(names, key, most.map((reader) => reader.token), (name) => say("board.named", { token: name }));
  const evens = new Set(most.map(({ even }) => even));
  const even = names.length > 1 && evens.size === 1 ? say("board.even", { even: most[0].even }) : "";
  return [say(`board.read_by.${kind}`, { token, names: who, weight, count: names.length }), even];
}

// Those who have a choice whether to read it: under a mask none before it, nor the first, which has nothing else to read.
/** @param {Made} made @param {number} key @returns {Reader[]} */
function readersOf({ settings: { causal }, matrices }, key) {
  const { columns: count, values } = matrices.attention_weights;
  const from = causal ? Math.max(key, Math.min(1, count - 1)) : 0;
  return Array.from({ length: count - from }, (_, at) => {
    const token = from + at;
    return { token, share: values[token * count + key], even: percent(1 / (causal ? token + 1 : count)) };
  });
}

/** @param {Made} made @param {number} key @param {number} count @param {Reader[]} most */
function kindOf({ names, settings: { causal } }, key, count, most) {
  const each = most.length > 1 ? "_each" : "";
  if (names.length === 1) return "alone";
  if (causal && key === 0) return `first${each}`;
  if (causal && count === 1) return "last";
  if (!causal && most.length === count) return count === 2 ? "equally_both" : "equally";
  return `most${each}`;
}
