// Tokens in their order, which can be changed: each is dragged, or moved with the arrow keys.
// Token texts are only ever set as textContent.

import { nearest, onDrag, steppedTo } from "./dragging.js";
import { button } from "../../board/cells/elements.js";
import { focusedBeside, keptIn } from "../../scripts/parts.js";
import { say } from "../../scripts/sentences.js";

/** @import { Drawing } from "../../scripts/types.js" */

/** @typedef {{ label: string, tokens: string[], labels: string[] }} Data */
/** @typedef {HTMLButtonElement & { token: string }} Chip */

const AWAITED_MS = 5000;

export default function tokenOrder(/** @type {Drawing<Data>} */ { parentElement, data, setStateValue }) {
  keptIn(parentElement, ".tokens", (root) => new Row(root))
    .receive(data, (tokens) => setStateValue("tokens", tokens));
}

class Row {
  constructor(/** @type {HTMLElement} */ root) {
    this.root = root;
    this.told = (/** @type {string[]} */ _tokens) => {};
    /** @type {Chip[]} */
    this.chips = [];
    /** @type {Chip | null} */
    this.held = null;
    /** @type {string | null} */
    this.shown = null; // the tokens, in the order that Python knows
    /** @type {string | null} */
    this.awaited = null; // the order that was told last, until it is drawn ...
    this.toldAt = 0; // ... or too much time has passed
  }

  /** @param {Data} data @param {(tokens: string[]) => void} tell */
  receive({ label, tokens, labels }, tell) {
    this.told = tell;
    this.root.setAttribute("aria-label", label);
    const order = tokens.join("\n");
    const older = this.awaited !== null && order !== this.awaited && performance.now() - this.toldAt < AWAITED_MS;
    if (this.held || older) return; // what is shown is newer
    this.awaited = null;
    if (order === this.shown) return;
    this.shown = order;
    const focused = this.chips.findIndex((chip) => chip === focusedBeside(this.root));
    this.chips = tokens.map((token, i) => this.chipOf(token, labels[i]));
    this.root.replaceChildren(...this.chips);
    this.name();
    this.chips[focused]?.focus();
  }

  /** @param {string} token @param {string} label */
  chipOf(token, label) {
    const chip = Object.assign(button("", label, () => {}), { token });
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
      chip.setAttribute("aria-label",
        say("question_page.word_place", { word: chip.textContent, place: i + 1, of: this.chips.length }));
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

  grab(/** @type {Chip} */ chip) {
    if (this.held) return false; // by another finger
    this.held = chip;
    chip.classList.add("held");
    return true;
  }

  follow(/** @type {PointerEvent} */ { clientX, clientY }) {
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
    this.shown = this.awaited = tokens.join("\n");
    this.toldAt = performance.now();
    this.told(tokens);
  }
}
