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

// The same of what it says.
/** @param {Node} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// A canvas, and what draws on it.
/** @param {string} className @param {number} width @param {number} height */
export function canvasOf(className, width, height) {
  const canvas = make("canvas", className);
  [canvas.width, canvas.height] = [width, height];
  canvas.setAttribute("aria-hidden", "true");
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser draws on no canvas");
  return { canvas, context };
}

// Whether the page is light or dark, told from its own colour, and when that changes.

/** @param {HTMLElement} element @returns {"light" | "dark"} */
export function themeOf(element) {
  const colour = getComputedStyle(element).getPropertyValue("--st-background-color").trim();
  const channels = /^#[\da-f]{6}/i.test(colour) ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : [255, 255, 255];
  return channels.reduce((sum, channel) => sum + channel, 0) < 384 ? "dark" : "light";
}

// The reader's choice of a theme draws no component anew: it is seen where a colour of the page changes.
/** @param {HTMLElement} root @param {() => void} act @param {{ signal?: AbortSignal }} [ended] */
export function onTheme(root, act, { signal } = {}) {
  root.addEventListener("transitionend", (event) => {
    if (event.target === root && event.propertyName === "color") act();
  }, { signal });
}
