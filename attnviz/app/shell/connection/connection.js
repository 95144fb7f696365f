// Says when the page's connection to the server is away, and when it is back.

import { partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ away: string, back: string }} Words */

const BACK_SAID_MS = 4000; // how long it is said that the connection is back

/** @type {{ place: HTMLElement, words: Words } | null} */
let drawn = null; // last
let connected = true;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let silence;

export default function watch(/** @type {Drawing<Words>} */ { parentElement, data: words }) {
  if (!drawn) {
    const of = { attributes: true, attributeFilter: ["data-test-connection-state"] };
    new MutationObserver(look).observe(partOf(document, "[data-testid=stApp]"), of);
    new MutationObserver(closeDialog).observe(document.body, { childList: true });
  }
  drawn = { place: partOf(parentElement, ".connection"), words };
  look();
}

function look() {
  const now = partOf(document, "[data-testid=stApp]").dataset.testConnectionState === "CONNECTED";
  if (now === connected) return;
  connected = now;
  show(drawn?.words[connected ? "back" : "away"] ?? "");
  clearTimeout(silence);
  if (connected) silence = setTimeout(() => show(""), BACK_SAID_MS);
  window.dispatchEvent(new Event(connected ? "attnviz:back" : "attnviz:away"));
  closeDialog();
}

function show(/** @type {string} */ text) {
  drawn?.place.replaceChildren(text);
  drawn?.place.classList.toggle("away", !connected);
}

// Streamlit's own words are for whoever started the server.
function closeDialog() {
  /** @type {HTMLElement | null} */
  const close = connected ? null : document.querySelector("[data-testid=stDialog] button[aria-label=Close]");
  close?.click();
}
