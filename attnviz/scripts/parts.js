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

/**
 * What belongs to an element, made with its first drawing.
 * @template Kept
 * @param {WeakMap<HTMLElement, Kept>} all
 * @param {HTMLElement} element
 * @param {(element: HTMLElement) => Kept} make
 */
export function keptFor(all, element, make) {
  const kept = all.get(element) ?? make(element);
  all.set(element, kept);
  return kept;
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
