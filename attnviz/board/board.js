// The board: every matrix of self-attention as a grid of cells, with a row for each token, below the sentence. It draws
// torch's numbers, which Python sends, and highlights the cells that a cell is made from and those it feeds. An edit
// shows at once: the board evaluates the table of stages itself until torch's numbers arrive. What a person typed is
// only ever set as textContent or as an attribute. This file holds the state that the board's parts share, and
// questions about one cell; each part has its own file, and lists in its constructor what it uses of the board.

import { Assembly } from "./assembly.js";
import { rampsOf, shadeOf } from "./cells/colours.js";
import { make } from "./cells/elements.js";
import { Display, Intake, stagesOf } from "./display.js";
import { Editing } from "./editing.js";
import { Strip } from "./spine/strip.js";
import { Input } from "./input.js";
import { KeysList } from "./keys_list.js";
import { Picking, Pointing } from "./pointing.js";
import { addressOf } from "./places.js";
import { LatePlane } from "./plane/late_plane.js";
import { Play } from "./play/play.js";
import { lineOf, unpacked, valueAt } from "./values/matrices.js";
import { Sender } from "./sender.js";
import { Dock } from "./spine/dock.js";
import { Flow } from "./spine/flow.js";
import { Frame } from "./spine/frame.js";
import { layoutOf } from "./spine/layout.js";
import { Motion } from "./spine/motion.js";
import { Ruler } from "./spine/ruler.js";
import { Sentence } from "./spine/sentence.js";
import { LessonText } from "./spine/lesson_text.js";
import { Undo } from "./spine/undo.js";
import { Story } from "./story/story.js";

/** @type {Layout} */
const NOWHERE = layoutOf([], {}, [], { width: 1, height: 1, tokens: 1, named: 0, sentence: false, saysBelow: false,
  tells: 0, words: 1, ribbons: 0, hall: false });

// Draw a board in an element. Its host then sends it new data with `receive`, redraws it in another theme with
// `repaint`, and removes it with `end`.
/** @param {HTMLElement} root @param {BoardData} data @param {Host} host */
export function mount(root, data, host) {
  const board = new Board(root, data, host);
  board.receive(data);
  host.bringPanel?.(board); // a link may have opened it
  return board;
}

export class Board {
  ended = new AbortController(); // aborted by `end`, which removes all listeners
  structure = ""; // what structureOf returns for the data that is drawn; "" before and after
  /** @type {Matrices} */
  given = {}; // the input matrices with all edits
  settled = false; // whether torch's numbers are shown, not the board's own
  /** @type {Map<string, Grid>} */
  grids = new Map(); // the grids, by matrix
  /** @type {Map<string, Edit & { number: number }>} */
  pending = new Map(); // edits that torch's numbers don't include yet, by the cell's address
  scaled = false; // whether scaled scores replace the scores ...
  all = false; // ... or stand beside them
  inFull = false; // whether cells show as many decimals as the dock
  wholeScale = false; // whether the colour scale of attention weights ends at 1
  /** @type {Map<string, boolean>} */
  folds = new Map(); // matrix -> true if the reader folded it, false if the reader opened it
  planeOver = false; // whether the plane covers the matrices, for lack of room beside them
  byReaders = false; // whether the sentence shows the readers of the picked token, not what it reads
  /** @type {number | null} */
  readWord = null; // in cross-attention, the key token whose readers are shown
  /** @type {Matrices | null} */
  base = null; // the matrices before the current drag
  /** @type {{ left: number, top: number, by: number } | null} */
  held = null; // where the spine was in the window when the drag began, and its zoom
  /** @type {number | null} */
  previewed = null; // the token that the pointer is on
  /** @type {Ramps | null} */
  shades = null; // the colours of the theme, made on first use
  layout = NOWHERE;
  /** @type {Record<string, Rect>} */
  titles = {};
  /** @type {Place | null} */
  at = null; // the cell that the pointer is on
  /** @type {Place | null} */
  pinned = null;
  /** @type {(Place & { value: number, rest?: Edit[] }) | null} */
  drag = null; // `rest`: the other numbers that the same arrow tip on the plane moves
  /** @type {Set<string>} */
  older = new Set(); // matrices that take too long to recompute during a drag

  /** @param {HTMLElement} root @param {BoardData} data @param {Host} host */
  constructor(root, data, host) {
    this.root = root;
    this.host = host;
    this.data = data;
    this.stages = stagesOf(data);
    this.torch = unpacked(data.matrices);
    this.shown = this.torch;
    /** @type {Trace} */
    this.trace = { ...data, stages: this.stages, matrices: this.torch };
    this.picked = data.query;
    this.head = data.head; // the head in view; null if there's only one
    this.theme = host.scheme();
    this.sender = new Sender(this);
    this.intake = new Intake(this);
    this.assembly = new Assembly(this);
    this.display = new Display(this);
    this.pointing = new Pointing(this);
    this.picking = new Picking(this);
    this.editing = new Editing(this);
    this.keys = new KeysList(this);
    this.panel = new Dock(this);
    this.sentence = new Sentence(this);
    this.flow = new Flow(this);
    this.frame = new Frame(this);
    this.undo = new Undo(this);
    this.plane = new LatePlane(this);
    this.motion = new Motion(this);
    this.play = new Play(this);
    this.ruler = new Ruler(this);
    this.story = new Story(this);
    this.telling = new LessonText(this);
    this.strip = new Strip(this);
    this.spine = make("div", "spine");
    this.views = new IntersectionObserver((changes) => this.display.seen(changes));
    this.input = new Input(this);
    this.sizes = new ResizeObserver(() => this.assembly.resize());
    this.sizes.observe(root);
    window.addEventListener("resize", () => this.assembly.resize(), this.ended);
  }

  receive(/** @type {BoardData} */ data) {
    this.intake.receive(data);
  }

  repaint() {
    this.display.repaint();
  }

  end() {
    this.ended.abort();
    this.sizes.disconnect();
    this.views.disconnect();
    this.play.stop();
    this.panel.stop?.();
    this.keys.end();
    this.root.replaceChildren();
    this.structure = ""; // so that answers that arrive late draw nothing
  }

  // ---- the whole board ----

  fits(/** @type {Place} */ { matrix, row, column }) {
    const { rows, columns } = this.torch[matrix] ?? { rows: 0, columns: 0 };
    return row < rows && column < columns;
  }

  // The names of a matrix's columns, if these are features with names.
  /** @param {Stage} stage @returns {string[]} */
  featuresOf(stage) {
    const { features } = this.data;
    return stage.origin === "input" && stage.columns === "feature"
      && features?.length === this.torch[stage.name].columns ? features : [];
  }

  // Whether this is the board of Explore, the only one with What-if switches.
  get explores() {
    return Boolean(this.data.whatIf?.length);
  }

  get digits() {
    return this.inFull ? this.data.digits : this.data.cellDigits;
  }

  // The index of the query whose row is followed: the token that the pointer is on, else the picked one.
  get query() {
    return this.previewed ?? this.picked;
  }

  // The index of the key whose readers are shown: the query itself, or in cross-attention the chosen token, which is at
  // first the one that the query reads most.
  get key() {
    if (!this.data.others) return this.query;
    if (this.readWord !== null) return this.readWord;
    const weights = this.shown.attention_weights;
    if (!weights) return 0;
    const row = lineOf(weights, this.query);
    return Math.max(0, row.indexOf(Math.max(...row)));
  }

  limitOf(/** @type {Stage} */ stage) {
    const [, limit] = this.data.limits[stage.name];
    return stage.is.shares ? (this.wholeScale ? 1 : limit) : (this.host.widest?.(limit) ?? limit);
  }

  get ramps() {
    return (this.shades ??= rampsOf(this.data.roles, this.theme));
  }

  get colours() {
    const { ramps } = this;
    return { of: (/** @type {Role} */ role, /** @type {number} */ value, /** @type {number} */ limit) =>
      shadeOf(value, limit, ramps, role) };
  }

  // ---- one cell ----

  stage(/** @type {Place} */ place) {
    return this.stages.get(place.matrix);
  }

  // The element of a cell, if it has one: of a matrix drawn on a canvas, only the picked row may have elements.
  cellAt(/** @type {Place} */ place) {
    return this.grids.get(place.matrix)?.cellAt(place);
  }

  valueAt(/** @type {Place} */ { matrix, row, column }) {
    return valueAt(this.shown[matrix], row, column);
  }

  // Whether a cell is left blank, because its matrix shows only one number so far.
  isEmpty(/** @type {Place} */ { matrix, row, column }) {
    const { only } = this.data;
    return matrix === only?.matrix && (row !== only.row || column !== only.column);
  }

  isShown(/** @type {Place} */ place) {
    return this.data.shown.includes(place.matrix) && this.grids.has(place.matrix) && this.fits(place)
      && !this.isEmpty(place);
  }

  // An input's number, including edits that aren't drawn yet.
  givenAt(/** @type {Place} */ { matrix, row, column }) {
    return valueAt(this.given[matrix], row, column);
  }

  // A cell's number without any edit.
  uneditedAt(/** @type {Place} */ place) {
    return Number(this.data.before[addressOf(place)] ?? valueAt(this.torch[place.matrix], place.row, place.column));
  }

  isEditable(/** @type {Place} */ place) {
    return !this.data.fixed && this.stage(place).rule === "given";
  }

  isEdited(/** @type {Place} */ place) {
    const pending = this.pending.get(addressOf(place));
    return pending ? pending.value !== null : addressOf(place) in this.data.before;
  }

  focus(/** @type {Place} */ place) {
    this.grids.get(place.matrix)?.focus(place);
  }
}
