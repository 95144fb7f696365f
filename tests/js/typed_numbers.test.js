// What is typed is read as Python reads it: both are held to the cases of typed_numbers.json.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { readNumber, whyNoNumber } from "../../attnviz/board/values/typed_numbers.js";

/** @type {{ numbers: [string, number][], refused: [string, string][] }} */
const CASES = JSON.parse(readFileSync(new URL("../typed_numbers.json", import.meta.url), "utf8"));

test("a number is read as a person means it", () => {
  for (const [text, value] of CASES.numbers) assert.deepEqual([text, readNumber(text, { blanks: true })], [text, { value }]);
});

test("what is no number is refused with its reason, which says what was typed", () => {
  for (const [text, reason] of CASES.refused) {
    assert.deepEqual([text, readNumber(text, { blanks: true })], [text, { reason }]);
    const said = whyNoNumber(text, reason);
    if (reason !== "empty") assert.ok(said.includes(`“${text.trim().slice(0, 40)}`), said);
  }
});

test("a refusal repeats no more than forty characters", () => {
  const said = whyNoNumber("x".repeat(100_000), "no_number");
  assert.ok(said.includes(`“${"x".repeat(40)}…”`));
  assert.ok(said.length < 300);
});
