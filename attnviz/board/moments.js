// A moment of a model that is trained, as a board sees it that has one head of one layer in view.

import { baseOf } from "./places.js";

/** @import { Matrices, Matrix, SentStage } from "./types.js" */

/**
 * What the table in view is given at a moment: of a matrix of all heads, the columns that are one head's own.
 * @param {SentStage[]} stages @param {Matrices} now of which each has its shape @param {Matrices} whole of the moment, by the names of the whole model
 * @returns {Matrices}
 */
export function ofMoment(stages, now, whole) {
  const given = stages.filter(({ rule }) => rule === "given");
  return Object.fromEntries(given.map((stage) => [stage.name, columnsOf(namedIn(whole, stage) ?? now[stage.name], stage.first, now[stage.name])]));
}

/** @param {Matrices} whole @param {SentStage} stage */
function namedIn(whole, { name, layer }) {
  const own = baseOf(name);
  return whole[name] ?? whole[`layers.${layer}.${own}`] ?? whole[own] ?? whole[`layers.0.${own}`];
}

/** @param {Matrix} matrix @param {number} first @param {Matrix} shape @returns {Matrix} */
function columnsOf({ rows, columns, values }, first, { columns: own }) {
  if (own === columns) return { rows, columns, values };
  const part = new Float64Array(rows * own);
  for (let row = 0; row < rows; row += 1) part.set(values.subarray(row * columns + first, row * columns + first + own), row * own);
  return { rows, columns: own, values: part };
}
