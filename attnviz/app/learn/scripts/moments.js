// The whole table of a model at any kept moment, evaluated in the page from what was learned until then.

import { evaluate } from "../../../board/values/evaluate.js";

/** @typedef {{ name: string, rows: number, columns: number, since: number }} Learned a learned matrix, and where its
 *  numbers begin in a moment's */
/** @typedef {{ name: string, first: number, after: number }} Off rows of a matrix of which nothing goes on */

/**
 * Every matrix at a moment: what is learned is taken from its numbers, what else is given stays, rows that are off are
 * 0.
 * @param {Stage[]} stages @param {Matrices} given @param {Learned[]} learned @param {Float32Array} numbers of the
 * moment
 * @param {Off[]} off
 */
export function madeAt(stages, given, learned, numbers, off = []) {
  /** @type {Matrices} */
  const matrices = { ...given };
  for (const { name, rows, columns, since } of learned) {
    matrices[name] = { rows, columns, values: Float64Array.from(numbers.subarray(since, since + rows * columns)) };
  }
  for (const { name, first, after } of off) matrices[name].values.fill(0, first * matrices[name].columns,
    after * matrices[name].columns);
  return evaluate(stages, matrices);
}

/**
 * Where a step stands on the axis of time, from 0 to 1: moments lie equally far apart, and steps between them.
 * @param {number[]} steps of the moments @param {number} step
 */
export function placeOf(steps, step) {
  const last = steps.length - 1;
  if (last < 1) return 0;
  const after = Math.max(1, steps.findIndex((each) => each >= step));
  const to = step >= steps[last] ? last : after;
  const [low, high] = [steps[to - 1], steps[to]];
  return Math.min(1, (to - 1 + (step - low) / (high - low)) / last);
}

/**
 * Steps that are written at the axis: round ones that are far enough from each other.
 * @param {number[]} steps @param {number} width of the axis @param {number} apart
 */
export function ticksOf(steps, width, apart = 44) {
  const last = steps[steps.length - 1];
  /** @type {number[]} */
  const found = [0, last];
  for (const power of [1000, 100, 10, 1]) {
    for (const by of [5, 2, 1]) {
      for (let step = by * power; step < last && step <= 10 * power; step += by * power) {
        const x = placeOf(steps, step) * width;
        if (found.every((other) => Math.abs(placeOf(steps, other) * width - x) >= apart)) found.push(step);
      }
    }
  }
  return found.toSorted((a, b) => a - b);
}
