// Scores kept between a limit and its negative, smoothly: core/rules/cap.py.

import { tolerance } from "../values/bounds.js";
import { already, grouped, namedCell, namedWithToken } from "../cells/cell.js";
import { decimal, decimalOf, productOf, sign } from "../values/decimals.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { numberOf } from "../values/numbers.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings } from "../types.js" */

/** @param {Settings} settings @param {Matrix} numbers */
export function compute({ limit }, numbers) {
  return matrixOf(numbers.rows, numbers.columns, (row, column) => Math.tanh(valueAt(numbers, row, column) / limit) * limit);
}

/** @param {Settings} _ @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads(_, row, column) {
  return [[[row, column]]];
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} numbers */
export function bounded({ limit }, row, column, numbers) {
  const exact = Math.tanh(valueAt(numbers, row, column) / limit) * limit;
  return { exact, tolerance: tolerance(Math.abs(exact), CONSTANTS.CAP_ROUNDINGS) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = cell.sources[0][0];
  const { limit, limit_text: text } = cell.stage.settings;
  const [before, most, tangent, value] = [number.value, limit, Math.tanh(number.value / limit), cell.value].map(cell.write);
  const displayed = decimalOf(Math.tanh(numberOf(before) / numberOf(most)));
  return {
    symbols: `${text} · tanh(${namedCell(cell, number)} / ${text})`,
    steps: [
      `${most} × tanh(${before} / ${most})`,
      `${sign(displayed, tangent)} ${most} × ${grouped(tangent)}`,
      `${sign(productOf([decimal(most), decimal(tangent)]), value)} ${value}`,
    ],
    words: say("explanation.cap.words", { number: namedWithToken(cell, number), limit: text }),
    notes: Number.isFinite(cell.value) ? [] : [already(cell, number)],
  };
}
