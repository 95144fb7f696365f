// The table of stages, evaluated in the page by its rules, so that every matrix follows a cell while it is dragged.
// The numbers that count are torch's; the board compares the two after every change.

import { compute as layer_norm } from "../rules/layer_norm.js";
import { compute as product } from "../rules/product.js";
import { compute as scale } from "../rules/scale.js";
import { compute as softmax } from "../rules/softmax.js";
import { boundedBy, computed } from "./declared.js";

const MOST_STEPS = 3e7; // products that are made while a number is dragged: some frames' time

/** @param {Pick<Stages, "values">} stages @param {Matrices} given */
export function evaluate(stages, given) {
  /** @type {Matrices} */
  const matrices = { ...given };
  for (const stage of stages.values()) {
    if (stage.rule !== "given") matrices[stage.name] = computedBy(stage, matrices);
  }
  return matrices;
}

/**
 * The same as far as it takes no longer than a frame may: a matrix that takes more steps than `most`, and what is made
 * of it, stays as in `before`. Returned are the names of those, too. What nothing that changed is read for, such as the
 * other heads of one whose W_q is dragged, is taken from there as it is.
 * @param {Pick<Stages, "values">} stages @param {Matrices} given @param {Matrices} before @param {number} most
 * @returns {{ matrices: Matrices, older: Set<string> }}
 */
export function evaluateWithin(stages, given, before, most = MOST_STEPS) {
  /** @type {Matrices} */
  const matrices = { ...given };
  const older = new Set();
  const changed = new Set(Object.keys(given).filter((name) =>
    given[name].values.some((value, at) => value !== before[name].values[at])));
  let left = most;
  for (const stage of stages.values()) {
    if (stage.rule === "given") continue;
    if (!stage.sources.some((name) => changed.has(name))) {
      matrices[stage.name] = before[stage.name];
      continue;
    }
    changed.add(stage.name);
    // About how many products it takes to make.
    const { rows, columns } = before[stage.name];
    left -= rows * columns * (stage.is.product ? before[stage.sources[0]].columns : STEPS);
    if (left < 0 || stage.sources.some((name) => older.has(name))) {
      older.add(stage.name);
      matrices[stage.name] = before[stage.name];
    } else {
      matrices[stage.name] = { ...computedBy(stage, matrices), whys: before[stage.name].whys };
    }
  }
  return { matrices, older };
}

// By its own arithmetic where its rule has one in the page, for what takes long; else cell by cell, as it's declared.
/** @param {Stage} stage @param {Matrices} matrices */
function computedBy(stage, matrices) {
  const sources = stage.sources.map((name) => matrices[name]);
  return RULES[stage.rule]?.(stage.settings, ...sources) ?? computed(stage.declared, stage.shape, sources);
}

const STEPS = 8; // that a cell takes which is no sum of products

// What a cell should be, as { exact, tolerance }, by the numbers of the cells that it is made from.
/** @param {Stage} stage @param {number} row @param {number} column @param {Matrices} matrices
 *  @param {import("./declared.js").Folds} [folds] what is known of these matrices */
export function boundedOf(stage, row, column, matrices, folds) {
  const sources = stage.sources.map((name) => matrices[name]);
  return boundedBy(stage.declared, { sources, i: row, j: column, folds });
}

// What rules have in the page besides what they declare, a file each, of the same name as in attnviz/core/rules: the
// arithmetic, compute(settings, ...sources), where cell by cell takes too long; null where settings are so rare that it
// may. `settings` are the fields of the Python rule. A test over all rules and stages holds it to the Python method.

/** @type {Record<string, (settings: Settings, ...sources: Matrix[]) => Matrix | null>} */
export const RULES = { layer_norm, product, scale, softmax };
