// A sentence that Python says of torch's numbers. While the board shows newer ones, what it says of them stands in its
// place: one page never says two numbers for one thing.
// Whatever a person typed is only ever set as textContent.

import { keptFor, partOf } from "../../scripts/parts.js";

/** @import { Drawing } from "../../scripts/types.js" */

/** @typedef {{ said: string }} Data */

/** @type {WeakMap<HTMLElement, Followed>} */
const sentences = new WeakMap();

/** @param {Drawing<Data>} drawing */
export default function followed({ parentElement, data }) {
  const element = partOf(parentElement, ".followed");
  keptFor(sentences, element, () => new Followed(element)).receive(data.said);
}

class Followed {
  /** @param {HTMLElement} element */
  constructor(element) {
    this.element = element;
    this.said = "";
    this.hear = (/** @type {CustomEvent<string>} */ { detail }) => this.follow(detail);
    window.addEventListener("attnviz-sentence", this.hear);
  }

  /** @param {string} said */
  receive(said) {
    this.said = said;
    this.follow(said);
  }

  /** @param {string} said */
  follow(said) {
    if (!this.element.isConnected) return window.removeEventListener("attnviz-sentence", this.hear);
    const text = said === this.said ? "" : said;
    if (this.element.textContent !== text) this.element.textContent = text;
  }
}
