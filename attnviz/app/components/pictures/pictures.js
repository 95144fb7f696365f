// Pictures of matrices beside each other.

import { stateOf } from "../../../scripts/parts.js";
import { Pictures } from "./painter.js";

/** @import { Drawing } from "../../../scripts/types.js" */
/** @import { Data } from "./types.js" */

export default function pictures(/** @type {Drawing<Data>} */ { parentElement, data }) {
  stateOf(parentElement, ".pictures", (root) => new Pictures(root, data)).receive(data);
}
