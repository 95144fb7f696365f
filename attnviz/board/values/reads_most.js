// What a token reads most, said of the board's own numbers, so that sentences follow while one of them is dragged: what
// `attends_most` of attnviz/explanation/summary.py says of torch's. A test holds the two together.

import { areOfOthers, ownerOf } from "../cells/cell.js";
import { hiddenIn } from "./evaluate.js";
import { total } from "./numbers.js";
import { percent } from "./percent.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { Made } from "../types.js" */

const SAME = Math.fround(CONSTANTS.SAME); // as torch compares
const WHOLE = 1e-3; // by which a sum of shares may miss 1
const { NAMED } = CONSTANTS;

// What a token reads most in percent, and what an even share would be; of tokens that have none, or nothing but one, the last is blank.
/** @param {Made} made @param {number} query @returns {[reads: string, even: string]} */
export function readsInPercent(made, query) {
  const { columns, values } = made.matrices.attention_weights;
  const reach = readableFor(made, query).length;
  const tell = (/** @type {string} */ kind, /** @type {Record<string, string | number>} */ places) => say(`board.reads.${kind.replace("of_rest", "most")}`, places);
  const told = mostRead(made, query, tell, (token) => say("board.named", { token }), percent);
  const row = values.slice(query * columns, (query + 1) * columns);
  const none = reach <= 1 || !sharesAll(made) || isUnknown(made, query) || row.some(Number.isNaN);
  return [told, none ? "" : say("board.even", { even: percent(1 / reach) })];
}

// Whether rows sum to 1: not where a mask comes after the softmax alone, nor where that runs over anything but rows.
/** @param {Pick<Made, "stages">} made */
function sharesAll({ stages }) {
  return axisOf({ stages }) === "rows" && !isLate({ stages });
}

// What sums to 1: rows, where no switch has it otherwise.
/** @param {Pick<Made, "stages">} made */
function axisOf({ stages }) {
  return stages.get("attention_weights").settings.axis ?? "rows";
}

// Whether a mask takes from shares that are made already, or a sink from each row.
/** @param {Pick<Made, "stages">} made */
function isLate({ stages }) {
  const { rule, sources, settings } = stages.get("attention_weights");
  return rule === "softmax" && ((sources.length > 1 && !settings.shared) || settings.sink !== null);
}

// Whether no share is an even one: of weights that stand as given, without a mask, 0 may be where one hid them, and
// where a row doesn't sum to 1, something else has a share.
/** @param {Pick<Made, "stages" | "matrices">} made @param {number} query */
function isUnknown({ stages, matrices }, query) {
  const weights = stages.get("attention_weights");
  if (weights.rule !== "given") return false;
  const { columns, values } = matrices.attention_weights;
  const row = values.slice(query * columns, (query + 1) * columns);
  return Math.abs(total(Array.from(row)) - 1) > WHOLE || (row.includes(0) && !hiddenIn({ stages, matrices }, weights));
}

// What each gets that shares with a cell, if all get the same: the cells of its row, of what else the softmax runs over;
// null where nobody gets what a mask takes, of a hidden cell, and where it isn't known what may be read.
/** @param {Pick<Made, "stages" | "matrices">} made @param {number} row @param {number} column */
export function evenShare(made, row, column) {
  const weights = made.stages.get("attention_weights");
  const { rows, columns } = made.matrices.attention_weights;
  const hidden = hiddenIn(made, weights);
  if (isLate(made) || isUnknown(made, row) || hidden?.(row, column)) return null;
  const axis = axisOf(made);
  const across = axis === "rows" ? [row] : Array.from({ length: rows }, (_, at) => at);
  const down = axis === "columns" ? [column] : Array.from({ length: columns }, (_, at) => at);
  if (!hidden) return 1 / (across.length * down.length);
  return 1 / across.reduce((sum, r) => sum + down.reduce((n, c) => n + Number(!hidden(r, c)), 0), 0);
}

// The same of all that a token may read; null where they differ in it.
/** @param {Pick<Made, "stages" | "matrices">} made @param {number} query */
export function evenShareOfRow(made, query) {
  const readable = readableFor(made, query);
  const shares = new Set((axisOf(made) === "columns" ? readable : readable.slice(0, 1)).map((key) => evenShare(made, query, key)));
  return shares.size === 1 ? [...shares][0] : null;
}

// The keys that no mask hides from a query.
/** @param {Pick<Made, "stages" | "matrices">} made @param {number} query */
export function readableFor(made, query) {
  const hidden = hiddenIn(made, made.stages.get("attention_weights"));
  const all = Array.from({ length: made.matrices.attention_weights.columns }, (_, key) => key);
  return hidden ? all.filter((key) => !hidden(query, key)) : all;
}

/**
 * What a token reads most: `tell` makes a sentence of its kind and its places, `name` names a token, `write` a weight.
 * @param {Made} made @param {number} query @param {(kind: string, places: Record<string, string | number>) => string} tell
 * @param {(token: string) => string} name @param {(weight: number) => string} write
 */
export function mostRead(made, query, tell, name, write) {
  const { names, readNames, matrices } = made;
  const from = made.stages.get("attention_weights").own_from;
  const own = from === null ? -1 : from + query; // the key that is the token itself; of another sentence, none is
  const { columns: count } = matrices.attention_weights;
  const readable = readableFor(made, query);
  const row = rowOf(made, query, readable);
  const token = names[query];
  const weights = made.stages.get("attention_weights");
  if (areOfOthers(weights)) {
    const told = { row: query, token: names[ownerOf(weights, query, names.length)] };
    if (!readable.length) return tell("mixed_nothing", told);
    if (row.some(Number.isNaN)) return tell("mixed_undefined", told);
    const most = Math.max(...row);
    const key = row.indexOf(most);
    return tell("mixed", { ...told, weight: write(most), key, other: readNames[ownerOf(weights, key, readNames.length)] });
  }
  const reach = readable.length;
  if (!reach) return tell("nothing", { token });
  if (row.some(Number.isNaN)) return tell(row.every(Number.isNaN) && areScoresFinite(made, query) ? "lost" : "undefined", { token });
  const largest = Math.max(...row);
  const weight = write(largest);
  if (reach === 1) {
    const only = readable[0] !== own ? "only" : own ? "itself" : "first";
    return tell(count > 1 || from === null ? only : "alone", { token, names: namesOf(readNames, own, readable, name), weight });
  }
  const isLargest = (/** @type {number} */ value) => areSame(largest, value) && write(value) === weight;
  const ties = readable.filter((key) => isLargest(row[key]));
  const each = ties.length > 1 ? "_each" : "";
  if (!sharesAll(made)) return tell(`of_rest${each}`, { token, names: namesOf(readNames, own, ties, name), weight });
  if (ties.length === reach) {
    const both = reach === 2 ? "_both" : "";
    if (reach === count) return tell(`equally${both}`, { token, count, weight });
    const past = readable.every((key, at) => key === at) && reach === own + 1;
    return tell(past ? `equally_masked${both}` : "equally_readable", { token, n: reach, weight });
  }
  const even = write(1 / reach);
  const kind = (even === weight ? "barely" : "most") + each;
  return tell(kind, { token, names: namesOf(readNames, own, ties, name), weight, even });
}

// The attention weights of a token; a column that nobody may read has no shares, where it is shared out.
// Whether the softmax, or what stands in its place, was given finite scores alone.
/** @param {Pick<Made, "matrices">} made @param {number} query */
function areScoresFinite({ matrices: { scaled_scores: scores } }, query) {
  return scores?.values.slice(query * scores.columns, (query + 1) * scores.columns).every(Number.isFinite);
}

/** @param {Pick<Made, "stages" | "matrices">} made @param {number} query @param {number[]} readable */
function rowOf({ stages, matrices }, query, readable) {
  const { columns, values } = matrices.attention_weights;
  const row = Array.from(values.slice(query * columns, (query + 1) * columns));
  return axisOf({ stages }) === "columns" ? row.map((value, key) => (readable.includes(key) ? value : 0)) : row;
}

// Whether a weight is as large as the largest.
/** @param {number} largest @param {number} value */
export function areSame(largest, value) {
  return Math.fround(largest - value) < SAME;
}

/** @param {string[]} labels @param {number} query @param {number[]} keys @param {(token: string) => string} name */
export function namesOf(labels, query, keys, name) {
  const names = keys.map((key) => (key === query ? say("summary.itself") : name(labels[key])));
  if (names.length > NAMED) return say("summary.more", { names: names.slice(0, NAMED).join(", "), rest: names.length - NAMED });
  return names.length > 1 ? say("summary.and", { first: names.slice(0, -1).join(", "), last: names[names.length - 1] }) : names[0];
}
