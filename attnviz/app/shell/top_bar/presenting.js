// A page in a lecture room, as the address says (present=1): P begins and ends it, Escape ends it, and so does a button
// that says so for a while. There, what the pointer lies on is lit, and told of, only once the pointer is moved: pages
// are turned by keys under it.

import { say } from "../../../scripts/sentences.js";

const [PRESENT, PRESENTED] = ["present", "1"]; // attnviz/link/parameter_table.py
const FIELDS = "input:not([type=range], [type=radio], [type=checkbox]), textarea, select, [contenteditable], canvas";
const TYPED = ".typed"; // a number on a board, which Escape takes back
// what Escape closes first
const OPEN = "dialog[open], [role=dialog], [role=listbox], [data-testid=stPopoverBody], :root[data-open]";

const root = document.documentElement;
const end = document.createElement("button");
end.className = "presented-end";
end.textContent = say("share.present.end");
end.addEventListener("click", turn);
let [before, closes] = ["", false]; // the query that Escape was pressed at, and whether it closes something
/** @type {PointerEvent | null} */
let last = null;

function queryOf() {
  return window.attnvizAddress?.query ?? location.search;
}

function isPresented() {
  return new URLSearchParams(queryOf()).get(PRESENT) === PRESENTED;
}

// Begin it, or end it; on a page without a state, in the address alone.
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
  if (presents) (document.querySelector(".stApp") ?? document.body).append(end); // of which theme that is
  else end.remove();
  window.dispatchEvent(new Event("resize")); // figures measure their room anew
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
  // a cell with the focus takes Escape even where it undoes nothing
  const leaves = event.key === "Escape" && isPresented() && !closes && before === queryOf();
  if (leaves || (event.key.toLowerCase() === "p" && !event.defaultPrevented && !target.closest(FIELDS))) turn();
});

for (const type of /** @type {const} */ (["pointermove", "pointerdown"])) {
  window.addEventListener(type, (event) => {
    const moved = last && (event.screenX !== last.screenX || event.screenY !== last.screenY);
    if (moved || type === "pointerdown") root.removeAttribute("data-still");
    last = event;
  }, true);
}
