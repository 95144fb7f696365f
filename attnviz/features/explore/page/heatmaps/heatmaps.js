// The heatmaps of Explore: a click on a cell shows its explanation below the matrix.
// When the page's query changes, they request its numbers themselves, because the page's run comes later.

import { make } from "../../../../board/cells/elements.js";
import { numbersFor } from "../../../../scripts/query.js";
import { isOf, stateOf } from "../../../../scripts/parts.js";
import { Pictures } from "../../../../app/components/pictures/painter.js";
import { makeRoom } from "./room.js";

/** @import { Drawing, Trigger } from "../../../../scripts/types.js" */
/** @import { Data } from "./types.js" */

export default function heatmaps(/** @type {Drawing<Data>} */ { parentElement, data, setTriggerValue }) {
  stateOf(parentElement, ".heatmaps", (root) => new Heatmaps(root, data)).take(data, setTriggerValue);
}

/** @extends {Pictures<Data>} */
class Heatmaps extends Pictures {
  /** @param {HTMLElement} root @param {Data} data */
  constructor(root, data) {
    super(root, data);
    this.picked = ""; // the picked cell's frame as JSON, to notice another pick
    /** @type {Trigger} */
    this.trigger = () => {};
    this.shown = 0; // the version of the page's query that is drawn
    this.asks = false;
    this.follow = (/** @type {Event} */ event) =>
      this.root.isConnected ? this.compare(event) : window.removeEventListener("attnviz:query", this.follow);
    this.gap = make("div", "gap");
    this.seen = false; // whether to keep a new explanation in sight while it is being drawn
    /** @type {Element | null} */
    this.panel = null; // the element with the explanation
    root.addEventListener("click", (event) => this.pick(event));
    // The page scrolls to an explanation only until the reader does something else.
    for (const type of ["pointerdown", "wheel", "keydown"]) window.addEventListener(type, () => (this.seen = false));
    // The gap for the explanation moves when another page width wraps the heatmaps into other lines, and it grows with
    // the explanation, which Python's run draws later.
    this.sizes = new ResizeObserver(() => this.makeRoom());
    this.sizes.observe(root);
    const page = root.getRootNode();
    const place = page instanceof ShadowRoot ? page.host.closest(".st-key-heatmaps_place") : null;
    if (place) new MutationObserver(() => this.makeRoom()).observe(place, { childList: true, subtree: true });
  }

  // Requests numbers if the page's query isn't the one drawn.
  compare(/** @type {Event} */ event) {
    const page = window.attnvizAddress;
    if (!page || !this.data.numbers || page.versionOf(this.data.from) === page.version) return;
    event.preventDefault();
    this.ask();
  }

  // Requests follow each other, each for the query that the page has by then.
  async ask() {
    const [page, { numbers }] = [window.attnvizAddress, this.data];
    if (!page || !numbers || this.asks) return;
    this.asks = true;
    const { at, ...asked } = numbers;
    const { query, mark } = page;
    try {
      const sent = await numbersFor(at, { query, ...asked });
      if (sent && this.root.isConnected) this.take({ ...this.data, ...sent, from: mark }, this.trigger);
    } catch {
      // The page's own run brings the numbers, or the error.
    }
    this.asks = false;
    if (mark !== page.mark && this.root.isConnected) this.ask();
  }

  /** @param {Data} data @param {Trigger} trigger */
  take(data, trigger) {
    if (!isOf(data.from, this.shown)) return; // older than the numbers shown
    this.shown = window.attnvizAddress?.versionOf(data.from) || this.shown;
    const first = this.byName.size === 0;
    const { picked } = this;
    window.addEventListener("attnviz:query", this.follow);
    this.trigger = trigger;
    this.picked = JSON.stringify(data.frames.at(-1) ?? "");
    window.dispatchEvent(new CustomEvent("attnviz-numbers", { detail: data.numbersOf }));
    this.receive(data);
    if (!first && this.picked !== picked) this.seen = true;
    this.makeRoom();
  }

  // Makes room for the picked cell's explanation.
  makeRoom() {
    const cell = this.data.frames.at(-1);
    const panel = document.querySelector(".st-key-picked_cell");
    if (panel !== this.panel) {
      if (this.panel) this.sizes.unobserve(this.panel);
      if (panel) this.sizes.observe(panel, { box: "border-box" });
      this.panel = panel;
    }
    makeRoom(this.root, this.gap, panel, cell ? this.at(cell.matrix).element : null, this.seen);
  }

  pick(/** @type {Event} */ event) {
    const cell = this.cellUnder(event);
    if (!cell || !cell.heatmap.isPickable) return;
    this.trigger("picked", { matrix: cell.heatmap.name, row: cell.row, column: cell.column });
  }
}
