// Each place begins at its top: Streamlit keeps how far the one before was scrolled. What the reader asked to see is
// brought into sight, wherever it was asked for.

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ place: string, asked: number, to: string }} Data where the reader is; how often what `to` selects was asked for */

const LOOKS = 50; // while the page is drawn
const AGAIN = 8; // once it's there
const PAUSE = 100; // ms between them

/** @type {Data | undefined} */
let before;

/** @param {Drawing<Data>} drawing */
export default function arriving({ data }) {
  const last = before;
  before = data;
  if (!last) return;
  if (last.place !== data.place) main()?.scrollTo(0, 0);
  if (last.asked !== data.asked) look(data, LOOKS);
}

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
