// What stands where on the board, before anything is measured: the spine, with a row for each token, and over it the
// right factors of its products.

import { isWhatIsRead } from "../cells/cell.js";

/** @import { Stage } from "../types.js" */
/** @import { Column } from "./types.js" */

/**
 * The columns of the spine, from left to right, of the stages that are placed. Over a product stands its right factor:
 * a given one with its bias under it; over scaled scores that stand beside scores, their mask; K on its side, with what it is made by over it; V with what it is made by at its left.
 * Where tokens are `many`, V stands in the spine, before what it is a factor of: over it, it would be as high as the spine.
 * What is read stands first, or, where nothing stands `beside` anything, where it's made.
 * @param {Stage[]} stages @param {string[]} placed @param {boolean} many @returns {Column[]}
 */
export function planOf(stages, placed, many, beside = true) {
  const all = new Map(stages.map((stage) => [stage.name, stage]));
  const table = new Map(stages.filter(({ name }) => placed.includes(name)).map((stage) => [stage.name, stage]));
  const get = (/** @type {string | undefined} */ name) => (name === undefined ? null : (table.get(name) ?? null));
  const taken = new Set();
  /** @type {Column[]} */
  const columns = [];
  // From the end on: a factor is known by what it is a factor of.
  for (const stage of [...table.values()].toReversed()) {
    if (taken.has(stage.name)) continue;
    // Scaled scores that stand in the place of scores have over them what these are made of.
    const made = stage.rule === "scale" && !table.has(stage.sources[0]) ? (all.get(stage.sources[0]) ?? stage) : stage;
    const product = made.rule === "product";
    const normed = made.rule === "layer_norm"; // its gain and its offset stand over it, as a factor and a bias do
    const masked = stage.rule === "scale" && made === stage && all.get(stage.sources[1])?.rule === "given"; // between two squares a third would be too much
    const by = made.rule === "relative"; // the numbers by distance stand over the bias that is made of them
    const right = product || normed || masked ? get(made.sources[1]) : by ? get(made.sources[0]) : null;
    const upright = many && right?.rows !== "feature" && made.settings.transposed !== true;
    const factor = upright ? null : right;
    const computed = factor?.rule === "product";
    const column = {
      stage, made, factor,
      turned: product && made.settings.transposed === true,
      bias: product || normed ? get(made.sources[2]) : null,
      weight: factor && computed ? get(factor.sources[1]) : null,
      weightBias: factor && computed ? get(factor.sources[2]) : null,
    };
    for (const each of [column.factor, column.bias, column.weight, column.weightBias]) if (each) taken.add(each.name);
    columns.unshift(column);
  }
  const ordered = maskBehind(beside ? readFirst(columns) : columns);
  return many ? factorsBefore(ordered) : ordered;
}

// What is read stands before those that read, with names of its own.
/** @param {Column[]} columns */
function readFirst(columns) {
  return columns.toSorted((one, other) => Number(isWhatIsRead(other.stage)) - Number(isWhatIsRead(one.stage)));
}

// A mask keeps its place while scaled scores stand in the place of scores.
/** @param {Column[]} columns */
function maskBehind(columns) {
  const at = columns.findIndex(({ stage, made }, i) => stage.rule === "scale" && made !== stage && stage.sources[1] === columns[i - 1]?.stage.name);
  return at < 1 ? columns : [...columns.slice(0, at - 1), columns[at], columns[at - 1], ...columns.slice(at + 1)];
}

// What is the right factor of a column further on stands right before it.
/** @param {Column[]} columns */
function factorsBefore(columns) {
  const isFactor = (/** @type {Column} */ { stage }) => columns.some((other) => other.stage.rule === "product" && other.stage.sources[1] === stage.name);
  return columns.flatMap((column) => {
    if (isFactor(column)) return [];
    const own = columns.filter((other) => isFactor(other) && other.stage.name === column.stage.sources[1]);
    return [...own, column];
  });
}
