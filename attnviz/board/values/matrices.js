// A matrix is { rows, columns, values }, its values row by row; each is a float32, as in torch, made from sums in
// float64, so that what overflows there overflows here.

/** @import { Matrix } from "../types.js" */

// A matrix of one rule's making: `valueOf` is asked for the number of each cell.
/** @param {number} rows @param {number} columns @param {(row: number, column: number) => number} valueOf @returns {Matrix} */
export function matrixOf(rows, columns, valueOf) {
  const values = new Float64Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) values[row * columns + column] = Math.fround(valueOf(row, column));
  }
  return { rows, columns, values };
}

/** @param {Matrix} matrix @param {number} row @param {number} column */
export function valueAt({ columns, values }, row, column) {
  return values[row * columns + column];
}

// The numbers of a row.
/** @param {Matrix} matrix @param {number} row */
export function lineOf({ columns, values }, row) {
  return values.subarray(row * columns, (row + 1) * columns);
}
