// What stands where on the board, before anything is measured: the spine, with a row for each token, and over it the
// right factors of its products.

/** @import { Stage } from "../types.js" */
/** @import { Column } from "./types.js" */

/**
 * The columns of the spine, from left to right, of the stages that are placed. Over a product stands its right factor:
 * a given one with its bias under it; K on its side, with what it is made by over it; V with what it is made by at its left.
 * @param {Stage[]} stages @param {string[]} placed @returns {Column[]}
 */
export function planOf(stages, placed) {
  const table = new Map(stages.filter(({ name }) => placed.includes(name)).map((stage) => [stage.name, stage]));
  const get = (/** @type {string | undefined} */ name) => (name === undefined ? null : (table.get(name) ?? null));
  const taken = new Set();
  /** @type {Column[]} */
  const columns = [];
  // From the end on: a factor is known by what it is a factor of.
  for (const stage of [...table.values()].reverse()) {
    if (taken.has(stage.name)) continue;
    const product = stage.rule === "product";
    const factor = product ? get(stage.sources[1]) : null;
    const made = factor?.rule === "product";
    const column = {
      stage, factor,
      turned: product && stage.settings.transposed === true,
      bias: product ? get(stage.sources[2]) : null,
      weight: factor && made ? get(factor.sources[1]) : null,
      weightBias: factor && made ? get(factor.sources[2]) : null,
    };
    for (const each of [column.factor, column.bias, column.weight, column.weightBias]) if (each) taken.add(each.name);
    columns.unshift(column);
  }
  return columns.filter(({ stage }) => !taken.has(stage.name));
}
