// Names in two lines: each is whole or left out, none touches another.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inTwo } from "../../attnviz/board/cells/names.js";

const CELL = 13;

// Every list of widths from narrow to four cells wide, of a simple generator.
function* someWidths() {
  let seed = 7;
  for (let n = 2; n < 40; n += 1) {
    yield Array.from({ length: n }, () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return 6 + (seed / 2147483648) * 46;
    });
  }
}

test("names in two lines don't touch, stay over their matrix, and the first is always there", () => {
  for (const widths of someWidths()) {
    const box = { cell: CELL, width: widths.length * CELL };
    const fitting = widths.map((width) => Math.min(width, box.width));
    const places = inTwo(fitting, box);
    assert.ok(places[0]);
    for (const upper of [true, false]) {
      let end = 0;
      places.forEach((place, at) => {
        if (place?.upper !== upper) return;
        assert.ok(place.x >= end - 0.5 && place.x + fitting[at] <= box.width + 0.5);
        end = place.x + fitting[at];
      });
    }
  }
});

test("where all have room in two lines by turns, none is left out", () => {
  const places = inTwo([20, 20, 20, 20, 20], { cell: CELL, width: 5 * CELL });
  assert.deepEqual(places.map((place) => place?.upper), [true, false, true, false, true]);
});

test("before the last one, which ends where its matrix does, a name steps aside", () => {
  const places = inTwo([20, 20, 20, 25, 20, 25], { cell: CELL, width: 6 * CELL });
  assert.ok(places.every(Boolean));
});
