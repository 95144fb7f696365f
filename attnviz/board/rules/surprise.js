// Minus the logarithm of the softmax at what really comes next: core/rules/surprise.py.

import { tolerance } from "../values/bounds.js";
import { already, largestFloat, namedCell, writtenFactors } from "../cells/cell.js";
import { decimal, decimalOf, sign, sumOf } from "../values/decimals.js";
import { lineOf, matrixOf, rowCells } from "../values/matrices.js";
import { numberOf, total } from "../values/numbers.js";
import { inSum, shortened } from "../values/terms.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Source, Term } from "../types.js" */

/** @param {Settings} settings @param {Matrix} logits */
export function compute({ targets }, logits) {
  return matrixOf(targets.length, 1, (row) => surprise(lineOf(logits, row), targets[row]).exact);
}

// Of a row of logits: what is subtracted from each, their exps then, the logarithm of their sum, and what comes out.
/** @param {ArrayLike<number>} line @param {number} target */
function surprise(line, target) {
  const values = Array.from(line);
  const largest = Math.max(...values);
  const shift = Math.abs(largest) <= CONSTANTS.READABLE ? 0 : largest;
  const powers = values.map((value) => Math.exp(value - shift));
  const sum = total(powers);
  const summed = sum > 0 ? Math.log(sum) : NaN;
  return { shift, powers, summed, exact: summed - (values[target] - shift) };
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} logits */
export function reads(_, row, column, logits) {
  return [rowCells(logits, row)];
}

/** @param {Settings} settings @param {number} row @param {number} _ @param {Matrix} logits */
export function bounded({ targets }, row, _, logits) {
  const line = Array.from(lineOf(logits, row));
  const isUndefined = line.some((value) => Number.isNaN(value) || value === Infinity);
  const finite = line.filter((value) => value > -Infinity).map(Math.abs);
  const size = isUndefined ? Infinity : 4 * Math.max(0, ...finite) + line.length + 8;
  return { exact: surprise(line, targets[row]).exact, tolerance: tolerance(size, 2) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const [row] = cell.sources;
  const target = cell.stage.settings.targets[cell.row];
  const own = row[target];
  const { shift, powers, summed } = surprise(row.map(({ value }) => value), target);
  const { entries } = cell.made.stages.get(own.matrix);
  const number = namedCell(cell, own);
  const exps = row.map((logit, i) => ({ value: powers[i], factors: [logit], count: 1 }));
  return {
    symbols: `ln Σ_j exp(${namedCell(cell, { ...own, column: "j" })}) − ${number}`,
    steps: steps(cell, shortened(exps, target), summed, own.value - shift, shift),
    words:
      target < entries.length
        ? say("explanation.surprise.of_entry", { number, entry: entries[target] })
        : say("explanation.surprise.words", { number }),
    notes: [
      ...(shift === 0 ? [] : [say("explanation.surprise.lowered", { largest: cell.write(shift) })]),
      ...(Number.isFinite(cell.value) ? [] : trouble(cell, row)),
    ],
  };
}

/** @param {MadeCell} cell @param {Term[]} terms @param {number} summed @param {number} own @param {number} shift */
function steps(cell, terms, summed, own, shift) {
  const texts = terms.map((term) => (term.factors.length ? `exp(${cell.write(term.factors[0].value - shift)})` : writtenFactors(cell, term)[0]));
  const displayed = total(terms.map((term, i) => (term.factors.length ? Math.exp(numberOf(texts[i].slice(4, -1))) : numberOf(cell.write(term.value)))));
  const [between, value] = [summed, cell.value].map(cell.write);
  const less = negative(cell.write(own));
  return [
    inSum([`ln(${texts.join(" + ")})`, less]),
    `${sign(displayed > 0 ? decimalOf(Math.log(displayed)) : null, between)} ${inSum([between, less])}`,
    `${sign(sumOf([decimal(between), decimal(less)]), value)} ${value}`,
  ];
}

// A displayed number with the other sign.
/** @param {string} text */
function negative(text) {
  if (text === "NaN") return text;
  return text.startsWith("−") ? text.slice(1) : `−${text}`;
}

/** @param {MadeCell} cell @param {Source[]} row */
function trouble(cell, row) {
  const broken = row.find(({ value }) => Number.isNaN(value) || value === Infinity);
  if (broken) return [already(cell, broken), say("explanation.trouble.undefined_row")];
  const certain = row.find(({ value }) => value === -Infinity);
  return [certain ? already(cell, certain) : say("explanation.trouble.on_the_way", { largest: largestFloat(cell) })];
}
