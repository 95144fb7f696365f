// Helpers that create HTML and SVG elements, and change them only where they differ.

/**
 * @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {string} className @param {(Node | string)[]}
 * children
 * @param {Record<string, string>} attributes
 */
export function make(tag, className = "", children = [], attributes = {}) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

// Attributes for elements that screen readers should skip: decoration, and texts that they get in another form.
export const UNSEEN = { "aria-hidden": "true" };

/** @param {string} className @param {string} text @param {() => void} act @param {Record<string, string>} attributes */
export function button(className, text, act, attributes = {}) {
  const element = make("button", className, [text], { type: "button", ...attributes });
  element.onclick = act;
  return element;
}

// Create an SVG element; attributes that are empty or 0 are left out.
/** @template {keyof SVGElementTagNameMap} Tag @param {Tag} tag @param {string} className
 *  @param {Record<string, string | number>} attributes */
export function drawn(tag, className, attributes = {}) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries({ class: className, ...attributes })) if (value) element.setAttribute(name,
    String(value));
  return element;
}

// Place an element in an area; a side that is undefined is left to the style sheet.
/** @param {HTMLElement} element @param {{ x?: number, y?: number, width?: number, height?: number }} area */
export function put(element, { x, y, width, height }) {
  const length = (/** @type {number | undefined} */ pixels) => (pixels === undefined ? "" : `${pixels}px`);
  Object.assign(element.style, { left: length(x), top: length(y), width: length(width), height: length(height) });
}

/** @param {Rect} a @param {Rect} b */
export function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// Give each element its class among `marks`, and remove these classes from earlier elements that have none now.
/** @template {Element} Each @param {Iterable<Each>} before @param {Map<Each, string>} marked @param {string[]} marks */
export function markAll(before, marked, marks) {
  for (const element of before) if (!marked.has(element)) element.classList.remove(...marks);
  for (const [element, mark] of marked) for (const each of marks) toggle(element, each, each === mark);
}

// Set or remove a class, but only if that changes anything: each write costs time, and observers count it as a change.
/** @param {Element} element @param {string} className @param {boolean} on */
export function toggle(element, className, on) {
  if (element.classList.contains(className) !== on) element.classList.toggle(className, on);
}

// Set an attribute, but only if that changes anything.
/** @param {Element} element @param {string} name @param {string} value */
export function write(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

// Set the text, but only if that changes anything.
/** @param {Node} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// The index that an arrow key, Home or End moves to, from index `at` of `count`; null for other keys.
/** @param {KeyboardEvent} event @param {number} at @param {number} count @returns {number | null} */
export function ledTo({ key, ctrlKey, metaKey, altKey }, at, count) {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
  if (ctrlKey || metaKey || altKey) return null;
  return key === "Home" ? 0 : key === "End" ? count - 1 : step ? (at + step + count) % count : null;
}

// Create a canvas, with the context that draws on it.
/** @param {string} className @param {number} width @param {number} height */
export function canvasOf(className, width, height) {
  const canvas = make("canvas", className, [], { ...UNSEEN, width: String(width), height: String(height) });
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser draws on no canvas");
  return { canvas, context };
}

// ---- the theme ----

// Whether the page is light or dark, judged by the brightness of its background.
/** @param {HTMLElement} element @returns {"light" | "dark"} */
export function themeOf(element) {
  const colour = getComputedStyle(element).getPropertyValue("--st-background-color").trim();
  const channels = /^#[\da-f]{6}/i.test(colour) ? [1, 3, 5]
    .map((at) => parseInt(colour.slice(at, at + 2), 16)) : [255, 255, 255];
  return channels.reduce((sum, channel) => sum + channel, 0) < 384 ? "dark" : "light";
}

// Call `act` whenever the reader chooses another theme. Streamlit doesn't redraw components then, but the text's colour
// changes with a transition (1 ms in board.css), whose end is an event.
/** @param {HTMLElement} root @param {() => void} act @param {{ signal?: AbortSignal }} [ended] */
export function onTheme(root, act, { signal } = {}) {
  root.addEventListener("transitionend", (event) => {
    if (event.target === root && event.propertyName === "color") act();
  }, { signal });
}
