// The strip of heads: for each, its attention weights as a small picture, and what it does most. A click or the arrow
// keys pick the head that the spine shows; the ribbons of two others can be laid over its own, dashed differently.

import { focusedBeside } from "../../scripts/parts.js";
import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";
import { button, canvasOf, drawn, ledTo, make, toggle, UNSEEN, write } from "../cells/elements.js";
import { paintPixels } from "../cells/pixels.js";
import { ofHead } from "../places.js";
import { hiddenIn } from "../values/dependencies.js";

const HEIGHT = 74; // pixels, including the gap below
const [LOW, LOWER] = [700, 38]; // pixels: up to this height of the window, the strip has the lower height
const PICTURE = 44;
const LAID = 2; // other heads whose ribbons can show at once
const { MASK } = CONSTANTS;
const SOON_MS = 60; // time between two paintings of all heads' pictures during a drag

export class Strip {
  /** @param {Pick<Board, "data" | "drag" | "host" | "layout" | "limitOf" | "trace" | "picking" | "ramps" | "root"
   *  | "sentence" | "settled" | "shown" | "stages" | "theme" | "torch">} board */
  constructor(board) {
    this.board = board;
    this.choice = make("div", "choice", [], { role: "radiogroup", "aria-label": say("heads.strip") });
    this.choice.addEventListener("keydown", (event) => this.keydown(event));
    this.lays = make("div", "lays", [], { role: "group", "aria-label": say("heads.lays") });
    this.element = make("div", "heads", [this.choice, this.lays]);
    /** @type {number[]} */
    this.laid = []; // other heads whose ribbons show, the oldest choice first
    /** @type {Picture[]} */
    this.pictures = [];
    /** @type {BoardData | null} */
    this.labelled = null; // the data whose labels are shown
    this.painted = 0; // when all pictures were last painted
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.later = undefined;
  }

  get height() {
    return this.isShown ? (this.board.host.view().bottom <= LOW ? LOWER : HEIGHT) : 0;
  }

  // Only if there are several heads, and the board shows attention weights to compare.
  get isShown() {
    const { heads, shown, head } = this.board.data;
    return head !== null && heads.length > 1 && shown.includes("attention_weights");
  }

  get elements() {
    return this.isShown ? [this.element] : [];
  }

  // The other heads whose ribbons are laid over those of the head in view.
  get others() {
    const { head, heads } = this.board.data;
    return this.isShown ? this.laid.filter((each) => each !== head && each < heads.length) : [];
  }

  lay(/** @type {number} */ head) {
    this.laid = this.laid.includes(head) ? this.laid.filter((each) => each !== head) : [...this.others, head]
      .slice(-LAID);
    this.mark();
    this.board.sentence.show();
  }

  build() {
    const { data, torch } = this.board;
    if (!this.isShown) return;
    const focused = this.hasFocus;
    const { rows, columns } = torch.attention_weights;
    const image = this.pictures[0]?.image;
    if (this.pictures.length !== data.heads.length || image.width !== columns || image.height !== rows) {
      this.pictures = data.heads.map((_, head) =>
        new Picture({ rows, columns }, head, () => this.board.picking.look(head), () => this.lay(head)));
      this.choice.replaceChildren(...this.pictures.map(({ picks }) => picks));
      this.lays.replaceChildren(...this.pictures.map(({ lays }) => lays));
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
      toggle(picture.picks, "on", on);
      picture.picks.setAttribute("aria-checked", String(on));
      picture.picks.tabIndex = on ? 0 : -1;
      picture.picks.title = full;
      picture.picks.setAttribute("aria-label", full);
      picture.called.textContent = say("heads.called", { head });
      picture.does.textContent = short;
    });
    this.mark();
  }

  // Mark the heads whose ribbons show, with their dashes.
  mark() {
    const { others } = this;
    const { head: inView, ribbons } = this.board.data;
    this.lays.hidden = !ribbons || !this.board.layout.arcs;
    this.pictures.forEach(({ lays, line }, head) => {
      const at = others.indexOf(head);
      const seen = head === inView || at >= 0;
      toggle(lays, "on", seen);
      lays.disabled = head === inView;
      write(lays, "aria-pressed", String(seen));
      lays.title = say(head === inView ? "heads.lay.own" : seen ? "heads.lay.off" : "heads.lay.on", { head });
      write(lays, "aria-label", lays.title);
      write(line, "class", at < 0 ? "" : `other-${at}`);
    });
  }

  get hasFocus() {
    const focused = focusedBeside(this.board.root);
    return focused !== null && this.element.contains(focused);
  }

  focus() {
    const picks = this.pictures[this.board.data.head ?? 0]?.picks;
    picks?.focus({ preventScroll: true });
    picks?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Paint the head in view at once; during a drag, the others at most every SOON_MS.
  show() {
    if (!this.isShown) return;
    const { board } = this;
    this.label();
    toggle(this.element, "older", !board.settled); // their descriptions are about the numbers before
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

  paint(/** @type {number} */ head) {
    const { board } = this;
    const name = ofHead(board.data, head, "attention_weights");
    const stage = board.stages.get(name);
    const matrix = board.shown[name];
    if (!stage || !matrix || !this.pictures[head]) return;
    const { ramps } = board;
    const limit = board.limitOf(stage);
    const how = { turned: false, limit, inks: ramps[stage.role].inks, negative: ramps.negative.inks,
      hidden: hiddenIn(board.trace, stage) };
    this.pictures[head]
      .paint([matrix, board.shown[MASK]], `${limit},${board.theme}`, (pixels) => paintPixels(pixels, matrix, how));
  }

  keydown(/** @type {KeyboardEvent} */ event) {
    const { head, heads } = this.board.data;
    const to = head === null ? null : ledTo(event, head, heads.length);
    if (to === null) return;
    event.preventDefault();
    this.board.picking.look(to);
    this.focus();
  }
}

// A picture of a head's attention weights, one pixel each.
class Picture {
  /** @param {{ rows: number, columns: number }} size @param {number} head @param {() => void} pick
   *  @param {() => void} lay */
  constructor({ rows, columns }, head, pick, lay) {
    const { canvas, context } = canvasOf("", columns, rows);
    this.context = context;
    // Each weight is a whole number of screen pixels wide if they fit.
    const most = Math.max(rows, columns);
    const cell = most <= PICTURE ? Math.floor(PICTURE / most) : PICTURE / most;
    Object.assign(canvas.style, { width: `${columns * cell}px`, height: `${rows * cell}px` });
    this.called = make("b");
    this.does = make("span");
    this.picks = button("head-picture", "", pick, { role: "radio" });
    this.picks.append(canvas, make("span", "told", [this.called, this.does]));
    this.line = drawn("path", "", { d: "M0 5 H24" });
    const sample = drawn("svg", "", UNSEEN);
    sample.append(this.line);
    this.lays = button("lay", "", lay);
    this.lays.append(sample);
    for (const element of [this.picks, this.lays]) element.style.gridColumn = String(head + 1);
    this.image = new ImageData(columns, rows);
    this.pixels = new Uint32Array(this.image.data.buffer);
    /** @type {(Matrix | undefined)[]} */
    this.painted = [];
    this.look = "";
  }

  // Paint only if numbers or colours differ: a dragged number changes one head of perhaps twelve.
  /** @param {(Matrix | undefined)[]} of @param {string} look what colours depend on besides these
   *  @param {(pixels: Uint32Array) => void} draw */
  paint(of, look, draw) {
    if (this.look === look && of.every((matrix, at) => matrix === this.painted[at])) return;
    [this.painted, this.look] = [of, look];
    draw(this.pixels);
    this.context.putImageData(this.image, 0, 0);
  }
}
