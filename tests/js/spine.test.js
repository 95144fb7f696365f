// What is played of a row, and when: by the table's rules and what is on the board, for any sizes, with biases and a
// mask.

import assert from "node:assert/strict";
import { test } from "node:test";

import { brokenIn, momentAt, phasesOf, reachedColumns, spanOf, standing } from "../../attnviz/board/play/timeline.js";
import { beyond } from "../../attnviz/board/spine/words.js";
import { leadAt, legendAt, titlesOf } from "../../attnviz/board/spine/plan.js";
import { evaluate } from "../../attnviz/board/values/evaluate.js";
import { isMasked, sourcesOf } from "../../attnviz/board/values/reach.js";

// What the rules of its stages declare that each cell reads.
const [I, J, K] = [[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
const whole = (/** @type {number} */ n, /** @type {any} */ each) => ["sum", n, each, null, null];
const declared = (/** @type {any} */ value) =>
  [{ value, symbols: [], words: [], where: [], roundings: 0, size: null, trouble: "copied" }];

const SPINE = ["x", "q", "scores", "attention_weights", "context"];

/**
 * A board's table with numbers of its own.
 * @param {{ tokens?: number, dK?: number, dV?: number, causal?: boolean, temperature?: number, scaled?: boolean,
 * biases?: boolean }} how
 * @returns {any}
 */
function madeOf({ tokens = 4, dK = 2, dV = 3, causal = false, temperature = 1, scaled = true, biases = false } = {}) {
  const given = (/** @type {string} */ name,
    rows = "feature") => ({ name, symbol: name, rule: "given", rows, columns: "feature", sources: [], settings: {},
    is: {} });
  /** @param {string} name @param {string[]} sources */
  const product = (name, sources, columns = "feature", rows = "token") => ({
    name, symbol: name, rule: "product", rows, columns, sources, is: { product: true, beside: [1, 2] },
    settings: { transposed: columns === "key", cosine: false, typed: [] }, declared: declared(productOf(name, sources)),
  });
  const productOf = (/** @type {string} */ name, /** @type {string[]} */ sources) => {
    const inner = { q: 2, k: 2, v: 2, scores: dK, context: tokens }[name] ?? 0;
    const sum = whole(inner, ["*", ["at", 0, I, K], name === "scores" ? ["at", 1, J, K] : ["at", 1, K, J]]);
    return sources.length > 2 ? ["+", sum, ["at", 2, [0, 0, 0, 0], J]] : sum;
  };
  const bias = (/** @type {string} */ name) => (biases ? [name] : []);
  const stages = [
    given("x", "token"), ...["w_q", "w_k", "w_v", ...["b_q", "b_k", "b_v"].flatMap(bias)].map((name) => given(name)),
    product("q", ["x", "w_q", ...bias("b_q")]), product("k", ["x", "w_k", ...bias("b_k")]), product("v",
      ["x", "w_v", ...bias("b_v")]),
    product("scores", ["q", "k"], "key", "query"),
    ...(causal ? [{ ...given("mask", "query"), columns: "key" }] : []),
    {
      name: "scaled_scores", symbol: "S'", rule: "scale", rows: "query", columns: "key", is: { divides: true },
      sources: causal ? ["scores", "mask"] : ["scores"], masked_by: causal ? "mask" : null,
      settings: { d_k: scaled ? dK : null, temperature, temperature_text: String(temperature) },
      declared: declared(["hidden", ["at", 0, I, J], causal ? ["at", 1, I, J] : ["number", 0], 1]),
    },
    {
      name: "attention_weights", symbol: "A", rule: "softmax", rows: "query", columns: "key",
      is: { shares: { over: "rows", all: true, powers: true } },
      sources: ["scaled_scores"], settings: { axis: "rows",
        sink: null }, declared: declared(whole(tokens, ["at", 0, I, K])),
    },
    product("context", ["attention_weights", "v"], "feature", "query"),
  ];
  const matrix = (/** @type {number} */ rows, /** @type {number} */ columns) => ({ rows, columns,
    values: Float64Array.from({ length: rows * columns }, (_, at) => Math.sin(at + rows)) });
  const sizes = { x: [tokens, 2], w_q: [2, dK], w_k: [2, dK], w_v: [2, dV], b_q: [1, dK], b_k: [1, dK], b_v: [1, dV] };
  const numbers =
    Object.fromEntries(Object.entries(sizes).map(([name, [rows, columns]]) => [name, matrix(rows, columns)]));
  if (causal) numbers.mask = { rows: tokens, columns: tokens, values: Float64Array.from({ length: tokens * tokens },
    (_, at) => (at % tokens > Math.floor(at / tokens) ? -Infinity : 0)) };
  const matrices = evaluate(/** @type {any} */ (stages), numbers);
  return { matrices, stages: new Map(stages.map((stage) => [stage.name, stage])), numbers, list: stages };
}

const CASES = [{}, { biases: true, dV: 1 }, { causal: true, dK: 1 }, { causal: true, tokens: 1 },
  { temperature: 0.5, tokens: 7 }, { scaled: false, dV: 6 }];
const SPINES = [SPINE, SPINE.map((name) => (name === "scores" ? "scaled_scores" : name)),
  [...SPINE.slice(0, 3), "scaled_scores", ...SPINE.slice(3)], ["x", "q"], ["x", "k", "q", "v"]];

/** Every case, spine and row.
 *  @param {(made: any, phases: ReturnType<typeof phasesOf>, query: number, spine: string[]) => void} check */
function forAll(check) {
  for (const how of CASES) for (const spine of SPINES) {
    const made = madeOf(how);
    for (let query = 0; query < made.matrices.x.rows; query += 1) check(made, phasesOf(made, spine, query), query,
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
  const kinds = (/** @type {any} */ how) => phasesOf(madeOf(how), SPINE, 0)
    .map(({ name, kind, on }) => [name, kind, on]);
  const scale = ["scaled_scores", "scale", "scores"];
  const [q, ...rest] = [["q", "vector", "q"], ["scores", "scores", "scores"],
    ["attention_weights", "shares", "attention_weights"], ["context", "mix", "context"]];
  assert.deepEqual(kinds({}), [q, rest[0], scale, ...rest.slice(1)]);
  assert.deepEqual(kinds({ scaled: false }), [q, ...rest], "divided by nothing");
  assert.deepEqual(kinds({ scaled: false, causal: true }), [q, rest[0], scale, ...rest.slice(1)], "but masked");
  assert.deepEqual(kinds({ dK: 1 }), [q, ...rest], "divided by one");
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
  const phases = phasesOf(madeOf({ causal: true }), SPINE, 1);
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
    (/** @type {any} */ how, /** @type {string} */ name, /** @type {number} */ at, /** @type {number} */ query) => {
    const made = madeOf(how);
    made.numbers[name].values[at] = NaN;
    made.matrices = evaluate(made.list, made.numbers);
    return brokenIn(made, phasesOf(made, SPINE, query), query);
  };
  for (const how of CASES) {
    const made = madeOf(how);
    assert.equal(brokenIn(made, phasesOf(made, SPINE, 0), 0), null);
    assert.deepEqual(brokenBy(how, "x", 0, 0), { matrix: "x", row: 0, column: 0 });
    assert.equal(brokenBy(how, "w_q", 0, 0)?.matrix, "q");
  }
  assert.equal(brokenBy({}, "x", 2, 0)?.matrix, "scores", "which reads the other row's key");
});

/** @param {Partial<Box>} given @returns {Box} */
const box = (given) => ({ x: 0, y: 0, cell: 16, row: 3, width: 16, height: 48, turned: false, readable: false,
  ...given });

for (const scale of [1, 1.3]) {
  test(`no title reaches into the scale of the weights' colours, ${scale} times as large`, () => {
    const times = (/** @type {Partial<Box>} */ { x = 0, y = 0, width = 16, height = 48 }) =>
      box({ x: x * scale, y: y * scale, width: width * scale, height: height * scale });
    const boxes = {
      b_k: times({ x: 300, y: 60 }), attention_weights: times({ x: 362, y: 142, width: 240,
        height: 200 }), w_v: times({ x: 500, y: 60, width: 60 }),
    };
    const layout =
      /** @type {Layout} */ (/** @type {unknown} */ ({ boxes, columns: [], scale, above: 108 * scale, plane: null }));
    const stages = /** @type {Stage[]} */ (/** @type {unknown} */ ([
      { name: "b_k", is: {}, columns: "feature" }, { name: "attention_weights", is: { shares: {} }, columns: "key" },
      { name: "w_v", is: {}, columns: "feature" },
    ]));
    const titles = titlesOf(layout, stages, [], 2000);
    const legend = legendAt(layout, boxes.attention_weights);
    assert.ok(titles.b_k.y < legend.y + legend.height && titles.b_k.y + titles.b_k.height > legend.y,
      "they stand at one height");
    assert.ok(titles.b_k.x + titles.b_k.width <= legend.x);
    assert.ok(titles.b_k.width > 40 * scale);
    assert.ok(titles.w_v.width > 100 * scale, "what stands behind where it begins keeps its title");
  });
}

for (const all of [false, true]) {
  test(`the title of narrow scores ends before what leads ${all ? "back" : "to all stages"}`, () => {
    for (const gap of [46, 66, 140]) {
      const boxes = { scores: box({ x: 500, y: 200, width: 111 }),
        attention_weights: box({ x: 611 + gap, y: 200, width: 111 }) };
      const layout = /** @type {Layout} */ (/** @type {unknown} */ ({ boxes, columns: [], scale: 1, above: 108,
        end: 248, plane: null }));
      const stages = /** @type {Stage[]} */ (/** @type {unknown} */ ([
        { name: "scores", is: {}, columns: "key" }, { name: "attention_weights", is: { shares: {} }, columns: "key" },
      ]));
      const lead = leadAt(layout, boxes.attention_weights, all);
      assert.ok(lead && lead.x + lead.width < boxes.attention_weights.x);
      const { scores, attention_weights: weights } = titlesOf(layout, stages, [], 2000, all);
      assert.ok(lead.y < scores.y + scores.height && scores.y < lead.y + lead.height, "they stand at one height");
      assert.ok(scores.x + scores.width <= lead.x);
      assert.ok(weights.width > 500, "what stands behind it has its own room");
      assert.ok(titlesOf(layout, stages, [], 2000).scores.width > scores.width, "without it, there is more room");
    }
  });
}

test("a long name over a column goes beyond it as far as the names beside it leave room", () => {
  assert.deepEqual(beyond([24, 54, 24], 46, 6), [0, 4, 0]);
  assert.deepEqual(beyond([32, 52, 30], 38, 6), [0, 6, 0]);
  assert.deepEqual(beyond([42, 36], 38, 6), [2, 0]);
  assert.deepEqual(beyond([90, 54], 46, 6), [0, 0]);
});
