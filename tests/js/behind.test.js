// When the rest of a page that is behind its board is asked for: once the hand rests, and never too late.

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import { Behind, delayOf, delayOfList } from "../../attnviz/board/behind.js";
import { CONSTANTS } from "../../attnviz/scripts/sent.js";

const { LEAST_MS, TIMES, IN_ALL, MOST_MS, LIST_MS, LIST_MOST_MS } = CONSTANTS.PUT_OFF;
/** @type {number[]} */
let asked = [];
/** @type {any} */
let board = {};
let now = 0;

beforeEach(() => {
  [asked, now] = [[], 0];
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => now);
  board = {
    sender: { took: 20, waiting: null, ask: (/** @type {() => void} */ say) => say() },
    intake: { trigger: (/** @type {string} */ name, /** @type {number} */ answered) => asked.push(answered) },
    drag: null,
    input: { typing: null },
    root: { isConnected: true },
  };
});

afterEach(() => {
  mock.timers.reset();
  mock.restoreAll();
});

/** @param {number} ms */
function pass(ms) {
  for (let passed = 0; passed < ms; passed += 1) {
    now += 1;
    mock.timers.tick(1);
  }
}

/** @param {Behind} behind @param {"" | "soon" | "later" | "list"} told @param {number} answered */
function hear(behind, told, answered) {
  behind.hear(/** @type {any} */ ({ behind: told, answered }));
}

test("of a page that isn't behind nothing is asked for, and of one that is, once the hand rests", () => {
  const behind = new Behind(board);
  hear(behind, "", 1);
  pass(2 * MOST_MS);
  assert.deepEqual(asked, []);
  hear(behind, "later", 2);
  pass(20 * TIMES - 1);
  assert.deepEqual(asked, []);
  pass(1);
  assert.deepEqual(asked, [2]);
});

test("several edits have one run after them, and who never rests has one all the same", () => {
  const behind = new Behind(board);
  for (let number = 1; number <= 3; number += 1) {
    hear(behind, "later", number);
    pass(10 * TIMES);
  }
  pass(10 * TIMES);
  assert.deepEqual(asked, [3]);
  hear(behind, "", 3);
  let edits = 0;
  while (asked.length === 1 && edits < 1000) {
    edits += 1;
    hear(behind, "later", 3 + edits);
    pass(20);
  }
  assert.equal(asked.length, 2);
  assert.ok(edits * 20 <= 20 * IN_ALL + LEAST_MS + 20);
});

test("the list of edits waits until nobody goes on editing, and not for ever", () => {
  const behind = new Behind(board);
  let edits = 0;
  while (!asked.length && edits < 100) {
    edits += 1;
    hear(behind, "list", edits);
    pass(1000);
  }
  assert.ok(edits > 4 && edits * 1000 <= LIST_MOST_MS + 1000, String(edits));
  hear(behind, "list", 101);
  pass(LIST_MS - 1);
  assert.equal(asked.length, 1);
  pass(1);
  assert.equal(asked.length, 2);
  assert.ok(delayOfList(1000, 0) > LIST_MS, "the more, the busier the server is");
  assert.ok(delayOfList(5, LIST_MOST_MS) === LEAST_MS, "whoever edits on sees it at last");
  assert.ok(delayOfList(1000, LIST_MOST_MS) > LEAST_MS, "but not soon on a busy server");
  assert.equal(delayOfList(1000, 0), MOST_MS, "whose hand rests waits no longer than for all");
});

test("what is to be said is asked for without delay, and a run that came meanwhile ends the wait", () => {
  const behind = new Behind(board);
  hear(behind, "later", 0);
  pass(1);
  hear(behind, "soon", 1);
  pass(LEAST_MS);
  assert.deepEqual(asked, [1]);
  hear(behind, "later", 2);
  hear(behind, "", 2);
  pass(2 * MOST_MS);
  assert.deepEqual(asked, [1]);
});

test("while an edit isn't answered its answer decides, and of a board that is gone nothing is asked", () => {
  const behind = new Behind(board);
  hear(behind, "later", 1);
  board.sender.waiting = { number: 2 };
  pass(MOST_MS);
  assert.deepEqual(asked, []);
  board.sender.waiting = null;
  hear(behind, "later", 2);
  pass(LEAST_MS); // it's overdue
  assert.deepEqual(asked, [2]);
  hear(behind, "later", 3);
  board.root.isConnected = false;
  pass(2 * MOST_MS);
  assert.deepEqual(asked, [2]);
});

test("a hand that drags is waited for, but not forever", () => {
  const behind = new Behind(board);
  board.drag = {};
  hear(behind, "later", 1);
  pass(MOST_MS - LEAST_MS);
  assert.deepEqual(asked, []);
  pass(2 * LEAST_MS);
  assert.deepEqual(asked, [1]);
});

test("the delay grows with the answer and ends with what was behind for long", () => {
  assert.equal(delayOf(0, 0), LEAST_MS);
  assert.ok(delayOf(100, 0) > delayOf(20, 0));
  assert.equal(delayOf(100_000, 0), MOST_MS);
  assert.equal(delayOf(100_000, MOST_MS), LEAST_MS);
});
