// Names, owners and written numbers of cells, for drawing and for explaining them; core/rules/explaining/cell.py does
// the same in Python.

import { canvasOf } from "./elements.js";
import { FLOAT32 } from "../values/arithmetic.js";
import { NEARLY, inDigits, numberOf, short, written } from "../values/numbers.js";
import { say } from "../../scripts/sentences.js";

const NO_DIGIT = 1e-9; // sums of written numbers that differ by less are equal, apart from float64's rounding

// The remark beside a matrix's name about the numbers in `cells`: “(≈)” if the attention weights of a row, as written,
// don't add up to `whole` (1, or 100 for percentages); at the first matrix with a column for each key, what grey means.
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

// A row or a column in words: its kind and index, such as "query 1".
/** @param {string} kind @param {number | string} index */
export function lineNamed(kind, index) {
  return say(`explanation.line.${kind}`, { index });
}

// The distance between key and query that a column of a matrix by distance stands for; negative for earlier keys.
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

// A matrix's symbol; with several heads, the head's number is added, or its group's where heads share the matrix.
export function symbolOf(/** @type {Stage} */ { symbol, head, shared_by: heads }) {
  return head === null ? symbol : `${symbol}${lowered(Math.floor(head / heads))}`;
}

// A number as a subscript.
export function lowered(/** @type {number} */ number) {
  return String(number).replace(/[0-9]/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);
}

/** @param {Pick<Cell, "trace">} cell
 *  @param {{ matrix: string, row: number | string, column: number | string }} place */
export function namedCell({ trace }, { matrix, row, column }) {
  return nameOf(trace.stages.get(matrix), row, column);
}

// The token that a row of a matrix stands for, with its index if the text occurs twice; null if it stands for no token.
/** @param {Pick<Cell, "trace">} cell @param {Pick<Place, "matrix" | "row">} source */
export function tokenOf({ trace }, { matrix, row }) {
  const stage = trace.stages.get(matrix);
  if (stage.rows === "entry") return stage.entries[row] ?? null;
  const tokens = namesOn(stage, stage.rows, trace.tokens);
  if (stage.rows === "feature" || row >= tokens.length) return null;
  const whose = ownerOf(stage, row, tokens.length);
  const stands = tokens.filter((other) => other === tokens[whose]).length;
  return stands > 1 ? `${tokens[whose]} (${whose})` : tokens[whose];
}

/** @type {Record<string, string>} */
export const AGES = { now: "●", cache: "○", before: "–" }; // the marks that cells.css draws

// While a model writes on, whether a row was computed "now" or "before", or comes from the "cache"; otherwise "".
/** @param {Pick<BoardData, "ages">} data @param {string} matrix @param {number} row */
export function ageOf({ ages }, matrix, row) {
  const old = ages?.of[matrix];
  return ages && old ? (row < ages.from ? old : "now") : "";
}

// The index of the token that a row or a key, of `rows` in all, really belongs to: its own, unless one `view` cuts the
// heads without a transpose, as in a common mistake.
/** @param {Pick<Stage, "owners">} stage @param {number} row @param {number} rows */
export function ownerOf({ owners: [parts, part] }, row, rows) {
  return Math.floor((part * rows + row) / parts);
}

// Whether a head's rows and keys belong to other tokens than their indices say, because one `view` cuts the heads.
export function areOfOthers(/** @type {Pick<Stage, "owners">} */ { owners: [parts] }) {
  return parts > 1;
}

// The name of a row or a key in a sentence: its token, or "a piece of" the token that it really belongs to.
/** @param {Pick<Stage, "owners">} stage @param {number} at @param {string[]} names */
export function pieceNamed(stage, at, names) {
  return areOfOthers(stage) ? say("board.piece", { token: names[ownerOf(stage, at, names.length)], row: at })
    : names[at];
}

// The names along an axis of this kind: a vocabulary's entries, the keys where these aren't just the sentence's own
// tokens, or else the tokens.
/** @param {Stage} stage @param {string} kind @param {string[]} tokens */
export function namesOn({ entries }, kind, tokens) {
  return kind === "entry" || (kind === "key" && entries.length) ? entries : tokens;
}

// Whether a matrix has a row for each key where the keys differ from the queries' tokens: tokens of another sentence,
// or earlier ones as well.
export function isOfOthers(/** @type {Pick<Stage, "rows" | "entries">} */ { rows, entries }) {
  return rows === "key" && entries.length > 0;
}

// Whether a matrix holds the input vectors of such keys, which the board draws before the sentence's own vectors. K and
// V, which are computed from these vectors, don't count.
export function isWhatIsRead(/** @type {Pick<Stage, "rows" | "role" | "entries">} */ stage) {
  return isOfOthers(stage) && stage.role === "x";
}

// Whether a matrix has the same rows as the one on its left, where their names are shown already.
/** @param {Pick<Stage, "rows" | "role" | "entries">} stage
 *  @param {Pick<Stage, "rows" | "role" | "entries"> | undefined} before */
export function isNamedBefore(stage, before) {
  return before !== undefined && isWhatIsRead(stage) && isWhatIsRead(before)
    && stage.entries.length === before.entries.length;
}

// The words for the rest of a long sum: how many terms it has, and their total.
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

// Why the row adds up to 0: a mask hides all of it, or the rest is too small for float32.
export function nothingLeft(/** @type {MadeCell} */ cell) {
  const hidden = cell.sources.length > 1 && cell.sources[1].every(({ value }) => value === -Infinity);
  return hidden ? say("explanation.trouble.nothing_left")
    : say("explanation.trouble.too_little_left", { dtype: FLOAT32.name });
}

// The sentence that a source isn't a finite number; `name` defaults to the source's symbols.
/** @param {Cell} cell @param {Source} source */
export function already(cell, source, name = namedCell(cell, source)) {
  return say("explanation.trouble.already", { cell: name, value: cell.write(source.value) });
}

// ---- a number with as many digits as fit into its cell ----

// A number's width, measured in digits.
export function widthOf(/** @type {string} */ text) {
  return [...text].reduce((sum, letter) => sum + (letter === "." ? 0.52 : 1), 0);
}

// A number's text in a cell with room for `room` digits. There's always at least one digit, and only 0 is written as 0.
// With `keeps`, the text keeps all digits even if it is too long, unless it is written with a power of ten.
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

// ---- colours of tokens ----

// If one `view` without a transpose cuts the heads, rows belong to other tokens than their indices say. Each token then
// has a colour, shown on its chip, on its name, and on the rows that really belong to it.

const GOLDEN = 137.508; // degrees, the golden angle: neighbouring tokens get very different hues

function colourOf(/** @type {number} */ token) {
  return `hsl(${Math.round((token * GOLDEN) % 360)} 70% 48%)`;
}

// Whether any matrix has rows that belong to other tokens than their indices say.
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

// The same colours for a matrix that is drawn as pixels: a stripe along its first cells. Null if no row is misplaced.
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
