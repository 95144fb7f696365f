import assert from "node:assert/strict";
import { test } from "node:test";

import { blockIn } from "../../attnviz/board/editing.js";

/** @type {Record<string, string[][]>} */
const BLOCKS = {
  "1\t2\n3\t4\n": [["1", "2"], ["3", "4"]],
  "1, 2\r\n3, 4": [["1", "2"], ["3", "4"]],
  "0,5;1,5": [["0,5", "1,5"]],
  "0,5 1,5\n2 −3,5": [["0,5", "1,5"], ["2", "−3,5"]],
  "0,5\n": [["0,5"]],
  "1,0\n0,1": [["1", "0"], ["0", "1"]],
  "1 ,2": [["1", "2"]],
  "1 1/2": [["1 1/2"]],
  "1 000": [["1", "000"]],
  "5 · 10^-1 ": [["5 · 10^-1"]],
  "1,234": [["1,234"]],
  "1\t1/2": [["1", "1/2"]],
  "0.5,1.5": [["0.5", "1.5"]],
  "\t2": [["", "2"]],
  " 1   2 ": [["1", "2"]],
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
