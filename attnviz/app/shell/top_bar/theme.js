// Charts and small pictures come from the server in the colours of the light or dark theme. When the reader or the
// system changes the theme, the page asks the server for new ones.

import { onTheme, themeOf } from "../../../board/cells/elements.js";
import { stateOf, partOf } from "../../../scripts/parts.js";

/** @import { Drawing, Trigger } from "../../../scripts/types.js" */

/** @typedef {{ drawn: "light" | "dark" }} Drawn the theme that the server drew in */
/** @typedef {{ data: Drawn, tell: Trigger, told: Drawn["drawn"] | null }} Kept told: the theme that was last sent */

export function watchTheme(/** @type {Drawing<Drawn>} */ { parentElement, data, setTriggerValue }) {
  const sample = partOf(parentElement, ".theme");
  const kept = stateOf(parentElement, ".theme", () => {
    /** @type {Kept} */
    const made = { data, tell: setTriggerValue, told: null };
    onTheme(sample, () => compare(sample, made));
    return made;
  });
  Object.assign(kept, { data, tell: setTriggerValue });
  compare(sample, kept);  // the theme may have changed before this was drawn
}

/** @param {HTMLElement} sample @param {Kept} kept */
function compare(sample, kept) {
  const now = themeOf(sample);
  if (now === kept.data.drawn) {
    kept.told = null;
  } else if (now !== kept.told) {
    kept.told = now;
    kept.tell("theme", now);
  }
}
