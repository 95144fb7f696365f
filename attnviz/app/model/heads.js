// All heads of a model: one is picked by a click, or by Tab and Enter.

import { drawHeads, markPicked } from "../../scripts/head_grid.js";
import { painted, tellPainted } from "../../scripts/painted.js";
import { keptFor, partOf } from "../../scripts/parts.js";
import { Sender } from "../../scripts/sending.js";

/** @import { Answered, Drawing, Learnt } from "../../scripts/types.js" */
/** @import { Head, HeadGrid } from "../../scripts/head_grid.js" */
/** @import { Asks } from "../../scripts/painted.js" */

/**
 * `mark` tells a grid from others; `learnt` is for the connection.
 * @typedef {Answered & { mark: string, order: HeadGrid["order"], picked: Head, followed: number, ink: string, asks: Asks, learnt: Learnt | null, grid: HeadGrid }} Data
 */
/** @typedef {{ sender: Sender<Head>, drawn: string, told: number, follow: (followed?: number, picked?: Head) => void }} State */

/** @type {WeakMap<HTMLElement, State>} */
const grids = new WeakMap();

/** @param {Drawing<Uint8Array>} drawing */
export default function modelHeads({ parentElement, data: sent, setTriggerValue }) {
  /** @type {Data} */
  const data = JSON.parse(new TextDecoder().decode(sent));
  const root = partOf(parentElement, ".grid");
  const state = keptFor(grids, root, begun);
  state.sender.receive(data.key, data.answered, (message) => setTriggerValue("picked", message));
  root.style.setProperty("--weight", data.ink);
  const drawn = JSON.stringify([data.mark, data.order]);
  if (drawn !== state.drawn) {
    state.follow = drawHeads(root, { ...data.grid, order: data.order, followed: data.followed }, data.picked, (head) => {
      markPicked(root, head);
      state.sender.send(head);
    });
    state.drawn = drawn;
    window.attnvizHeads = painted(); // the board waits for it: it takes longer, and stands below
  } else state.follow(data.followed, state.sender.waiting ? undefined : data.picked);
  if (data.asks.number !== state.told) {
    state.told = data.asks.number;
    window.attnvizHeads?.then(() => tellPainted(data.asks));
  }
  if (!state.sender.waiting) markPicked(root, data.picked);
  if (data.learnt) window.attnvizConnection?.learn(data.learnt);
}

/** @param {HTMLElement} root */
function begun(root) {
  /** @type {State} */
  const state = { sender: new Sender(root), drawn: "", told: 0, follow: () => {} };
  return state;
}
