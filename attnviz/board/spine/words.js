// How wide the words over the matrices are, by their letters, and what has room beside them.

import { areOfOthers, ownerOf } from "../cells/cell.js";
import { button, ledTo, toggle, write } from "../cells/elements.js";
import { hiddenIn } from "../values/reach.js";
import { valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { Numbers } from "../values/reach.js" */

export const LETTER = { size: 20, width: 11 }; // pixels at most
const AROUND = 34; // of a chip, beside its letters
const LONGEST = 24; // letters of a word; more are cut
export const BETWEEN = 14;
export const SAYS = 350; // the room that what is read takes beside the words
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f000}-\u{1faff}]/u;

/** @param {string} label */
function lettersOf(label) {
  return [...label].reduce((sum, letter) => sum + (WIDE.test(letter) ? 2 : 1), 0);
}

// How wide a word's chip is, by its letters.
/** @param {string} label @param {number} by */
export function widthOf(label, by) {
  return by * (Math.min(lettersOf(label), LONGEST) * LETTER.width + AROUND);
}

// How far each name over columns goes beyond its own on either side: a long one, where shorter ones leave it room; the
// first and the last give way by half of that.
/** @param {number[]} widths of the names @param {number} cell how wide a column is @param {number} letter */
export function beyond(widths, cell, letter) {
  const over = widths.map((width) => (width - cell) / 2);
  const free = (/** @type {number} */ at) => -(over[at] ?? -letter) * (at === 0 || at === over.length - 1 ? 2 : 1);
  return over.map((own, at) => Math.max(0, Math.min(own, free(at - 1), free(at + 1))));
}

/** @param {string[]} labels @param {number} by */
export function lengthOf(labels, by) {
  return labels.reduce((sum, label) => sum + widthOf(label, by), 0) + by * BETWEEN * (labels.length - 1);
}

// beside words that stand close together, in parts of their letters' size, and in pixels
const CLOSE = { around: 0.42, edges: 4, between: 3 };
// how wide letters are, in parts of their size, as in Source Sans, semi-bold
const [NARROW, BROAD] = [/[fijlrtI.,:;'’!|() -]/u, /[mwMW]/u];

// How wide a word is, in the size of its letters.
/** @param {string} label */
export function emsOf(label) {
  return [...label].slice(0, LONGEST).reduce((sum, letter) =>
    sum + (NARROW.test(letter) ? 0.36 : BROAD.test(letter) ? 0.88 : WIDE.test(letter) ? 1.1 : 0.57), 0);
}

/**
 * How large the letters of words in one line are, how wide each word's chip is, and what is between two: as large as
 * asked for, or close together and as large as there is room for; no letter is smaller than the least, whatever the
 * room.
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

// All words over the matrices: those that read, and behind them those that are read, where these are others.
export function wordsOf(/** @type {Pick<BoardData, "labels" | "keys" | "others">} */ { labels, keys, others }) {
  return others ? [...labels, "", ...keys] : labels;
}

// Whether what is read has no room beside the words.
/** @param {string[]} labels @param {number} width */
export function saysBelow(labels, width) {
  return lengthOf(labels, 1) + SAYS > width;
}

// What tokens read of each other, in shares.

export const WEIGHTS = "attention_weights";

// The shares that a query reads, or those that a key is read by, null where they may not read. Of tokens of which there
// are pieces, the shares of these together, or the largest.
/** @param {Numbers} made @param {number} token @param {string} name */
export function sharesOf(made, token, name = WEIGHTS, byReaders = false) {
  const stage = made.stages.get(name);
  const weights = made.matrices[name];
  const hidden = hiddenIn(made, stage);
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

// The words that are read, where these are others than those that read, or more: they stand behind these, and pressed,
// each shows who reads it.

export class ReadWords {
  /** @param {Pick<Board, "byReaders" | "data" | "key" | "picking" | "stages" | "story">} board */
  constructor(board) {
    this.board = board;
    /** @type {HTMLButtonElement[]} */
    this.chips = [];
  }

  // Made anew, without a place.
  build() {
    const { board } = this;
    const { keys, others } = board.data;
    const own = board.stages.get("attention_weights")?.own_from ?? null;
    const off = board.data.ribbons === false || board.story.told; // nothing would show who reads it
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

  // Which of them it is of which readers are shown.
  mark() {
    const { board } = this;
    this.chips.forEach((chip, at) => {
      const on = board.byReaders && at === board.key;
      toggle(chip, "on", on);
      write(chip, "aria-pressed", String(on));
      write(chip, "tabindex", at === board.key ? "0" : "-1");
    });
  }

  // A key moves on from one of them to another; false where none of them has the focus.
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
