// Displayed arithmetic, against exact fractions of BigInts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { decimal, decimalOf, productOf, ratioOf, rootOf, sign, signOfAll, sumOf } from "../../attnviz/board/values/decimals.js";
import { numbersFrom } from "./random.js";

const TEXTS = ["0", "1", "−0.5", "3.1416", "−2.00e−05", "9.99e+07", "0.0001", "12345.6789", "1.00e+30", "−7"];

/** A decimal as a whole number of 10^-60. @param {string} text */
function exactly(text) {
  const [mantissa, power = "0"] = text.replaceAll("−", "-").split("e");
  const [whole, part = ""] = mantissa.split(".");
  return BigInt(whole + part) * 10n ** BigInt(60 - part.length + Number(power));
}

/** @param {bigint} value */
const sizeOf = (value) => (value < 0n ? -value : value);

/** @param {{ digits: bigint, power: number } | null} value */
function scaled(value) {
  assert.ok(value);
  return value.power <= -60 ? value.digits / 10n ** BigInt(-60 - value.power) : value.digits * 10n ** BigInt(value.power + 60);
}

test("sums and products of displayed numbers are exact", () => {
  for (const a of TEXTS) {
    for (const b of TEXTS) {
      const both = [decimal(a), decimal(b)];
      assert.equal(scaled(sumOf(both)), exactly(a) + exactly(b));
      assert.equal(scaled(productOf(both)) * 10n ** 60n, exactly(a) * exactly(b));
      const ratio = ratioOf(both[0], both[1]);
      if (exactly(b) === 0n) assert.equal(ratio, null);
      else {
        const gap = scaled(ratio) * exactly(b) - exactly(a) * 10n ** 60n;
        const [ofA, ofB] = [exactly(a), exactly(b)].map(sizeOf);
        assert.ok(sizeOf(gap) <= ofB + ofA * 10n ** 20n, `${a} / ${b}`); // to forty digits
      }
    }
  }
});

test("a root is right to forty places", () => {
  for (const whole of [1, 2, 3, 4, 7, 16, 64, 128, 12_288]) {
    const { digits, power } = rootOf(whole);
    assert.equal(power, -40);
    const square = BigInt(whole) * 10n ** 80n;
    assert.ok(digits ** 2n <= square && square < (digits + 1n) ** 2n, `${whole}`);
  }
});

test("the sign says whether the last displayed digit follows", () => {
  /** @type {[string, string, string][]} */
  const cases = [
    ["0.12345", "0.1234", "="], ["0.12345", "0.1235", "="], ["0.123451", "0.1234", "≈"], ["0.12344", "0.1235", "≈"],
    ["0.5", "0.50", "="], ["2", "1.99", "≈"], ["−0.0005", "−0.001", "="], ["3", "∞", "→"], ["∞", "3", "→"],
    ["1.005e+08", "1.00e+08", "="], ["1.0051e+08", "1.00e+08", "≈"],
  ];
  for (const [left, displayed, wanted] of cases) assert.equal(sign(decimal(left), displayed), wanted, `${left} ${displayed}`);
  assert.equal(signOfAll([decimal("1"), decimal("2")], ["1", "2"]), "=");
  assert.equal(signOfAll([decimal("1"), decimal("2.6")], ["1", "2"]), "≈");
  assert.equal(signOfAll([decimal("1.6"), null], ["1", "2"]), "→");
});

test("a float is the decimal that it is", () => {
  for (const value of numbersFrom(7, 200)) assert.equal(sign(decimalOf(value), String(value).replaceAll("-", "−")), "=");
  assert.equal(decimalOf(Infinity), null);
});
