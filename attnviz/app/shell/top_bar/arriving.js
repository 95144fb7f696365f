// Scrolls each new place to its top, because Streamlit keeps the scroll position of the previous one. It also tells the
// style sheet which door the page is behind.

import { partOf } from "../../../scripts/parts.js";
import { watchMenu } from "./menu.js";
import { follow } from "./presenting.js";
import { watchTheme } from "./theme.js";

/** @import { Drawing } from "../../../scripts/types.js" */
/** @import { Drawn } from "./theme.js" */

// The reader's place, its door, and whether the set-up has an effect there.
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
  watchMenu();
  follow();
  if (last && last.place !== data.place) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
}

// Streamlit's list of pages contains headings, which a list may not. So the pages of each door become a list of their
// own.
function nameLists() {
  const [page, list] = ["stAppViewContainer", "stSidebar"]
    .map((name) => document.querySelector(`[data-testid=${name}]`));
  // The list appears when the window becomes narrow, and is filled then.
  if (page) lists.observe(page, { childList: true });
  if (list) lists.observe(list, { childList: true, subtree: true });
  const items = "[data-testid=stSidebarNavItems]";
  for (const part of document.querySelectorAll(`${items}, ${items} > *`)) {
    part.setAttribute("role", { UL: "group", LI: "none" }[part.tagName] ?? "list");
  }
}

// After a choice, the list of pages would stay open over the chosen page: a door's list and, on phones, the list of
// all.
window.addEventListener("attnviz:leaves", () => {
  const menu = document.querySelector("[data-testid=stSidebar]");
  const list = menu?.checkVisibility() && menu.getBoundingClientRect().right > 0
    ? menu.querySelector("[data-testid=stSidebarCollapseButton] button")
    : document.querySelector("[data-testid=stTopNavSection][aria-expanded=true]");
  if (list instanceof HTMLElement) list.click();
});
