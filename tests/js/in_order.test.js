// Of one component's drawings none is followed by an older one, whatever order they come in.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder } from "../../attnviz/app/session/in_order.js";

/** @typedef {{ nth: [session: string, at: number] }} Placed */

const bytes = (/** @type {Placed} */ data) => new TextEncoder().encode(JSON.stringify(data));

// Drawings of one component after another; returns the data that was drawn.
function drawnOf(/** @type {(Placed | Uint8Array)[]} */ sent) {
  /** @type {Placed[]} */
  const seen = [];
  const draw = inOrder(({ data }) => seen.push(data));
  const parentElement = /** @type {ParentNode} */ ({});
  const [setStateValue, setTriggerValue] = [() => {}, () => {}];
  for (const data of sent) draw({ parentElement, data, setStateValue, setTriggerValue });
  return seen;
}

test("a drawing that was overtaken is left out, as an object or as bytes", () => {
  /** @type {[string, number][]} */
  const places = [["a", 2], ["a", 1], ["a", 2], ["a", 5], ["a", 4]];
  const sent = places.map((nth) => ({ nth }));
  const left = [["a", 2], ["a", 2], ["a", 5]].map((nth) => ({ nth }));
  assert.deepEqual(drawnOf(sent), left);
  assert.deepEqual(drawnOf(sent.map(bytes)), left);
});

test("a session of a server that began anew counts from its own beginning", () => {
  const sent = /** @type {Placed[]} */ ([{ nth: ["a", 7] }, { nth: ["b", 1] }, { nth: ["b", 2] }]);
  assert.deepEqual(drawnOf(sent), sent);
});
