// The product of two matrices, with a bias added to each row where there is one: core/rules/product.py.

import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";
import { tolerance } from "../values/arithmetic.js";
import { lineOf, valueAt } from "../values/matrices.js";
import { total } from "../values/numbers.js";

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
      for (let i = 0, from = row * inner, at = column * start; i < inner; i += 1, from += 1,
        at += step) sum += a[from] * b[at];
      values[row * columns + column] = Math.fround(sum);
    }
  }
  if (cosine) {
    const [ones, others] = [left, right].map((matrix) =>
      Array.from({ length: matrix.rows }, (_, each) => Math.sqrt(Math.fround(lengthOf(lineOf(matrix, each)) ** 2))));
    for (let at = 0; at < values.length; at += 1) values[at] =
      Math.fround(values[at] / Math.fround(ones[Math.floor(at / columns)] * others[at % columns]));
  }
  for (const [row, column, number] of typed) values[row * columns + column] = number;
  return { rows, columns, values };
}

function lengthOf(/** @type {ArrayLike<number>} */ line) {
  return Math.sqrt(total(Array.from(line, (value) => value * value)));
}

/** @param {Settings} settings @param {number} row @param {number} column */
function typedAt({ typed }, row, column) {
  return typed.find(([r, c]) => r === row && c === column)?.[2];
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} left @param {Matrix} right
 *  @param {Matrix} [bias] */
export function bounded(settings, row, column, left, right, bias) {
  const { transposed, cosine } = settings;
  const number = typedAt(settings, row, column);
  if (number !== undefined) return { exact: number, tolerance: 0 };
  const [start, step] = transposed ? [column * right.columns, 1] : [column, right.columns];
  const products = lineOf(left, row).map((value, i) => value * right.values[start + i * step]);
  const terms = bias ? [...products, bias.values[column]] : products;
  if (cosine) return cosineOf(total(products), lengthOf(lineOf(left, row)), lengthOf(lineOf(right, column)),
    products.length);
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

// The four parts of one score where positions are added: core/rules/product.py.

// What words and places have in a score of queries and keys that are made of a sum E + P, without biases; null of any
// other cell. Where a sentence was kept, the first keys are made of a sum of its own.
/** @param {MadeCell} cell @returns {string | null} */
function fourParts(cell) {
  const { sources } = cell.made.stages.get(cell.stage.name);
  if (sources.length !== 2) return null;
  const [first, second] = [cell.row, cell.column].map((row, i) => partsOf(cell, sources[i], row));
  if (!first || !second) return null;
  const numbers =
    first.flatMap((one) => second.map((other) => cell.write(total(one.map((value, i) => value * other[i])))));
  const [ww, wp, pw, pp] = numbers;
  return say("explanation.product.parts", { ww, wp, pw, pp });
}

// What the word and the place of a row have in a query or a key; null where it isn't made of their sum.
/** @param {MadeCell} cell @param {string} name @param {number} row @returns {number[][] | null} */
function partsOf(cell, name, row) {
  const stage = cell.made.stages.get(name);
  if (!stage || stage.rule !== "product" || stage.sources.length !== 2) return null;
  const [x, w] = stage.sources;
  const summands = summandsOf(cell, x, row);
  if (!summands || !cell.made.matrices[w]) return null;
  return summands.map((summand) => rowTimes(cell, summand, { w, transposed: Boolean(stage.settings.transposed) }));
}

/** @typedef {{ name: string, row: number }} Summand */

// The rows whose sum a row of this matrix is, of a word and of its place; null where it is no such sum.
/** @param {MadeCell} cell @param {string} name @param {number} row @returns {Summand[] | null} */
function summandsOf(cell, name, row) {
  const { stages, matrices } = cell.made;
  const stage = stages.get(name);
  if (!stage || !stage.sources.every((each) => matrices[each])) return null;
  if (stage.rule === "add") {
    return stage.sources.some((each) => ["p", "p_y"]
      .includes(each)) ? stage.sources.map((each) => ({ name: each, row })) : null;
  }
  if (stage.rule !== "concatenate") return null;
  let at = row;
  for (const source of stage.sources) {
    if (at < matrices[source].rows) return summandsOf(cell, source, at);
    at -= matrices[source].rows;
  }
  return null;
}

/** @param {MadeCell} cell @param {Summand} summand @param {{ w: string, transposed: boolean }} by
 *  @returns {number[]} */
function rowTimes({ made: { matrices } }, { name, row }, { w: by, transposed }) {
  const [vectors, w] = [matrices[name], matrices[by]];
  const at = (/** @type {number} */ i, /** @type {number} */ column) =>
    (transposed ? valueAt(w, column, i) : valueAt(w, i, column));
  return Array.from({ length: transposed ? w.rows : w.columns },
    (_, column) => total(Array.from({ length: vectors.columns }, (__, i) => valueAt(vectors, row, i) * at(i, column))));
}
