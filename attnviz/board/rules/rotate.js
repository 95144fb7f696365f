// Rotary positions, each pair of columns turned by an angle that grows with the place: core/rules/rotate.py.

import { tolerance } from "../values/bounds.js";
import { already, grouped, largestFloat, namedCell } from "../cells/cell.js";
import { decimal, productOf, sign, signOfAll, sumOf } from "../values/decimals.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { total } from "../values/numbers.js";
import { inSum } from "../values/terms.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Source, Span } from "../types.js" */

/** @param {number} base @param {number} row @param {number} column @param {number} d */
function angleOf(base, row, column, d) {
  return row * base ** ((-2 * Math.floor(column / 2)) / d);
}

// What the two numbers of a pair are multiplied by.
/** @param {number} angle @param {number} column */
function turnsOf(angle, column) {
  return column % 2 ? [Math.sin(angle), Math.cos(angle)] : [Math.cos(angle), -Math.sin(angle)];
}

/** @param {Settings} settings @param {Matrix} source */
export function compute({ base }, source) {
  const { rows, columns } = source;
  return matrixOf(rows, columns, (row, column) => {
    const [one, other] = turnsOf(angleOf(base, row, column, columns), column).map(Math.fround);
    const first = column - (column % 2);
    return Math.fround(valueAt(source, row, first) * one) + Math.fround(valueAt(source, row, first + 1) * other);
  });
}

/** @param {Settings} _ @param {number} row @param {number} column @returns {[number, number][][]} */
export function reads(_, row, column) {
  const first = column - (column % 2);
  return [row === 0 ? [[row, column]] : [[row, first], [row, first + 1]]];
}

/** @returns {(row: number, column: number) => Span} */
export function reach() {
  return (row, column) =>
    row === 0 ? { row, column, rows: 1, columns: 1 } : { row, column: column - (column % 2), rows: 1, columns: 2 };
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} source */
export function bounded({ base }, row, column, source) {
  if (row === 0) return { exact: valueAt(source, row, column), tolerance: 0 };
  const first = column - (column % 2);
  const terms = turnsOf(angleOf(base, row, column, source.columns), column).map((turn, i) => valueAt(source, row, first + i) * turn);
  return { exact: total(terms), tolerance: tolerance(total(terms.map(Math.abs)), 5) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const [pair] = cell.sources;
  if (pair.length === 1) {
    return {
      symbols: namedCell(cell, pair[0]),
      steps: [cell.write(cell.value)],
      words: say("explanation.rotate.unturned"),
      notes: Number.isFinite(cell.value) ? [] : [already(cell, pair[0])],
    };
  }
  const { base } = cell.stage.settings;
  const { columns } = cell.made.matrices[pair[0].matrix];
  const angle = angleOf(base, cell.row, cell.column, columns);
  const turns = turnsOf(angle, cell.column);
  const [first, second] = pair.map((number) => namedCell(cell, number));
  const theta = cell.write(angleOf(base, 1, cell.column, columns));
  return {
    symbols: cell.column % 2 ? `${first} sin φ + ${second} cos φ` : `${first} cos φ − ${second} sin φ`,
    steps: steps(cell, pair, turns),
    words: say("explanation.rotate.words", { first, second, angle: cell.write(angle), place: cell.row, theta }),
    notes: Number.isFinite(cell.value) ? [] : trouble(cell, pair, turns),
  };
}

/** @param {MadeCell} cell @param {Source[]} pair @param {number[]} turns */
function steps(cell, pair, turns) {
  const factors = pair.map(({ value }, i) => [cell.write(value), cell.write(turns[i])]);
  const values = pair.map(({ value }, i) => cell.write(value * turns[i]));
  const value = cell.write(cell.value);
  const products = factors.map((texts) => productOf(texts.map(decimal)));
  return [
    inSum(factors.map((texts) => texts.map(grouped).join(" × "))),
    `${signOfAll(products, values)} ${inSum(values)}`,
    `${sign(sumOf(values.map(decimal)), value)} ${value}`,
  ];
}

/** @param {MadeCell} cell @param {Source[]} pair @param {number[]} turns */
function trouble(cell, pair, turns) {
  const broken = pair.filter(({ value }) => !Number.isFinite(value));
  if (!broken.length) return [say("explanation.trouble.on_the_way", { largest: largestFloat(cell) })];
  const told = [already(cell, broken[0])];
  if (Number.isNaN(cell.value) && !broken.some(({ value }) => Number.isNaN(value))) {
    told.push(say(`explanation.trouble.${Number.isNaN(pair[0].value * turns[0]) ? "product" : "difference"}`));
  }
  return told;
}
