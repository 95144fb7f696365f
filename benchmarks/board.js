// Runs in the page before its own scripts: when the board is there, and what a move of the pointer takes.
// All times are performance.now(): milliseconds since navigation began.

import { painted } from "./painted.js";

(() => {
  const bench = { board: null, moves: [], watched: null };
  window.boardBench = bench;
  const root = () => document.querySelector("[class*=st-key-playground-board] [data-testid=stBidiComponentIsolated]")?.shadowRoot;
  bench.cell = (at) => root().querySelector(`[data-at="${at}"]`);
  bench.box = (at) => bench.cell(at).getBoundingClientRect().toJSON();
  bench.status = () => root().querySelector(".status").textContent;

  const look = async () => {
    if (root()?.querySelector(".cell")?.textContent) bench.board = await painted();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);

  // Of each move, the milliseconds from its event to the painted frame; what `seen` reads off the page must differ
  // from what it read before, or the move counts as one that was not followed.
  bench.follow = (type, seen) => {
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
  };

  // From the release of the pointer to the painted frame that shows torch's numbers.
  bench.release = () =>
    new Promise((resolve) => window.addEventListener("pointerup", async () => {
      const start = performance.now();
      await painted();
      while (!bench.status().startsWith("✓ checked with torch")) await painted();
      resolve(performance.now() - start);
    }, { capture: true, once: true }));
})();
