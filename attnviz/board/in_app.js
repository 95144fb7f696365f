// A board on a page of the app: the page's query is told what is done on it, the server asked for torch's numbers, and
// the page's other parts hear whose numbers it shows and which word is picked.

import { mount } from "./board.js";
import { onTheme, themeOf } from "./cells/elements.js";
import { numbersFor } from "../scripts/query.js";
import { partOf } from "../scripts/parts.js";
import { PLANE } from "../scripts/sent.js";

/** @import { Drawing } from "../scripts/types.js" */
/** @import { Plane } from "./plane/plane.js" */

const [PANEL_MS, PANEL_TRIES, PANEL_AGAIN] = [100, 50, 5]; // within which the panel What if is drawn
const REMEMBERED = "attnviz.begun";
const NEWCOMER = "newcomer"; // who is shown the way to the lesson

/** @type {WeakMap<HTMLElement, Board>} */
const boards = new WeakMap();

export default function show(/** @type {Drawing<BoardData>} */ { parentElement, data }) {
  const root = partOf(parentElement, ".board");
  const board = boards.get(root);
  if (board) return board.receive(data);
  boards.set(root, mount(root, data, new App(root)));
  listen(root);
}

// What else happens on the page, as long as the board is there.
function listen(/** @type {HTMLElement} */ root) {
  const board = boards.get(root);
  if (!board) return;
  const on = (/** @type {keyof WindowEventMap} */ type, /** @type {(event: any) => void} */ act) =>
    window.addEventListener(type, (event) => {
    if (root.isConnected) return act(event);
    boards.delete(root);
    board.end();
  }, board.ended);
  on("attnviz:query", () => board.sender.compare());
  on("attnviz-temperature", ({ detail }) => board.intake.turnHotter(detail));
  on("attnviz-moment", ({ detail }) => board.intake.turnTo(detail));
  for (const type of /** @type {const} */ (["attnviz:away", "attnviz:back"])) on(type, () => board.panel.report());
  onTheme(root, () => board.repaint(), board.ended);
  // What stands above the board takes its room, as does what stands at the foot of the window.
  for (const each of [part("MainBlockContainer"), part("Main")]) if (each) board.sizes.observe(each);
}

// A part of Streamlit's page.
function part(/** @type {string} */ name) {
  return document.querySelector(`[data-testid=st${name}]`);
}

/** @implements {Host} */
class App {
  can = { text: true, layers: true };
  store = { isFirst, remember };
  numbers = numbersFor;

  constructor(/** @type {HTMLElement} */ root) {
    this.root = root;
    /** @type {ResizeObserver | null} */
    this.sizes = null; // of the open panel
    this.tries = 0; // to fetch the plane
  }

  get page() {
    return window.attnvizAddress ?? null;
  }

  room() {
    const main = part("Main");
    const bottom = main?.getBoundingClientRect().bottom ?? Infinity; // over the strip of a playlist
    return { top: this.root.getBoundingClientRect().top + (main?.scrollTop ?? 0),
      height: Math.min(window.innerHeight, bottom) };
  }

  view() {
    return { top: part("Header")?.getBoundingClientRect().bottom ?? 0, bottom: window.innerHeight,
      width: window.innerWidth };
  }

  scroll(/** @type {number} */ by) {
    part("Main")?.scrollBy(0, by);
  }

  // What didn't come may have failed for good under its own name.
  /** @returns {Promise<Plane>} */
  async plane(/** @type {Board} */ board) {
    const place = this.tries ? `${PLANE}?try=${this.tries}` : PLANE;
    this.tries += 1;
    return (await import(place)).default(board);
  }

  scheme() {
    return themeOf(this.root);
  }

  /** @param {string} what @param {unknown} detail */
  tells(what, detail) {
    window.dispatchEvent(new CustomEvent(`attnviz-${what}`, { detail }));
  }

  // The panel stands at the foot of the window once Python has drawn it; the last row is brought above it and the dock,
  // and again whenever the panel says more or less.
  bringPanel(/** @type {Board} */ { spine, story }) {
    const selector = ".st-key-playground-what_if:has(.st-key-what_if_panel)";
    const bring = () => document.querySelector(selector)
      && (story.told ? story.element : spine.parentElement)?.scrollIntoView({ block: "end" });
    this.sizes?.disconnect();
    this.sizes = new ResizeObserver(bring);
    let tries = PANEL_TRIES;
    const look = setInterval(() => {
      const panel = document.querySelector(selector);
      tries = Math.min(tries - 1, panel ? PANEL_AGAIN : PANEL_TRIES); // again while it's being drawn, but soon no more
      bring();
      if (panel) this.sizes?.observe(panel);
      if (tries <= 0) clearInterval(look);
    }, PANEL_MS);
  }
}

// Whether the page was opened as such: not with somebody's link.
function isFirst() {
  const opened = performance.getEntriesByType("navigation")[0]?.name ?? location.href;
  let first = !new URL(opened).search;
  try {
    first &&= localStorage.getItem(REMEMBERED) === null;
  } catch {
    // no storage
  }
  document.body.classList.toggle(NEWCOMER, first);
  return first;
}

function remember() {
  document.body.classList.remove(NEWCOMER);
  try {
    localStorage.setItem(REMEMBERED, "1");
  } catch {
    // no storage: the next visit is a first one again
  }
}
