// The plane comes late: it's asked for until it comes, and disturbs nobody, whatever was done meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LatePlane } from "../../attnviz/board/plane/late_plane.js";

/** A board with its plane open, which comes at the n-th try. @param {number} nth */
function boardWithPlane(nth) {
  const seen = { tries: 0, laid: 0, said: /** @type {string[]} */ ([]) };
  const board = {
    structure: "a board", planeOver: true, drag: /** @type {object | null} */ (null), input: { typing: false },
    host: { plane: async () => {
      seen.tries += 1;
      if (seen.tries < nth) throw new Error("it didn't come");
      return {};
    } },
    panel: { say: (/** @type {string} */ text) => seen.said.push(text) },
    assembly: { again: () => { seen.laid += 1; } },
  };
  return { board, seen, plane: new LatePlane(/** @type {Board} */ (/** @type {unknown} */ (board))) };
}

/** @param {import("node:test").TestContext} context @param {number} seconds */
async function wait(context, seconds) {
  for (let at = 0; at < seconds * 10; at += 1) {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    context.mock.timers.tick(100);
  }
}

test("a plane that doesn't come is asked for until it comes, and the board is laid once", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { board, seen, plane } = boardWithPlane(3);
  plane.fetch();
  plane.fetch();
  await wait(context, 5);
  assert.deepEqual([seen.tries, seen.laid, seen.said.length, seen.said.at(-1)], [3, 1, 3, ""]);
  board.structure = "another";
  plane.fetch();
  await wait(context, 2);
  assert.deepEqual([seen.tries, seen.laid], [3, 1]);
});

test("what others say in the dock stays where the plane comes at once", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { seen, plane } = boardWithPlane(1);
  plane.fetch();
  await wait(context, 1);
  assert.deepEqual([seen.laid, seen.said], [1, []]);
});

for (const [what, busy] of /** @type {const} */ ([["typed", { input: { typing: true } }], ["dragged", { drag: {} }]])) {
  test(`a number that is being ${what} is let be until that is done`, async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    const { board, seen, plane } = boardWithPlane(1);
    Object.assign(board, busy);
    plane.fetch();
    await wait(context, 3);
    assert.equal(seen.laid, 0);
    Object.assign(board, { drag: null, input: { typing: false } });
    await wait(context, 1);
    assert.equal(seen.laid, 1);
  });
}

for (const left of [{ structure: "" }, { planeOver: false }]) {
  const what = Object.keys(left)[0] === "structure" ? "whose board has ended" : "that is closed again";
  test(`for a plane ${what} meanwhile, nothing is laid, said or asked`, async (context) => {
    context.mock.timers.enable({ apis: ["setTimeout"] });
    for (const nth of [1, Infinity]) {
      const { board, seen, plane } = boardWithPlane(nth);
      plane.fetch();
      Object.assign(board, left);
      await wait(context, 3);
      assert.deepEqual([seen.tries, seen.laid, seen.said], [1, 0, []]);
    }
  });
}
