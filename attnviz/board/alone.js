// Boards in a page of their own: nobody answers there, so that what is done on one stays with it, and is computed by
// the page.

import { mount } from "./board.js";
import { toggle } from "./cells/elements.js";
import { addressOf } from "./places.js";
import { valueAt } from "./values/matrices.js";
import { STYLE } from "../scripts/sent.js";
import { say } from "../scripts/sentences.js";

// What the app alone has; what was said of other numbers; and several docks can't all stand at the window's foot.
const OWN_STYLE = [
  ".board .views.views { display: none; }",
  ".changed .strip .does { visibility: hidden; }",
  ":host(:not(:only-of-type)) .panel.panel { position: static; }",
].join(" ");
const LOW = 720; // pixels: a window, or a frame, that is lower is scrolled
const ABOVE = 16;
const DARK = "(prefers-color-scheme: dark)";

/**
 * Draw a board within an element; what is done on it is told to the page around this one, if that is of the origin
 * `tells`.
 * @param {HTMLElement} element @param {BoardData} data @param {{ tells?: string, dark?: boolean | null }} how
 */
export default function showAlone(element, data, { tells = "", dark = null }) {
  const shadow = element.attachShadow({ mode: "open" });
  const style = Object.assign(document.createElement("style"), { textContent: STYLE + OWN_STYLE });
  const root = Object.assign(document.createElement("div"), { className: "board" });
  shadow.append(style, root);
  const host = new Alone(tells, dark);
  host.dress();
  host.board = mount(root, data, host);
  matchMedia(DARK).addEventListener("change", () => host.dress(), host.board.ended);
  return host.board;
}

/** @implements {Host} */
class Alone {
  page = null;
  can = { text: false, layers: false };
  store = { isFirst: () => true, remember() {} };
  /** @type {Board | null} */
  board = null;
  /** @type {Matrices | null} */
  measured = null;
  /** @type {Map<number, number>} */
  largest = new Map(); // by the limit that came

  /** @param {string} origin @param {boolean | null} dark */
  constructor(origin, dark) {
    this.origin = origin;
    this.dark = dark;
  }

  room() {
    return { top: ABOVE, height: Math.max(LOW, window.innerHeight) };
  }

  view() {
    return { top: 0, bottom: window.innerHeight, width: window.innerWidth };
  }

  scroll(/** @type {number} */ by) {
    window.scrollBy(0, by);
  }

  /** @returns {"light" | "dark"} */
  scheme() {
    return (this.dark ?? darkAround() ?? matchMedia(DARK).matches) ? "dark" : "light";
  }

  // The colours of the page, and of the board on it.
  dress() {
    document.documentElement.dataset.theme = this.scheme();
    this.board?.repaint();
  }

  whose(/** @type {boolean} */ sent) {
    return say(sent ? "board.status.sent" : "board.status.alone");
  }

  /** @param {string} what @param {unknown} detail */
  tells(what, detail) {
    if (what !== "numbers" && this.origin
      && window.parent !== window) window.parent.postMessage({ attnviz: what, detail }, this.origin);
  }

  // What is as it came is no edit; where all is, so are the numbers that came.
  takes(/** @type {Edit[]} */ edits) {
    const { board } = this;
    if (!board) return;
    for (const edit of edits.filter((each) => board.fits(each))) {
      const value = Math.fround(edit.value ?? board.uneditedAt(edit));
      if (value === valueAt(board.torch[edit.matrix], edit.row, edit.column)) board.pending.delete(addressOf(edit));
      board.editing.change(edit, value);
    }
    toggle(board.root, "changed", board.pending.size > 0);
    board.intake.settle();
  }

  // What is computed here may be larger than all that came: colours go as far, all of those that are compared, once a
  // number is let go.
  widest(/** @type {number} */ limit) {
    const { board } = this;
    if (board && board.shown !== this.measured && !board.drag) {
      this.measured = board.shown;
      this.largest.clear();
      for (const [name, [, shared]] of board.settled ? [] : Object.entries(board.data.limits)) {
        this.largest.set(shared,
          Math.max(this.largest.get(shared) ?? shared, largestOf(board.shown[name]?.values ?? [])));
      }
    }
    return this.largest.get(limit) ?? limit;
  }
}

// Whether the notebook around is dark, where it says so and may be asked.
function darkAround() {
  try {
    const { jpThemeLight } = window.parent.document.body.dataset;
    return jpThemeLight ? jpThemeLight === "false" : null;
  } catch {
    return null;
  }
}

function largestOf(/** @type {Iterable<number>} */ values) {
  let largest = 0;
  for (const value of values) if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  return largest;
}
