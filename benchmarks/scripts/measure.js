// Runs in the page before its own scripts. All times are performance.now(): milliseconds since navigation began.
// bench.arm(selector, key): the next press of that key starts a measurement of the elements that match.

import { painted } from "./painted.js";

const nothing = () => ({ pressed: null, changed: null, painted: null });
/** @type {Bench} */
const bench = { loaded: null, selector: "", key: null, ...nothing() };
window.bench = bench;

// Of components, which stand in shadows.
const shadows = () => [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
  .map(({ shadowRoot }) => shadowRoot).filter((root) => root !== null);
const watching = { subtree: true, childList: true, characterData: true, attributes: true };

bench.arm = (selector, key) => {
  Object.assign(bench, { selector, key, ...nothing() });
  for (const shadow of shadows()) observer.observe(shadow, watching);
};

// On the window and capturing, so that this sees the key before Streamlit does.
window.addEventListener("keydown", (event) => {
  if (event.key === bench.key && bench.pressed === null) bench.pressed = performance.now();
}, true);

// Of an element that was removed or added, the parent is the target.
function holderOf(/** @type {Node} */ target) {
  return (target instanceof Element ? target : target.parentElement)?.closest(bench.selector);
}

// What stands in a shadow is seen in the frame that shows it.
function look() {
  const { awaited } = bench;
  if (bench.loaded !== null) return;
  if (!awaited || ![document, ...shadows()].some((root) => root.querySelector(awaited)))
    return requestAnimationFrame(look);
  bench.loaded = NaN; // found, and painted soon
  painted().then((at) => { bench.loaded = at; });
}

const observer = new MutationObserver((records) => {
  if (bench.pressed === null) return;
  if (!records.some((record) => holderOf(record.target))) return;
  bench.changed = performance.now();
  painted().then((at) => { bench.painted = at; });
});
observer.observe(document, watching);
requestAnimationFrame(look);
