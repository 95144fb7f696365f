// Elements of a component, and objects that are kept for them from one drawing to the next.

/**
 * Return the element of a component's own HTML that matches a selector.
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
 * Return the object that is kept for a component's element; the first drawing makes it.
 * @template Kept @param {ParentNode} parent @param {string} selector @param {(element: HTMLElement) => Kept} make
 * @returns {Kept}
 */
export function stateOf(parent, selector, make) {
  const element = partOf(parent, selector);
  if (!kept.has(element)) kept.set(element, make(element));
  return kept.get(element);
}

/**
 * Return the focused element of the document or shadow root that contains an element.
 * @param {Node} element
 */
export function focusedBeside(element) {
  const top = element.getRootNode();
  return top instanceof Document || top instanceof ShadowRoot ? top.activeElement : null;
}

/**
 * Whether a drawing shows the version of the page's query that a component sent, or a later one.
 * @param {string} from mark of the query that was drawn
 * @param {number} told
 */
export function isOf(from, told) {
  const version = window.attnvizAddress?.versionOf(from) ?? 0;
  return version === 0 || version >= told; // a query that the page doesn't know yet is newer
}

// Knows when something has been painted, and tells the server: see attnviz/app/session/first_paint.py.

/** @typedef {{ at: string, word: string }} Asks the address to tell, and the secret word to send */

const UNSEEN_MS = 300; // how long to wait for a paint at most; a page that is out of sight paints nothing

// Resolves once what is drawn now has been painted.
/** @returns {Promise<void>} */
export function painted() {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, UNSEEN_MS);
  });
}

// A failure is ignored, because without this message the server waits only briefly.
export function tellPainted(/** @type {Asks} */ { at, word }) {
  const address = new URL(at, window.__streamlit?.BACKEND_BASE_URL ?? new URL(".", location.href));
  const headers = { "Content-Type": "application/json" };
  fetch(address, { method: "POST", headers, body: JSON.stringify({ word }) }).catch(() => {});
}

// Events of one pointer among several, as with several fingers on a touch screen.

// From now on, calls `acts` (functions by event type) for events of the same pointer as `event`, wherever it moves.
// Returns a function that stops this; so does the signal.
/** @param {PointerEvent} event @param {Record<string, (event: PointerEvent) => void>} acts
 *  @param {{ signal?: AbortSignal }} [ended] */
export function followPointer({ pointerId }, acts, { signal } = {}) {
  const listeners = Object.entries(acts).map(([type, act]) => ({
    type,
    listener: (/** @type {Event} */ event) =>
      event instanceof PointerEvent && event.pointerId === pointerId && act(event),
  }));
  for (const { type, listener } of listeners) window.addEventListener(type, listener, { signal });
  return () => {
    for (const { type, listener } of listeners) window.removeEventListener(type, listener);
  };
}
