// The product of two matrices, with a bias added to each row where there is one: core/rules/product.py.

import { FLOAT32, tolerance } from "../values/bounds.js";
import { already, largestFloat, lineNamed, namedBlock, tokenOf, writtenFactors } from "../cells/cell.js";
import { decimal, productOf, ratioOf, sign, signOfAll, sumOf } from "../values/decimals.js";
import { columnCells, lineOf, rowCells } from "../values/matrices.js";
import { numberOf, total } from "../values/numbers.js";
import { fourParts } from "../values/position_parts.js";
import { inSum, shortened } from "../values/terms.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { Explained, MadeCell, Matrix, Settings, Source, Span, Term } from "../types.js" */

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

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} left @param {Matrix} right @param {Matrix} [bias] @returns {[number, number][][]} */
export function reads(settings, row, column, left, right, bias) {
  const { transposed } = settings;
  if (typedAt(settings, row, column) !== undefined) return [[], [], ...(bias ? [[/** @type {[number, number]} */ ([0, column])]] : [])];
  return [
    rowCells(left, row),
    transposed ? rowCells(right, column) : columnCells(right, column),
    ...(bias ? [[/** @type {[number, number]} */ ([0, column])]] : []),
  ];
}

// What is typed reads nothing, so the first cells don't tell of all.
/** @param {Settings} settings @param {number} i @param {Matrix[]} sources @returns {(row: number, column: number) => Span} */
export function reach(settings, i, ...sources) {
  const [left, right] = sources;
  return (row, column) => {
    if (i === 2) return { row: 0, column, rows: 1, columns: 1 };
    if (typedAt(settings, row, column) !== undefined) return { row, column, rows: 0, columns: 0 };
    if (i === 0) return { row, column: 0, rows: 1, columns: left.columns };
    return settings.transposed ? { row: column, column: 0, rows: 1, columns: right.columns } : { row: 0, column, rows: right.rows, columns: 1 };
  };
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

/** @param {MadeCell} cell */
export function explain(cell) {
  const number = typedAt(cell.stage.settings, cell.row, cell.column);
  if (number !== undefined) return { symbols: say("explanation.product.typed_symbols"), steps: [cell.write(number)], words: say("explanation.product.typed"), notes: [] };
  const made = summed(cell);
  const { cosine, transposed } = cell.stage.settings;
  if (cosine) return ofDirections(cell, made);
  const parts = transposed && Number.isFinite(cell.value) ? fourParts(cell) : null;
  return parts ? { ...made, notes: [...made.notes, parts] } : made;
}

// What is said of a product that is divided by the lengths of both its rows.
/** @param {MadeCell} cell @param {Explained} made @returns {Explained} */
function ofDirections(cell, made) {
  const [first, second] = cell.sources;
  const [one, other] = [first, second].map((block) => lengthOf(block.map(({ value }) => value)));
  const dot = total(first.map((a, i) => a.value * second[i].value));
  const [product, left, right, value] = [dot, one, other, cell.value].map(cell.write);
  const below = productOf([decimal(left), decimal(right)]);
  const ratio = Number.isFinite(one * other) && numberOf(left) * numberOf(right) !== 0 ? ratioOf(decimal(product), below) : null;
  const [a, b] = [namedBlock(cell, first), namedBlock(cell, second)];
  return {
    symbols: `${a} · ${b} / (|${a}| × |${b}|)`,
    steps: [`${product} / (${left} × ${right})`, `${sign(ratio, value)} ${value}`],
    words: say("explanation.product.cosine", { words: made.words }),
    notes: [...made.notes, ...(one * other !== 0 ? [] : [say("explanation.product.no_direction")])],
  };
}

/** @param {MadeCell} cell */
function summed(cell) {
  const [first, second, ...biases] = cell.sources;
  const products = first.map((a, i) => ({ value: a.value * second[i].value, factors: [a, second[i]], count: 1 }));
  const added = biases.flat().map((each) => ({ value: each.value, factors: [each], count: 1 }));
  const symbolOf = (/** @type {Source[]} */ [{ matrix }]) => cell.made.stages.get(matrix).symbol;
  return {
    symbols: [`${namedBlock(cell, first)} · ${namedBlock(cell, second)}`, ...biases.map((block) => namedBlock(cell, block))].join(" + "),
    steps: steps(cell, [...shortened(products), ...added]),
    words: say(added.length ? "explanation.product.with_bias" : "explanation.product.sum", {
      n: products.length,
      first: rowNamed(cell, first),
      a: symbolOf(first),
      second: cell.stage.settings.transposed ? rowNamed(cell, second) : lineNamed("column", cell.column + cell.made.stages.get(second[0].matrix).first),
      b: symbolOf(second),
    }),
    notes: Number.isFinite(cell.value) ? [] : trouble(cell, [...products, ...added]),
  };
}

/** @param {MadeCell} cell @param {Term[]} terms */
function steps(cell, terms) {
  const factors = terms.map((term) => writtenFactors(cell, term));
  const values = terms.map((term) => cell.write(term.value));
  const value = cell.write(cell.value);
  const displayed = terms.map((term, i) =>
    term.factors.length ? productOf(factors[i].map((text) => decimal(text.replace(/[()]/g, "")))) : decimal(values[i]),
  );
  const start = inSum(factors.map((texts) => texts.join(" × ")));
  if (terms.length === 1) return [start, `${sign(displayed[0], value)} ${value}`];
  const sum = `${signOfAll(displayed, values)} ${inSum(values)}`;
  return [start, sum, `${sign(sumOf(values.map(decimal)), value)} ${value}`];
}

// A row of a source by its token; by its number, without one.
/** @param {MadeCell} cell @param {Source[]} block */
function rowNamed(cell, block) {
  const token = tokenOf(cell, block[0]);
  return token === null ? lineNamed("row", block[0].row) : say("explanation.line.of_token", { token });
}

/** @param {MadeCell} cell @param {Term[]} terms */
function trouble(cell, terms) {
  let noNumber = Number.isNaN(cell.value) ? [say("explanation.trouble.difference")] : [];
  const broken = terms.flatMap((term) => term.factors).filter((factor) => !Number.isFinite(factor.value));
  if (broken.length) {
    if (broken.some((factor) => Number.isNaN(factor.value))) noNumber = [];
    else if (terms.some((term) => Number.isNaN(term.value))) noNumber = [say("explanation.trouble.product")];
    return [already(cell, broken[0]), ...noNumber];
  }
  const over = terms.filter((term) => Math.abs(term.value) > FLOAT32.max);
  if (!over.length) return [say("explanation.trouble.on_the_way", { largest: largestFloat(cell) }), ...noNumber];
  const worst = over.reduce((most, term) => (Math.abs(term.value) > Math.abs(most.value) ? term : most));
  const beyond = say("explanation.trouble.beyond", {
    arithmetic: `${writtenFactors(cell, worst).join(" × ")} = ${cell.write(worst.value)}`,
    largest: largestFloat(cell),
    infinite: cell.write(worst.value < 0 ? -Infinity : Infinity),
  });
  const n = over.length - 1;
  const more = n ? [say("explanation.trouble.others_beyond", { n, terms: terms.length })] : [];
  return [beyond, ...more, ...noNumber];
}
