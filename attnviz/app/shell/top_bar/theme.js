// Charts and small pictures come from the server, in the colours of light or dark. Where the reader takes the other
// one, or the system does, they are asked for anew.

import { onTheme, themeOf } from "../../../board/cells/elements.js";
import { keptFor, partOf } from "../../../scripts/parts.js";

/** @import { Drawing, Trigger } from "../../../scripts/types.js" */

/** @typedef {{ drawn: "light" | "dark" }} Data the theme that the server drew in */
/** @typedef {{ data: Data, tell: Trigger }} Kept */

/** @type {WeakMap<HTMLElement, Kept>} */
const all = new WeakMap();

/** @param {Drawing<Data>} drawing */
export default function theme({ parentElement, data, setTriggerValue }) {
  const sample = partOf(parentElement, ".theme");
  const kept = keptFor(all, sample, () => {
    const made = { data, tell: setTriggerValue };
    onTheme(sample, () => {
      const now = themeOf(sample);
      if (now !== made.data.drawn) made.tell("theme", now);
    });
    return made;
  });
  Object.assign(kept, { data, tell: setTriggerValue });
}
