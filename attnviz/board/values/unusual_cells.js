// Notes on a cell that is out of the ordinary; core/rules/explaining/unusual_cells.py does the same in Python.

import { say } from "../../scripts/sentences.js";
import { already, grouped, largestFloat, nothingLeft } from "../cells/cell.js";
import { FLOAT32 } from "./arithmetic.js";
import { decimal, sign, sumOf } from "./decimals.js";
import { indexOf, worked } from "./declared.js";
import { valueAt } from "./matrices.js";
import { inSum } from "./steps.js";

/**
 * @import { At } from "./declared.js"
 * @typedef {{ symbols: string, asides: string[], beside: (place: Pick<Place, "row" | "column">) => string,
 *   say: (sentence?: Sentence) => string }} Saying what was said of a cell; `beside` writes a cell of its first source
 */

const isBroken = (/** @type {{ value: number }} */ { value }) => !Number.isFinite(value);
const onTheWay = (/** @type {MadeCell} */ cell) =>
  say("explanation.trouble.on_the_way", { largest: largestFloat(cell) });
const quotientBeyond = (/** @type {MadeCell} */ cell) =>
  say("explanation.trouble.quotient_beyond", { largest: largestFloat(cell) });

// The functions for each `trouble` that a declaration names.
/** @type {Record<string, (cell: MadeCell, at: At, piece: Piece, saying: Saying) => string[]>} */
const KINDS = { copied, read, row: wholeRow, logits, quotient, share, softmax, direction, sum: summed,
  turned: summed };

/** @param {MadeCell} cell @param {At} at @param {Piece} piece @param {Saying} saying */
export function notesOf(cell, at, piece, saying) {
  return KINDS[piece.trouble](cell, at, piece, saying);
}

function read(/** @type {MadeCell} */ cell) {
  const broken = cell.sources.slice(0, cell.masked ? 1 : undefined).flat().find(isBroken);
  return broken ? [already(cell, broken)] : isBroken(cell) && !cell.masked ? [onTheWay(cell)] : [];
}

function copied(/** @type {MadeCell} */ cell) {
  return isBroken(cell) ? read(cell) : [];
}

function wholeRow(/** @type {MadeCell} */ cell) {
  const isUndefined = isBroken(cell) && cell.sources.flat().some(isBroken);
  return [...copied(cell), ...(isUndefined ? [say("explanation.trouble.undefined_row")] : [])];
}

// The first score that makes the whole row undefined.
function undefining(/** @type {MadeCell} */ { sources: [row] }) {
  return row.find(({ value }) => Number.isNaN(value) || value === Infinity);
}

/** @param {MadeCell} cell @param {At} at @param {Piece} piece */
function logits(cell, at, { value }) {
  const shift = worked(levelIn(value))(at, 0);
  const said = shift && Number.isFinite(shift)
    ? [say("explanation.surprise.lowered", { largest: cell.write(shift) })] : [];
  const broken = isBroken(cell) && undefining(cell);
  return [...said, ...(broken ? [already(cell, broken), say("explanation.trouble.undefined_row")] : copied(cell))];
}

/** @param {any} node @returns {any} */
export function levelIn(node) {
  if (!Array.isArray(node)) return null;
  return node[0] === "level" ? node : node.reduce((found, each) => found ?? levelIn(each), null);
}

/** @param {MadeCell} cell @param {At} at @param {Piece} piece */
function quotient(cell, at, { value }) {
  const [[score], [mask] = []] = cell.sources;
  const said = isBroken(score) ? [already(cell, score)] : isBroken(cell) && !cell.masked ? [quotientBeyond(cell)] : [];
  if (value[0] !== "hidden" || cell.masked) return said;
  const divided = worked(value[1])(at, 0);
  // Beside a mask so large, float32 has no digits left for the score.
  if (!mask.value || cell.value !== mask.value || !divided || !Number.isFinite(mask.value)) return said;
  return [...said, say("explanation.scale.swallowed",
    { mask: cell.write(mask.value), score: cell.write(divided), dtype: FLOAT32.name })];
}

/** @param {MadeCell} cell @param {At} at @param {Piece} piece */
function share(cell, at, { value }) {
  const said = cell.masked ? [say("explanation.share.closed", { why: whyHidden(cell) })] : [];
  if (!isBroken(cell)) return said;
  const broken = cell.sources[0].find(isBroken);
  if (broken) return [...said, already(cell, broken)];
  return [...said, worked(value[2])(at, 0) === 0 ? nothingLeft(cell) : quotientBeyond(cell)];
}

/** @param {MadeCell} cell @param {At} at @param {Piece} piece @param {Saying} saying */
function softmax(cell, at, { value, share: before }, saying) {
  const isShare = Number.isFinite(before ? worked(before)(at, 0) : cell.value);
  const said = saying.symbols ? [
    ...saying.asides,
    ...lowered(cell, at, saying),
    ...(cell.masked && !before ? [say("explanation.softmax.masked")] : []),
    ...(isShare || !isBroken(cell) ? [] : undefinedLine(cell, saying)),
  ] : [];
  if (!before) return said;
  if (cell.masked) said.push(say("explanation.softmax.closed", { why: whyHidden(cell) }));
  if (!isShare) return said;
  if (Number.isNaN(worked(value)(at, 0))) return [...said, nothingLeft(cell)];
  return isBroken(cell) ? [...said, quotientBeyond(cell)] : said;
}

// Say which number is subtracted from all scores of a line, and what remains of the cell's own score.
/** @param {MadeCell} cell @param {At} at @param {Saying} saying */
function lowered(cell, at, saying) {
  const [{ line, sink }] = cell.stage.declared;
  const shift = worked(levelIn(cell.stage.declared[0].value))(at, 0);
  if (shift === 0) return [];
  const score = valueAt(at.sources[0], cell.row, cell.column);
  const [value, largest, less] = [score, shift, score - shift].map(cell.write);
  const kind = !Number.isFinite(shift) ? "_to_nothing" : shift === sink ? "_sink" : "";
  const said = [say(`explanation.softmax.lowered${kind}`, { line: saying.say(line), largest })];
  if (!Number.isFinite(shift) || !Number.isFinite(score)) return said;
  const exact = sign(sumOf([decimal(value), decimal(cell.write(-shift))]), less) === "=" ? "" : "_rounded";
  return [...said, say(`explanation.softmax.less${exact}`, { score: saying.beside(cell), value, less })];
}

// Say which score makes a whole line undefined, or that none is finite.
/** @param {MadeCell} cell @param {Saying} saying */
function undefinedLine(cell, saying) {
  const [{ line, undefined: whole }] = cell.stage.declared;
  const broken = undefining(cell);
  const why = !broken
    ? [say("explanation.trouble.no_score", { line: saying.say(line) }), say("explanation.trouble.quotient")]
    : [already(cell, broken, saying.beside(broken)),
      ...(Number.isNaN(broken.value) ? [] : [say("explanation.trouble.difference")])];
  return [...why, saying.say(whole)];
}

/** @param {MadeCell} cell @param {At} at @param {Piece} piece */
function direction(cell, at, piece) {
  const isNone = worked(piece.value[1][2])(at, 0) === 0;
  return [...summed(cell, at, piece), ...(isNone ? [say("explanation.product.no_direction")] : [])];
}

/** @param {MadeCell} cell @param {At} at @param {Piece} piece */
function summed(cell, at, { value: node, trouble }) {
  if (!isBroken(cell)) return [];
  const terms = addends(cell, at, node);
  const factors = terms.flatMap((term) => term.factors);
  const broken = factors.find(isBroken);
  const noNumber = Number.isNaN(cell.value) && terms.length > 1 ? [say("explanation.trouble.difference")] : [];
  if (broken) {
    if (factors.some(({ value }) => Number.isNaN(value))) return [already(cell, broken)];
    return [already(cell, broken),
      ...(terms.some(({ value }) => Number.isNaN(value)) ? [say("explanation.trouble.product")] : noNumber)];
  }
  const over = terms.filter(({ value }) => Math.abs(value) > FLOAT32.max);
  if (over.length) return [...beyond(cell, terms, over), ...noNumber];
  if (trouble === "turned" || terms.some((term) => term.factors.length > 1)) return [onTheWay(cell), ...noNumber];
  return [isBeyond(cell, inSum(terms.map(({ value }) => cell.write(value))), worked(node)(at, 0)), ...noNumber];
}

/** @param {MadeCell} cell @param {Term[]} terms @param {Term[]} over */
function beyond(cell, terms, over) {
  const worst = over.reduce((most, term) => (Math.abs(term.value) > Math.abs(most.value) ? term : most));
  const factors = worst.factors.map(({ value }) => cell.write(value));
  const n = over.length - 1;
  const more = n ? [say("explanation.trouble.others_beyond", { n, terms: terms.length })] : [];
  return [isBeyond(cell, factors.length > 1 ? factors.map(grouped).join(" × ") : factors[0], worst.value), ...more];
}

/** @param {MadeCell} cell @param {string} arithmetic @param {number} value */
function isBeyond(cell, arithmetic, value) {
  const infinite = cell.write(value < 0 ? -Infinity : Infinity);
  return say("explanation.trouble.beyond",
    { arithmetic: `${arithmetic} = ${cell.write(value)}`, largest: largestFloat(cell), infinite });
}

/** @param {MadeCell} cell @param {At} at @param {Expression} node @returns {Term[]} */
function addends(cell, at, node) {
  if (node[0] === "at_once") return addends(cell, at, node[1][1][1]); // for a cosine, its undivided product
  if (node[0] === "+") return node.slice(1).flatMap((each) => addends(cell, at, /** @type {any} */ (each)));
  const [each, n] = node[0] === "sum" ? [node[2], node[1]] : [node, 1];
  return Array.from({ length: n },
    (_, k) => ({ value: worked(each)(at, k), factors: factorsIn(cell, at, each, k), count: 1 }));
}

// The cells that an expression reads, except those inside sums and largest numbers, which all terms of a line share.
/** @param {MadeCell} cell @param {At} at @param {any} node @param {number} k @returns {Source[]} */
function factorsIn(cell, at, node, k) {
  if (!Array.isArray(node) || ["sum", "max"].includes(node[0])) return [];
  if (node[0] !== "at") return node.slice(1).flatMap((each) => factorsIn(cell, at, each, k));
  const [row, column] = [indexOf(node[2])(at, k), indexOf(node[3])(at, k)];
  return [{ matrix: cell.stage.sources[node[1]], row, column, value: worked(/** @type {any} */ (node))(at, k) }];
}

// Why a mask hides a cell, in words.
export function whyHidden(/** @type {MadeCell} */ { trace, stage, row, column, ofRow, ofColumn }) {
  const { key, n } = reasonOf(trace.matrices[stage.sources[1]], row, column, stage.first_own_key);
  return say(`explanation.hidden.${key}`, { key: ofColumn, query: ofRow, n });
}

// The first of Python's reasons that explains this cell, and whose cells are all hidden. If keys are of another
// sentence, reasons that depend on positions don't count.
/** @param {Matrix} mask @param {number} row @param {number} column @param {number | null} from
 *  @returns {Pick<Why, "key" | "n">} */
function reasonOf({ rows, columns, values, whys = [] }, row, column, from) {
  const hides = (/** @type {number} */ at) => values[at] === -Infinity;
  if (Array.from({ length: rows }, (_, r) => r * columns + column).every(hides)) return { key: "nobody", n: 0 };
  return whys.find(({ cells, placed }) => !(placed && from === null) && cells[row * columns + column]
    && cells.every((own, at) => !own || hides(at))) ?? { key: "painted", n: 0 };
}
