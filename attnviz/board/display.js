// What the cells show, and all that stands around them, of the matrices of now: torch's, or the page's own.

import { toggle } from "./cells/elements.js";
import { beforeEdits } from "./values/before.js";

/** @import { Board } from "./board.js" */
/** @import { Grid } from "./cells/grid.js" */
/** @import { Matrices } from "./types.js" */

// Which of two matrices stood where the other stands now.
const INSTEAD = { scores: "scaled_scores", scaled_scores: "scores" };

export class Display {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {number | null} */
    this.rest = null; // the frame in which what is out of view is drawn
  }

  // What the colours or the marks of all cells depend on has changed.
  repaint() {
    const { board } = this;
    board.theme = board.host.scheme();
    board.shades = null;
    if (!board.structure) return;
    board.assembly.dress();
    this.show(board.shown);
  }

  // Another choice of what the cells show.
  /** @param {Partial<Pick<Board, "scaled" | "all" | "inFull" | "wholeScale" | "byReaders" | "readWord" | "planeOver">>} choice */
  showAs(choice) {
    const { board } = this;
    Object.assign(board, choice);
    const focused = board.input.focused;
    this.explainWith(board.shown);
    if ("scaled" in choice || "all" in choice || "planeOver" in choice) board.assembly.lay();
    this.show(board.shown);
    if ("scaled" in choice) board.motion.switched(board.shown, INSTEAD);
    if (focused) board.focus(focused);
  }

  // Show these matrices; only cells whose number, colour or mark changed are written.
  /** @param {Matrices} matrices */
  show(matrices) {
    const { board } = this;
    board.motion.still();
    board.shown = matrices;
    this.explainWith(matrices);
    this.draw((grid) => grid.inView !== false);
    // While a cell is dragged, what is out of view waits until it comes into view; else until the rest is painted.
    if (!board.drag) this.rest ??= requestAnimationFrame(() => setTimeout(() => this.drawRest()));
    if (board.data.sentence) board.sentence.show();
    board.frame.show();
    board.plane.show();
    board.story.show();
    board.ruler.show();
    board.strip.show();
    board.telling.show();
    board.pointing.explain();
    board.panel.report();
    board.play.refresh();
    board.host.tells?.("numbers", board.shown === board.torch ? board.data.numbersOf : null);
  }

  // Have cells explained with these matrices, and with what was done to the inputs.
  /** @param {Matrices} matrices */
  explainWith(matrices) {
    const { board } = this;
    const changes = [...board.pending.values(), ...(board.drag ? [board.drag, ...(board.drag.rest ?? [])] : [])].filter((edit) => board.fits(edit));
    board.made = { ...board.data, shown: board.assembly.placed.filter((name) => board.data.shown.includes(name)), before: beforeEdits(board.data.before, board.torch, changes), stages: board.stages, matrices };
  }

  drawRest() {
    this.rest = null;
    this.draw((grid) => grid.inView === false);
  }

  /** @param {(grid: Grid) => boolean} which */
  draw(which) {
    const { board } = this;
    for (const [name, grid] of board.grids) {
      if (!which(grid)) continue;
      toggle(grid.matrix, "older", board.older.has(name));
      grid.paint();
      if (!board.drag) grid.mark();
    }
  }

  /** @param {IntersectionObserverEntry[]} changes */
  seen(changes) {
    for (const grid of this.board.grids.values()) {
      const change = changes.findLast(({ target }) => target === grid.element);
      if (!change) continue;
      grid.inView = change.isIntersecting;
      if (grid.inView) grid.paint();
    }
  }
}
