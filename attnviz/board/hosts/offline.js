// The host of a board without a server: edits stay on the board, and the page itself computes all numbers.

import { Plane } from "../plane/plane.js";
import { addressOf } from "../places.js";
import { valueAt } from "../values/matrices.js";
import { STYLE } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";

// Hides the dock's ways to other views, which only the app has.
const OWN_STYLE = ".board .views.views { display: none; } ";
const LOW = 720; // pixels: a lower window or frame is scrolled
const ABOVE = 16;
export const DARK = "(prefers-color-scheme: dark)";

// Create the element that a board draws in. It's in a shadow root together with the board's styles, so that these don't
// affect the rest of the page; `more` is additional CSS.
/** @param {HTMLElement} element @param {string} more */
export function rootIn(element, more) {
  const shadow = element.attachShadow({ mode: "open" });
  const root = Object.assign(document.createElement("div"), { className: "board" });
  shadow.append(Object.assign(document.createElement("style"), { textContent: STYLE + OWN_STYLE + more }), root);
  return root;
}

/** @implements {Host} */
export class Alone {
  /** @type {Host["page"]} */
  page = null;
  can = { text: false, layers: false };
  store = { isFirst: () => true, remember() {} };
  /** @type {Board | null} */
  board = null;
  /** @type {Matrices | null} */
  measured = null;
  /** @type {Map<number, number>} */
  largest = new Map(); // the largest number found for each shared limit that Python sent

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
    return (this.dark ?? darkAround() ?? this.standsOnDark() ?? matchMedia(DARK).matches) ? "dark" : "light";
  }

  /** @returns {boolean | null} */
  standsOnDark() {
    return null;
  }

  // Give the page, and the board on it, the colours of the current theme.
  dress() {
    document.documentElement.dataset.theme = this.scheme();
    this.board?.repaint();
  }

  plane(/** @type {Board} */ board) {
    return Promise.resolve(new Plane(board));
  }

  /** @param {boolean} sent @returns {string | null} */
  whose(sent) {
    return say(sent ? "board.status.sent" : "board.status.alone");
  }

  /** @param {string} what @param {unknown} detail */
  notify(what, detail) {
    if (what !== "numbers" && this.origin
      && window.parent !== window) window.parent.postMessage({ attnviz: what, detail }, this.origin);
  }

  // Apply edits to the board. A number equal to the one that was sent is no edit; once no edit is left, the sent
  // numbers are shown again.
  takes(/** @type {Edit[]} */ edits) {
    const { board } = this;
    if (!board) return;
    for (const edit of edits.filter((each) => board.fits(each))) {
      const value = Math.fround(edit.value ?? board.uneditedAt(edit));
      if (value === valueAt(board.torch[edit.matrix], edit.row, edit.column)) board.pending.delete(addressOf(edit));
      board.editing.change(edit, value);
    }
    board.intake.settle();
  }

  // Numbers computed here may be larger than all that were sent. Then the limit of the colours is raised to the largest
  // of them, for all matrices that share this limit. It doesn't change during a drag.
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

// The body of the page that embeds this one; null if it's from another origin.
export function around() {
  try {
    return window.parent.document.body;
  } catch {
    return null;
  }
}

// Whether the notebook around this page is dark; null if it doesn't say.
function darkAround() {
  const light = around()?.dataset.jpThemeLight;
  return light ? light === "false" : null;
}

function largestOf(/** @type {Iterable<number>} */ values) {
  let largest = 0;
  for (const value of values) if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  return largest;
}
