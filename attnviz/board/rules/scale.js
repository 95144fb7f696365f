// Scores divided, and masked in the same step; see core/rules/scale.py. `compute` returns null if the mask is a factor,
// which is rare: then evaluate.js computes cell by cell.

/** @param {Settings} settings @param {Matrix} scores @param {Matrix} [mask] */
export function compute({ d_k: dK, temperature, factor }, { rows, columns, values: scores }, mask) {
  if (factor) return null;
  const divisor = (dK === null ? 1 : Math.sqrt(dK)) * temperature;
  const values = new Float64Array(rows * columns);
  for (let at = 0; at < values.length; at += 1) {
    const added = mask ? mask.values[at] : 0;
    // −∞ in the mask hides any score, even ∞, for which a sum would be NaN.
    values[at] = added === -Infinity ? added : Math.fround(Math.fround(scores[at] / divisor) + added);
  }
  return { rows, columns, values };
}
