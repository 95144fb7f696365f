// Which cells a cell is made from, as spans of rows and columns, and what a given one feeds. A matrix of a thousand
// tokens has a million cells: they are never made into places one by one.

import { hiddenIn } from "./values/evaluate.js";
import { reachIn } from "./values/declared.js";

/** @import { Made, Matrices, Matrix, Place, Span, Stage } from "./types.js" */

/** @typedef {((row: number, column: number) => boolean) | null} Hides whether a mask hides a cell; null where none can be hidden */

// The rectangle of cells [row, column], of which all are meant.
/** @param {[row: number, column: number][]} cells @returns {Span} */
function spanOf(cells) {
  const [first, last] = [cells[0], cells[cells.length - 1]];
  return { row: first[0], column: first[1], rows: last[0] - first[0] + 1, columns: last[1] - first[1] + 1 };
}

// Of each source of a stage, what a cell reads of it, as its rule declares it.
/** @param {Stage} stage @param {Matrices} matrices */
export function reachOf(stage, matrices) {
  return reachIn(stage, stage.sources.map((name) => matrices[name]));
}

/**
 * The cells that are made from a given one, by whatever way, without those that are masked: of each matrix, 1 for
 * each of its cells that is.
 * @param {Made} made @param {Place} place @returns {Record<string, Uint8Array>}
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
    const read = hidden && reached[first] && leavesOut(stage) ? { ...reached, [first]: seenOf(reached[first], matrices[first], hidden) } : reached;
    reached[stage.name] = through(stage, matrices, read, hiddenIn({ stages, matrices }, stages.get(first)));
    if (hidden) withoutHidden(reached[stage.name], matrices[stage.name], hidden);
  }
  delete reached[place.matrix];
  return reached;
}

/** @param {Stage} stage @param {Matrices} matrices @param {Record<string, Uint8Array>} reached @param {Hides} factorHides of its first source */
function through(stage, matrices, reached, factorHides) {
  const { rows, columns } = matrices[stage.name];
  const cells = new Uint8Array(rows * columns);
  reachOf(stage, matrices).forEach((reach, i) => {
    const name = stage.sources[i];
    if (!reached[name]) return;
    if (factorHides && stage.rule === "product" && i === 1) return mixed(cells, matrices[stage.name], reached[name], factorHides);
    const isAny = anyOf(matrices[name], reached[name]);
    // What does not depend on the column is asked once for a row, and the other way round.
    if (reach.isOwn && columns === matrices[name].columns) {
      for (let at = 0; at < cells.length; at += 1) cells[at] |= reached[name][at]; // each cell of its own
    } else if (!reach.byColumn) {
      for (let row = 0; row < rows; row += 1) if (isAny(reach(row, 0))) cells.fill(1, row * columns, (row + 1) * columns);
    } else if (!reach.byRow) {
      for (let column = 0; column < columns; column += 1) {
        if (isAny(reach(0, column))) for (let at = column; at < cells.length; at += columns) cells[at] = 1;
      }
    } else {
      for (let at = 0; at < cells.length; at += 1) if (isAny(reach(Math.floor(at / columns), at % columns))) cells[at] = 1;
    }
  });
  return cells;
}

// Whether shares are made of what isn't hidden alone: the others don't even count in a sum.
/** @param {Stage} stage */
function leavesOut({ rule, sources, settings: { shared, axis } }) {
  return sources.length > 1 && (rule === "share" || (rule === "softmax" && shared && axis === "rows"));
}

/** @param {Uint8Array} cells @param {Matrix} matrix @param {(row: number, column: number) => boolean} hidden */
function seenOf(cells, { columns }, hidden) {
  return cells.map((is, at) => (is && !hidden(Math.floor(at / columns), at % columns) ? 1 : 0));
}

// What is multiplied by a weight that a mask hides is multiplied by nothing: rows that a row may read come through.
/** @param {Uint8Array} cells @param {Matrix} matrix @param {Uint8Array} read of the right factor @param {(row: number, column: number) => boolean} hides */
function mixed(cells, { rows, columns }, read, hides) {
  const lines = Array.from({ length: read.length / columns }, (_, at) => read.subarray(at * columns, (at + 1) * columns));
  const reached = lines.flatMap((line, at) => (line.includes(1) ? [at] : []));
  const all = lines[0].map((_, column) => Number(reached.some((at) => lines[at][column])));
  for (let row = 0; row < rows; row += 1) {
    const own = cells.subarray(row * columns, (row + 1) * columns);
    for (const at of reached) {
      if (hides(row, at)) continue;
      lines[at].forEach((is, column) => (own[column] |= is));
      if (own.every((is, column) => is >= all[column])) break; // nothing is left to come
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
      // What is hidden has no number: of most cells that alone tells.
      if (cells[at] && (values[at] === 0 || values[at] === -Infinity) && hidden(row, column)) cells[at] = 0;
    }
  }
}

// The spans of the sources of a cell that lie in one matrix.
/** @param {Place[][]} sources @param {string} matrix @returns {Span[]} */
export function spansIn(sources, matrix) {
  const own = sources.filter((block) => block.length && block[0].matrix === matrix);
  return own.flatMap((block) => {
    const span = spanOf(block.map(({ row, column }) => [row, column]));
    // Two cells that lie apart, as a pair that is turned together may, are a span each.
    return span.rows * span.columns === block.length ? [span] : block.map(({ row, column }) => ({ row, column, rows: 1, columns: 1 }));
  });
}
