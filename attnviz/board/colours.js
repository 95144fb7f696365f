// The colours of cells.

/** @import { Colour, ColourScale, Signs } from "./types.js" */

// The colour of a value within its limits on a scale of [position, [r, g, b]]; what is no finite number has one
// of its own.
/** @param {number} value @param {[number, number]} limits @param {ColourScale} scale @param {Signs} signs */
export function colourOf(value, [low, high], scale, signs) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? signs.nan : signs.infinite;
  const position = Math.min(1, Math.max(0, (value - low) / (high - low)));
  const next = Math.max(1, scale.findIndex(([at]) => at >= position));
  const [[from, first], [to, second]] = [scale[next - 1], scale[next]];
  const part = (position - from) / (to - from);
  return first.map((channel, i) => Math.round(channel + part * (second[i] - channel)));
}

// Black or white, whichever stands out more: at least 4.58 to 1 on any colour (WCAG 2.2).
/** @param {Colour} colour */
export function inkOn(colour) {
  const [red, green, blue] = colour.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.179 ? "#000" : "#fff";
}
