// What rules say of one cell that they explain: names and numbers of its sources; what core/rules/explaining/cell.py
// does in Python. A cell is { made, stage, row, column, value, masked, ofRow, ofColumn, write, sources }: where it
// stands, in words, too, and for each source of its rule the cells that it is made from, as { matrix, row, column,
// value }.

import { canvasOf } from "./elements.js";
import { FLOAT32 } from "../values/arithmetic.js";
import { NEARLY, inDigits, numberOf, short, written } from "../values/numbers.js";
import { say } from "../../scripts/sentences.js";

const NO_DIGIT = 1e-9; // by which a sum of shown numbers differs from the same written in one

// What is said beside the name of a matrix of the numbers that it shows, in these cells: that shares don't add up as
// they stand there, to one or a hundred percent; what grey is, of the first matrix of a number for each key.
/** @param {Pick<Board, "grids" | "shown">} board @param {Stage} stage @param {{ text: { data: string } }[]} cells */
export function asideOf({ grids, shown }, { name, is, columns: by, sources }, cells, whole = 1) {
  const { values, columns } = shown[name];
  if (by !== "key") return "";
  if (!is.shares) {
    const first = grids.get(sources[0])?.stage.columns !== "key";
    return first && values.some((value) => value < 0 && value > -Infinity) ? `\u00a0${say("board.matrix.grey")}` : "";
  }
  const rows = Array.from({ length: cells.length / columns }, (_, at) => cells.slice(at * columns, (at + 1) * columns));
  const off = rows.some((row) => row.every(({ text }) => /\d|–/.test(text.data))
    && Math.abs(row.reduce((sum, { text }) => sum + Number(text.data.replace(/[^\d.]/g, "")), -whole)) > NO_DIGIT);
  return is.shares.all && off ? `\u00a0${say("board.matrix.rounded")}` : "";
}

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
export function symbolOf(/** @type {Stage} */ { symbol, head, shared_by: heads }) {
  return head === null ? symbol : `${symbol}${lowered(Math.floor(head / heads))}`;
}

// A number as a subscript.
export function lowered(/** @type {number} */ number) {
  return String(number).replace(/[0-9]/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);
}

/** @param {Pick<Cell, "made">} cell @param {{ matrix: string, row: number | string, column: number | string }} place */
export function namedCell({ made }, { matrix, row, column }) {
  return nameOf(made.stages.get(matrix), row, column);
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

/** @type {Record<string, string>} */
export const AGES = { now: "●", cache: "○", before: "–" }; // as cells.css marks them

// Of a model that writes on: whether a row was computed "now" or "before", or is read from its "cache"; else blank.
/** @param {Pick<BoardData, "ages">} data @param {string} matrix @param {number} row */
export function ageOf({ ages }, matrix, row) {
  const old = ages?.of[matrix];
  return ages && old ? (row < ages.from ? old : "now") : "";
}

// The row whose token a row of so many, or a key, really belongs to: its own, but where one view cuts heads.
/** @param {Pick<Stage, "owners">} stage @param {number} row @param {number} rows */
export function ownerOf({ owners: [parts, part] }, row, rows) {
  return Math.floor((part * rows + row) / parts);
}

// Whether rows and keys of a head belong to other tokens than their places say, as one view cuts them.
export function areOfOthers(/** @type {Pick<Stage, "owners">} */ { owners: [parts] }) {
  return parts > 1;
}

// What a row of a matrix, or a key, is called where a sentence names it: by its token, or as a piece of the one that it
// really belongs to.
/** @param {Pick<Stage, "owners">} stage @param {number} at @param {string[]} names */
export function pieceNamed(stage, at, names) {
  return areOfOthers(stage) ? say("board.piece", { token: names[ownerOf(stage, at, names.length)], row: at })
    : names[at];
}

// What is named along an axis of this kind: the entries of a vocabulary, those of another sentence whose tokens are
// keys, or the tokens.
/** @param {Stage} stage @param {string} kind @param {string[]} tokens */
export function namesOn({ entries }, kind, tokens) {
  return kind === "entry" || (kind === "key" && entries.length) ? entries : tokens;
}

// Whether the rows of a matrix are tokens that are read, and others than those that read, or more.
export function isOfOthers(/** @type {Pick<Stage, "rows" | "entries">} */ { rows, entries }) {
  return rows === "key" && entries.length > 0;
}

// Whether these are vectors as they come in, which stand before those of the sentence: not keys and values made of
// them.
export function isWhatIsRead(/** @type {Pick<Stage, "rows" | "role" | "entries">} */ stage) {
  return isOfOthers(stage) && stage.role === "x";
}

// Whether it has the same rows as what stands before it, whose names are there already.
/** @param {Pick<Stage, "rows" | "role" | "entries">} stage
 *  @param {Pick<Stage, "rows" | "role" | "entries"> | undefined} before */
export function isNamedBefore(stage, before) {
  return before !== undefined && isWhatIsRead(stage) && isWhatIsRead(before)
    && stage.entries.length === before.entries.length;
}

// Of the remainder of a long sum, how many terms it holds.
/** @param {Cell} cell @param {number} value @param {number} count */
export function moreWritten(cell, value, count) {
  return say("explanation.step.more", { count, value: cell.write(value) });
}

export function grouped(/** @type {string} */ text) {
  return text.startsWith("−") ? `(${text})` : text;
}

export function largestFloat(/** @type {Cell} */ cell) {
  return say("explanation.trouble.largest", { dtype: FLOAT32.name, value: cell.write(FLOAT32.max) });
}

// Why its row adds up to 0: a mask hides all of it, or what it leaves is too small for float32.
export function nothingLeft(/** @type {MadeCell} */ cell) {
  const hidden = cell.sources.length > 1 && cell.sources[1].every(({ value }) => value === -Infinity);
  return hidden ? say("explanation.trouble.nothing_left")
    : say("explanation.trouble.too_little_left", { dtype: FLOAT32.name });
}

// That a source is no finite number; `name` is what it is called, its symbols where nothing is given.
/** @param {Cell} cell @param {Source} source */
export function already(cell, source, name = namedCell(cell, source)) {
  return say("explanation.trouble.already", { cell: name, value: cell.write(source.value) });
}

// A number with as many digits as have room in its cell.

// How wide a number is, in digits.
export function widthOf(/** @type {string} */ text) {
  return [...text].reduce((sum, letter) => sum + (letter === "." ? 0.52 : 1), 0);
}

// A number as it stands in a cell with room for so many digits: there's always one, and what isn't 0 is never written
// as 0. One that `keeps` its digits is longer than its room, unless powers of ten make it shorter.
/** @param {number} value @param {number} digits @param {number} room */
export function inCell(value, digits, room, keeps = false) {
  const texts = waysToWrite(value, digits);
  if (keeps && !texts[0].includes("e")) return texts[0];
  return texts.find((text) => widthOf(text) <= room) ?? texts[texts.length - 1];
}

// The ways to write a number, from the most digits to the fewest.
/** @param {number} value @param {number} digits */
function waysToWrite(value, digits) {
  const whole = inDigits(value, digits);
  if (!Number.isFinite(value)) return [written(value, digits)];
  if (value !== 0 && whole && numberOf(whole) === 0) return [NEARLY];
  const fixed =
    whole ? Array.from({ length: digits + 1 }, (_, at) => inDigits(value, digits - at)) : [written(value, digits)];
  const telling = fixed.filter((text) => value === 0 || numberOf(text) !== 0);
  const shortest = Math.abs(value) < 1 ? NEARLY : short(value);
  return [...telling.flatMap((text) => (value !== 0 && /^−?0\./.test(text) ? [text, text.replace("0.", ".")] : [text])),
    ...(value === 0 ? [] : [shortest])];
}

// Where one view cuts heads, rows belong to other tokens than their places say: the colour of each token, which its
// word, its name and the rows that are pieces of its own have.

const GOLDEN = 137.508; // degrees: tokens beside each other are far apart in hue

function colourOf(/** @type {number} */ token) {
  return `hsl(${Math.round((token * GOLDEN) % 360)} 70% 48%)`;
}

// Whether any matrix has rows of other tokens than their places say.
export function areMixed(/** @type {Iterable<Pick<Stage, "is">>} */ stages) {
  return [...stages].some(({ is }) => is.cuts);
}

// Give an element the colour of a token.
/** @param {HTMLElement} element @param {number} token */
export function colourAs(element, token) {
  element.classList.add("owned");
  element.style.setProperty("--whose", colourOf(token));
}

// Give a cell the colour of the token that its row really belongs to.
/** @param {HTMLElement} cell @param {Stage} stage @param {number} row @param {number} rows @param {boolean} turned */
export function colourByOwner(cell, stage, row, rows, turned) {
  if (!stage.is.cuts) return;
  colourAs(cell, ownerOf(stage, row, rows));
  if (turned) cell.classList.add("across");
}

// Where a matrix is pixels, the same as a stripe along its first cells; null where each row is in its place.
/** @param {Stage} stage @param {number} rows @param {boolean} turned */
export function stripeOfOwners(stage, rows, turned) {
  if (!stage.is.cuts) return null;
  const { canvas, context } = canvasOf(`owners${turned ? " across" : ""}`, turned ? rows : 1, turned ? 1 : rows);
  for (let row = 0; row < rows; row += 1) {
    context.fillStyle = colourOf(ownerOf(stage, row, rows));
    context.fillRect(turned ? row : 0, turned ? 0 : row, 1, 1);
  }
  return canvas;
}
