// The loader of a board's script, or of the heatmaps'. The browser fetches that file once and caches it; sent along
// with each message, it would be most of the message. Drawings that arrive before the file wait for it, and are drawn
// in their order.

import { painted, partOf } from "../../scripts/parts.js";
import { say } from "../../scripts/sentences.js";
import { FETCHED } from "../../scripts/sent.js";

/** @import { Drawing } from "../../scripts/types.js" */

const WAITS_MS = 1000; // wait between two attempts; after the second failure, the page tells the reader

/** @typedef {{ default: (drawing: Drawing<unknown>) => void }} Script */

/** @type {Promise<Script> | null} */
let fetched = null;

export default async function drawn(/** @type {Drawing<unknown>} */ drawing) {
  fetched ??= fetchScript(() => partOf(drawing.parentElement, FETCHED.part).replaceChildren(say("board.not_loaded")));
  const script = await fetched;
  // A component that has left the page meanwhile has nothing to draw on.
  if (!(drawing.parentElement instanceof Node && drawing.parentElement.isConnected)) return;
  script.default(drawing);
  const tell = window.attnvizFirst;
  delete window.attnvizFirst;
  if (tell) painted().then(tell);
}

/** @param {() => void} tell @returns {Promise<Script>} */
async function fetchScript(tell) {
  // The page knows its server's address: see attnviz/app/server/page_html.py.
  const address = new URL(FETCHED.script, window.__streamlit?.BACKEND_BASE_URL ?? new URL(".", location.href)).href;
  for (let tries = 0; ; tries += 1) {
    // After a failure, the browser may refuse the same address for good.
    const place = tries ? `${address}?try=${tries}` : address;
    try {
      return await import(place);
    } catch {
      if (tries) tell();
    }
    await new Promise((done) => setTimeout(done, WAITS_MS));
  }
}
