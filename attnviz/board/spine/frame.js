// What stands around the matrices: the band of the picked row, names of rows, the operations between scores and
// attention weights, and the colour scale of the weights.

import { areMixed, colourAs, isNamedBefore, isOfOthers, isWhatIsRead } from "../cells/cell.js";
import { button, make, put, setText, toggle, UNSEEN } from "../cells/elements.js";
import { lineOf } from "../values/matrices.js";
import { percent, written } from "../values/numbers.js";
import { evenShareOfRow } from "../values/most_read.js";
import { dividedBy } from "../values/explain.js";
import { headsOf, widthsOf } from "../cells/grid.js";
import { gapBefore, leadAt, legendAt } from "./plan.js";
import { emsOf } from "./words.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

// Lengths in pixels.
const LETTERS = 14; // font size of names, if there is room
const NAMED = 12; // the least height of a name: of lower rows, only some have names
const DIGITS = 13; // font size of the names of V's rows, at most that of the digits
const ALMOST = 0.08; // share of a name's height that a row may lack
const BAND = 17; // the least height of the picked row's band
const SHORT = 24; // the least width for the names of V's rows
// the words for an operation between two matrices: their size, and how far they stand from the rows' edges
const WORD = { width: 44, height: 15, over: 5, under: 3, beside: 19 };
const { MASK } = CONSTANTS;

export class Frame {
  /** @param {Pick<Board, "all" | "assembly" | "byReaders" | "colours" | "data" | "display" | "explores" | "grids"
   *  | "key" | "layout" | "limitOf" | "trace" | "query" | "root" | "scaled" | "shown" | "stages" | "torch">} board */
  constructor(board) {
    this.board = board;
    this.band = make("div", "picked-row");
    this.column = make("div", "picked-column");
    this.veil = make("div", "veil", [], UNSEEN);
    /** @type {Map<number, HTMLElement>} */
    this.names = new Map(); // row -> its name's element
    this.followed = make("span", "name"); // the picked row's name, if it has no other
    this.every = 1; // n, if every nth row has a name
    /** @type {HTMLElement[]} */
    this.elements = [];
    this.scale = button("op scale", "", () => board.display.showAs({ scaled: !board.scaled }));
    this.softmax = make("span", "op softmax", [say("board.op.softmax")]);
    this.stages = button("stages", "", () => board.display.showAs({ all: !board.all }));
    /** @type {Rect[]} */
    this.words = []; // areas of words that lines must not cross
    this.ramp = make("span", "ramp");
    this.most = make("span", "most");
    const even = make("span", "even", [say("board.legend.even")]);
    this.legend = make("div", "legend", [even, this.ramp, make("span", "none", ["0"]), this.most], { role: "img" });
  }

  build(/** @type {number} */ edge) {
    const { board } = this;
    const { layout, data } = board;
    const { labels, start, row, boxes, columns, scale } = layout;
    const spine = columns.map(({ stage }) => stage);
    const rows = spine.some((stage) => stage.rows !== "feature");
    // The tokens' names stand before the first matrix that has a row for each of them.
    const first = spine.find((stage) => !isOfOthers(stage));
    const left = first ? boxes[first.name].x - labels : 0;
    const reached = spine.filter(({ name }) => board.grids.has(name));
    const last = reached.length ? boxes[reached[reached.length - 1].name] : null;
    const end = last ? last.x + last.width : 0;
    const height = Math.max(row + 3, BAND * scale); // its edges cross no number, however low the row is
    put(this.band, { x: left + 2, y: start + (row - 1 - height) / 2, width: end - left + 4, height });
    toggle(this.band, "hidden", !rows || !last);
    this.every = Math.ceil((NAMED * scale) / row - ALMOST);
    const [x, width] = [left, labels - 8 * scale];
    this.names = rows ? this.namesOf(data.labels, x, width) : new Map();
    if (areMixed(board.stages.values())) this.names.forEach(colourAs);
    this.placeName(this.followed, x, width);
    const read = rows ? spine.filter((stage, at) => isWhatIsRead(stage) && !isNamedBefore(stage, spine[at - 1])) : [];
    const ofRead = read.flatMap(({ name, entries }) =>
      [...this.namesOf(data.keys.slice(0, entries.length), boxes[name].x - labels, width).values()]);
    this.words = read.map(({ name }) => ({ ...boxes[name], x: boxes[name].x - labels, width: labels }));
    const free = data.tells && !last && first && this.every === 1 ? this.freeRows(boxes[first.name]) : [];
    this.elements = [...free, ...this.names.values(), ...(rows && this.every > 1 ? [this.followed] : []), ...ofRead,
      this.column, ...this.between(), ...this.ofHead(), ...columns.flatMap((column) => this.ofFactor(column, edge))];
  }

  // Empty frames for the rows of the inputs, which in the lesson's first steps have no numbers yet.
  freeRows(/** @type {Box} */ { x, y, width, row }) {
    return this.board.data.labels.map((_, at) => {
      const free = make("span", "free", [], UNSEEN);
      put(free, { x, y: y + at * row + 2, width, height: row - 5 });
      return free;
    });
  }

  // Names of a factor above a column: of V's rows at their right, if there is room up to the next matrix or the board's
  // edge; of Kᵀ's columns, as long as they don't stand above the scores. Boards beside other pictures have none.
  /** @param {Column} column @param {number} edge */
  ofFactor({ stage, factor, turned }, edge) {
    const { board } = this;
    const { layout: { boxes, scale, labels }, data: { keys, ribbons, tells, store }, explores } = board;
    const own = (tells || store || explores) && !areMixed(board.stages.values());
    if (!own || !factor?.is.product || !board.grids.has(factor.name)) return [];
    if (turned) {
      return board.grids.has(stage.name) ? [] : headsOf(/** @type {Board} */ (board), stage, boxes[stage.name]);
    }
    const { x, y, width, height, row } = boxes[factor.name];
    const left = x + width + 4 * scale;
    const next = Math.min(edge, ...Object.values(boxes).filter((box) => box.x > x && box.y < y + height
      && box.y + box.height > y).map((box) => box.x));
    if (next - left < SHORT * scale || row < NAMED * scale) return [];
    const fitting = scale * Math.min(DIGITS, (NAMED * (next - left)) / Math.max(...widthsOf(keys, board)));
    const letters = ribbons === null ? fitting : Math.max(NAMED, fitting); // enlarged while presenting
    return keys.map((text, at) => {
      const name = make("span", "head name", [text], { title: text, ...UNSEEN });
      put(name, { x: left, y: y + at * row, width: Math.min(labels, next - left), height: row });
      Object.assign(name.style, { fontSize: `${letters}px`, lineHeight: `${row}px`, textAlign: "left" });
      return name;
    });
  }

  // The names of rows, with gaps if needed, so that none covers the next.
  /** @param {string[]} texts @param {number} x @param {number} width @returns {Map<number, HTMLElement>} */
  namesOf(texts, x, width) {
    const { start, row } = this.board.layout;
    const some = texts.map((_, at) => at).filter((at) => at % this.every === 0);
    return new Map(some.map((at) => {
      const name = make("span", "name", [texts[at]], { title: texts[at] });
      this.placeName(name, x, width);
      name.style.top = `${start + (at + (1 - this.every) / 2) * row}px`;
      return [at, name];
    }));
  }

  /** @param {HTMLElement} name @param {number} x @param {number} width */
  placeName(name, x, width) {
    const { row, scale } = this.board.layout;
    const height = `${this.every * row}px`;
    // a long name is smaller, and the 0.92 leaves room for brackets, which are higher than letters
    const most = Math.min(LETTERS * scale, width / emsOf(name.textContent ?? ""));
    const fontSize = `${Math.max(NAMED * Math.min(1, scale), Math.min(most, 0.92 * this.every * row))}px`;
    Object.assign(name.style, { left: `${x}px`, width: `${width}px`, height, lineHeight: height, fontSize });
  }

  // A mark under the columns of the head in view, in the matrix of all heads' contexts.
  ofHead() {
    const { grids, layout, stages, torch, data } = this.board;
    const box = layout.boxes.contexts;
    const own = stages.get("context");
    if (!grids.has("contexts") || !own || data.head === null) return [];
    const mark = make("span", "of-head", [], UNSEEN);
    put(mark, { x: box.x + own.first * box.cell, y: box.y + box.height + 2,
      width: torch.context.columns * box.cell - 1 });
    return [mark];
  }

  // The stage of the attention weights, if they are on the board.
  /** @returns {Stage | undefined} */
  weights() {
    const { grids, stages } = this.board;
    return [...stages.values()].find((stage) => stage.is.shares && grids.has(stage.name));
  }

  between() {
    const { board } = this;
    const weights = this.weights();
    if (!weights) return [];
    setText(this.softmax, say(`board.op.${weights.is.shares?.powers ? "softmax" : "share"}`));
    const { boxes, scale } = board.layout;
    const box = boxes[weights.name];
    const legend = legendAt(board.layout, box);
    put(this.legend, legend);
    const before = gapBefore(board.layout, box);
    if (!before) return [this.legend];
    // The words stand at the first and the last row, away from the middles of rows, where the picked row's line passes.
    const { above, start } = board.layout;
    const place = (/** @type {HTMLElement} */ word, /** @type {number} */ y, { x, width } = before) => {
      put(word, { x, y, width });
      this.words.push({ x, y, width, height: WORD.height * scale });
    };
    // If the scores on the board are scaled already, the division stands at the foot of the factor Kᵀ, since names take
    // the room below; otherwise at the first row, or above it if rows are too low.
    if (board.scaled && !board.all) place(this.scale, above - WORD.height * scale);
    else place(this.scale, start - (board.layout.row < WORD.beside * scale ? WORD.height : WORD.over) * scale);
    // Where rows are too low for names, the picked row's band is higher than its row, and may extend below
    // the last one.
    place(this.softmax, box.y + box.height + (this.every > 1 ? 2 * WORD.under : WORD.under - WORD.height) * scale);
    this.words.push(legend);
    toggle(this.softmax, "gone", before.width < WORD.width * scale);
    const lead = leadAt(board.layout, box, board.all);
    if (lead) put(this.stages, { ...lead, height: undefined });
    return [this.legend, this.softmax, ...(this.leads ? [this.scale, this.stages] : [])];
  }

  // Whether both scores and scaled scores can be shown, so that a button for all stages makes sense.
  get leads() {
    const { shown } = this.board.data;
    return shown.includes("scores") && shown.includes("scaled_scores");
  }

  // Whether there is a mask without a place on the board.
  get hides() {
    return Boolean(this.board.stages.get(MASK)) && !this.board.assembly.showsMask;
  }

  // Whether the button for all stages is only in the dock, and not between the matrices, too.
  get spared() {
    const { all, data: { fixed, store }, explores } = this.board;
    return !all && (Boolean(fixed || store) || (!this.hides && explores));
  }

  // The text of the button for all stages, or for fewer.
  get leadsTo() {
    return say(this.board.all ? "board.op.fewer" : this.hides ? "board.op.mask" : "board.op.all");
  }

  // Update everything that depends on the picked token or on numbers.
  show() {
    const { board } = this;
    this.band.style.transform = `translateY(${board.query * board.layout.row}px)`;
    this.showName();
    this.frameColumn();
    const scaled = board.stages.get("scaled_scores");
    if (scaled) {
      // where scores are capped, the division is a stage of its own
      const by = dividedBy((board.stages.get("divided_scores") ?? scaled).settings) || say("board.op.unscaled");
      setText(this.scale, this.nearFirst ? say("board.op.near", { by }) : by);
      this.scale.setAttribute("aria-pressed", String(board.scaled));
      this.scale.title = say(board.scaled ? "board.op.raw" : "board.op.scaled");
      toggle(this.scale, "on", board.scaled);
      toggle(this.scale, "gone", board.all);
      setText(this.stages, this.leadsTo);
      toggle(this.stages, "gone", this.spared);
      this.stages.title = this.hides ? say("board.op.mask_shown") : "";
    }
    this.showLegend();
  }

  // Whether the bias that is added to the picked token's scores favours nearer tokens, on both sides.
  get nearFirst() {
    const { shown: { distance_bias: added }, query } = this.board;
    if (!added || query >= added.columns) return false;
    const row = [...lineOf(added, query)];
    const [before, after] = [row.slice(0, query).toReversed(), row.slice(query + 1)];
    const falls = (/** @type {number[]} */ side) => side.every((each, at) => !at || each <= side[at - 1]);
    return row.some((each) => each !== 0) && falls(before) && falls(after);
  }

  // Show the picked row's name; if it has none, in place of the neighbours' names that it would cover.
  showName() {
    const { query, data, layout: { start, row } } = this.board;
    const own = this.names.get(query);
    for (const [at, name] of this.names) {
      toggle(name, "on", at === query);
      toggle(name, "gone", !own && Math.abs(at - query) < this.every);
    }
    toggle(this.followed, "gone", Boolean(own));
    toggle(this.followed, "on", !own);
    setText(this.followed, data.labels[query] ?? "");
    this.followed.style.top = `${start + (query + (1 - this.every) / 2) * row}px`;
  }

  // If the readers of a token are shown, draw a frame around its column of attention weights.
  frameColumn() {
    const { board } = this;
    const weights = this.weights();
    const { scale } = board.layout;
    toggle(this.column, "gone", !board.byReaders || !weights);
    if (!weights) return;
    const { x, y, cell, height } = board.layout.boxes[weights.name];
    put(this.column, { x: x - 2 * scale, y: y - 2 * scale, width: cell + 3 * scale, height: height + 3 * scale });
    this.column.style.transform = `translateX(${board.key * cell}px)`;
  }

  showLegend() {
    const { board } = this;
    const weights = this.weights();
    if (!weights) return;
    const most = board.limitOf(weights);
    const even = weights.name === "attention_weights" ? evenShareOfRow(board.trace, board.query)
      : 1 / board.torch[weights.name].columns;
    const colours = Array.from({ length: 9 }, (_, at) => board.colours.of(weights.role, (at / 8) * most, most)?.paper);
    this.ramp.style.background = `linear-gradient(to right in oklab, ${colours.join(", ")})`;
    toggle(this.legend, "uneven", even === null);
    this.legend.style.setProperty("--even", `${Math.min(1, (even ?? 0) / most) * 100}%`);
    setText(this.most, most === 1 ? "1" : written(most, 2));
    const label = [say("board.legend.scale", { most: written(most, board.data.digits) }),
      even === null ? "" : say("board.legend.even_is", { even: percent(even) })].filter(Boolean).join(" ");
    this.legend.setAttribute("aria-label", label);
  }
}
