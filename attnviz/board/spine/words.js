// The widths of the tokens' chips, estimated from their letters, and the room that is left beside them.

import { areOfOthers, ownerOf } from "../cells/cell.js";
import { button, ledTo, toggle, write } from "../cells/elements.js";
import { hiddenIn } from "../values/dependencies.js";
import { valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { Numbers } from "../values/dependencies.js" */

export const LETTER = { size: 20, width: 11 }; // pixels, at most
const AROUND = 34; // width of a chip besides its letters
const LONGEST = 24; // letters of a token; more are cut
export const BETWEEN = 14;
export const SAYS = 350; // width of the summary of what is read, beside the chips
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f000}-\u{1faff}]/u;

/** @param {string} label */
function lettersOf(label) {
  return [...label].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);
}

// The width of a chip at the usual size, where all letters count the same.
/** @param {string} label @param {number} by */
export function widthOf(label, by) {
  return by * (Math.min(lettersOf(label), LONGEST) * LETTER.width + AROUND);
}

// How far each name of a column extends beyond the column on both sides: a long name takes the room that shorter
// neighbours leave. The first and the last name can move outwards, and so leave their neighbours twice as much.
/** @param {number[]} widths of the names @param {number} cell width of a column @param {number} letter */
export function beyond(widths, cell, letter) {
  const over = widths.map((width) => (width - cell) / 2);
  const free = (/** @type {number} */ at) => -(over[at] ?? -letter) * (at === 0 || at === over.length - 1 ? 2 : 1);
  return over.map((own, at) => Math.max(0, Math.min(own, free(at - 1), free(at + 1))));
}

/** @param {string[]} labels @param {number} by */
export function lengthOf(labels, by) {
  return labels.reduce((sum, label) => sum + widthOf(label, by), 0) + by * BETWEEN * (labels.length - 1);
}

// Chips that stand close together: room around the letters in ems, and a chip's edges and the gap in pixels.
const CLOSE = { around: 0.42, edges: 4, between: 3 };
// Letters that are narrower or broader than most in Source Sans, semi-bold.
const [NARROW, BROAD] = [/[fijlrtI.,:;'’!|() -]/u, /[mwMW]/u];

// The estimated width of a text in ems.
/** @param {string} label */
export function emsOf(label) {
  return [...label].slice(0, LONGEST).reduce((sum, letter) =>
    sum + (NARROW.test(letter) ? 0.36 : BROAD.test(letter) ? 0.88 : WIDE.test(letter) ? 1.1 : 0.57), 0);
}

/**
 * The size of letters in pixels, the width of each chip and the gap between two, for chips in one line: at the usual
 * size times `by` if that fits into `free`, otherwise close together and as large as fits, but never smaller than
 * `least`.
 * @param {string[]} labels @param {number} free @param {number} by @param {number} least pixels
 * @returns {{ letters: number, widths: number[], between: number }}
 */
export function wordsIn(labels, free, by, least) {
  if (lengthOf(labels, by) <= free) return { letters: LETTER.size * by, between: BETWEEN * by,
    widths: labels.map((label) => widthOf(label, by)) };
  const ems = labels.map(emsOf);
  const between = CLOSE.between * by;
  const left = free - labels.length * CLOSE.edges - (labels.length - 1) * between;
  const whole = ems.reduce((sum, em) => sum + em + CLOSE.around, 0);
  const letters = Math.max(least, Math.min(LETTER.size * by, left / whole));
  return { letters, between, widths: ems.map((em) => (em + CLOSE.around) * letters + CLOSE.edges) };
}

// The texts of all chips: the tokens, and behind them those of a second sentence, if there is one.
export function wordsOf(/** @type {Pick<BoardData, "labels" | "keys" | "others">} */ { labels, keys, others }) {
  return others ? [...labels, "", ...keys] : labels;
}

// Whether the summary of what is read has no room beside the chips.
/** @param {string[]} labels @param {number} width */
export function saysBelow(labels, width) {
  return lengthOf(labels, 1) + SAYS > width;
}

// ---- attention weights between tokens ----

export const WEIGHTS = "attention_weights";

// The weights that a query gives to each key, or with `byReaders` those that each query gives to a key; null if masked.
// If rows are pieces of tokens, the weights of a token's pieces are added up, or with `byReaders` the largest counts.
/** @param {Numbers} trace @param {number} token @param {string} name */
export function sharesOf(trace, token, name = WEIGHTS, byReaders = false) {
  const stage = trace.stages.get(name);
  const weights = trace.matrices[name];
  const hidden = hiddenIn(trace, stage);
  const shares = Array.from({ length: byReaders ? weights.rows : weights.columns }, (_, other) => {
    const [query, key] = byReaders ? [other, token] : [token, other];
    return hidden?.(query, key) ? null : valueAt(weights, query, key);
  });
  if (!areOfOthers(stage)) return shares;
  /** @type {(number | null)[]} */
  const whole = shares.map(() => null);
  shares.forEach((share, at) => {
    const whose = ownerOf(stage, at, shares.length);
    const other = whole[whose] ?? 0;
    if (share !== null) whole[whose] = byReaders ? Math.max(other, share) : other + share;
  });
  return whole;
}

// The tokens that are read where these aren't just the sentence's own: their chips stand behind the sentence, and a
// press shows who reads the token.

export class ReadWords {
  /** @param {Pick<Board, "byReaders" | "data" | "key" | "picking" | "stages" | "story">} board */
  constructor(board) {
    this.board = board;
    /** @type {HTMLButtonElement[]} */
    this.chips = [];
  }

  // Create the chips; the sentence places them.
  build() {
    const { board } = this;
    const { keys, others } = board.data;
    const own = board.stages.get("attention_weights")?.first_own_key ?? null;
    const off = board.data.ribbons === false || board.story.isShown; // nothing could show who reads them
    this.chips = (others ? keys : []).map((label, at) => {
      const chip = button("chip read", label,
        () => board.picking.showReadersOf(board.byReaders && at === board.key ? null : at));
      const read = say(`board.chips.${own === null ? "read" : at < own ? "kept" : "own"}`, { token: label });
      chip.title = off ? read : say("board.chips.press", { read });
      chip.disabled = off;
      return chip;
    });
    this.mark();
  }

  // Mark the chip whose readers are shown.
  mark() {
    const { board } = this;
    this.chips.forEach((chip, at) => {
      const on = board.byReaders && at === board.key;
      toggle(chip, "on", on);
      write(chip, "aria-pressed", String(on));
      write(chip, "tabindex", at === board.key ? "0" : "-1");
    });
  }

  // Move between these chips by keyboard; false if none of them has the focus.
  keydown(/** @type {KeyboardEvent} */ event) {
    const at = this.chips.findIndex((chip) => chip === event.target);
    if (at < 0) return false;
    const next = ledTo(event, at, this.chips.length);
    if (next === null) return true;
    event.preventDefault();
    this.chips[next].focus();
    this.board.picking.showReadersOf(next);
    return true;
  }
}
