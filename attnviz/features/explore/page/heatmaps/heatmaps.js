// All heatmaps of a page: Python sends numbers, and what is said of them; what did not change since is not drawn anew.
// Where the page's query changes, they ask for the numbers of it; the page's run comes later.
// What is in sight, or nearly, is drawn at once, the rest when nothing else is to be done.

import { make, onTheme, themeOf } from "../../../../board/cells/elements.js";
import { rampsOf } from "../../../../board/cells/colours.js";
import { numbersFor } from "../../../../scripts/query.js";
import { isOf, keptIn } from "../../../../scripts/parts.js";
import { FIGURES } from "../../../../scripts/sent.js";
import { Heatmap } from "./heatmap.js";
import { makeRoom } from "./drawing.js";

/** @import { Drawing, Trigger } from "../../../../scripts/types.js" */
/** @import { Colours, Data } from "./types.js" */

const BESIDE = 14; // pixels between the pointer and what is said
const NEAR = 300; // pixels beyond the window's edge that may soon be in sight

export default function heatmaps(/** @type {Drawing<Data>} */ { parentElement, data, setTriggerValue }) {
  keptIn(parentElement, ".heatmaps", (root) => new Heatmaps(root, data)).receive(data, setTriggerValue);
}

class Heatmaps {
  /** @param {HTMLElement} root @param {Data} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.picked = ""; // the cell that was picked before, by its address
    /** @type {Map<string, Heatmap>} */
    this.byName = new Map();
    /** @type {Trigger} */
    this.trigger = () => {};
    this.shown = 0; // the version of the page's query that is drawn
    this.asks = false;
    this.follow = (/** @type {Event} */ event) =>
      this.root.isConnected ? this.compare(event) : window.removeEventListener("attnviz:query", this.follow);
    this.tip = make("div", "tip");
    this.tip.hidden = true;
    this.gap = make("div", "gap");
    this.colours = this.takeColours();
    this.listen();
    this.seen = false; // whether the explanation of a cell that was just picked stays in sight while it comes
    /** @type {Element | null} */
    this.panel = null; // in which it stands
    // The gap moves and grows with the page's width, which breaks the heatmaps into other lines, and with the
    // explanation, which Python's run draws later.
    this.sizes = new ResizeObserver(() => this.makeRoom());
    this.sizes.observe(root);
    const page = root.getRootNode();
    const place = page instanceof ShadowRoot ? page.host.closest(".st-key-heatmaps_place") : null;
    if (place) new MutationObserver(() => this.makeRoom()).observe(place, { childList: true, subtree: true });
  }

  listen() {
    const { root, tip } = this;
    root.addEventListener("pointermove", (event) => this.point(event));
    root.addEventListener("focusin", ({ target }) => { // a title's, by a finger or the keyboard
      if (!(target instanceof Element)) return;
      const { left, bottom } = target.getBoundingClientRect();
      this.tell(this.plainOf(target), left - BESIDE, bottom, true);
    });
    for (const type of ["pointerleave", "pointercancel", "focusout"])
      root.addEventListener(type, () => (tip.hidden = true));
    root.addEventListener("click", (event) => this.pick(event));
    // The page scrolls to an explanation only until its reader does something else.
    for (const type of ["pointerdown", "wheel", "keydown"]) window.addEventListener(type, () => (this.seen = false));
    onTheme(root, () => {
      this.colours = this.takeColours();
      this.draw();
    });
    document.fonts.addEventListener("loadingdone", () => this.root.isConnected && this.draw());
  }

  /** @returns {Colours} */
  takeColours() {
    const theme = themeOf(this.root);
    const { masked, undefined: unknown, ...plain } = FIGURES.THEMES[theme];
    const flat = { ...plain, ...named("masked", masked), ...named("undefined", unknown) };
    for (const [name, colour] of Object.entries(flat)) this.root.style.setProperty(`--${name}`, String(colour));
    const picked = { light: "", dark: "" };
    return { theme, ramps: rampsOf({ ...FIGURES.ROLES, picked }, theme), hatches: { masked, undefined: unknown } };
  }

  // The page's query is another one.
  compare(/** @type {Event} */ event) {
    const page = window.attnvizAddress;
    if (!page || !this.data.numbers || page.versionOf(this.data.from) === page.version) return;
    event.preventDefault();
    this.ask();
  }

  // One request after the other, of the query that the page has by then.
  async ask() {
    const [page, { numbers }] = [window.attnvizAddress, this.data];
    if (!page || !numbers || this.asks) return;
    this.asks = true;
    const { at, ...asked } = numbers;
    const { query, mark } = page;
    try {
      const sent = await numbersFor(at, { query, ...asked });
      if (sent && this.root.isConnected) this.receive({ ...this.data, ...sent, from: mark }, this.trigger);
    } catch {
      // A run of the page tells.
    }
    this.asks = false;
    if (mark !== page.mark && this.root.isConnected) this.ask();
  }

  /** @param {Data} data @param {Trigger} trigger */
  receive(data, trigger) {
    if (!isOf(data.from, this.shown)) return; // older than what is shown
    this.shown = window.attnvizAddress?.versionOf(data.from) || this.shown;
    const first = this.byName.size === 0;
    const { picked } = this;
    window.addEventListener("attnviz:query", this.follow);
    this.data = data;
    this.trigger = trigger;
    this.picked = JSON.stringify(data.frames.at(-1) ?? "");
    window.dispatchEvent(new CustomEvent("attnviz-numbers", { detail: data.numbersOf }));
    this.tip.hidden = true;
    this.arrange();
    this.draw();
    if (!first && this.picked !== picked) this.seen = true;
    this.makeRoom();
  }

  // The elements of all matrices in their groups, those that were there before among them.
  arrange() {
    const { data, root } = this;
    const wanted = data.groups.map((group) => group.join()).join(" ");
    if (root.dataset.groups === wanted) return;
    root.dataset.groups = wanted;
    const before = this.byName;
    this.byName = new Map(data.groups.flat().map((name) => [name, before.get(name) ?? new Heatmap(name)]));
    const elements = (/** @type {string[]} */ group) => group.map((name) => this.at(name).element);
    root.replaceChildren(...data.groups.map((group) => make("div", "group", elements(group))), this.tip);
  }

  /** @param {string} name @returns {Heatmap} */
  at(name) {
    const found = this.byName.get(name);
    if (!found) throw new Error(`there is no heatmap of ${name}`);
    return found;
  }

  draw() {
    const { data, colours } = this;
    const drawn = [...this.byName].map(([name, heatmap]) => ({ heatmap, picture: data.pictures[name],
      frames: data.frames.filter(({ matrix }) => matrix === name) }));
    for (const { heatmap, picture, frames } of drawn) heatmap.lay(picture, frames, colours);
    const boxes = drawn.map(({ heatmap }) => heatmap.element.getBoundingClientRect());
    const far = drawn.filter(({ heatmap }, at) => {
      if (boxes[at].top > innerHeight + NEAR || boxes[at].bottom < -NEAR) return true;
      heatmap.fill();
      return false;
    });
    if (far.length) whenIdle(() => far.forEach(({ heatmap }) => heatmap.fill()));
  }

  // For how the picked cell is made.
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

  // ---- the pointer ----

  cellUnder(/** @type {Event} */ event) {
    const { target } = event;
    const cells = target instanceof Element ? target.closest(".cells") : null;
    const name = cells?.closest("figure")?.dataset.matrix;
    return cells && name && event instanceof MouseEvent ? { heatmap: this.at(name),
      ...this.at(name).cellAt(event.clientX, event.clientY) } : null;
  }

  point(/** @type {PointerEvent} */ event) {
    const cell = this.cellUnder(event);
    this.tell(cell ? cell.heatmap.saidOf(cell.row, cell.column) : this.plainOf(event.target),
      event.clientX, event.clientY);
  }

  // What a matrix means, where its title is meant.
  plainOf(/** @type {EventTarget | null} */ target) {
    const title = target instanceof Element ? target.closest(".title") : null;
    return title ? this.data.pictures[title.closest("figure")?.dataset.matrix ?? ""].plain : "";
  }

  /** @param {string} said @param {number} x @param {number} y @param {boolean} under */
  tell(said, x, y, under = false) {
    const { tip } = this;
    tip.hidden = !said;
    if (!said) return;
    if (tip.textContent !== said) tip.textContent = said;
    const { width, height } = tip.getBoundingClientRect();
    const right = x + BESIDE + width < innerWidth;
    tip.style.left = `${right ? x + BESIDE : Math.max(0, x - BESIDE - width)}px`;
    tip.style.top = `${under ? y : Math.max(0, y - height - 8)}px`;
  }

  pick(/** @type {Event} */ event) {
    const cell = this.cellUnder(event);
    if (!cell || !cell.heatmap.isPickable) return;
    this.trigger("picked", { matrix: cell.heatmap.name, row: cell.row, column: cell.column });
  }
}

/** @param {string} name @param {import("../../../../scripts/sent.js").Hatch} hatch */
function named(name, { ground, line, ink }) {
  return { [`${name}-ground`]: ground, [`${name}-line`]: line, [`${name}-ink`]: ink };
}

function whenIdle(/** @type {() => void} */ act) {
  if ("requestIdleCallback" in window) requestIdleCallback(act, { timeout: 500 });
  else setTimeout(act, 50);
}
