// All heads of a model: one is picked by a click, or by Tab and Enter.

import { drawHeads, markPicked } from "../../scripts/head_grid.js";
import { isOf, keptFor, painted, partOf, tellPainted } from "../../scripts/parts.js";

/** @import { Drawing } from "../../scripts/types.js" */
/** @import { Head, HeadGrid } from "../../scripts/head_grid.js" */
/** @import { Asks } from "../../scripts/parts.js" */

/**
 * `mark` tells a grid from others.
 * @typedef {{ mark: string, order: HeadGrid["order"], picked: Head, followed: number, ink: string, parameter: string, from: string, asks: Asks, grid: HeadGrid }} Data
 */
/** @typedef {{ picked: number, drawn: string, told: number, follow: (followed?: number, picked?: Head) => void }} State */

/** @type {WeakMap<HTMLElement, State>} */
const grids = new WeakMap();

/** @param {Drawing<Uint8Array>} drawing */
export default function modelHeads({ parentElement, data: sent }) {
  /** @type {Data} */
  const data = JSON.parse(new TextDecoder().decode(sent));
  const root = partOf(parentElement, ".grid");
  const state = keptFor(grids, root, begun);
  root.style.setProperty("--weight", data.ink);
  const drawn = JSON.stringify([data.mark, data.order]);
  if (drawn !== state.drawn) {
    state.follow = drawHeads(root, { ...data.grid, order: data.order, followed: data.followed }, data.picked, (head) => {
      markPicked(root, head);
      state.picked = window.attnvizAddress?.change({ [data.parameter]: `${head.layer}.${head.head}` }) ?? 0;
    });
    state.drawn = drawn;
    window.attnvizHeads = painted(); // the board waits for it: it takes longer, and stands below
  } else state.follow(data.followed, isOf(data.from, state.picked) ? data.picked : undefined);
  if (data.asks.number !== state.told) {
    state.told = data.asks.number;
    window.attnvizHeads?.then(() => tellPainted(data.asks));
  }
  if (isOf(data.from, state.picked)) markPicked(root, data.picked);
}

function begun() {
  /** @type {State} */
  const state = { picked: 0, drawn: "", told: 0, follow: () => {} };
  return state;
}
