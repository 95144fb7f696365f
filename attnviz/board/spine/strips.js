// What has more rows or columns than the matrices of a playground ever have is a strip: so wide, but no cell wider than a
// pixel, or so high.

export const STRIP = { from: 128, widths: [384, 192, 126], height: 96 };
export const THIN = STRIP.widths[STRIP.widths.length - 1];

// Whether a matrix has too many rows or columns for cells that a hand finds.
/** @param {{ rows: number, columns: number }} shape */
export function isStrip({ rows, columns }) {
  return Math.max(rows, columns) > STRIP.from;
}
