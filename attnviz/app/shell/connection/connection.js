// Says when the page's connection to the server is away, and when it is back.

import { partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ away: string, back: string }} Words */

const BACK_SAID_MS = 4000; // how long it is said that the connection is back

/** @type {Connection | null} */
let connection = null;

export default function watch(/** @type {Drawing<Words>} */ { parentElement, data }) {
  connection ??= new Connection();
  connection.receive(partOf(parentElement, ".connection"), data);
}

class Connection {
  constructor() {
    /** @type {HTMLElement | null} */
    this.root = null;
    this.words = { away: "", back: "" };
    this.connected = true;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.silence = undefined;
    this.app = partOf(document, "[data-testid=stApp]");
    new MutationObserver(() => this.look())
      .observe(this.app, { attributes: true, attributeFilter: ["data-test-connection-state"] });
    new MutationObserver(() => this.closeDialog()).observe(document.body, { childList: true });
  }

  /** @param {HTMLElement} root @param {Words} words */
  receive(root, words) {
    Object.assign(this, { root, words });
    this.look();
  }

  look() {
    const connected = this.app.dataset.testConnectionState === "CONNECTED";
    if (connected === this.connected) return;
    this.connected = connected;
    this.show(connected ? this.words.back : this.words.away);
    clearTimeout(this.silence);
    if (connected) this.silence = setTimeout(() => this.show(""), BACK_SAID_MS);
    window.dispatchEvent(new Event(connected ? "attnviz:back" : "attnviz:away"));
    this.closeDialog();
  }

  show(/** @type {string} */ text) {
    this.root?.replaceChildren(text);
    this.root?.classList.toggle("away", !this.connected);
  }

  // Streamlit's own words are for whoever started the server.
  closeDialog() {
    if (this.connected) return;
    /** @type {HTMLElement | null} */
    const close = document.querySelector("[data-testid=stDialog] button[aria-label=Close]");
    close?.click();
  }
}
