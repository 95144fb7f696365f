// One word's story, which a narrow screen shows in the place of the spine: from the picked word's input to its context,
// part under part. What makes a part unfolds in its place.

import { pieceNamed } from "../cells/cell.js";
import { button, make, put, toggle } from "../cells/elements.js";
import { valueAt } from "../values/matrices.js";
import { written } from "../values/numbers.js";
import { dividedBy, seenSourcesOf } from "../values/explain.js";
import { addressOf } from "../places.js";
import { bringIntoView, Slider, steady, WordColumns } from "./story_moving.js";
import { isStrip, partsOf } from "../spine/plan.js";
import { putSentence, RowGrid } from "./story_grids.js";
import { NARROW, storyOf } from "./story_layout.js";
import { StoryPart } from "./story_part.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

// pixels of the first thing to do, less of what is read, and those of the dock's ways to other views
const [TOY, SAID, VIEWS] = [84, 32, 44];
const SYMBOL = 30; // the room for it beside a matrix

export class Story {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    this.told = false;
    this.whole = false; // whether all rows are asked for, on the spine
    /** @type {Set<string>} */
    this.open = new Set(); // the parts that were unfolded by hand
    this.followed = -1; // the word whose story is told
    this.arranged = ""; // what decides where everything stands
    this.revealed = ""; // the pinned cell that was brought into view
    this.litOnce = ""; // the cell of a step for which parts were unfolded
    /** @type {Room | null} */
    this.room = null;
    /** @type {Map<string, StoryPart>} */
    this.parts = new Map();
    this.element = make("div", "story");
    this.names = make("div");
    this.slider = new Slider(board);
    this.first = new Slider(board);
    this.toy = make("div", "toy");
    /** @type {Place | null} */
    this.begun = null; // what its slider changes
    this.columns = new WordColumns();
    this.turn = button("turn", "", () => this.turnOver());
    this.hand = make("div", "hand", [this.slider.input]);
    board.panel.element.append(this.hand, this.turn);
  }

  // Whether a board with so much room tells a story.
  takes(/** @type {Room} */ room) {
    const { data, torch } = this.board;
    // Of a model's head the words alone have to be few: its vectors are strips of colour.
    const small = data.fixed ? data.labels.length <= CONSTANTS.FITS : Object.values(torch)
      .every(({ rows, columns }) => Math.max(rows, columns) <= CONSTANTS.FITS);
    // A question's board may be one of two on a wide page; a step of the lesson with no matrix has words alone.
    const width = data.store ? this.board.host.view().width : room.width;
    const narrow = room.sentence && small && width < NARROW && data.tells?.part.length !== 0;
    this.told = narrow && !this.whole;
    const { says, tools, element } = this.board.sentence;
    for (const each of [says, tools.element, element]) each.removeAttribute("style");
    toggle(this.board.root, "narrow", narrow);
    toggle(this.board.root, "told", this.told);
    this.turn.textContent = say(this.told ? "board.story.all" : "board.story.one");
    return this.told;
  }

  turnOver() {
    const { board } = this;
    this.whole = !this.whole;
    board.assembly.again();
    this.turn.focus();
  }

  // ---- building ----

  // Make everything anew, in the room that there is.
  lay(/** @type {Room} */ room) {
    const { board } = this;
    board.play.stop(); // it's played on the spine
    this.room = room;
    board.root.style.setProperty("--s", "1");
    board.layout = { ...board.layout, scale: 1, arcs: 0, columns: [], boxes: {}, folded: [], foldable: [] };
    const { tells, lit } = board.data;
    // a strip has its place among all rows
    const placed =
      board.assembly.placed.filter((name) => !isStrip(board.torch[name]) && (!tells || tells.part.includes(name)));
    const parts = partsOf([...board.stages.values()], placed);
    if (lit && addressOf(lit) !== this.litOnce) for (const name of this.holding(parts, lit)) this.open.add(name);
    this.litOnce = addressOf(lit ?? null);
    const { spots } = this.layoutOf(parts, new Set(parts.map(({ stage }) => stage.name)), []);
    this.parts = new Map(parts.map((part) => [part.stage.name, this.part(part, spots[part.stage.name])]));
    for (const { grids } of this.parts.values()) {
      for (const grid of grids) {
        board.grids.set(grid.stage.name, grid);
        board.layout.boxes[grid.stage.name] = grid.box;
      }
    }
    board.sentence.build(board.layout, room);
    this.element.replaceChildren(board.frame.veil, this.names,
      ...[...this.parts.values()].flatMap(({ elements }) => elements));
    this.columns.build([...this.parts.values()]);
    this.hand.append(board.undo.element);
    board.telling.buildAroundStory();
    const { element: before, after } = board.telling;
    board.root.replaceChildren(...(tells ? [before] : []), board.sentence.element, ...this.toys(),
      ...board.strip.elements, this.element, ...(tells ? [after] : []), board.panel.element);
    this.follow();
  }

  // The first thing to do: a slider for one number, and what that does. It stays under the hand until another is
  // picked.
  toys() {
    const { board, toy, first } = this;
    const { ruler } = board;
    const place = ruler.toy ?? this.begun;
    this.begun = place;
    if (!place) return [];
    const { symbol, role } = board.stage(place);
    const value = written(valueAt(board.torch[place.matrix], place.row, place.column), 2);
    const says = ruler.toy ? [make("span", "", [say("board.ruler.slide_to", { value })]), " ",
      make("b", "", [ruler.promise])] : [];
    toy.replaceChildren(...says, make("div", `role-${role}`, [first.input, make("b", "symbol-of", [symbol])]));
    return [toy];
  }

  // The words that are read and aren't those of the sentence itself.
  get read() {
    const { others, keys } = this.board.data;
    const own = this.board.stages.get("attention_weights")?.own_from ?? keys.length;
    return others ? keys.slice(0, own) : [];
  }

  /** @param {Part[]} parts @param {Set<string>} open @param {ReturnType<Story["others"]>} others */
  layoutOf(parts, open, others) {
    const { width, height: whole } = this.room ?? { width: 1, height: 1 };
    const { ruler, explores } = this.board;
    const height = whole - (ruler.toy ? TOY - SAID : this.begun ? TOY : explores ? VIEWS : 0);
    const { labels, keys, layers, ofNow } = this.board.data;
    // Where there are sentences around it, nothing gives way: it's scrolled all the same.
    return storyOf(parts, this.board.torch, { width, height: this.board.data.tells ? Infinity : height, labels, keys,
      read: this.read, layers: ofNow === false ? 0 : layers, open, others });
  }

  /** @param {Part} part @param {Spot} spot */
  part(part, spot) {
    return new StoryPart(this.board, part, spot, this.wayTo(part, spot));
  }

  // What leads to a part: the button that shows what makes it, or an arrow.
  /** @param {Part} part @param {Spot} spot */
  wayTo({ stage, weight, bias, raw }, spot) {
    if (!weight && !raw) return spot.way ? make("span", "way", ["→"]) : null;
    const element = button("way", "", () => this.unfold(stage.name));
    if (!weight) element.textContent = dividedBy(stage.settings) || say("board.op.unscaled");
    else element.textContent = bias ? say("board.story.times_plus", { symbol: weight.symbol, bias: bias.symbol })
      : say("board.story.times", { symbol: weight.symbol });
    return element;
  }

  // ---- arranging ----

  get pinned() {
    const { pinned } = this.board;
    return pinned && this.board.isShown(pinned) ? pinned : null;
  }

  // The cell of which all sources are to be seen: the pinned one, or the one that a step of the lesson lights up.
  get shown() {
    const { lit } = this.board.data;
    return this.pinned ?? (lit && this.board.isShown(lit) ? lit : null);
  }

  // The parts that are unfolded: by hand, and for the pinned cell the one that it is in or made in.
  opened() {
    return new Set([...this.open, ...this.needed()]);
  }

  needed() {
    return this.pinned ? this.holding([...this.parts.values()].map(({ part }) => part), this.pinned) : [];
  }

  // The parts that unfold to what a cell is in or made of.
  /** @param {Part[]} parts @param {Place} place */
  holding(parts, { matrix }) {
    const holds = (/** @type {Part} */ { stage, weight, bias, raw }) => [stage, weight, bias, raw]
      .some((each) => each?.name === matrix);
    return parts.filter((part) => (part.weight ?? part.raw) && holds(part)).map(({ stage }) => stage.name);
  }

  unfold(/** @type {string} */ part) {
    const opened = this.opened().has(part);
    if (opened) this.open.delete(part);
    else this.open.add(part);
    // what was unfolded for a cell goes with it
    if (opened && this.needed().includes(part)) this.board.pointing.pin(null);
    this.arrange();
    const unfolded = this.parts.get(part);
    if (!opened) this.reveal([unfolded?.weight, unfolded?.raw].flatMap((grid) => grid?.cells ?? []));
  }

  // Rows of other words that the pinned cell is in or is made from.
  others() {
    const { shown, board } = this;
    /** @type {Map<string, { matrix: string, row: number, part: string }>} */
    const others = new Map();
    if (!shown || board.previewed !== null) return [];
    const ofAll = this.parts.get(shown.matrix)?.part.kind === "all";
    for (const { matrix, row } of [shown, ...seenSourcesOf(board.made, shown).flat()]) {
      if (row === board.query || !(board.grids.get(matrix) instanceof RowGrid)) continue;
      const holds = [...this.parts.values()].find(({ part }) => part.raw?.name === matrix)?.part.stage.name;
      others.set(`${matrix},${row}`, { matrix, row, part: ofAll ? shown.matrix : (holds ?? matrix) });
    }
    return [...others.values()];
  }

  // Put everything where it belongs.
  arrange() {
    const { board } = this;
    this.arranged = this.key();
    const layout = this.layoutOf([...this.parts.values()].map(({ part }) => part), this.opened(), this.others());
    this.element.style.height = `${layout.height}px`;
    putSentence(this.board, layout);
    const spots = Object.entries(layout.spots);
    for (const [name, spot] of spots) this.parts.get(name)?.put(spot);
    this.columns.spread(layout.words);
    const rows = new Map(spots.map(([name, spot]) => [name, new Map([[board.query, spot.cells]])]));
    for (const [name, { raw }] of spots) {
      const stage = this.parts.get(name)?.part.raw;
      if (stage) rows.set(stage.name, new Map(raw ? [[board.query, raw]] : []));
    }
    const names = spots.flatMap(([, { others }]) => others.map(({ matrix, row, name, cells }) => {
      rows.get(matrix)?.set(row, cells);
      const stage = board.stages.get(matrix);
      const token = pieceNamed(stage, row, board.data.names);
      const whose = make("span", "whose", [say("board.story.other", { symbol: stage.symbol, token })]);
      put(whose, name);
      return whose;
    }));
    this.names.replaceChildren(...names, ...spots.flatMap(([name, spot]) => this.symbols(name, spot)));
    for (const [name, at] of rows) this.putRows(name, at);
    this.show();
  }

  // What is unfolded has its symbol beside it, where there is room.
  /** @param {string} name @param {Spot} spot */
  symbols(name, spot) {
    const part = this.parts.get(name)?.part;
    return /** @type {const} */ (["weight", "bias", "raw"]).flatMap((kind) => {
      const [stage, cells] = [part?.[kind], spot[kind]];
      if (!stage || !cells || cells.x < SYMBOL) return [];
      const symbol = make("b", `symbol role-${stage.role}`, [stage.symbol]);
      put(symbol, { x: 0, y: cells.y, width: cells.x - 4, height: cells.row });
      return [symbol];
    });
  }

  /** @param {string} name @param {Map<number, Cells>} rows */
  putRows(name, rows) {
    const grid = this.board.grids.get(name);
    if (grid instanceof RowGrid) grid.putRows(rows);
  }

  key() {
    const { query, previewed } = this.board;
    return JSON.stringify([addressOf(this.shown), query, previewed, [...this.open]]);
  }

  // ---- following ----

  // Another word's story. What is pinned in its row moves along.
  follow() {
    const { board, pinned } = this;
    if (!this.told) return;
    if (board.previewed === null) {
      const moves = pinned && pinned.row === this.followed && pinned.row !== board.query
        && board.grids.get(pinned.matrix) instanceof RowGrid;
      this.followed = board.query;
      if (moves) board.pointing.pin({ ...pinned, row: board.query });
    }
    const parts = [...this.parts.values()];
    this.arrange();
    parts.forEach((each, at) => each.write(parts[at + 1]?.spot.joined ? parts[at + 1].part : null));
  }

  // The cell that the dock speaks of. A pinned one is in view with all that it is made from.
  select(/** @type {Place | null} */ place) {
    if (!this.told) return;
    const { board, pinned } = this;
    const { toy } = board.ruler;
    if (this.begun && !toy && addressOf(place) !== addressOf(this.begun)) {
      this.begun = null;
      setTimeout(() => board.assembly.again()); // in the room that it leaves
    }
    this.first.show(this.begun);
    this.slider.show(toy || !this.begun ? place : null);
    if (this.arranged !== this.key()) steady(board.host, pinned && board.cellAt(pinned), () => this.follow());
    if (addressOf(pinned) === this.revealed) return;
    this.revealed = addressOf(pinned);
    if (pinned) requestAnimationFrame(() => this.reveal([...this.element.querySelectorAll(".source, .chosen")]));
  }

  // Scroll, where something of these is not in view, until it is.
  reveal(/** @type {Element[]} */ cells) {
    this.columns.reveal(cells);
    bringIntoView(this.board.host, cells, this.board.panel.element);
  }

  // What follows the numbers.
  show() {
    if (!this.told) return;
    for (const part of this.parts.values()) part.show();
  }
}
