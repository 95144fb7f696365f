// Where the name of each matrix stands, and how much room it has there: up to what stands beside it at the same height.

import { CONSTANTS } from "../../scripts/sent.js";

/** @import { Stage } from "../types.js" */
/** @import { Box, Layout, Rect, Title } from "./types.js" */

export const HEADED = 24; // a column as wide has its name over it
const LINE = 20;
const APART = 6; // between a title and what comes next
const ABOVE = 19; // a matrix, where its title begins
const HEAD = { above: 19, height: 18 };

export const LEGEND = { width: 120, height: 46, above: 62 };
const LEAD = { all: 58, fewer: 32, below: 3, height: 14, aside: 4 };
const { MASK } = CONSTANTS;

// The scale of the weights' colours, over these.
/** @param {Layout} layout @param {Box} weights @returns {Rect} */
export function legendAt({ above, scale }, weights) {
  return { x: weights.x, y: Math.max(0, above - LEGEND.above * scale), width: LEGEND.width * scale, height: LEGEND.height * scale };
}

// The gap before the weights: from what stands right before them, scores, or the mask that is added to these.
/** @param {Layout} layout @param {Box} weights @returns {{ x: number, width: number } | null} */
export function gapBefore({ boxes }, weights) {
  const read = ["scores", MASK, "scaled_scores"].flatMap((name) => boxes[name] ?? []).toSorted((a, b) => b.x - a.x)[0];
  return read ? { x: read.x + read.width, width: weights.x - read.x - read.width } : null;
}

// The words under that gap, which lead to all stages, or back to fewer. Names stand at both sides of them: where the gap
// is narrow they reach to the left, away from where one begins.
/** @param {Layout} layout @param {Box} weights @param {boolean} all whether all are shown @returns {Rect | null} */
export function leadAt(layout, weights, all) {
  const { scale, end } = layout;
  const gap = gapBefore(layout, weights);
  if (!gap) return null;
  const width = (all ? LEAD.fewer : LEAD.all) * scale;
  const x = width > gap.width ? weights.x - width - LEAD.aside * scale : gap.x + (gap.width - width) / 2;
  return { x, y: end + LEAD.below * scale, width, height: LEAD.height * scale };
}

/**
 * The titles of all that is placed: over it, or under it where there are names of columns or what it is made of over it.
 * They end before the next matrix, its title, what leads to all stages, and the `end` of the board. `named` are the
 * matrices with named columns; `all` is whether all stages are shown, null where nothing leads to them.
 * @param {Layout} layout @param {Stage[]} stages @param {string[]} named @param {number} end @param {boolean | null} all
 * @returns {Record<string, Title>}
 */
export function titlesOf(layout, stages, named, end, all = null) {
  const { boxes, columns, scale, plane } = layout;
  const placed = stages.filter(({ name }) => boxes[name]);
  const isNamed = (/** @type {Stage} */ { name }) => named.includes(name);
  /** @type {(Rect & { of: string })[]} */
  const starts = placed.map((stage) => {
    const box = boxes[stage.name];
    const over = columns.some(({ factor }) => factor === stage);
    const headed = isNamed(stage) || (over && stage.columns === "key"); // by names of its columns
    const below = (stage.columns === "key" && !over) || columns.some((column) => column.stage === stage && column.factor?.rule === "product" && !column.turned);
    const weight = columns.find((column) => column.factor === stage)?.weight;
    const beside = box.turned && weight ? Math.min(boxes[weight.name].width, box.width / 2) : 0; // of the line that leads there
    const y = below ? box.y + box.height + 3 : box.y - (headed ? 2 : 1) * ABOVE * scale;
    return { of: stage.name, x: box.x + beside, y, width: 1, height: LINE * scale };
  });
  const heads = placed.filter((stage) => (stage.columns === "key" || isNamed(stage)) && boxes[stage.name].cell >= HEADED)
    .map(({ name }) => ({ of: name, x: boxes[name].x, y: boxes[name].y - HEAD.above * scale, width: boxes[name].width, height: HEAD.height * scale }));
  const weights = placed.find(({ rule }) => CONSTANTS.SHARES.includes(rule));
  const legend = weights ? [{ of: "", ...legendAt(layout, boxes[weights.name]) }] : [];
  const lead = weights && all !== null ? leadAt(layout, boxes[weights.name], all) : null;
  const around = [...(lead ? [{ of: "", ...lead }] : []), ...placed.map(({ name }) => ({ of: name, ...boxes[name] })), ...heads, ...starts, ...(plane ? [{ of: "", ...plane }] : [])];
  return Object.fromEntries(starts.map(({ of, x, y, height }) => {
    const beside = [...around, ...legend.filter((each) => each.x > x)].filter((each) => each.of !== of && each.x + each.width > x && each.y < y + height && each.y + each.height > y);
    return [of, { x, y, width: Math.max(0, Math.min(end, ...beside.map((each) => each.x - APART * scale)) - x), height }];
  }));
}
