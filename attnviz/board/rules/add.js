// The sum of two matrices of one shape: core/rules/add.py.

import { tolerance } from "../values/bounds.js";
import { already, largestFloat, namedCell, tokenOf } from "../cells/cell.js";
import { decimal, sign, sumOf } from "../values/decimals.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { total } from "../values/numbers.js";
import { inSum } from "../values/terms.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Source } from "../types.js" */

/** @param {Settings} _ @param {Matrix} first @param {Matrix} second */
export function compute(_, first, second) {
  return matrixOf(first.rows, first.columns, (row, column) => valueAt(first, row, column) + valueAt(second, row, column));
}

/** @param {Settings} _ @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads(_, row, column) {
  return [[[row, column]], [[row, column]]];
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix[]} sources */
export function bounded(_, row, column, ...sources) {
  const numbers = sources.map((source) => valueAt(source, row, column));
  return { exact: total(numbers), tolerance: tolerance(total(numbers.map(Math.abs)), 2) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const numbers = cell.sources.flat();
  const [values, value] = [numbers.map((number) => cell.write(number.value)), cell.write(cell.value)];
  const [first, second] = numbers.map((number) => namedCell(cell, number));
  const token = tokenOf(cell, { matrix: cell.stage.name, row: cell.row });
  return {
    symbols: `${first} + ${second}`,
    steps: [inSum(values), `${sign(sumOf(values.map(decimal)), value)} ${value}`],
    words:
      token === null
        ? say("explanation.add.words", { first, second })
        : say("explanation.add.of_token", { token, first, second }),
    notes: Number.isFinite(cell.value) ? [] : trouble(cell, numbers),
  };
}

/** @param {MadeCell} cell @param {Source[]} numbers */
function trouble(cell, numbers) {
  const broken = numbers.filter(({ value }) => !Number.isFinite(value));
  if (broken.length) {
    const fromTwo = Number.isNaN(cell.value) && !broken.some(({ value }) => Number.isNaN(value));
    return [already(cell, broken[0]), ...(fromTwo ? [say("explanation.trouble.difference")] : [])];
  }
  const sum = total(numbers.map(({ value }) => value));
  const arithmetic = `${inSum(numbers.map(({ value }) => cell.write(value)))} = ${cell.write(sum)}`;
  const infinite = cell.write(sum < 0 ? -Infinity : Infinity);
  return [say("explanation.trouble.beyond", { arithmetic, largest: largestFloat(cell), infinite })];
}
