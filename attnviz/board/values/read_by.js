// Who reads a token: its column of the attention weights, in a sentence of the board's own numbers. Other than a row, a
// column hands out no whole: each reader gives the token a share of its own.

import { areOfOthers, ownerOf } from "../cells/cell.js";
import { percent } from "./percent.js";
import { areSame, evenShare, namesOf, readableFor } from "./reads_most.js";
import { say } from "../../scripts/sentences.js";

/** @import { Made } from "../types.js" */

/** @typedef {{ token: number, share: number, even: string }} Reader `even` is what it would be if all that share with it got the same; blank where there's none */

// Who reads a token most, and what an even share would be; blank where those who do have different ones. The token is
// one of those that are read: of another sentence, or of more than this one, it has other places than those that read.
/** @param {Made} made @param {number} key @returns {[said: string, even: string]} */
export function readBy(made, key) {
  if (areOfOthers(made.stages.get("attention_weights"))) return pieceReadBy(made, key);
  const { names, readNames } = made;
  const [token, own] = [readNames[key], ownQuery(made, key)];
  const readers = readersOf(made, key);
  if (readers.some(({ share }) => Number.isNaN(share))) return [say("board.read_by.undefined", { token }), ""];
  if (!readers.length) return [say(`board.read_by.${kindOf(made, key, readers, [])}`, { token }), ""];
  const largest = Math.max(...readers.map(({ share }) => share));
  const weight = percent(largest);
  const most = readers.filter(({ share }) => areSame(largest, share) && percent(share) === weight);
  const kind = kindOf(made, key, readers, most);
  const who = namesOf(names, own, most.map((reader) => reader.token), (name) => say("board.named", { token: name }));
  const evens = new Set(most.map(({ even }) => even));
  const even = readNames.length > 1 && evens.size === 1 && most[0].even ? say("board.even", { even: most[0].even }) : "";
  return [say(`board.read_by.${kind}`, { token, names: who, weight, count: names.length }), even];
}

// The place that a token that is read has among those that read; below 0 where it's of another sentence.
/** @param {Made} made @param {number} key */
function ownQuery({ stages }, key) {
  const from = stages.get("attention_weights").own_from;
  return from === null ? -1 : key - from;
}

// The same of a row that is a piece of another token than its place says: told by rows.
/** @param {Made} made @param {number} key @returns {[said: string, even: string]} */
function pieceReadBy(made, key) {
  const weights = made.stages.get("attention_weights");
  const { columns, rows, values } = made.matrices.attention_weights;
  const whose = (/** @type {string[]} */ names, /** @type {number} */ at) => names[ownerOf(weights, at, names.length)];
  const places = { row: key, token: whose(made.readNames, key) };
  const readers = Array.from({ length: rows }, (_, row) => row).filter((row) => readableFor(made, row).includes(key));
  if (!readers.length) return [say("board.read_by.mixed_hidden", places), ""];
  const shares = readers.map((row) => values[row * columns + key]);
  if (shares.some(Number.isNaN)) return [say("board.read_by.mixed_undefined", places), ""];
  const most = Math.max(...shares);
  const reader = readers[shares.indexOf(most)];
  const even = evenShare(made, reader, key);
  const said = say("board.read_by.mixed", { ...places, reader, other: whose(made.names, reader), weight: percent(most) });
  return [said, even === null ? "" : say("board.even", { even: percent(even) })];
}

// Those who have a choice whether to read it: none that a mask hides it from, nor one that has nothing else to read.
/** @param {Made} made @param {number} key @returns {Reader[]} */
function readersOf(made, key) {
  const { columns: count, values } = made.matrices.attention_weights;
  return made.names.flatMap((_, token) => {
    const readable = readableFor(made, token);
    if (!readable.includes(key) || (readable.length === 1 && count > 1)) return [];
    const even = evenShare(made, token, key);
    return [{ token, share: values[token * count + key], even: even === null ? "" : percent(even) }];
  });
}

/** @param {Made} made @param {number} key @param {Reader[]} readers @param {Reader[]} most */
function kindOf(made, key, readers, most) {
  const [count, own] = [made.names.length, ownQuery(made, key)];
  const each = most.length > 1 ? "_each" : "";
  if (made.readNames.length === 1 && own === 0) return "alone";
  if (!readers.length) return isRead(made, key) ? "by_rows_of_one" : "hidden";
  if (own >= 0 && String(readableFor(made, own)) === String(key)) return `first${each}`;
  if (count === 1 && own !== 0) return "only_reader";
  if (readers.length === 1) return readers[0].token !== own ? "one" : own === count - 1 ? "last" : "itself";
  if (readers.length === count && most.length === count) return count === 2 ? "equally_both" : "equally";
  return `most${each}`;
}

// Whether any token may read it.
/** @param {Made} made @param {number} key */
function isRead(made, key) {
  return made.names.some((_, token) => readableFor(made, token).includes(key));
}
