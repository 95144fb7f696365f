// Scores divided, and masked: core/rules/scale.py.

import { FLOAT32, tolerance } from "../values/bounds.js";
import { already, largestFloat, namedCell } from "../cells/cell.js";
import { decimal, productOf, ratioOf, rootOf, sign, sumOf } from "../values/decimals.js";
import { valueAt } from "../values/matrices.js";
import { inSum, quotient } from "../values/terms.js";
import { reasonOf } from "../values/hiding.js";
import { say } from "../../scripts/sentences.js";

/** @import { Cell, Explained, MadeCell, Matrix, Settings, Source } from "../types.js" */

// Which of its sources hides cells: a mask that is a factor hides none, for a score of 0 is read as any other.
/** @param {Settings} settings */
export function masked_by({ factor }) {
  return factor ? undefined : 1;
}

/** @param {Settings} settings @param {Matrix} scores @param {Matrix} [mask] */
export function compute(settings, { rows, columns, values: scores }, mask) {
  const divisor = divisorOf(settings);
  const values = new Float64Array(rows * columns);
  for (let at = 0; at < values.length; at += 1) {
    const scaled = Math.fround(scores[at] / divisor);
    values[at] = mask ? withMask(settings, scaled, mask.values[at]) : scaled;
  }
  return { rows, columns, values };
}

// A score with what the mask adds to it; what is hidden stays so, even a score of ∞.
/** @param {Settings} settings @param {number} scaled @param {number} added */
function withMask({ factor }, scaled, added) {
  if (factor) return Math.fround(scaled * Math.fround(Math.exp(added)));
  return added === -Infinity ? -Infinity : Math.fround(scaled + added);
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix[]} sources @returns {[number, number][][]} */
export function reads(_, row, column, ...sources) {
  return sources.map(() => [[row, column]]);
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} scores @param {Matrix} [mask] */
export function bounded(settings, row, column, scores, mask) {
  const added = mask ? valueAt(mask, row, column) : 0;
  if (settings.factor && mask) {
    const exact = (valueAt(scores, row, column) / divisorOf(settings)) * Math.exp(added);
    return { exact, tolerance: added === 0 ? tolerance(Math.abs(exact), 4) : tolerance(Math.abs(exact), 6) };
  }
  if (added === -Infinity) return { exact: -Infinity, tolerance: 0 };
  const divided = valueAt(scores, row, column) / divisorOf(settings);
  if (added === 0) return { exact: divided, tolerance: tolerance(Math.abs(divided), 4) };
  return { exact: divided + added, tolerance: tolerance(Math.abs(divided) + Math.abs(added), 5) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const { settings } = cell.stage;
  const [[score], [mask] = []] = cell.sources;
  const source = namedCell(cell, score);
  const by = inWords(settings, cell);
  const words = by
    ? say("explanation.scale.divided", { score: source, divisor: by })
    : say(`explanation.scale.undivided${settings.own ? "_own" : ""}`, { score: source });
  const divided = { symbols: quotient(source, inSymbols(settings)), steps: steps(cell, score), words, notes: trouble(cell, score) };
  if (cell.masked) return maskedCell(cell, divided, mask);
  if (mask && mask.value !== 0 && settings.factor) return timesMask(cell, divided, score.value / divisorOf(settings), mask);
  return mask && mask.value !== 0 ? plusMask(cell, divided, score.value / divisorOf(settings), mask) : divided;
}

// What is said of a cell that the mask hides: what its score would be, and why it isn't.
/** @param {MadeCell} cell @param {Explained} divided @param {Source} mask @returns {Explained} */
function maskedCell(cell, divided, mask) {
  const said = say("explanation.step.masked");
  const { key, n } = reasonOf(cell.made.matrices[mask.matrix], mask.row, mask.column, cell.stage.own_from);
  const why = say(`explanation.hidden.${key}`, { key: cell.ofColumn, query: cell.ofRow, n });
  return {
    symbols: `−∞ ${said}`,
    steps: [...divided.steps, `→ −∞ ${said}`],
    words: say("explanation.scale.masked", { why, words: divided.words }),
    notes: divided.notes,
  };
}

// What is said of a cell to which the mask adds a number.
/** @param {MadeCell} cell @param {Explained} made @param {number} divided @param {Source} mask @returns {Explained} */
function plusMask(cell, made, divided, mask) {
  const [text, value] = [cell.write(mask.value), cell.write(cell.value)];
  const symbols = namedCell(cell, mask);
  return {
    symbols: `${made.symbols} + ${symbols}`,
    steps: [...made.steps.map((step) => inSum([step, text])), `${sign(sumOf([decimal(cell.write(divided)), decimal(text)]), value)} ${value}`],
    words: say(`explanation.scale.${mask.matrix.endsWith("distance_bias") ? "biased" : "added"}`, { words: made.words, mask: symbols }),
    notes: [...made.notes, ...swallowed(cell, divided, mask.value)],
  };
}

// That nothing is left of a score beside a number so large that float32 has no digits for both.
/** @param {MadeCell} cell @param {number} score @param {number} mask */
function swallowed(cell, score, mask) {
  if (cell.value !== mask || score === 0 || !Number.isFinite(mask)) return [];
  return [say("explanation.scale.swallowed", { mask: cell.write(mask), score: cell.write(score), dtype: FLOAT32.name })];
}

// What is said of a cell that is multiplied by the exponential of the mask: by 0, where that is −∞.
/** @param {MadeCell} cell @param {Explained} made @param {number} divided @param {Source} mask @returns {Explained} */
function timesMask(cell, made, divided, mask) {
  const [score, factor, value] = [cell.write(divided), cell.write(Math.exp(mask.value)), cell.write(cell.value)];
  const symbols = namedCell(cell, mask);
  return {
    symbols: `${made.symbols} × exp(${symbols})`,
    steps: [`${score} × ${factor}`, `${sign(productOf([decimal(score), decimal(factor)]), value)} ${value}`],
    words: say("explanation.scale.times", { words: made.words, mask: symbols, factor }),
    notes: made.notes,
  };
}

/** @param {MadeCell} cell @param {Source} score */
function steps(cell, score) {
  const { settings } = cell.stage;
  const divisor = divisorOf(settings);
  const isLast = !cell.sources[1] || cell.sources[1][0].value === 0; // nothing is added to it
  const [numerator, value] = [cell.write(score.value), cell.write(isLast ? cell.value : score.value / divisor)];
  const cooled = cell.write(settings.temperature);
  const denominator = inSymbols(settings).length ? cell.write(divisor) : "1";
  const said = [quotient(numerator, divisors(settings, `√${settings.d_k}`, cooled), " × ")];
  if (settings.d_k !== null) {
    const displayed = productOf(divisors(settings, rootOf(settings.d_k), decimal(cooled)));
    said.push(`${sign(displayed, denominator)} ${numerator} / ${denominator}`);
  }
  return [...said, `${sign(ratioOf(decimal(numerator), decimal(denominator)), value)} ${value}`];
}

// What scores are divided by, in symbols.
/** @param {Settings} settings */
export function inSymbols(settings) {
  return divisors(settings, "√d_k", settings.temperature_text);
}

// The same in words; empty where by nothing.
/** @param {Settings} settings @param {Cell} cell */
export function inWords(settings, cell) {
  const n = settings.d_k;
  const root = n === null ? "" : say("explanation.scale.root", { n, root: cell.write(Math.sqrt(n)) });
  const temperature = say(`explanation.scale.${settings.own ? "own" : "temperature"}`, { temperature: settings.temperature_text });
  const words = divisors(settings, root, temperature);
  return words.length === 2 ? say("explanation.scale.both", { root, temperature }) : words.join("");
}

/** @param {Settings} settings */
function divisorOf({ d_k: dK, temperature }) {
  return (dK === null ? 1 : Math.sqrt(dK)) * temperature;
}

/** @template Divisor @param {Settings} settings @param {Divisor} root @param {Divisor} cooled */
function divisors({ d_k: dK, temperature }, root, cooled) {
  return [...(dK === null ? [] : [root]), ...(temperature === 1 ? [] : [cooled])];
}

/** @param {MadeCell} cell @param {Source} score */
function trouble(cell, score) {
  if (!Number.isFinite(score.value)) return [already(cell, score)];
  if (Number.isFinite(cell.value) || cell.masked) return [];
  return [say("explanation.trouble.quotient_beyond", { largest: largestFloat(cell) })];
}
