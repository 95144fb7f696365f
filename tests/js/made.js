// What the board makes of what Python sends it.

import { unpacked } from "../../attnviz/board/values/matrices.js";

export function made(/** @type {any} */ data) {
  return { ...data, matrices: unpacked(data.matrices),
    stages: new Map(data.stages.map((/** @type {any} */ stage) => [stage.name, stage])) };
}

// Numbers for laws that are tried many times: the same in each run.

/** Floats of many sizes, drawn from a seed (mulberry32). @param {number} seed @param {number} count */
export function numbersFrom(seed, count) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return Array.from({ length: count }, () => (next() - 0.5) * 10 ** Math.floor(next() * 12 - 6));
}
