// What happened after a prediction has the focus, and is read aloud. Where a choice is a row or a cell, a click on it
// on the board makes it.

/** @import { Drawing } from "../../scripts/types.js" */

/** @typedef {{ times: number, cells: Record<string, string> }} Data */

let told = 0;
/** @type {Data["cells"]} */
let choices = {};
addEventListener("click", choose, true);

/** @param {Drawing<Data>} drawing */
export default function predicted({ data: { times, cells } }) {
  choices = cells;
  const outcome = document.querySelector(".st-key-prediction_outcome");
  if (!times || !(outcome instanceof HTMLElement)) return;
  outcome.setAttribute("role", "status");
  outcome.tabIndex = -1;
  if (times > told) outcome.focus();
  told = times;
}

function choose(/** @type {MouseEvent} */ event) {
  const cell = event.composedPath().find((each) => each instanceof HTMLElement && each.dataset.at);
  const [matrix, ...at] = cell instanceof HTMLElement ? (cell.dataset.at ?? "").split(",") : [];
  const choice = matrix && (choices[[matrix, ...at].join()] ?? choices[[matrix, ...at.slice(0, -1)].join()]);
  const button = choice && document.querySelector(`.st-key-predict-${choice} button`);
  if (button instanceof HTMLElement) button.click();
}
