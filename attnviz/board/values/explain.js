// How a cell is made, in symbols, in numbers and in words. It's what attnviz.explain says of torch's numbers, but
// computed in the page, so that it follows while a cell is dragged. A test compares every text with Python's. `made` is
// what Python sent, with the matrices that are shown now (Evaluated in types.d.ts).

import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";
import { areMixed, distanceOf, isOfOthers, lineNamed, nameOf, namesOn, ownerOf } from "../cells/cell.js";
import { FLOAT32, mayBe } from "./arithmetic.js";
import { boundedOf } from "./evaluate.js";
import { isMasked, sourcesOf } from "./dependencies.js";
import { valueAt } from "./matrices.js";
import { percent, written } from "./numbers.js";
import { saidOf, toldBy } from "./cell_text.js";

/** @param {Trace} trace @param {Place} place */
export function explain(trace, place) {
  const cell = cellOf(trace, place);
  const rule = cell.stage.rule === "given" ? given(cell) : madeBy(cell);
  const name = nameOf(cell.stage, place.row, place.column);
  const value = cell.write(cell.value);
  const notes = [...rule.notes, ...remarks(cell, rule)];
  const steps = rule.steps.join(" ");
  const numbers = rule.steps.some((step) => step.startsWith("≈"))
    ? say("explanation.rounded", { numbers: steps }) : steps;
  const where = placeInWords(trace, place);
  const { words } = rule;
  const how = rule.symbols ? say("explanation.made", { words, numbers }) : say("explanation.only", { words });
  return {
    where, name, value, steps: rule.steps, numbers, words, notes,
    // a formula that is just the cell's own name isn't written after "="
    symbols: rule.symbols && rule.symbols !== name ? `${name} = ${rule.symbols}` : name,
    text: [say("explanation.is", { where, cell: name, value }), how, ...notes].join(" "),
  };
}

// Where a cell is, in words: its matrix, row and column.
/** @param {Trace} trace @param {Place} place */
export function placeInWords(trace, place) {
  const { stage, ofRow, ofColumn } = cellOf(trace, place);
  const where = stage.isVector ? ofColumn : say("explanation.place", { row: ofRow, column: ofColumn });
  return say("explanation.where", { matrix: stage.title, place: where });
}

/** @param {Trace} trace @param {Place} place @returns {Cell} */
function cellOf(trace, { matrix, row, column }) {
  const stage = trace.stages.get(matrix);
  return {
    trace, stage, row, column,
    ofRow: labelOf(trace, stage, "rows", row),
    ofColumn: labelOf(trace, stage, "columns", column),
    value: valueAt(trace.matrices[matrix], row, column),
    write: (value) => written(value, trace.digits),
  };
}

// A row or a column by what it stands for, with the text of its token: query 1 “cat”.
/** @param {Trace} trace @param {Stage} stage @param {"rows" | "columns"} axis @param {number} index */
function labelOf({ tokens, matrices }, stage, axis, index) {
  const kind = stage[axis];
  if (kind === "distance") return lineNamed(kind, distanceOf(index, matrices[stage.name]));
  if (kind === "feature") {
    const inWhole = axis === "columns" ? index + stage.first : index;
    return lineNamed(stage.rows === "feature" ? axis.slice(0, -1) : kind, inWhole);
  }
  const line = lineNamed(kind, index);
  const named = namesOn(stage, kind, tokens);
  return index < named.length ? say("explanation.line.called",
    { line, token: named[ownerOf(stage, index, named.length)] }) : line;
}

// The cells that a cell's explanation says it's made from. If the scaled scores aren't on the board, it explains shares
// by what these are made from, the scores.
/** @param {Trace} trace @param {Place} place */
export function seenSourcesOf(trace, { matrix, row, column }) {
  const stage = trace.stages.get(matrix);
  const sources = sourcesOf(stage, row, column, trace.matrices);
  const [first, ...rest] = stage.sources;
  if (!stage.is.shares || trace.shown.includes(first)) return sources;
  if (!toldBy(trace, first)) return [];
  const seen = [trace.stages.get(first).sources[0], ...rest];
  return seen.map((name, i) => sources[i].map((source) => ({ ...source, matrix: name })));
}

/** @param {Cell} cell @returns {Bounded & Explained} */
function madeBy(cell) {
  const { trace, stage, row, column } = cell;
  const valued = (/** @type {Place} */ place) => ({ ...place,
    value: valueAt(trace.matrices[place.matrix], place.row, place.column) });
  const sources = sourcesOf(stage, row, column, trace.matrices).map((block) => block.map(valued));
  const masked = isMasked(trace, stage, row, column);
  return { ...boundedOf(stage, row, column, trace.matrices), ...saidOf({ ...cell, sources, masked }) };
}

/** @param {Cell} cell @returns {Bounded & Explained} */
function given(cell) {
  const { trace, stage, row, column } = cell;
  const origin = trace.origins[stage.name] ?? [];
  const before = trace.before[`${stage.name},${row},${column}`];
  const how = origin[Math.min(row, origin.length - 1)];
  const words =
    how === undefined
      ? say("explanation.given.unknown")
      : before === undefined
        ? say("explanation.given.origin", { origin: how })
        : say("explanation.given.edited", { before: cell.write(Number(before)), origin: how });
  return { symbols: "", steps: [cell.write(cell.value)], words, notes: [], exact: cell.value, tolerance: 0 };
}

/** @param {Cell} cell @param {Bounded} rule */
function remarks(cell, rule) {
  const { value } = cell;
  const said = { exact: cell.write(rule.exact), dtype: FLOAT32.name };
  if (!mayBe(value, rule)) return [say("explanation.trouble.disagrees", said)];
  const vanished = value === 0 && rule.exact !== 0 && Math.abs(rule.exact) < FLOAT32.tiny;
  return vanished ? [say("explanation.trouble.too_small", said)] : [];
}

// The dock's words on a cell: one sentence in the reader's words, and what is made from the cell next.

// One sentence about a cell, such as "“fluffy” asks “cat”: score 3.8963".
/** @param {Trace} trace @param {Place} place @param {string[] | null | undefined} features */
export function inOneSentence(trace, { matrix, row, column }, features) {
  const stage = trace.stages.get(matrix);
  const number = valueAt(trace.matrices[matrix], row, column);
  const value = written(number, trace.digits);
  const { symbol } = stage;
  if (stage.columns === "key") {
    const [from, to] = [trace.names[ownerOf(stage, row, trace.names.length)],
      trace.readNames[ownerOf(stage, column, trace.readNames.length)]];
    const itself = stage.first_own_key !== null && column === stage.first_own_key + row;
    if (matrix === CONSTANTS.MASK && areMixed(trace.stages.values()))
      return say("board.dock.mask_of_places", { symbol, row, column, value });
    if (matrix === CONSTANTS.MASK)
      return say(`board.dock.${number === 0 ? "open" : useOfMask(trace, number)}`, { from, to, symbol, value });
    const share = Number.isFinite(number) ? percent(number) : value;
    if (stage.is.shares || stage.hidden_with)
      return itself ? say("board.dock.reads_itself", { from, share }) : say("board.dock.reads", { from, to, share });
    return itself ? say("board.dock.asks_itself", { from, symbol, value })
      : say("board.dock.asks", { from, to, symbol, value });
  }
  if (stage.rows === "feature") return say(stage.isVector ? "board.dock.bias" : "board.dock.learned",
    { symbol, row, column: column + stage.first, value });
  const feature = stage.origin === "input"
    && features?.[column] ? features[column] : say("board.dock.feature", { column: column + stage.first });
  const named = isOfOthers(stage) ? trace.readNames : trace.names;
  return say("board.dock.vector",
    { symbol, token: named[ownerOf(stage, row, trace.matrices[matrix].rows)], feature, value });
}

// The sentence about what a mask does with a number: it may be added to the score, or its exponential may multiply the
// score or the weight. As a factor of a score before the softmax, −∞ hides nothing: the score becomes 0, and is read
// like any other.
/** @param {Trace} trace @param {number} number */
function useOfMask({ stages }, number) {
  const [weights, scaled] = ["attention_weights", "scaled_scores"].map((name) => stages.get(name));
  if (scaled?.settings.factor) return "times_score";
  if (number === -Infinity) return "hidden";
  if (!weights.sources.includes(CONSTANTS.MASK)) return "added";
  if (weights.is.shares?.powers === false) return "times_score";
  return weights.settings.shared ? "times_shared" : "times_weight";
}

// What the next stage does with a cell: "Next: ÷ √2, then softmax: 61 %." if shares are shown, else the stage's symbol;
// blank at the end.
/** @param {Trace} trace @param {Place} place */
export function whatIsNext(trace, { matrix, row, column }) {
  const next = [...trace.stages.values()].find((stage) => stage.sources.includes(matrix) && trace.matrices[stage.name]);
  if (!next) return "";
  // If the cell isn't in the next stage's first source, it's added only before the softmax, and only if it's no factor.
  if (next.sources[0] !== matrix && (next.is.divides || next.is.shares?.powers)) {
    return say(next.is.divides && !next.settings.factor ? "board.next.added" : "board.next.product",
      { symbol: next.symbol });
  }
  const stages = [...trace.stages.values()];
  const on = new Set([next.name]); // the matrices made from it, up to its own softmax: there may be others
  const weights = stages.find(({ name, sources, is }) => {
    if (name !== next.name && !sources.some((source) => on.has(source))) return false;
    on.add(name);
    return is.shares;
  });
  const goesOn = stages.every(({ sources, is }) => !sources.includes(next.name) || is.divides || is.shares);
  const told = weights && trace.shown.includes(weights.name);
  if (told && ((next.is.divides && goesOn) || next.is.shares?.powers)) {
    const weight = valueAt(trace.matrices[weights.name], row, column);
    const share = Number.isFinite(weight) ? percent(weight) : written(weight, trace.digits);
    const by = next.is.divides ? dividedBy(next.settings) : "";
    const op = say(`board.op.${weights.is.shares?.powers ? "softmax" : "share"}`);
    return by ? say("board.next.scale", { by, op, share }) : say("board.next.share", { op, share });
  }
  return say("board.next.product", { symbol: next.symbol });
}

// What scores are divided by: "÷ √2", with the temperature if it isn't 1; blank for nothing.
/** @param {Pick<Settings, "d_k" | "temperature" | "temperature_text">} settings */
export function dividedBy({ d_k, temperature, temperature_text }) {
  const parts = [...(d_k === null || d_k === undefined ? [] : [`√${d_k}`]),
    ...(temperature === 1 ? [] : [temperature_text])];
  return parts.length ? `÷ ${parts.length > 1 ? `(${parts.join(" · ")})` : parts[0]}` : "";
}
