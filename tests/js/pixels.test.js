// A large matrix: each pixel is the colour of its cell, and each point of the screen the cell that is painted there.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Ramp, STEPS } from "../../attnviz/board/cells/colours.js";
import { cellAt, paintPixels, rectOf } from "../../attnviz/board/cells/pixels.js";

const RAMP = new Ramp("#ffffff", "#0067b0");
const NEGATIVE = new Ramp("#ffffff", "#5a5f66");
const HOW = { turned: false, limit: 2, inks: RAMP.inks, negative: NEGATIVE.inks, hidden: null };

/** @param {number} pixel */
const written = (pixel) => `rgb(${pixel & 255}, ${(pixel >> 8) & 255}, ${(pixel >> 16) & 255})`;

/** @param {number[]} values @param {number} rows @param {number} columns @param {object} how */
function painted(values, rows, columns, how = {}) {
  const pixels = new Uint32Array(rows * columns);
  paintPixels(pixels, { rows, columns, values: Float64Array.from(values) }, { ...HOW, ...how });
  return pixels;
}

test("a pixel is opaque and has its cell's colour", () => {
  const pixels = painted([0, 1, 2, 5, -2, -0], 2, 3);
  assert.deepEqual([...pixels].map(written), [RAMP.shade(0), RAMP.shade(Math.round(0.5 * (STEPS - 1))), RAMP.shade(STEPS - 1), RAMP.shade(STEPS - 1), NEGATIVE.shade(STEPS - 1), RAMP.shade(0)].map(({ paper }) => paper));
  assert.ok([...pixels].every((pixel) => pixel >>> 24 === 255));
});

test("what is no number stays open, and a hidden 0 too, but no other 0", () => {
  const hidden = (/** @type {number} */ row, /** @type {number} */ column) => column > row;
  const pixels = painted([0, 0, NaN, 0, Infinity, -Infinity], 3, 2, { hidden });
  assert.deepEqual([...pixels].map((pixel) => pixel === 0), [false, true, true, false, true, true]);
});

test("on its side, a matrix is painted column by column", () => {
  const values = [1, 2, 3, 4, 5, 6].map((value) => value / 3);
  const [upright, turned] = [painted(values, 2, 3), painted(values, 2, 3, { turned: true })];
  for (let row = 0; row < 2; row += 1) for (let column = 0; column < 3; column += 1) assert.equal(turned[column * 2 + row], upright[row * 3 + column]);
});

test("the middle of each cell's place is that cell, on its side and with a row enlarged, too", () => {
  for (const [rows, columns] of [[64, 64], [512, 8], [17, 3]]) {
    for (const turned of [false, true]) {
      const [across, down] = turned ? [rows, columns] : [columns, rows];
      const box = { x: 0, y: 0, cell: 5, row: 3, width: 5 * across, height: 3 * down, turned, readable: false };
      for (const lens of [null, { row: 7, top: 7.5 * 3 - 12, height: 24 }]) {
        for (let row = 0; row < rows; row += 1) {
          for (let column = 0; column < columns; column += 1) {
            const { left, top, width, height } = rectOf({ row, column, rows: 1, columns: 1 }, box, lens);
            const covered = lens && !turned && row !== lens.row && top + height / 2 >= lens.top && top + height / 2 < lens.top + lens.height;
            const found = cellAt((left + width / 2) / box.width, (top + height / 2) / box.height, { rows, columns }, box, lens);
            assert.deepEqual(found, { row: covered ? 7 : row, column });
          }
        }
      }
    }
  }
});

test("a point beyond the edge is the cell at the edge", () => {
  const box = { x: 0, y: 0, cell: 3, row: 3, width: 192, height: 192, turned: false, readable: false };
  assert.deepEqual(cellAt(1, 1, { rows: 64, columns: 64 }, box, null), { row: 63, column: 63 });
  assert.deepEqual(cellAt(-0.1, 0, { rows: 64, columns: 64 }, box, null), { row: 0, column: 0 });
});
