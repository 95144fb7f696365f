// Presenting a page in a lecture room, which the address holds (present=1). P begins and ends it; Escape ends it, and
// so does a button that is visible for a while. What lies under the pointer is highlighted and explained only once the
// pointer moves, because keys may turn pages under it.

import { say } from "../../../scripts/sentences.js";
import { isHeard, shortcutsOf } from "../../../scripts/shortcuts.js";

const [PRESENT, PRESENTED] = ["present", "1"]; // as in attnviz/link/parameter_table.py
const FIELDS = "input:not([type=range], [type=radio], [type=checkbox]), textarea, select, [contenteditable], canvas";
const TYPED = ".typed"; // a number typed on a board, which Escape takes back
// Escape closes these before it ends presenting.
const OPEN = "dialog[open], [role=dialog], [role=listbox], [data-testid=stPopoverBody], :root[data-open]";

const root = document.documentElement;
const end = document.createElement("button");
end.className = "presented-end";
end.textContent = say("share.present.end");
end.setAttribute("aria-keyshortcuts", shortcutsOf("present", "leave"));
end.addEventListener("click", turn);
let [before, closes] = ["", false]; // the query when Escape was pressed, and whether Escape closes something first
/** @type {PointerEvent | null} */
let last = null;

function queryOf() {
  return window.attnvizAddress?.query ?? location.search;
}

function isPresented() {
  return new URLSearchParams(queryOf()).get(PRESENT) === PRESENTED;
}

// Begins or ends presenting. A page without a state changes only its address.
export function turn() {
  const patch = { [PRESENT]: isPresented() ? null : PRESENTED };
  if (window.attnvizAddress) {
    window.attnvizAddress.change(patch);
    return;
  }
  const there = new URL(location.href);
  if (patch[PRESENT]) there.searchParams.set(PRESENT, PRESENTED);
  else there.searchParams.delete(PRESENT);
  history.replaceState(null, "", there);
  follow();
}

export function follow() {
  const presents = isPresented();
  if (presents === root.hasAttribute("data-presents")) return;
  root.toggleAttribute("data-presents", presents);
  root.toggleAttribute("data-still", presents);
  if (presents) delete root.dataset.open;
  // Inside .stApp, which has the theme's colours.
  if (presents) (document.querySelector(".stApp") ?? document.body).append(end);
  else end.remove();
  window.dispatchEvent(new Event("resize")); // makes figures measure their room again
}

window.addEventListener("attnviz:query", follow);
window.addEventListener("popstate", follow);

window.addEventListener("keydown", () => {
  root.toggleAttribute("data-still", root.hasAttribute("data-presents"));
  [before, closes] = [queryOf(), document.querySelector(OPEN) !== null];
}, true);

window.addEventListener("keydown", (event) => {
  const [target] = event.composedPath();
  if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element) || target.closest(TYPED)) return;
  // `defaultPrevented` can't decide about Escape: a focused cell prevents it even if it has nothing to undo.
  const leaves = isHeard("leave", event) && isPresented() && !closes && before === queryOf();
  if (leaves || (isHeard("present", event) && !event.defaultPrevented && !target.closest(FIELDS))) turn();
});

for (const type of /** @type {const} */ (["pointermove", "pointerdown"])) {
  window.addEventListener(type, (event) => {
    const moved = last && (event.screenX !== last.screenX || event.screenY !== last.screenY);
    if (moved || type === "pointerdown") root.removeAttribute("data-still");
    last = event;
  }, true);
}
