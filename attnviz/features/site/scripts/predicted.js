// The story's predictions. Each is made from the board's current numbers, with the reader's edits, so that its right
// choice and its outcome are true whatever was changed.

import { percent, written } from "../../../board/values/numbers.js";
import { lineOf, valueAt } from "../../../board/values/matrices.js";
import { say } from "../../../scripts/sentences.js";

/** @import { Predicted } from "./story_types.js" */

const [THE, FLUFFY, CAT] = [0, 1, 2];
const DIGITS = 2;

const number = (/** @type {number} */ value) => written(value, DIGITS);

/** @param {Matrix} weights @param {number} row */
function mostOf(weights, row) {
  const line = [...lineOf(weights, row)];
  const share = Math.max(...line);
  return { at: line.indexOf(share), share };
}

/** @type {Record<string, (matrices: Matrices, tokens: string[]) => Predicted>} */
const PREDICTED = {
  vectors({ x }) {
    const { rows, columns } = x;
    const places = { rows, columns, sum: rows + columns, size: rows * columns, pairs: rows * rows };
    return {
      choices: ["columns", "sum", "size", "pairs"].map((each) =>
        [each, say(`site.story.vectors.choice.${each}`, places)]),
      right: "size",
      told: say("site.story.vectors.told", places),
    };
  },

  scores({ scores }) {
    const [back, there] = [valueAt(scores, FLUFFY, CAT), valueAt(scores, CAT, FLUFFY)];
    const places = { back: number(back), there: number(there) };
    const same = places.back === places.there;
    return {
      choices: ["same", "larger", "smaller"].map((each) => [each, say(`site.story.scores.choice.${each}`)]),
      right: same ? "same" : there > back ? "larger" : "smaller",
      told: same ? say("site.story.scores.same", { back: places.back }) : say("site.story.scores.told", places),
    };
  },

  shares({ attention_weights: weights }, tokens) {
    const { at, share } = mostOf(weights, FLUFFY);
    return {
      choices: ["all", "half", "less"].map((each) => [each, say(`site.story.shares.choice.${each}`)]),
      right: share >= 1 ? "all" : share > 0.5 ? "half" : "less",
      told: say(share >= 1 ? "site.story.shares.told_all" : "site.story.shares.told",
        { share: percent(share), most: tokens[at] }),
    };
  },

  mix({ attention_weights: weights, v, context }, tokens) {
    const { at, share } = mostOf(weights, FLUFFY);
    const all = Array.from({ length: v.rows }, (_, row) => valueAt(v, row, 0));
    const mean = number(all.reduce((sum, each) => sum + each, 0) / all.length);
    const value = valueAt(context, FLUFFY, 0);
    const mixed = number(value);
    const right = mixed === mean ? "even" : value > all.reduce((sum, each) => sum + each, 0) / all.length ? "above"
      : "below";
    const places = { mixed, mean, most: tokens[at], share: percent(share), value: number(all[at]) };
    return {
      choices: ["above", "even", "below"].map((each) => [each, say(`site.story.mix.choice.${each}`)]),
      right,
      told: say(`site.story.mix.${right}`, places),
    };
  },

  mask({ scaled_scores: scores, attention_weights: weights }) {
    const n = [...lineOf(scores, FLUFFY)].filter((each) => each !== -Infinity).length;
    const places = { n: String(n), first: percent(valueAt(weights, FLUFFY, THE)),
      second: percent(valueAt(weights, FLUFFY, FLUFFY)) };
    return {
      choices: ["itself", "before", "all"].map((each) => [each, say(`site.story.mask.choice.${each}`)]),
      right: n === 1 ? "itself" : n === weights.columns ? "all" : "before",
      told: say("site.story.mask.told", places),
    };
  },

  heads(matrices, tokens) {
    const { at, share } = mostOf(matrices["heads.1.attention_weights"], CAT);
    return {
      choices: tokens.map((token, place) => [String(place), token]), // any may be right after an edit
      right: String(at),
      told: say("site.story.heads.told", { most: tokens[at], share: percent(share) }),
    };
  },
};

export function asks(/** @type {string} */ step) {
  return step in PREDICTED;
}

// A step's prediction for these numbers.
/** @param {string} step @param {Matrices} matrices @param {string[]} tokens */
export function predicted(step, matrices, tokens) {
  return PREDICTED[step](matrices, tokens);
}

// The token that a token reads most, and its share.
/** @param {Matrices} matrices @param {string[]} tokens @param {number} row */
export function mostRead({ attention_weights: weights }, tokens, row) {
  const { at, share } = mostOf(weights, row);
  return { token: tokens[row], most: tokens[at], share: percent(share) };
}
