// A number for each distance between a key and its query: core/rules/relative.py.

import { tolerance } from "../values/bounds.js";
import { already, largestFloat, namedCell } from "../cells/cell.js";
import { decimal, sign, sumOf } from "../values/decimals.js";
import { reasonOf } from "../values/hiding.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { inSum } from "../values/terms.js";
import { plural, say } from "../../scripts/sentences.js";

/** @import { Explained, MadeCell, Matrix, Settings, Source } from "../types.js" */

// Which of its sources hides cells.
export function masked_by() {
  return 1;
}

/** @param {Settings} settings @param {Matrix} numbers @param {Matrix} [mask] */
export function compute({ head, place }, numbers, mask) {
  const n = (numbers.columns + 1) / 2;
  return matrixOf(n - place, n, (row, column) => {
    const added = mask ? valueAt(mask, row, column) : 0;
    return added === -Infinity ? added : valueAt(numbers, head, placeOf(numbers, place + row, column)) + added;
  });
}

// The column of the number of the distance of two places.
/** @param {Matrix} numbers @param {number} query @param {number} key */
function placeOf(numbers, query, key) {
  return key - query + (numbers.columns - 1) / 2;
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} numbers @param {Matrix} [mask] @returns {[number, number][][]} */
export function reads({ head, place }, row, column, numbers, mask) {
  return [[[head, placeOf(numbers, place + row, column)]], ...(mask ? [/** @type {[number, number][]} */ ([[row, column]])] : [])];
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} numbers @param {Matrix} [mask] */
export function bounded({ head, place }, row, column, numbers, mask) {
  const number = valueAt(numbers, head, placeOf(numbers, place + row, column));
  const added = mask ? valueAt(mask, row, column) : 0;
  if (added === -Infinity) return { exact: added, tolerance: 0 };
  return { exact: number + added, tolerance: added === 0 ? 0 : tolerance(Math.abs(number) + Math.abs(added), 2) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const [[number], [mask] = []] = cell.sources;
  const symbols = namedCell(cell, number);
  const apart = cell.column - cell.row - cell.stage.settings.place;
  const where = apart === 0 ? "itself" : apart < 0 ? "before" : "after";
  const words = say(`explanation.relative.${where}`, { cell: symbols, tokens: plural(Math.abs(apart), "token") });
  const isLast = !mask || mask.value === 0;
  const steps = [cell.write(isLast ? cell.value : number.value)];
  const made = { symbols, steps, words, notes: Number.isFinite(number.value) ? [] : [already(cell, number)] };
  if (cell.masked) return hidden(cell, made, number, mask);
  return isLast ? made : plusMask(cell, made, number, mask);
}

/** @param {MadeCell} cell @param {Explained} made @param {Source} number @param {Source} mask @returns {Explained} */
function hidden(cell, made, number, mask) {
  const said = say("explanation.step.masked");
  const { key, n } = reasonOf(cell.made.matrices[mask.matrix], mask.row, mask.column, cell.stage.own_from);
  const why = say(`explanation.hidden.${key}`, { key: cell.ofColumn, query: cell.ofRow, n });
  return { ...made, symbols: `−∞ ${said}`, steps: [cell.write(number.value), `→ −∞ ${said}`], words: say("explanation.scale.masked", { why, words: made.words }) };
}

/** @param {MadeCell} cell @param {Explained} made @param {Source} number @param {Source} mask @returns {Explained} */
function plusMask(cell, made, number, mask) {
  const [numbers, value] = [[cell.write(number.value), cell.write(mask.value)], cell.write(cell.value)];
  const symbols = namedCell(cell, mask);
  return {
    ...made,
    notes: made.notes.length ? made.notes : trouble(cell, mask),
    symbols: `${made.symbols} + ${symbols}`,
    steps: [inSum(numbers), `${sign(sumOf(numbers.map(decimal)), value)} ${value}`],
    words: say("explanation.scale.added", { words: made.words, mask: symbols }),
  };
}

/** @param {MadeCell} cell @param {Source} mask */
function trouble(cell, mask) {
  if (Number.isFinite(cell.value)) return [];
  return [Number.isFinite(mask.value) ? say("explanation.trouble.on_the_way", { largest: largestFloat(cell) }) : already(cell, mask)];
}
