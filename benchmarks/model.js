// Runs in a page before its own scripts: when all pictures of a grid of heads have been painted, and when anything of
// the page changed last.

/** @type {ModelBench} */
const bench = { wanted: 0, drawn: 0, changed: 0 };
window.modelBench = bench;

/** @param {Document | ShadowRoot} root @returns {number} */
function pictures(root) {
  const own = root.querySelectorAll(".head canvas").length;
  return own || [...root.querySelectorAll("*")].reduce((sum, { shadowRoot }) => sum + (shadowRoot ? pictures(shadowRoot) : 0), 0);
}

function look() {
  if (bench.wanted && pictures(document) >= bench.wanted) {
    requestAnimationFrame(() => setTimeout(() => Object.assign(bench, { drawn: performance.now() })));
  } else requestAnimationFrame(look);
}
requestAnimationFrame(look);

new MutationObserver(() => {
  requestAnimationFrame(() => setTimeout(() => Object.assign(bench, { changed: performance.now() })));
}).observe(document, { subtree: true, childList: true, attributes: true });
