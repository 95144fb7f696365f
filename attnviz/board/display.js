// Draws the current matrices, torch's or the page's own, into the cells and all that stands around them.

import { toggle } from "./cells/elements.js";
import { addressOf, forHead } from "./places.js";
import { evaluateWithin } from "./values/evaluate.js";
import { ofMoment, unpacked, valueAt } from "./values/matrices.js";

// The matrix that stood in a matrix's place before the reader switched between scores and scaled scores.
const INSTEAD = { scores: "scaled_scores", scaled_scores: "scores" };

export class Display {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    /** @type {number | null} */
    this.rest = null; // the animation frame that will draw the grids out of view
  }

  // Draw everything again in a new theme.
  repaint() {
    const { board } = this;
    board.theme = board.host.scheme();
    board.shades = null;
    if (!board.structure) return;
    board.assembly.dress();
    this.show(board.shown);
  }

  // Show cells in another way, chosen by the reader.
  /** @param {Partial<Pick<Board, "scaled" | "all" | "inFull" | "wholeScale" | "byReaders" | "readWord" | "planeOver">>}
   *  choice */
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

  // Show these matrices, updating only the cells whose number, colour or mark changed.
  show(/** @type {Matrices} */ matrices) {
    const { board } = this;
    board.motion.still();
    board.shown = matrices;
    this.explainWith(matrices);
    this.draw((grid) => grid.inView !== false);
    // Grids out of view are drawn after the rest is painted, or, during a drag, when they come into view.
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
    board.host.notify?.("numbers", board.shown === board.torch ? board.data.numbersOf : null);
  }

  // Show what the page itself computes from the inputs; `most` limits the steps that this takes.
  /** @param {number} [most] */
  showOwn(most) {
    const { board } = this;
    const { matrices, older } = evaluateWithin(board.stages, board.given, board.torch, most);
    board.older = older;
    this.show(matrices);
  }

  // Let cells be explained with these matrices, and with the edits that Python hasn't answered yet.
  explainWith(/** @type {Matrices} */ matrices) {
    const { board } = this;
    const changes = [...board.pending.values(), ...(board.drag ? [board.drag, ...(board.drag.rest ?? [])] : [])]
      .filter((edit) => board.fits(edit));
    board.trace = { ...board.data, shown: board.assembly.placed.filter((name) => board.data.shown.includes(name)),
      before: beforeEdits(board.data.before, board.torch, changes), stages: board.stages, matrices };
  }

  drawRest() {
    this.rest = null;
    this.draw((grid) => grid.inView === false);
  }

  draw(/** @type {(grid: Grid) => boolean} */ which) {
    const { board } = this;
    for (const [name, grid] of board.grids) {
      if (!which(grid)) continue;
      toggle(grid.matrix, "older", board.older.has(name));
      grid.paint();
      if (!board.drag) grid.mark();
    }
  }

  seen(/** @type {IntersectionObserverEntry[]} */ changes) {
    for (const grid of this.board.grids.values()) {
      const change = changes.findLast(({ target }) => target === grid.element);
      if (!change) continue;
      grid.inView = change.isIntersecting;
      if (grid.inView) grid.paint();
    }
  }
}

// The numbers that edited cells had before their edits.

// Return, by address, what Python will send as `before` once it has answered these edits. The argument `before` is what
// it sent last; a cell that isn't in it has its original number in `torch`.
/** @param {Record<string, number | string>} before @param {Matrices} torch @param {Iterable<Edit>} edits */
export function beforeEdits(before, torch, edits) {
  const after = { ...before };
  for (const { matrix, row, column, value } of edits) {
    const address = addressOf({ matrix, row, column });
    if (value === null) delete after[address];
    else after[address] ??= valueAt(torch[matrix], row, column);
  }
  return after;
}

// Takes in what Python sends. Torch's numbers replace the page's own as soon as they arrive, unless something was
// changed since.

// Return a key for everything that decides which cells there are and what stands around them.
/** @param {BoardData} data */
export function structureOf({ matrices, stages, labels, keys, shown, ghosts, notes, features, sentence, scaled }) {
  const shapes = Object.entries(matrices).map(([name, { rows, columns }]) => [name, rows, columns]);
  return JSON.stringify([stages, labels, keys, shapes, shown, ghosts, notes, features, sentence, scaled]);
}

// The table of stages, by their names.
export function stagesOf(/** @type {BoardData} */ { stages }) {
  return /** @type {Stages} */ (new Map(stages.map((stage) => [stage.name, stage])));
}

export class Intake {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    /** @type {BoardData | null} */
    this.late = null; // data that waits until the reader has finished typing a number
    /** @type {number | null} */
    this.ahead = null; // the step of a training that is shown before Python has sent its numbers
  }

  receive(/** @type {BoardData} */ sent) {
    const { board } = this;
    const data = this.inView(sent);
    const structure = structureOf(data);
    this.late = structure !== board.structure && board.input.typing ? sent : null;
    if (this.late) return; // drawing it now would remove the box that the reader types into
    if (board.sender.receive(data) && structure === board.structure) return; // newer numbers are shown already
    this.take(data, structure);
  }

  // Data that answers an older query is turned to the head that was picked since.
  inView(/** @type {BoardData} */ sent) {
    const { board } = this;
    return board.head !== null && board.sender.waiting ? forHead(sent, board.head) : sent;
  }

  /** @param {BoardData} data @param {string} structure */
  take(data, structure) {
    const { board } = this;
    const before = board.structure
      && String([board.data.labels, board.data.keys]) === String([data.labels, data.keys]) ? board.shown : null;
    const received = board.data.matrices;
    if (data.layer !== board.data.layer) board.undo.forget(); // its steps would take back changes in another layer
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
      const answered = !board.host.keeps && edit.number <= board.sender.answered;
      if (answered || !board.fits(edit)) board.pending.delete(address);
    }
    // while changes wait for an answer, the board's own pin is newer
    if (data.isCurrent && !board.sender.waiting) board.pinned = data.picked ?? null;
    if (anew || (board.host.keeps && board.pending.size)) this.showPending();
    this.settle();
    board.assembly.resize();
    board.sentence.mark();
    if (focused && board.fits(focused)) board.focus(focused); // so that this cell gets what is typed next
    if (before) board.motion.switched(before);
    board.play.receive(data.play, before !== null);
  }

  // Show torch's numbers, unless newer changes are shown: then the next answer will include them.
  settle() {
    const { board } = this;
    if (board.drag || this.ahead !== null || board.pending.size) return;
    board.base = null;
    board.given = this.givenBy(board.torch);
    board.settled = true;
    board.older = new Set();
    board.display.show(board.torch);
    board.undo.check();
  }

  // Show another moment of a training, for which the page has computed all matrices of the whole model.
  turnTo(/** @type {WindowEventMap["attnviz-moment"]["detail"]} */ { key, step, matrices }) {
    const { board } = this;
    if (key !== board.data.key || !board.structure || !board.root.isConnected) return;
    board.play.stop();
    this.ahead = step;
    board.data.chance = step ? "" : "all"; // before the first step, nothing is learned
    board.given = ofMoment(board.data.stages, board.torch, matrices);
    board.settled = false;
    board.display.showOwn();
  }

  // Show another temperature while its slider moves; torch's numbers follow.
  turnHotter(/** @type {number} */ temperature) {
    const { board } = this;
    const divides = (/** @type {Stage} */ { is, settings }) => Boolean(is.divides) && !settings.factor;
    const stages = [...board.stages.values()];
    if (!board.data.isCurrent || !board.structure || !stages.some(divides)) return;
    const changed = stages.map((stage) => (divides(stage)
      ? { ...stage, settings: { ...stage.settings, temperature, temperature_text: String(temperature) } } : stage));
    board.stages = /** @type {Stages} */ (new Map(changed.map((stage) => [stage.name, stage])));
    board.settled = false;
    board.display.showOwn();
  }

  // Show the edits that Python hasn't answered yet, on cells that were just built.
  showPending() {
    const { board } = this;
    board.given = this.givenBy(board.torch);
    for (const edit of board.pending.values()) board.editing.change(edit, edit.value ?? board.uneditedAt(edit));
  }

  /** @param {Matrices} matrices @returns {Matrices} */
  givenBy(matrices) {
    const given = this.board.data.stages.filter((stage) => stage.rule === "given");
    return Object.fromEntries(given.map(({ name }) =>
      [name, { ...matrices[name], values: matrices[name].values.slice() }]));
  }
}
