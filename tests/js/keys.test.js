// The table of keys, from which handlers hear them and elements tell them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { KEYS, press, shortcutsOfCells } from "../../attnviz/board/keys.js";
import { isHeard, SHORTCUTS } from "../../attnviz/scripts/shortcuts.js";

const MODIFIERS = ["Alt", "Control"];

/** @param {string} key @param {object} [held] */
const event = (key, held = {}) =>
  /** @type {any} */ ({ key, altKey: false, ctrlKey: false, metaKey: false, shiftKey: false,
    getModifierState: () => false, ...held });

// The event of a shortcut as it stands in the table.
function pressed(/** @type {string} */ shortcut) {
  const parts = shortcut.split("+");
  return event(parts[parts.length - 1], { altKey: parts.includes("Alt"), ctrlKey: parts.includes("Control") });
}

test("every key is written as WAI-ARIA asks: modifiers first, then one key", () => {
  for (const shortcut of Object.values(SHORTCUTS).flat()) {
    const [key, ...modifiers] = shortcut.split("+").toReversed();
    assert.match(key, /^(?:[A-Z?]|Arrow(?:Left|Right|Up|Down)|Enter|Escape|Delete|Home|End)$/);
    assert.ok(modifiers.every((each) => MODIFIERS.includes(each)), shortcut);
  }
});

test("what a key does is heard from its own keys alone", () => {
  for (const [name, shortcuts] of Object.entries(SHORTCUTS)) {
    for (const other of Object.values(SHORTCUTS).flat()) {
      assert.equal(isHeard(name, pressed(other)), shortcuts.includes(other), `${name}: ${other}`);
    }
  }
  assert.ok(isHeard("undo", event("z", { metaKey: true })), "⌘ on a Mac");
  assert.ok(isHeard("digits", event("D", { shiftKey: true })));
  assert.ok(!isHeard("digits", event("d", { altKey: true })));
});

test("every row of the board's keys has keys, but for what is typed", () => {
  const names = Object.values(KEYS).flat().map(({ name }) => name);
  assert.deepEqual(names.filter((name) => !(name in SHORTCUTS)), ["type"]);
  assert.deepEqual(Object.keys(SHORTCUTS).filter((name) => !names.includes(name)), ["leave"]);
});

test("a matrix tells the keys that its cells hear", () => {
  const board = (fixed = false) => /** @type {any} */ ({ data: { fixed } });
  const always = "Enter Escape Control+Enter D";
  assert.equal(shortcutsOfCells(board(), true),
    `${always} Alt+ArrowLeft Alt+ArrowRight Alt+ArrowUp Alt+ArrowDown Delete Control+Z Control+V`);
  assert.equal(shortcutsOfCells(board(), false), `${always} R Control+Z`);
  assert.equal(shortcutsOfCells(board(true), false), `${always} R`);
});

test("a key does what it says where its cell allows it, and is left to the browser elsewhere", () => {
  /** @type {string[]} */
  const done = [];
  const board = (/** @type {boolean} */ given, edited = given) => /** @type {any} */ ({
    isEditable: () => given, isEdited: () => edited, query: 0, stage: () => ({ columns: "key" }),
    editing: { reset: () => done.push("reset") }, picking: { turnReaders: () => done.push("readers") },
    input: { type: (/** @type {Place} */ _, /** @type {string} */ text) => done.push(text) },
  });
  const place = { matrix: "w_q", row: 0, column: 1 };
  assert.equal(press(KEYS.cells, board(true), event("Delete"), place), true);
  assert.equal(press(KEYS.cells, board(true, false), event("Delete"), place), false);
  assert.equal(press(KEYS.cells, board(false), event("Delete"), place), false);
  assert.equal(press(KEYS.cells, board(false), event("r"), place), true);
  assert.equal(press(KEYS.cells, board(true), event("r"), place), true); // typed, as any character is
  assert.equal(press(KEYS.cells, board(false), event("7"), place), false);
  assert.equal(press(KEYS.cells, board(true), event("v", { ctrlKey: true }), place), false); // pastes
  assert.deepEqual(done, ["reset", "readers", "r"]);
});
