// Explains a cell in symbols, words and numbers, from its rule's declaration; core/rules/explaining/cell_text.py does
// the same in Python.

import { indexOf, pieceAt, worked } from "./declared.js";
import { lineOf as lineIn, valueAt } from "./matrices.js";
import { total } from "./numbers.js";
import { stepsOf } from "./steps.js";
import { levelIn, notesOf, whyHidden } from "./unusual_cells.js";
import { lineNamed, namedCell, tokenOf } from "../cells/cell.js";
import { say } from "../../scripts/sentences.js";

/** @import { At } from "./declared.js" */

/** @param {MadeCell} cell @returns {At} */
export function placeOf({ trace, stage, row, column }) {
  return { sources: stage.sources.map((name) => trace.matrices[name]), i: row, j: column };
}

/** @param {MadeCell} cell @returns {Explained} */
export function saidOf(cell) {
  const at = placeOf(cell);
  const piece = pieceAt(cell.stage.declared, at);
  const { value: node } = piece;
  const first = (/** @type {string | null} */ said, /** @type {Sentence} */ sentence) => said
    ?? sentenceOf(cell, at, sentence);
  const words = piece.words.reduce(first, null) ?? "";
  const symbols = textOf(cell, at, piece.symbols) ?? "";
  const beside = (/** @type {Pick<Place, "row" | "column">} */ { row, column }) => besideOf(cell, 0, row, column) ?? "";
  const notes = notesOf(cell, at, piece, { symbols, asides: asidesOf(cell), beside,
    say: (sentence) => (sentence && sentenceOf(cell, at, sentence)) ?? "" });
  const said = { symbols, steps: symbols ? stepsOf(cell, at, node) : [cell.write(cell.value)], words,
    notes: [...notes, ...fourParts(cell)] };
  return node[0] === "hidden" || node[0] === "weighed" ? underMask(cell, at, said, node) : said;
}

// How much token and position vectors contribute to a score whose queries and keys are made from sums E + P; see
// core/rules/product.py.
/** @param {MadeCell} cell @returns {string[]} */
function fourParts(cell) {
  const { trace: { matrices }, stage: { factors }, sources: [from], value, row: query, column: key, write } = cell;
  if (!factors || !from.length || !Number.isFinite(value)) return []; // a score that was typed in has no parts
  const [first, second] = factors.map(([by, transposed, sums], i) => {
    const [at, w] = [[query, key][i], matrices[by]];
    const [start, names] = sums.findLast(([since]) => since <= at) ?? [0, []];
    return names.map((name) => Array.from({ length: transposed ? w.rows : w.columns }, (_, column) =>
      total(lineIn(matrices[name], at - start)
        .map((number, k) => number * (transposed ? valueAt(w, column, k) : valueAt(w, k, column))))));
  });
  const numbers =
    first.flatMap((one) => second.map((other) => write(total(one.map((number, i) => number * other[i])))));
  const [ww, wp, pw, pp] = numbers;
  return pp ? [say("explanation.product.parts", { ww, wp, pw, pp })] : [];
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

// A sentence of a declaration; null if nothing is known for one of its places.
/** @param {MadeCell} cell @param {At} at @param {Sentence} sentence @returns {string | null} */
function sentenceOf(cell, at, [, key, places]) {
  const filled = Object.entries(places)
    .map(([name, each]) => [name, Array.isArray(each) ? nodeOf(cell, at, each) : each]);
  return filled.some(([, each]) => each === null) ? null : say(`explanation.${key}`, Object.fromEntries(filled));
}

// A text of a declaration; null if a part of it is unknown.
/** @param {MadeCell} cell @param {At} at @param {any[]} parts @returns {string | null} */
function textOf(cell, at, parts) {
  const texts = parts.map((each) => (Array.isArray(each) ? nodeOf(cell, at, each) : each));
  return texts.includes(null) ? null : texts.join("");
}

// The declaration of a source's cells, from which its formula is written in place of its name. Null if the source is on
// the board, or if what it's made from isn't.
/** @param {Pick<Trace, "stages" | "shown">} trace @param {string} name */
export function toldBy({ stages, shown }, name) {
  const { declared: [piece], sources: [first] } = stages.get(name);
  return !shown.includes(name) && piece?.asides && shown.includes(first) ? piece : null;
}

// How a formula writes a cell of a source: by its name, or, if it isn't on the board, by its own formula; null if
// neither is possible.
/** @param {MadeCell} cell @param {number} source @param {any} row @param {any} column @returns {string | null} */
function besideOf(cell, source, row, column) {
  const matrix = cell.stage.sources[source];
  const piece = toldBy(cell.trace, matrix);
  if (!piece) return cell.trace.shown.includes(matrix) ? namedCell(cell, { matrix, row, column }) : null;
  const of = { ...cell, stage: cell.trace.stages.get(matrix), row, column };
  const [op, , mask] = piece.value;
  const name = namedCell(cell, { matrix: of.stage.sources[mask?.[1]] ?? matrix, row, column });
  const more = op === "hidden" ? ` + ${name}` : op === "weighed" ? ` × exp(${name})` : "";
  return textOf(of, placeOf(of), piece.symbols) + more;
}

// Further sentences about a cell, if the scores that it reads are written by their formula.
function asidesOf(/** @type {MadeCell} */ cell) {
  const stage = cell.trace.stages.get(cell.stage.sources[0]);
  const of = { ...cell, stage };
  return (toldBy(cell.trace, stage.name)?.asides ?? []).map((each) => sentenceOf(of, placeOf(of), each) ?? "");
}

/** @param {MadeCell} cell @param {At} at @param {any[]} node @returns {string | number | null} */
function nodeOf(cell, at, node) {
  const [kind, first, ...rest] = node;
  if (kind === "say") return sentenceOf(cell, at, /** @type {Sentence} */ (node));
  if (kind === "text") return textOf(cell, at, node.slice(1));
  if (kind === "written") return cell.write(worked(first)(at, 0));
  if (kind === "lowered") return worked(levelIn(cell.stage.declared[0].value))(at, 0) === 0 ? "" : " − m";
  if (kind === "spelled") return spelled(cell, at, first, rest);
  if (kind === "head") return cell.stage.head;
  if (kind === "place") return indexOf(first)(at, 0);
  if (kind === "tokens") return say("count.token", { n: indexOf(first)(at, 0) });
  const stage = first < 0 ? cell.stage : /** @type {Stage} */ (cell.trace.stages.get(cell.stage.sources[first]));
  if (kind === "beside") return besideOf(cell, first, ...lineOf(cell, at, rest));
  return ofSource(cell, at, stage, kind, rest);
}

// The row and column of a cell that is named; ":" and "j" stay, and stand for whole lines.
/** @param {MadeCell} cell @param {At} at @param {any[]} places @returns {[row: any, column: any]} */
function lineOf(cell, at, places) {
  const own = /** @type {Record<string, any>} */ ({ "0,1,0,0": cell.row, "0,0,1,0": cell.column });
  const [row, column] = places.map((each) =>
    (Array.isArray(each) ? own[String(each)] ?? indexOf(/** @type {Index} */ (each))(at, 0) : each));
  return [row, column];
}

// The text `madeOf` if a source is written by its formula, `named` if it's written by its name.
/** @param {MadeCell} cell @param {At} at @param {number} source @param {any[]} texts */
function spelled(cell, at, source, [madeOf, named]) {
  const matrix = cell.stage.sources[source];
  const of = toldBy(cell.trace, matrix) ? cell.trace.stages.get(matrix).sources[0] : matrix;
  const isNamed = besideOf(cell, source, 0, 0) === namedCell(cell, { matrix: of, row: 0, column: 0 });
  return nodeOf(cell, at, isNamed ? named : madeOf);
}

/** @param {MadeCell} cell @param {At} at @param {Stage} stage @param {string} kind @param {any[]} places */
function ofSource(cell, at, stage, kind, places) {
  if (kind === "symbol" || kind === "title") return stage[kind];
  const matrix = stage.name;
  const { columns: width } = cell.trace.matrices[matrix];
  const [row, column] = lineOf(cell, at, places);
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
