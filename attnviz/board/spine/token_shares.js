// What tokens read of each other, in shares: of a token of which there are pieces, all of these together.

import { areOfOthers, ownerOf } from "../cells/cell.js";
import { hiddenIn } from "../values/evaluate.js";
import { valueAt } from "../values/matrices.js";

/** @import { Stage } from "../types.js" */
/** @import { Numbers } from "../values/evaluate.js" */

export const WEIGHTS = "attention_weights";

// The shares of a query, null where it may not read.
/** @param {Numbers} made @param {number} query @param {string} name */
export function sharesOf(made, query, name = WEIGHTS) {
  const stage = made.stages.get(name);
  const weights = made.matrices[name];
  const hidden = hiddenIn(made, stage);
  return ofTokens(stage, Array.from({ length: weights.columns }, (_, key) => (hidden?.(query, key) ? null : valueAt(weights, query, key))), (one, other) => one + other);
}

// What each token gives a key, null where it may not read it.
/** @param {Numbers} made @param {number} key @param {string} name */
export function givenTo(made, key, name = WEIGHTS) {
  const stage = made.stages.get(name);
  const weights = made.matrices[name];
  const hidden = hiddenIn(made, stage);
  return ofTokens(stage, Array.from({ length: weights.rows }, (_, query) => (hidden?.(query, key) ? null : valueAt(weights, query, key))), Math.max);
}

// What tokens have of which there are pieces: the shares of these together, or the largest.
/** @param {Stage} stage @param {(number | null)[]} shares @param {(one: number, other: number) => number} together */
function ofTokens(stage, shares, together) {
  if (!areOfOthers(stage)) return shares;
  /** @type {(number | null)[]} */
  const whole = shares.map(() => null);
  shares.forEach((share, at) => {
    const whose = ownerOf(stage, at, shares.length);
    if (share !== null) whole[whose] = together(whole[whose] ?? 0, share);
  });
  return whole;
}
