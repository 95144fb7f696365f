// The strip of a playlist. Each moment is a link, which opens the page as the playlist's author stored it. PageDown and
// PageUp lead on and back, because those are the keys of presenters.

import { partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ label: string, before: string, next: string, end: string, at?: string, said?: string, gone: string[],
 *   ways: Record<string, string | null>, stays: string }} Data the parameter `stays` is kept from moment to moment */

const KEYS = new Map([["PageUp", "before"], ["PageDown", "next"]]);

/** @type {HTMLElement | null} */
let strip = null;
/** @type {Data} */
let shown;

export default function show(/** @type {Drawing<Data>} */ { parentElement, data }) {
  if (!strip) {
    window.addEventListener("keydown", press, true); // is called before a lesson's own keys
    window.addEventListener("attnviz:query", lead);
  }
  shown = data;
  strip = partOf(parentElement, "nav");
  strip.hidden = !data.at;
  document.documentElement.toggleAttribute("data-listed", !strip.hidden);
  strip.setAttribute("aria-label", data.label);
  for (const name of /** @type {const} */ (["before", "next"])) {
    const way = partOf(strip, `.${name}`);
    way.setAttribute("aria-label", data[name]);
    way.title = data[name];
  }
  lead();
  partOf(strip, ".at").textContent = data.at ?? "";
  partOf(strip, ".said").textContent = data.said ?? "";
  const end = partOf(strip, "button");
  end.setAttribute("aria-label", data.end);
  end.title = data.end;
  end.onclick = () => window.attnvizAddress?.change(Object.fromEntries(data.gone.map((name) => [name, null])));
}

function lead() {
  const stays = new URLSearchParams(window.attnvizAddress?.query).get(shown.stays);
  for (const name of /** @type {const} */ (["before", "next"])) {
    const way = strip && partOf(strip, `.${name}`);
    const to = shown.ways[name];
    way?.toggleAttribute("href", false);
    if (to) way?.setAttribute("href", stays === null ? to : `${to}&${new URLSearchParams({ [shown.stays]: stays })}`);
  }
}

function press(/** @type {KeyboardEvent} */ event) {
  const name = KEYS.get(event.key);
  const [target] = event.composedPath();
  if (!name || !strip?.isConnected || strip.hidden || target instanceof HTMLTextAreaElement) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const way = partOf(strip, `.${name}`);
  if (way.hasAttribute("href")) way.click();
}
