// The formula of the scores, with a block "÷ √d_k" that can be dragged to where it divides: to Q, in halves to Q and
// K, or to the scores. As a whole it is a slider of three places, for the keyboard and for screen readers.

import { nearest, onDrag, steppedTo } from "./dragging.js";
import { make } from "../../board/cells/elements.js";
import { isOf, keptIn } from "../../scripts/parts.js";

/** @import { Drawing } from "../../scripts/types.js" */

/** @typedef {{ label: string, places: string[], place: number, parameter: string, texts: string[], from: string }} Data
 *  `texts` of the parameter, one for each place */

const WHOLE = "÷ √d_k";
const HALF = "÷ √√d_k";
// What stands in the slots behind Q, behind K and behind their product, for each of the three places.
const BLOCKS = [
  [WHOLE, "", ""],
  [HALF, HALF, ""],
  ["", "", WHOLE],
];

export default function scaleBlock(/** @type {Drawing<Data>} */ { parentElement, data }) {
  keptIn(parentElement, ".formula", (root) => new Formula(root)).receive(data);
}

class Formula {
  constructor(/** @type {HTMLElement} */ root) {
    this.root = root;
    /** @type {Data | null} */
    this.data = null;
    this.told = 0;
    /** @type {string[]} */
    this.places = [];
    this.place = -1; // until it is drawn
    this.dragging = this.moved = false;
    this.slots = BLOCKS.map(() => make("span", "slot"));
    this.ghost = make("span", "block ghost", [WHOLE]);
    const [q, k, product] = this.slots;
    root.append("( Q", q, ") ( K", k, ")", make("span", "raised", ["T"]), product, make("span", "", ["= S′"]));
    root.onkeydown = (event) => this.press(event);
    onDrag(root, { start: (event) => this.grab(event), move: (event) => this.follow(event), end: () => this.letGo() });
  }

  receive(/** @type {Data} */ data) {
    const { label, places, place, from } = data;
    this.data = data;
    this.places = places;
    this.root.setAttribute("aria-label", label);
    this.root.setAttribute("aria-valuemax", String(places.length - 1));
    if (!this.dragging && isOf(from, this.told)) this.show(place);
  }

  show(/** @type {number} */ place) {
    this.place = place;
    this.slots.forEach((slot, i) => {
      const text = BLOCKS[place][i];
      if (slot.textContent !== text) slot.textContent = text;
      slot.classList.toggle("block", text !== "");
    });
    this.root.setAttribute("aria-valuenow", String(place));
    this.root.setAttribute("aria-valuetext", this.places[place]);
  }

  // Python hears of each place on the way, so that what depends on it follows the hand.
  /** @param {number | null} place */
  moveTo(place, replaces = false) {
    if (place === null || place === this.place) return;
    this.show(place);
    if (this.data && window.attnvizAddress) {
      const { parameter, texts } = this.data;
      this.told = window.attnvizAddress.change({ [parameter]: texts[place] || null },
        { source: replaces ? parameter : null });
    }
    this.moved = true;
  }

  press(/** @type {KeyboardEvent} */ event) {
    const place = steppedTo(event.key, this.place, this.places.length);
    if (place === null) return;
    event.preventDefault();
    this.moveTo(place);
  }

  grab(/** @type {PointerEvent} */ event) {
    event.preventDefault();
    if (this.dragging) return false; // by another finger
    this.root.focus();
    this.dragging = true;
    this.moved = false;
    this.root.classList.add("dragging");
    this.root.append(this.ghost);
    this.follow(event);
    return true;
  }

  follow(/** @type {PointerEvent} */ { clientX, clientY }) {
    const { left, top } = this.root.getBoundingClientRect();
    this.ghost.style.translate = `calc(${clientX - left}px - 50%) calc(${clientY - top}px - 50%)`;
    this.moveTo(nearest(this.slots.map((slot) => slot.getBoundingClientRect()), clientX, clientY), this.moved);
  }

  letGo() {
    this.dragging = false;
    this.root.classList.remove("dragging");
    this.ghost.remove();
  }
}
