// The heads beside each other: of each its attention weights as a small picture, and what it does most. One of them is
// picked by a click or by the arrow keys, and the spine is that head's.

import { inksOf, paintPixels } from "../cells/pixels.js";
import { make, toggle } from "../cells/elements.js";
import { hiddenIn } from "../values/evaluate.js";
import { ofHead } from "./seen_from.js";
import { focusedBeside } from "../../scripts/parts.js";
import { say } from "../../scripts/sentences.js";

/** @import { Board } from "../board.js" */

const HEIGHT = 74; // pixels, with what is under it
const PICTURE = 44;
const SOON_MS = 60; // within which the pictures of other heads follow a number that is dragged
/** @type {Record<string, number>} */
const ARROWS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export class Strip {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.element = make("div", "heads");
    this.element.setAttribute("role", "radiogroup");
    this.element.setAttribute("aria-label", say("heads.strip"));
    this.element.addEventListener("keydown", (event) => this.keydown(event));
    /** @type {Picture[]} */
    this.pictures = [];
    /** @type {import("../types.js").BoardData | null} */
    this.labelled = null; // of what the words are
    this.painted = 0; // when all were
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.later = undefined;
  }

  get height() {
    return this.isShown ? HEIGHT : 0;
  }

  // Where nothing of the attention weights is shown, there are none to compare.
  get isShown() {
    const { heads, shown, head } = this.board.data;
    return head !== null && heads.length > 1 && shown.includes("attention_weights");
  }

  get elements() {
    return this.isShown ? [this.element] : [];
  }

  build() {
    const { data, torch } = this.board;
    if (!this.isShown) return;
    const focused = this.hasFocus;
    const size = torch.attention_weights.rows;
    if (this.pictures.length !== data.heads.length || this.pictures[0].image.width !== size) {
      this.pictures = data.heads.map((_, head) => new Picture(size, () => this.board.look(head)));
      this.element.replaceChildren(...this.pictures.map(({ button }) => button));
      this.labelled = null;
    }
    if (focused) requestAnimationFrame(() => this.focus());
  }

  label() {
    const { data } = this.board;
    if (this.labelled === data) return;
    this.labelled = data;
    this.pictures.forEach((picture, head) => {
      const { short, full } = data.heads[head];
      const on = head === data.head;
      toggle(picture.button, "on", on);
      picture.button.setAttribute("aria-checked", String(on));
      picture.button.tabIndex = on ? 0 : -1;
      picture.button.title = full;
      picture.button.setAttribute("aria-label", full);
      picture.called.textContent = say("heads.called", { head });
      picture.does.textContent = short;
    });
  }

  get hasFocus() {
    const focused = focusedBeside(this.board.root);
    return focused !== null && this.element.contains(focused);
  }

  focus() {
    const button = this.pictures[this.board.data.head ?? 0]?.button;
    button?.focus({ preventScroll: true });
    button?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // The head in view follows at once; the others, while a number is dragged, a few times in a second.
  show() {
    if (!this.isShown) return;
    const { board } = this;
    this.label();
    toggle(this.element, "older", !board.settled); // what is said of them is of the numbers before
    this.paint(board.data.head ?? 0);
    clearTimeout(this.later);
    const wait = this.painted + SOON_MS - performance.now();
    if (board.drag && wait > 0) this.later = setTimeout(() => this.paintAll(), wait);
    else this.paintAll();
  }

  paintAll() {
    this.painted = performance.now();
    this.pictures.forEach((_, head) => this.paint(head));
  }

  /** @param {number} head */
  paint(head) {
    const { board } = this;
    const name = ofHead(board.data, head, "attention_weights");
    const stage = board.stages.get(name);
    const matrix = board.shown[name];
    if (!stage || !matrix || !this.pictures[head]) return;
    const { ramps } = board;
    this.pictures[head].paint((pixels) => paintPixels(pixels, matrix, {
      turned: false, limit: board.limitOf(stage), inks: inksOf(ramps[stage.role]), negative: inksOf(ramps.negative), hidden: hiddenIn({ stages: board.stages, matrices: board.shown }, stage),
    }));
  }

  /** @param {KeyboardEvent} event */
  keydown(event) {
    const { head, heads } = this.board.data;
    const by = ARROWS[event.key];
    if (head === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = event.key === "Home" ? 0 : event.key === "End" ? heads.length - 1 : by ? (head + by + heads.length) % heads.length : null;
    if (to === null) return;
    event.preventDefault();
    this.board.look(to);
    this.focus();
  }
}

// A head's attention weights, a pixel for each.
class Picture {
  /** @param {number} size @param {() => void} pick */
  constructor(size, pick) {
    this.canvas = make("canvas");
    [this.canvas.width, this.canvas.height] = [size, size];
    // Whole pixels for each weight, where there are so many.
    const side = size <= PICTURE ? size * Math.floor(PICTURE / size) : PICTURE;
    Object.assign(this.canvas.style, { width: `${side}px`, height: `${side}px` });
    this.canvas.setAttribute("aria-hidden", "true");
    this.called = make("b");
    this.does = make("span");
    this.button = make("button", "head-picture", [this.canvas, make("span", "told", [this.called, this.does])]);
    this.button.type = "button";
    this.button.setAttribute("role", "radio");
    this.button.onclick = pick;
    this.image = new ImageData(size, size);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  /** @param {(pixels: Uint32Array) => void} draw */
  paint(draw) {
    draw(this.pixels);
    this.canvas.getContext("2d")?.putImageData(this.image, 0, 0);
  }
}
