// A large matrix: each pixel is the colour of its cell, and each point of the screen the cell that is painted there.

import assert from "node:assert/strict";
import { test } from "node:test";

import { barOf, dash, largestChange, LEAST_BAR } from "../../attnviz/board/cells/change_bars.js";
import { inkOn, Ramp, rampsOf, shadeOf, STEPS } from "../../attnviz/board/cells/colours.js";
import { cellAt, paintPixels, rectOf } from "../../attnviz/board/cells/pixels.js";

const RAMP = new Ramp("#ffffff", "#0067b0");
const NEGATIVE = new Ramp("#ffffff", "#5a5f66");
const HOW = { turned: false, limit: 2, inks: RAMP.inks, negative: NEGATIVE.inks, hidden: null };

const written = (/** @type {number} */ pixel) => `rgb(${pixel & 255}, ${(pixel >> 8) & 255}, ${(pixel >> 16) & 255})`;

/** @param {number[]} values @param {number} rows @param {number} columns @param {object} how */
function painted(values, rows, columns, how = {}) {
  const pixels = new Uint32Array(rows * columns);
  paintPixels(pixels, { rows, columns, values: Float64Array.from(values) }, { ...HOW, ...how });
  return pixels;
}

test("a pixel is opaque and has its cell's colour", () => {
  const pixels = painted([0, 1, 2, 5, -2, -0], 2, 3);
  assert.deepEqual([...pixels].map(written), [RAMP.shade(0), RAMP.shade(Math.round(0.5 * (STEPS - 1))),
    RAMP.shade(STEPS - 1), RAMP.shade(STEPS - 1), NEGATIVE.shade(STEPS - 1), RAMP.shade(0)].map(({ paper }) => paper));
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
  for (let row = 0; row < 2; row += 1) for (let column = 0; column < 3; column += 1) assert.equal(turned[column * 2
    + row], upright[row * 3 + column]);
});

test("the middle of each cell's place is that cell, on its side and with a row enlarged, too", () => {
  for (const [rows, columns] of [[64, 64], [512, 8], [17, 3]]) {
    for (const turned of [false, true]) {
      const [across, down] = turned ? [rows, columns] : [columns, rows];
      const box = { x: 0, y: 0, cell: 5, row: 3, width: 5 * across, height: 3 * down, turned, readable: false };
      for (const lens of [null, { row: 7, top: 7.5 * 3 - 12, height: 24 }]) {
        for (let row = 0; row < rows; row += 1) {
          for (let column = 0; column < columns; column += 1) {
            const { x: left, y: top, width, height } = rectOf({ row, column, rows: 1, columns: 1 }, box, lens);
            const covered = lens && !turned && row !== lens.row && top + height / 2 >= lens.top
              && top + height / 2 < lens.top + lens.height;
            const found =
              cellAt((left + width / 2) / box.width, (top + height / 2) / box.height, { rows, columns }, box, lens);
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

// While a change is held, each cell of a large matrix that has changed and is seen has a mark of it, however small it
// is.

const LIMIT = 1;
const inkOf = (/** @type {number} */ value) => (value > 0.5 ? "#fff" : "#000");

/** @param {number} rows @param {number} columns @param {number} cell @param {number} row @param {boolean} turned */
function boxOf(rows, columns, cell, row, turned) {
  const [across, down] = turned ? [rows, columns] : [columns, rows];
  return { x: 0, y: 0, cell, row, width: across * cell, height: down * row, turned, readable: false };
}

/** @param {Box} box @param {{ row: number, column: number }} place */
function pixelsOf(box, place) {
  const { x: left, y: top, width, height } = rectOf({ ...place, rows: 1, columns: 1 }, box, null);
  const xs = [];
  for (let y = Math.floor(top); y < Math.ceil(top + height); y += 1) for (let x = Math.floor(left); x < Math.max(
    Math.floor(left) + 1, Math.floor(left + width),
  ); x += 1) xs.push([x, y]);
  return xs;
}

for (const [rows, columns, cell, row, turned] of /** @type {[number, number, number, number, boolean][]} */ ([
  [256, 256, 3, 3, false], [64, 64, 3.9375, 3.125, false], [64, 8, 3.9375, 10, true], [100, 8, 10.5, 3, false], [50,
    128, 0.984375, 4, false],
])) {
  test(`of ${rows} x ${columns} cells of ${cell} x ${row}${turned ? ", on its side" : ""}`, () => {
    const box = boxOf(rows, columns, cell, row, turned);
    const before = Float64Array.from({ length: rows * columns }, (_, at) => ((at * 37) % 100) / 100);
    const changed = new Set(before.keys().filter((at) => at % 3 === 0));
    const values = before.map((value, at) => (changed.has(at) ? value + (at % 2 ? 0.001 : -0.4) : value));
    const seen = { left: 0, top: 0, width: Math.ceil(box.width), height: Math.ceil(box.height) };
    const pixels = new Uint32Array(seen.width * seen.height);
    dash(pixels, { rows, columns, values }, before,
      { box, limit: LIMIT, largest: 0.4, told: null, lens: null, numbers: false, inkOf }, seen);
    let marked = 0;
    for (const at of changed) {
      const place = { row: Math.floor(at / columns), column: at % columns };
      if (pixelsOf(box, place).some(([x, y]) => pixels[y * seen.width + x] !== 0)) marked += 1;
    }
    assert.ok(marked >= 0.95 * changed.size, `${marked} of ${changed.size}`);
    const inks = new Set(pixels.values().filter((pixel) => pixel).map((pixel) => pixel & 0xffffff));
    assert.deepEqual([...inks].toSorted(), [0, 0xffffff], "each in the ink of its cell");
    const depths = [...new Set(pixels.values().filter((pixel) => pixel).map((pixel) => pixel >>> 24))]
      .toSorted((a, b) => a - b);
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
    for (let x = first; x <= last; x += 1) assert.equal(part[y * seen.width + x],
      whole[(y + seen.top) * 900 + x + seen.left]);
  }
});

test("a bar is as long as its change is of the matrix's largest", () => {
  const before = [1, 2, NaN, 0, 4, 5];
  const changes = [-0.34, -0.003, NaN, 0.17, Infinity, 0];
  const largest = largestChange(before.map((value, at) => value + changes[at]), before);
  assert.ok(Math.abs(largest - 0.34) < 1e-12);
  assert.deepEqual(changes.map((change) => barOf(change, 0.34)), [-50, -LEAST_BAR, 0, 25, 0, 0]);
});

/** Relative luminance (WCAG 2.2). @param {number[]} colour */
function luminance(colour) {
  const [red, green, blue] = colour.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("ink stands out on every colour there is", () => {
  const channels = Array.from({ length: 18 }, (_, i) => 15 * i);
  for (const red of channels) for (const green of channels) for (const blue of channels) {
    const paper = luminance([red, green, blue]);
    const ink = inkOn([red, green, blue]) === "#000" ? 0 : 1;
    const [light, dark] = paper > ink ? [paper, ink] : [ink, paper];
    assert.ok((light + 0.05) / (dark + 0.05) >= 4.5, `${red}, ${green}, ${blue}`);
  }
});

const ROLES = Object.fromEntries(["x", "q", "k", "a", "v", "negative", "paper", "picked"].map(
  (role, at) => [role, { light: `#${(at * 1234567 % 0x1000000).toString(16).padStart(6, "0")}`, dark: "#14171c" }]));

test("a value has the page's colour at 0, that of its role at its limit and beyond, and below 0 that of negative ones",
  () => {
  const ramps = rampsOf(/** @type {any} */ (ROLES), "light");
  assert.deepEqual(Object.keys(ramps), ["x", "q", "k", "a", "v", "negative"]);
  const shade = (/** @type {number} */ value) => shadeOf(value, 2, ramps, "q");
  assert.deepEqual([0, -0, 1e-9].map(shade), [ramps.q.shade(0), ramps.q.shade(0), ramps.q.shade(0)]);
  assert.deepEqual([1, 2, 9].map(shade),
    [ramps.q.shade(STEPS / 2), ramps.q.shade(STEPS - 1), ramps.q.shade(STEPS - 1)]);
  assert.deepEqual([-1, -2, -9].map(shade),
    [ramps.negative.shade(STEPS / 2), ramps.negative.shade(STEPS - 1), ramps.negative.shade(STEPS - 1)]);
  assert.equal(shadeOf(3, 0, ramps, "q"), ramps.q.shade(0));
});

test("what is no finite number has no colour, which would say that it's small or large", () => {
  const ramps = rampsOf(/** @type {any} */ (ROLES), "dark");
  for (const value of [NaN, Infinity, -Infinity]) assert.equal(shadeOf(value, 1, ramps, "a"), null);
});
