// Whether torch's numbers and the page's own agree.

import { mayBe } from "./bounds.js";
import { boundedOf, evaluate } from "./evaluate.js";

/** @import { Made, Matrices, Place } from "./types.js" */

// How far torch's matrices are from the page's own evaluation, and the first cell that the roundings of float32
// do not explain: each is judged by torch's own numbers of the cells that it is made from.
/** @param {Made} made @param {Matrices} given */
export function difference(made, given) {
  const own = evaluate([...made.stages.values()], given);
  let largest = 0;
  let within = 0; // the number in which it is
  /** @type {Place | null} */
  let unexplained = null;
  for (const stage of made.stages.values()) {
    if (stage.rule === "given") continue;
    const { columns, values } = made.matrices[stage.name];
    values.forEach((value, at) => {
      const gap = Math.abs(value - own[stage.name].values[at]);
      if (Number.isFinite(value) && gap > largest) [largest, within] = [gap, value];
      const [row, column] = [Math.floor(at / columns), at % columns];
      if (unexplained || mayBe(value, boundedOf(stage, row, column, made.matrices))) return;
      unexplained = { matrix: stage.name, row, column };
      if (!Number.isFinite(gap)) largest = Infinity; // one of the two is no finite number
    });
  }
  return { largest, within, unexplained };
}
