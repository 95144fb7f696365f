// A component's own elements, and what belongs to them from one drawing to the next.

/**
 * The element of a component's own HTML that a selector names.
 * @param {ParentNode} parent
 * @param {string} selector
 */
export function partOf(parent, selector) {
  const part = parent.querySelector(selector);
  if (!(part instanceof HTMLElement)) throw new Error(`the component has no ${selector}`);
  return part;
}

/** @type {WeakMap<HTMLElement, any>} */
const kept = new WeakMap();

/**
 * What belongs to a component's element that a selector names, made with its first drawing.
 * @template Kept @param {ParentNode} parent @param {string} selector @param {(element: HTMLElement) => Kept} make
 * @returns {Kept}
 */
export function keptIn(parent, selector, make) {
  const element = partOf(parent, selector);
  if (!kept.has(element)) kept.set(element, make(element));
  return kept.get(element);
}

/**
 * The element with the focus in the page, or in the shadow, that an element stands in.
 * @param {Node} element
 */
export function focusedBeside(element) {
  const top = element.getRootNode();
  return top instanceof Document || top instanceof ShadowRoot ? top.activeElement : null;
}

/**
 * Whether a drawing is of the version of the page's query that a component told, or of a later one.
 * @param {string} from what tells the query that it was drawn from
 * @param {number} told
 */
export function isOf(from, told) {
  const version = window.attnvizAddress?.versionOf(from) ?? 0;
  return version === 0 || version >= told; // of a query that the page doesn't know yet, it is newer
}

// When something has been painted, and where the server is told that: see attnviz/app/session/painting.py.

/** @typedef {{ at: string, word: string }} Asks where, and what */

const UNSEEN_MS = 300; // after which nothing waits for pictures any longer: of a page out of sight, none is painted

// What is drawn now has been painted.
/** @returns {Promise<void>} */
export function painted() {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, UNSEEN_MS);
  });
}

// The server waits a little where it hears nothing, so there is nothing to be done about that.
export function tellPainted(/** @type {Asks} */ { at, word }) {
  const address = new URL(at, window.__streamlit?.BACKEND_BASE_URL ?? new URL(".", location.href));
  const headers = { "Content-Type": "application/json" };
  fetch(address, { method: "POST", headers, body: JSON.stringify({ word }) }).catch(() => {});
}

// One pointer among several: a hand has more than one finger.

// Call `acts`, by the types of events, with what the pointer of this event does from now on, wherever it goes; return
// the function that ends this, as a signal does.
/** @param {PointerEvent} event @param {Record<string, (event: PointerEvent) => void>} acts
 *  @param {{ signal?: AbortSignal }} [ended] */
export function followPointer({ pointerId }, acts, { signal } = {}) {
  const heard = Object.entries(acts).map(([type, act]) => ({
    type,
    hear: (/** @type {Event} */ event) => event instanceof PointerEvent && event.pointerId === pointerId && act(event),
  }));
  for (const { type, hear } of heard) window.addEventListener(type, hear, { signal });
  return () => {
    for (const { type, hear } of heard) window.removeEventListener(type, hear);
  };
}
