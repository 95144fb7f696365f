// The cell that is pointed at, or pinned: what it is made from and what it feeds light up, and the dock says how.

import { toggle } from "./cells/elements.js";
import { addressOf } from "./places.js";
import { feeds, spansIn } from "./spans.js";
import { seenSourcesOf } from "./values/evaluate.js";

/** @import { Board } from "./board.js" */
/** @import { Place, Stage } from "./types.js" */

export class Pointing {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {{ key: string, structure: string, cells: Record<string, Uint8Array> } | null} */
    this.fed = null; // what the cell that is pointed at feeds
  }

  // Light up what the cell of now is made from, or of a given one what it feeds, and say how.
  explain() {
    const { board } = this;
    if (board.play.moment) return; // which says what is at work
    const place = [board.pinned, board.at, board.data.lit].find((each) => each && board.isShown(each)) ?? null;
    const sources = place ? seenSourcesOf(board.made, place) : [];
    // What a number feeds stays lit while it is dragged, over the veil; of matrices that are pixels nothing can.
    const fed = place && board.isEditable(place) ? this.fedBy(place) : {};
    for (const [name, grid] of board.grids) grid.light(fed[name], spansIn(sources, name), place?.matrix === name ? place : null);
    // What a step of the lesson lights up stands out by its frames alone: all else is there to be read.
    const follows = !board.drag || [...board.grids.values()].every((grid) => grid.lights);
    toggle(board.root, "pointing", Boolean(place) && follows && place !== board.data.lit);
    for (const grid of board.grids.values()) toggle(grid.matrix, "pinned", Boolean(board.pinned) && grid.stage.name === board.pinned?.matrix);
    if (board.drag) board.flow.meet(null, []);
    else board.flow.meet(place, sources);
    board.panel.show(place, sources);
    board.plane.point(place);
    board.story.select(place);
  }

  // Say what a matrix is whose name is pointed at, while nothing else has to be said.
  /** @param {Stage} stage */
  describe(stage) {
    const { board } = this;
    if (!board.pinned && !board.drag && !board.play.moment) board.panel.describe(stage);
  }

  // What a given number feeds depends on the table alone.
  /** @param {Place} place */
  fedBy(place) {
    const [key, { structure }] = [addressOf(place), this.board];
    if (this.fed?.key === key && this.fed.structure === structure) return this.fed.cells;
    const cells = feeds(this.board.made, place);
    this.fed = { key, structure, cells };
    return cells;
  }

  /** @param {Place | null} place */
  choose(place) {
    const { board } = this;
    if (addressOf(place) === addressOf(board.at)) return;
    board.at = place;
    if (place) board.hints.done("point");
    if (!board.pinned || !board.isShown(board.pinned)) this.explain();
  }

  /** @param {Place | null} place */
  isPinned(place) {
    return addressOf(this.board.pinned) === addressOf(place);
  }

  // Pin a cell, or with null unpin the one that is pinned.
  /** @param {Place | null} place */
  pin(place) {
    const { board } = this;
    board.play.stop();
    if (!this.isPinned(place) && (!place || board.isShown(place))) {
      board.pinned = place;
      board.host.tellPicks();
    }
    this.explain();
  }

  unpin() {
    const { board } = this;
    board.panel.leaveTrail();
    board.panel.say("");
    this.pin(null);
  }
}
