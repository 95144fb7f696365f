// The host of a board in a notebook, drawn by anywidget. The board changes the query of its widget model; the kernel
// then sends torch's numbers for that query. All views of one model follow it; without a kernel, each view goes on by
// itself.

import { Alone, rootIn } from "./offline.js";
import { mount } from "../board.js";
import { markOf, ordered, patched } from "../../scripts/query.js";
import { LETTERS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

/** @import { Patch } from "../../scripts/query.js" */
/**
 * The widget model, which the kernel and all views share.
 * @typedef {{ get(name: string): string, set(name: string, value: string): void, save_changes(): void,
 *   on(name: string, act: () => void): void, off(name: string, act: () => void): void }} Model
 */

const FAMILY = "Attnviz Letters";
// Several outputs share a notebook's window, so that docks don't stick to its foot. The padding leaves room for the
// frame that notebooks draw around the selected output.
const OWN_STYLE = ":host { padding: 4px 8px; } .panel.panel { position: static; }";
const KEYS = /** @type {const} */ (["keydown", "keypress", "keyup"]);

export default function widget() {
  return { render };
}

/** @param {{ model: Model, el: HTMLElement }} given @returns {Promise<() => void>} */
async function render({ model, el }) {
  await lettersThere().catch(() => null); // without it, numbers have another font
  const place = el.appendChild(document.createElement("div"));
  // JupyterLab then doesn't take keys pressed on the board for its own shortcuts
  place.dataset.lmSuppressShortcuts = "true";
  for (const type of KEYS) place.addEventListener(type, (event) => event.stopPropagation());
  // hides the still pictures, which stand in for a board where none can be drawn
  const hides = `.${model.get("still")} { display: none }`;
  place.append(Object.assign(document.createElement("style"), { textContent: hides }));
  const host = new InNotebook(model, place);
  host.dress();
  const board = host.board = mount(host.root, host.sent, host);
  const take = () => host.take();
  const lost = () => host.lose();
  const themes = new MutationObserver(() => board.theme !== host.scheme() && host.dress());
  for (const each of [document.documentElement, document.body]) themes.observe(each, { attributes: true });
  for (const name of ["query", "data"]) model.on(`change:${name}`, take);
  model.on("comm_live_update", lost);
  return () => {
    for (const name of ["query", "data"]) model.off(`change:${name}`, take);
    model.off("comm_live_update", lost);
    themes.disconnect();
    board.end();
    place.remove();
  };
}

// Load the board's font into the document: browsers load no font face that is declared in a shadow root alone.
async function lettersThere() {
  for (const face of document.fonts) if (face.family.includes(FAMILY)) return;
  const face = new FontFace(FAMILY, `url("data:font/woff2;base64,${LETTERS}")`, { weight: "400 700" });
  document.fonts.add(face);
  await face.load();
}

// The query of a widget model, with what Host.page needs of Address.
class Query {
  away = false;
  /** @type {string[]} */
  controls = [];
  version = 0;
  query = "";
  /** @type {Map<string, number>} */
  versions = new Map();

  constructor(/** @type {Model} */ model) {
    this.model = model;
    this.follow();
  }

  get mark() {
    return markOf(this.query);
  }

  versionOf(/** @type {string} */ mark) {
    return this.versions.get(mark) ?? 0;
  }

  // Take over the model's query, whoever changed it.
  follow() {
    const query = ordered(this.model.get("query"));
    if (this.version && query === this.query) return;
    this.query = query;
    this.version += 1;
    this.versions.set(this.mark, this.version);
  }

  change(/** @type {Patch} */ patch) {
    this.model.set("query", patched(this.query, patch));
    this.follow();
    this.model.save_changes();
    return this.version;
  }

  go() {}
}

/** @implements {Host} */
class InNotebook extends Alone {
  can = { text: true, layers: true };
  lost = false; // whether the kernel is gone

  /** @param {Model} model @param {HTMLElement} place */
  constructor(model, place) {
    super("", null);
    this.model = model;
    this.place = place;
    this.root = rootIn(place, OWN_STYLE);
    this.page = this.query = new Query(model);
    this.seen = "";
  }

  // The data that the kernel sent last, with the mark of the query that it answers.
  get sent() {
    this.seen = this.model.get("data");
    const { asked, ...data } = JSON.parse(this.seen);
    return { ...data, from: markOf(asked) };
  }

  take() {
    this.query.follow();
    if (this.model.get("data") === this.seen) return;
    this.lost = false;
    this.board?.receive(this.sent);
  }

  lose() {
    this.lost = true;
    this.board?.panel.report();
  }

  // If the kernel is gone or busy, say that the numbers were sent earlier, or are the page's own. Otherwise return
  // null, so that the board says the same as in the app.
  whose(/** @type {boolean} */ sent) {
    return this.lost || this.board?.sender.late ? say(sent ? "board.status.sent" : "board.status.alone") : null;
  }

  dress() {
    this.board?.repaint();
  }

  // Guess the theme from the first opaque background behind the board. A pixel painted with it gives red, green and
  // blue, however the style writes the colour.
  standsOnDark() {
    const pixel = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(1, 1).getContext("2d"));
    for (const element of above(this.place)) {
      pixel.fillStyle = getComputedStyle(element).backgroundColor;
      pixel.fillRect(0, 0, 1, 1);
      const [red, green, blue, solid] = pixel.getImageData(0, 0, 1, 1).data;
      if (solid) return red + green + blue < 384;
    }
    return null;
  }

  scroll(/** @type {number} */ by) {
    for (const element of above(this.place)) {
      if (element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY)) {
        return element.scrollBy(0, by);
      }
    }
    super.scroll(by);
  }
}

// The elements around an element, from the inside out, including those outside its shadow root.
function* above(/** @type {HTMLElement} */ element) {
  for (let at = element.parentNode; at; at = at instanceof ShadowRoot ? at.host : at.parentNode) {
    if (at instanceof Element) yield at;
  }
}
