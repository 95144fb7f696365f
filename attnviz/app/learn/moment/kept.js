// The kept moments of a training, as Python sends them once: whoever draws a moment takes its numbers from here.

import { partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ id: string, float32: string }} Data */

/** @param {Drawing<Data>} drawing */
export default function kept({ parentElement, data }) {
  partOf(parentElement, ".kept");
  if (window.attnvizMoments?.id === data.id) return;
  const bytes = Uint8Array.from(atob(data.float32), (sign) => sign.charCodeAt(0));
  window.attnvizMoments = { id: data.id, numbers: new Float32Array(bytes.buffer) };
  window.dispatchEvent(new Event("attnviz-moments"));
}
