// What Play lights up: the cells at work in a moment, those that they make, and what has been reached before.

import { toggle } from "../cells/elements.js";
import { sourcesOf } from "../values/evaluate.js";
import { isHidden, reachedColumns } from "./timeline.js";

/** @import { Board } from "../board.js" */
/** @import { BoardCell, Place } from "../types.js" */
/** @import { Moment, Phase } from "../spine/types.js" */

const MARKS = ["up", "work", "making"];

export class Lights {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    /** @type {Phase[]} */
    this.phases = [];
    /** @type {Map<BoardCell, string>} */
    this.lit = new Map();
  }

  // Light up what is at work, and leave what has been reached as it is.
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
      for (const column of reachedColumns(phases, moment, at)) mark({ matrix: each.name, row: board.query, column }, "up");
    });
    const { sources, made } = this.atWork(phase, moment);
    for (const source of sources.flat()) mark(source, "work");
    for (const place of made) mark(place, "making");
    this.light(lit, grids);
    toggle(board.frame.scale, "up", phase.kind === "scale");
    toggle(board.frame.softmax, "up", phase.kind === "shares");
    const bands = phase.kind === "mix" ? sources.slice(0, 1) : sources; // rows that fall need none
    const onBoard = bands.map((block) => block.map((place) => this.seenAt(place)));
    const meets = made[0] ?? (phase.kind === "mix" ? { matrix: phase.name, row: board.query, column: 0 } : null);
    board.flow.meet(meets && this.seenAt(meets), onBoard);
  }

  clear() {
    const { frame } = this.board;
    this.light(new Map(), new Set());
    for (const op of [frame.scale, frame.softmax]) toggle(op, "up", false);
  }

  // Where a cell is seen: scores that have no place of their own are where scaled ones are, and the other way round.
  /** @param {Place} place @returns {Place} */
  seenAt(place) {
    if (this.board.grids.has(place.matrix)) return place;
    return { ...place, matrix: this.phases.find(({ name }) => name === place.matrix)?.on ?? place.matrix };
  }

  // The cells that these columns of a phase's row are made from, without those of masked keys.
  /** @param {Phase} phase @param {number[]} columns */
  sourcesOf({ stage, kind, steps }, columns) {
    const { made, query } = this.board;
    return columns.flatMap((column) => sourcesOf(stage, query, column, made.matrices).flatMap((block, at) => block.filter((place) => {
      if (kind === "mix" && at === 1) return steps.includes(place.row);
      const of = made.stages.get(place.matrix);
      return of.columns !== "key" || !isHidden(made, of, query, place.column);
    })));
  }

  // What is at work in a step, and what it makes.
  /** @param {Phase} phase @param {Moment} moment @returns {{ sources: Place[][], made: Place[] }} */
  atWork(phase, { step }) {
    const { made, query } = this.board;
    const { stage, kind, steps, columns, name } = phase;
    if (kind === "scale" || kind === "shares") return { sources: [this.sourcesOf(phase, columns.slice(0, kind === "shares" ? 1 : undefined))], made: [] };
    const column = steps[step];
    if (kind !== "mix") return { sources: sourcesOf(stage, query, column, made.matrices), made: [{ matrix: name, row: query, column }] };
    const [weights, rows] = stage.sources;
    const row = Array.from({ length: made.matrices[rows].columns }, (_, at) => ({ matrix: rows, row: column, column: at }));
    return { sources: [[{ matrix: weights, row: query, column }], row], made: [] };
  }

  /** @param {Map<BoardCell, string>} lit @param {Set<any>} grids */
  light(lit, grids) {
    for (const [cell] of this.lit) if (!lit.has(cell)) cell.classList.remove(...MARKS);
    for (const [cell, mark] of lit) for (const each of MARKS) toggle(cell, each, each === mark);
    this.lit = lit;
    for (const grid of this.board.grids.values()) toggle(grid.matrix, "up", grids.has(grid));
  }
}
