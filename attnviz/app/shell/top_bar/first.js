// Nothing to see: what is told once the first picture of the page, a board or heatmaps, has been painted. That one is
// drawn by a script that is fetched, and comes later than this.

import { tellPainted } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */
/** @import { Asks } from "../../../scripts/parts.js" */

/** @typedef {{ asks: Asks }} Data where it is told */

let known = ""; // the word of the session whose first picture is told, or was

/** @param {Drawing<Data>} drawing */
export default function first({ data: { asks } }) {
  if (asks.word === known) return;
  known = asks.word;
  window.attnvizFirst = () => tellPainted(asks);
}
