import assert from "node:assert/strict";
import { test } from "node:test";

import { inkOn, rampsOf, shadeOf, STEPS } from "../../attnviz/board/cells/colours.js";

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

test("a value has the page's colour at 0, that of its role at its limit and beyond, and below 0 that of negative ones", () => {
  const ramps = rampsOf(/** @type {any} */ (ROLES), "light");
  assert.deepEqual(Object.keys(ramps), ["x", "q", "k", "a", "v", "negative"]);
  const shade = (/** @type {number} */ value) => shadeOf(value, 2, ramps, "q");
  assert.deepEqual([0, -0, 1e-9].map(shade), [ramps.q.shade(0), ramps.q.shade(0), ramps.q.shade(0)]);
  assert.deepEqual([1, 2, 9].map(shade), [ramps.q.shade(STEPS / 2), ramps.q.shade(STEPS - 1), ramps.q.shade(STEPS - 1)]);
  assert.deepEqual([-1, -2, -9].map(shade), [ramps.negative.shade(STEPS / 2), ramps.negative.shade(STEPS - 1), ramps.negative.shade(STEPS - 1)]);
  assert.equal(shadeOf(3, 0, ramps, "q"), ramps.q.shade(0));
});

test("what is no finite number has no colour, which would say that it's small or large", () => {
  const ramps = rampsOf(/** @type {any} */ (ROLES), "dark");
  for (const value of [NaN, Infinity, -Infinity]) assert.equal(shadeOf(value, 1, ramps, "a"), null);
});
