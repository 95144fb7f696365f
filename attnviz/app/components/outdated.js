// Marks texts that Python wrote about torch's numbers as older, while a board or heatmaps of the page show other
// numbers: those of a drag, or of a change that the rest of the page hasn't been drawn from yet.

import { stateOf } from "../../scripts/parts.js";

/** @import { Drawing } from "../../scripts/types.js" */

/** @typedef {{ of: string, note: string }} Data whose numbers the text is about, and the note that it is older */

export default function outdated(/** @type {Drawing<Data>} */ { parentElement, data }) {
  stateOf(parentElement, ".outdated", (element) => new Part(element)).receive(data);
}

class Part {
  constructor(/** @type {HTMLElement} */ element) {
    this.element = element;
    /** @type {Data} */
    this.data = { of: "", note: "" };
    /** @type {string | null | undefined} */
    this.shown = undefined; // undefined until a board shows numbers
    this.hear = (/** @type {CustomEvent<string | null>} */ { detail }) => {
      this.shown = detail;
      this.compare();
    };
    window.addEventListener("attnviz-numbers", this.hear);
  }

  receive(/** @type {Data} */ data) {
    this.data = data;
    this.compare();
  }

  compare() {
    if (!this.element.isConnected) return window.removeEventListener("attnviz-numbers", this.hear);
    const older = this.shown !== undefined && this.shown !== this.data.of;
    const text = older ? this.data.note : "";
    if (this.element.textContent !== text) this.element.textContent = text;
  }
}
