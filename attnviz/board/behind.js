// The rest of the page, where it is behind the board: a whole run, which costs the server more than an edit. It is asked
// for once the hand rests, and rests the longer, the longer the server took for the last answer: whoever edits on, on a
// server that is busy, has several edits followed by one run. The list of edits alone waits until nobody goes on editing.

import { CONSTANTS } from "../scripts/sent.js";

/** @import { Board } from "./board.js" */
/** @import { BoardData } from "./types.js" */

const { LEAST_MS, TIMES, IN_ALL, MOST_MS, LIST_MS, LIST_MOST_MS } = CONSTANTS.PUT_OFF;

export class Behind {
  /** @param {Pick<Board, "sender" | "intake" | "drag" | "input" | "root">} board */
  constructor(board) {
    this.board = board;
    /** @type {number | null} */
    this.since = null; // when the rest fell behind
    this.answered = 0; // the message that it is to follow
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.due = 0; // when it asks
  }

  // With each drawing.
  /** @param {BoardData} data */
  hear({ behind, answered }) {
    if (!behind) {
      clearTimeout(this.timer);
      [this.since, this.timer] = [null, undefined];
      return;
    }
    const now = performance.now();
    this.since ??= now;
    this.answered = answered;
    const delay = behind === "soon" ? LEAST_MS : (behind === "list" ? delayOfList : delayOf)(this.board.sender.took, now - this.since);
    // What is about to be asked for is, however many edits follow.
    if (!this.timer || delay > LEAST_MS || now + delay < this.due) this.wait(delay);
  }

  /** @param {number} delay */
  wait(delay) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), delay);
    this.due = performance.now() + delay;
  }

  ask() {
    this.timer = undefined;
    const { sender, intake, drag, input, root } = this.board;
    if (!root.isConnected || sender.waiting) return; // the next answer says whether it still is
    const held = (drag || input.typing) && this.since !== null && performance.now() - this.since < MOST_MS;
    if (held) return this.wait(LEAST_MS);
    this.since = null;
    sender.ask(() => intake.trigger("rest", this.answered));
  }
}

// How long the hand must rest, where an answer took so many milliseconds and the page has been behind for so many.
/** @param {number} took @param {number} behind */
export function delayOf(took, behind) {
  const left = Math.min(IN_ALL * took, MOST_MS) - behind;
  return Math.max(LEAST_MS, Math.min(TIMES * took, left));
}

// The same, where nothing but the list of edits is behind: on a server that is busy, it waits for longer than for all.
/** @param {number} took @param {number} behind */
export function delayOfList(took, behind) {
  const rests = Math.min(Math.max(LIST_MS, TIMES * took), MOST_MS);
  return Math.max(LEAST_MS, Math.min(rests, Math.max(IN_ALL * took, LIST_MOST_MS) - behind));
}
