// A sentence that the reader types: its tokens, the kind of each, and the data of its board. Python does the same in
// core/tokens.py and core/seeding/word_classes.py; a test compares the two.

/** @import { OwnWords } from "./story_types.js" */

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

// The board of these tokens, with inputs alone. The row of the first adjective is followed, or the first row.
/** @param {OwnWords} own @param {string[]} tokens @param {string[]} kinds @param {string} about @returns {BoardData} */
export function boardOf({ boards, rows, kinds: called }, tokens, kinds, about) {
  const data = structuredClone(boards[tokens.length]);
  const values = kinds.flatMap((kind) => rows[kind]).map(Math.fround);
  const query = Math.max(0, kinds.findIndex((kind) => kind === "adjective"));
  return { ...data, tokens, labels: tokens, names: tokens, keys: tokens, readNames: tokens, text: tokens.join(" "),
    about, query, tips: kinds.map((kind) => called[kind]),
    matrices: { x: { rows: tokens.length, columns: 3, values }, ...data.matrices } };
}
