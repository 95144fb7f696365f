// The board: every matrix of self-attention as a grid of cells, on one spine with a row for each token, under the
// sentence. It draws what Python sends (torch's numbers), lights up what a cell is made from and what it feeds, and
// shows at once what an edit does, by evaluating the table of stages itself; torch's numbers take the place of its own
// as soon as they are there. Whatever a person typed is only ever set as textContent or as an attribute. Here is the
// state that its parts share, and what can be asked of a cell; each part has a file of its own, and says what it uses.

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
import { Telling } from "./spine/telling.js";
import { Undo } from "./spine/undo.js";
import { Story } from "./story/story.js";

/** @type {Layout} */
const NOWHERE = layoutOf([], {}, [], { width: 1, height: 1, tokens: 1, named: 0, sentence: false, saysBelow: false,
  tells: 0, words: 1, ribbons: 0, hall: false });

// Draw a board in an element of what hosts it, which then hands it more with `receive`, has it drawn in another theme
// with `repaint`, and takes it away with `end`.
/** @param {HTMLElement} root @param {BoardData} data @param {Host} host */
export function mount(root, data, host) {
  const board = new Board(root, data, host);
  board.receive(data);
  host.bringPanel?.(board); // which a link may have opened
  return board;
}

export class Board {
  ended = new AbortController(); // with it, whatever it listens to
  structure = ""; // of what is built
  /** @type {Matrices} */
  given = {}; // the inputs, with what was done to them
  settled = false; // whether torch's numbers are shown
  /** @type {Map<string, Grid>} */
  grids = new Map(); // by matrix
  /** @type {Map<string, Edit & { number: number }>} */
  pending = new Map(); // by address: edits that are not in torch's numbers yet
  scaled = false; // whether scaled scores stand in the place of scores ...
  all = false; // ... or beside them
  inFull = false; // whether cells have as many digits as the dock
  wholeScale = false; // whether the colours of attention weights go up to 1
  /** @type {Map<string, boolean>} */
  folds = new Map(); // matrices that were folded by hand, or opened
  planeOver = false; // whether the plane lies over the matrices, where it has no room beside them
  byReaders = false; // whether the sentence shows who reads the picked token, not what it reads
  /** @type {number | null} */
  readWord = null; // of others than those that read, the one of which that is shown
  /** @type {Matrices | null} */
  base = null; // what was there before a number was held
  /** @type {{ left: number, top: number, by: number } | null} */
  held = null; // where the spine was in the window then, and how much larger than it is laid out
  /** @type {number | null} */
  previewed = null; // the word that is pointed at
  /** @type {Ramps | null} */
  shades = null; // of the theme, once they are asked for
  layout = NOWHERE;
  /** @type {Record<string, Rect>} */
  titles = {};
  /** @type {Place | null} */
  at = null; // the cell that is pointed at
  /** @type {Place | null} */
  pinned = null;
  /** @type {(Place & { value: number, rest?: Edit[] }) | null} */
  drag = null; // with the rest of what a tip of the plane moves
  /** @type {Set<string>} */
  older = new Set(); // matrices that do not follow while a number is dragged: they take too long

  /** @param {HTMLElement} root @param {BoardData} data @param {Host} host */
  constructor(root, data, host) {
    this.root = root;
    this.host = host;
    this.data = data;
    this.stages = stagesOf(data);
    this.torch = unpacked(data.matrices);
    this.shown = this.torch;
    /** @type {Made} */
    this.made = { ...data, stages: this.stages, matrices: this.torch };
    this.picked = data.query;
    this.head = data.head; // of several, the one in view
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
    this.telling = new Telling(this);
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
    this.structure = ""; // what still comes finds nothing to draw on
  }

  // ---- what the cells have ----

  fits(/** @type {Place} */ { matrix, row, column }) {
    const { rows, columns } = this.torch[matrix] ?? { rows: 0, columns: 0 };
    return row < rows && column < columns;
  }

  // The names of a matrix's columns, where these are features that have one.
  /** @param {Stage} stage @returns {string[]} */
  featuresOf(stage) {
    const { features } = this.data;
    return stage.origin === "input" && stage.columns === "feature"
      && features?.length === this.torch[stage.name].columns ? features : [];
  }

  // Whether it is the one that is explored: of the current set-up, and nobody tells anything of it.
  get explores() {
    return Boolean(this.data.whatIf?.length);
  }

  // How many digits a cell has.
  get digits() {
    return this.inFull ? this.data.digits : this.data.cellDigits;
  }

  // Of which token the row is followed: one that is pointed at, or the picked one.
  get query() {
    return this.previewed ?? this.picked;
  }

  // The token of which it's shown who reads it: of others than those that read, the one that was asked for, at first
  // the one that the picked one reads most.
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

  // The element of a cell; a matrix that is drawn as colours alone has some for its picked row at most.
  cellAt(/** @type {Place} */ place) {
    return this.grids.get(place.matrix)?.cellAt(place);
  }

  valueAt(/** @type {Place} */ { matrix, row, column }) {
    return valueAt(this.shown[matrix], row, column);
  }

  // Whether a cell of a matrix of which only one is filled yet.
  isEmpty(/** @type {Place} */ { matrix, row, column }) {
    const { only } = this.data;
    return matrix === only?.matrix && (row !== only.row || column !== only.column);
  }

  isShown(/** @type {Place} */ place) {
    return this.data.shown.includes(place.matrix) && this.grids.has(place.matrix) && this.fits(place)
      && !this.isEmpty(place);
  }

  // The number of an input, with edits that are not drawn yet.
  givenAt(/** @type {Place} */ { matrix, row, column }) {
    return valueAt(this.given[matrix], row, column);
  }

  // The number that it has without any edit.
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
