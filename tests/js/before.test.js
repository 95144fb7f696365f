// Until torch has answered, the board says of a cell what Python will say of it then.

import assert from "node:assert/strict";
import { test } from "node:test";

import { beforeEdits } from "../../attnviz/board/values/before.js";

const TORCH = { w_q: { rows: 2, columns: 2, values: Float64Array.of(1, 2, 3, 4) } };

/** @param {number} row @param {number} column @param {number | null} value */
const edit = (row, column, value) => ({ matrix: "w_q", row, column, value });

test("a changed cell had the number that torch still has", () => {
  assert.deepEqual(beforeEdits({}, TORCH, [edit(0, 1, 9)]), { "w_q,0,1": 2 });
});

test("a cell that is changed again had the number from before the first change", () => {
  const before = { "w_q,1,0": 0.5 };
  assert.deepEqual(beforeEdits(before, TORCH, [edit(1, 0, 9)]), { "w_q,1,0": 0.5 });
  assert.deepEqual(beforeEdits({}, TORCH, [edit(1, 0, 9), edit(1, 0, 8)]), { "w_q,1,0": 3 });
});

test("a cell that is reset is as it was, and what Python sent is left alone", () => {
  const before = { "w_q,1,0": 0.5, "w_q,1,1": 0.25 };
  assert.deepEqual(beforeEdits(before, TORCH, [edit(1, 0, null), edit(0, 0, 7), edit(0, 0, null)]), { "w_q,1,1": 0.25 });
  assert.deepEqual(before, { "w_q,1,0": 0.5, "w_q,1,1": 0.25 });
});
