// The moving elements of "Play this row", on a layer over the board: changing numbers, bars, rows of V that fall into
// the context row. They never change the board's own cells, so that the end of a play needs no redraw.

import { symbolOf } from "../cells/cell.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { make, markAll, put, setText, toggle, UNSEEN } from "../cells/elements.js";
import { LEGIBLE } from "../spine/layout.js";
import { sourcesOf } from "../values/dependencies.js";
import { valueAt } from "../values/matrices.js";
import { percent, written } from "../values/numbers.js";
import { isHidden, reachedColumns } from "./timeline.js";

// pixels: heights of bars, their distance above the matrix, and the height of a label
const BARS = { most: 104, least: 48, above: 22, label: 16 };
const LABELLED = 30; // pixels: in columns at least this wide, bars have labels
const ARRIVES = 0.7; // share of a step after which a moving element has arrived

function eased(/** @type {number} */ part) {
  const at = Math.max(0, Math.min(1, part));
  return at * at * (3 - 2 * at);
}

export class Actors {
  /** @param {Pick<Board, "colours" | "digits" | "grids" | "layout" | "limitOf" | "shown" | "stages"
   *  | "titles">} board */
  constructor(board) {
    this.board = board;
    this.layer = make("div", "acts", [], UNSEEN);
    /** @type {Map<string, HTMLElement>} */
    this.all = new Map();
    /** @type {Set<string>} */
    this.seen = new Set();
  }

  clear() {
    this.all.clear();
    this.layer.replaceChildren();
  }

  /** @param {Phase[]} phases @param {Moment} moment @param {number} query */
  show(phases, moment, query) {
    this.seen.clear();
    this.layer.style.opacity = String(Math.min(1, moment.veil));
    const phase = phases[moment.at];
    this.showScores(phases, moment, query);
    if (phase.kind === "scores") this.passUnder(phase, moment);
    if (phase.kind === "vector" || phase.kind === "scores" || phase.kind === "other") this.cover(phase, moment, query);
    if (phase.kind === "shares") this.showBars(phase, moment, query);
    if (phase.kind === "mix") this.mix(phase, moment, query);
    for (const [key, actor] of this.all) {
      if (this.seen.has(key)) continue;
      actor.remove();
      this.all.delete(key);
    }
  }

  // Place the actor with this key and keep it for this moment; it is created on first use.
  /** @param {string} key @param {string} className @param {Rect} area @param {string} text */
  put(key, className, area, text = "") {
    let actor = this.all.get(key);
    if (!actor) {
      actor = make("div", `act ${className}`);
      this.all.set(key, actor);
      this.layer.append(actor);
    }
    this.seen.add(key);
    put(actor, area);
    actor.style.lineHeight = `${area.height}px`;
    setText(actor, text);
    return actor;
  }

  /** @param {Box} box @param {number} row @param {number} column */
  cell(box, row, column) {
    return { x: box.x + column * box.cell, y: box.y + row * box.row, width: box.cell - 1, height: box.row - 1 };
  }

  // Cover the number in the step's cell until it is computed.
  /** @param {Phase} phase @param {Moment} moment @param {number} query */
  cover({ on, steps }, { step, within }, query) {
    const box = this.board.layout.boxes[on];
    const cover = this.put("cover", "blank", this.cell(box, query, steps[step]));
    cover.style.opacity = String(1 - eased((within - 0.35) / 0.3));
  }

  // Where scores and scaled scores share one place, let the scores turn into the scaled scores there. They stay so
  // until the end of the play, whichever of the two the board itself shows.
  /** @param {Phase[]} phases @param {Moment} moment @param {number} query */
  showScores(phases, { at, part, step, shown: done }, query) {
    const scale = phases.findIndex(({ kind }) => kind === "scale");
    const scores =
      phases.findLastIndex(({ kind, name }) => kind === "scores" && phases[scale]?.stage.sources[0] === name);
    if (scale < 0 || scores < 0 || phases[scale].on !== phases[scores].on || at < scores) return;
    const { on } = phases[scale];
    const { shown, layout, stages } = this.board;
    const [before, after] = [phases[scores], phases[scale]].map(({ name }) => shown[name]);
    const scaled = at > scale ? 1 : at === scale ? eased((part - 0.15) / 0.6) : 0;
    if (scaled === (on === phases[scale].name ? 1 : 0)) return; // the board's own cells show these numbers
    const reached = at === scores ? phases[scores].steps.slice(0, Math.max(done, step + 1)) : phases[scores].columns;
    for (const key of reached) {
      const value = (1 - scaled) * valueAt(before, query, key) + scaled * valueAt(after, query, key);
      this.number(`score ${key}`, stages.get(on), layout.boxes[on], query, key, value);
    }
    // Numbers in the other matrix's place get their own title.
    const seen = stages.get(phases[scaled < 0.5 ? scores : scale].name);
    if (seen.name !== on) this.put("named", "named", this.board.titles[on], `${symbolOf(seen)} ${seen.short}`);
  }

  /** @param {string} key @param {Stage} stage @param {Box} box @param {number} row @param {number} column
   *  @param {number} value */
  number(key, stage, box, row, column, value) {
    const { board } = this;
    const shade = board.colours.of(stage.role, value, board.limitOf(stage));
    const grid = board.grids.get(stage.name);
    const text = grid && box.cell >= LEGIBLE * board.layout.scale ? grid.text(value, grid.decimals) : "";
    const actor = this.put(key, "number", this.cell(box, row, column), text);
    Object.assign(actor.style, { background: shade?.paper ?? "", color: shade?.ink ?? "" });
  }

  // Move a frame in the query's colour over the keys, from one to the next.
  /** @param {Phase} phase @param {Moment} moment */
  passUnder({ stage, steps }, { step, within }) {
    const { layout, stages } = this.board;
    const box = layout.boxes[stage.sources[1]];
    if (!box?.turned || !steps.length) return;
    const from = steps[Math.max(0, step - 1)];
    const column = from + (steps[step] - from) * eased(within / 0.4);
    const frame = this.put("sweep", `sweep role-${stages.get(stage.sources[0]).role}`,
      { x: box.x - 2, y: box.y - 2, width: box.cell + 3, height: box.height + 3 });
    frame.style.transform = `translateX(${column * box.cell}px)`;
  }

  // Show the exponentials as bars, which then shrink until they add up to 1.
  /** @param {Phase} phase @param {Moment} moment @param {number} query */
  showBars({ stage, name, columns }, { step, within }, query) {
    const { layout, shown, stages } = this.board;
    const box = layout.boxes[name];
    const { floor, height } = this.roomForBars(box, query);
    const scores = columns.map((key) => valueAt(shown[stage.sources[0]], query, key));
    const largest = Math.max(...scores);
    const shift = Math.abs(largest) <= CONSTANTS.READABLE ? 0 : largest;
    const most = Math.max(...columns.map((key) => valueAt(shown[name], query, key)));
    columns.forEach((key, at) => {
      const share = valueAt(shown[name], query, key);
      const whole = share / most; // height relative to the largest bar
      const size = step === 0 ? whole * eased(within / ARRIVES) : whole + (share - whole) * eased(within / ARRIVES);
      const bar = this.put(`bar ${key}`, `bar role-${stages.get(name).role}`,
        { x: box.x + key * box.cell + box.cell * 0.2, y: floor - height, width: box.cell * 0.6, height });
      bar.style.transform = `scaleY(${size})`;
      if (box.cell < LABELLED) return;
      const text = step === 0 ? written(Math.exp(scores[at] - shift), 2) : percent(share);
      const label = this.put(`said ${key}`, "said", { x: box.x + key * box.cell - 4,
        y: floor - BARS.label * layout.scale, width: box.cell + 8, height: BARS.label * layout.scale }, text);
      label.style.transform = `translateY(${-size * height}px)`;
    });
  }

  // The place for bars: above the names of the columns if there is enough room, otherwise within the row.
  /** @param {Box} box @param {number} query */
  roomForBars(box, query) {
    const { scale } = this.board.layout;
    const floor = box.y - BARS.above * scale;
    const height = Math.min(BARS.most * scale, floor - BARS.label * scale);
    if (height >= BARS.least * scale) return { floor, height };
    return { floor: box.y + (query + 1) * box.row - 1, height: box.row - 1 };
  }

  // Let the rows of the right factor fall into the context row, each shrunk to its weight; together they fill it.
  /** @param {Phase} phase @param {Moment} moment @param {number} query */
  mix({ name, stage, steps, columns }, { step, within }, query) {
    const { layout, shown, stages } = this.board;
    const [weights, rows] = stage.sources;
    const [from, to] = [layout.boxes[rows], layout.boxes[name]];
    const done = step === steps.length - 1 ? eased((within - 0.75) / 0.25) : 0;
    const bottom = to.y + (query + 1) * to.row - 1;
    const ground = { x: to.x, y: to.y + query * to.row, width: columns.length * to.cell - 1, height: to.row - 1 };
    this.put("ground", "blank ground", ground).style.opacity = String(1 - done);
    let stacked = 0;
    steps.slice(0, step + 1).forEach((key, at) => {
      const weight = valueAt(shown[weights], query, key);
      const part = at < step ? 1 : eased(within / ARRIVES);
      for (const column of columns) this.fall(`${key} ${column}`, from, to, { key, column, weight, part,
        bottom: bottom - stacked * (to.row - 1) }, shown[rows], stages.get(rows), 1 - done);
      stacked += weight;
    });
  }

  /**
   * @param {string} name @param {Box | undefined} from @param {Box} to
   * @param {{ key: number, column: number, weight: number, part: number, bottom: number }} how
   * @param {Matrix} matrix @param {Stage} stage @param {number} opacity
   */
  fall(name, from, to, { key, column, weight, part, bottom }, matrix, stage, opacity) {
    const { board } = this;
    const end = this.cell(to, 0, column);
    const start = from ? this.cell(from, key, column) : { ...end, y: bottom - end.height };
    const shade = board.colours.of(stage.role, valueAt(matrix, key, column), board.limitOf(stage));
    const actor = this.put(`fall ${name}`, "falling", end);
    const top = (start.y + (bottom - weight * end.height - start.y) * part) - end.y;
    const left = (start.x - end.x) * (1 - part);
    Object.assign(actor.style, {
      background: shade?.paper ?? "", opacity: String(opacity),
      transform: `translate(${left}px, ${top}px) scaleY(${1 + (weight - 1) * part})`,
    });
  }
}

// ---- highlighted cells ----

// Classes of cells: reached before, read by the current step, computed by it.

const MARKS = ["up", "work", "making"];

export class Lights {
  /** @param {Pick<Board, "cellAt" | "flow" | "frame" | "grids" | "trace" | "query">} board */
  constructor(board) {
    this.board = board;
    /** @type {Phase[]} */
    this.phases = [];
    /** @type {Map<BoardCell, string>} */
    this.lit = new Map();
  }

  // Highlight the cells that the step reads and computes, and keep all cells above the veil that were reached before.
  /** @param {Phase[]} phases @param {Moment} moment */
  show(phases, moment) {
    const { board } = this;
    this.phases = phases;
    const phase = phases[moment.at];
    /** @type {Map<BoardCell, string>} */
    const lit = new Map();
    const grids = new Set([board.grids.get(phase.on)]);
    const mark = (/** @type {Place} */ place, /** @type {string} */ as) => {
      const cell = board.cellAt(this.seenAt(place));
      if (!cell) return;
      lit.set(cell, as);
      grids.add(board.grids.get(this.seenAt(place).matrix));
    };
    phases.slice(0, moment.at + 1).forEach((each, at) => {
      for (const source of this.sourcesOf(each, each.columns)) mark(source, "up");
      for (const column of reachedColumns(phases, moment, at)) mark({ matrix: each.name, row: board.query,
        column }, "up");
    });
    const { sources, results } = this.atWork(phase, moment);
    for (const source of sources.flat()) mark(source, "work");
    for (const place of results) mark(place, "making");
    this.light(lit, grids);
    toggle(board.frame.scale, "up", phase.kind === "scale");
    toggle(board.frame.softmax, "up", phase.kind === "shares");
    const bands = phase.kind === "mix" ? sources.slice(0, 1) : sources; // no bands come from V, whose rows move visibly
    const onBoard = bands.map((block) => block.map((place) => this.seenAt(place)));
    const meets = results[0] ?? (phase.kind === "mix" ? { matrix: phase.name, row: board.query, column: 0 } : null);
    board.flow.meet(meets && this.seenAt(meets), onBoard);
  }

  clear() {
    const { frame } = this.board;
    this.light(new Map(), new Set());
    for (const op of [frame.scale, frame.softmax]) toggle(op, "up", false);
  }

  // The place where a cell is shown. If only the scores or only the scaled scores are on the board, they share it.
  /** @param {Place} place @returns {Place} */
  seenAt(place) {
    if (this.board.grids.has(place.matrix)) return place;
    return { ...place, matrix: this.phases.find(({ name }) => name === place.matrix)?.on ?? place.matrix };
  }

  // The cells that these columns of a phase's row are computed from, except those of masked keys.
  /** @param {Phase} phase @param {number[]} columns */
  sourcesOf({ stage, kind, steps }, columns) {
    const { trace, query } = this.board;
    return columns.flatMap((column) => sourcesOf(stage, query, column, trace.matrices)
      .flatMap((block, at) => block.filter((place) => {
      if (kind === "mix" && at === 1) return steps.includes(place.row);
      const of = trace.stages.get(place.matrix);
      return of.columns !== "key" || !isHidden(trace, of, query, place.column);
    })));
  }

  // The cells that a step reads, and those that it computes.
  /** @param {Phase} phase @param {Moment} moment @returns {{ sources: Place[][], results: Place[] }} */
  atWork(phase, { step }) {
    const { trace, query } = this.board;
    const { stage, kind, steps, columns, name } = phase;
    if (kind === "scale" || kind === "shares")
      return { sources: [this.sourcesOf(phase, columns.slice(0, kind === "shares" ? 1 : undefined))], results: [] };
    const column = steps[step];
    if (kind !== "mix")
      return { sources: sourcesOf(stage, query, column, trace.matrices),
        results: [{ matrix: name, row: query, column }] };
    const [weights, rows] = stage.sources;
    const row = Array.from({ length: trace.matrices[rows].columns },
      (_, at) => ({ matrix: rows, row: column, column: at }));
    return { sources: [[{ matrix: weights, row: query, column }], row], results: [] };
  }

  /** @param {Map<BoardCell, string>} lit @param {Set<any>} grids */
  light(lit, grids) {
    markAll(this.lit.keys(), lit, MARKS);
    this.lit = lit;
    for (const grid of this.board.grids.values()) toggle(grid.matrix, "up", grids.has(grid));
  }
}
