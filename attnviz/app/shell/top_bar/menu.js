// Adds an entry to Streamlit's menu: the list of the board's keys, on a page whose board has one. Streamlit makes the
// menu anew each time that it opens.

import { ledTo } from "../../../board/cells/elements.js";
import { say } from "../../../scripts/sentences.js";
import { shortcutsOf } from "../../../scripts/shortcuts.js";

const LIST = "[data-testid=stMainMenuList]";
const LIKE = "[data-testid=stMainMenuItem-print]"; // the entry that ours looks like
const LABEL = "[data-testid=stMainMenuItemLabel]";
const OPENER = "[data-testid=stMainMenuButton]";
const ITEMS = "[role^=menuitem]";

// Streamlit puts an open menu at the end of the page's body.
const opened = new MutationObserver(addKeys);

export function watchMenu() {
  opened.observe(document.body, { childList: true });
}

function addKeys() {
  const list = document.querySelector(LIST);
  const like = list?.querySelector(LIKE);
  if (!list || !(like instanceof HTMLElement) || list.querySelector(".keys-entry") || !ask("offer")) return;
  const entry = document.createElement("button");
  entry.className = `${like.className} keys-entry`;
  entry.type = "button";
  entry.tabIndex = -1;
  entry.setAttribute("role", "menuitem");
  entry.setAttribute("aria-haspopup", "dialog");
  entry.setAttribute("aria-keyshortcuts", shortcutsOf("list"));
  entry.append(...[...like.children].map((each) => each.cloneNode(true)));
  const label = entry.querySelector(LABEL) ?? entry;
  label.textContent = say("board.keys_list.title");
  entry.addEventListener("click", open);
  list.append(entry);
  list.addEventListener("keydown", (event) => lead(list, /** @type {KeyboardEvent} */ (event)));
}

// Whether a board of the page has a list of keys. With "open", the board also opens it.
function ask(/** @type {"offer" | "open"} */ detail) {
  return !window.dispatchEvent(new CustomEvent("attnviz-keys", { cancelable: true, detail }));
}

// The menu closes first, so that the focus goes back to its button when the list is closed.
function open() {
  const opener = document.querySelector(OPENER);
  if (opener instanceof HTMLElement) opener.click();
  setTimeout(() => ask("open"));
}

// Arrows, Home and End reach all entries: Streamlit's own handler knows only its own.
/** @param {Element} list @param {KeyboardEvent} event */
function lead(list, event) {
  const items = [...list.querySelectorAll(ITEMS)];
  const at = items.findIndex((item) => item === document.activeElement);
  const to = at < 0 ? null : ledTo(event, at, items.length);
  if (to === null) return;
  event.preventDefault();
  event.stopPropagation();
  /** @type {HTMLElement} */ (items[to]).focus();
}
