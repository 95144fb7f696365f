// What Python sends, taken in: torch's numbers take the place of the page's own as soon as they are there, unless more was
// done since.

import { Behind } from "./behind.js";
import { seenFrom } from "./heads/seen_from.js";
import { ofMoment } from "./moments.js";
import { unpacked } from "./received.js";
import { evaluateWithin, MOST_STEPS } from "./values/evaluate.js";

/** @import { Trigger } from "../scripts/types.js" */
/** @import { Board } from "./board.js" */
/** @import { BoardData, Matrices, Stages } from "./types.js" */

// All that decides which cells there are and what stands around them.
/** @param {BoardData} data */
export function structureOf({ matrices, stages, labels, keys, shown, ghosts, notes, features, sentence, scaled }) {
  const shapes = Object.entries(matrices).map(([name, { rows, columns }]) => [name, rows, columns]);
  return JSON.stringify([stages, labels, keys, shapes, shown, ghosts, notes, features, sentence, scaled]);
}

// The table by its stages' names.
/** @param {BoardData} data */
export function stagesOf({ stages }) {
  return /** @type {Stages} */ (new Map(stages.map((stage) => [stage.name, stage])));
}

export class Intake {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {[BoardData, Trigger] | null} */
    this.late = null; // what waits until a number has been typed
    /** @type {number | null} */
    this.ahead = null; // the step of a training that is shown, where Python has not made its numbers yet
    this.confirmed = 0; // the number of the last message that torch has computed before Python drew it
    this.behind = new Behind(board);
    /** @type {Trigger} */
    this.trigger = () => {};
  }

  /** @param {BoardData} sent @param {Trigger} trigger */
  receive(sent, trigger) {
    const { board } = this;
    this.trigger = trigger;
    if (this.isFromBefore(sent)) {
      board.sender.trigger = (changes) => trigger("changes", changes);
      return;
    }
    const data = this.inView(sent);
    const structure = structureOf(data);
    this.late = structure !== board.structure && board.input.typing ? [sent, trigger] : null;
    if (this.late) return; // what is being typed would be cut off
    board.sender.receive(data.key, data.answered, (changes) => trigger("changes", changes));
    if (board.sender.waiting?.number === this.confirmed) {
      if (structure === board.structure) return; // what is shown is newer
      this.confirmed = 0;
    }
    this.take(data, structure);
    if (sent.learnt) window.attnvizConnection?.learn(sent.learnt);
    this.behind.hear(sent);
  }

  // Whether this is what the last run drew, drawn again, while more was taken beside the runs of the page.
  /** @param {BoardData} sent */
  isFromBefore({ asks }) {
    const known = this.board.data.asks;
    return asks?.word === known?.word && (asks?.taken ?? 0) < (known?.taken ?? 0);
  }

  // What was taken beside the runs of the page: none of them draws it, nor tells the browser what the address is. Return
  // whether it is the answer to this message, which is waited for.
  /** @param {BoardData} sent @param {number} number */
  answer(sent, number) {
    const { board } = this;
    if (sent.answered !== number || board.sender.waiting?.number !== number || !board.root.isConnected) return false;
    window.attnvizConnection?.enter(sent.key, sent.address ?? "");
    this.receive(sent, this.trigger);
    return true;
  }

  // What answers an older message is shown as it is seen from the head that was picked since.
  /** @param {BoardData} sent */
  inView(sent) {
    const { board } = this;
    return board.head !== null && board.sender.waiting && board.sender.number > sent.answered ? seenFrom(sent, board.head) : sent;
  }

  // Show what torch makes of the edits of a message that Python has not been told of, unless more was done since; return
  // whether it is shown.
  /** @param {BoardData} sent @param {number} number */
  confirm(sent, number) {
    const { board } = this;
    const data = this.inView({ ...sent, answered: board.data.answered });
    const newer = [...board.pending.values()].some((edit) => edit.number > number);
    if (newer || board.drag || this.ahead !== null || board.sender.waiting?.number !== number) return false;
    if (!board.root.isConnected || structureOf(data) !== board.structure) return false;
    this.confirmed = number;
    this.take(data, board.structure);
    return true;
  }

  /** @param {BoardData} data @param {string} structure */
  take(data, structure) {
    const { board } = this;
    const before = board.structure && String([board.data.labels, board.data.keys]) === String([data.labels, data.keys]) ? board.shown : null;
    const received = board.data.matrices;
    if (data.layer !== board.data.layer) board.undo.forget(); // what takes changes of another layer back
    board.data = data;
    if (board.readWord !== null && board.readWord >= data.keys.length) board.readWord = null;
    board.stages = stagesOf(data);
    board.torch = unpacked(data.matrices, { sent: received, matrices: board.torch });
    if (!board.sender.waiting) board.picked = data.query;
    board.head = data.head;
    const anew = structure !== board.structure;
    const focused = anew ? board.input.focused : null;
    if (anew || data.moment === this.ahead) this.ahead = null;
    if (anew) board.assembly.build(structure);
    for (const [address, edit] of board.pending) {
      if (edit.number <= data.answered || !board.fits(edit)) board.pending.delete(address);
    }
    if (data.ofNow && !board.sender.waiting) board.pinned = data.picked ?? null; // else what was pinned since is newer
    if (anew) this.showPending();
    this.settle();
    board.assembly.resize();
    if (focused && board.fits(focused)) board.focus(focused); // what is typed next is meant for it
    if (before) board.motion.switched(before);
    board.play.receive(data.play, before !== null);
  }

  // Draw what came while a number was being typed.
  catchUp() {
    if (this.late) this.receive(...this.late);
  }

  // Show torch's numbers, unless they are older than what is shown: the next ones are not.
  settle() {
    const { board } = this;
    if (board.drag || this.ahead !== null || [...board.pending.values()].some(({ number }) => number > this.confirmed)) return;
    board.base = null;
    board.given = this.givenBy(board.torch);
    board.settled = true;
    board.older = new Set();
    board.display.show(board.torch);
  }

  // Show another moment of a training, of which the page has worked out every matrix of the whole model.
  /** @param {WindowEventMap["attnviz-moment"]["detail"]} moment */
  turnTo({ key, step, matrices }) {
    const { board } = this;
    if (key !== board.data.key || !board.structure || !board.root.isConnected) return;
    board.play.stop();
    this.ahead = step;
    board.given = ofMoment(board.data.stages, board.torch, matrices);
    board.settled = false;
    const made = evaluateWithin([...board.stages.values()], board.given, board.torch, MOST_STEPS);
    board.older = made.older;
    board.display.show(made.matrices);
  }

  // What waits to be answered, on cells that have just been made.
  showPending() {
    const { board } = this;
    board.given = this.givenBy(board.torch);
    for (const edit of board.pending.values()) board.editing.change(edit, edit.value ?? board.uneditedAt(edit));
  }

  /** @param {Matrices} matrices @returns {Matrices} */
  givenBy(matrices) {
    const given = this.board.data.stages.filter((stage) => stage.rule === "given");
    return Object.fromEntries(given.map(({ name }) => [name, { ...matrices[name], values: matrices[name].values.slice() }]));
  }
}
