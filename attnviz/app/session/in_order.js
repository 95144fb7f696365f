// Streamlit imports a component's script anew for each drawing, and draws once the import is done. Imports of the same
// script finish in any order (in Chromium, the later one of two came first in 179 of 400 cases), so that an old drawing
// could come last, and stay. Each drawing therefore carries a counter of its session, and an old one is skipped.

/** @import { Drawing } from "../../scripts/types.js" */
/** @typedef {{ nth: [session: string, at: number] }} Placed */

/** @param {(drawing: Drawing<Placed>) => void} draw */
export function inOrder(draw) {
  /** @type {WeakMap<ParentNode, Placed["nth"]>} */
  const last = new WeakMap();
  return (/** @type {Drawing<Placed | Uint8Array>} */ drawing) => {
    const { parentElement, data: sent } = drawing;
    /** @type {Placed} */
    const data = sent instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(sent)) : sent;
    const [session, at] = data.nth;
    const [before, then] = last.get(parentElement) ?? ["", 0];
    if (session === before && at < then) return undefined;
    last.set(parentElement, data.nth);
    return draw({ ...drawing, data });
  };
}
