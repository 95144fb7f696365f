// Runs in a page before its own scripts: when all pictures of a grid of heads have been painted, and when anything of
// the page changed last.

/** @type {ModelBench} */
const bench = {
  wanted: 0,
  drawn: 0,
  changed: 0,
  canvas: null,
  before: null,
  again: () => Object.assign(bench, { drawn: 0, before: bench.canvas }),
};
window.modelBench = bench;

/** @param {Document | ShadowRoot} root @returns {number} */
function pictures(root) {
  const canvas = /** @type {HTMLElement | null} */ (root.querySelector("canvas[data-pictures]"));
  const own = canvas && canvas !== bench.before ? Number(canvas.dataset.pictures) : 0;
  if (own) bench.canvas = canvas;
  return own || [...root.querySelectorAll("*")].reduce((sum, { shadowRoot }) => sum + (shadowRoot ? pictures(shadowRoot) : 0), 0);
}

function look() {
  if (bench.wanted && !bench.drawn && pictures(document) >= bench.wanted) {
    bench.drawn = -1; // not yet painted
    requestAnimationFrame(() => setTimeout(() => Object.assign(bench, { drawn: performance.now() })));
  }
  requestAnimationFrame(look);
}
requestAnimationFrame(look);

new MutationObserver(() => {
  requestAnimationFrame(() => setTimeout(() => Object.assign(bench, { changed: performance.now() })));
}).observe(document, { subtree: true, childList: true, attributes: true });
