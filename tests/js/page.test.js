// What a page does by itself while somebody presses keys and scrolls: it holds nobody back for long.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const EARLY_KEYS = readFileSync(new URL("../../attnviz/app/server/early_keys.js", import.meta.url), "utf8");
const LOOKS_A_SECOND = 10;

/** Early keys on a page that is drawn after some looks, and rests after some, or never.
 *  @param {number} restsAfter @param {number} drawnAfter */
function pageThatRests(restsAfter, drawnAfter = 0) {
  let looks = 0;
  const page = {
    /** @type {((event: object) => void) | undefined} */ keep: undefined,
    /** @type {(() => void) | undefined} */ look: undefined,
    /** @type {string[]} */ heard: [],
  };
  const body = { dispatchEvent: (/** @type {{ key: string }} */ event) => page.heard.push(event.key) };
  runInNewContext(EARLY_KEYS, {
    window: { get attnvizAddress() { return { drawn: looks > drawnAfter ? {} : null }; } },
    document: { body, querySelector: () => (looks > restsAfter ? {} : null) },
    addEventListener: (/** @type {string} */ _, /** @type {(event: object) => void} */ keep) => { page.keep = keep; },
    removeEventListener: () => { page.keep = undefined; },
    setInterval: (/** @type {() => void} */ look) => { page.look = look; },
    clearInterval: () => { page.look = undefined; },
    KeyboardEvent: class {
      /** @param {string} _ @param {{ key: string }} of */
      constructor(_, of) { this.key = of.key; }
    },
  });
  return {
    page,
    // Returns whether the key was kept from the page.
    press(/** @type {string} */ key) {
      let kept = false;
      const stop = () => { kept = true; };
      page.keep?.({ isTrusted: true, target: body, key, preventDefault: stop, stopImmediatePropagation: stop });
      return kept;
    },
    wait(/** @type {number} */ seconds) {
      for (let i = 0; i < seconds * LOOKS_A_SECOND; i += 1) {
        looks += 1;
        page.look?.();
      }
    },
  };
}

test("a key that is pressed while a page loads is pressed again once it rests, and no later key is kept", () => {
  const { page, press, wait } = pageThatRests(30);
  assert.ok(press("PageDown"));
  wait(2);
  assert.deepEqual(page.heard, []);
  wait(10);
  assert.deepEqual(page.heard, ["PageDown"]);
  assert.ok(!press("PageDown"));
});

test("a key is kept however late the first run begins, before which none goes on either", () => {
  const { page, press, wait } = pageThatRests(0, 300);
  assert.ok(press("PageDown"));
  wait(30);
  assert.deepEqual(page.heard, []);
  wait(2);
  assert.deepEqual(page.heard, ["PageDown"]);
});

test("a page that nobody draws scrolls by its keys again within a minute", () => {
  const { page, press, wait } = pageThatRests(0, Infinity);
  assert.ok(press("PageDown"));
  wait(61);
  assert.ok(!press("PageDown"));
  assert.equal(page.look, undefined);
});

test("a page that never rests scrolls by its keys again within some seconds", () => {
  const { page, press, wait } = pageThatRests(Infinity);
  assert.ok(press("PageDown"));
  wait(16);
  assert.ok(!press("PageDown"));
  assert.equal(page.look, undefined);
  assert.deepEqual(page.heard, []);
});
