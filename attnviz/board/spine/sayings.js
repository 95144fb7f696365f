// What the dock says of a cell in the reader's words: what it is, before how it is made, and what is made of it.

import { areMixed, isOfOthers, ownerOf } from "../cells/cell.js";
import { written } from "../values/numbers.js";
import { valueAt } from "../values/matrices.js";
import { percent } from "../values/percent.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { Made, Place, Settings, Stage } from "../types.js" */

// "“fluffy” asks “cat”: score 3.8963".
/** @param {Made} made @param {Place} place @param {string[] | null | undefined} features */
export function inOneSentence(made, { matrix, row, column }, features) {
  const stage = made.stages.get(matrix);
  const number = valueAt(made.matrices[matrix], row, column);
  const value = written(number, made.digits);
  const { symbol } = stage;
  if (stage.columns === "key") {
    const [from, to] = [made.names[ownerOf(stage, row, made.names.length)], made.readNames[ownerOf(stage, column, made.readNames.length)]];
    const itself = stage.own_from !== null && column === stage.own_from + row;
    if (matrix === CONSTANTS.MASK && areMixed(made.stages.values())) return say("board.dock.mask_of_places", { symbol, row, column, value });
    if (matrix === CONSTANTS.MASK) return say(`board.dock.${number === 0 ? "open" : useOfMask(made, number)}`, { from, to, symbol, value });
    const share = Number.isFinite(number) ? percent(number) : value;
    if (CONSTANTS.SHARES.includes(stage.rule) || stage.hidden_with) return itself ? say("board.dock.reads_itself", { from, share }) : say("board.dock.reads", { from, to, share });
    return itself ? say("board.dock.asks_itself", { from, symbol, value }) : say("board.dock.asks", { from, to, symbol, value });
  }
  if (stage.rows === "feature") return say(stage.isVector ? "board.dock.bias" : "board.dock.learned", { symbol, row, column: column + stage.first, value });
  const feature = stage.origin === "input" && features?.[column] ? features[column] : say("board.dock.feature", { column: column + stage.first });
  const named = isOfOthers(stage) ? made.readNames : made.names;
  return say("board.dock.vector", { symbol, token: named[ownerOf(stage, row, made.matrices[matrix].rows)], feature, value });
}

// What a mask does with the number of a cell: it's added to its score, or its exponential multiplies that, or the weight.
// A score of 0 is read as any other, so that −∞ hides nothing as a factor of scores before a softmax.
/** @param {Made} made @param {number} number */
function useOfMask({ stages }, number) {
  const [weights, scaled] = ["attention_weights", "scaled_scores"].map((name) => stages.get(name));
  if (scaled?.settings.factor) return "times_score";
  if (number === -Infinity) return "hidden";
  if (!weights.sources.includes(CONSTANTS.MASK)) return "added";
  return weights.rule === "share" ? "times_score" : "times_weight";
}

// What the next stage does with it: "Next: ÷ √2, then softmax: 61 %."; blank at the end.
/** @param {Made} made @param {Place} place */
export function whatIsNext(made, { matrix, row, column }) {
  const next = [...made.stages.values()].find((stage) => stage.sources.includes(matrix) && made.matrices[stage.name]);
  if (!next) return "";
  // Only what comes before the softmax, and is no factor, is added.
  if (next.sources[0] !== matrix && ["scale", "softmax"].includes(next.rule)) {
    return say(next.rule === "scale" && !next.settings.factor ? "board.next.added" : "board.next.product", { symbol: next.symbol });
  }
  const capped = [...made.stages.values()].some((stage) => stage.rule === "cap" && stage.sources.includes(next.name));
  if ((next.rule === "scale" && !capped) || next.rule === "softmax") {
    const weights = [...made.stages.values()].find((stage) => CONSTANTS.SHARES.includes(stage.rule));
    const weight = weights ? valueAt(made.matrices[weights.name], row, column) : NaN;
    const share = Number.isFinite(weight) ? percent(weight) : written(weight, made.digits);
    return next.rule === "scale" && dividedBy(next.settings) ? say("board.next.scale", { by: dividedBy(next.settings), share }) : say("board.next.softmax", { share });
  }
  return say("board.next.product", { symbol: next.symbol });
}

// What scores are divided by: "÷ √2", with the temperature where there is one; blank for nothing.
/** @param {Settings} settings */
export function dividedBy({ d_k, temperature, temperature_text }) {
  const parts = [...(d_k === null || d_k === undefined ? [] : [`√${d_k}`]), ...(temperature === 1 ? [] : [temperature_text])];
  return parts.length ? `÷ ${parts.length > 1 ? `(${parts.join(" · ")})` : parts[0]}` : "";
}
