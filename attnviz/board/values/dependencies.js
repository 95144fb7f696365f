// Which cells a cell is made from, by its rule's declaration, and which cells an input cell feeds. It works with spans
// of rows and columns, because a matrix for a thousand tokens has a million cells, too many to list one by one.

import { choicesOf, indexOf, once, readsIn } from "./declared.js";
import { valueAt } from "./matrices.js";

/** @import { At, Read } from "./declared.js" */

/**
 * Returns the span of a source that a cell is made from. `byRow` and `byColumn` say whether the span depends on the
 * cell's row and column, and `isOwn` whether it's always the cell in the same place.
 * @typedef {((row: number, column: number) => Span) & { byRow: boolean, byColumn: boolean, isOwn: boolean }} Reach
 */

const isLine = (/** @type {Index} */ index) => String(index) === "0,0,0,1";

// Whether one read is covered by another, which takes a whole line or the whole matrix.
/** @param {Matrix} matrix @returns {(one: Read, other: Read) => boolean} */
function coveredIn({ rows, columns }) {
  return (one, other) => {
    if (one.n >= other.n)
      return one !== other && one.n === other.n && `${one.row};${one.column}` === `${other.row};${other.column}`;
    if (other.n === rows * columns && isLine(other.column)) return true;
    if (isLine(other.column)) return other.n === columns && String(one.row) === String(other.row);
    return isLine(other.row) && other.n === rows && String(one.column) === String(other.column);
  };
}

/** @type {WeakMap<Piece[], Reach[]>} */
const REACHES = new WeakMap();

// The cells that a cell reads, for each source of its stage.
/** @param {Stage} stage @param {Matrices} matrices @returns {Reach[]} */
export function reachOf({ declared, sources }, matrices) {
  return once(REACHES, declared, () => sources.map((name, at) => reachOver(declared, matrices[name], at)));
}

/** @param {Piece[]} declared @param {Matrix} matrix @param {number} source @returns {Reach} */
function reachOver(declared, matrix, source) {
  const isCovered = coveredIn(matrix);
  const reads = declared.map(({ value }) => {
    const all = readsIn(value, 1).filter((read) => read.source === source && read.n > 0);
    return all.filter((one, at) => !all.some((other, i) => isCovered(one, other) && (one.n < other.n || i < at)));
  });
  const spans = reads.map((all) => spanOver(all, matrix.columns));
  const choices = choicesOf(declared);
  /** @param {number} i @param {number} j */
  const reach = (i, j) => {
    const at = { sources: [], i, j };
    return spans[choices.length === 1 ? 0 : choices.findIndex(({ isPlace }) => isPlace(at))](at);
  };
  const places = declared.flatMap(({ where }) => where.map(([index]) => index).filter(Array.isArray));
  const indices = [...places, ...reads.flat().flatMap(({ row, column }) => [row, column])];
  const byRow = indices.some(([, ofI, , , , , entries = []]) => ofI !== 0 || entries.length > 0);
  const byColumn = indices.some(([, , ofJ, , rest = 0]) => ofJ !== 0 || rest !== 0);
  const isOwn = declared.length === 1 && reads[0].length === 1
    && `${reads[0][0].row};${reads[0][0].column}` === "0,1,0,0;0,0,1,0";
  return Object.assign(reach, { byRow, byColumn, isOwn });
}

/** @param {Read[]} reads @param {number} width @returns {(at: At) => Span} */
function spanOver(reads, width) {
  const ends = reads.map(({ row, column, n }) => {
    const [r, c] = [indexOf(row), indexOf(column)];
    return (/** @type {At} */ at) => {
      const [first, last] = [r(at, 0) * width + c(at, 0), r(at, n - 1) * width + c(at, n - 1)];
      const [top, bottom] = [Math.floor(first / width), Math.floor(last / width)];
      const goesOn = top !== bottom && row[3] === 0; // a read that continues in the next row takes all columns
      return { top, bottom, left: goesOn ? 0 : first % width, right: goesOn ? width - 1 : last % width };
    };
  });
  if (!ends.length) return () => ({ row: 0, column: 0, rows: 0, columns: 0 });
  return (at) => {
    const [one, other = one] = ends.map((each) => each(at));
    const [row, column, end] = [Math.min(one.top, other.top), Math.min(one.left, other.left),
      Math.max(one.right, other.right)];
    const isPair = one.left === one.right && other.left === other.right && end > column + 1;
    return { row, column, rows: Math.max(one.bottom, other.bottom) - row + 1, columns: end - column + 1,
      ...(isPair ? { step: end - column } : {}) };
  };
}

// The cells of a span, as [row, column].
/** @param {Span} span @returns {[row: number, column: number][]} */
function cellsIn({ row, column, rows, columns, step = 1 }) {
  const width = Math.ceil(columns / step);
  return Array.from({ length: rows * width }, (_, at) => [row + Math.floor(at / width), column + (at % width) * step]);
}

/** @typedef {{ stages: Stages, matrices: Matrices }} Numbers */
/** @typedef {((row: number, column: number) => boolean) | null} Hides tells whether a mask hides a cell; null if no
 *  mask can */

// The span from the first to the last of these cells, [row, column], which should fill it.
/** @param {[row: number, column: number][]} cells @returns {Span} */
function spanOf(cells) {
  const [first, last] = [cells[0], cells[cells.length - 1]];
  return { row: first[0], column: first[1], rows: last[0] - first[0] + 1, columns: last[1] - first[1] + 1 };
}

// The cells that a cell is made from: for each source, a list of { matrix, row, column }.
/** @param {Stage} stage @param {number} row @param {number} column @param {Matrices} matrices @returns {Place[][]} */
export function sourcesOf(stage, row, column, matrices) {
  if (stage.rule === "given") return [];
  const spans = reachOf(stage, matrices).map((reach) => cellsIn(reach(row, column)));
  return spans.map((cells, i) => cells.map(([r, c]) => ({ matrix: stage.sources[i], row: r, column: c })));
}

// Whether a mask hides a cell, or the score that it's a share of.
/** @param {Numbers} trace @param {Stage} stage @param {number} row @param {number} column */
export function isMasked(trace, stage, row, column) {
  return hiddenIn(trace, stage)?.(row, column) ?? false;
}

// Return a function that tells whether a mask hides a cell of a stage; null if none can be hidden.
/** @param {Numbers} trace @param {Stage} stage @returns {((row: number, column: number) => boolean) | null} */
export function hiddenIn({ stages, matrices }, stage) {
  const masks = masksOf(stages, stage).map((name) => matrices[name]);
  if (!masks.length) return null;
  return (row, column) => masks.some((mask) => valueAt(mask, row, column) === -Infinity);
}

// The masks that hide cells of a stage where they hold −∞: its own, and that of the scores that it is shares of.
/** @param {Stages} stages @param {Stage} stage */
function masksOf(stages, stage) {
  const scores = stage.is.shares ? stage.sources : stage.hidden_with ? [stage.hidden_with] : [];
  const makers = [stage, ...scores.map((name) => stages.get(name))];
  return makers.flatMap(({ masked_by: by }) => (by ? [by] : []));
}

/**
 * Return which cells an input cell feeds, directly or through others, without those that a mask hides. Each matrix that
 * is reached has an array with 1 for each of these cells.
 * @param {Trace} trace @param {Place} place @returns {Record<string, Uint8Array>}
 */
export function feeds({ stages, matrices }, place) {
  const start = new Uint8Array(matrices[place.matrix].values.length);
  start[place.row * matrices[place.matrix].columns + place.column] = 1;
  /** @type {Record<string, Uint8Array>} */
  const reached = { [place.matrix]: start };
  for (const stage of stages.values()) {
    if (stage.rule === "given" || !matrices[stage.name] || !stage.sources.some((name) => reached[name])) continue;
    const hidden = hiddenIn({ stages, matrices }, stage);
    const [first] = stage.sources;
    // If shares are made of visible scores alone, hidden ones don't even count in the sum.
    const leavesOut = stage.sources.length > 1 && stage.is.shares?.all;
    const read = hidden && reached[first] && leavesOut
      ? { ...reached, [first]: seenOf(reached[first], matrices[first], hidden) } : reached;
    reached[stage.name] = through(stage, matrices, read, hiddenIn({ stages, matrices }, stages.get(first)));
    if (hidden) withoutHidden(reached[stage.name], matrices[stage.name], hidden);
  }
  delete reached[place.matrix];
  return reached;
}

/** @param {Stage} stage @param {Matrices} matrices @param {Record<string, Uint8Array>} reached
 *  @param {Hides} factorHides tells which cells of the first source are hidden */
function through(stage, matrices, reached, factorHides) {
  const { rows, columns } = matrices[stage.name];
  const cells = new Uint8Array(rows * columns);
  reachOf(stage, matrices).forEach((reach, i) => {
    const name = stage.sources[i];
    if (!reached[name]) return;
    if (factorHides && stage.is.product && i === 1)
      return mixed(cells, matrices[stage.name], reached[name], factorHides);
    const isAny = anyOf(matrices[name], reached[name]);
    // A reach that doesn't depend on the column is computed once for each row, and one that doesn't depend on the row
    // once for each column.
    if (reach.isOwn && columns === matrices[name].columns) {
      for (let at = 0; at < cells.length; at += 1) cells[at] |= reached[name][at]; // each from the cell in its place
    } else if (!reach.byColumn) {
      for (let row = 0; row < rows; row += 1) if (isAny(reach(row, 0))) cells.fill(1, row * columns,
        (row + 1) * columns);
    } else if (!reach.byRow) {
      for (let column = 0; column < columns; column += 1) {
        if (isAny(reach(0, column))) for (let at = column; at < cells.length; at += columns) cells[at] = 1;
      }
    } else {
      for (let at = 0; at < cells.length; at += 1) if (isAny(reach(Math.floor(at / columns),
        at % columns))) cells[at] = 1;
    }
  });
  return cells;
}

/** @param {Uint8Array} cells @param {Matrix} matrix @param {(row: number, column: number) => boolean} hidden */
function seenOf(cells, { columns }, hidden) {
  return cells.map((is, at) => (is && !hidden(Math.floor(at / columns), at % columns) ? 1 : 0));
}

// Mark what a product of weights and values reaches. A hidden weight multiplies its row of values by 0, so a row of the
// product is reached only through the rows whose weights no mask hides.
/** @param {Uint8Array} cells @param {Matrix} matrix @param {Uint8Array} read of the right factor
 *  @param {(row: number, column: number) => boolean} hides */
function mixed(cells, { rows, columns }, read, hides) {
  const lines =
    Array.from({ length: read.length / columns }, (_, at) => read.subarray(at * columns, (at + 1) * columns));
  const reached = lines.flatMap((line, at) => (line.includes(1) ? [at] : []));
  const all = lines[0].map((_, column) => Number(reached.some((at) => lines[at][column])));
  for (let row = 0; row < rows; row += 1) {
    const own = cells.subarray(row * columns, (row + 1) * columns);
    for (const at of reached) {
      if (hides(row, at)) continue;
      lines[at].forEach((is, column) => (own[column] |= is));
      if (own.every((is, column) => is >= all[column])) break; // nothing more can be reached
    }
  }
}

/** @param {Matrix} matrix @param {Uint8Array} cells @returns {(span: Span) => boolean} */
function anyOf({ columns }, cells) {
  return (span) => {
    const { step = 1 } = span;
    for (let row = span.row; row < span.row + span.rows; row += 1) {
      const start = row * columns + span.column;
      if (step > 1 && (cells[start] || cells[start + step])) return true;
      if (step > 1) continue;
      if (span.columns === 1 ? cells[start] : cells.subarray(start, start + span.columns).includes(1)) return true;
    }
    return false;
  };
}

/** @param {Uint8Array} cells @param {Matrix} matrix @param {(row: number, column: number) => boolean} hidden */
function withoutHidden(cells, { rows, columns, values }, hidden) {
  for (let row = 0, at = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1, at += 1) {
      // Hidden cells are 0 or −∞; this test rules out most cells without asking the mask.
      if (cells[at] && (values[at] === 0 || values[at] === -Infinity) && hidden(row, column)) cells[at] = 0;
    }
  }
}

// The spans of one matrix that a cell's sources fill.
/** @param {Place[][]} sources @param {string} matrix @returns {Span[]} */
export function spansIn(sources, matrix) {
  const own = sources.filter((block) => block.length && block[0].matrix === matrix);
  return own.flatMap((block) => {
    const span = spanOf(block.map(({ row, column }) => [row, column]));
    // Two cells that lie apart, as those of a rotated pair may, are a span each.
    return span.rows * span.columns === block.length ? [span]
      : block.map(({ row, column }) => ({ row, column, rows: 1, columns: 1 }));
  });
}
