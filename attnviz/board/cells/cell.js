// What rules say of one cell that they explain: names and numbers of its sources; what core/rules/explaining/cell.py does in Python.
// A cell is { made, stage, row, column, value, masked, ofRow, ofColumn, write, sources }: where it stands, in words, too,
// and for each source of its rule the cells that it is made from, as { matrix, row, column, value }.

import { FLOAT32 } from "../values/bounds.js";
import { say } from "../../scripts/sentences.js";

/** @import { Cell, MadeCell, Place, Source, Stage, Term } from "../types.js" */

// A row or a column by what it stands for: "query 1".
/** @param {string} kind @param {number | string} index */
export function lineNamed(kind, index) {
  return say(`explanation.line.${kind}`, { index });
}

// How far a key stands from its query in a column of the numbers by distance: negative before it.
/** @param {number} column @param {{ columns: number }} matrix */
export function distanceOf(column, { columns }) {
  return String(column - (columns - 1) / 2).replace("-", "−");
}

/** @param {Stage} stage @param {number | string} row @param {number | string} column */
export function nameOf(stage, row, column) {
  const { symbol, head, first } = stage;
  if (typeof column === "number") column += first;
  else if (head !== null && stage.columns === "feature") return `${symbolOf(stage)}[${row}, ${column}]`;
  if (head !== null && stage.columns === "key") row = `${head}, ${row}`;
  return `${symbol}[${stage.isVector ? column : `${row}, ${column}`}]`;
}

// What a matrix is called: of one of several heads, with its number, which heads have in common that share it.
/** @param {Stage} stage */
export function symbolOf({ symbol, head, shared_by: heads }) {
  return head === null ? symbol : `${symbol}${lowered(Math.floor(head / heads))}`;
}

// A number as a subscript.
/** @param {number} number */
export function lowered(number) {
  return String(number).replace(/[0-9]/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);
}

/** @param {Pick<Cell, "made">} cell @param {{ matrix: string, row: number | string, column: number | string }} place */
export function namedCell({ made }, { matrix, row, column }) {
  return nameOf(made.stages.get(matrix), row, column);
}

// A row or column of sources in symbols, as in X[1, :].
/** @param {Cell} cell @param {Source[]} block */
export function namedBlock(cell, block) {
  const only = (/** @type {"row" | "column"} */ key) => (block.every((each) => each[key] === block[0][key]) ? block[0][key] : ":");
  return namedCell(cell, { matrix: block[0].matrix, row: only("row"), column: only("column") });
}

// A source in symbols, with the token that it is of.
/** @param {Cell} cell @param {Source} source */
export function namedWithToken(cell, source) {
  const token = tokenOf(cell, source);
  const number = namedCell(cell, source);
  return token === null ? number : say("explanation.of_token", { number, token });
}

// The token that a row of a matrix stands for, told apart from others of the same text; null where it stands for none.
/** @param {Pick<Cell, "made">} cell @param {Pick<Place, "matrix" | "row">} source */
export function tokenOf({ made }, { matrix, row }) {
  const stage = made.stages.get(matrix);
  if (stage.rows === "entry") return stage.entries[row] ?? null;
  const tokens = namesOn(stage, stage.rows, made.tokens);
  if (stage.rows === "feature" || row >= tokens.length) return null;
  const whose = ownerOf(stage, row, tokens.length);
  const stands = tokens.filter((other) => other === tokens[whose]).length;
  return stands > 1 ? `${tokens[whose]} (${whose})` : tokens[whose];
}

// The row whose token a row of so many, or a key, really belongs to: its own, but where one view cuts heads.
/** @param {Pick<Stage, "owners">} stage @param {number} row @param {number} rows */
export function ownerOf({ owners: [parts, part] }, row, rows) {
  return Math.floor((part * rows + row) / parts);
}

// Whether rows and keys of a head belong to other tokens than their places say, as one view cuts them.
/** @param {Pick<Stage, "owners">} stage */
export function areOfOthers({ owners: [parts] }) {
  return parts > 1;
}

// What a row of a matrix, or a key, is called where a sentence names it: by its token, or as a piece of the one that it
// really belongs to.
/** @param {Pick<Stage, "owners">} stage @param {number} at @param {string[]} names */
export function pieceNamed(stage, at, names) {
  return areOfOthers(stage) ? say("board.piece", { token: names[ownerOf(stage, at, names.length)], row: at }) : names[at];
}

// What is named along an axis of this kind: the entries of a vocabulary, those of another sentence whose tokens are keys,
// or the tokens.
/** @param {Stage} stage @param {string} kind @param {string[]} tokens */
export function namesOn({ entries }, kind, tokens) {
  return kind === "entry" || (kind === "key" && entries.length) ? entries : tokens;
}

// Whether the rows of a matrix are tokens that are read, and others than those that read, or more.
/** @param {Pick<Stage, "rows" | "entries">} stage */
export function isOfOthers({ rows, entries }) {
  return rows === "key" && entries.length > 0;
}

// Whether these are vectors as they come in, which stand before those of the sentence: not keys and values made of them.
/** @param {Pick<Stage, "rows" | "role" | "entries">} stage */
export function isWhatIsRead(stage) {
  return isOfOthers(stage) && stage.role === "x";
}

// Whether it has the same rows as what stands before it, whose names are there already.
/** @param {Pick<Stage, "rows" | "role" | "entries">} stage @param {Pick<Stage, "rows" | "role" | "entries"> | undefined} before */
export function isNamedBefore(stage, before) {
  return before !== undefined && isWhatIsRead(stage) && isWhatIsRead(before) && stage.entries.length === before.entries.length;
}

// The factors of a term, negative ones in parentheses; of a remainder, how many terms it holds.
/** @param {Cell} cell @param {Term} term */
export function writtenFactors(cell, term) {
  if (!term.factors.length) return [say("explanation.step.more", { count: term.count, value: cell.write(term.value) })];
  const texts = term.factors.map((factor) => cell.write(factor.value));
  return texts.length === 1 ? texts : texts.map(grouped);
}

/** @param {string} text */
export function grouped(text) {
  return text.startsWith("−") ? `(${text})` : text;
}

/** @param {Cell} cell */
export function largestFloat(cell) {
  return say("explanation.trouble.largest", { dtype: FLOAT32.name, value: cell.write(FLOAT32.max) });
}

// Why its row adds up to 0: a mask hides all of it, or what it leaves is too small for float32.
/** @param {MadeCell} cell */
export function nothingLeft(cell) {
  const hidden = cell.sources.length > 1 && cell.sources[1].every(({ value }) => value === -Infinity);
  return hidden ? say("explanation.trouble.nothing_left") : say("explanation.trouble.too_little_left", { dtype: FLOAT32.name });
}

// That a source is no finite number; `name` is what it is called, its symbols where nothing is given.
/** @param {Cell} cell @param {Source} source */
export function already(cell, source, name = namedCell(cell, source)) {
  return say("explanation.trouble.already", { cell: name, value: cell.write(source.value) });
}
