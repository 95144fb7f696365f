// Each row over its sum, without a softmax: core/rules/share.py.

import { tolerance } from "../values/bounds.js";
import { already, largestFloat, namedCell, nothingLeft, writtenFactors } from "../cells/cell.js";
import { decimal, ratioOf, sign, sumOf } from "../values/decimals.js";
import { reasonOf } from "../values/hiding.js";
import { lineOf, rowCells } from "../values/matrices.js";
import { total } from "../values/numbers.js";
import { inSum, shortened } from "../values/terms.js";
import { say } from "../../scripts/sentences.js";

/** @import { MadeCell, Matrix, Settings, Source, Term } from "../types.js" */

// Which of its sources hides cells.
export function masked_by() {
  return 1;
}

/** @param {Settings} _ @param {Matrix} scores @param {Matrix} [mask] */
export function compute(_, { rows, columns, values: scores }, mask) {
  const values = new Float64Array(rows * columns);
  for (let start = 0; start < values.length; start += columns) {
    let sum = 0;
    for (let at = start; at < start + columns; at += 1) {
      values[at] = mask ? Math.fround(scores[at] * Math.fround(Math.exp(mask.values[at]))) : scores[at];
      sum += values[at];
    }
    for (let at = start; at < start + columns; at += 1) values[at] = Math.fround(values[at] / Math.fround(sum));
  }
  return { rows, columns, values };
}

/** @param {Settings} _ @param {number} row @param {number} _column @param {Matrix[]} sources @returns {[number, number][][]} */
export function reads(_, row, _column, ...sources) {
  return sources.map((source) => rowCells(source, row));
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} scores @param {Matrix} [mask] */
export function bounded(_, row, column, scores, mask) {
  const line = Array.from(lineOf(scores, row));
  return boundedOf(mask ? withMask(line, Array.from(lineOf(mask, row))) : line, column);
}

/** @param {number[]} line @param {number[]} masks */
function withMask(line, masks) {
  return line.map((score, at) => score * Math.exp(masks[at]));
}

/** @param {number[]} kept @param {number} column */
function boundedOf(kept, column) {
  const [divisor, size] = [total(kept), total(kept.map(Math.abs))];
  const exact = divisor === 0 ? NaN : kept[column] / divisor;
  if (divisor === 0 || !(tolerance(size, 1) < Infinity)) return { exact, tolerance: Infinity };
  return { exact, tolerance: tolerance(Math.abs(exact) * (size / Math.abs(divisor)), kept.length + 8) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const [row, masks] = cell.sources;
  const line = row.map(({ value }) => value);
  const kept = masks ? withMask(line, masks.map(({ value }) => value)) : line;
  const terms = kept.map((value, at) => ({ value, factors: masks ? [row[at], masks[at]] : [row[at]], count: 1 }));
  const divisor = total(kept);
  const scoreOf = (/** @type {number | string} */ column) => {
    const score = namedCell(cell, { ...row[0], column });
    return masks ? `${score} × exp(${namedCell(cell, { ...masks[0], column })})` : score;
  };
  return {
    symbols: `${scoreOf(cell.column)} / Σ_j ${masks ? `(${scoreOf("j")})` : scoreOf("j")}`,
    steps: steps(cell, terms, divisor),
    words: say("explanation.share.words", { score: scoreOf(cell.column), n: row.length }),
    notes: notes(cell, row, masks, divisor),
  };
}

/** @param {MadeCell} cell @param {Term[]} all @param {number} divisor */
function steps(cell, all, divisor) {
  const terms = shortened(all, cell.column);
  const values = terms.map((term) => cell.write(term.value));
  const texts = terms.map((term, at) => (term.factors.length ? values[at] : writtenFactors(cell, term)[0]));
  const [own, denominator, value] = [all[cell.column].value, divisor, cell.value].map(cell.write);
  return [
    `${own} / (${inSum(texts)})`,
    `${sign(sumOf(values.map(decimal)), denominator)} ${own} / ${denominator}`,
    `${sign(ratioOf(decimal(own), decimal(denominator)), value)} ${value}`,
  ];
}

/** @param {MadeCell} cell @param {Source[]} row @param {Source[]} masks @param {number} divisor */
function notes(cell, row, masks, divisor) {
  const said = [];
  if (cell.masked) {
    const { key, n } = reasonOf(cell.made.matrices[masks[0].matrix], cell.row, cell.column, cell.stage.own_from);
    const why = say(`explanation.hidden.${key}`, { key: cell.ofColumn, query: cell.ofRow, n });
    said.push(say("explanation.share.closed", { why }));
  }
  if (Number.isFinite(cell.value)) return said;
  const broken = row.find(({ value }) => !Number.isFinite(value));
  if (broken) return [...said, already(cell, broken)];
  return [...said, divisor === 0 ? nothingLeft(cell) : say("explanation.trouble.quotient_beyond", { largest: largestFloat(cell) })];
}
