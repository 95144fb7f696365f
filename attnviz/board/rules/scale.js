// Scores divided, and masked, in one go: core/rules/scale.py.

/** @param {Settings} settings @param {Matrix} scores @param {Matrix} [mask] */
export function compute(settings, { rows, columns, values: scores }, mask) {
  const divisor = divisorOf(settings);
  const values = new Float64Array(rows * columns);
  for (let at = 0; at < values.length; at += 1) {
    const scaled = Math.fround(scores[at] / divisor);
    values[at] = mask ? withMask(settings, scaled, mask.values[at]) : scaled;
  }
  return { rows, columns, values };
}

// A score with what the mask adds to it; what is hidden stays so, even a score of ∞.
/** @param {Settings} settings @param {number} scaled @param {number} added */
function withMask({ factor }, scaled, added) {
  if (factor) return Math.fround(scaled * Math.fround(Math.exp(added)));
  return added === -Infinity ? -Infinity : Math.fround(scaled + added);
}

function divisorOf(/** @type {Settings} */ { d_k: dK, temperature }) {
  return (dK === null ? 1 : Math.sqrt(dK)) * temperature;
}
