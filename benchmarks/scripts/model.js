// Runs in a page before its own scripts: when the message came that has the numbers of a grid of heads, when all its
// pictures have been painted, and when anything of the page changed last.

const NAME = "attnviz_model_heads"; // of the component that draws them, near the beginning of its message
const NEAR = 50_000; // bytes

/** @type {ModelBench} */
const bench = {
  wanted: 0,
  came: 0,
  drawn: 0,
  changed: 0,
  canvas: null,
  before: null,
  again: () => Object.assign(bench, { came: 0, drawn: 0, before: bench.canvas }),
};
window.modelBench = bench;

const Plain = window.WebSocket;
window.WebSocket = class extends Plain {
  /** @param {ConstructorParameters<typeof Plain>} given */
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({ data }) => {
      const now = performance.now();
      if (!bench.came && data instanceof ArrayBuffer && new TextDecoder("latin1").decode(data.slice(0, NEAR))
        .includes(NAME)) bench.came = now;
    });
  }
};

/** @param {Document | ShadowRoot} root @returns {number} */
function pictures(root) {
  const canvas = /** @type {HTMLElement | null} */ (root.querySelector("canvas[data-pictures]"));
  const own = canvas && canvas !== bench.before ? Number(canvas.dataset.pictures) : 0;
  if (own) bench.canvas = canvas;
  return own || [...root.querySelectorAll("*")]
    .reduce((sum, { shadowRoot }) => sum + (shadowRoot ? pictures(shadowRoot) : 0), 0);
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
