// What is done to a query, and what tells it from others: tests/unit/server/test_address.py holds that to what Python makes of it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { markOf, ordered, patched } from "../../attnviz/scripts/query.js";

const QUERY = "text=a+cat&edits=w_q.0.1.0.9*w_k.identity&utm=%C3%A9";

test("a query is the same in whatever order and however it is written, of a parameter that comes twice the last holds", () => {
  for (const other of ["utm=é&edits=w_q.0.1.0.9%2Aw_k.identity&text=a%20cat", `text=dog&${QUERY}`, `?${QUERY}&&`]) {
    assert.equal(ordered(other), ordered(QUERY));
    assert.equal(markOf(other), markOf(QUERY));
  }
  assert.equal(ordered(ordered(QUERY)), ordered(QUERY));
});

test("a patch says what is there and what isn't, and leaves the rest", () => {
  assert.equal(patched(QUERY, { seed: "7", edits: null, nothing: null, text: "a & b=c+d" }), ordered("utm=é&seed=7&text=a+%26+b%3Dc%2Bd"));
  assert.equal(patched(QUERY, {}), ordered(QUERY));
  assert.equal(patched("", { edits: null }), "");
});

test("a query has the mark of no query that misses something", () => {
  const text = "é猫👍".repeat(100);
  const marks = Array.from({ length: 300 }, (_, n) => markOf(`text=${[...text].slice(0, n).join("")}`));
  assert.equal(new Set(marks).size, 300);
  assert.ok(markOf(`text=${text}`).length < 30);
});
