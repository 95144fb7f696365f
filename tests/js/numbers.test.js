// Numbers: how they are written, read and moved by a key. Displayed arithmetic is held to that of Python, in
// tests/unit/rules.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ledTo } from "../../attnviz/board/cells/elements.js";
import { asideOf, inCell, widthOf } from "../../attnviz/board/cells/cell.js";
import { decimal, ratioOf } from "../../attnviz/board/values/decimals.js";
import { numberOf, percent, points, total } from "../../attnviz/board/values/numbers.js";
import { shortened } from "../../attnviz/board/values/steps.js";
import { backAt, stepped, whyNoNumber } from "../../attnviz/board/values/typed_numbers.js";
import { numbersFrom } from "./made.js";

test("a change of a share is the one between the two that are seen", () => {
  assert.deepEqual([percent(0.0149), percent(0.186), points(0.0149, 0.186)], ["1 %", "19 %", "+18 pp"]);
  assert.deepEqual([points(0.223, 0.126), points(0.003, 0.186), points(0.125, 0.124)], ["−9 pp", "+19 pp", ""]);
});

// A cell always has its number: as near as its digits say, never a power below 1, and 0 for nothing but 0.

const ROOMS = [3.53, 3.67, 4.09, 4.62, 5.3, 9]; // from the narrowest cell that has numbers on
const VALUES = [0, -0, 0.004, -0.0042, 0.005001, -0.32, -0.97, 0.999, -0.996, 9.996, -12.34, 123.4, 1e30, -1e-30,
  ...numbersFrom(3, 400)];

for (const digits of [2, 4]) {
  for (const room of ROOMS) {
    for (const keeps of [false, true]) {
      test(`of ${digits} digits with room for ${room}${keeps ? ", all kept" : ""}`, () => {
        for (const value of VALUES) {
          const text = inCell(value, digits, room, keeps);
          const size = Math.abs(value);
          assert.ok(text, `${value} is left out`);
          assert.ok(size >= 1 || !text.includes("e"), text);
          if (value !== 0 && size < 0.5 * 10 ** -digits) assert.equal(text, "≈0");
          if (text === "≈0") {
            assert.ok(value !== 0 && size < (keeps || digits === 2 ? 0.5 * 10 ** -digits : 0.05), `${value}`);
            continue;
          }
          const shown = numberOf(text);
          assert.equal(shown === 0, value === 0, `${value}: ${text}`);
          const places = text.includes("e") ? 0 : (text.split(".")[1] ?? "").length;
          const unit = text.includes("e") ? 10 ** Math.floor(Math.log10(size)) : 10 ** -places;
          assert.ok(Math.abs(shown - value) <= 0.5000001 * unit, `${value}: ${text}`);
          if (keeps && !text.includes("e")) assert.equal(places, digits);
          if (!keeps && size < 100) assert.ok(widthOf(text) <= room, `${value}: ${text} is too wide`);
        }
      });
    }
  }
}

test("a refusal repeats no more than forty characters", () => {
  const said = whyNoNumber("x".repeat(100_000), "no_number");
  assert.ok(said.includes(`“${"x".repeat(40)}…”`));
  assert.ok(said.length < 300);
});

/** @type {[number, number, boolean, number][]} */
const STEPS = [
  [0.5166, 1, false, 0.5266], [0.5166, -2, true, 0.3166], [0, 3, false, 0.03], [-9.99, -1, false, -10],
  [250, 1, false, 251], [1e30, 1, false, 1.01e30], [0.123456789, 0, false, 0.123456789],
];

for (const [value, steps, large, wanted] of STEPS) {
  test(`a step is a hundredth of what is there: ${value} by ${steps}`, () => {
    assert.ok(Math.abs(stepped(value, steps, large) - wanted) <= 1e-12 * Math.abs(wanted));
  });
}

test("steps there and back lead to the number they began at", () => {
  for (let cents = -999; cents <= 999; cents += 7) {
    for (const steps of [1, 5, 40]) {
      const there = stepped(cents / 100, steps);
      if (Math.abs(there) < 10) assert.equal(stepped(there, -steps), cents / 100);
    }
  }
});

const sizeOf = (/** @type {number} */ value) => Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)));

test("steps there and back from any number lead to that very number, and steps elsewhere don't", () => {
  for (const start of [0.516612345, -0.00004, 9.99996, 10.00004, 123.45678, -4567.891, 1.234e8, 0]) {
    for (const steps of [1, 7, -3]) {
      const there = stepped(start, steps);
      assert.equal(backAt(start, there), there);
      if (sizeOf(there) === sizeOf(start)) assert.equal(backAt(start, stepped(there, -steps)), start,
        `${start} by ${steps}`);
    }
  }
});

test("the tokens to pick from go round, those in an order do not", () => {
  const pressed = (/** @type {string} */ key, /** @type {number} */ at) => ledTo(/** @type {any} */ ({ key }), at, 3);
  assert.deepEqual(["ArrowRight", "ArrowDown", "End", "Home", "x"].map((key) => pressed(key, 2)), [0, 0, 2, 0, null]);
  assert.deepEqual(["ArrowLeft", "ArrowUp"].map((key) => pressed(key, 0)), [2, 2]);
});

test("what is no number counts as large", () => {
  const terms = [...Array(12).keys()].map((i) => ({ value: i === 5 ? NaN : i + 1, factors: [i], count: 1 }));
  assert.ok(shortened(terms).some(({ value, factors }) => Number.isNaN(value) && factors.length));
});

test("a ratio is right to forty digits", () => {
  assert.match(`${ratioOf(decimal("1"), decimal("3"))?.digits}`, /^3{40,}$/);
  assert.equal(ratioOf(decimal("1"), decimal("0.0")), null);
});

test("a sum of many sizes loses nothing", () => {
  assert.equal(total([1, 1e100, 1, -1e100]), 2);
  assert.equal(total([1e308, 1e308]), Infinity);
  assert.ok(Number.isNaN(total([Infinity, -Infinity])));
});

test("that shares are rounded is said of what stands in their cells, where it doesn't add up", () => {
  const stage = { name: "a", is: { shares: { all: true } }, columns: "key", sources: ["s"] };
  const board = { grids: new Map(), shown: { a: { values: new Float64Array(3), rows: 1, columns: 3 } } };
  const off = (/** @type {string[]} */ texts, whole = 1) => {
    const cells = texts.map((data) => ({ text: { data } }));
    return Boolean(asideOf(/** @type {any} */ (board), /** @type {any} */ (stage), cells, whole));
  };
  const rows = [["0.20", "0.30", "0.50"], ["0.20", "0.30", "0.49"], [".2", "–", ".8"], ["≈0", "1.00", "≈0"]];
  assert.deepEqual(rows.map((row) => off(row)), [false, true, false, false]);
  assert.deepEqual([off(["1\u00a0%", "79\u00a0%", "20\u00a0%"], 100), off(["1", "79", "19"], 100)], [false, true]);
  assert.deepEqual([off(["", "", ""]), off(["NaN", "NaN", "NaN"])], [false, false]); // nothing to add up
});
