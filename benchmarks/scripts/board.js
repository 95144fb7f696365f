// Runs in the page before its own scripts: when the board is there, and what a move of the pointer takes.
// All times are performance.now(): milliseconds since navigation began.

import { painted } from "./painted.js";

const BOARD = "[class*=st-key-playground-board] [data-testid=stBidiComponentIsolated]";
const root = () => document.querySelector(BOARD)?.shadowRoot;

/** An element of the board. @param {string} selector */
function found(selector) {
  const element = root()?.querySelector(selector);
  if (!(element instanceof HTMLElement)) throw new Error(`the board has no ${selector}`);
  return element;
}

/** @type {BoardBench} */
const bench = {
  board: null,
  moves: [],
  cell: (at) => found(`[data-at="${at}"]`),
  box: (at) => bench.cell(at).getBoundingClientRect().toJSON(),
  row: () => [...(root()?.querySelectorAll(".sentence, .figures, .numbers td, [data-at^='q,'], [data-at^='context,']")
    ?? [])].map((each) => (each instanceof HTMLElement && each.dataset.value) || each.textContent).join(" "),
  status: () => found(".status").textContent ?? "",

  // Of each move, the milliseconds from its event to the painted frame; what `seen` reads off the page must differ
  // from what it read before, or the move counts as one that was not followed.
  follow(type, seen) {
    bench.moves = [];
    let before = seen();
    let busy = false;
    const measure = async () => {
      if (busy) return;
      busy = true;
      const start = performance.now();
      const end = await painted();
      const now = seen();
      bench.moves.push(now === before ? null : end - start);
      before = now;
      busy = false;
    };
    window.addEventListener(type, measure, true);
    return () => window.removeEventListener(type, measure, true);
  },

  // From the release of the pointer to the painted frame that shows torch's numbers.
  release: () =>
    new Promise((resolve) => window.addEventListener("pointerup", async () => {
      const start = performance.now();
      await painted();
      while (!bench.status().startsWith("✓ checked with torch")) await painted();
      resolve(performance.now() - start);
    }, { capture: true, once: true })),
};
window.boardBench = bench;

async function look() {
  if (root()?.querySelector(".cell[data-value]")) bench.board = await painted();
  else requestAnimationFrame(look);
}
requestAnimationFrame(look);
