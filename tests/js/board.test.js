// Matrices as they come: what came before just so is not unpacked again, whatever else did.

import assert from "node:assert/strict";
import { test } from "node:test";

import { beforeEdits } from "../../attnviz/board/display.js";
import { blockIn } from "../../attnviz/board/editing.js";
import { Sender } from "../../attnviz/board/sender.js";
import { placeBeside } from "../../attnviz/board/spine/undo.js";
import { unpacked } from "../../attnviz/board/values/matrices.js";

const bits = (/** @type {number[]} */ numbers) => Buffer.from(Float32Array.from(numbers).buffer).toString("base64");

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

  const changed = unpacked({ ...SENT, scores: { ...SENT.scores, float32: bits([5, -4]) },
    x: { rows: 1, columns: 1, values: [8] } }, before);
  assert.equal(changed.q, matrices.q);
  assert.deepEqual([changed.scores, changed.scaled_scores, changed.x].map(({ values }) => [...values]),
    [[5, -4], [2.5, -2], [8]]);

  const halved = unpacked({ ...SENT, scaled_scores: { ...SENT.scaled_scores, dividedBy: 4 },
    q: { ...SENT.q, rows: 2, columns: 1 } }, before);
  assert.deepEqual([...halved.scaled_scores.values], [0.75, -1]);
  assert.deepEqual([halved.q.rows, halved.q.columns], [2, 1]);
});

// Until torch has answered, the board says of a cell what Python will say of it then.

const TORCH = { w_q: { rows: 2, columns: 2, values: Float64Array.of(1, 2, 3, 4) } };

/** @param {number} row @param {number} column @param {number | null} value */
const edit = (row, column, value) => ({ matrix: "w_q", row, column, value });

test("a changed cell had the number that torch still has", () => {
  assert.deepEqual(beforeEdits({}, TORCH, [edit(0, 1, 9)]), { "w_q,0,1": 2 });
});

test("a cell that is changed again had the number from before the first change", () => {
  const before = { "w_q,1,0": 0.5 };
  assert.deepEqual(beforeEdits(before, TORCH, [edit(1, 0, 9)]), { "w_q,1,0": 0.5 });
  assert.deepEqual(beforeEdits({}, TORCH, [edit(1, 0, 9), edit(1, 0, 8)]), { "w_q,1,0": 3 });
});

test("a cell that is reset is as it was, and what Python sent is left alone", () => {
  const before = { "w_q,1,0": 0.5, "w_q,1,1": 0.25 };
  assert.deepEqual(beforeEdits(before, TORCH, [edit(1, 0, null), edit(0, 0, 7), edit(0, 0, null)]),
    { "w_q,1,1": 0.25 });
  assert.deepEqual(before, { "w_q,1,0": 0.5, "w_q,1,1": 0.25 });
});

// Of points, commas, blanks and lines alone, tests/unit/board/test_board_script.py has any text.
/** @type {Record<string, string[][]>} */
const BLOCKS = {
  "0,5 1,5\n2 −3,5": [["0,5", "1,5"], ["2", "−3,5"]],
  "1 1/2": [["1 1/2"]],
  "5 · 10^-1 ": [["5 · 10^-1"]],
  "1,234": [["1,234"]],
  "1\t1/2": [["1", "1/2"]],
};

for (const [text, lines] of Object.entries(BLOCKS)) {
  test(`a pasted block falls into cells: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(blockIn(text, 9, 9), { lines, outside: 0 });
  });
}

/** @type {[string, string, number][]} */
const LARGE = [["1\t", "2", 500_001], ["1 ", "", 500_000], ["1\n", "", 500_000], ["\r\n", "1", 500_001]];

for (const [piece, end, cells] of LARGE) {
  test(`a pasted block of a megabyte is not taken apart: ${JSON.stringify(piece)}`, (context) => {
    const { split } = String.prototype;
    let made = 0;
    /** @this {string} @param {[any, any]} given */
    function counting(...given) {
      const parts = split.apply(this, given);
      made += parts.length;
      return parts;
    }
    context.mock.method(String.prototype, "split", counting);
    const { lines, outside } = blockIn(piece.repeat(500_000) + end, 2, 3);
    assert.equal(lines.flat().length + outside, cells);
    assert.ok(made <= 6, `${made} pieces`);
  });
}

// The chip beside a changed cell: near it, inside of the board, and over no numbers where there is room.

const SIZE = { width: 130, height: 24, from: 90, to: 122 };
const WITHIN = { width: 1000, height: 500 };
/** @param {number} x @param {number} y @param {number} width @param {number} height */
const rect = (x, y, width, height) => ({ x, y, width, height });

/** @param {ReturnType<typeof rect>} cell @param {ReturnType<typeof rect>} matrix
 *  @param {ReturnType<typeof rect>[]} others */
function placed(cell, matrix, others = [], within = WITHIN) {
  const { x, y } = placeBeside(cell, matrix, SIZE, [matrix, ...others], within);
  assert.ok(x >= 0 && x + SIZE.width <= within.width);
  const covers = [matrix, ...others].filter((each) => x < each.x + each.width && each.x < x + SIZE.width
    && y < each.y + each.height && each.y < y + SIZE.height);
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
    for (let column = 0; column < 3; column += 1) assert.equal(placed(rect(60 + 42 * column, 60 + 28 * row, 42, 28),
      matrix, others).covers, 0);
  }
});

test("where everything is taken, it stands right under the cell", () => {
  const [matrix, cell] = [rect(60, 20, 300, 400), rect(200, 200, 30, 28)];
  assert.deepEqual(placed(cell, matrix, [rect(0, 0, 60, 500), rect(360, 0, 640, 500)], { width: 1000, height: 440 }),
    { x: 180, y: 230, covers: 1 });
});

test("of the set-up nothing stays beside a whole example, though no run has drawn it yet", () => {
  /** @type {Record<string, string | null>} */
  let told = {};
  const page = { controls: ["seed", "d_in"], change: (/** @type {typeof told} */ patch) => (told = patch) };
  const board = { data: {}, host: { page }, panel: { report() {} }, root: { classList: { toggle() {} } } };
  const example = { name: "", title: "", shows: "", patch: { example: "x" }, whole: true };
  new Sender(/** @type {any} */ (board)).begin(example);
  assert.deepEqual(told, { seed: null, d_in: null, edits: null, query: null, cell: null, example: "x" });
});
