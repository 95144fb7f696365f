// While a change is held, each cell of a large matrix that has changed and is seen has a mark of it, however small it is.

import assert from "node:assert/strict";
import { test } from "node:test";

import { barOf, dash, largestChange, LEAST_BAR } from "../../attnviz/board/cells/change_bars.js";
import { rectOf } from "../../attnviz/board/cells/pixels.js";

const LIMIT = 1;
const inkOf = (/** @type {number} */ value) => (value > 0.5 ? "#fff" : "#000");

/** @param {number} rows @param {number} columns @param {number} cell @param {number} row @param {boolean} turned */
function boxOf(rows, columns, cell, row, turned) {
  const [across, down] = turned ? [rows, columns] : [columns, rows];
  return { x: 0, y: 0, cell, row, width: across * cell, height: down * row, turned, readable: false };
}

/** @param {import("../../attnviz/board/spine/types.js").Box} box @param {{ row: number, column: number }} place */
function pixelsOf(box, place) {
  const { left, top, width, height } = rectOf({ ...place, rows: 1, columns: 1 }, box, null);
  const xs = [];
  for (let y = Math.floor(top); y < Math.ceil(top + height); y += 1) for (let x = Math.floor(left); x < Math.max(Math.floor(left) + 1, Math.floor(left + width)); x += 1) xs.push([x, y]);
  return xs;
}

for (const [rows, columns, cell, row, turned] of /** @type {[number, number, number, number, boolean][]} */ ([
  [256, 256, 3, 3, false], [64, 64, 3.9375, 3.125, false], [64, 8, 3.9375, 10, true], [100, 8, 10.5, 3, false], [50, 128, 0.984375, 4, false],
])) {
  test(`of ${rows} x ${columns} cells of ${cell} x ${row}${turned ? ", on its side" : ""}`, () => {
    const box = boxOf(rows, columns, cell, row, turned);
    const before = Float64Array.from({ length: rows * columns }, (_, at) => ((at * 37) % 100) / 100);
    const changed = new Set(before.keys().filter((at) => at % 3 === 0));
    const values = before.map((value, at) => (changed.has(at) ? value + (at % 2 ? 0.001 : -0.4) : value));
    const seen = { left: 0, top: 0, width: Math.ceil(box.width), height: Math.ceil(box.height) };
    const pixels = new Uint32Array(seen.width * seen.height);
    dash(pixels, { rows, columns, values }, before, { box, limit: LIMIT, largest: 0.4, told: null, lens: null, numbers: false, inkOf }, seen);
    let marked = 0;
    for (const at of changed) {
      const place = { row: Math.floor(at / columns), column: at % columns };
      if (pixelsOf(box, place).some(([x, y]) => pixels[y * seen.width + x] !== 0)) marked += 1;
    }
    assert.ok(marked >= 0.95 * changed.size, `${marked} of ${changed.size}`);
    const inks = new Set(pixels.values().filter((pixel) => pixel).map((pixel) => pixel & 0xffffff));
    assert.deepEqual([...inks].toSorted(), [0, 0xffffff], "each in the ink of its cell");
    const depths = [...new Set(pixels.values().filter((pixel) => pixel).map((pixel) => pixel >>> 24))].toSorted((a, b) => a - b);
    assert.ok(depths[0] > 60 && depths[1] > 1.5 * depths[0] && depths.length === 2, "and a larger change is darker");
    if (cell < 1) return; // several of them have a pixel together
    const inked = pixels.reduce((sum, pixel) => sum + (pixel !== 0 ? 1 : 0), 0);
    const most = Math.max(1, Math.round(0.5 * Math.ceil(cell)));
    assert.ok(inked <= changed.size * most, "and no other has one");
  });
}

test("only the part that is seen is drawn, and it's drawn as in the whole", () => {
  const box = boxOf(300, 300, 3, 3, false);
  const before = new Float64Array(300 * 300);
  const values = before.map((_, at) => (at % 2 ? 0.3 : -0.3));
  const how = { box, limit: LIMIT, largest: 0.4, told: null, lens: null, numbers: false, inkOf };
  const whole = new Uint32Array(900 * 900);
  dash(whole, { rows: 300, columns: 300, values }, before, how, { left: 0, top: 0, width: 900, height: 900 });
  const seen = { left: 100, top: 250, width: 320, height: 200 };
  const part = new Uint32Array(seen.width * seen.height);
  dash(part, { rows: 300, columns: 300, values }, before, how, seen);
  const [last, first] = [seen.width - 1, 0];
  for (let y = 0; y < seen.height; y += 1) {
    for (let x = first; x <= last; x += 1) assert.equal(part[y * seen.width + x], whole[(y + seen.top) * 900 + x + seen.left]);
  }
});

test("a bar is as long as its change is of the matrix's largest", () => {
  const before = [1, 2, NaN, 0, 4, 5];
  const changes = [-0.34, -0.003, NaN, 0.17, Infinity, 0];
  const largest = largestChange(before.map((value, at) => value + changes[at]), before);
  assert.ok(Math.abs(largest - 0.34) < 1e-12);
  assert.deepEqual(changes.map((change) => barOf(change, 0.34)), [-50, -LEAST_BAR, 0, 25, 0, 0]);
});
