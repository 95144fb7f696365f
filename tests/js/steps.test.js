// What the reader changes is one step back in the browser's history, and what follows from it none.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Steps, markOf } from "../../attnviz/app/shell/connection/steps.js";
import { Leaving } from "../../attnviz/app/shell/connection/leaving.js";
import { Presses } from "../../attnviz/app/shell/connection/presses.js";
import { Sender } from "../../attnviz/scripts/sending.js";

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
  const leaving = new Leaving();
  const steps = new Steps(new Presses(leaving), leaving);
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

const HISTORY = new Uint8Array([90, 2, 72, 1]);

async function goBack() {
  entries.pop();
  world.location.search = entries.at(-1) ?? "";
  world.window.dispatchEvent(new Event("popstate"));
  await new Promise((go) => setTimeout(go));
}

test("until Back is answered, what a run from before writes takes the place of no entry", async () => {
  const steps = newSteps();
  steps.owed = 2;
  world.history.pushState({}, "", "?a=1");
  world.history.pushState({}, "", "?a=1&b=1");
  await goBack();
  steps.sent(HISTORY); // as Streamlit asks for the page at that address
  world.history.pushState({}, "", "?a=1&b=1"); // the answer to what was asked for before
  assert.deepEqual([entries, steps.goingBack], [["", "?a=1"], true]);
  steps.hear({ times: 1, mark: markOf("a=1&b=1") }); // of an earlier Back, which led elsewhere
  assert.equal(steps.goingBack, true);
  steps.hear({ times: 2, mark: markOf("a=1") });
  assert.equal(steps.goingBack, false);
  world.history.pushState({}, "", "?a=01");
  assert.deepEqual(entries, ["", "?a=01"]);
});

test("what a control tells in the moment in which Back is pressed comes before Back, and writes no entry", async () => {
  const steps = newSteps();
  const told = /** @type {string[]} */ ([]);
  world.window.addEventListener("popstate", () => told.push("Back"));
  steps.owed = 1;
  world.history.pushState({}, "", "?a=1");
  steps.acted = true;
  setTimeout(() => told.push("the control"));
  const gone = goBack();
  assert.equal(steps.goingBack, true);
  world.history.pushState({}, "", "?a=2"); // the answer to what was asked for before
  await gone;
  assert.deepEqual([told, entries, steps.goingBack], [["the control", "Back"], [""], false]);
});

test("a change of the reader counts before Back is answered, and Back that nothing is asked for has no answer", async () => {
  const steps = newSteps();
  steps.owed = 1;
  world.history.pushState({}, "", "?a=1");
  await goBack();
  steps.sent(new Uint8Array([90, 0])); // something else, later
  assert.equal(steps.goingBack, false);
  steps.owed = 1;
  world.history.pushState({}, "", "?a=1");
  await goBack();
  steps.sent(HISTORY);
  steps.acted = true;
  world.history.replaceState({}, "", "?b=1"); // a control, by hand
  assert.deepEqual([entries, steps.goingBack], [["", "?b=1"], true]);
});

test("what a component has to send waits until Back is answered", async () => {
  const told = /** @type {unknown[]} */ ([]);
  const page = { ready: true, listens: false, expect: () => {}, keepQuiet: () => {}, answered: () => {} };
  world.window.attnvizConnection = page;
  const sender = new Sender(/** @type {any} */ ({ isConnected: true, classList: { toggle() {} } }));
  sender.receive("board", 0, (message) => told.push(message));
  sender.ask(() => told.push("the rest"));
  sender.send({ edit: 1 });
  assert.deepEqual(told, []);
  page.listens = true;
  await new Promise((go) => setTimeout(go, 200));
  assert.deepEqual(told, [{ number: sender.number, edit: 1 }]);
  clearTimeout(sender.timer);
});
