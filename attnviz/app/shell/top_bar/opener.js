// A button of the top bar that shows and hides the set-up, which is always on the page. The root element holds what is
// open, because no drawing of Streamlit's changes that element.

import { partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ opens: string, label: string }} Data */

/** @type {WeakSet<HTMLElement>} */
const wired = new WeakSet();
const root = document.documentElement;

export default function opener(/** @type {Drawing<Data>} */ { parentElement, data }) {
  const button = partOf(parentElement, ".opener");
  button.textContent = data.label;
  if (wired.has(button)) return;
  wired.add(button);
  const { opens } = data;
  const tell = () => button.setAttribute("aria-expanded", String(root.dataset.open === opens));
  tell();
  new MutationObserver(tell).observe(root, { attributeFilter: ["data-open"] });
  button.addEventListener("click", () => {
    if (root.dataset.open === opens) return close(opens);
    name(opens, data.label);
    root.dataset.open = opens;
  });
  document.addEventListener("keydown", (event) => {
    const within = event.target === button || panelOf(opens)?.contains(/** @type {Node} */ (event.target));
    if (event.key !== "Escape" || !within || root.dataset.open !== opens) return;
    close(opens);
    button.focus();
  });
  window.addEventListener("attnviz:leaves", () => close(opens));
}

function close(/** @type {string} */ opens) {
  if (root.dataset.open === opens) delete root.dataset.open;
}

function panelOf(/** @type {string} */ opens) {
  return document.querySelector(`.st-key-${opens}`);
}

// For screen readers, the opened panel has the name of its button.
/** @param {string} opens @param {string} label */
function name(opens, label) {
  const panel = panelOf(opens);
  panel?.setAttribute("role", "region");
  panel?.setAttribute("aria-label", label);
}
