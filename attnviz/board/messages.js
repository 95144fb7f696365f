// What Python is told: edits, the pinned cell, the picked word, and what only Python can begin with.

import { addressOf, asSeen, ofWhole } from "./places.js";

/** @import { Board } from "./board.js" */
/** @import { Edit, Place } from "./types.js" */

const [PANEL_MS, PANEL_TRIES] = [100, 50]; // within which the panel What if is drawn

/** @typedef {{ edits: Edit[], pinned: Place | null, query?: number, head?: number, layer?: number, text?: string, example?: string, whatIf?: boolean }} Changes what Python is told of */

export class Messages {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  // Begin with another sentence, with an example, or have another layer in view, of which the page has nothing yet.
  /** @param {{ text: string } | { example: string } | { layer: number }} other */
  begin(other) {
    this.board.sender.send({ edits: [], pinned: null, ...other });
  }

  // Open the panel What if, which stands under the board once Python has drawn it.
  askWhatIf() {
    this.board.sender.send({ edits: [], pinned: null, whatIf: true });
    let tries = PANEL_TRIES;
    const look = setInterval(() => {
      const panel = document.querySelector(".st-key-what_if_panel");
      panel?.scrollIntoView({ block: "start" }); // again while it's being drawn: at first nothing stands under it
      tries -= 1;
      if (tries <= 0 || (panel && panel.getBoundingClientRect().top < window.innerHeight / 2)) clearInterval(look);
    }, PANEL_MS);
  }

  /** @param {Edit[]} edits */
  tell(edits = [], replaces = false, picks = false, leaves = false) {
    const { board } = this;
    // JSON has no infinities: they travel as words.
    const inWords = (/** @type {Edit} */ { value, ...edit }) => ({ ...edit, value: value === -Infinity ? String(value) : value });
    /** @type {any[]} */
    const sent = edits.map(({ matrix, row, column, value }) => inWords(ofWhole(board.stages, { matrix, row, column, value })));
    const { head } = board.data;
    board.sender.send({ edits: sent, pinned: board.pinned && ofWhole(board.stages, board.pinned), ...(picks ? { query: board.picked } : {}), ...(head === null ? {} : { head }) }, replaces, leaves);
    for (const edit of edits) board.pending.set(addressOf(edit), { ...edit, number: board.sender.number });
  }

  // After a reload what was done is no longer on the board.
  /** @param {Changes} changes */
  tellAgain({ edits, pinned, query, head, layer, text, example, whatIf }) {
    const { board } = this;
    if (whatIf) return this.askWhatIf();
    if (layer !== undefined) return this.begin({ layer });
    if (example !== undefined) return this.begin({ example });
    if (text !== undefined) return this.begin({ text });
    if (head !== undefined && head < board.data.heads.length) board.picking.look(head);
    board.pinned = pinned && asSeen(board.stages, board.torch, pinned);
    board.picked = query ?? board.picked;
    const fitting = edits.flatMap((edit) => asSeen(board.stages, board.torch, edit) ?? []).filter((edit) => board.fits(edit));
    if (fitting.length) board.editing.commit(fitting);
    else this.tell([], false, query !== undefined);
  }
}
