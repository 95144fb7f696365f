// What of a story is in view on a screen that is narrow and low.

// A cell stays under the finger, whatever unfolds or folds above it.
/** @param {HTMLElement | null | undefined} cell @param {() => void} act */
export function steady(cell, act) {
  const before = cell?.getBoundingClientRect();
  act();
  const after = cell?.getBoundingClientRect();
  if (before?.height && after?.height) scroll(after.top - before.top);
}

// Scroll, where something of these is not in view, over what stands at the foot, until it is.
/** @param {Element[]} cells @param {Element} foot */
export function bringIntoView(cells, foot) {
  const boxes = cells.map((cell) => cell.getBoundingClientRect()).filter(({ height }) => height > 0);
  if (!boxes.length) return;
  const top = Math.min(...boxes.map((box) => box.top)) - 8;
  const bottom = Math.max(...boxes.map((box) => box.bottom)) + 8;
  const highest = document.querySelector("[data-testid=stHeader]")?.getBoundingClientRect().bottom ?? 0;
  const lowest = Math.min(window.innerHeight, foot.getBoundingClientRect().top);
  if (bottom > lowest) scroll(Math.min(bottom - lowest, top - highest));
  else if (top < highest) scroll(top - highest);
}

/** @param {number} by */
function scroll(by) {
  const page = document.querySelector("[data-testid=stMain]");
  if (page && Math.abs(by) >= 1) page.scrollTop += by;
}
