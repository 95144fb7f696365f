// A row of tokens, one of which is picked: a radio group that mouse and arrow keys move.
// Token texts are only ever set as textContent.

import { Sender } from "../../scripts/sending.js";

const groups = new WeakMap();

export default function tokenPicker({ parentElement, data, setTriggerValue }) {
  const group = parentElement.querySelector(".tokens");
  group.setAttribute("aria-label", data.label);
  group.querySelector(".query").textContent = data.query;
  const state = groups.get(group) ?? begun(group);
  state.sender.receive(data.key, data.answered, (picked) => setTriggerValue("picked", picked));

  const pick = (position, replaces = false) => {
    show(state, group, position);
    state.buttons[position].focus();
    state.sender.send({ position }, replaces);
  };

  while (state.buttons.length > data.tokens.length) state.buttons.pop().remove();
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
    button.dataset.published = data.tokens[position].published;
    button.onclick = () => pick(position);
    button.onkeydown = (event) => {
      const target = moved(event.key, position, state.buttons.length);
      if (target === null) return;
      event.preventDefault();
      pick(target, event.repeat);
    };
  });
  if (!state.sender.waiting) show(state, group, data.picked); // else what was picked since is newer
  goesOn(group);
}

function begun(group) {
  const state = { buttons: [], sender: new Sender(group) };
  groups.set(group, state);
  group.addEventListener("scroll", () => goesOn(group));
  new ResizeObserver(() => goesOn(group)).observe(group);
  return state;
}

// Whether there are tokens above or below those in sight, which the page shows by letting them fade.
function goesOn(group) {
  const below = group.scrollHeight - group.clientHeight - group.scrollTop;
  group.dataset.above = group.scrollTop > 1;
  group.dataset.below = below > 1;
}

// Where a key leads from a position, or null for a key that leads nowhere.
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
