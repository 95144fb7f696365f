// The board: every matrix of self-attention as a grid of cells, on one spine with a row for each token, under the
// sentence. It draws what Python sends (torch's numbers), lights up what a cell is made from and what it feeds, and shows
// at once what an edit does, by evaluating the table of stages itself; torch's numbers take the place of its own as soon
// as they are there. Whatever a person typed is only ever set as textContent or as an attribute.

import { AtOnce } from "./at_once.js";
import { beforeEdits } from "./values/before.js";
import { rampsOf, shadeOf } from "./cells/colours.js";
import { make, toggle } from "./cells/elements.js";
import { evaluateWithin, seenSourcesOf } from "./values/evaluate.js";
import { gridFor } from "./cells/grids.js";
import { namedFrom, seenFrom } from "./heads/seen_from.js";
import { Strip } from "./heads/strip.js";
import { Input } from "./input.js";
import { lineOf, valueAt } from "./values/matrices.js";
import { ofMoment } from "./moments.js";
import { addressOf, asSeen, ofWhole } from "./places.js";
import { unpacked } from "./received.js";
import { feeds, spansIn } from "./spans.js";
import { Dock } from "./spine/dock.js";
import { Flow } from "./spine/flow.js";
import { Frame } from "./spine/frame.js";
import { Hints } from "./spine/hints.js";
import { layoutOf, RIBBONS } from "./spine/layout.js";
import { titlesOf } from "./spine/titles.js";
import { Motion, PICKED_MS, PREVIEW_MS } from "./spine/motion.js";
import { Plane } from "./plane/plane.js";
import { Play } from "./play/play.js";
import { lengthOf, Sentence, saysBelow, wordsOf } from "./spine/sentence.js";
import { Story } from "./story/story.js";
import { Telling } from "./spine/telling.js";
import { Undo } from "./spine/undo.js";
import { themeOf, onTheme } from "./cells/theme.js";
import { keptFor, partOf } from "../scripts/parts.js";
import { Sender } from "../scripts/sending.js";
import { CONSTANTS } from "../scripts/sent.js";
import { say } from "../scripts/sentences.js";

/** @import { Drawing, Trigger } from "../scripts/types.js" */
/** @import { BoardData, Edit, Made, Matrices, Place, Ramps, Role, Stage, Stages } from "./types.js" */
/** @import { Grid } from "./cells/grid.js" */
/** @import { Layout } from "./spine/types.js" */

const [PANEL_MS, PANEL_TRIES] = [100, 50]; // within which the panel What if is drawn
const MOST_STEPS = 3e7; // products that are made while a number is dragged: some frames' time
const CHIPS_AT = 138; // pixels from the window's edge at which the words of a page begin at the latest, however large it is
const { ADDED_TO_SCORES, MASK, SHARES } = CONSTANTS;
const BESIDE = 24; // pixels beside what is brought into view
const PAINTED_MS = 50; // until torch's numbers are painted and the rest of the page can follow
/** @typedef {{ edits: Edit[], pinned: Place | null, query?: number, head?: number, layer?: number, text?: string, example?: string, whatIf?: boolean }} Changes what Python is told of */

/** @type {Layout} */
const NOWHERE = layoutOf([], {}, [], { width: 1, height: 1, tokens: 1, named: 0, sentence: false, saysBelow: false, plane: false, tells: false, words: 1, ribbons: 0 });

/** @type {WeakMap<HTMLElement, Board>} */
const boards = new WeakMap();

/** @param {Drawing<BoardData>} drawing */
export default function board({ parentElement, data, setTriggerValue }) {
  const root = partOf(parentElement, ".board");
  keptFor(boards, root, () => new Board(root, data)).receive(data, setTriggerValue);
}

// All that decides which cells there are and what stands around them.
/** @param {BoardData} data */
function structureOf({ matrices, stages, labels, keys, shown, ghosts, notes, features, sentence, scaled }) {
  const shapes = Object.entries(matrices).map(([name, { rows, columns }]) => [name, rows, columns]);
  return JSON.stringify([stages, labels, keys, shapes, shown, ghosts, notes, features, sentence, scaled]);
}

// The table by its stages' names.
/** @param {BoardData} data */
function stagesOf({ stages }) {
  return /** @type {Stages} */ (new Map(stages.map((stage) => [stage.name, stage])));
}

export class Board {
  /** @param {HTMLElement} root @param {BoardData} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.stages = stagesOf(data);
    this.torch = unpacked(data.matrices);
    this.structure = ""; // of what is built
    this.shown = this.torch;
    /** @type {Made} */
    this.made = { ...data, stages: this.stages, matrices: this.torch };
    /** @type {Matrices} */
    this.given = {}; // the inputs, with what was done to them
    this.settled = false; // whether torch's numbers are shown
    /** @type {[BoardData, Trigger] | null} */
    this.late = null; // what waits until a number has been typed
    /** @type {number | null} */
    this.ahead = null; // the step of a training that is shown, where Python has not made its numbers yet
    this.confirmed = 0; // the number of the last message that torch has computed before Python drew it
    /** @type {number | undefined} */
    this.asked = undefined; // for which answer the rest of the page was asked for
    /** @type {number | null} */
    this.rest = null; // the frame in which what is out of view is drawn
    /** @type {number | null} */
    this.next = null; // and the one in which a change is
    /** @type {Map<string, Grid>} */
    this.grids = new Map(); // by matrix
    /** @type {Map<string, Edit & { number: number }>} */
    this.pending = new Map(); // by address: edits that Python has not answered yet
    this.scaled = false; // whether scaled scores stand in the place of scores ...
    this.all = false; // ... or beside them
    this.inFull = false; // whether cells have as many digits as the dock
    this.wholeScale = false; // whether the colours of attention weights go up to 1
    this.planeOver = false; // whether the plane lies over the matrices, where it has no room beside them
    this.byReaders = false; // whether the sentence shows who reads the picked token, not what it reads
    /** @type {number | null} */
    this.readWord = null; // of others than those that read, the one of which that is shown
    /** @type {Matrices | null} */
    this.base = null; // what was there before a number was held
    /** @type {{ left: number, top: number, by: number } | null} */
    this.held = null; // where the spine was in the window then, and how much larger than it is laid out
    this.picked = data.query;
    this.head = data.head; // of several, the one in view
    this.looked = 0; // the number of the message that said no more than that
    /** @type {number | null} */
    this.previewed = null; // the word that is pointed at
    this.theme = themeOf(root);
    /** @type {Ramps | null} */
    this.shades = null; // of the theme, once they are asked for
    /** @type {{ key: string, structure: string, cells: Record<string, Uint8Array> } | null} */
    this.fed = null; // what the cell that is pointed at feeds
    this.laid = "";
    this.layout = NOWHERE;
    /** @type {Record<string, import("./spine/types.js").Title>} */
    this.titles = {};
    this.panel = new Dock(this);
    this.sentence = new Sentence(this);
    this.flow = new Flow(this);
    this.frame = new Frame(this);
    this.undo = new Undo(this);
    this.plane = new Plane(this);
    this.motion = new Motion(this);
    this.play = new Play(this);
    this.hints = new Hints(this);
    this.story = new Story(this);
    this.telling = new Telling(this);
    this.strip = new Strip(this);
    this.spine = make("div", "spine");
    /** @type {Place | null} */
    this.at = null; // the cell that is pointed at
    /** @type {Place | null} */
    this.pinned = null;
    /** @type {(Place & { value: number, rest?: Edit[] }) | null} */
    this.drag = null; // with the rest of what a tip of the plane moves
    /** @type {Set<string>} */
    this.older = new Set(); // matrices that do not follow while a number is dragged: they take too long
    this.views = new IntersectionObserver((changes) => this.seen(changes));
    this.input = new Input(this);
    /** @type {Trigger} */
    this.trigger = () => {};
    /** @type {Sender<Changes>} */
    this.sender = new Sender(root, (sent) => this.tellAgain(sent), (message) => this.atOnce.before(message));
    this.atOnce = new AtOnce(this);
    onTheme(root, () => this.repaint());
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(root);
    const page = document.querySelector("[data-testid=stMainBlockContainer]");
    if (page) this.sizes.observe(page); // what stands above the board takes its room
    window.addEventListener("resize", () => this.resize());
    window.addEventListener("attnviz-moment", ({ detail }) => this.turnTo(detail));
    root.addEventListener("attnviz:late", () => this.panel.report());
    for (const type of ["attnviz:away", "attnviz:back"]) window.addEventListener(type, () => this.root.isConnected && this.panel.report());
  }

  /** @param {BoardData} sent @param {Trigger} trigger */
  receive(sent, trigger) {
    this.trigger = trigger;
    const data = this.inView(sent);
    const structure = structureOf(data);
    this.late = structure !== this.structure && this.input.typing ? [sent, trigger] : null;
    if (this.late) return; // what is being typed would be cut off
    this.sender.receive(data.key, data.answered, (changes) => trigger("changes", changes));
    if (this.sender.waiting?.number === this.confirmed) {
      if (structure === this.structure) return; // what is shown is newer
      this.confirmed = 0;
    }
    this.take(data, structure);
  }

  // What answers an older message is shown as it is seen from the head that was picked since.
  /** @param {BoardData} sent */
  inView(sent) {
    return this.head !== null && this.sender.waiting && this.sender.number > sent.answered ? seenFrom(sent, this.head) : sent;
  }

  // Show what torch makes of the edits of a message that Python has not been told of, unless more was done since; return
  // whether it is shown.
  /** @param {BoardData} sent @param {number} number */
  confirm(sent, number) {
    const data = this.inView({ ...sent, answered: this.data.answered });
    const newer = [...this.pending.values()].some((edit) => edit.number > number);
    if (newer || this.drag || this.ahead !== null || this.sender.waiting?.number !== number) return false;
    if (!this.root.isConnected || structureOf(data) !== this.structure) return false;
    this.confirmed = number;
    this.take(data, this.structure);
    return true;
  }

  /** @param {BoardData} data @param {string} structure */
  take(data, structure) {
    const before = this.structure && String([this.data.labels, this.data.keys]) === String([data.labels, data.keys]) ? this.shown : null;
    const received = this.data.matrices;
    if (data.layer !== this.data.layer) this.undo.forget(); // what takes changes of another layer back
    this.data = data;
    if (this.readWord !== null && this.readWord >= data.keys.length) this.readWord = null;
    this.stages = stagesOf(data);
    this.torch = unpacked(data.matrices, { sent: received, matrices: this.torch });
    if (!this.sender.waiting) this.picked = data.query;
    this.head = data.head;
    const anew = structure !== this.structure;
    const focused = anew ? this.input.focused : null;
    if (anew || data.moment === this.ahead) this.ahead = null;
    if (anew) this.build(structure);
    for (const [address, edit] of this.pending) {
      if (edit.number <= data.answered || !this.fits(edit)) this.pending.delete(address);
    }
    if (data.ofNow && !this.sender.waiting) this.pinned = data.picked ?? null; // else what was pinned since is newer
    if (data.ofNow && data.answered && data.answered === this.sender.number && this.asked !== data.answered) {
      this.asked = data.answered;
      setTimeout(() => this.sender.ask(() => this.trigger("rest", data.answered)), PAINTED_MS);
    }
    if (anew) this.showPending();
    this.settle();
    this.resize();
    if (focused && this.fits(focused)) this.focus(focused); // what is typed next is meant for it
    if (before) this.motion.switched(before);
    this.play.receive(data.play, before !== null);
  }

  // Draw what came while a number was being typed.
  catchUp() {
    if (this.late) this.receive(...this.late);
  }

  // Show torch's numbers, unless they are older than what is shown: the next ones are not.
  settle() {
    if (this.drag || this.ahead !== null || [...this.pending.values()].some(({ number }) => number > this.confirmed)) return;
    this.base = null;
    this.given = this.givenBy(this.torch);
    this.settled = true;
    this.older = new Set();
    this.show(this.torch);
  }

  // Show another moment of a training, of which the page has worked out every matrix of the whole model.
  /** @param {WindowEventMap["attnviz-moment"]["detail"]} moment */
  turnTo({ key, step, matrices }) {
    if (key !== this.data.key || !this.structure || !this.root.isConnected) return;
    this.play.stop();
    this.ahead = step;
    this.given = ofMoment(this.data.stages, this.torch, matrices);
    this.settled = false;
    const made = evaluateWithin([...this.stages.values()], this.given, this.torch, MOST_STEPS);
    this.older = made.older;
    this.show(made.matrices);
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

  // The matrices that have a place: of scores and scaled scores one, as long as not all are asked for.
  get placed() {
    const names = [...this.data.shown, ...(this.data.ghosts ?? [])];
    const both = names.includes("scores") && names.includes("scaled_scores") && !this.all && !this.story.told; // a story has room for both
    const out = [...(both ? [this.scaled ? "scores" : "scaled_scores"] : []), ...ADDED_TO_SCORES.filter((name) => !(this.all || (name === MASK && this.showsMask)))];
    return names.filter((name) => !out.includes(name));
  }

  // A mask that comes on moves no matrix: it hatches cells, and has a place where all stages are asked for, or where it
  // is painted.
  get showsMask() {
    return this.all || this.data.paints;
  }

  // How much room there is: what is left of the window under the board's upper edge, before anything is scrolled.
  get room() {
    const { labels, keys, features, sentence, plane, ofNow, tells } = this.data;
    const words = wordsOf(this.data);
    const { width, top } = this.root.getBoundingClientRect();
    const scrolled = document.querySelector("[data-testid=stMain]")?.scrollTop ?? 0;
    const zoom = width / (this.root.offsetWidth || width || 1) || 1; // what is not on the page yet has no width
    const inside = width / zoom;
    const above = tells && this.telling.above ? this.telling.heightAbove(inside) : 0;
    const height = (window.innerHeight - top - scrolled) / zoom - 8 - above - this.strip.height;
    return {
      width: inside, height, tokens: Math.max(labels.length, keys.length), named: features?.length ?? 0, sentence,
      saysBelow: sentence && this.data.says !== false && saysBelow(words, inside), plane: Boolean(plane),
      tells: Boolean(tells), words: lengthOf(words, 1), ribbons: this.ribbons,
      ...(ofNow && !tells?.presents ? { arcs: Math.max(0, CHIPS_AT - top - scrolled) } : {}),
    };
  }

  // The room for ribbons: less on a board that stands beside something else.
  get ribbons() {
    const { ribbons, ofNow } = this.data;
    return ribbons === null ? RIBBONS.none : ofNow === false ? RIBBONS.low : RIBBONS.whole;
  }

  /** @param {string} structure */
  build(structure) {
    this.structure = structure;
    this.grids.clear();
    this.views.disconnect();
    this.at = this.pinned = this.drag = null;
    this.input.kept = false;
    this.scaled = Boolean(this.data.scaled);
    this.explainWith(this.torch);
    this.lay();
  }

  // The colours of the roles on this theme, for what is no cell.
  dress() {
    const { roles } = this.data;
    for (const [role, tone] of Object.entries(roles)) this.root.style.setProperty(`--role-${role}`, tone[this.theme]);
    const picked = roles.picked[this.theme];
    this.root.style.setProperty("--picked-fill", this.theme === "light" ? `color-mix(in srgb, ${picked} 45%, transparent)` : "transparent");
    this.root.style.setProperty("--picked-outline", this.theme === "light" ? "none" : `2px solid ${picked}`);
  }

  // Place everything anew, in the room that there is.
  lay() {
    const { room } = this;
    this.laid = roomKey(room);
    this.dress();
    this.grids.clear();
    this.views.disconnect();
    toggle(this.root, "silent", this.data.says === false);
    toggle(this.root, "unread", this.data.ribbons === false || this.data.ribbons === null);
    this.strip.build();
    if (this.story.takes(room)) return this.story.lay(room);
    const { placed } = this;
    const stages = [...this.stages.values()];
    this.layout = layoutOf(stages, this.torch, placed, room);
    const named = stages.filter((stage) => this.featuresOf(stage).length).map(({ name }) => name);
    this.titles = titlesOf(this.layout, stages, named, Math.max(this.layout.width, room.width));
    this.root.style.setProperty("--s", String(this.layout.scale));
    Object.assign(this.spine.style, { height: `${this.layout.height}px`, width: `${Math.max(this.layout.width, 1)}px` });
    for (const name of placed) if (this.layout.boxes[name]) this.grids.set(name, this.grid(name));
    if (room.sentence) this.sentence.build(this.layout, room.width);
    this.play.place(room);
    this.frame.build();
    this.flow.build();
    this.plane.build(this.layout);
    this.telling.build(room);
    const [over, beside] = this.telling.above ? [[this.telling.element], []] : [[], [this.telling.element]];
    const cells = [...this.grids.values()].map(({ matrix }) => matrix);
    this.spine.replaceChildren(this.frame.band, this.flow.lines, ...cells, this.frame.veil, this.flow.bands, ...this.frame.elements, ...this.plane.elements, ...beside, this.play.layer, this.undo.element);
    const scroller = make("div", "scroller", [this.spine]);
    toggle(this.root, "framed", this.data.framed);
    this.root.replaceChildren(...over, ...(room.sentence ? [this.sentence.element] : []), ...this.strip.elements, ...(this.data.framed ? [framesMean()] : []), scroller, this.panel.element);
    for (const [name, { matrix }] of this.grids) this.hide(matrix, Boolean(this.data.ghosts?.includes(name)));
    this.hints.show();
    this.bring(scroller);
  }

  // Where not all has room, what is new comes into view.
  /** @param {HTMLElement} scroller */
  bring(scroller) {
    const fresh = (this.data.fresh ?? []).flatMap((name) => this.layout.boxes[name] ?? []);
    if (fresh.length) scroller.scrollLeft = Math.max(...fresh.map(({ x, width }) => x + width)) + BESIDE - scroller.clientWidth;
  }

  // What isn't reached yet has its place, and nothing to point at.
  /** @param {HTMLElement} matrix @param {boolean} ghost */
  hide(matrix, ghost) {
    toggle(matrix, "ghost", ghost);
    matrix.inert = ghost;
    if (ghost) matrix.setAttribute("aria-hidden", "true");
  }

  resize() {
    if (!this.structure || !this.root.isConnected || this.drag || this.input.typing || roomKey(this.room) === this.laid) return;
    const focused = this.input.focused;
    this.lay();
    this.show(this.shown);
    if (focused) this.focus(focused);
  }

  // What the colours or the marks of all cells depend on has changed.
  repaint() {
    this.theme = themeOf(this.root);
    this.shades = null;
    if (!this.structure) return;
    this.dress();
    this.show(this.shown);
  }

  // Another choice of what the cells show.
  /** @param {Partial<Pick<Board, "scaled" | "all" | "inFull" | "wholeScale" | "byReaders" | "readWord" | "planeOver">>} choice */
  showAs(choice) {
    Object.assign(this, choice);
    const focused = this.input.focused;
    this.explainWith(this.shown);
    if ("scaled" in choice || "all" in choice || "planeOver" in choice) this.lay();
    this.show(this.shown);
    if ("scaled" in choice) this.motion.switched(this.shown, INSTEAD);
    if (focused) this.focus(focused);
  }

  /** @param {string} name */
  grid(name) {
    const grid = gridFor(this, name, this.layout.boxes[name]);
    this.grids.set(name, grid);
    this.views.observe(grid.element);
    return grid;
  }

  // The names of a matrix's columns, where these are features that have one.
  /** @param {Stage} stage @returns {string[]} */
  featuresOf(stage) {
    const { features } = this.data;
    return stage.origin === "input" && stage.columns === "feature" && features?.length === this.torch[stage.name].columns ? features : [];
  }

  // How many digits a cell has.
  get digits() {
    return this.inFull ? this.data.digits : this.data.cellDigits;
  }

  // Of which token the row is followed: one that is pointed at, or the picked one.
  get query() {
    return this.previewed ?? this.picked;
  }

  // The token of which it's shown who reads it: of others than those that read, the one that was asked for, at first the
  // one that the picked one reads most.
  get key() {
    if (!this.data.others) return this.query;
    if (this.readWord !== null) return this.readWord;
    const weights = this.shown.attention_weights;
    if (!weights) return 0;
    const row = lineOf(weights, this.query);
    return Math.max(0, row.indexOf(Math.max(...row)));
  }

  // Show who reads a token; null shows again what the picked one reads.
  /** @param {number | null} key */
  showReadersOf(key) {
    const readWord = this.data.others ? (key ?? this.readWord) : null;
    this.motion.follow(() => this.showAs({ byReaders: key !== null, readWord }), PICKED_MS);
  }

  /** @param {Stage} stage */
  limitOf(stage) {
    return SHARES.includes(stage.rule) && this.wholeScale ? 1 : this.data.limits[stage.name][1];
  }

  get ramps() {
    return (this.shades ??= rampsOf(this.data.roles, this.theme));
  }

  get colours() {
    const { ramps } = this;
    return { of: (/** @type {Role} */ role, /** @type {number} */ value, /** @type {number} */ limit) => shadeOf(value, limit, ramps, role) };
  }

  // Show these matrices; only cells whose number, colour or mark changed are written.
  /** @param {Matrices} matrices */
  show(matrices) {
    this.motion.still();
    this.shown = matrices;
    this.explainWith(matrices);
    this.draw((grid) => grid.inView !== false);
    // While a cell is dragged, what is out of view waits until it comes into view; else until the rest is painted.
    if (!this.drag) this.rest ??= requestAnimationFrame(() => setTimeout(() => this.drawRest()));
    if (this.data.sentence) this.sentence.show();
    this.frame.show();
    this.plane.show();
    this.story.show();
    this.strip.show();
    this.telling.show();
    this.explain();
    this.panel.report();
    this.play.refresh();
    tellPage(this);
  }

  // Have cells explained with these matrices, and with what was done to the inputs.
  /** @param {Matrices} matrices */
  explainWith(matrices) {
    const changes = [...this.pending.values(), ...(this.drag ? [this.drag, ...(this.drag.rest ?? [])] : [])].filter((edit) => this.fits(edit));
    this.made = { ...this.data, shown: this.placed.filter((name) => this.data.shown.includes(name)), before: beforeEdits(this.data.before, this.torch, changes), stages: this.stages, matrices };
  }

  drawRest() {
    this.rest = null;
    this.draw((grid) => grid.inView === false);
  }

  /** @param {(grid: Grid) => boolean} which */
  draw(which) {
    for (const [name, grid] of this.grids) {
      if (!which(grid)) continue;
      toggle(grid.matrix, "older", this.older.has(name));
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

  // The element of a cell; a matrix that is drawn as colours alone has some for its picked row at most.
  /** @param {Place} place */
  cellAt(place) {
    return this.grids.get(place.matrix)?.cellAt(place);
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
    return this.data.shown.includes(place.matrix) && this.grids.has(place.matrix) && this.fits(place) && !this.isEmpty(place);
  }

  // The number of an input, with edits that are not drawn yet.
  /** @param {Place} place */
  givenAt({ matrix, row, column }) {
    return valueAt(this.given[matrix], row, column);
  }

  // The number that it has without any edit.
  /** @param {Place} place */
  uneditedAt(place) {
    return Number(this.data.before[addressOf(place)] ?? valueAt(this.torch[place.matrix], place.row, place.column));
  }

  /** @param {Place} place */
  isEditable(place) {
    return !this.data.fixed && this.stage(place).rule === "given";
  }

  /** @param {Place} place */
  isEdited(place) {
    const pending = this.pending.get(addressOf(place));
    return pending ? pending.value !== null : addressOf(place) in this.data.before;
  }

  // Light up what the cell of now is made from, or of a given one what it feeds, and say how.
  explain() {
    if (this.play.moment) return; // which says what is at work
    const place = [this.pinned, this.at, this.data.lit].find((each) => each && this.isShown(each)) ?? null;
    const sources = place ? seenSourcesOf(this.made, place) : [];
    // What a number feeds stays marked while it is dragged, under no veil: half of all cells would be written anew else.
    const fed = place && this.isEditable(place) ? this.fedBy(place) : {};
    for (const [name, grid] of this.grids) grid.light(fed[name], spansIn(sources, name), place?.matrix === name ? place : null);
    // What a step of the lesson lights up stands out by its frames alone: all else is there to be read.
    toggle(this.root, "pointing", Boolean(place) && !this.drag && place !== this.data.lit);
    for (const grid of this.grids.values()) toggle(grid.matrix, "pinned", Boolean(this.pinned) && grid.stage.name === this.pinned?.matrix);
    if (this.drag) this.flow.meet(null, []);
    else this.flow.meet(place, sources);
    this.panel.show(place, sources);
    this.plane.point(place);
    this.story.select(place);
  }

  // Say what a matrix is whose name is pointed at, while nothing else has to be said.
  /** @param {import("./types.js").Stage} stage */
  describe(stage) {
    if (!this.pinned && !this.drag && !this.play.moment) this.panel.describe(stage);
  }

  // What a given number feeds depends on the table alone.
  /** @param {Place} place */
  fedBy(place) {
    const [key, { structure }] = [addressOf(place), this];
    if (this.fed?.key === key && this.fed.structure === structure) return this.fed.cells;
    const cells = feeds(this.made, place);
    this.fed = { key, structure, cells };
    return cells;
  }

  // ---- the picked word ----

  /** @param {number} query */
  pick(query) {
    this.previewed = null;
    if (this.data.others && this.byReaders) this.showAs({ byReaders: false });
    if (query !== this.picked) {
      this.picked = query;
      this.hints.done("pick");
      this.play.stop();
      this.tell([], false, true);
      window.dispatchEvent(new CustomEvent("attnviz-picked", { detail: { key: this.data.key, query } }));
    }
    this.motion.follow(() => this.follow(), PICKED_MS);
  }

  // Begin with another sentence, with an example, or have another layer in view, of which the page has nothing yet.
  /** @param {{ text: string } | { example: string } | { layer: number }} other */
  begin(other) {
    this.sender.send({ edits: [], pinned: null, ...other });
  }

  // Open the panel What if, which stands under the board once Python has drawn it.
  askWhatIf() {
    this.sender.send({ edits: [], pinned: null, whatIf: true });
    let tries = PANEL_TRIES;
    const look = setInterval(() => {
      const panel = document.querySelector(".st-key-what_if_panel");
      panel?.scrollIntoView({ block: "start" }); // again while it's being drawn: at first nothing stands under it
      tries -= 1;
      if (tries <= 0 || (panel && panel.getBoundingClientRect().top < window.innerHeight / 2)) clearInterval(look);
    }, PANEL_MS);
  }

  // Have another head in view: the page has all of them, and only names change.
  /** @param {number} head */
  look(head) {
    const { data, pinned } = this;
    if (head === data.head || data.head === null || this.drag || this.input.typing) return;
    this.play.stop();
    this.undo.turn(namedFrom(data, head));
    const moved = [...this.pending.values()].map((edit) => ({ ...edit, matrix: namedFrom(data, head)(edit.matrix) }));
    this.pending = new Map(moved.map((edit) => [addressOf(edit), edit]));
    this.head = head;
    const seen = seenFrom(data, head);
    this.take(seen, structureOf(seen));
    this.pinned = pinned && this.fits(pinned) ? pinned : null; // the same cell of the other head
    this.tell([], this.looked === this.sender.number, true);
    this.looked = this.sender.number;
    this.explain();
  }

  /** @param {number | null} query */
  preview(query) {
    if (query === this.previewed || this.drag || this.play.active) return;
    this.previewed = query;
    this.motion.follow(() => this.follow(), query === null ? PREVIEW_MS.out : PREVIEW_MS.in);
  }

  // Show the row of another word.
  follow() {
    for (const grid of this.grids.values()) grid.markRow();
    this.flow.follow();
    this.frame.show();
    this.plane.show();
    this.story.follow();
    if (!this.data.sentence) return;
    this.sentence.mark();
    this.sentence.show();
  }

  /** @param {Place | null} place */
  choose(place) {
    if (addressOf(place) === addressOf(this.at)) return;
    this.at = place;
    if (place) this.hints.done("point");
    if (!this.pinned || !this.isShown(this.pinned)) this.explain();
  }

  /** @param {Place | null} place */
  isPinned(place) {
    return addressOf(this.pinned) === addressOf(place);
  }

  // Pin a cell, or with null unpin the one that is pinned.
  /** @param {Place | null} place */
  pin(place) {
    this.play.stop();
    if (!this.isPinned(place) && (!place || this.isShown(place))) {
      this.pinned = place;
      if (this.data.ofNow || this.data.fixed) this.tell();
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
    this.grids.get(place.matrix)?.focus(place);
  }

  // ---- changing ----

  // Show what a cell's new number does to every matrix, with the next frame.
  /** @param {Place} place @param {number} value */
  change(place, value) {
    if (!this.fits(place)) return;
    this.play.stop();
    if (this.drag && !this.base) {
      this.base = this.shown;
      this.held = this.place();
    }
    const { columns, values } = this.given[place.matrix];
    values[place.row * columns + place.column] = Math.fround(value);
    this.at = place;
    this.settled = false;
    this.next ??= requestAnimationFrame(() => {
      this.next = null;
      if (this.settled) return;
      const { matrices, older } = evaluateWithin([...this.stages.values()], this.given, this.torch, MOST_STEPS);
      this.older = older;
      this.show(matrices);
    });
  }

  place() {
    const { left, top, width } = this.spine.getBoundingClientRect();
    return width ? { left, top, by: width / this.spine.offsetWidth } : null; // a story has no spine
  }

  // Take a number into the hand, before anything changes: the veil over what isn't lit goes now, and not with the first
  // change, which has all cells to draw that follow.
  /** @param {Place & { value: number }} held */
  hold(held) {
    this.undo.hide();
    this.drag = held;
    this.explain();
  }

  // Give a number back that was changed, but is not to be edited.
  /** @param {Place} place @param {number} value */
  restore(place, value) {
    this.change(place, value);
    this.settle();
  }

  // Take edits, { matrix, row, column, value } with null for a cell that is to be reset. With `replaces`, those before
  // that still wait to be sent are on the way to these. Who `leaves` does something else already.
  /** @param {Edit[]} edits */
  commit(edits, replaces = false, leaves = false) {
    edits = edits.map((edit) => this.withoutChange(edit));
    this.hints.done("drag");
    this.panel.say("");
    this.undo.note(edits);
    this.tell(edits, replaces, false, leaves);
    for (const edit of edits) {
      const value = edit.value ?? this.uneditedAt(edit);
      if (Math.fround(value) !== this.givenAt(edit)) this.change(edit, value); // else it is shown, as after a drag
    }
    if (!this.settled) this.panel.report();
  }

  // A number that is as it was drawn is no edit.
  /** @param {Edit} edit @returns {Edit} */
  withoutChange(edit) {
    return edit.value !== null && this.fits(edit) && Math.fround(edit.value) === Math.fround(this.uneditedAt(edit)) ? { ...edit, value: null } : edit;
  }

  /** @param {Edit[]} edits */
  tell(edits = [], replaces = false, picks = false, leaves = false) {
    // JSON has no infinities: they travel as words.
    const inWords = (/** @type {Edit} */ { value, ...edit }) => ({ ...edit, value: value === -Infinity ? String(value) : value });
    /** @type {any[]} */
    const sent = edits.map(({ matrix, row, column, value }) => inWords(ofWhole(this.stages, { matrix, row, column, value })));
    const { head } = this.data;
    this.sender.send({ edits: sent, pinned: this.pinned && ofWhole(this.stages, this.pinned), ...(picks ? { query: this.picked } : {}), ...(head === null ? {} : { head }) }, replaces, leaves);
    for (const edit of edits) this.pending.set(addressOf(edit), { ...edit, number: this.sender.number });
  }

  // After a reload what was done is no longer on the board.
  /** @param {Changes} changes */
  tellAgain({ edits, pinned, query, head, layer, text, example, whatIf }) {
    if (whatIf) return this.askWhatIf();
    if (layer !== undefined) return this.begin({ layer });
    if (example !== undefined) return this.begin({ example });
    if (text !== undefined) return this.begin({ text });
    if (head !== undefined && head < this.data.heads.length) this.look(head);
    this.pinned = pinned && asSeen(this.stages, this.torch, pinned);
    this.picked = query ?? this.picked;
    const fitting = edits.flatMap((edit) => asSeen(this.stages, this.torch, edit) ?? []).filter((edit) => this.fits(edit));
    if (fitting.length) this.commit(fitting);
    else this.tell([], false, query !== undefined);
  }

  /** @param {Place} place */
  reset(place) {
    this.commit([{ ...place, value: null }]);
  }
}

// What the frames of matrices mean.
function framesMean() {
  const each = (/** @type {string} */ origin) => make("span", origin, [make("span", "grid"), say(`board.legend.${origin}`)]);
  return make("div", "frames", [each("learned"), each("computed"), say("board.legend.input")]);
}

// Which of two matrices stood where the other stands now.
const INSTEAD = { scores: "scaled_scores", scaled_scores: "scores" };

/** @param {import("./spine/types.js").Room} room */
function roomKey(room) {
  return JSON.stringify({ ...room, width: Math.round(room.width), height: Math.round(room.height) });
}

// For the page's sentences, which stand outside of the board: what it would say now, and whose numbers it shows.
/** @param {Board} board */
function tellPage({ data, shown, torch }) {
  const tell = (/** @type {string} */ name, /** @type {string | null} */ detail) => window.dispatchEvent(new CustomEvent(name, { detail }));
  tell("attnviz-numbers", shown === torch ? data.numbersOf : null);
}
