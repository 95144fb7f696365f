// Elements of the page.

/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {string} className @param {(Node | string)[]} children */
export function make(tag, className = "", children = []) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// Without touching what is as it should be: each touch costs time, and counts as a change.
/** @param {Element} element @param {string} className @param {boolean} on */
export function toggle(element, className, on) {
  if (element.classList.contains(className) !== on) element.classList.toggle(className, on);
}

// The same of an attribute.
/** @param {Element} element @param {string} name @param {string} value */
export function write(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}
