import assert from "node:assert/strict";
import { test } from "node:test";

import { leadAt, legendAt, titlesOf } from "../../attnviz/board/spine/plan.js";

/** @import { Stage } from "../../attnviz/board/types.js" */
/** @import { Box, Layout } from "../../attnviz/board/spine/types.js" */

/** @param {Partial<Box>} given @returns {Box} */
const box = (given) => ({ x: 0, y: 0, cell: 16, row: 3, width: 16, height: 48, turned: false, readable: false, ...given });

for (const scale of [1, 1.3]) {
  test(`no title reaches into the scale of the weights' colours, ${scale} times as large`, () => {
    const times = (/** @type {Partial<Box>} */ { x = 0, y = 0, width = 16, height = 48 }) => box({ x: x * scale, y: y * scale, width: width * scale, height: height * scale });
    const boxes = {
      b_k: times({ x: 300, y: 60 }), attention_weights: times({ x: 362, y: 142, width: 240, height: 200 }), w_v: times({ x: 500, y: 60, width: 60 }),
    };
    const layout = /** @type {Layout} */ (/** @type {unknown} */ ({ boxes, columns: [], scale, above: 108 * scale, plane: null }));
    const stages = /** @type {Stage[]} */ (/** @type {unknown} */ ([
      { name: "b_k", rule: "given", columns: "feature" }, { name: "attention_weights", rule: "softmax", columns: "key" }, { name: "w_v", rule: "given", columns: "feature" },
    ]));
    const titles = titlesOf(layout, stages, [], 2000);
    const legend = legendAt(layout, boxes.attention_weights);
    assert.ok(titles.b_k.y < legend.y + legend.height && titles.b_k.y + titles.b_k.height > legend.y, "they stand at one height");
    assert.ok(titles.b_k.x + titles.b_k.width <= legend.x);
    assert.ok(titles.b_k.width > 40 * scale);
    assert.ok(titles.w_v.width > 100 * scale, "what stands behind where it begins keeps its title");
  });
}

for (const all of [false, true]) {
  test(`the title of narrow scores ends before what leads ${all ? "back" : "to all stages"}`, () => {
    for (const gap of [46, 66, 140]) {
      const boxes = { scores: box({ x: 500, y: 200, width: 111 }), attention_weights: box({ x: 611 + gap, y: 200, width: 111 }) };
      const layout = /** @type {Layout} */ (/** @type {unknown} */ ({ boxes, columns: [], scale: 1, above: 108, end: 248, plane: null }));
      const stages = /** @type {Stage[]} */ (/** @type {unknown} */ ([
        { name: "scores", rule: "product", columns: "key" }, { name: "attention_weights", rule: "softmax", columns: "key" },
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
