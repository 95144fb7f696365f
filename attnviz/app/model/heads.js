// All heads of a model: one is picked by a click, or by Tab and Enter.

import { drawHeads, markPicked } from "../../scripts/head_grid.js";
import { keptFor, partOf } from "../../scripts/parts.js";
import { Sender } from "../../scripts/sending.js";

/** @import { Answered, Drawing } from "../../scripts/types.js" */
/** @import { Head, HeadGrid } from "../../scripts/head_grid.js" */

/** @typedef {Answered & HeadGrid & { picked: Head, ink: string }} Data */
/** @typedef {{ sender: Sender<Head>, drawn: string, follow: (followed?: number) => void }} State */

/** @type {WeakMap<HTMLElement, State>} */
const grids = new WeakMap();

/** @param {Drawing<Data>} drawing */
export default function modelHeads({ parentElement, data, setTriggerValue }) {
  const root = partOf(parentElement, ".grid");
  const state = keptFor(grids, root, begun);
  state.sender.receive(data.key, data.answered, (message) => setTriggerValue("picked", message));
  root.style.setProperty("--weight", data.ink);
  const drawn = JSON.stringify([data.shades, data.weights ?? data.strongest, data.ramp, data.tokens, data.order]);
  if (drawn !== state.drawn) {
    state.follow = drawHeads(root, data, data.picked, (head) => {
      markPicked(root, head);
      state.sender.send(head);
    });
    state.drawn = drawn;
  } else state.follow(data.followed);
  if (!state.sender.waiting) markPicked(root, data.picked);
}

/** @param {HTMLElement} root */
function begun(root) {
  /** @type {State} */
  const state = { sender: new Sender(root), drawn: "", follow: () => {} };
  return state;
}
