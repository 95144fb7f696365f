// How a cell is made, in symbols, in numbers and in words: what attnviz.explain says of torch's numbers, said in the
// page, so that it follows while a cell is dragged. A test holds every text to that of Python.
// `made` holds { stages, matrices, settings, tokens, digits, origins, before, shown }; a place is { matrix, row, column }.

import { FLOAT32, mayBe } from "./bounds.js";
import { distanceOf, lineNamed, nameOf, namesOn, ownerOf } from "../cells/cell.js";
import { boundedOf, isMasked, sourcesOf } from "./evaluate.js";
import { valueAt } from "./matrices.js";
import { written } from "./numbers.js";
import { RULES } from "./rules.js";
import { saidOf } from "./said.js";
import { say } from "../../scripts/sentences.js";

/** @import { Bounded, Cell, Explained, Made, MadeCell, Place, Stage } from "../types.js" */

/** @param {Made} made @param {Place} place */
export function explain(made, place) {
  const cell = cellOf(made, place);
  const rule = cell.stage.rule === "given" ? given(cell) : madeBy(cell);
  const name = nameOf(cell.stage, place.row, place.column);
  const value = cell.write(cell.value);
  const notes = [...rule.notes, ...remarks(cell, rule)];
  const numbers = numbersOf(rule.steps);
  const where = placeInWords(made, place);
  const { words } = rule;
  const how = rule.symbols ? say("explanation.made", { words, numbers }) : say("explanation.only", { words });
  return {
    where, name, value, steps: rule.steps, numbers, words, notes,
    symbols: rule.symbols && rule.symbols !== name ? `${name} = ${rule.symbols}` : name, // not what is passed on under its own name
    text: [say("explanation.is", { where, cell: name, value }), how, ...notes].join(" "),
  };
}

/** @param {string[]} steps */
function numbersOf(steps) {
  const numbers = steps.join(" ");
  return steps.some((step) => step.startsWith("≈")) ? say("explanation.rounded", { numbers }) : numbers;
}

// Where a cell is: its matrix, row and column.
/** @param {Made} made @param {Place} place */
export function placeInWords(made, place) {
  const { stage, ofRow, ofColumn } = cellOf(made, place);
  const where = stage.isVector ? ofColumn : say("explanation.place", { row: ofRow, column: ofColumn });
  return say("explanation.where", { matrix: stage.title, place: where });
}

/** @param {Made} made @param {Place} place @returns {Cell} */
function cellOf(made, { matrix, row, column }) {
  const stage = made.stages.get(matrix);
  return {
    made, stage, row, column,
    ofRow: labelOf(made, stage, "rows", row),
    ofColumn: labelOf(made, stage, "columns", column),
    value: valueAt(made.matrices[matrix], row, column),
    write: (value) => written(value, made.digits),
  };
}

// A row or a column by what it stands for, with the text of its token: query 1 “cat”.
/** @param {Made} made @param {Stage} stage @param {"rows" | "columns"} axis @param {number} index */
function labelOf({ tokens, matrices }, stage, axis, index) {
  const kind = stage[axis];
  if (kind === "distance") return lineNamed(kind, distanceOf(index, matrices[stage.name]));
  if (kind === "feature") {
    const inWhole = axis === "columns" ? index + stage.first : index;
    return lineNamed(stage.rows === "feature" ? axis.slice(0, -1) : kind, inWhole);
  }
  const line = lineNamed(kind, index);
  const named = namesOn(stage, kind, tokens);
  return index < named.length ? say("explanation.line.called", { line, token: named[ownerOf(stage, index, named.length)] }) : line;
}

/** @param {Cell} cell @returns {Bounded & Explained} */
function madeBy(cell) {
  const { made, stage, row, column } = cell;
  const valued = (/** @type {Place} */ place) => ({ ...place, value: valueAt(made.matrices[place.matrix], place.row, place.column) });
  const sources = sourcesOf(stage, row, column, made.matrices).map((block) => block.map(valued));
  const masked = isMasked(made, stage, row, column);
  return { ...boundedOf(stage, row, column, made.matrices), ...explainedBy({ ...cell, sources, masked }) };
}

// As it's declared, or with what its rule says besides.
/** @param {MadeCell} cell @returns {Explained} */
function explainedBy(cell) {
  const said = saidOf(cell);
  return RULES[cell.stage.rule]?.explain?.(cell, said) ?? said;
}

/** @param {Cell} cell @returns {Bounded & Explained} */
function given(cell) {
  const { made, stage, row, column } = cell;
  const origin = made.origins[stage.name] ?? [];
  const before = made.before[`${stage.name},${row},${column}`];
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
