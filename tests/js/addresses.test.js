// What is done to a query, and what tells it from others: tests/unit/server/test_state.py holds that
// to what Python makes of it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { reopened } from "../../attnviz/app/shell/long_link.js";
import { ofOwnWords } from "../../attnviz/scripts/own_sentence.js";
import { ordered, patched } from "../../attnviz/scripts/query.js";
import { CONSTANTS, SENTENCES } from "../../attnviz/scripts/sent.js";
import { say } from "../../attnviz/scripts/sentences.js";

const { BY_CLASS } = CONSTANTS;
const QUERY = "text=a+cat&edits=w_q.0.1.0.9*w_k.identity&utm=%C3%A9";

test("a patch says what is there and what isn't, and leaves the rest", () => {
  assert.equal(patched(QUERY, { seed: "7", edits: null, nothing: null, text: "a & b=c+d" }),
    ordered("utm=é&seed=7&text=a+%26+b%3Dc%2Bd"));
  assert.equal(patched(QUERY, {}), ordered(QUERY));
  assert.equal(patched("", { edits: null }), "");
});

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

test("a sentence is filled, and a number chooses its form", () => {
  assert.equal(say("summary.and", { first: "{last} $& cat", last: 1 }), "{last} $& cat and 1");
  assert.deepEqual([0, 1, 2, 1024].map((n) => say("count.token", { n })),
    ["0 tokens", "1 token", "2 tokens", "1,024 tokens"]);
});

test("a sentence that isn't there, or a place that isn't given, is an error", () => {
  assert.throws(() => say("no.such_sentence"), /no sentence no\.such_sentence/);
  assert.throws(() => say("summary.and", { first: "a" }), /needs last/);
});

test("no place is left open in any sentence, whatever fills it", () => {
  const all = Object.entries(SENTENCES)
    .flatMap(([room, of]) => Object.entries(of).map(([name, template]) => ({ key: `${room}.${name}`, template })));
  for (const { key, template } of all) {
    const forms = typeof template === "string" ? [template] : Object.values(template);
    const names = new Set(forms.flatMap((form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)));
    for (const n of [1, 2]) {
      const said = say(key, { ...Object.fromEntries([...names].map((name) => [name, "·"])), n });
      assert.ok(!/[{}]/.test(said), `${key}: ${said}`);
    }
  }
});

const OPENING = "text=the+fluffy+cat+chased+a+mouse&edits=x.example.fluffy-cat*w_q.example.fluffy-cat*w_q.0.1.5.0";

test("a sentence typed in place of the opening example's gets vectors by kind of word, and edits of W's stay", () => {
  const typed = (/** @type {string} */ query, /** @type {import("../../attnviz/scripts/query.js").Patch} */ patch) =>
    patched(query, ofOwnWords(query, patch, BY_CLASS));
  const read = new URLSearchParams(typed(OPENING, { text: "my dog" }));
  assert.deepEqual([read.get("text"), read.get("embedding"), read.get("positions"), read.get("edits")],
    ["my dog", "class", "near", "w_q.example.fluffy-cat*w_q.0.1.5.0"]);
  assert.equal(typed(OPENING, { seed: "7" }), patched(OPENING, { seed: "7" }));
  assert.equal(typed(OPENING, { text: "my dog", edits: null }), patched(OPENING, { text: "my dog", edits: null }));
  assert.equal(typed(QUERY, { text: "my dog" }), patched(QUERY, { text: "my dog" }));
});
