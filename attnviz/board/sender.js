// Turns what is done on a board into changes of the page's query. Without a page that takes them, edits stay on the
// board.

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
    this.number = 0; // of what was told last ...
    this.answered = 0; // ... and of what the numbers of the board are of
    this.toldAt = 0;
    /** @type {Promise<void> | null} */
    this.asking = null;
    this.again = false;
    this.tells = false;
    this.query = ""; // what was done where there is no page
  }

  // The page's query is another one, as after Back: what is drawn of it already isn't drawn again.
  compare() {
    const { page, board } = this;
    board.panel.showKept();
    if (!page || !board.structure || this.tells) return;
    if (page.versionOf(board.data.from ?? "") === page.version) board.intake.receive(board.data);
    else this.ask();
  }

  get page() {
    return this.board.host.page;
  }

  // Whether whoever answers is out of reach.
  get away() {
    return this.page?.away === true;
  }

  // Whether more was done than the numbers of the board are of.
  get waiting() {
    return this.number > this.answered;
  }

  // Whether an answer is later than it should be.
  get late() {
    return this.page !== null && this.waiting && performance.now() - this.toldAt > LATE_MS;
  }

  // With each drawing; return whether these numbers are older than those that are shown.
  receive(/** @type {BoardData} */ { from }) {
    // of a query that the page doesn't know yet, it is newer
    const version = (from && this.page?.versionOf(from)) || this.number;
    if (version < this.answered) return true;
    this.answered = version;
    this.mark();
    return false;
  }

  mark() {
    this.board.root.classList.toggle("unanswered", this.waiting);
  }

  // With a `source`, what is told takes the place of what the same has told just now: a key is held down.
  /** @param {Patch} patch @param {string | null} [source] */
  tell(patch, source = null) {
    const { page } = this;
    const { store } = this.board.data;
    if (!page) {
      this.number += 1;
      const { ownSentence } = this.board.data;
      this.query = patched(this.query, ownSentence ? ofOwnWords(this.query, patch, ownSentence) : patch);
      this.board.host.tells?.("query", this.query);
    } else {
      this.tells = true;
      this.number = page.change(store ? stored(store, page.query, patch) : patch, { source });
      this.tells = false;
    }
    this.toldAt = performance.now();
    setTimeout(() => this.late && this.board.panel.report(), LATE_MS + 1);
    this.mark();
  }

  /** @param {Edit[]} edits @param {boolean} replaces */
  tellEdits(edits, replaces) {
    const { board } = this;
    const whole = edits.map((edit) => ofWhole(board.stages, edit));
    this.tell({ edits: partsOf(this.textOf("edits"), whole) || null }, replaces ? String(edits.map(addressOf)) : null);
    for (const edit of edits) board.pending.set(addressOf(edit), { ...edit, number: this.number });
    this.ask();
  }

  // Begin with an example: of a `whole` one, nothing of the set-up stays.
  begin(/** @type {BoardData["examples"][number]} */ { patch, whole }) {
    const names = whole ? [...(this.page?.controls ?? []), "edits", "query", "cell"] : [];
    const gone = Object.fromEntries(names.map((name) => [name, null]));
    this.tell({ ...gone, ...patch });
  }

  // The picked word, the pinned cell, the head in view.
  tellPicks(replaces = false) {
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
    this.tell(patch, replaces ? "head" : null);
  }

  // The text of a parameter, of the page or of what the board's own is stored in.
  textOf(/** @type {string} */ name) {
    const { store } = this.board.data;
    const query = this.page?.query ?? this.query;
    return new URLSearchParams(store ? storedQuery(store, query) : query).get(name) ?? "";
  }

  // Ask for torch's numbers of what the page has now, one after the other.
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
    const sent = await board.host.numbers?.(at, { query, ...asked }).catch(() => null); // then a run of the page tells
    if (sent && board.root.isConnected
      && page.version === version) board.intake.receive({ ...board.data, ...sent, from: mark });
  }
}

// A change of what is stored as one text within the page's query.
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

// Edits as the text that the address has of them; read by link/changes_text.py, which writes it anew.

const PACKED = /^z\d+\./;
const AS_DRAWN = "drawn"; // of a cell that has no edit any more

// A text of edits with more of them; what it says of the same cells is left out.
/** @param {string} text @param {Edit[]} edits */
export function partsOf(text, edits) {
  const parts = new Map((text ? text.split("*") : [])
    .map((part) => [/^[^.]+\.\d+\.\d+(?=\.)/.exec(part)?.[0] ?? part, part])); // what a part says is of a cell, or all
  const packed = [...parts.keys()].some((part) => PACKED.test(part)); // what it says can't be read here
  for (const { matrix, row, column, value } of edits) {
    const cell = `${named(matrix)}.${row}.${column}`;
    if (value === null && !packed) parts.delete(cell);
    else parts.set(cell, `${cell}.${value === null ? AS_DRAWN : numberText(value)}`);
  }
  return [...parts.values()].join("*");
}

// A matrix of a later layer is called w_q~1.
function named(/** @type {string} */ matrix) {
  const [, layer, own] = /^layers\.(\d+)\.(.+)$/.exec(matrix) ?? [];
  return layer ? `${own}~${layer}` : matrix;
}

function numberText(/** @type {number} */ value) {
  if (value === -Infinity) return "-inf";
  const text = String(value).replace("+", "");
  return /^-?\d+$/.test(text) ? `${text}.0` : text; // as Python writes it
}
