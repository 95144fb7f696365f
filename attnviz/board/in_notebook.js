// A board in a notebook, as anywidget draws it: what is done on it changes the query of its model, of which the kernel
// then sends torch's numbers. All views of a model follow it; without its kernel, each goes on by itself.

import { Alone, rootIn } from "./alone.js";
import { mount } from "./board.js";
import { toggle } from "./cells/elements.js";
import { markOf, ordered, patched } from "../scripts/query.js";
import { LETTERS } from "../scripts/sent.js";
import { say } from "../scripts/sentences.js";

/** @import { Patch } from "../scripts/query.js" */
/**
 * What the kernel and the views have in common.
 * @typedef {{ get(name: string): string, set(name: string, value: string): void, save_changes(): void,
 *   on(name: string, act: () => void): void, off(name: string, act: () => void): void }} Model
 */

const FAMILY = "Attnviz Letters";
// A notebook has several outputs in its window, and a frame around the one that is selected.
const OWN_STYLE = ":host { padding: 4px 8px; } .panel.panel { position: static; }";
const KEYS = /** @type {const} */ (["keydown", "keypress", "keyup"]);

export default function widget() {
  return { render };
}

/** @param {{ model: Model, el: HTMLElement }} given @returns {Promise<() => void>} */
async function render({ model, el }) {
  await lettersThere().catch(() => null); // then numbers have other letters
  const place = el.appendChild(document.createElement("div"));
  place.dataset.lmSuppressShortcuts = "true"; // no key of a board is one of the notebook's
  for (const type of KEYS) place.addEventListener(type, (event) => event.stopPropagation());
  const hides = `.${model.get("still")} { display: none }`; // the pictures, for where no board is drawn
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

// A face that only the shadow has isn't loaded.
async function lettersThere() {
  for (const face of document.fonts) if (face.family.includes(FAMILY)) return;
  const face = new FontFace(FAMILY, `url("data:font/woff2;base64,${LETTERS}")`, { weight: "400 700" });
  document.fonts.add(face);
  await face.load();
}

// The query of a model, as a board changes it.
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

  // As it is now, whoever changed it.
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
  lost = false; // whether the kernel is

  /** @param {Model} model @param {HTMLElement} place */
  constructor(model, place) {
    super("", null);
    this.model = model;
    this.place = place;
    this.root = rootIn(place, OWN_STYLE);
    this.page = this.query = new Query(model);
    this.seen = "";
  }

  // What the kernel has sent, and of which query.
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
    toggle(this.root, "ahead", Boolean(this.board?.pending.size));
  }

  lose() {
    this.lost = true;
    this.board?.panel.report();
  }

  // Of a kernel that is gone, or busy, there is no torch here; else it is told what the app tells.
  whose(/** @type {boolean} */ sent) {
    return this.lost || this.board?.sender.late ? say(sent ? "board.status.sent" : "board.status.alone") : null;
  }

  dress() {
    this.board?.repaint();
  }

  // Told from the colour of what it stands on, however that is written: of one pixel of it.
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

// The elements that one stands in, out of shadows, too.
function* above(/** @type {HTMLElement} */ element) {
  for (let at = element.parentNode; at; at = at instanceof ShadowRoot ? at.host : at.parentNode) {
    if (at instanceof Element) yield at;
  }
}
