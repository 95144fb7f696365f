// What the reader changes is one step back in the browser's history, and what follows from it none.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Steps } from "../../attnviz/app/shell/connection/connection.js";
import { Presses } from "../../attnviz/app/shell/connection/presses.js";

/** @type {any} */
const world = globalThis;
/** @type {string[]} */
let entries = [];
/** @type {Record<string, unknown>} */
let before = {};

beforeEach(() => {
  entries = [""];
  before = { window: world.window, history: world.history, location: world.location, document: world.document };
  const location = new URL("http://attnviz/");
  const write = (/** @type {boolean} */ isNew) => (/** @type {unknown} */ _state, /** @type {string} */ _title, /** @type {string} */ to) => {
    location.search = new URL(to, location.href).search;
    if (!isNew) entries.pop();
    entries.push(location.search);
  };
  const window = Object.assign(new EventTarget(), { attnvizConnection: undefined });
  Object.assign(world, { window, location, document: { querySelector: () => ({ dataset: { testScriptState: "notRunning" } }) } });
  world.history = { pushState: write(true), replaceState: write(false) };
});

/** @type {Steps[]} */
const made = [];

function newSteps() {
  const steps = new Steps(new Presses());
  made.push(steps);
  return steps;
}

afterEach(() => {
  for (const steps of made.splice(0)) clearTimeout(steps.forgetting);
  Object.assign(world, before);
});

test("a change that a component has sent is a step however late it comes, and what follows from it is none", () => {
  const steps = newSteps();
  steps.expected.add("board");
  steps.forget(); // as after a second and a half in which a busy server did nothing
  world.history.pushState({}, "", "?edits=a");
  world.history.pushState({}, "", "?edits=a&query=1");
  assert.deepEqual(entries, ["", "?edits=a&query=1"]);
});

test("two components that wait have a step each, and an answer that changed nothing has none", () => {
  const steps = newSteps();
  steps.expected.add("board").add("tables");
  world.history.pushState({}, "", "?a=1");
  world.history.pushState({}, "", "?a=1&b=1");
  assert.deepEqual(entries, ["", "?a=1", "?a=1&b=1"]);
  steps.expected.add("board");
  steps.expected.delete("board");
  world.history.pushState({}, "", "?a=2&b=1");
  assert.deepEqual(entries, ["", "?a=1", "?a=2&b=1"]);
});

test("a control that has no answer is a step, unless nothing came of it for long", () => {
  const steps = newSteps();
  steps.owed = 2;
  world.history.pushState({}, "", "?seed=1");
  assert.deepEqual(entries, ["", "?seed=1"]);
  steps.owed = 1;
  steps.sentAt = performance.now();
  steps.forget(); // the server has not begun
  assert.equal(steps.owed, 1);
  steps.ran = true;
  steps.forget();
  assert.equal(steps.owed, 0);
  world.history.pushState({}, "", "?seed=2");
  assert.deepEqual(entries, ["", "?seed=2"]);
});

test("the same address in other letters or another order is no step", () => {
  const steps = newSteps();
  steps.expected.add("board");
  world.history.pushState({}, "", "?edits=a*b&seed=1");
  steps.expected.add("board");
  world.history.pushState({}, "", "?seed=1&edits=a%2Ab");
  assert.deepEqual(entries, ["", "?seed=1&edits=a%2Ab"]);
});
