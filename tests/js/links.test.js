import assert from "node:assert/strict";
import { test } from "node:test";

import { linkOf } from "../../attnviz/app/shell/share/copy_link.js";
import { reopened } from "../../attnviz/app/shell/opening/long_link.js";

const LONGEST = 524_288;
const MOST = 1000;

/** @type {[string, string, string[]][]} */
const TOO_LONG = [
  ["2 MB", `foreign=${"a".repeat(2 * 2 ** 20 - 100)}`, ["foreign"]], // as long as Chromium takes an address
  ["repeated", Array(100_000).fill("seed=8").join("&"), []],
  ["many", Array.from({ length: 2000 }, (_, i) => `p[${i}]=1`).join("&"), ["p[989]", "p[990]", "p[991]"]],
  ["of emoji", `edits=${"%F0%9F%98%80".repeat(100_000)}`, ["edits"]],
];

for (const [what, middle, names] of TOO_LONG) {
  test(`what fits of a link is kept: ${what}`, () => {
    const given = `d_out=3&${middle}&seed=7`;
    const kept = reopened(given, LONGEST, MOST, "left_out", "mark") ?? "";
    const read = new URLSearchParams(kept);
    assert.deepEqual([read.get("d_out"), read.get("seed")], ["3", "7"]);
    const [mark, length, parameters, leftOut, ...named] = (read.get("left_out") ?? "").split(" ");
    assert.equal(mark, "mark");
    assert.deepEqual([Number(length), Number(parameters), named], [given.length, given.split("&").length, names]);
    const lost = new Set(new URLSearchParams(given).keys()).difference(new Set(read.keys()));
    assert.equal(Number(leftOut), lost.size);
    assert.ok(kept.length < LONGEST);
    assert.ok(kept.split("&").length <= MOST);
  });
}

test("a link that can be read is left alone", () => {
  assert.equal(reopened("d_out=3&seed=7", LONGEST, MOST, "left_out", "mark"), null);
  assert.equal(reopened("", LONGEST, MOST, "left_out", "mark"), null);
});

test("a link to copy is the page's own, with what it hides", () => {
  assert.equal(linkOf("https://x.org/a/lesson?text=a+b#c", {}), "https://x.org/a/lesson?text=a+b#c");
  assert.equal(linkOf("https://x.org/?seed=1&hide=d_in", { hide: "d_in,seed" }), "https://x.org/?hide=d_in%2Cseed&seed=1");
});
