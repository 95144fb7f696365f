// Each place begins at its top: Streamlit keeps how far the one before was scrolled. What the reader asked to see is
// brought into sight, wherever it was asked for. The style marks the door behind which the page is.

/** @import { Drawing } from "../../../scripts/types.js" */

/**
 * Where the reader is, behind which door, and whether the set-up plays a part there; how often what `to` selects was
 * asked for.
 * @typedef {{ place: string, door: number, setsUp: boolean, asked: number, to: string }} Data
 */

const LOOKS = 50; // while the page is drawn
const AGAIN = 8; // once it's there
const PAUSE = 100; // ms between them

/** @type {Data | undefined} */
let before;

/** @param {Drawing<Data>} drawing */
export default function arriving({ data }) {
  const last = before;
  before = data;
  const { dataset } = document.documentElement;
  dataset.door = String(data.door);
  if (!data.setsUp) delete dataset.open;
  if (!last) return;
  if (last.place !== data.place) main()?.scrollTo(0, 0);
  if (last.asked !== data.asked) look(data, LOOKS);
}

// A list of pages would stay open over the one that was chosen: of a door, and on a telephone of all.
window.addEventListener("attnviz:leaves", () => {
  const menu = document.querySelector("[data-testid=stSidebar]");
  const list = menu?.checkVisibility() && menu.getBoundingClientRect().right > 0
    ? menu.querySelector("[data-testid=stSidebarCollapseButton] button")
    : document.querySelector("[data-testid=stTopNavSection][aria-expanded=true]");
  if (list instanceof HTMLElement) list.click();
});

function main() {
  return document.querySelector("[data-testid=stMain]");
}

// At half the height of the window: what it acts on stays in sight above it. Looked at again while the page is drawn,
// for at first nothing stands under it.
/** @param {Data} asked @param {number} left */
function look(asked, left) {
  if (before?.asked !== asked.asked || left === 0) return;
  const found = document.querySelector(asked.to);
  const below = found ? found.getBoundingClientRect().top - innerHeight / 2 : 0;
  if (below > 1) main()?.scrollBy(0, below);
  setTimeout(() => look(asked, found ? Math.min(left - 1, AGAIN) : left - 1), PAUSE);
}
