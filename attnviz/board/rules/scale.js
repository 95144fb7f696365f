// Scores divided, and masked where a key comes after its query: core/rules/scale.py.

import { tolerance } from "../values/bounds.js";
import { already, largestFloat, namedCell } from "../cells/cell.js";
import { decimal, productOf, ratioOf, rootOf, sign } from "../values/decimals.js";
import { valueAt } from "../values/matrices.js";
import { quotient } from "../values/terms.js";
import { say } from "../../scripts/sentences.js";

/** @import { Cell, MadeCell, Matrix, Settings, Source } from "../types.js" */

/** @param {Settings} settings @param {number} row @param {number} column */
export function hidden({ causal }, row, column) {
  return causal && column > row;
}

/** @param {Settings} settings @param {Matrix} scores */
export function compute(settings, { rows, columns, values: scores }) {
  const divisor = divisorOf(settings);
  const values = new Float64Array(rows * columns);
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, at += 1) {
      values[at] = hidden(settings, row, column) ? -Infinity : Math.fround(scores[at] / divisor);
    }
  }
  return { rows, columns, values };
}

/** @param {Settings} _ @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads(_, row, column) {
  return [[[row, column]]];
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} scores */
export function bounded(settings, row, column, scores) {
  if (hidden(settings, row, column)) return { exact: -Infinity, tolerance: 0 };
  const exact = valueAt(scores, row, column) / divisorOf(settings);
  return { exact, tolerance: tolerance(Math.abs(exact), 4) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const { settings } = cell.stage;
  const score = cell.sources[0][0];
  const source = namedCell(cell, score);
  const by = inWords(settings, cell);
  const words = by
    ? say("explanation.scale.divided", { score: source, divisor: by })
    : say("explanation.scale.undivided", { score: source });
  const divided = { symbols: quotient(source, inSymbols(settings)), steps: steps(cell, score), words, notes: trouble(cell, score) };
  if (!cell.masked) return divided;
  const masked = say("explanation.step.masked");
  return {
    symbols: `−∞ ${masked}`,
    steps: [...divided.steps, `→ −∞ ${masked}`],
    words: say("explanation.scale.masked", { key: cell.ofColumn, query: cell.ofRow, words }),
    notes: divided.notes,
  };
}

/** @param {MadeCell} cell @param {Source} score */
function steps(cell, score) {
  const { settings } = cell.stage;
  const divisor = divisorOf(settings);
  const [numerator, value] = [cell.write(score.value), cell.write(cell.masked ? score.value / divisor : cell.value)];
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
  const temperature = say("explanation.scale.temperature", { temperature: settings.temperature_text });
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
