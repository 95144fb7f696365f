// What a given number feeds: every cell that changes with it, down to the context vectors.

import { isMasked, sourcesOf } from "../evaluate.js";
import { addressOf } from "../places.js";

/** @import { Made, Place } from "../types.js" */

// The addresses of the cells that are made from a cell, by whatever way, without those that are masked.
/** @param {Made} made @param {Place} place @returns {Set<string>} */
export function feeds({ stages, matrices }, place) {
  const reached = new Set([addressOf(place)]);
  for (const stage of stages.values()) {
    if (stage.rule === "given" || !matrices[stage.name]) continue;
    const { rows, columns } = matrices[stage.name];
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        if (isMasked(stages, stage, row, column)) continue;
        const reads = sourcesOf(stage, row, column, matrices).some((block) => block.some((source) => reached.has(addressOf(source))));
        if (reads) reached.add(addressOf({ matrix: stage.name, row, column }));
      }
    }
  }
  reached.delete(addressOf(place));
  return reached;
}
