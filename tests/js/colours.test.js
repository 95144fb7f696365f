import assert from "node:assert/strict";
import { test } from "node:test";

import { colourOf, inkOn } from "../../attnviz/board/colours.js";

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

test("a colour lies between those of its scale, and at the ends beyond its limits", () => {
  /** @type {[number, number[]][]} */
  const scale = [[0, [0, 0, 0]], [0.5, [100, 0, 200]], [1, [255, 255, 255]]];
  const signs = { nan: [1, 1, 1], infinite: [2, 2, 2] };
  const colour = (/** @type {number} */ value) => colourOf(value, [-2, 2], scale, signs);
  assert.deepEqual([-9, -2, -1, 0, 2, 9].map(colour), [[0, 0, 0], [0, 0, 0], [50, 0, 100], [100, 0, 200], [255, 255, 255], [255, 255, 255]]);
  assert.deepEqual([NaN, Infinity, -Infinity].map(colour), [signs.nan, signs.infinite, signs.infinite]);
});
