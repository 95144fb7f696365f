// All heads of a model. The head that is picked, or pointed at, is drawn into an element that head.js puts into the
// page.

import { make } from "../../../board/cells/elements.js";
import { Heads } from "../head_grid.js";
import { isOf, stateOf, partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */
/** @import { Head, HeadGrid } from "../head_grid.js" */

/**
 * `mark` identifies a grid.
 * @typedef {{ mark: string, order: HeadGrid["order"], picked: Head, followed: number, parameters: { head: string,
 * query: string }, from: string, grid: HeadGrid }} Data
 */
/**
 * `told` is the version of the page's query after the last change from here, `beside` the element of the head in view.
 * @typedef {{ told: number, drawn: string, heads: Heads | null, beside: HTMLElement }} State
 */

export default function modelHeads(/** @type {Drawing<Data>} */ { parentElement, data }) {
  const root = partOf(parentElement, ".grid");
  /** @type {State} */
  const state = stateOf(parentElement, ".grid",
    () => ({ told: 0, drawn: "", heads: null, beside: make("div", "beside") }));
  const send = (/** @type {Record<string, string>} */ patch) => {
    state.told = window.attnvizAddress?.change(patch) ?? 0;
  };
  const { head, query } = data.parameters;
  const { beside } = state;
  for (const each of [root, beside]) each.style.setProperty("--weight", data.grid.ink);
  if (window.attnvizHead !== beside) {
    window.attnvizHead = beside;
    window.dispatchEvent(new Event("attnviz-head"));
  }
  const drawn = JSON.stringify([data.mark, data.order]);
  if (drawn !== state.drawn) {
    state.heads = new Heads(root, beside, { ...data.grid, order: data.order, followed: data.followed }, data.picked, {
      pick: (place) => send({ [head]: `${place.layer}.${place.head}` }),
      follow: (row) => send({ [query]: String(row) }),
    });
    state.drawn = drawn;
  } else if (isOf(data.from, state.told)) state.heads?.follow(data.followed, data.picked);
}
