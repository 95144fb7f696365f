// The exponentials of each row, over their sum: core/rules/softmax.py.

import { tolerance } from "../values/arithmetic.js";
import { already, largestFloat, namedCell, nothingLeft } from "../cells/cell.js";
import { worked } from "../values/declared.js";
import { decimal, sign, sumOf } from "../values/decimals.js";
import { whyHidden } from "../values/trouble.js";
import { lineOf, valueAt } from "../values/matrices.js";
import { total } from "../values/numbers.js";
import { inWords, placeOf } from "../values/said.js";
import { quotient } from "../values/steps.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

const { FAR, READABLE, SMALL } = CONSTANTS;

/** @param {Settings} settings @param {Matrix} scores @param {Matrix} [mask] */
export function compute({ shared, axis, sink }, { rows, columns, values: scores }, mask) {
  const values = new Float64Array(rows * columns);
  const { n, count, from, step } = linesOf(axis, rows, columns);
  for (let line = 0; line < n; line += 1) {
    const start = line * from;
    const end = start + count * step;
    let largest = sink ?? -Infinity;
    for (let at = start; at < end; at += step) largest = Math.max(largest, scores[at]);
    let sum = sink === null ? 0 : Math.exp(sink - largest);
    for (let at = start; at < end; at += step) sum += values[at] = Math.exp(scores[at] - largest);
    for (let at = start; at < end; at += step) values[at] = Math.fround(values[at] / sum);
  }
  if (mask) for (let start = 0; start < values.length; start += columns) layOver(values, mask, start, start + columns,
    shared);
  return { rows, columns, values };
}

// What shares are made over: how many lines, of how many cells, how far they and their cells are apart.
/** @param {string} axis @param {number} rows @param {number} columns */
function linesOf(axis, rows, columns) {
  if (axis === "whole") return { n: 1, count: rows * columns, from: 0, step: 1 };
  return axis === "columns" ? { n: columns, count: rows, from: 1, step: columns }
    : { n: rows, count: columns, from: columns, step: 1 };
}

// The place of a cell among those that it shares with.
/** @param {string} axis @param {number} row @param {number} column @param {number} columns */
function placeIn(axis, row, column, columns) {
  return axis === "whole" ? row * columns + column : axis === "columns" ? row : column;
}

/** @param {string} axis @param {number} row @param {number} column @param {Matrix} matrix */
function lineAlong(axis, row, column, matrix) {
  if (axis === "whole") return Array.from(matrix.values);
  return axis === "columns" ? Array.from({ length: matrix.rows }, (_, each) => valueAt(matrix, each, column))
    : Array.from(lineOf(matrix, row));
}

// Multiply shares by the exponentials of a mask, and share out again what is left of them.
/** @param {Float64Array} values @param {Matrix} mask @param {number} start @param {number} end
 *  @param {boolean} shared */
function layOver(values, mask, start, end, shared) {
  let left = 0;
  for (let at = start; at < end; at += 1) left += values[at] =
    Math.fround(values[at] * Math.fround(Math.exp(mask.values[at])));
  if (!shared) return;
  for (let at = start; at < end; at += 1) values[at] = Math.fround(values[at] / left);
}

/** @param {Settings} settings @param {number} row @param {number} column @param {Matrix} scores
 *  @param {Matrix} [mask] */
export function bounded({ shared, axis, sink }, row, column, scores, mask) {
  const line = lineAlong(axis, row, column, scores);
  const at = placeIn(axis, row, column, scores.columns);
  const { shift, powers, divisor } = shares(line, sink);
  const exact = divisor === 0 ? NaN : powers[at] / divisor;
  // The error of an exponent is relative to the exponent: far below the largest it counts more, and weighs less.
  const distances = withSink(line, sink).map((score) => Math.min(Math.abs(score - shift), FAR));
  const spread = total(powers.map((power, i) => power * distances[i])) / (divisor || 1);
  const alone = { exact, tolerance: tolerance(exact, distances[at] + spread + line.length + 8) };
  if (!mask) return alone;
  if (shared) return boundedOf(keptOf(line, lineOf(mask, row), column));
  const factor = Math.exp(valueAt(mask, row, column));
  const value = exact * factor;
  const around = alone.tolerance * factor + tolerance(Math.abs(value), 6);
  return { exact: value, tolerance: Number.isNaN(around) ? Infinity : around };
}

/** @typedef {{ exact: number, left: number, size: number }} Kept a share after a mask, and what its row adds up to
 *  before it is shared out again */

function boundedOf(/** @type {Kept} */ { exact, left, size }) {
  const around = left > SMALL ? tolerance(Math.abs(exact), size) + tolerance(Math.abs(exact), 6) : Infinity;
  return { exact, tolerance: Number.isNaN(around) ? Infinity : around };
}

/** @param {ArrayLike<number>} line @param {ArrayLike<number>} masks @param {number} column @returns {Kept} */
function keptOf(line, masks, column) {
  const scores = Array.from(line);
  const factors = Array.from(masks, Math.exp);
  const largest = Math.max(...scores);
  const exps = scores.map((score) => Math.exp(score - largest));
  const sum = total(exps);
  const all = exps.map((each) => each / sum);
  const kept = all.map((share, i) => share * factors[i]);
  const left = total(kept);
  // A share that is too small for float32 is none.
  const computed = all.reduce((made, share, i) => made + Math.fround(share) * factors[i], 0);
  const exact = computed > 0 && left > 0 ? kept[column] / left : NaN;
  const far = scores.map((score) => Math.min(Math.abs(score - largest), FAR));
  const spread = total(all.map((share, i) => share * far[i]));
  const spreadKept = total(kept.map((each, i) => each * far[i])) / (left || 1);
  return { exact, left, size: far[column] + spreadKept + 2 * (spread + scores.length + 8) };
}

// The scores of a row, and the number of a sink that stands beside them.
/** @param {number[]} scores @param {number | null} sink */
function withSink(scores, sink) {
  return sink === null ? scores : [...scores, sink];
}

/** @param {number[]} line @param {number | null} sink */
function shares(line, sink = null) {
  const scores = withSink(line, sink);
  const largest = Math.max(...scores);
  const shift = Math.abs(largest) <= READABLE ? 0 : largest;
  const powers = scores.map((score) => Math.exp(score - shift));
  return { shift, powers, divisor: total(powers) };
}

// What is said of scores that may stand beside it or not, and of a shift that cancels; the steps are those declared.
/** @param {MadeCell} cell @param {Explained} said @returns {Explained} */
export function explain(cell, { steps }) {
  const said = explainedAlone(cell, steps);
  return cell.sources.length > 1 ? maskedAfter(cell, said) : said;
}

// What is said of a share that a mask is laid over: what it is multiplied by, and what its row keeps.
/** @param {MadeCell} cell @param {Explained} said @returns {Explained} */
function maskedAfter(cell, said) {
  const [row, masks] = cell.sources;
  const { shared } = cell.stage.settings;
  const mask = shared ? masks[cell.column] : masks[0];
  const line = row.map(({ value }) => value);
  const share = shareOf(cell);
  const exact =
    shared ? keptOf(line, masks.map(({ value }) => value), cell.column).exact : share * Math.exp(mask.value);
  const lost = Number.isNaN(exact) && Number.isFinite(share);
  const symbols = namedCell(cell, mask);
  const beyond = Number.isFinite(share) && !lost && !Number.isFinite(cell.value);
  const left = shared ? cell.write(worked(cell.stage.declared[0].value[1][2])(placeOf(cell), 0)) : "";
  return {
    ...said,
    symbols: `${said.symbols} × exp(${symbols})${shared ? " / r" : ""}`,
    words: say(shared ? "explanation.softmax.shared" : "explanation.softmax.times",
      { words: said.words, mask: symbols, left }),
    notes: [
      ...said.notes,
      ...(cell.masked ? [say("explanation.softmax.closed", { why: whyHidden(cell) })] : []),
      ...(lost ? [nothingLeft(cell)] : []),
      ...(beyond ? [say("explanation.trouble.quotient_beyond", { largest: largestFloat(cell) })] : []),
    ],
  };
}

// The share itself, before a mask is laid over it.
function shareOf(/** @type {MadeCell} */ cell) {
  const [row] = cell.sources;
  const { powers, divisor } = shares(row.map(({ value }) => value), cell.stage.settings.sink);
  const at = placeIn(cell.stage.settings.axis, cell.row, cell.column, cell.made.matrices[row[0].matrix].columns);
  return divisor === 0 ? NaN : powers[at] / divisor;
}

/** @param {MadeCell} cell @param {string[]} steps @returns {Explained} */
function explainedAlone(cell, steps) {
  const [row] = cell.sources;
  const { axis, sink, sink_text: number } = cell.stage.settings;
  const at = placeIn(axis, cell.row, cell.column, cell.made.matrices[row[0].matrix].columns);
  const beside = scoresBeside(cell, row);
  if (!beside) return { symbols: "", steps: [cell.write(cell.value)], words: say("explanation.softmax.unshown"),
    notes: [] };
  const { shift } = shares(row.map(({ value }) => value), sink);
  return {
    symbols: beside.softmax(shift === 0 ? "" : " − m"), // also where the largest is no number
    steps,
    words: say(`explanation.softmax.share${sink === null ? "" : "_sink"}`,
      { line: lineOver(axis), n: row.length, score: beside.name(cell.column), sink: number }),
    notes: notes(cell, row, at, shift, beside),
  };
}

// What shares are made over, in words.
function lineOver(/** @type {string} */ axis) {
  return say(`explanation.softmax.line.${axis}`);
}

// The scores as they stand on the board: those that it reads, or those that these are divided from; null where none do.
/**
 * @typedef {object} Beside the scores of a row as they stand on the board: what they are called, and divided by
 * @property {(column: number | string, row?: number | string) => string} of
 * @property {(column: number | string, row?: number | string) => string} name
 * @property {(lowered: string) => string} softmax
 * @property {string} divisor
 * @property {string} mask the cell of the mask that is added to it, or that it is multiplied by; blank without
 * @property {boolean} factor
 * @property {string} axis over what shares are made
 */

/** @param {MadeCell} cell @param {Source[]} row @returns {Beside | null} */
function scoresBeside(cell, row) {
  const { stages } = cell.made;
  const [matrix] = seen(cell.stage, cell.made);
  if (!matrix) return null;
  const { axis, sink_text: sink } = cell.stage.settings;
  const of = (/** @type {number | string} */ column, /** @type {number | string} */ at = cell.row) =>
    namedCell(cell, { matrix, row: at, column });
  const { settings, sources } = stages.get(row[0].matrix);
  const byMask = matrix === row[0].matrix ? undefined : sources[1];
  const masked = (/** @type {number | string} */ column, /** @type {number | string} */ at) =>
    (byMask ? namedCell(cell, { matrix: byMask, row: at, column }) : "");
  const [symbols, divisor] =
    matrix === row[0].matrix ? [[], ""] : [settings.in_symbols, inWords(cell, settings.in_words)];
  const name = (/** @type {number | string} */ column, /** @type {number | string} */ at = cell.row) => {
    const divided = quotient(of(column, at), symbols);
    if (!byMask) return divided;
    return settings.factor ? `${divided} × exp(${masked(column, at)})` : `${divided} + ${masked(column, at)}`;
  };
  const softmax = (/** @type {string} */ lowered) => {
    if (axis === "whole") return `softmax(${name(":", ":")}${lowered})[${cell.row}, ${cell.column}]`;
    if (axis === "columns") return `softmax(${name(cell.column, ":")}${lowered})[${cell.row}]`;
    // no quotient within a quotient
    if (divisor || byMask) return `softmax(${name(":")}${lowered}${sink && `, ${sink}${lowered}`})[${cell.column}]`;
    const sum = `Σ_j exp(${of("j")}${lowered})`;
    return `exp(${of(cell.column)}${lowered}) / ${sink ? `(${sum} + exp(${sink}${lowered}))` : sum}`;
  };
  return { of, name, softmax, divisor, mask: masked(cell.column, cell.row), factor: settings.factor, axis };
}

// Of scaled scores that are not on the board, the scores that these are made from.
/** @param {Stage} stage @param {Made} made */
export function seen(stage, { stages, shown }) {
  const read = stages.get(stage.sources[0]);
  const masks = stage.sources.slice(1);
  if (shown.includes(read.name)) return [read.name, ...masks];
  return read.rule === "scale" && shown.includes(read.sources[0]) ? [read.sources[0], ...masks] : [];
}

/** @param {MadeCell} cell @param {Source[]} row @param {number} at @param {number} shift @param {Beside} beside */
function notes(cell, row, at, shift, beside) {
  const score = row[at];
  const { divisor } = beside;
  return [
    ...(divisor ? [say(`explanation.softmax.divided${!beside.mask ? "" : beside.factor ? "_factor" : "_added"}`,
      { score: beside.of(cell.column), divisor, mask: beside.mask })] : []),
    ...(shift === 0 ? [] : notesOfShift(cell, score, shift, beside)),
    ...(cell.masked && cell.sources.length === 1 ? [say("explanation.softmax.masked")] : []),
    ...(Number.isFinite(cell.sources.length === 1 ? cell.value : shareOf(cell))
      || Number.isFinite(cell.value) ? [] : trouble(cell, row, beside)),
  ];
}

/** @param {MadeCell} cell @param {Source} score @param {number} shift @param {Beside} beside */
function notesOfShift(cell, score, shift, beside) {
  const [value, largest, less] = [score.value, shift, score.value - shift].map(cell.write);
  const line = lineOver(beside.axis);
  if (!Number.isFinite(shift)) return [say("explanation.softmax.lowered_to_nothing", { line, largest })];
  const said = [say(`explanation.softmax.lowered${shift === cell.stage.settings.sink ? "_sink" : ""}`,
    { line, largest })];
  if (Number.isFinite(score.value)) {
    const left = sumOf([decimal(value), decimal(cell.write(-shift))]);
    const key = sign(left, less) === "=" ? "explanation.softmax.less" : "explanation.softmax.less_rounded";
    said.push(say(key, { score: beside.name(cell.column), value, less }));
  }
  return said;
}

/** @param {MadeCell} cell @param {Source[]} row @param {Beside} beside */
function trouble(cell, row, beside) {
  const line = lineOver(beside.axis);
  const undefinedRow = say(`explanation.trouble.undefined_${beside.axis === "rows" ? "row" : "line"}`, { line });
  const broken = row.find(({ value }) => Number.isNaN(value) || value === Infinity);
  if (!broken) return [say("explanation.trouble.no_score", { line }), say("explanation.trouble.quotient"),
    undefinedRow];
  const difference = Number.isNaN(broken.value) ? [] : [say("explanation.trouble.difference")];
  return [already(cell, broken, beside.name(broken.column, broken.row)), ...difference, undefinedRow];
}
