// The chip beside a changed cell: near it, inside of the board, and over no numbers where there is room.

import assert from "node:assert/strict";
import { test } from "node:test";

import { placeBeside } from "../../attnviz/board/spine/undo.js";

const SIZE = { width: 130, height: 24, from: 90, to: 122 };
const WITHIN = { width: 1000, height: 500 };
/** @param {number} x @param {number} y @param {number} width @param {number} height */
const rect = (x, y, width, height) => ({ x, y, width, height });

/** @param {ReturnType<typeof rect>} cell @param {ReturnType<typeof rect>} matrix @param {ReturnType<typeof rect>[]} others */
function placed(cell, matrix, others = [], within = WITHIN) {
  const { x, y } = placeBeside(cell, matrix, SIZE, [matrix, ...others], within);
  assert.ok(x >= 0 && x + SIZE.width <= within.width);
  const covers = [matrix, ...others].filter((each) => x < each.x + each.width && each.x < x + SIZE.width && y < each.y + each.height && each.y < y + SIZE.height);
  return { x, y, covers: covers.length };
}

test("it stands at the left of the matrix, and where that is taken under or over it", () => {
  const [matrix, cell] = [rect(300, 200, 84, 84), rect(300, 228, 42, 28)];
  assert.deepEqual(placed(cell, matrix), { x: 164, y: 230, covers: 0 });
  const left = rect(200, 200, 90, 84);
  assert.equal(placed(cell, matrix, [left]).y, 290);
  const below = rect(250, 284, 200, 100);
  assert.ok(placed(cell, matrix, [left, below]).y < 200);
});

test("in the middle of a tall matrix it stands over none of its cells", () => {
  const matrix = rect(60, 60, 126, 168);
  const others = [rect(0, 60, 60, 168), rect(192, 60, 400, 168)];
  for (let row = 0; row < 6; row += 1) {
    for (let column = 0; column < 3; column += 1) assert.equal(placed(rect(60 + 42 * column, 60 + 28 * row, 42, 28), matrix, others).covers, 0);
  }
});

test("where everything is taken, it stands right under the cell", () => {
  const [matrix, cell] = [rect(60, 20, 300, 400), rect(200, 200, 30, 28)];
  assert.deepEqual(placed(cell, matrix, [rect(0, 0, 60, 500), rect(360, 0, 640, 500)], { width: 1000, height: 440 }), { x: 180, y: 230, covers: 1 });
});
