// Pictures of matrices. Python sends their numbers and texts, and only what has changed is drawn again.
// Pictures in the window, or near it, are drawn at once; the others wait until the browser is idle.

import { make, onTheme, themeOf } from "../../../board/cells/elements.js";
import { rampsOf } from "../../../board/cells/colours.js";
import { FIGURES } from "../../../scripts/sent.js";
import { Heatmap } from "./heatmap.js";

/** @import { Colours, Data } from "./types.js" */

const BESIDE = 14; // pixels between the pointer and the hint
const NEAR = 300; // pixels beyond the window's edge within which a picture is drawn at once

/** @template {Data} T */
export class Pictures {
  /** @param {HTMLElement} root @param {T} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    /** @type {Map<string, Heatmap>} */
    this.byName = new Map();
    this.tip = make("div", "tip");
    this.tip.hidden = true;
    this.colours = this.takeColours();
    this.listen();
  }

  listen() {
    const { root, tip } = this;
    root.addEventListener("pointermove", (event) => this.point(event));
    root.addEventListener("focusin", ({ target }) => { // a title got the focus, by touch or from the keyboard
      if (!(target instanceof Element)) return;
      const { left, bottom } = target.getBoundingClientRect();
      this.tell(this.plainOf(target), left - BESIDE, bottom, true);
    });
    for (const type of ["pointerleave", "pointercancel", "focusout"])
      root.addEventListener(type, () => (tip.hidden = true));
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

  /** @param {T} data */
  receive(data) {
    this.data = data;
    this.tip.hidden = true;
    this.arrange();
    this.draw();
  }

  // Puts the elements of all matrices into their groups, and keeps those that exist already.
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
    if (!found) throw new Error(`there is no picture of ${name}`);
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
    if (this.root.scrollWidth > this.root.clientWidth + 1) this.root.tabIndex = 0; // lets the keyboard scroll it, too
    else this.root.removeAttribute("tabindex");
    if (far.length) whenIdle(() => far.forEach(({ heatmap }) => heatmap.fill()));
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

  // The meaning of a matrix if its title is pointed at; blank for anything else.
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
}

/** @param {string} name @param {import("../../../scripts/sent.js").Hatch} hatch */
function named(name, { ground, line, ink }) {
  return { [`${name}-ground`]: ground, [`${name}-line`]: line, [`${name}-ink`]: ink };
}

function whenIdle(/** @type {() => void} */ act) {
  if ("requestIdleCallback" in window) requestIdleCallback(act, { timeout: 500 });
  else setTimeout(act, 50);
}
