// A row of tokens, one of which is picked: a radio group that mouse and arrow keys move.
// Token texts are only ever set as textContent.

import { isOf, keptFor, partOf } from "../../scripts/parts.js";

/** @import { Drawing } from "../../scripts/types.js" */

/**
 * @typedef {{ tokens: { label: string, published: boolean, origin: string }[], picked: number, query: string,
 *   label: string, parameter: string, from: string }} Data
 */

/** @typedef {{ buttons: HTMLButtonElement[], told: number, picked: HTMLButtonElement | null }} State */

/** @type {WeakMap<HTMLElement, State>} */
const groups = new WeakMap();

export default function tokenPicker(/** @type {Drawing<Data>} */ { parentElement, data }) {
  const group = partOf(parentElement, ".tokens");
  group.setAttribute("aria-label", data.label);
  partOf(group, ".query").textContent = data.query;
  const state = keptFor(groups, group, begun);

  const pick = (/** @type {number} */ position, replaces = false) => {
    show(state, group, position);
    state.buttons[position].focus();
    state.told = window.attnvizAddress?.change({ [data.parameter]: String(position) },
      { source: replaces ? data.parameter : null }) ?? 0;
  };

  while (state.buttons.length > data.tokens.length) state.buttons.pop()?.remove();
  while (state.buttons.length < data.tokens.length) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("role", "radio");
    state.buttons.push(button);
    group.append(button);
  }
  state.buttons.forEach((button, position) => {
    button.textContent = data.tokens[position].label;
    button.title = data.tokens[position].origin;
    button.dataset.published = String(data.tokens[position].published);
    button.onclick = () => pick(position);
    button.onkeydown = (event) => {
      const target = moved(event.key, position, state.buttons.length);
      if (target === null) return;
      event.preventDefault();
      pick(target, event.repeat);
    };
  });
  if (isOf(data.from, state.told)) show(state, group, data.picked); // else what was picked since is newer
  goesOn(group);
}

function begun(/** @type {HTMLElement} */ group) {
  /** @type {State} */
  const state = { buttons: [], told: 0, picked: null };
  group.addEventListener("scroll", () => goesOn(group));
  new ResizeObserver(() => goesOn(group)).observe(group);
  return state;
}

// Whether there are tokens above or below those in sight, which the page shows by letting them fade.
function goesOn(/** @type {HTMLElement} */ group) {
  const below = group.scrollHeight - group.clientHeight - group.scrollTop;
  group.dataset.above = String(group.scrollTop > 1);
  group.dataset.below = String(below > 1);
}

// Where a key leads from a position, or null for a key that leads nowhere.
/** @param {string} key @param {number} position @param {number} length */
export function moved(key, position, length) {
  switch (key) {
    case "ArrowRight":
    case "ArrowDown":
      return (position + 1) % length;
    case "ArrowLeft":
    case "ArrowUp":
      return (position + length - 1) % length;
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return null;
  }
}

/** @param {State} state @param {HTMLElement} group @param {number} picked */
function show(state, group, picked) {
  state.buttons.forEach((button, position) => {
    button.setAttribute("aria-checked", String(position === picked));
    button.tabIndex = position === picked ? 0 : -1;
  });
  const button = state.buttons[picked];
  if (state.picked === button || !group.clientHeight) return; // a reader who scrolled on stays there
  state.picked = button;
  const middle = button.offsetTop - group.offsetTop - (group.clientHeight - button.offsetHeight) / 2;
  if (Math.abs(group.scrollTop - middle) > group.clientHeight / 2 - button.offsetHeight) group.scrollTop = middle;
}
