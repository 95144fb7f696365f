// Tells the reader when the connection to the server is lost, and when it is restored.

import { partOf } from "./parts.js";
import { say } from "./sentences.js";

const BACK_SAID_MS = 4000; // how long the page says that the connection is back

let connected = true;
/** @type {HTMLElement | null} */
let place = null;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let silence;

// Shows messages in the first element that was drawn for them, as long as it stays in the page.
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

// Streamlit's own dialog is closed: it addresses whoever started the server.
function closeDialog() {
  /** @type {HTMLElement | null} */
  const close = connected ? null : document.querySelector("[data-testid=stDialog] button[aria-label=Close]");
  close?.click();
}
