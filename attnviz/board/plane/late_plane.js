// The plane for the board, which fetches the script that draws it only when the reader opens it, or points at its
// button.

import { say } from "../../scripts/sentences.js";

/** @import { Plane } from "./plane.js" */

const MOST = 64; // the plane isn't drawn for more tokens than these
const BUSY_MS = 100; // wait between two checks whether a number is still being typed or dragged
const AGAIN_MS = 1000; // wait between two attempts to fetch the script

const pause = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

export class LatePlane {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    /** @type {Plane | null} */
    this.plane = null;
    this.asked = false; // whether the script is being fetched
    this.failed = false; // whether the dock says that the script couldn't be fetched
  }

  // Whether the plane has something to draw that a reader can make out.
  get possible() {
    const { torch: { q, k, v, scores, attention_weights: weights, context }, data } = this.board;
    return Boolean(data.plane) && data.keys.length <= MOST && [q, k, v, scores, weights, context].every(Boolean)
      && v.columns === context.columns;
  }

  // The plane's elements; none if it has no room, or nothing to draw.
  get elements() {
    return this.plane?.elements ?? [];
  }

  // Whether somebody still waits for the plane: it's open, and the board hasn't ended.
  get awaited() {
    return this.board.structure !== "" && this.board.planeOver;
  }

  // Fetch the script, once. If that fails, try again for as long as the plane is open.
  async fetch() {
    const { board } = this;
    if (this.plane || this.asked) return;
    this.asked = true;
    this.plane = await board.host.plane(board).catch(() => null);
    // Showing the plane lays the board out anew, which would end typing or dragging.
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
