// What a token reads most, by the board's own numbers, so that sentences follow while a number is dragged.
// `attends_most` of attnviz/explanation/summary.py says the same of torch's numbers. A test compares the two.

import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";
import { areOfOthers, ownerOf } from "../cells/cell.js";
import { hiddenIn } from "./dependencies.js";
import { lineOf } from "./matrices.js";
import { percent, total } from "./numbers.js";

const SAME = Math.fround(CONSTANTS.SAME); // float32, as in torch's comparison
const WHOLE = 1e-3; // how far a sum of shares may be from 1
const { BY_CHANCE, NAMED } = CONSTANTS;
/** @type {Record<string, string>} for random numbers: the kind of a sentence about readers -> the more cautious one */
const READ_BY_CHANCE = { most: "most", most_each: "most", first: "first", first_each: "first" };

// What a token reads most, in percent, and what an even share would be. The second is blank if there's no even share,
// or if the token can read only one.
/** @param {Trace} trace @param {number} query @returns {[reads: string, even: string]} */
export function readsInPercent(trace, query) {
  const reach = readableFor(trace, query).length;
  let byChance = false;
  const sentenceOf = (/** @type {string} */ kind, /** @type {Record<string, string | number>} */ places) => {
    byChance = Boolean(trace.chance) && kind in BY_CHANCE;
    return byChance ? cautious(trace, say(`summary.by_chance.${BY_CHANCE[kind]}`, places))
      : say(`board.reads.${kind.replace("of_rest", "most")}`, places);
  };
  const sentence = mostRead(trace, query, sentenceOf, (token) => say("board.named", { token }), percent);
  const row = lineOf(trace.matrices.attention_weights, query);
  const none = byChance || reach <= 1 || !sharesAll(trace) || isUnknown(trace, query) || row.some(Number.isNaN);
  return [sentence, none ? "" : say("board.even", { even: percent(1 / reach) })];
}

// Put a finding, which names no share, after a warning that the numbers are random. attnviz/explanation/summary.py does
// the same.
function cautious(/** @type {Pick<Trace, "chance">} */ { chance }, /** @type {string} */ finding) {
  return say(`summary.chance.${chance}`, { finding });
}

// Whether rows sum to 1. They don't if a mask comes after the softmax and isn't followed by sharing out again, if the
// softmax runs over anything but rows, or if one softmax is subtracted from another.
function sharesAll(/** @type {Pick<Trace, "stages">} */ { stages }) {
  const { shares, signed } = stages.get("attention_weights").is;
  return !signed && (shares?.all ?? true);
}

// The axis along which attention weights sum to 1: rows, unless a switch of What if changes that.
function axisOf(/** @type {Pick<Trace, "stages">} */ { stages }) {
  return stages.get("attention_weights").settings.axis ?? "rows";
}

// Whether something takes a part of each row, which no token gets: a mask after the softmax, a sink, or another softmax
// that is subtracted.
function isLate(/** @type {Pick<Trace, "stages">} */ { stages }) {
  const { shares, signed } = stages.get("attention_weights").is;
  const { over, all } = shares ?? { over: "rows", all: true };
  return signed || over === null || (over === "rows" && !all);
}

// Whether the even share is unknown, of weights that are given themselves. Without a mask, a 0 may stand for a hidden
// cell; and where a row doesn't sum to 1, something else has a share.
/** @param {Pick<Trace, "stages" | "matrices">} trace @param {number} query */
function isUnknown({ stages, matrices }, query) {
  const weights = stages.get("attention_weights");
  if (weights.rule !== "given") return false;
  const row = lineOf(matrices.attention_weights, query);
  return Math.abs(total(Array.from(row)) - 1) > WHOLE || (row.includes(0) && !hiddenIn({ stages, matrices }, weights));
}

// The share that a cell would get if all cells that share with it got the same: those of its row, or of whatever the
// softmax runs over. Null if a mask takes shares away that no cell gets, if the cell is hidden, or if it's unknown
// which cells may be read.
/** @param {Pick<Trace, "stages" | "matrices">} trace @param {number} row @param {number} column */
export function evenShare(trace, row, column) {
  const weights = trace.stages.get("attention_weights");
  const { rows, columns } = trace.matrices.attention_weights;
  const hidden = hiddenIn(trace, weights);
  if (isLate(trace) || isUnknown(trace, row) || hidden?.(row, column)) return null;
  const axis = axisOf(trace);
  const across = axis === "rows" ? [row] : Array.from({ length: rows }, (_, at) => at);
  const down = axis === "columns" ? [column] : Array.from({ length: columns }, (_, at) => at);
  if (!hidden) return 1 / (across.length * down.length);
  return 1 / across.reduce((sum, r) => sum + down.reduce((n, c) => n + Number(!hidden(r, c)), 0), 0);
}

// The even share of all keys that a token may read; null if they have different ones.
/** @param {Pick<Trace, "stages" | "matrices">} trace @param {number} query */
export function evenShareOfRow(trace, query) {
  const readable = readableFor(trace, query);
  const shares =
    new Set((axisOf(trace) === "columns" ? readable : readable.slice(0, 1)).map((key) => evenShare(trace, query, key)));
  return shares.size === 1 ? [...shares][0] : null;
}

// The keys that no mask hides from a query.
/** @param {Pick<Trace, "stages" | "matrices">} trace @param {number} query */
function readableFor(trace, query) {
  const hidden = hiddenIn(trace, trace.stages.get("attention_weights"));
  const all = Array.from({ length: trace.matrices.attention_weights.columns }, (_, key) => key);
  return hidden ? all.filter((key) => !hidden(query, key)) : all;
}

/**
 * Say what a token reads most. `sentenceOf` makes the sentence, from its kind and the texts for its places; `name`
 * writes a token, `write` a weight.
 * @param {Trace} trace @param {number} query
 * @param {(kind: string, places: Record<string, string | number>) => string} sentenceOf
 * @param {(token: string) => string} name @param {(weight: number) => string} write
 */
export function mostRead(trace, query, sentenceOf, name, write) {
  const { names, readNames, matrices } = trace;
  const from = trace.stages.get("attention_weights").first_own_key;
  const own = from === null ? -1 : from + query; // the key of the token itself; none if keys are of another sentence
  const { columns: count } = matrices.attention_weights;
  const readable = readableFor(trace, query);
  const row = rowOf(trace, query, readable);
  const token = names[query];
  const weights = trace.stages.get("attention_weights");
  if (areOfOthers(weights)) {
    const places = { row: query, token: names[ownerOf(weights, query, names.length)] };
    if (!readable.length) return sentenceOf("mixed_nothing", places);
    if (row.some(Number.isNaN)) return sentenceOf("mixed_undefined", places);
    const most = Math.max(...row);
    const key = row.indexOf(most);
    return sentenceOf("mixed",
      { ...places, weight: write(most), key, other: readNames[ownerOf(weights, key, readNames.length)] });
  }
  const reach = readable.length;
  if (!reach) return sentenceOf("nothing", { token });
  const { scaled_scores: scores } = trace.matrices; // the input of the softmax, or of what replaces it
  if (row.some(Number.isNaN)) return sentenceOf(row.every(Number.isNaN) && scores
    && lineOf(scores, query).every(Number.isFinite) ? "lost" : "undefined", { token });
  const largest = Math.max(...row);
  const weight = write(largest);
  if (reach === 1) {
    const only = readable[0] !== own ? "only" : own ? "itself" : "first";
    return sentenceOf(count > 1 || from === null ? only : "alone",
      { token, names: namesOf(readNames, own, readable, name), weight });
  }
  // Weights that are written alike count as a tie, but not all of them are called equal only because they're written
  // alike.
  const alike = readable.filter((key) => write(row[key]) === weight);
  const ties = alike.length < reach ? alike : alike.filter((key) => areSame(largest, row[key]));
  const each = ties.length > 1 ? "_each" : "";
  const those = { token, names: namesOf(readNames, own, ties, name), weight };
  if (!sharesAll(trace)) return sentenceOf(`of_rest${each}`, those);
  if (ties.length === reach) {
    const both = reach === 2 ? "_both" : "";
    if (reach === count) return sentenceOf(`equally${both}`, { token, count, weight });
    const past = readable.every((key, at) => key === at) && reach === own + 1;
    return sentenceOf(past ? `equally_masked${both}` : "equally_readable", { token, n: reach, weight });
  }
  const even = write(1 / reach);
  const kind = (even === weight ? "barely" : "most") + each;
  return sentenceOf(kind, { ...those, even });
}

// The attention weights of a token. If shares are made over columns, keys that it may not read count as 0, because a
// column that nobody may read has no shares.
/** @param {Pick<Trace, "stages" | "matrices">} trace @param {number} query @param {number[]} readable */
function rowOf({ stages, matrices }, query, readable) {
  const row = Array.from(lineOf(matrices.attention_weights, query));
  return axisOf({ stages }) === "columns" ? row.map((value, key) => (readable.includes(key) ? value : 0)) : row;
}

// Whether a weight is as large as the largest.
/** @param {number} largest @param {number} value */
function areSame(largest, value) {
  return Math.fround(largest - value) < SAME;
}

/** @param {string[]} labels @param {number} query @param {number[]} keys @param {(token: string) => string} name */
export function namesOf(labels, query, keys, name) {
  const names = keys.map((key) => (key === query ? say("summary.itself") : name(labels[key])));
  return listed(names, NAMED);
}

/** @param {string[]} names @param {number} most */
export function listed(names, most) {
  if (names.length > most)
    return say("summary.more", { names: names.slice(0, most).join(", "), rest: names.length - most });
  return names.length > 1 ? say("summary.and", { first: names.slice(0, -1).join(", "), last: names[names.length - 1] })
    : names[0];
}

// Who reads a token, by its column of the attention weights, in a sentence about the board's own numbers. Unlike a row,
// a column doesn't share out a whole: each reader gives the token a share of its own.

/** @typedef {{ token: number, share: number, even: string }} Reader `even` is the share if all that share with it got
 *  the same; blank if there's none */

// Who reads a token most, and what an even share would be; blank if those readers have different even shares. `key`
// counts the tokens that are read: in cross-attention, or with kept tokens, a token's place among them isn't its place
// among those that read.
/** @param {Trace} trace @param {number} key @returns {[said: string, even: string]} */
export function readBy(trace, key) {
  if (areOfOthers(trace.stages.get("attention_weights"))) return pieceReadBy(trace, key);
  const { names, readNames } = trace;
  const [token, own] = [readNames[key], ownQuery(trace, key)];
  const readers = readersOf(trace, key);
  if (readers.some(({ share }) => Number.isNaN(share))) return [say("board.read_by.undefined", { token }), ""];
  if (!readers.length) return [say(`board.read_by.${kindOf(trace, key, readers, [])}`, { token }), ""];
  const largest = Math.max(...readers.map(({ share }) => share));
  const weight = percent(largest);
  const most = readers.filter(({ share }) => areSame(largest, share) && percent(share) === weight);
  const kind = kindOf(trace, key, readers, most);
  const who = namesOf(names, own, most.map((reader) => reader.token), (name) => say("board.named", { token: name }));
  if (trace.chance && kind in READ_BY_CHANCE)
    return [cautious(trace, say(`board.read_by_chance.${READ_BY_CHANCE[kind]}`, { token, names: who })), ""];
  const evens = new Set(most.map(({ even }) => even));
  const even = readNames.length > 1 && evens.size === 1
    && most[0].even ? say("board.even", { even: most[0].even }) : "";
  return [say(`board.read_by.${kind}`, { token, names: who, weight, count: names.length }), even];
}

// The place of a key among the tokens that read; below 0 if it isn't one of them.
/** @param {Trace} trace @param {number} key */
function ownQuery({ stages }, key) {
  const from = stages.get("attention_weights").first_own_key;
  return from === null ? -1 : key - from;
}

// The same if heads are cut in a way that mixes tokens, so that a row is a piece of another token than its place says.
// It names rows instead.
/** @param {Trace} trace @param {number} key @returns {[said: string, even: string]} */
function pieceReadBy(trace, key) {
  const weights = trace.stages.get("attention_weights");
  const { columns, rows, values } = trace.matrices.attention_weights;
  const whose = (/** @type {string[]} */ names, /** @type {number} */ at) => names[ownerOf(weights, at, names.length)];
  const places = { row: key, token: whose(trace.readNames, key) };
  const readers = Array.from({ length: rows }, (_, row) => row).filter((row) => readableFor(trace, row).includes(key));
  if (!readers.length) return [say("board.read_by.mixed_hidden", places), ""];
  const shares = readers.map((row) => values[row * columns + key]);
  if (shares.some(Number.isNaN)) return [say("board.read_by.mixed_undefined", places), ""];
  const most = Math.max(...shares);
  const reader = readers[shares.indexOf(most)];
  if (trace.chance) return [cautious(trace, say("board.read_by_chance.mixed",
    { ...places, reader, other: whose(trace.names, reader) })), ""];
  const even = evenShare(trace, reader, key);
  const said = say("board.read_by.mixed",
    { ...places, reader, other: whose(trace.names, reader), weight: percent(most) });
  return [said, even === null ? "" : say("board.even", { even: percent(even) })];
}

// Those who could choose to read a token: not those from whom a mask hides it, nor those who have nothing else to read.
/** @param {Trace} trace @param {number} key @returns {Reader[]} */
function readersOf(trace, key) {
  const { columns: count, values } = trace.matrices.attention_weights;
  return trace.names.flatMap((_, token) => {
    const readable = readableFor(trace, token);
    if (!readable.includes(key) || (readable.length === 1 && count > 1)) return [];
    const even = evenShare(trace, token, key);
    return [{ token, share: values[token * count + key], even: even === null ? "" : percent(even) }];
  });
}

/** @param {Trace} trace @param {number} key @param {Reader[]} readers @param {Reader[]} most */
function kindOf(trace, key, readers, most) {
  const [count, own] = [trace.names.length, ownQuery(trace, key)];
  const each = most.length > 1 ? "_each" : "";
  if (trace.readNames.length === 1 && own === 0) return "alone";
  // Whether any token may read it.
  const isRead = trace.names.some((_, token) => readableFor(trace, token).includes(key));
  if (!readers.length) return isRead ? "by_rows_of_one" : "hidden";
  if (own >= 0 && String(readableFor(trace, own)) === String(key)) return `first${each}`;
  if (count === 1 && own !== 0) return "only_reader";
  if (readers.length === 1) return readers[0].token !== own ? "one" : own === count - 1 ? "last" : "itself";
  if (readers.length === count && most.length === count) return count === 2 ? "equally_both" : "equally";
  return `most${each}`;
}
