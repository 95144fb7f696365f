// What the board makes of what Python sends it.

import { unpacked } from "../../attnviz/board/received.js";

/** @param {any} data */
export function made(data) {
  return { ...data, matrices: unpacked(data.matrices), stages: new Map(data.stages.map((/** @type {any} */ stage) => [stage.name, stage])) };
}
