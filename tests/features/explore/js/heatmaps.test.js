// What heatmaps do by themselves: a reader's page stays where it was scrolled to.

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRoom } from "../../../../attnviz/features/explore/page/heatmaps/room.js";

test("an explanation is scrolled to as often as it grows, and not while its reader scrolls on", () => {
  let scrolled = 0;
  const box = () => ({ top: 0, bottom: 0 });
  class Element {
    offsetHeight = 100;
    isConnected = true;
    style = { setProperty() {}, removeProperty() {}, getPropertyValue: () => "" };
    getBoundingClientRect = box;
    scrollIntoView() { scrolled += 1; }
    remove() {}
  }
  const panel = new Element();
  Object.assign(globalThis, {
    HTMLElement: Element,
    document: { documentElement: new Element() },
  });
  const [root, gap, picked] = [new Element(), new Element(), { parentElement: null }].map((each) => (
    /** @type {HTMLElement} */ (/** @type {unknown} */ (each))
  ));
  const look = () => makeRoom(root, gap, /** @type {any} */ (panel), picked, true);
  look();
  assert.equal(scrolled, 1);
  for (let i = 0; i < 3; i += 1) look();
  assert.equal(scrolled, 1);
  panel.offsetHeight = 180;
  look();
  assert.equal(scrolled, 2);
  for (let i = 0; i < 20; i += 1) look();
  assert.equal(scrolled, 2);
});
