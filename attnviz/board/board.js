// The board: every matrix of self-attention as a grid of cells. It draws what Python sends (torch's numbers),
// lights up what a cell is made from, and shows at once what an edit does, by evaluating the table of stages
// itself; torch's numbers take the place of its own as soon as they are there.
// Whatever a person typed is only ever set as textContent or as an attribute.

import { beforeEdits } from "./before.js";
import { make, toggle } from "./elements.js";
import { evaluate, seenSourcesOf } from "./evaluate.js";
import { Grid, MORE_CHARACTERS } from "./grid.js";
import { Input } from "./input.js";
import { valueAt } from "./matrices.js";
import { Mix } from "./mix.js";
import { Panel } from "./panel.js";
import { addressOf } from "./places.js";
import { readsMost } from "./reads_most.js";
import { keptFor, partOf } from "../scripts/parts.js";
import { Sender } from "../scripts/sending.js";
import { say } from "../scripts/sentences.js";

/** @import { Drawing, Trigger } from "../scripts/types.js" */
/** @import { BoardCell, BoardData, Edit, Made, Matrices, Matrix, Place, Stages } from "./types.js" */

const LONGEST_LABEL = 16; // characters of it that are seen
const PAINTED_MS = 50; // until torch's numbers are painted and the rest of the page can follow
/** @typedef {{ edits: Edit[], pinned: Place | null }} Changes what Python is told of */

/** @type {WeakMap<HTMLElement, Board>} */
const boards = new WeakMap();

/** @param {Drawing<BoardData>} drawing */
export default function board({ parentElement, data, setTriggerValue }) {
  const root = partOf(parentElement, ".board");
  keptFor(boards, root, () => new Board(root, data)).receive(data, setTriggerValue);
}

// All that decides which cells there are and what stands around them.
/** @param {BoardData} data */
function structureOf({ matrices, stages, labels, titles, layout, framed, notes, digits }) {
  const shapes = Object.entries(matrices).map(([name, { rows, columns }]) => [name, rows, columns]);
  return JSON.stringify([stages, labels, shapes, titles, layout, framed, notes, digits]);
}

// The table by its stages' names.
/** @param {BoardData} data */
function stagesOf({ stages }) {
  return /** @type {Stages} */ (new Map(stages.map((stage) => [stage.name, stage])));
}

// JSON has no infinities and no NaN: these travel as words.
/** @param {BoardData} data @returns {Matrices} */
function matricesOf({ matrices }) {
  const read = Object.entries(matrices).map(([name, matrix]) => [name, { ...matrix, values: Float64Array.from(matrix.values, Number) }]);
  return Object.fromEntries(read);
}

export class Board {
  /** @param {HTMLElement} root @param {BoardData} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.stages = stagesOf(data);
    this.torch = matricesOf(data);
    this.structure = ""; // of what is built
    this.characters = 0; // that have room in a column
    this.shown = this.torch;
    /** @type {Made} */
    this.made = { ...data, stages: this.stages, matrices: this.torch };
    /** @type {Matrices} */
    this.given = {}; // the inputs, with what was done to them
    this.settled = false; // whether torch's numbers are shown
    /** @type {[BoardData, Trigger] | null} */
    this.late = null; // what waits until a number has been typed
    /** @type {number | undefined} */
    this.asked = undefined; // for which answer the rest of the page was asked for
    /** @type {number | null} */
    this.rest = null; // the frame in which what is out of view is drawn
    /** @type {number | null} */
    this.frame = null; // and the one in which a change is
    /** @type {Map<string, Grid>} */
    this.grids = new Map(); // by matrix
    /** @type {Map<string, Edit & { number: number }>} */
    this.pending = new Map(); // by address: edits that Python has not answered yet
    this.panel = new Panel(this);
    this.mix = new Mix();
    /** @type {Place | null} */
    this.at = null; // the cell that is pointed at
    /** @type {Place | null} */
    this.pinned = null;
    /** @type {(Place & { value: number }) | null} */
    this.drag = null;
    /** @type {Set<BoardCell>} */
    this.marked = new Set(); // the cells that are lit
    this.views = new IntersectionObserver((changes) => this.seen(changes));
    this.input = new Input(this);
    /** @type {Sender<Changes>} */
    this.sender = new Sender(root, (sent) => this.tellAgain(sent));
    root.addEventListener("attnviz:late", () => this.panel.report());
    for (const type of ["attnviz:away", "attnviz:back"]) window.addEventListener(type, () => this.root.isConnected && this.panel.report());
  }

  /** @param {BoardData} data @param {Trigger} trigger */
  receive(data, trigger) {
    const structure = structureOf(data);
    this.late = structure !== this.structure && this.input.typing ? [data, trigger] : null;
    if (this.late) return; // what is being typed would be cut off
    this.sender.receive(data.key, data.answered, (changes) => trigger("changes", changes));
    this.data = data;
    this.stages = stagesOf(data);
    this.torch = matricesOf(data);
    const anew = structure !== this.structure;
    const focused = anew ? this.input.focused : null;
    if (anew) this.build(structure);
    for (const [address, edit] of this.pending) {
      if (edit.number <= data.answered || !this.fits(edit)) this.pending.delete(address);
    }
    if (data.ofNow && !this.sender.waiting) this.pinned = data.picked ?? null; // else what was pinned since is newer
    if (data.ofNow && data.answered && data.answered === this.sender.number && this.asked !== data.answered) {
      this.asked = data.answered;
      setTimeout(() => this.sender.ask(() => trigger("rest", data.answered)), PAINTED_MS);
    }
    if (anew) this.showPending();
    this.settle();
    if (focused && this.fits(focused)) this.focus(focused); // what is typed next is meant for it
  }

  // Draw what came while a number was being typed.
  catchUp() {
    if (this.late) this.receive(...this.late);
  }

  // Show torch's numbers, unless they are older than what is shown: the next ones are not.
  settle() {
    if (this.drag || this.pending.size) return;
    this.given = this.givenBy(this.torch);
    this.settled = true;
    this.show(this.torch);
  }

  // What waits to be answered, on cells that have just been made.
  showPending() {
    this.given = this.givenBy(this.torch);
    for (const edit of this.pending.values()) this.change(edit, edit.value ?? this.uneditedAt(edit));
  }

  /** @param {Matrices} matrices @returns {Matrices} */
  givenBy(matrices) {
    const given = this.data.stages.filter((stage) => stage.rule === "given");
    return Object.fromEntries(given.map(({ name }) => [name, { ...matrices[name], values: matrices[name].values.slice() }]));
  }

  /** @param {Place} place */
  fits({ matrix, row, column }) {
    const { rows, columns } = this.torch[matrix] ?? { rows: 0, columns: 0 };
    return row < rows && column < columns;
  }

  // ---- drawing ----

  /** @param {string} structure */
  build(structure) {
    this.structure = structure;
    this.grids.clear();
    this.views.disconnect();
    this.marked.clear();
    this.at = this.pinned = this.drag = null;
    this.input.kept = false;
    this.explainWith(this.torch);
    this.characters = this.data.digits + MORE_CHARACTERS;
    this.root.style.setProperty("--characters", String(this.characters));
    const column = (/** @type {string[]} */ names) => make("div", "column", names.map((name) => this.grid(name).matrix));
    const lines = this.data.layout.map((columns) => make("div", "row", columns.map(column)));
    if (this.data.mix) lines.at(-1)?.append(this.mix.element);
    this.root.style.setProperty("--widest", String(Math.max(...this.data.layout.map((columns) => this.widthOf(columns)))));
    toggle(this.root, "framed", Boolean(this.data.framed));
    this.root.replaceChildren(...(this.data.framed ? [legend()] : []), ...lines, this.panel.element);
  }

  /** @param {string} name */
  grid(name) {
    const grid = new Grid(this, name);
    this.grids.set(name, grid);
    this.views.observe(grid.element);
    return grid;
  }

  // How many characters wide a line of matrices is, about: letters are as large as it lets them be.
  /** @param {string[][]} columns */
  widthOf(columns) {
    const longest = Math.min(LONGEST_LABEL, Math.max(...this.data.labels.map((label) => label.length)));
    const widthOfOne = (/** @type {string} */ name) => 1 + (this.stages.get(name).rows === "feature" ? 2 : longest) + (this.characters + 1) * this.torch[name].columns;
    return columns.reduce((sum, names) => sum + Math.max(0, ...names.map(widthOfOne)), 0);
  }

  // Show these matrices; only cells whose number, colour or mark changed are written.
  /** @param {Matrices} matrices */
  show(matrices) {
    this.shown = matrices;
    this.explainWith(matrices);
    this.draw((grid) => grid.inView !== false);
    // While a cell is dragged, what is out of view waits until it comes into view; else until the rest is painted.
    if (!this.drag) this.rest ??= requestAnimationFrame(() => setTimeout(() => this.drawRest()));
    if (this.data.mix) {
      const [weights, values, contexts] = this.data.mix;
      this.mix.show(this.data, matrices[weights], matrices[values], matrices[contexts], !this.drag);
    }
    this.explain();
    this.panel.report();
    tellPage(this);
  }

  // Have cells explained with these matrices, and with what was done to the inputs.
  /** @param {Matrices} matrices */
  explainWith(matrices) {
    const changes = [...this.pending.values(), ...(this.drag ? [this.drag] : [])].filter((edit) => this.fits(edit));
    this.made = { ...this.data, before: beforeEdits(this.data.before, this.torch, changes), stages: this.stages, matrices };
  }

  drawRest() {
    this.rest = null;
    this.draw((grid) => grid.inView === false);
  }

  /** @param {(grid: Grid) => boolean} which */
  draw(which) {
    for (const grid of this.grids.values()) {
      if (!which(grid)) continue;
      grid.paint();
      if (!this.drag) grid.mark();
    }
  }

  /** @param {IntersectionObserverEntry[]} changes */
  seen(changes) {
    for (const grid of this.grids.values()) {
      const change = changes.findLast(({ target }) => target === grid.element);
      if (!change) continue;
      grid.inView = change.isIntersecting;
      if (grid.inView) grid.paint();
    }
  }

  // ---- one cell ----

  /** @param {Place} place */
  stage(place) {
    return this.stages.get(place.matrix);
  }

  /** @param {Place} place */
  cellAt(place) {
    return this.grids.get(place.matrix)?.cells[place.row * this.shown[place.matrix].columns + place.column];
  }

  /** @param {Place} place */
  valueAt({ matrix, row, column }) {
    return valueAt(this.shown[matrix], row, column);
  }

  // Whether a cell of a matrix of which only one is filled yet.
  /** @param {Place} place */
  isEmpty({ matrix, row, column }) {
    const { only } = this.data;
    return matrix === only?.matrix && (row !== only.row || column !== only.column);
  }

  /** @param {Place} place */
  isShown(place) {
    return Boolean(this.cellAt(place)) && !this.isEmpty(place);
  }

  // The number of an input, with edits that are not drawn yet.
  /** @param {Place} place */
  givenAt({ matrix, row, column }) {
    return valueAt(this.given[matrix], row, column);
  }

  // The number that it has without any edit.
  /** @param {Place} place */
  uneditedAt(place) {
    return this.data.before[addressOf(place)] ?? valueAt(this.torch[place.matrix], place.row, place.column);
  }

  /** @param {Place} place */
  isEditable(place) {
    return this.stage(place).rule === "given";
  }

  /** @param {Place} place */
  isEdited(place) {
    const pending = this.pending.get(addressOf(place));
    return pending ? pending.value !== null : addressOf(place) in this.data.before;
  }

  // Light up what the cell of now is made from, and say how.
  explain() {
    const place = [this.pinned, this.at, this.data.lit].find((each) => each && this.isShown(each)) ?? null;
    const sources = place ? seenSourcesOf(this.made, place) : [];
    /** @type {Map<BoardCell, string>} */
    const lit = new Map();
    for (const source of sources.flat()) {
      const cell = this.cellAt(source);
      if (cell) lit.set(cell, "source"); // else the source is not on this board
    }
    const chosen = place && this.cellAt(place);
    if (chosen) lit.set(chosen, "chosen");
    for (const cell of this.marked) {
      for (const mark of ["source", "chosen"]) toggle(cell, mark, lit.get(cell) === mark);
    }
    for (const [cell, mark] of lit) toggle(cell, mark, true);
    this.marked = new Set(lit.keys());
    this.panel.show(place, sources);
  }

  /** @param {Place | null} place */
  choose(place) {
    if (addressOf(place) === addressOf(this.at)) return;
    this.at = place;
    if (!this.pinned || !this.isShown(this.pinned)) this.explain();
  }

  /** @param {Place | null} place */
  isPinned(place) {
    return addressOf(this.pinned) === addressOf(place);
  }

  // Pin a cell, or with null unpin the one that is pinned.
  /** @param {Place | null} place */
  pin(place) {
    if (!this.isPinned(place) && (!place || this.isShown(place))) {
      this.pinned = place;
      if (this.data.ofNow) this.tell();
    }
    this.explain();
  }

  unpin() {
    this.panel.leaveTrail();
    this.panel.say("");
    this.pin(null);
  }

  /** @param {Place} place */
  focus(place) {
    const cell = this.cellAt(place);
    if (!cell) return;
    for (const other of this.grids.get(place.matrix)?.cells ?? []) {
      if (other.tabIndex === 0 && other !== cell) other.tabIndex = -1;
    }
    cell.tabIndex = 0;
    cell.focus();
  }

  // ---- changing ----

  // Show what a cell's new number does to every matrix, with the next frame.
  /** @param {Place} place @param {number} value */
  change(place, value) {
    if (!this.fits(place)) return;
    const { columns, values } = this.given[place.matrix];
    values[place.row * columns + place.column] = Math.fround(value);
    this.at = place;
    this.settled = false;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (!this.settled) this.show(evaluate([...this.stages.values()], this.given));
    });
  }

  // Give a number back that was changed, but is not to be edited.
  /** @param {Place} place @param {number} value */
  restore(place, value) {
    this.change(place, value);
    this.settle();
  }

  // Take edits, { matrix, row, column, value } with null for a cell that is to be reset. With `replaces`, those before
  // that still wait to be sent are on the way to these.
  /** @param {Edit[]} edits */
  commit(edits, replaces = false) {
    this.panel.say("");
    this.tell(edits, replaces);
    for (const edit of edits) {
      const value = edit.value ?? this.uneditedAt(edit);
      if (Math.fround(value) !== this.givenAt(edit)) this.change(edit, value); // else it is shown, as after a drag
    }
    if (!this.settled) this.panel.report();
  }

  /** @param {Edit[]} edits */
  tell(edits = [], replaces = false) {
    const sent = edits.map(({ matrix, row, column, value }) => ({ matrix, row, column, value }));
    this.sender.send({ edits: sent, pinned: this.pinned }, replaces);
    for (const edit of edits) this.pending.set(addressOf(edit), { ...edit, number: this.sender.number });
  }

  // After a reload what was done is no longer on the board.
  /** @param {Changes} changes */
  tellAgain({ edits, pinned }) {
    this.pinned = pinned;
    const fitting = edits.filter((edit) => this.fits(edit));
    if (fitting.length) this.commit(fitting);
    else this.tell();
  }

  /** @param {Place} place */
  reset(place) {
    this.commit([{ ...place, value: null }]);
  }
}

// What the frames of matrices mean.
function legend() {
  const each = (/** @type {string} */ origin) => make("span", origin, [make("span", "grid"), say(`board.legend.${origin}`)]);
  return make("div", "legend", [each("learned"), each("computed"), say("board.legend.input")]);
}

// For the page's sentences, which stand outside of the board: what it would say now, and whose numbers it shows.
/** @param {Board} board */
function tellPage({ made, data, shown, torch }) {
  const tell = (/** @type {string} */ name, /** @type {string | null} */ detail) => window.dispatchEvent(new CustomEvent(name, { detail }));
  if (data.ofNow) tell("attnviz-sentence", readsMost(made, data.query));
  tell("attnviz-numbers", shown === torch ? data.numbersOf : null);
}
