import assert from "node:assert/strict";
import { test } from "node:test";

import { total } from "../../attnviz/board/values/numbers.js";
import { inSum, quotient, shortened } from "../../attnviz/board/values/terms.js";
import { numbersFrom } from "./random.js";

/** @param {number[]} values */
const termsOf = (values) => values.map((value) => ({ value, factors: [{ value }], count: 1 }));

test("a long sum shows its largest terms in their order, and the rest as one", () => {
  for (let length = 1; length < 40; length += 1) {
    const terms = termsOf(numbersFrom(length, length));
    const keep = length % 3 ? Math.floor(length / 2) : null;
    const shown = shortened(terms, keep);
    const rest = shown.filter((term) => term.factors.length === 0);
    const own = shown.filter((term) => term.factors.length > 0);
    if (length <= 8) assert.equal(shown, terms);
    if (keep !== null) assert.ok(own.includes(terms[keep]));
    assert.deepEqual(own, terms.filter((term) => own.includes(term)), "in their order");
    assert.equal(own.length + rest.reduce((sum, term) => sum + term.count, 0), length);
    if (rest.length === 0) continue;
    assert.deepEqual(rest, [shown.at(-1)]);
    const hidden = terms.filter((term, place) => !own.includes(term) && place !== keep).map(({ value }) => value);
    assert.equal(rest[0].value, total(hidden));
    const seven = own.map(({ value }) => Math.abs(value)).toSorted((a, b) => b - a)[6];
    assert.ok(hidden.every((value) => Math.abs(value) <= seven));
  }
});

test("what is no number counts as large", () => {
  const terms = termsOf([...Array(12).keys()].map((i) => (i === 5 ? NaN : i + 1)));
  assert.ok(shortened(terms).some(({ value, factors }) => Number.isNaN(value) && factors.length));
});

test("a sum of many sizes loses nothing", () => {
  assert.equal(total([1, 1e100, 1, -1e100]), 2);
  assert.equal(total([1e308, 1e308]), Infinity);
  assert.ok(Number.isNaN(total([Infinity, -Infinity])));
});

test("negative terms are subtracted, and several divisors stand in brackets", () => {
  assert.equal(inSum(["−1", "2", "−3"]), "−1 + 2 − 3");
  assert.deepEqual([[], ["2"], ["2", "3"]].map((divisors) => quotient("1", divisors)), ["1", "1 / 2", "1 / (2 · 3)"]);
  assert.equal(quotient("1", ["2", "3"], " + "), "1 / (2 + 3)");
});
