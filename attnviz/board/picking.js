// Whose row is followed: the picked word, one that is pointed at, and of several heads the one in view.

import { namedFrom, seenFrom } from "./heads/seen_from.js";
import { structureOf } from "./intake.js";
import { addressOf } from "./places.js";
import { PICKED_MS, PREVIEW_MS } from "./spine/motion.js";

/** @import { Board } from "./board.js" */

export class Picking {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  // Show who reads a token; null shows again what the picked one reads.
  /** @param {number | null} key */
  showReadersOf(key) {
    const { board } = this;
    const readWord = board.data.others ? (key ?? board.readWord) : null;
    board.motion.follow(() => board.display.showAs({ byReaders: key !== null, readWord }), PICKED_MS);
  }

  /** @param {number} query */
  pick(query) {
    const { board } = this;
    board.previewed = null;
    if (board.data.others && board.byReaders) board.display.showAs({ byReaders: false });
    if (query !== board.picked) {
      board.picked = query;
      board.hints.done("pick");
      board.play.stop();
      board.host.tellPicks();
      window.dispatchEvent(new CustomEvent("attnviz-picked", { detail: { key: board.data.key, query } }));
    }
    board.motion.follow(() => this.follow(), PICKED_MS);
  }

  // Have another head in view: the page has all of them, and only names change.
  /** @param {number} head */
  look(head) {
    const { board } = this;
    const { data, pinned } = board;
    if (head === data.head || data.head === null || board.drag || board.input.typing) return;
    board.play.stop();
    board.undo.turn(namedFrom(data, head));
    const moved = [...board.pending.values()].map((edit) => ({ ...edit, matrix: namedFrom(data, head)(edit.matrix) }));
    board.pending = new Map(moved.map((edit) => [addressOf(edit), edit]));
    board.head = head;
    const seen = seenFrom(data, head);
    board.intake.take(seen, structureOf(seen));
    board.pinned = pinned && board.fits(pinned) ? pinned : null; // the same cell of the other head
    board.host.tellPicks(true);
    board.pointing.explain();
  }

  /** @param {number | null} query */
  preview(query) {
    const { board } = this;
    if (query === board.previewed || board.drag || board.play.active) return;
    board.previewed = query;
    board.motion.follow(() => this.follow(), query === null ? PREVIEW_MS.out : PREVIEW_MS.in);
  }

  // Show the row of another word.
  follow() {
    const { board } = this;
    for (const grid of board.grids.values()) grid.markRow();
    board.flow.follow();
    board.frame.show();
    board.plane.show();
    board.story.follow();
    if (!board.data.sentence) return;
    board.sentence.mark();
    board.sentence.show();
  }
}
