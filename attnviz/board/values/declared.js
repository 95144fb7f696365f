// Interprets what a rule declares of a cell (core/rules/expression.py): its number, and how far roundings may take it.
// Each expression is compiled to functions once.

import { normalShare, tolerance } from "./arithmetic.js";
import { total } from "./numbers.js";
import { CONSTANTS } from "../../scripts/sent.js";

/**
 * `At` is the cell to compute: its row i, its column j, and its sources. `folds` caches sums and largest numbers, by
 * expression and by the rows or columns that they depend on.
 * @typedef {Map<Expression, Map<number, number>>} Folds
 * @typedef {{ sources: Matrix[], i: number, j: number, folds?: Folds }} At
 * @typedef {(at: At, k: number) => number} Worked
 */

/** @type {Record<string, (x: number) => number>} */
export const FUNCTIONS = {
  exp: Math.exp, root: Math.sqrt, tanh: Math.tanh, cos: Math.cos, sin: Math.sin, rounded: Math.fround,
  normal: normalShare,
  ln: (x) => (x > 0 ? Math.log(x) : NaN),
  positive: (x) => Math.max(0, x),
  negative: (x) => -x,
  magnitude: (x) => (x === -Infinity ? 0 : Math.abs(x)),
  lasting: (x) => Math.fround(x) && x,
  away: (x) => Math.min(Math.abs(x), CONSTANTS.FAR),
  level: (x) => (Math.abs(x) <= CONSTANTS.READABLE ? 0 : x),
};
/** @type {Record<string, (x: number, y: number) => number>} */
const OPERATIONS = {
  "-": (x, y) => x - y,
  "/": (x, y) => (y === 0 ? NaN : x / y),
  hidden: (x, y) => (y === -Infinity ? y : x + y),
  weighed: (x, y) => x * Math.exp(y),
};
export const SAME = ["as_number", "at_once"];

/** @type {WeakMap<Expression, Worked>} */
const WORKED = new WeakMap();

/** @template {object} Key @template Value
 *  @param {{ get(key: Key): Value | undefined, set(key: Key, value: Value): any }} known @param {Key} key
 *  @param {() => Value} make @returns {Value} */
export function once(known, key, make) {
  const found = known.get(key);
  if (found !== undefined) return found;
  const value = make();
  known.set(key, value);
  return value;
}

// Return the function that computes an expression; it's made once.
/** @param {Expression} node @returns {Worked} */
export function worked(node) {
  return once(WORKED, node, () => workedOut(node));
}

/** @param {Expression} node @returns {Worked} */
function workedOut(node) {
  const [op, ...rest] = node;
  if (op === "number") return () => rest[0];
  if (op === "index") return indexOf(rest[0]);
  if (op === "at") return cellOf(rest[0], rest[1], rest[2]);
  if (op === "entry" || op === "power") {
    const at = indexOf(rest[1]);
    return op === "entry" ? (cell, k) => rest[0][at(cell, k)] : (cell, k) => rest[0] ** (-at(cell, k) / rest[2]);
  }
  if (op === "sum" || op === "max") return folded(node);
  if (op === "eps") return () => CONSTANTS.FLOAT32.eps;
  const first = worked(rest[0]);
  if (SAME.includes(op)) return first;
  if (op === "within") return (at, k) => Number(rest[1] < first(at, k) && first(at, k) < rest[2]);
  if (op in FUNCTIONS) {
    const act = FUNCTIONS[op];
    const works = (/** @type {At} */ at, /** @type {number} */ k) => act(first(at, k));
    if (readsIn(node, 1).length) return works;
    const value = op === "root" ? works({ sources: [], i: 0, j: 0 }, 0) : 0;
    return op === "root" ? () => value : onceAtEachPlace(works); // a root is always of a constant
  }
  const second = worked(rest[1]);
  // Frequent operations have functions of their own, because browsers run these faster.
  if (op === "+") return (at, k) => first(at, k) + second(at, k);
  if (op === "*") return (at, k) => first(at, k) * second(at, k);
  return (at, k) => OPERATIONS[op](first(at, k), second(at, k));
}

// Compute what depends on a cell's place alone only once for each place: it doesn't change with the numbers.
/** @param {Worked} works @returns {Worked} */
function onceAtEachPlace(works) {
  /** @type {Map<number, number>} */
  const known = new Map();
  return (at, k) => {
    const place = at.i * 2 ** 20 + at.j;
    const found = known.get(place);
    if (found !== undefined) return found;
    const value = works(at, k);
    known.set(place, value);
    return value;
  };
}

/** @param {number} source @param {Index} row @param {Index} column @returns {Worked} */
function cellOf(source, row, column) {
  if (String(row) === "0,1,0,0" && String(column) === "0,0,1,0")
    return ({ sources, i, j }) => sources[source].values[i * sources[source].columns + j];
  const [r, c] = [indexOf(row), indexOf(column)];
  return (at, k) => {
    const { columns, values } = at.sources[source];
    return values[r(at, k) * columns + c(at, k)];
  };
}

// Compute a sum or a largest number only once for all cells that share it.
/** @param {Expression} node @returns {Worked} */
function folded(node) {
  const [ofRow, ofColumn] = [1, 2].map((axis) => isOf(node, axis));
  return (at) => {
    const known = once(at.folds ??= new Map(), node, () => new Map());
    const place = (ofRow ? at.i * 2 ** 20 : 0) + (ofColumn ? at.j : 0);
    const found = known.get(place);
    if (found !== undefined) return found;
    const all = termsOf(node, at);
    const value = node[0] === "sum" ? total(all) : Math.max(...all);
    if (ofRow && ofColumn) known.clear();
    known.set(place, value);
    return value;
  };
}

// Whether an expression depends on the cell's row (axis 1) or column (axis 2).
/** @param {any} node @param {number} axis @returns {boolean} */
function isOf(node, axis) {
  if (!Array.isArray(node) || typeof node[0] !== "string") return false;
  if (["index", "entry", "power"].includes(node[0])) return true;
  if (node[0] !== "at") return node.slice(1).some((each) => isOf(each, axis));
  return node.slice(2).some((index) => index[axis] || (axis === 1 ? index[6]?.length : index[4]));
}

// The terms of a sum, or the numbers of which the largest is taken.
/** @param {Expression} node @param {At} at */
export function termsOf(node, at) {
  const [n, each, more] = [node[1], worked(node[2]), node.at(-1)];
  const all = Array.from({ length: n }, (_, k) => each(at, k));
  return more ? [...all, worked(more)(at, 0)] : all;
}

/** @param {Index} index @returns {Worked} */
export function indexOf([constant, ofI, ofJ, ofK, rest = 0, modulus = 1, entries = []]) {
  if (rest || entries.length) return ({ i, j }, k) =>
    constant + ofI * i + ofJ * j + ofK * k + rest * (j % modulus) + (entries.length ? entries[i] : 0);
  return ({ i, j }, k) => constant + ofI * i + ofJ * j + ofK * k;
}

/**
 * A piece of a declaration, with functions that tell whether it applies to a cell: `isPlace` judges by the cell's place
 * alone, `holds` by its sources' numbers as well.
 * @typedef {{ piece: Piece, isPlace: (at: At) => boolean, holds: (at: At) => boolean, value: Worked }} Choice
 */

/** @type {WeakMap<Piece[], Choice[]>} */
const CHOICES = new WeakMap();

export function choicesOf(/** @type {Piece[]} */ declared) {
  return once(CHOICES, declared, () => declared.map((piece) => {
    const places = piece.where.filter(([index]) => Array.isArray(index))
      .map(([index, low, high]) => ({ place: indexOf(index), low, high }));
    const numbers = piece.where.filter(([op]) => !Array.isArray(op)).map(worked);
    const isPlace = (/** @type {At} */ at) => {
      for (const { place, low, high } of places) if (place(at, 0) < low || place(at, 0) >= high) return false;
      return true;
    };
    const holds = numbers.length ? (/** @type {At} */ at) => isPlace(at)
      && numbers.every((number) => number(at, 0) > 0) : isPlace;
    return { piece, isPlace, holds, value: worked(piece.value) };
  }));
}

// The piece of a declaration that applies to a cell: the first one that holds.
/** @param {Piece[]} declared @param {At} at */
export function pieceAt(declared, at) {
  return /** @type {Choice} */ (choicesOf(declared).find(({ holds }) => holds(at))).piece;
}

// Compute a declared matrix, cell by cell.
/** @param {Piece[]} declared @param {[rows: number, columns: number]} shape @param {Matrix[]} sources
 *  @returns {Matrix} */
export function computed(declared, [rows, columns], sources) {
  const values = new Float64Array(rows * columns);
  const choices = choicesOf(declared);
  const last = choices.length - 1;
  /** @type {At} */
  const at = { sources, i: 0, j: 0, folds: undefined };
  for (let n = 0; at.i < rows; at.i += 1) {
    for (at.j = 0; at.j < columns; at.j += 1, n += 1) {
      let which = 0;
      while (which < last && !choices[which].holds(at)) which += 1;
      values[n] = Math.fround(choices[which].value(at, 0));
    }
  }
  return { rows, columns, values };
}

// What a cell should be, and how far the roundings that its piece declares may take it from that.
/** @param {Piece[]} declared @param {At} at @returns {Bounded} */
export function boundedBy(declared, at) {
  const { value, size, roundings: most } = pieceAt(declared, at);
  const roundings = typeof most === "number" ? most : worked(most)(at, 0);
  const isUnderMask = value[0] === "hidden" || value[0] === "weighed";
  const mask = isUnderMask ? worked(value[2])(at, 0) : 0;
  if (value[0] === "hidden" && mask === -Infinity) return { exact: mask, tolerance: 0 };
  const node = isUnderMask && mask === 0 ? value[1] : value;
  const all = mask === 0 ? roundings : roundings + value[3];
  return { exact: worked(node)(at, 0), tolerance: all === 0 ? 0 : tolerance(sizeOf(size ?? node, at), all) };
}

// The size of everything that an expression adds up.
/** @param {Expression} node @param {At} at @returns {number} */
function sizeOf(node, at) {
  const [op, one, other] = node;
  if (op === "+" || op === "-" || op === "hidden") return sizeOf(one, at) + sizeOf(other, at);
  if (op === "sum") return total(termsOf(node, at).map(Math.abs));
  return Math.abs(worked(node)(at, 0));
}

/** @typedef {{ source: number, row: Index, column: Index, n: number }} Read cells of one source that are read: their
 *  row and column, for each of n terms */

// All that an expression reads, in the order in which it does so; n is the number of terms of the sum around it, or 1.
/** @param {any} node @param {number} n @returns {Read[]} */
export function readsIn(node, n) {
  if (!Array.isArray(node) || typeof node[0] !== "string") return [];
  if (node[0] === "at") return [{ source: node[1], row: node[2], column: node[3], n }];
  const isFold = node[0] === "sum" || node[0] === "max";
  return node.slice(1).flatMap((each, place) => readsIn(each, isFold && place === 1 ? node[1] : n));
}
