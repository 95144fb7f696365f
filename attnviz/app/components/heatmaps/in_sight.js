// After a click on a heatmap's cell its explanation opens at the lower edge of the window. Where it would cover that
// cell, the page scrolls until the cell stands above it.

const GAP = 8; // pixels between the cell and the explanation
const LOOKS = 15; // the explanation grows within about so many looks
const PAUSE = 100; // ms between them

/** @param {() => number} bottomOf the cell, in the window @param {number} [left] looks */
export function keepInSight(bottomOf, left = LOOKS) {
  const scrolled = uncover(document, bottomOf());
  if (left > 0) setTimeout(() => keepInSight(bottomOf, left - 1), scrolled ? 2 * PAUSE : PAUSE);
}

// Scroll as far as the cell is covered; say whether it was.
/** @param {ParentNode} page @param {number} bottom */
function uncover(page, bottom) {
  const panel = page.querySelector(".st-key-picked_cell");
  const main = page.querySelector("[data-testid=stMain]");
  if (!panel || !main) return false;
  const covered = bottom + GAP - panel.getBoundingClientRect().top;
  if (covered <= 0 || bottom > innerHeight) return false;
  main.scrollBy(0, covered);
  return true;
}
