// What one word's story tells, from its input to its context and on: a part for each matrix of the spine, in the order
// of the computation, before anything is measured.

import { isOfOthers } from "../cells/cell.js";
import { planOf } from "../spine/plan.js";

/** @import { Stage } from "../types.js" */
/** @import { Column, Part } from "../spine/types.js" */

/**
 * Of most matrices it needs the picked word's row alone; of one that a product reads whole, such as K, every word's.
 * What is learned stands with the matrix that is made by it, and scores with the scaled ones.
 * @param {Stage[]} stages @param {string[]} placed @returns {Part[]}
 */
export function partsOf(stages, placed) {
  const columns = planOf(stages, placed, false, false);
  const scaled = columns.find(({ stage }) => stage.rule === "scale");
  const raw = columns.find(({ stage }) => stage.name === scaled?.stage.sources[0]);
  return withoutTwice(columns.flatMap((column) => {
    const { factor, weight, weightBias } = column;
    const own = column === raw ? [] : [{ ...partOf(column), raw: (column === scaled && raw?.stage) || null }];
    if (!factor || factor.rows === "feature") return own;
    const kind = factor.columns === "key" ? "pairs" : "all"; // of a mask, the picked word's row
    return [{ kind, stage: factor, weight, bias: weightBias, raw: null, mixes: false }, ...own];
  }));
}

// What is learned stands with the first part that is made by it.
/** @param {Part[]} parts @returns {Part[]} */
function withoutTwice(parts) {
  const isFirst = (/** @type {Part} */ { weight }, /** @type {number} */ at) => !parts.slice(0, at).some((part) => part.weight === weight);
  return parts.map((part, at) => (isFirst(part, at) ? part : { ...part, weight: null, bias: null }));
}

/** @param {Column} column @returns {Omit<Part, "raw">} */
function partOf({ stage, factor, turned, bias }) {
  const vectors = isOfOthers(stage) ? "all" : "row"; // none of these is the picked word's
  const kind = stage.columns !== "key" ? vectors : stage.rule === "softmax" ? "shares" : "pairs";
  const learned = factor?.rows === "feature";
  return { kind, stage, weight: learned ? factor : null, bias: learned ? bias : null, mixes: Boolean(factor) && !learned && !turned };
}

// Whether a part is made of nothing but the one before it, so that both may stand in one line.
/** @param {Part | undefined} before @param {Part} part */
export function follows(before, part) {
  return before?.kind === "row" && part.kind === "row" && !before.mixes && part.stage.sources[0] === before.stage.name
    && (part.weight !== null || part.stage.sources.length === 1);
}
