// Says when the page's connection to the server is away, and when it is back.

import { partOf } from "./parts.js";
import { say } from "./sentences.js";

const BACK_SAID_MS = 4000; // how long it is said that the connection is back

let connected = true;
/** @type {HTMLElement | null} */
let place = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let silence;

// In the first place that is drawn, while it stands in the page.
export function watch(/** @type {ParentNode} */ drawn) {
  if (place?.isConnected) return;
  if (!place) {
    const of = { attributes: true, attributeFilter: ["data-test-connection-state"] };
    new MutationObserver(look).observe(partOf(document, "[data-testid=stApp]"), of);
    new MutationObserver(closeDialog).observe(document.body, { childList: true });
  }
  place = partOf(drawn, ".connection");
  look();
}

function look() {
  const now = partOf(document, "[data-testid=stApp]").dataset.testConnectionState === "CONNECTED";
  if (now === connected) return;
  connected = now;
  show(connected ? say("connection.back") : say("connection.away"));
  clearTimeout(silence);
  if (connected) silence = setTimeout(() => show(""), BACK_SAID_MS);
  window.dispatchEvent(new Event(connected ? "attnviz:back" : "attnviz:away"));
}

function show(/** @type {string} */ text) {
  place?.replaceChildren(text);
  place?.classList.toggle("away", !connected);
}

// Streamlit's own words are for whoever started the server.
function closeDialog() {
  /** @type {HTMLElement | null} */
  const close = connected ? null : document.querySelector("[data-testid=stDialog] button[aria-label=Close]");
  close?.click();
}
