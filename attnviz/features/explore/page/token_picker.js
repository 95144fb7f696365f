// A row of tokens, one of which is picked: a radio group for mouse and arrow keys. The texts of tokens are only ever
// set as textContent.

import { button, ledTo } from "../../../board/cells/elements.js";
import { isOf, stateOf, partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/**
 * @typedef {{ tokens: { label: string, origin: string }[], picked: number, query: string,
 *   label: string, parameter: string, from: string }} Data
 */

/** @typedef {{ buttons: HTMLButtonElement[], told: number, picked: HTMLButtonElement | null }} State */

export default function tokenPicker(/** @type {Drawing<Data>} */ { parentElement, data }) {
  const group = partOf(parentElement, ".tokens");
  group.setAttribute("aria-label", data.label);
  partOf(group, ".query").textContent = data.query;
  const state = stateOf(parentElement, ".tokens", begun);

  const pick = (/** @type {number} */ position, replaces = false) => {
    show(state, group, position);
    state.buttons[position].focus();
    state.told = window.attnvizAddress?.change({ [data.parameter]: String(position) },
      { source: replaces ? data.parameter : null }) ?? 0;
  };

  while (state.buttons.length > data.tokens.length) state.buttons.pop()?.remove();
  while (state.buttons.length < data.tokens.length) {
    state.buttons.push(button("", "", () => {}, { role: "radio" }));
    group.append(...state.buttons.slice(-1));
  }
  state.buttons.forEach((each, position) => {
    each.textContent = data.tokens[position].label;
    each.title = data.tokens[position].origin;
    each.onclick = () => pick(position);
    each.onkeydown = (event) => {
      const target = ledTo(event, position, state.buttons.length);
      if (target === null) return;
      event.preventDefault();
      pick(target, event.repeat);
    };
  });
  if (isOf(data.from, state.told)) show(state, group, data.picked); // otherwise the reader's own pick is newer
  goesOn(group);
}

function begun(/** @type {HTMLElement} */ group) {
  /** @type {State} */
  const state = { buttons: [], told: 0, picked: null };
  group.addEventListener("scroll", () => goesOn(group));
  new ResizeObserver(() => goesOn(group)).observe(group);
  return state;
}

// Notes whether there are tokens above or below the visible ones; the style sheet then fades that edge.
function goesOn(/** @type {HTMLElement} */ group) {
  const below = group.scrollHeight - group.clientHeight - group.scrollTop;
  group.dataset.above = String(group.scrollTop > 1);
  group.dataset.below = String(below > 1);
}

/** @param {State} state @param {HTMLElement} group @param {number} picked */
function show(state, group, picked) {
  state.buttons.forEach((choice, position) => {
    choice.setAttribute("aria-checked", String(position === picked));
    choice.tabIndex = position === picked ? 0 : -1;
  });
  const own = state.buttons[picked];
  if (state.picked === own || !group.clientHeight) return; // the view stays where the reader scrolled
  state.picked = own;
  const middle = own.offsetTop - group.offsetTop - (group.clientHeight - own.offsetHeight) / 2;
  if (Math.abs(group.scrollTop - middle) > group.clientHeight / 2 - own.offsetHeight) group.scrollTop = middle;
}
