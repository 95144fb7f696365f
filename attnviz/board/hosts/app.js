// The host of a board on a page of the app. The board changes the page's query, and this host asks the server for
// torch's numbers. The page's other parts hear from it which numbers the board shows, and which token is picked.

import { mount } from "../board.js";
import { onTheme, themeOf } from "../cells/elements.js";
import { numbersFor } from "../../scripts/query.js";
import { partOf } from "../../scripts/parts.js";
import { PLANE } from "../../scripts/sent.js";

/** @import { Drawing } from "../../scripts/types.js" */
/** @import { Plane } from "../plane/plane.js" */

// How often, in milliseconds, and how many times to look for the panel What if; and how many times more once it's
// found.
const [PANEL_MS, PANEL_TRIES, PANEL_AGAIN] = [100, 50, 5];
const REMEMBERED = "attnviz.begun";
const NEWCOMER = "newcomer"; // class of the page's body during a first visit: shows the way to the lesson

/** @type {WeakMap<HTMLElement, Board>} */
const boards = new WeakMap();

export default function show(/** @type {Drawing<BoardData>} */ { parentElement, data }) {
  const root = partOf(parentElement, ".board");
  const board = boards.get(root);
  if (board) return board.receive(data);
  boards.set(root, mount(root, data, new App(root)));
  listen(root);
}

// Listen to events of the page for as long as the board is in it.
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
  on("attnviz-keys", (event) => offerKeys(board, event));
  on("attnviz-moment", ({ detail }) => board.intake.turnTo(detail));
  for (const type of /** @type {const} */ (["attnviz:away", "attnviz:back"])) on(type, () => board.panel.report());
  onTheme(root, () => board.repaint(), board.ended);
  // The board has the room that these two leave it, so it follows their sizes as well as its own.
  for (const each of [part("MainBlockContainer"), part("Main")]) if (each) board.sizes.observe(each);
}

// The page's menu asks for the list of keys. The first board that has one answers.
/** @param {Board} board @param {CustomEvent<"offer" | "open">} event */
function offerKeys({ keys }, event) {
  if (event.defaultPrevented || !keys.button.checkVisibility()) return;
  event.preventDefault();
  if (event.detail === "open" && !keys.isOpen) keys.open();
}

// An element of Streamlit's page, by the end of its test id.
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
    this.sizes = null; // watches the size of the open panel
    this.tries = 0; // how many times this host has requested the plane's script
  }

  get page() {
    return window.attnvizAddress ?? null;
  }

  room() {
    const main = part("Main");
    // the upper edge of a playlist's strip, if there is one
    const bottom = main?.getBoundingClientRect().bottom ?? Infinity;
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

  // Fetch the plane's script. After a failure, the next try uses another address, because a browser may remember that
  // the import of the first one failed, and never repeat it.
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
  notify(what, detail) {
    window.dispatchEvent(new CustomEvent(`attnviz-${what}`, { detail }));
  }

  // Bring the board's last row into view, above the dock and the panel What if, which stands at the foot of the window
  // once Python has drawn it; do so again whenever the panel changes its height.
  bringPanel(/** @type {Board} */ { spine, story }) {
    const opened = () => document.querySelector(".st-key-opened_by_board")?.parentElement?.closest("[class*=st-key-]");
    const bring = () => opened()
      && (story.isShown ? story.element : spine.parentElement)?.scrollIntoView({ block: "end" });
    this.sizes?.disconnect();
    this.sizes = new ResizeObserver(bring);
    let tries = PANEL_TRIES;
    const look = setInterval(() => {
      const panel = opened();
      // look again while it's being drawn, but stop soon after
      tries = Math.min(tries - 1, panel ? PANEL_AGAIN : PANEL_TRIES);
      bring();
      if (panel) this.sizes?.observe(panel);
      if (tries <= 0) clearInterval(look);
    }, PANEL_MS);
  }
}

// Whether this is a first visit, and not by a link with a query, which somebody may have shared.
function isFirst() {
  const opened = performance.getEntriesByType("navigation")[0]?.name ?? location.href;
  let first = !new URL(opened).search;
  try {
    first &&= localStorage.getItem(REMEMBERED) === null;
  } catch {
    // the browser refuses storage: every visit counts as the first
  }
  document.body.classList.toggle(NEWCOMER, first);
  return first;
}

function remember() {
  document.body.classList.remove(NEWCOMER);
  try {
    localStorage.setItem(REMEMBERED, "1");
  } catch {
    // the browser refuses storage: the next visit counts as the first again
  }
}
