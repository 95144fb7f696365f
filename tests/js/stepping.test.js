import assert from "node:assert/strict";
import { test } from "node:test";

import { nearest, steppedTo } from "../../attnviz/app/components/dragging.js";
import { moved } from "../../attnviz/app/components/token_picker.js";
import { backAt, stepped } from "../../attnviz/board/values/stepping.js";

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
      if (sizeOf(there) === sizeOf(start)) assert.equal(backAt(start, stepped(there, -steps)), start, `${start} by ${steps}`);
    }
  }
});

test("the tokens to pick from go round, those in an order do not", () => {
  assert.deepEqual(["ArrowRight", "ArrowDown", "End", "Home", "x"].map((key) => moved(key, 2, 3)), [0, 0, 2, 0, null]);
  assert.deepEqual(["ArrowLeft", "ArrowUp"].map((key) => moved(key, 0, 3)), [2, 2]);
  assert.deepEqual(["ArrowRight", "ArrowLeft", "End", "Home", "x"].map((key) => steppedTo(key, 2, 3)), [2, 1, 2, 0, null]);
});

test("what is dragged goes to the box whose middle is nearest", () => {
  const boxes = [0, 100, 300].map((left) => ({ left, right: left + 50, top: 0, bottom: 20 }));
  assert.deepEqual([-900, 74, 76, 224, 226, 900].map((x) => nearest(boxes, x, 10)), [0, 0, 1, 1, 2, 2]);
  assert.equal(nearest([boxes[0], { ...boxes[0], top: 100, bottom: 120 }], 25, 90), 1);
});
