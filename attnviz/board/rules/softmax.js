// The exponentials of each row, over their sum: core/rules/softmax.py.

import { tolerance } from "../values/bounds.js";
import { already, namedCell, writtenFactors } from "../cells/cell.js";
import { decimal, decimalOf, ratioOf, sign, signOfAll, sumOf } from "../values/decimals.js";
import { lineOf, rowCells } from "../values/matrices.js";
import { numberOf, total } from "../values/numbers.js";
import { quotient, shortened } from "../values/terms.js";
import { inSymbols, inWords } from "./scale.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { Made, MadeCell, Matrix, Settings, Source, Stage, Term } from "../types.js" */

const { FAR, READABLE } = CONSTANTS;

/** @param {Settings} _ @param {Matrix} scores */
export function compute(_, { rows, columns, values: scores }) {
  const values = new Float64Array(rows * columns);
  for (let start = 0; start < values.length; start += columns) {
    const end = start + columns;
    let largest = -Infinity;
    for (let at = start; at < end; at += 1) largest = Math.max(largest, scores[at]);
    let sum = 0;
    for (let at = start; at < end; at += 1) sum += values[at] = Math.exp(scores[at] - largest);
    for (let at = start; at < end; at += 1) values[at] = Math.fround(values[at] / sum);
  }
  return { rows, columns, values };
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} scores */
export function reads(_, row, column, scores) {
  return [rowCells(scores, row)];
}

/** @param {Settings} _ @param {number} row @param {number} column @param {Matrix} scores */
export function bounded(_, row, column, scores) {
  const line = lineOf(scores, row);
  const { shift, powers, divisor } = shares(line);
  const exact = divisor === 0 ? NaN : powers[column] / divisor;
  // The error of an exponent is relative to the exponent: far below the largest it counts more, and weighs less.
  const distances = line.map((score) => Math.min(Math.abs(score - shift), FAR));
  const spread = total(powers.map((power, i) => power * distances[i])) / (divisor || 1);
  return { exact, tolerance: tolerance(exact, distances[column] + spread + line.length + 8) };
}

/** @param {number[] | Float64Array} scores */
function shares(scores) {
  const largest = Math.max(...scores);
  const shift = Math.abs(largest) <= READABLE ? 0 : largest;
  const powers = scores.map((score) => Math.exp(score - shift));
  return { shift, powers, divisor: total(powers) };
}

/** @param {MadeCell} cell */
export function explain(cell) {
  const [row] = cell.sources;
  const beside = scoresBeside(cell, row);
  if (!beside) return { symbols: "", steps: [cell.write(cell.value)], words: say("explanation.softmax.unshown"), notes: [] };
  const { shift, powers, divisor } = shares(row.map(({ value }) => value));
  const exps = row.map((score, i) => ({ value: powers[i], factors: [score], count: 1 }));
  return {
    symbols: beside.softmax(shift === 0 ? "" : " − m"), // also where the largest is no number
    steps: steps(cell, exps, shift, divisor),
    words: say("explanation.softmax.share", { n: row.length, score: beside.name(cell.column) }),
    notes: notes(cell, row, shift, beside),
  };
}

/** @param {MadeCell} cell @param {Term[]} all @param {number} shift @param {number} divisor */
function steps(cell, all, shift, divisor) {
  const own = all[cell.column];
  const terms = shortened(all, cell.column);
  const expOf = (/** @type {Term} */ term) => (term.factors.length ? `exp(${cell.write(term.factors[0].value - shift)})` : writtenFactors(cell, term)[0]);
  const [exps, values] = [terms.map(expOf), terms.map((term) => cell.write(term.value))];
  const displayed = terms.map((term, i) =>
    term.factors.length ? decimalOf(Math.exp(numberOf(exps[i].slice(4, -1)))) : decimal(values[i]),
  );
  const [numerator, denominator, value] = [own.value, divisor, cell.value].map(cell.write);
  const said = [quotient(expOf(own), exps, " + ")];
  let between = signOfAll(displayed, values);
  if (terms.length > 1) {
    said.push(`${between} ${quotient(numerator, values, " + ")}`);
    between = sign(sumOf(values.map(decimal)), denominator);
  }
  said.push(`${between} ${numerator} / ${denominator}`);
  return [...said, `${sign(ratioOf(decimal(numerator), decimal(denominator)), value)} ${value}`];
}

// The scores as they stand on the board: those that it reads, or those that these are divided from; null where none do.
/**
 * @typedef {object} Beside the scores of a row as they stand on the board: what they are called, and divided by
 * @property {(column: number | string) => string} of
 * @property {(column: number | string) => string} name
 * @property {(lowered: string) => string} softmax
 * @property {string} divisor
 */

/** @param {MadeCell} cell @param {Source[]} row @returns {Beside | null} */
function scoresBeside(cell, row) {
  const { stages } = cell.made;
  const [matrix] = seen(cell.stage, cell.made);
  if (!matrix) return null;
  const of = (/** @type {number | string} */ column) => namedCell(cell, { matrix, row: cell.row, column });
  const { settings } = stages.get(row[0].matrix);
  const [symbols, divisor] = matrix === row[0].matrix ? [[], ""] : [inSymbols(settings), inWords(settings, cell)];
  const name = (/** @type {number | string} */ column) => quotient(of(column), symbols);
  const softmax = (/** @type {string} */ lowered) =>
    divisor // no quotient within a quotient
      ? `softmax(${name(":")}${lowered})[${cell.column}]`
      : `exp(${of(cell.column)}${lowered}) / Σ_j exp(${of("j")}${lowered})`;
  return { of, name, softmax, divisor };
}

// Of scaled scores that are not on the board, the scores that these are made from.
/** @param {Stage} stage @param {Made} made */
export function seen(stage, { stages, shown }) {
  const read = stages.get(stage.sources[0]);
  if (shown.includes(read.name)) return [read.name];
  return read.rule === "scale" && shown.includes(read.sources[0]) ? [read.sources[0]] : [];
}

/** @param {MadeCell} cell @param {Source[]} row @param {number} shift @param {Beside} beside */
function notes(cell, row, shift, beside) {
  const score = row[cell.column];
  const { divisor } = beside;
  return [
    ...(divisor ? [say("explanation.softmax.divided", { score: beside.of(cell.column), divisor })] : []),
    ...(shift === 0 ? [] : notesOfShift(cell, score, shift, beside)),
    ...(cell.masked ? [say("explanation.softmax.masked")] : []),
    ...(Number.isFinite(cell.value) ? [] : trouble(cell, row, beside)),
  ];
}

/** @param {MadeCell} cell @param {Source} score @param {number} shift @param {Beside} beside */
function notesOfShift(cell, score, shift, beside) {
  const [value, largest, less] = [score.value, shift, score.value - shift].map(cell.write);
  if (!Number.isFinite(shift)) return [say("explanation.softmax.lowered_to_nothing", { largest })];
  const said = [say("explanation.softmax.lowered", { largest })];
  if (Number.isFinite(score.value)) {
    const left = sumOf([decimal(value), decimal(cell.write(-shift))]);
    const key = sign(left, less) === "=" ? "explanation.softmax.less" : "explanation.softmax.less_rounded";
    said.push(say(key, { score: beside.name(cell.column), value, less }));
  }
  return said;
}

/** @param {MadeCell} cell @param {Source[]} row @param {Beside} beside */
function trouble(cell, row, beside) {
  const undefinedRow = say("explanation.trouble.undefined_row");
  const broken = row.find(({ value }) => Number.isNaN(value) || value === Infinity);
  if (!broken) return [say("explanation.trouble.no_score"), say("explanation.trouble.quotient"), undefinedRow];
  const difference = Number.isNaN(broken.value) ? [] : [say("explanation.trouble.difference")];
  return [already(cell, broken, beside.name(broken.column)), ...difference, undefinedRow];
}
