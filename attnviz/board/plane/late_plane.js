// The plane as the board has it: what draws it comes when it's asked for first, or a hand comes near.

import { say } from "../../scripts/sentences.js";

/** @import { Plane } from "./plane.js" */

const MOST = 64; // tokens that are drawn

export class LatePlane {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    /** @type {Plane | null} */
    this.plane = null;
    this.asked = false; // whether it's on its way
  }

  // Whether there is anything to draw that a reader could look at.
  get possible() {
    const { torch: { q, k, v, scores, attention_weights: weights, context }, data } = this.board;
    return Boolean(data.plane) && data.keys.length <= MOST && [q, k, v, scores, weights, context].every(Boolean)
      && v.columns === context.columns;
  }

  // What stands on the board of it: nothing where there's no room, or nothing to draw.
  get elements() {
    return this.plane?.elements ?? [];
  }

  // Have it come, once; what didn't come is asked for again the next time.
  async fetch() {
    const { board } = this;
    if (this.plane || this.asked) return;
    this.asked = true;
    try {
      this.plane = await board.host.plane(board);
      if (!board.planeOver) return;
      board.panel.say("");
      board.assembly.again();
    } catch {
      if (board.planeOver) board.panel.say(say("board.not_loaded"));
    } finally {
      this.asked = false;
    }
  }

  build(/** @type {Layout} */ layout) {
    if (this.board.planeOver && this.possible) this.fetch();
    this.plane?.build(layout);
  }

  show() {
    this.plane?.show();
  }

  point(/** @type {Place | null} */ place) {
    this.plane?.point(place);
  }
}
