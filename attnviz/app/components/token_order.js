// Tokens in their order, which can be changed: each is dragged, or moved with the arrow keys.
// Token texts are only ever set as textContent.

import { nearest, onDrag, steppedTo } from "./dragging.js";
import { focusedBeside, keptFor, partOf } from "../../scripts/parts.js";
import { Sender } from "../../scripts/sending.js";
import { say } from "../../scripts/sentences.js";

/** @import { Answered, Drawing } from "../../scripts/types.js" */

/** @typedef {Answered & { label: string, tokens: string[], labels: string[] }} Data */
/** @typedef {HTMLButtonElement & { token: string }} Chip */

/** @type {WeakMap<HTMLElement, Row>} */
const rows = new WeakMap();

/** @param {Drawing<Data>} drawing */
export default function tokenOrder({ parentElement, data, setTriggerValue }) {
  const root = partOf(parentElement, ".tokens");
  keptFor(rows, root, () => new Row(root)).receive(data, (tokens) => setTriggerValue("tokens", tokens));
}

class Row {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @type {Sender<{ value: string[] }>} */
    this.sender = new Sender(root);
    /** @type {Chip[]} */
    this.chips = [];
    /** @type {Chip | null} */
    this.held = null;
    /** @type {string | null} */
    this.shown = null; // the tokens, in the order that Python knows
  }

  /** @param {Data} data @param {(message: unknown) => void} trigger */
  receive({ label, tokens, labels, key, answered }, trigger) {
    this.sender.receive(key, answered, trigger);
    this.root.setAttribute("aria-label", label);
    if (this.held || this.sender.waiting) return; // what is shown is newer
    if (tokens.join("\n") === this.shown) return;
    this.shown = tokens.join("\n");
    const focused = this.chips.findIndex((chip) => chip === focusedBeside(this.root));
    this.chips = tokens.map((token, i) => this.chipOf(token, labels[i]));
    this.root.replaceChildren(...this.chips);
    this.name();
    this.chips[focused]?.focus();
  }

  /** @param {string} token @param {string} label */
  chipOf(token, label) {
    const chip = Object.assign(document.createElement("button"), { type: /** @type {const} */ ("button"), token });
    chip.textContent = label;
    chip.onkeydown = (event) => {
      const place = steppedTo(event.key, this.chips.indexOf(chip), this.chips.length);
      if (place === null) return;
      event.preventDefault();
      this.move(chip, place);
      this.tell();
    };
    onDrag(chip, { start: () => this.grab(chip), move: (event) => this.follow(event), end: () => this.letGo() });
    return chip;
  }

  name() {
    this.chips.forEach((chip, i) => {
      chip.setAttribute("aria-label", say("question_page.word_place", { word: chip.textContent, place: i + 1, of: this.chips.length }));
    });
  }

  // The others are put around it: what is held or has the focus never leaves the page.
  /** @param {Chip} chip @param {number} place */
  move(chip, place) {
    this.chips.splice(this.chips.indexOf(chip), 1);
    this.chips.splice(place, 0, chip);
    for (const before of this.chips.slice(0, place)) this.root.insertBefore(before, chip);
    this.root.append(...this.chips.slice(place + 1));
    this.name();
  }

  /** @param {Chip} chip */
  grab(chip) {
    if (this.held) return false; // by another finger
    this.held = chip;
    chip.classList.add("held");
    return true;
  }

  /** @param {PointerEvent} event */
  follow({ clientX, clientY }) {
    const place = nearest(this.chips.map((chip) => chip.getBoundingClientRect()), clientX, clientY);
    if (this.held && this.chips[place] !== this.held) this.move(this.held, place);
  }

  letGo() {
    this.held?.classList.remove("held");
    this.held = null;
    this.tell();
  }

  tell() {
    const tokens = this.chips.map((chip) => chip.token);
    if (tokens.join("\n") === this.shown) return;
    this.shown = tokens.join("\n");
    this.sender.send({ value: tokens });
  }
}
