// Evaluates the table of stages in the page, by its rules, so that every matrix follows a cell while it's dragged. The
// numbers that count are torch's; the board compares the two after every change.

import { compute as layer_norm } from "../rules/layer_norm.js";
import { compute as product } from "../rules/product.js";
import { compute as scale } from "../rules/scale.js";
import { compute as softmax } from "../rules/softmax.js";
import { boundedBy, computed } from "./declared.js";

const MOST_STEPS = 3e7; // multiplications for each move of a drag; they take as long as a few frames

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
 * Evaluate the table, but leave out what would take too long: a matrix for which `most` steps aren't enough, and
 * all that is made from it, stays as in `before`, and its name is in `older`. A matrix made from nothing that changed,
 * such as one of another head than that whose W_q is dragged, is taken from `before` as well.
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
    // About how many multiplications it takes.
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

// Compute a matrix by the page's own arithmetic for its rule, if there is one, else cell by cell, as it's declared.
/** @param {Stage} stage @param {Matrices} matrices */
function computedBy(stage, matrices) {
  const sources = stage.sources.map((name) => matrices[name]);
  return RULES[stage.rule]?.(stage.settings, ...sources) ?? computed(stage.declared, stage.shape, sources);
}

const STEPS = 8; // counted for each cell of a matrix that isn't a product

// What a cell should be, as { exact, tolerance }, by the numbers of the cells that it is made from.
/** @param {Stage} stage @param {number} row @param {number} column @param {Matrices} matrices
 *  @param {import("./declared.js").Folds} [folds] sums of these matrices that are known already */
export function boundedOf(stage, row, column, matrices, folds) {
  const sources = stage.sources.map((name) => matrices[name]);
  return boundedBy(stage.declared, { sources, i: row, j: column, folds });
}

// The page's own arithmetic for some rules, in a file for each, because cell by cell would take too long:
// compute(settings, ...sources). `settings` are the fields of the Python rule. The result is null for settings so rare
// that cell by cell will do. A test over all rules and stages compares it with the Python method.

/** @type {Record<string, (settings: Settings, ...sources: Matrix[]) => Matrix | null>} */
export const RULES = { layer_norm, product, scale, softmax };
