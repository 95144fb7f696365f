// What is played of a row, and when: by the table's rules and what is on the board, for any sizes, with biases and a
// mask.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { brokenIn, momentAt, phasesOf, reachedColumns, spanOf, standing } from "../../attnviz/board/play/timeline.js";
import { beyond } from "../../attnviz/board/spine/words.js";
import { leadAt, titlesOf } from "../../attnviz/board/spine/plan.js";
import { evaluate } from "../../attnviz/board/values/evaluate.js";
import { isMasked, sourcesOf } from "../../attnviz/board/values/dependencies.js";
import { made as boardOf } from "./made.js";

const SPINE = ["x", "q", "scores", "attention_weights", "context"];

const BOARDS = JSON.parse(readFileSync(process.env.ATTNVIZ_SENT ?? "", "utf8")).BOARDS;

/** A board, and what is given to it. @param {string} name @returns {any} */
function madeOf(name) {
  const board = boardOf(BOARDS[name]);
  const list = [...board.stages.values()];
  const given = list.filter(({ rule }) => rule === "given").map((stage) => [stage.name, board.matrices[stage.name]]);
  return { ...board, list, numbers: Object.fromEntries(given) };
}

const CASES = ["plain", "biased", "causal", "one token", "warm", "undivided"];
const SPINES = [SPINE, SPINE.map((name) => (name === "scores" ? "scaled_scores" : name)),
  [...SPINE.slice(0, 3), "scaled_scores", ...SPINE.slice(3)], ["x", "q"], ["x", "k", "q", "v"]];

/** Every case, spine and row.
 *  @param {(made: any, phases: ReturnType<typeof phasesOf>, query: number, spine: string[]) => void} check */
function forAll(check) {
  for (const how of CASES) for (const spine of SPINES) {
    const board = madeOf(how);
    for (let query = 0; query < board.matrices.x.rows; query += 1) check(board, phasesOf(board, spine, query), query,
      spine);
  }
}

test("the phases fill the time one after the other, up to where the board comes back", () => {
  forAll((made, phases) => {
    let start = 0;
    for (const phase of phases) {
      assert.equal(phase.start, start);
      const sentences = phase.kind === "shares" ? 2 : 1;
      assert.ok(phase.end - start >= 3000 * sentences, "each can be read meanwhile");
      start = phase.end;
    }
    assert.ok(start < spanOf(phases).to);
  });
});

test("a whole row goes from its vector to its context, by the rules of the table", () => {
  const kinds = (/** @type {string} */ how) => phasesOf(madeOf(how), SPINE, 0)
    .map(({ name, kind, on }) => [name, kind, on]);
  const scale = ["scaled_scores", "scale", "scores"];
  const [q, ...rest] = [["q", "vector", "q"], ["scores", "scores", "scores"],
    ["attention_weights", "shares", "attention_weights"], ["context", "mix", "context"]];
  assert.deepEqual(kinds("plain"), [q, rest[0], scale, ...rest.slice(1)]);
  assert.deepEqual(kinds("undivided"), [q, ...rest], "divided by nothing");
  assert.deepEqual(kinds("undivided, causal"), [q, rest[0], scale, ...rest.slice(1)], "but masked");
  assert.deepEqual(kinds("one number a key"), [q, ...rest], "divided by one");
});

test("where scores and scaled scores have one place, both happen there", () => {
  forAll((made, phases, _query, spine) => {
    for (const { name, on } of phases) {
      assert.ok(spine.includes(on));
      if (spine.includes(name)) assert.equal(on, name);
    }
  });
});

test("nothing is there before all that it's made from", () => {
  forAll((made, phases, query) => {
    for (let time = 1; time < spanOf(phases).to; time += 97) {
      const moment = momentAt(phases, time);
      if (!moment) continue;
      phases.forEach((phase, index) => {
        const before = phases.findIndex(({ name }) => name === phase.stage.sources[0]);
        if (before < 0) return;
        const there = reachedColumns(phases, moment, before);
        for (const column of reachedColumns(phases, moment, index)) {
          const read = sourcesOf(phase.stage, query, column, made.matrices)[0]
            .filter((place) => !isMasked(made, made.stages.get(place.matrix), query, place.column));
          for (const place of read) assert.ok(there.includes(place.column) || place.matrix === "scores"
            && made.stages.has("mask") && place.column > query, `${phase.name} ${column} at ${time}`);
        }
      });
    }
  });
});

test("what is there stays, and in the end all is there that isn't masked", () => {
  forAll((made, phases, query) => {
    const counts = phases.map(() => 0);
    for (let time = 1; time < spanOf(phases).to; time += 83) {
      const moment = momentAt(phases, time);
      assert.ok(moment);
      phases.forEach((_, index) => {
        const now = reachedColumns(phases, moment, index).length;
        assert.ok(now >= counts[index], `${time}`);
        counts[index] = now;
      });
    }
    phases.forEach(({ stage }, index) => {
      const keys = stage.columns === "key" && made.stages.has("mask");
      assert.equal(counts[index], keys ? query + 1 : made.matrices[stage.name].columns);
    });
  });
});

test("later keys are skipped where they're masked, as scores and as values", () => {
  const phases = phasesOf(madeOf("causal, wide"), SPINE, 1);
  for (const name of ["scores", "context"]) assert.deepEqual(phases.find((phase) => phase.name === name)?.steps,
    [0, 1]);
});

test("before it begins and when it ends the board stands still, and every phase has a moment at which it stands whole",
  () => {
  forAll((made, phases) => {
    assert.equal(momentAt(phases, 0), null);
    assert.equal(momentAt(phases, spanOf(phases).to), null);
    phases.forEach((phase, index) => {
      const moment = momentAt(phases, standing(phase));
      assert.equal(moment?.at, index);
      assert.deepEqual(reachedColumns(phases, /** @type {any} */ (moment), index), phase.columns);
    });
  });
});

test("a part goes by itself: from its own beginning, with what is before it there, to the still board", () => {
  forAll((_, phases) => phases.forEach((phase, index) => {
    const until = phases.slice(0, index + 1);
    const span = spanOf(until, phase.name);
    assert.ok(span.from === phase.start && span.to > phase.end && span.to <= spanOf(phases).to);
    for (const time of [span.from, span.to]) assert.equal(momentAt(until, time, span), null);
    for (let time = span.from + 1; time < span.to; time += 71) {
      const moment = momentAt(until, time, span);
      assert.equal(moment?.at, index);
      until.slice(0, index).forEach((before, at) =>
        assert.deepEqual(reachedColumns(until, /** @type {any} */ (moment), at), before.columns));
    }
  }));
  assert.equal(spanOf([]).from, 0);
});

test("a number of the row that isn't finite is found, and one of another row or of a masked key isn't", () => {
  const brokenBy =
    (/** @type {string} */ how, /** @type {string} */ name, /** @type {number} */ at, /** @type {number} */ query) => {
    const board = madeOf(how);
    board.numbers[name].values[at] = NaN;
    board.matrices = evaluate(board.list, board.numbers);
    return brokenIn(board, phasesOf(board, SPINE, query), query);
  };
  for (const how of CASES) {
    const board = madeOf(how);
    assert.equal(brokenIn(board, phasesOf(board, SPINE, 0), 0), null);
    assert.deepEqual(brokenBy(how, "x", 0, 0), { matrix: "x", row: 0, column: 0 });
    assert.equal(brokenBy(how, "w_q", 0, 0)?.matrix, "q");
  }
  assert.equal(brokenBy("plain", "x", 2, 0)?.matrix, "scores", "which reads the other row's key");
});

/** @param {Partial<Box>} given @returns {Box} */
const box = (given) => ({ x: 0, y: 0, cell: 16, row: 3, width: 16, height: 48, turned: false, readable: false,
  ...given });

for (const all of [false, true]) {
  test(`the title of narrow scores ends before what leads ${all ? "back" : "to all stages"}`, () => {
    for (const gap of [46, 66, 140]) {
      const boxes = { scores: box({ x: 500, y: 200, width: 111 }),
        attention_weights: box({ x: 611 + gap, y: 200, width: 111 }) };
      const layout = /** @type {Layout} */ (/** @type {unknown} */ ({ boxes, columns: [], folded: [], scale: 1,
        above: 108, end: 448, plane: null })); // what is read has more rows
      const stages = /** @type {Stage[]} */ (/** @type {unknown} */ ([
        { name: "scores", is: {}, columns: "key" }, { name: "attention_weights", is: { shares: {} }, columns: "key" },
      ]));
      const lead = leadAt(layout, boxes.attention_weights, all);
      assert.ok(lead && lead.x + lead.width < boxes.attention_weights.x);
      const none = () => false;
      const { scores, attention_weights: weights } = titlesOf(layout, stages, none, 2000, all);
      assert.ok(lead.y < scores.y + scores.height && scores.y < lead.y + lead.height, "they stand at one height");
      assert.ok(scores.x + scores.width <= lead.x);
      assert.ok(weights.width > 500, "what stands behind it has its own room");
      assert.ok(titlesOf(layout, stages, none, 2000).scores.width > scores.width, "without it, there is more room");
      const fold = { boxes: { ...boxes, o: box({ x: 700 + gap, y: 200, width: 26 }) }, folded: ["o"] };
      assert.ok(titlesOf({ ...layout, ...fold }, stages, none, 2000).attention_weights.width < 89, "its + is under it");
    }
  });
}

test("the title of named columns makes way for names that are drawn, and for no others", () => {
  for (const [cell, x, y] of [[40, 500, 162], [30, 432, 181], [23, 500, 181]]) {
    const layout = /** @type {Layout} */ (/** @type {unknown} */ ({ boxes: { x: box({ x: 500, y: 200, cell }) },
      columns: [], folded: [], labels: 68, scale: 1 }));
    const stages = /** @type {Stage[]} */ (/** @type {unknown} */ ([{ name: "x", is: {}, columns: "feature" }]));
    const title = titlesOf(layout, stages, () => true, 2000).x;
    assert.deepEqual([title.x, title.y], [x, y], `columns of ${cell} pixels`);
  }
});

test("a long name over a column goes beyond it as far as the names beside it leave room", () => {
  assert.deepEqual(beyond([24, 54, 24], 46, 6), [0, 4, 0]);
  assert.deepEqual(beyond([32, 52, 30], 38, 6), [0, 6, 0]);
  assert.deepEqual(beyond([42, 36], 38, 6), [2, 0]);
  assert.deepEqual(beyond([90, 54], 46, 6), [0, 0]);
});
