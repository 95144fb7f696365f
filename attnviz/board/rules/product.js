// The product of two matrices, with a bias added to each row where there is one: core/rules/product.py.

import { tolerance } from "../values/bounds.js";
import { lineOf } from "../values/matrices.js";
import { total } from "../values/numbers.js";
import { fourParts } from "../values/position_parts.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { Explained, MadeCell, Matrix, Settings } from "../types.js" */

const { SMALL_LENGTH, LARGE_LENGTH } = CONSTANTS;

/** @param {Settings} settings @param {Matrix} left @param {Matrix} right @param {Matrix} [bias] */
export function compute({ transposed, cosine, typed }, left, right, bias) {
  const [rows, inner, columns] = [left.rows, left.columns, transposed ? right.rows : right.columns];
  const [start, step] = transposed ? [right.columns, 1] : [1, right.columns];
  const values = new Float64Array(rows * columns);
  // Plain loops over plain arrays: it is done while a number is dragged, for a thousand tokens, too.
  const [a, b] = [left.values, right.values];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      let sum = bias ? bias.values[column] : 0;
      for (let i = 0, from = row * inner, at = column * start; i < inner; i += 1, from += 1, at += step) sum += a[from] * b[at];
      values[row * columns + column] = Math.fround(sum);
    }
  }
  if (cosine) {
    const [ones, others] = [left, right].map((matrix) => Array.from({ length: matrix.rows }, (_, each) => Math.sqrt(Math.fround(lengthOf(lineOf(matrix, each)) ** 2))));
    for (let at = 0; at < values.length; at += 1) values[at] = Math.fround(values[at] / Math.fround(ones[Math.floor(at / columns)] * others[at % columns]));
  }
  for (const [row, column, number] of typed) values[row * columns + column] = number;
  return { rows, columns, values };
}

/** @param {ArrayLike<number>} line */
function lengthOf(line) {
  return Math.sqrt(total(Array.from(line, (value) => value * value)));
}

/** @param {Settings} settings @param {number} row @param {number} column */
function typedAt({ typed }, row, column) {
  return typed.find(([r, c]) => r === row && c === column)?.[2];
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} left @param {Matrix} right @param {Matrix} [bias] */
export function bounded(settings, row, column, left, right, bias) {
  const { transposed, cosine } = settings;
  const number = typedAt(settings, row, column);
  if (number !== undefined) return { exact: number, tolerance: 0 };
  const [start, step] = transposed ? [column * right.columns, 1] : [column, right.columns];
  const products = lineOf(left, row).map((value, i) => value * right.values[start + i * step]);
  const terms = bias ? [...products, bias.values[column]] : products;
  if (cosine) return cosineOf(total(products), lengthOf(lineOf(left, row)), lengthOf(lineOf(right, column)), products.length);
  return { exact: total(terms), tolerance: tolerance(total(terms.map(Math.abs)), products.length + 2) };
}

/** @param {number} dot @param {number} one @param {number} other @param {number} n */
function cosineOf(dot, one, other, n) {
  const exact = one * other ? dot / (one * other) : NaN;
  const fine = Number.isFinite(exact) && [one, other].every((each) => SMALL_LENGTH < each && each < LARGE_LENGTH);
  return { exact, tolerance: fine ? tolerance(1, 4 * (n + 3)) : Infinity };
}

// What is said besides of directions that aren't there, and of positions: what each part adds.
/** @param {MadeCell} cell @param {Explained} said @returns {Explained} */
export function explain(cell, said) {
  const { cosine, transposed } = cell.stage.settings;
  if (cosine) {
    const isUndefined = cell.sources.some((block) => lengthOf(block.map(({ value }) => value)) === 0);
    return isUndefined ? { ...said, notes: [...said.notes, say("explanation.product.no_direction")] } : said;
  }
  const parts = transposed && cell.sources[0].length && Number.isFinite(cell.value) ? fourParts(cell) : null;
  return parts ? { ...said, notes: [...said.notes, parts] } : said;
}
