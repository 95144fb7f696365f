// Stores the moments of a training in window.attnvizMoments as they arrive, some at a time; time.js draws them.

import { partOf } from "../../../../scripts/parts.js";

/** @import { Drawing } from "../../../../scripts/types.js" */

/** @typedef {{ id: string, since: number, size: number, float32: string }} Data `float32` has `size` numbers for each
 *  moment from `since` on, in base64 */

/** @param {Drawing<Data>} drawing */
export default function kept({ parentElement, data: { id, since, size, float32 } }) {
  partOf(parentElement, ".kept");
  const before = window.attnvizMoments;
  const mark = `${since} ${float32.length} ${float32.slice(-64)}`;
  if (before?.id === id && before.mark === mark) return;
  const bytes = Uint8Array.from(atob(float32), (sign) => sign.charCodeAt(0));
  const numbers = new Float32Array(bytes.buffer);
  const moments = before?.id === id ? [...before.moments] : [];
  for (let at = 0; at * size < numbers.length; at += 1) moments[since + at] =
    numbers.subarray(at * size, (at + 1) * size);
  window.attnvizMoments = { id, mark, moments };
  window.dispatchEvent(new Event("attnviz-moments"));
}
