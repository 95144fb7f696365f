// Moves the focus after a prediction to what happened, which is then read aloud. It also moves it to the next question,
// and to the next part if the focus was lost. If a choice stands for a row or a cell, a click on it on the board
// chooses it, too.

/** @import { Drawing } from "../../scripts/types.js" */

/** @typedef {{ asks: boolean, at: string, opened: number, times: number, cells: Record<string, string> }} Data */

const PATIENCE_MS = 5000; // a board shows what happened only once its numbers have come
let [told, shown] = [0, 0];
/** @type {Data["cells"]} */
let choices = {};
addEventListener("click", choose, true);

/** @param {Drawing<Data>} drawing */
export default function predicted({ data: { asks, at, opened, times, cells } }) {
  choices = cells;
  if (times > told) focusOn(outcome);
  else if (opened > shown && (asks || document.activeElement === document.body)) {
    focusOn(() => document.querySelector(at));
  }
  [told, shown] = [Math.max(told, times), Math.max(shown, opened)];
}

function outcome() {
  const found = document.querySelector(".st-key-prediction_outcome");
  found?.setAttribute("role", "status");
  const hosts = found ? [] : document.querySelectorAll("[data-testid=stBidiComponentIsolated]");
  return found ?? [...hosts].map((each) => each.shadowRoot?.querySelector(".outcome")).find(Boolean) ?? null;
}

/** @param {() => Element | null} find */
function focusOn(find, until = performance.now() + PATIENCE_MS) {
  const place = find();
  if (place instanceof HTMLElement) {
    if (place.tabIndex < 0) {
      place.tabIndex = -1;
      place.style.outline = "none";
    }
    place.focus();
  } else if (performance.now() < until) requestAnimationFrame(() => focusOn(find, until));
}

function choose(/** @type {MouseEvent} */ event) {
  const cell = event.composedPath().find((each) => each instanceof HTMLElement && each.dataset.at);
  const [matrix, ...at] = cell instanceof HTMLElement ? (cell.dataset.at ?? "").split(",") : [];
  const choice = matrix && (choices[[matrix, ...at].join()] ?? choices[[matrix, ...at.slice(0, -1)].join()]);
  const button = choice && document.querySelector(`.st-key-predict-${choice} button`);
  if (button instanceof HTMLElement) button.click();
}
