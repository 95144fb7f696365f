// The place of the head in view. Another component, heads.js, draws the head into an element that is put here.

import { partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{}} Nothing */

export default function modelHead(/** @type {Drawing<Nothing>} */ { parentElement }) {
  const root = partOf(parentElement, ".view");
  const take = () => {
    if (window.attnvizHead && window.attnvizHead.parentElement !== root) root.replaceChildren(window.attnvizHead);
  };
  const listener = () => (root.isConnected ? take() : window.removeEventListener("attnviz-head", listener));
  if (!root.childElementCount) window.addEventListener("attnviz-head", listener);
  take();
}
