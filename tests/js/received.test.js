// Matrices as they come: what came before just so is not unpacked again, whatever else did.

import assert from "node:assert/strict";
import { test } from "node:test";

import { unpacked } from "../../attnviz/board/received.js";

/** @param {number[]} numbers */
const bits = (numbers) => Buffer.from(Float32Array.from(numbers).buffer).toString("base64");

const SENT = {
  q: { rows: 1, columns: 2, float32: bits([1, 2]) },
  scores: { rows: 1, columns: 2, float32: bits([3, -4]) },
  scaled_scores: { rows: 1, columns: 2, of: "scores", dividedBy: 2 },
  x: { rows: 1, columns: 1, values: [7] },
};

test("what came before just so is the same matrix, and what did not has its own numbers", () => {
  const matrices = unpacked(SENT);
  assert.deepEqual([...matrices.scaled_scores.values], [1.5, -2]);
  const before = { sent: SENT, matrices };

  const again = unpacked(structuredClone(SENT), before);
  for (const name of ["q", "scores", "scaled_scores"]) assert.equal(again[name], matrices[name]);

  const changed = unpacked({ ...SENT, scores: { ...SENT.scores, float32: bits([5, -4]) }, x: { rows: 1, columns: 1, values: [8] } }, before);
  assert.equal(changed.q, matrices.q);
  assert.deepEqual([changed.scores, changed.scaled_scores, changed.x].map(({ values }) => [...values]), [[5, -4], [2.5, -2], [8]]);

  const halved = unpacked({ ...SENT, scaled_scores: { ...SENT.scaled_scores, dividedBy: 4 }, q: { ...SENT.q, rows: 2, columns: 1 } }, before);
  assert.deepEqual([...halved.scaled_scores.values], [0.75, -1]);
  assert.deepEqual([halved.q.rows, halved.q.columns], [2, 1]);
});
