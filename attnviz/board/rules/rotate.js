// Rotary positions, each pair of columns turned by an angle that grows with the place: core/rules/rotate.py.

import { tolerance } from "../values/bounds.js";
import { already, grouped, largestFloat, namedCell } from "../cells/cell.js";
import { decimal, productOf, sign, signOfAll, sumOf } from "../values/decimals.js";
import { matrixOf, valueAt } from "../values/matrices.js";
import { total } from "../values/numbers.js";
import { inSum } from "../values/terms.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Source, Span } from "../types.js" */

/** @param {Settings} settings @param {number} d */
function pairsOf({ thetas }, d) {
  return thetas ? thetas.length : d / 2;
}

// The columns of the pair that one is of; null where it isn't turned.
/** @param {Settings} settings @param {number} column @param {number} d @returns {[number, number] | null} */
function pairOf(settings, column, d) {
  const pairs = pairsOf(settings, d);
  if (column >= 2 * pairs) return null;
  const first = settings.halves ? column % pairs : column - (column % 2);
  return [first, first + (settings.halves ? pairs : 1)];
}

/** @param {Settings} settings @param {number} place @param {number} column @param {number} d */
function angleOf(settings, place, column, d) {
  const pair = settings.halves ? column % pairsOf(settings, d) : Math.floor(column / 2);
  return settings.thetas ? Math.fround(place * Math.fround(settings.thetas[pair])) : place * settings.base ** ((-2 * pair) / d);
}

// What the two numbers of a pair are multiplied by.
/** @param {number} angle @param {boolean} isSecond */
function turnsOf(angle, isSecond) {
  return isSecond ? [Math.sin(angle), Math.cos(angle)] : [Math.cos(angle), -Math.sin(angle)];
}

/** @param {Settings} settings @param {Matrix} source */
export function compute(settings, source) {
  const { rows, columns } = source;
  return matrixOf(rows, columns, (row, column) => {
    const pair = pairOf(settings, column, columns);
    if (!pair) return valueAt(source, row, column);
    const [one, other] = turnsOf(angleOf(settings, settings.place + row, column, columns), column === pair[1]).map(Math.fround);
    return Math.fround(valueAt(source, row, pair[0]) * one) + Math.fround(valueAt(source, row, pair[1]) * other);
  });
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} source @returns {[number, number][][]} */
export function reads(settings, row, column, source) {
  const pair = settings.place + row === 0 ? null : pairOf(settings, column, source.columns);
  return [pair ? [[row, pair[0]], [row, pair[1]]] : [[row, column]]];
}

/** @param {Settings} settings @param {number} i @param {Matrix} source @returns {(row: number, column: number) => Span} */
export function reach(settings, i, source) {
  return (row, column) => {
    const pair = settings.place + row === 0 ? null : pairOf(settings, column, source.columns);
    const [first, second] = pair ?? [column, column];
    return { row, column: first, rows: 1, columns: second - first + 1, step: second - first || 1 };
  };
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} source */
export function bounded(settings, row, column, source) {
  const pair = settings.place + row === 0 ? null : pairOf(settings, column, source.columns);
  if (!pair) return { exact: valueAt(source, row, column), tolerance: 0 };
  const turns = turnsOf(angleOf(settings, settings.place + row, column, source.columns), column === pair[1]);
  const terms = turns.map((turn, i) => valueAt(source, row, pair[i]) * turn);
  return { exact: total(terms), tolerance: tolerance(total(terms.map(Math.abs)), 5) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const [pair] = cell.sources;
  const { settings } = cell.stage;
  const { columns } = cell.made.matrices[pair[0].matrix];
  if (pair.length === 1) {
    const n = 2 * pairsOf(settings, columns);
    return {
      symbols: namedCell(cell, pair[0]),
      steps: [cell.write(cell.value)],
      words: say(cell.column < n ? "explanation.rotate.unturned" : "explanation.rotate.beyond", { last: n - 1 }),
      notes: Number.isFinite(cell.value) ? [] : [already(cell, pair[0])],
    };
  }
  const place = settings.place + cell.row;
  const angle = angleOf(settings, place, cell.column, columns);
  const isSecond = cell.column === pair[1].column;
  const turns = turnsOf(angle, isSecond);
  const [first, second] = pair.map((number) => namedCell(cell, number));
  const theta = cell.write(angleOf(settings, 1, cell.column, columns));
  return {
    symbols: isSecond ? `${first} sin φ + ${second} cos φ` : `${first} cos φ − ${second} sin φ`,
    steps: steps(cell, pair, turns),
    words: say("explanation.rotate.words", { first, second, angle: cell.write(angle), place, theta }),
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
