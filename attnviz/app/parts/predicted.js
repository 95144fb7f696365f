// What happened after a prediction has the focus, and is read aloud.

/** @import { Drawing } from "../../scripts/types.js" */

/** @typedef {{ times: number }} Data */

let told = 0;

/** @param {Drawing<Data>} drawing */
export default function predicted({ data }) {
  const outcome = document.querySelector(".st-key-prediction_outcome");
  if (!(outcome instanceof HTMLElement)) return;
  outcome.setAttribute("role", "status");
  outcome.tabIndex = -1;
  if (data.times > told) outcome.focus();
  told = data.times;
}
