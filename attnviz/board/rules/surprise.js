// Minus the logarithm of the probability of what really comes next: core/rules/surprise.py.

import { tolerance } from "../values/bounds.js";
import { already, namedCell } from "../cells/cell.js";
import { decimalOf, sign } from "../values/decimals.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { numberOf } from "../values/numbers.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Source, Span } from "../types.js" */

/** @param {Settings} settings @param {Matrix} shares */
export function compute({ targets }, shares) {
  return matrixOf(targets.length, 1, (row) => surprise(valueAt(shares, row, targets[row])));
}

/** @param {number} probability */
function surprise(probability) {
  return 0 - Math.log(probability);
}

/** @param {Settings} settings @param {number} row @returns {[number, number][][]} */
export function reads({ targets }, row) {
  return [[[row, targets[row]]]];
}

/** @param {Settings} settings @returns {(row: number) => Span} */
export function reach({ targets }) {
  return (row) => ({ row, column: targets[row], rows: 1, columns: 1 });
}

/** @param {Settings} settings @param {number} row @param {number} _ @param {Matrix} shares */
export function bounded({ targets }, row, _, shares) {
  const exact = surprise(valueAt(shares, row, targets[row]));
  return { exact, tolerance: tolerance(Math.abs(exact), CONSTANTS.SURPRISE_ROUNDINGS) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = cell.sources[0][0];
  const [before, value] = [number.value, cell.value].map(cell.write);
  const name = namedCell(cell, number);
  const { entries } = cell.made.stages.get(number.matrix);
  const words =
    number.column < entries.length
      ? say("explanation.surprise.of_entry", { number: name, entry: entries[number.column] })
      : say("explanation.surprise.words", { number: name });
  return {
    symbols: `−ln(${name})`,
    steps: [`−ln(${before})`, `${sign(decimalOf(surprise(numberOf(before))), value)} ${value}`],
    words,
    notes: Number.isFinite(cell.value) ? [] : [trouble(cell, number)],
  };
}

/** @param {MadeCell} cell @param {Source} number */
function trouble(cell, number) {
  if (!Number.isFinite(number.value)) return already(cell, number);
  return say(number.value === 0 ? "explanation.surprise.certain" : "explanation.surprise.negative");
}
