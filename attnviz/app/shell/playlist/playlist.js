// The strip of a playlist: each moment is a link, opened as whoever made the playlist kept it; PageDown and PageUp lead
// on and back, as the keys of a presenter do.

import { partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ label: string, before: string, next: string, end: string, at?: string, said?: string, gone: string[],
 *   ways: Record<string, string | null> }} Data */

const KEYS = new Map([["PageUp", "before"], ["PageDown", "next"]]);

/** @type {HTMLElement | null} */
let strip = null;

/** @param {Drawing<Data>} drawing */
export default function show({ parentElement, data }) {
  if (!strip) window.addEventListener("keydown", press, true); // before a lesson's own keys
  strip = partOf(parentElement, "nav");
  strip.hidden = !data.at;
  strip.setAttribute("aria-label", data.label);
  for (const name of /** @type {const} */ (["before", "next"])) {
    const way = partOf(strip, `.${name}`);
    way.setAttribute("aria-label", data[name]);
    way.title = data[name];
    way.toggleAttribute("href", false);
    if (data.ways[name]) way.setAttribute("href", data.ways[name]);
  }
  partOf(strip, ".at").textContent = data.at ?? "";
  partOf(strip, ".said").textContent = data.said ?? "";
  const end = partOf(strip, "button");
  end.setAttribute("aria-label", data.end);
  end.title = data.end;
  end.onclick = () => window.attnvizAddress?.change(Object.fromEntries(data.gone.map((name) => [name, null])));
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
