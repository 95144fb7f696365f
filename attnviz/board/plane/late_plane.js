// The plane as the board has it: what draws it comes when it's asked for first, or a hand comes near.

import { say } from "../../scripts/sentences.js";

/** @import { Plane } from "./plane.js" */

const MOST = 64; // tokens that are drawn
const BUSY_MS = 100; // between two looks whether a number is still typed or dragged
const AGAIN_MS = 1000; // between two tries to fetch it

const pause = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

export class LatePlane {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    /** @type {Plane | null} */
    this.plane = null;
    this.asked = false; // whether it's on its way
    this.failed = false; // whether the dock says that it didn't come
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

  // Whether anybody still waits for it: on a board that is there, and open.
  get awaited() {
    return this.board.structure !== "" && this.board.planeOver;
  }

  // Have it come, once; while it's open, what didn't come is asked for again and again.
  async fetch() {
    const { board } = this;
    if (this.plane || this.asked) return;
    this.asked = true;
    this.plane = await board.host.plane(board).catch(() => null);
    // The board is laid anew with it, which would end what is typed or dragged.
    while (this.awaited && (board.drag || board.input.typing)) await pause(BUSY_MS);
    if (this.awaited && this.plane) {
      if (this.failed) board.panel.say("");
      board.assembly.again();
    } else if (this.awaited) {
      this.failed = true;
      board.panel.say(say("board.not_loaded"));
      await pause(AGAIN_MS);
    }
    this.asked = false;
    if (this.awaited) this.fetch();
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
