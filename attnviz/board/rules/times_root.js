// A matrix times the root of its width: core/rules/times_root.py.

import { tolerance } from "../values/bounds.js";
import { already, grouped, largestFloat, namedCell, namedWithToken } from "../cells/cell.js";
import { decimal, productOf, rootOf, sign } from "../values/decimals.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Source } from "../types.js" */

/** @param {Settings} _ @param {Matrix} numbers */
export function compute(_, numbers) {
  const root = Math.fround(Math.sqrt(numbers.columns));
  return matrixOf(numbers.rows, numbers.columns, (row, column) => valueAt(numbers, row, column) * root);
}

/** @param {Settings} _ @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads(_, row, column) {
  return [[[row, column]]];
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} numbers */
export function bounded(_, row, column, numbers) {
  const exact = valueAt(numbers, row, column) * Math.sqrt(numbers.columns);
  return { exact, tolerance: tolerance(Math.abs(exact), 4) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = cell.sources[0][0];
  const d = cell.made.matrices[number.matrix].columns;
  const [root, value, plain] = [cell.write(Math.sqrt(d)), cell.write(cell.value), cell.write(number.value)];
  const times = grouped(plain);
  return {
    symbols: `√${d} × ${namedCell(cell, number)}`,
    steps: [`√${d} × ${times}`, `${sign(rootOf(d), root)} ${root} × ${times}`, `${sign(productOf([decimal(root), decimal(plain)]), value)} ${value}`],
    words: say("explanation.times_root.words", { number: namedWithToken(cell, number), n: d }),
    notes: trouble(cell, number),
  };
}

/** @param {MadeCell} cell @param {Source} number */
function trouble(cell, number) {
  if (!Number.isFinite(number.value)) return [already(cell, number)];
  return Number.isFinite(cell.value) ? [] : [say("explanation.trouble.on_the_way", { largest: largestFloat(cell) })];
}
