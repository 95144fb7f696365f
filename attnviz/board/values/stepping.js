// What a step of a drag or a key makes of a number.

// A value moved by so many steps, of a hundredth, or of a tenth; numbers beyond ten have larger steps.
/** @param {number} value @param {number} steps */
export function stepped(value, steps, large = false) {
  if (steps === 0) return value;
  const size = Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)));
  const power = size - (large ? 1 : 2);
  if (power > 15) return value + steps * 10 ** power;
  return Number((value + steps * Number(`1e${power}`)).toFixed(Math.max(0, 4 - size)));
}
