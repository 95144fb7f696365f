// Turns edits and picks on a board into changes of the page's query. On a board without a page, they stay on the board.

import { addressOf, ofWhole } from "./places.js";
import { ofOwnWords } from "../scripts/own_sentence.js";
import { ordered, patched } from "../scripts/query.js";

/** @import { Patch } from "../scripts/query.js" */

const LATE_MS = 5000;

export class Sender {
  /** @param {Pick<Board, "data" | "head" | "host" | "intake" | "panel" | "pending" | "picked" | "pinned" | "root"
   *  | "stages" | "structure">} board */
  constructor(board) {
    this.board = board;
    this.number = 0; // the version of the last change that was sent ...
    this.answered = 0; // ... and of the last one that the board's numbers include
    this.toldAt = 0;
    /** @type {Promise<void> | null} */
    this.asking = null;
    this.again = false;
    this.sending = false;
    this.query = ""; // replaces the page's query on a board without a page
  }

  // The page's query has changed, as after Back: ask for its numbers, unless the board has them already.
  compare() {
    const { page, board } = this;
    board.panel.showKept();
    if (!page || !board.structure || this.sending) return;
    if (page.versionOf(board.data.from ?? "") === page.version) board.intake.receive(board.data);
    else this.ask();
  }

  get page() {
    return this.board.host.page;
  }

  // Whether the server is out of reach.
  get away() {
    return this.page?.away === true;
  }

  // Whether some change isn't in the board's numbers yet.
  get waiting() {
    return this.number > this.answered;
  }

  // Whether an answer is overdue.
  get late() {
    return this.page !== null && this.waiting && performance.now() - this.toldAt > LATE_MS;
  }

  // Note that numbers have arrived; return whether they are older than those that are shown.
  receive(/** @type {BoardData} */ { from }) {
    // a query that the page doesn't know yet counts as the newest
    const version = (from && this.page?.versionOf(from)) || this.number;
    if (version < this.answered) return true;
    this.answered = version;
    this.mark();
    return false;
  }

  mark() {
    this.board.root.classList.toggle("unanswered", this.waiting);
  }

  // Change the page's query. With a `source`, the change replaces the last one if that has the same source and hasn't
  // been sent yet, so that a held key makes a single entry in the history.
  /** @param {Patch} patch @param {string | null} [source] */
  send(patch, source = null) {
    const { page } = this;
    const { store } = this.board.data;
    if (!page) {
      this.number += 1;
      const { ownSentence } = this.board.data;
      this.query = patched(this.query, ownSentence ? ofOwnWords(this.query, patch, ownSentence) : patch);
      this.board.host.notify?.("query", this.query);
    } else {
      this.sending = true;
      this.number = page.change(store ? stored(store, page.query, patch) : patch, { source });
      this.sending = false;
    }
    this.toldAt = performance.now();
    setTimeout(() => this.late && this.board.panel.report(), LATE_MS + 1);
    this.mark();
  }

  /** @param {Edit[]} edits @param {boolean} replaces */
  sendEdits(edits, replaces) {
    const { board } = this;
    const whole = edits.map((edit) => ofWhole(board.stages, edit));
    this.send({ edits: partsOf(this.textOf("edits"), whole) || null }, replaces ? String(edits.map(addressOf)) : null);
    for (const edit of edits) board.pending.set(addressOf(edit), { ...edit, number: this.number });
    this.ask();
  }

  // Open an example; a `whole` one replaces the entire set-up.
  begin(/** @type {BoardData["examples"][number]} */ { patch, whole }) {
    const names = whole ? [...(this.page?.controls ?? []), "edits", "query", "cell"] : [];
    const gone = Object.fromEntries(names.map((name) => [name, null]));
    this.send({ ...gone, ...patch });
  }

  // Send the picked token, the pinned cell and the head in view.
  sendPicks(replaces = false) {
    const { board } = this;
    const { picks } = board.data;
    if (!picks) return;
    const pinned = board.pinned && ofWhole(board.stages, board.pinned);
    /** @type {Patch} */
    const patch = {};
    if (picks.query && (this.textOf(picks.query) || board.picked !== board.data.query)) patch[picks.query] =
      String(board.picked);
    if (picks.cell) patch[picks.cell] = pinned && `${pinned.matrix}.${pinned.row}.${pinned.column}`;
    if (picks.head && board.head !== null) patch[picks.head] = board.head ? String(board.head) : null;
    this.send(patch, replaces ? "head" : null);
  }

  // A parameter's text, from the page's query, or from the one parameter that stores this board's own query.
  textOf(/** @type {string} */ name) {
    const { store } = this.board.data;
    const query = this.page?.query ?? this.query;
    return new URLSearchParams(store ? storedQuery(store, query) : query).get(name) ?? "";
  }

  // Ask for torch's numbers for the page's query, one request at a time.
  ask() {
    const { numbers } = this.board.data;
    if (!numbers || !this.page) return;
    this.again = this.asking !== null;
    this.asking ??= this.fetch(numbers).finally(() => {
      this.asking = null;
      if (this.again) this.ask();
    });
  }

  async fetch(/** @type {NonNullable<BoardData["numbers"]>} */ { at, ...asked }) {
    const { page, board } = this;
    if (!page) return;
    const { query, version, mark } = page;
    // without an answer, the page's next run will bring them
    const sent = await board.host.numbers?.(at, { query, ...asked }).catch(() => null);
    if (sent && board.root.isConnected
      && page.version === version) board.intake.receive({ ...board.data, ...sent, from: mark });
  }
}

// The patch of the page's query that applies a change to the query stored in one of its parameters.
/** @param {NonNullable<BoardData["store"]>} store @param {string} query @param {Patch} patch @returns {Patch} */
function stored(store, query, patch) {
  const before = storedQuery(store, query);
  const after = patched(before, patch);
  return after === ordered(before) ? {} : { [store.parameter]: after };
}

/** @param {NonNullable<BoardData["store"]>} store @param {string} query */
function storedQuery({ parameter, text }, query) {
  return new URLSearchParams(query).get(parameter) || text;
}

// Edits, as the text that stands in the address. link/changes_text.py reads it, and writes it in its own order.

const PACKED = /^z\d+\./;
const AS_DRAWN = "drawn"; // resets a cell to the number that the set-up drew

// Add edits to a text of edits; they replace those of the same cells.
/** @param {string} text @param {Edit[]} edits */
export function partsOf(text, edits) {
  const parts = new Map((text ? text.split("*") : [])
    // each part by its cell; a part that doesn't name a single cell, by its own text
    .map((part) => [/^[^.]+\.\d+\.\d+(?=\.)/.exec(part)?.[0] ?? part, part]));
  const packed = [...parts.keys()].some((part) => PACKED.test(part)); // only Python can read a packed part
  for (const { matrix, row, column, value } of edits) {
    const cell = `${named(matrix)}.${row}.${column}`;
    if (value === null && !packed) parts.delete(cell);
    else parts.set(cell, `${cell}.${value === null ? AS_DRAWN : numberText(value)}`);
  }
  return [...parts.values()].join("*");
}

// The name of a matrix in a link: that of layers.1.w_q is w_q~1.
function named(/** @type {string} */ matrix) {
  const [, layer, own] = /^layers\.(\d+)\.(.+)$/.exec(matrix) ?? [];
  return layer ? `${own}~${layer}` : matrix;
}

function numberText(/** @type {number} */ value) {
  if (value === -Infinity) return "-inf";
  const text = String(value).replace("+", "");
  return /^-?\d+$/.test(text) ? `${text}.0` : text; // Python writes a whole number so
}
