// What is said of a cell by its declaration, in symbols, in words and in numbers: core/rules/explaining/said.py.

import { indexOf, pieceAt, worked } from "./declared.js";
import { stepsOf } from "./steps.js";
import { notesOf, whyHidden } from "./trouble.js";
import { lineNamed, namedCell, tokenOf } from "../cells/cell.js";
import { say } from "../../scripts/sentences.js";

/** @import { At } from "./declared.js" */

/** @param {MadeCell} cell @returns {At} */
export function placeOf({ made, stage, row, column }) {
  return { sources: stage.sources.map((name) => made.matrices[name]), i: row, j: column };
}

/** @param {MadeCell} cell @returns {Explained} */
export function saidOf(cell) {
  const at = placeOf(cell);
  const piece = pieceAt(cell.stage.declared, at);
  const { value: node } = piece;
  const first = (/** @type {string | null} */ said, /** @type {Sentence} */ sentence) => said
    ?? sentenceOf(cell, at, sentence);
  const words = piece.words.reduce(first, null) ?? "";
  const said = { symbols: textOf(cell, at, piece.symbols), steps: stepsOf(cell, at, node), words,
    notes: notesOf(cell, at, piece) };
  return node[0] === "hidden" || node[0] === "weighed" ? underMask(cell, at, said, node) : said;
}

/** @param {MadeCell} cell @param {At} at @param {Explained} said @param {Expression} node @returns {Explained} */
function underMask(cell, at, { symbols, words, ...said }, [op, , read]) {
  const [mask, matrix] = [worked(read)(at, 0), cell.stage.sources[read[1]]];
  if (cell.masked) {
    return { ...said, symbols: `−∞ ${say("explanation.step.masked")}`,
      words: say("explanation.scale.masked", { why: whyHidden(cell), words }) };
  }
  if (mask === 0) return { ...said, symbols, words };
  const name = namedCell(cell, { matrix, row: cell.row, column: cell.column });
  if (op === "weighed") {
    const factor = cell.write(Math.exp(mask));
    return { ...said, symbols: `${symbols} × exp(${name})`,
      words: say("explanation.scale.times", { words, mask: name, factor }) };
  }
  const kind = matrix.endsWith("distance_bias") ? "biased" : "added";
  return { ...said, symbols: `${symbols} + ${name}`, words: say(`explanation.scale.${kind}`, { words, mask: name }) };
}

// A sentence; null where nothing is known for one of its places.
/** @param {MadeCell} cell @param {At} at @param {Sentence} sentence @returns {string | null} */
function sentenceOf(cell, at, [, key, places]) {
  const filled = Object.entries(places)
    .map(([name, each]) => [name, Array.isArray(each) ? nodeOf(cell, at, each) : each]);
  return filled.some(([, each]) => each === null) ? null : say(`explanation.${key}`, Object.fromEntries(filled));
}

// What scores are divided by, in words, as the cell of their own stage says it.
/** @param {MadeCell} cell @param {Sentence | string} sentence */
export function inWords(cell, sentence) {
  return typeof sentence === "string" ? sentence : (sentenceOf(cell, placeOf(cell), sentence) ?? "");
}

/** @param {MadeCell} cell @param {At} at @param {any[]} parts */
function textOf(cell, at, parts) {
  return parts.map((each) => (Array.isArray(each) ? nodeOf(cell, at, each) : each)).join("");
}

/** @param {MadeCell} cell @param {At} at @param {any[]} node @returns {string | number | null} */
function nodeOf(cell, at, node) {
  const [kind, first, ...rest] = node;
  if (kind === "say") return sentenceOf(cell, at, /** @type {Sentence} */ (node));
  if (kind === "text") return textOf(cell, at, node.slice(1));
  if (kind === "written") return cell.write(worked(first)(at, 0));
  if (kind === "head") return cell.stage.head;
  if (kind === "place") return indexOf(first)(at, 0);
  if (kind === "tokens") return say("count.token", { n: indexOf(first)(at, 0) });
  const stage = first < 0 ? cell.stage : /** @type {Stage} */ (cell.made.stages.get(cell.stage.sources[first]));
  return ofSource(cell, at, stage, kind, rest);
}

/** @param {MadeCell} cell @param {At} at @param {Stage} stage @param {string} kind @param {any[]} places */
function ofSource(cell, at, stage, kind, places) {
  if (kind === "symbol" || kind === "title") return stage[kind];
  const matrix = stage.name;
  const { columns: width } = cell.made.matrices[matrix];
  const index = (/** @type {any} */ each) => (Array.isArray(each) ? indexOf(/** @type {Index} */ (each))(at, 0) : each);
  const [row, column] = places.map(index);
  if (kind === "row_of") return Math.floor(row / width);
  if (kind === "token_at") return tokenOf(cell, { matrix, row: Math.floor(row / width) });
  if (kind === "entry_of") return stage.entries[row] ?? null;
  if (kind === "column") return lineNamed("column", row + stage.first);
  if (kind === "name" || kind === "named") {
    const goesOn = typeof column === "number" && typeof row === "number" && column >= width;
    const name = namedCell(cell,
      { matrix, row: goesOn ? row + Math.floor(column / width) : row, column: goesOn ? column % width : column });
    const token = kind === "named" ? tokenOf(cell, { matrix, row }) : null;
    return token === null ? name : say("explanation.of_token", { number: name, token });
  }
  const token = tokenOf(cell, { matrix, row });
  if (kind === "token") return token;
  return token === null ? lineNamed("row", row) : say("explanation.line.of_token", { token });
}
