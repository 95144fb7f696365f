// What a step of a drag or a key makes of a number.

const FINEST = 4; // digits that a step leaves behind the point

// What a number was at its start, where steps have led back to it: they round what they leave behind, and a number that
// is back is one that nobody changed.
/** @param {number} start @param {number} value */
export function backAt(start, value) {
  return Math.abs(value - start) < 0.51 * 10 ** (sizeOf(start) - FINEST) ? start : value;
}

/** @param {number} value */
function sizeOf(value) {
  return Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)));
}

// A value moved by so many steps, of a hundredth, or of a tenth; numbers beyond ten have larger steps.
/** @param {number} value @param {number} steps */
export function stepped(value, steps, large = false) {
  if (steps === 0) return value;
  const size = sizeOf(value);
  const power = size - (large ? 1 : 2);
  if (power > 15) return value + steps * 10 ** power;
  return Number((value + steps * Number(`1e${power}`)).toFixed(Math.max(0, FINEST - size)));
}
