// Whether torch's numbers and the page's own agree.

import { expectedQuotient, expectedShare, expectedSum, mayBe } from "./bounds.js";
import { evaluate, valueAt } from "./evaluate.js";

// How far torch's matrices are from the page's own evaluation, and the first cell that the roundings of float32
// do not explain: each is judged by torch's own numbers of the cells that it is made from.
export function difference(made, given) {
  const own = evaluate([...made.stages.values()], given, made.settings);
  let largest = 0;
  let within = 0; // the number in which it is
  let unexplained = null;
  for (const stage of made.stages.values()) {
    if (stage.rule === "given") continue;
    const { columns, values } = made.matrices[stage.name];
    values.forEach((value, at) => {
      const gap = Math.abs(value - own[stage.name].values[at]);
      if (Number.isFinite(value) && gap > largest) [largest, within] = [gap, value];
      const place = { matrix: stage.name, row: Math.floor(at / columns), column: at % columns };
      if (unexplained || mayBe(value, expected(stage, made, place))) return;
      unexplained = place;
      if (!Number.isFinite(gap)) largest = Infinity; // one of the two is no finite number
    });
  }
  return { largest, within, unexplained };
}

function expected(stage, { matrices, settings }, place) {
  const [first, second] = stage.sources.map((name) => matrices[name]);
  const { row, column } = place;
  switch (stage.rule) {
    case "product": {
      const [start, step] = stage.transposed ? [column * second.columns, 1] : [column, second.columns];
      const line = lineOf(first, row);
      const bias = stage.bias && matrices[stage.bias];
      return expectedSum(line.map((value, i) => value * second.values[start + i * step]), bias ? [bias.values[column]] : []);
    }
    case "scale":
      return expectedQuotient(valueAt(first, row, column), place, settings);
    default:
      return expectedShare(lineOf(first, row), column);
  }
}

function lineOf({ columns, values }, row) {
  return values.subarray(row * columns, (row + 1) * columns);
}
