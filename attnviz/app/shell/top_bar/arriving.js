// Each place begins at its top: Streamlit keeps how far the one before was scrolled. The style marks the door behind
// which the page is.

import { partOf } from "../../../scripts/parts.js";
import { follow } from "./presenting.js";
import { watchTheme } from "./theme.js";

/** @import { Drawing } from "../../../scripts/types.js" */
/** @import { Drawn } from "./theme.js" */

// Where the reader is, behind which door, and whether the set-up plays a part there.
/** @typedef {Drawn & { name: string, place: string, door: number, setsUp: boolean }} Data */

/** @type {Data | undefined} */
let before;
const lists = new MutationObserver(nameLists);

export default function arriving(/** @type {Drawing<Data>} */ drawing) {
  const [{ data }, last] = [drawing, before];
  before = data;
  partOf(drawing.parentElement, ".app-name").textContent = data.name;
  watchTheme(drawing);
  const { dataset } = document.documentElement;
  dataset.door = String(data.door);
  if (!data.setsUp) delete dataset.open;
  nameLists();
  follow();
  if (last && last.place !== data.place) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
}

// Streamlit's list of pages has headings among its lines, which a list can't have: those of each door are one, here.
function nameLists() {
  const [page, list] = ["stAppViewContainer", "stSidebar"]
    .map((name) => document.querySelector(`[data-testid=${name}]`));
  if (page) lists.observe(page, { childList: true }); // it comes in a window that becomes narrow, and is filled then
  if (list) lists.observe(list, { childList: true, subtree: true });
  const items = "[data-testid=stSidebarNavItems]";
  for (const part of document.querySelectorAll(`${items}, ${items} > *`)) {
    part.setAttribute("role", { UL: "group", LI: "none" }[part.tagName] ?? "list");
  }
}

// A list of pages would stay open over the one that was chosen: of a door, and on a telephone of all.
window.addEventListener("attnviz:leaves", () => {
  const menu = document.querySelector("[data-testid=stSidebar]");
  const list = menu?.checkVisibility() && menu.getBoundingClientRect().right > 0
    ? menu.querySelector("[data-testid=stSidebarCollapseButton] button")
    : document.querySelector("[data-testid=stTopNavSection][aria-expanded=true]");
  if (list instanceof HTMLElement) list.click();
});
