// A sentence that the reader types: its tokens, the kind of each, and the data of its board. Python does the same in
// core/tokens.py and core/seeding/word_classes.py; a test compares the two.

import { unpacked } from "../../../board/values/matrices.js";

/** @import { OwnWords } from "./story_types.js" */

const FEATURES = 3; // columns of X
const OUTER = /^[.,;:!?"“”„«»()[\]…]+|[.,;:!?"“”„«»()[\]…]+$/g;
const TOKEN = /[\p{L}\p{N}_][\p{L}\p{N}_\p{M}]*(?:['’][\p{L}\p{N}_][\p{L}\p{N}_\p{M}]*)*|[^\s]/gu;

export function tokensOf(/** @type {string} */ text) {
  return text.match(TOKEN) ?? [];
}

export class Kinds {
  constructor(/** @type {OwnWords} */ { listed, endings }) {
    /** @type {Map<string, string>} */
    this.listed = new Map(Object.entries(listed).flatMap(([kind, words]) =>
      words.split(" ").map((word) => /** @type {[string, string]} */ ([word, kind]))));
    this.endings = endings.map(([kind, pattern]) => /** @type {const} */ ([kind, new RegExp(pattern, "u")]));
  }

  // The kind of a word, and whether it's only taken for a noun because it's unknown.
  of(/** @type {string} */ token) {
    const lower = token.toLowerCase().replaceAll("’", "'");
    const word = lower.replaceAll(OUTER, "") || lower;
    const listed = this.listed.get(word);
    if (listed) return { kind: listed, guessed: false };
    if (!/\p{L}/u.test(word)) return { kind: /\p{Nd}/u.test(word) ? "determiner" : "function", guessed: false };
    const ending = this.endings.find(([, pattern]) => pattern.test(word));
    return ending ? { kind: ending[0], guessed: false } : { kind: "noun", guessed: true };
  }
}

// The board of these tokens under a set-up, with inputs alone. The row of the first adjective is followed, or else the
// first row.
/** @param {OwnWords} own @param {string} setUp @param {string[]} tokens @param {string[]} kinds @param {string} about
 *  @returns {BoardData} */
export function boardOf({ usual, stages: all, boards, rows, kinds: called }, setUp, tokens, kinds, about) {
  const n = tokens.length;
  const { stages: places, ...board } = boards[setUp].board;
  const stages = /** @type {SentStage[]} */ (places.map((place) => ofLength(all[place], n)));
  const values = kinds.flatMap((kind) => rows[kind]).map(Math.fround);
  /** @type {Record<string, SentMatrix>} */
  const matrices = { x: { rows: n, columns: FEATURES, values } };
  for (const [name, sent] of Object.entries(board.matrices ?? usual.matrices)) {
    const { shape } = stages.find((stage) => stage.name === name) ?? {};
    if (shape) matrices[name] = middleOf(sent, shape);
  }
  const query = Math.max(0, kinds.findIndex((kind) => kind === "adjective"));
  return { ...structuredClone({ ...usual, ...board }), stages, matrices, tokens, labels: tokens, names: tokens,
    keys: tokens, readNames: tokens, text: tokens.join(" "), about, query, tips: kinds.map((kind) => called[kind]) };
}

// Data for n tokens: numbers that depend on n are written as { per_n: [slope, offset] }.
/** @param {any} value @param {number} n @returns {any} */
function ofLength(value, n) {
  if (Array.isArray(value)) return value.map((each) => ofLength(each, n));
  if (value === null || typeof value !== "object") return value;
  if (value.per_n) return value.per_n[0] * n + value.per_n[1];
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, ofLength(each, n)]));
}

// The middle part of a matrix that was sent for the longest sentence. Of numbers by distance, and of a causal mask, it
// is the matrix of a shorter sentence.
/** @param {SentMatrix} sent @param {[number, number]} shape @returns {SentMatrix} */
function middleOf(sent, [rows, columns]) {
  const { m: whole } = unpacked({ m: sent });
  const [top, left] = [(whole.rows - rows) >> 1, (whole.columns - columns) >> 1];
  const part = (/** @type {Float64Array} */ of) => Array.from({ length: rows }, (_, row) =>
    [...of.subarray((top + row) * whole.columns + left, (top + row) * whole.columns + left + columns)]).flat();
  const whys = whole.whys?.map((why) => ({ ...why, cells: lengths(part(why.cells)) }));
  return { rows, columns, values: part(whole.values), ...(whys && { whys: JSON.stringify(whys) }) };
}

// How many cells are 0, then how many are 1, and so on.
function lengths(/** @type {number[]} */ cells) {
  const found = [0];
  cells.forEach((cell, at) => {
    if (cell === (at ? cells[at - 1] : 0)) found[found.length - 1] += 1;
    else found.push(1);
  });
  return found;
}
