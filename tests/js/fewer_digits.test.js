// A cell always has its number: as near as its digits say, never a power below 1, and 0 for nothing but 0.

import assert from "node:assert/strict";
import { test } from "node:test";

import { inCell, widthOf } from "../../attnviz/board/cells/cell.js";
import { numberOf } from "../../attnviz/board/values/numbers.js";
import { numbersFrom } from "./random.js";

const ROOMS = [3.53, 3.67, 4.09, 4.62, 5.3, 9]; // from the narrowest cell that has numbers on
const VALUES = [0, -0, 0.004, -0.0042, 0.005001, -0.32, -0.97, 0.999, -0.996, 9.996, -12.34, 123.4, 1e30, -1e-30, ...numbersFrom(3, 400)];

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
