// A field with the link in the address bar, and a button that copies it. The address is read each time it is needed,
// because every control changes it.

import { partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ adds: Record<string, string>, label: string, button: string, copied: string, byHand: string }} Data */

/** @type {WeakSet<HTMLElement>} */
const wired = new WeakSet();

export default function copyLink(/** @type {Drawing<Data>} */ { parentElement, data }) {
  const root = partOf(parentElement, ".copy-link");
  const field = /** @type {HTMLInputElement} */ (partOf(root, "input"));
  Object.assign(root.dataset, { adds: JSON.stringify(data.adds), copied: data.copied, byHand: data.byHand });
  field.setAttribute("aria-label", data.label);
  partOf(root, "button").textContent = data.button;
  field.value = linkOf(location.href, data.adds);
  if (wired.has(root)) return;
  wired.add(root);
  const refresh = () => {
    field.value = linkOf(location.href, JSON.parse(root.dataset.adds ?? "{}"));
  };
  root.addEventListener("pointerenter", refresh);
  field.addEventListener("focus", () => {
    refresh();
    field.select();
  });
  partOf(root, "button").addEventListener("click", async () => {
    refresh();
    partOf(root, "[role=status]").textContent = root.dataset[(await copied(field)) ? "copied" : "byHand"] ?? "";
  });
}

// The link that opens the page as it is now, with a teacher's additions.
/** @param {string} href @param {Record<string, string>} adds */
export function linkOf(href, adds) {
  const url = new URL(href);
  if (!Object.keys(adds).length) return url.href;
  // The additions come first: a field shows only the beginning of a link, where two links would look alike otherwise.
  const rest = [...url.searchParams].filter(([name]) => !(name in adds));
  url.search = String(new URLSearchParams([...Object.entries(adds), ...rest]));
  return url.href;
}

async function copied(/** @type {HTMLInputElement} */ field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // The page has no clipboard, or no permission to write to it, for example without https. The older way may still
    // work.
    field.focus();
    field.select();
    return document.execCommand("copy");
  }
}
