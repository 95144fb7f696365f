// The table of keys: what a key does -> the keys that do it. The board's handlers (attnviz/board/keys.js), the page's
// (presenting.js) and `aria-keyshortcuts` read it. Keys have the names that WAI-ARIA gives them: Alt+ or Control+, then
// a KeyboardEvent's `key`. Control stands for ⌘, too.

const SIGN = /^[^\p{L}\p{Nd}]$/u;

/** @type {Record<string, string[]>} */
export const SHORTCUTS = {
  move: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
  pin: ["Enter"],
  unpin: ["Escape"],
  dock: ["Control+Enter"],
  digits: ["D"],
  readers_of: ["R"],
  readers: ["R"],
  step: ["Alt+ArrowLeft", "Alt+ArrowRight", "Alt+ArrowUp", "Alt+ArrowDown"],
  reset: ["Delete"],
  undo: ["Control+Z"],
  paste: ["Control+V"],
  pick: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"],
  list: ["?"],
  end: ["Escape"],
  heads: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"],
  play: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
  tip: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
  present: ["P"],
  leave: ["Escape"],
};

// Whether an event is of one of the keys of `name`. Shift makes no difference; nor does Alt for a sign, which some
// keyboards type with it. An event of a browser's own, such as one that fills in a form, has no key.
/** @param {string} name @param {KeyboardEvent} event */
export function isHeard(name, { key, altKey, ctrlKey, metaKey }) {
  return SHORTCUTS[name].some((shortcut) => {
    const parts = shortcut.split("+");
    const named = parts[parts.length - 1];
    return key?.toLowerCase() === named.toLowerCase() && (altKey === parts.includes("Alt") || SIGN.test(named))
      && (ctrlKey || metaKey) === parts.includes("Control");
  });
}

// The value of `aria-keyshortcuts` for an element that hears the keys of these names.
/** @param {string[]} names */
export function shortcutsOf(...names) {
  return names.flatMap((name) => SHORTCUTS[name] ?? []).join(" ");
}
