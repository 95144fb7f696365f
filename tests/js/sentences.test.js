import assert from "node:assert/strict";
import { test } from "node:test";

import { SENTENCES } from "../../attnviz/scripts/sent.js";
import { say } from "../../attnviz/scripts/sentences.js";

test("a sentence is filled, and a number chooses its form", () => {
  assert.equal(say("question_page.word_place", { word: "{place} $& cat", place: 1, of: 3 }), "{place} $& cat, place 1 of 3");
  assert.deepEqual([0, 1, 2, 1024].map((n) => say("count.token", { n })), ["0 tokens", "1 token", "2 tokens", "1,024 tokens"]);
});

test("a sentence that isn't there, or a place that isn't given, is an error", () => {
  assert.throws(() => say("no.such_sentence"), /no sentence no\.such_sentence/);
  assert.throws(() => say("question_page.word_place", { word: "a" }), /needs place/);
});

test("no place is left open in any sentence, whatever fills it", () => {
  const all = Object.entries(SENTENCES).flatMap(([room, of]) => Object.entries(of).map(([name, template]) => ({ key: `${room}.${name}`, template })));
  for (const { key, template } of all) {
    const forms = typeof template === "string" ? [template] : Object.values(template);
    const names = new Set(forms.flatMap((form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)));
    for (const n of [1, 2]) {
      const said = say(key, { ...Object.fromEntries([...names].map((name) => [name, "·"])), n });
      assert.ok(!/[{}]/.test(said), `${key}: ${said}`);
    }
  }
});
