// Streamlit imports a component's script with each drawing, and draws when it has come. Drawings that wait for one
// script go on in any order (in Chromium, the later one of two came first in 179 of 400), so the first could come
// last, and stay. Each says its place among those of its session; one that was overtaken is left out.

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
