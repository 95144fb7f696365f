// Whether the page is light or dark, told from its own colour, and when that changes.

/** @param {HTMLElement} element @returns {"light" | "dark"} */
export function themeOf(element) {
  const colour = getComputedStyle(element).getPropertyValue("--st-background-color").trim();
  const channels = /^#[\da-f]{6}/i.test(colour) ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16)) : [255, 255, 255];
  return channels.reduce((sum, channel) => sum + channel, 0) < 384 ? "dark" : "light";
}

// The reader's choice of a theme draws no component anew: it is seen where a colour of the page changes.
/** @param {HTMLElement} root @param {() => void} act */
export function onTheme(root, act) {
  root.addEventListener("transitionend", (event) => {
    if (event.target === root && event.propertyName === "color") act();
  });
}
