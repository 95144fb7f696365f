// The table of stages, evaluated in the page by its rules, so that every matrix follows a cell while it is dragged.
// The numbers that count are torch's; the board compares the two after every change.

import { boundedBy, cellsIn, computed, reachIn } from "./declared.js";
import { valueAt } from "./matrices.js";
import { RULES } from "./rules.js";

/** @import { Made, Matrices, Matrix, Place, Stage, Stages } from "../types.js" */

/** @typedef {{ stages: Stages, matrices: Matrices }} Numbers */

export const MOST_STEPS = 3e7; // products that are made while a number is dragged: some frames' time

/** @param {Stage[]} stages @param {Matrices} given */
export function evaluate(stages, given) {
  /** @type {Matrices} */
  const matrices = { ...given };
  for (const stage of stages) {
    if (stage.rule !== "given") matrices[stage.name] = computedBy(stage, matrices);
  }
  return matrices;
}

/**
 * The same as far as it takes no longer than a frame may: a matrix that takes more steps than `most`, and what is made
 * of it, stays as in `before`. Returned are the names of those, too. What nothing that changed is read for, such as the
 * other heads of one whose W_q is dragged, is taken from there as it is.
 * @param {Stage[]} stages @param {Matrices} given @param {Matrices} before @param {number} most
 * @returns {{ matrices: Matrices, older: Set<string> }}
 */
export function evaluateWithin(stages, given, before, most) {
  /** @type {Matrices} */
  const matrices = { ...given };
  const older = new Set();
  const changed = new Set(Object.keys(given).filter((name) => !isSame(given[name], before[name])));
  let left = most;
  for (const stage of stages) {
    if (stage.rule === "given") continue;
    if (!stage.sources.some((name) => changed.has(name))) {
      matrices[stage.name] = before[stage.name];
      continue;
    }
    changed.add(stage.name);
    left -= stepsOf(stage, before);
    if (left < 0 || stage.sources.some((name) => older.has(name))) {
      older.add(stage.name);
      matrices[stage.name] = before[stage.name];
    } else {
      matrices[stage.name] = computedBy(stage, matrices);
    }
  }
  return { matrices, older };
}

// By its own arithmetic where its rule has one in the page, for what takes long; else cell by cell, as it's declared.
/** @param {Stage} stage @param {Matrices} matrices */
function computedBy(stage, matrices) {
  const sources = sourcesIn(matrices, stage);
  const compute = RULES[stage.rule]?.compute;
  return compute ? compute(stage.settings, ...sources) : computed(stage.declared, stage.shape, sources);
}

/** @param {Matrix} matrix @param {Matrix} other */
function isSame({ values }, other) {
  return values.every((value, at) => value === other.values[at]);
}

const STEPS = 8; // that a cell takes which is no sum of products

// About how many products a matrix takes to make.
/** @param {Stage} stage @param {Matrices} matrices */
function stepsOf(stage, matrices) {
  const { rows, columns } = matrices[stage.name];
  return rows * columns * (stage.rule === "product" ? matrices[stage.sources[0]].columns : STEPS);
}

/** @param {Matrices} matrices @param {Stage} stage */
function sourcesIn(matrices, stage) {
  return stage.sources.map((name) => matrices[name]);
}

// The cells that a cell is made from, as a list for each of its sources of { matrix, row, column }.
/** @param {Stage} stage @param {number} row @param {number} column @param {Matrices} matrices @returns {Place[][]} */
export function sourcesOf(stage, row, column, matrices) {
  if (stage.rule === "given") return [];
  const spans = reachIn(stage, sourcesIn(matrices, stage)).map((reach) => cellsIn(reach(row, column)));
  return spans.map((cells, i) => cells.map(([r, c]) => ({ matrix: stage.sources[i], row: r, column: c })));
}

// The same where the explanation names other matrices, such as the scores for scaled scores that are not on the board.
/** @param {Made} made @param {Place} place */
export function seenSourcesOf(made, { matrix, row, column }) {
  const stage = made.stages.get(matrix);
  const sources = sourcesOf(stage, row, column, made.matrices);
  const seen = RULES[stage.rule]?.seen?.(stage, made) ?? stage.sources;
  return seen.map((name, i) => sources[i].map((source) => ({ ...source, matrix: name })));
}

// What a cell should be, as { exact, tolerance }, by the numbers of the cells that it is made from.
/** @param {Stage} stage @param {number} row @param {number} column @param {Matrices} matrices */
export function boundedOf(stage, row, column, matrices) {
  const sources = sourcesIn(matrices, stage);
  const bounded = RULES[stage.rule]?.bounded;
  return bounded ? bounded(stage.settings, row, column, ...sources) : boundedBy(stage.declared, { sources, i: row, j: column });
}

// Whether a cell is masked, by its own rule or by that of the scores which it is shares of.
/** @param {Numbers} made @param {Stage} stage @param {number} row @param {number} column */
export function isMasked(made, stage, row, column) {
  return hiddenIn(made, stage)?.(row, column) ?? false;
}

// The same for all cells of a stage; null where none can be.
/** @param {Numbers} made @param {Stage} stage @returns {((row: number, column: number) => boolean) | null} */
export function hiddenIn({ stages, matrices }, stage) {
  const masks = masksOf(stages, stage).map((name) => matrices[name]);
  if (!masks.length) return null;
  return (row, column) => masks.some((mask) => valueAt(mask, row, column) === -Infinity);
}

// The names of the matrices that hide cells of a stage where they hold −∞: that of its own rule, and of the scores which it
// is shares of.
/** @param {Stages} stages @param {Stage} stage */
function masksOf(stages, stage) {
  const scores = stage.rule === "softmax" ? stage.sources : stage.hidden_with ? [stage.hidden_with] : [];
  const makers = [stage, ...scores.map((name) => stages.get(name))];
  return makers.flatMap(({ masked_by: by }) => (by ? [by] : []));
}
